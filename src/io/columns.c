/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Columns: the quantities (model/quantity.h) of a result row, selected by patterns of their names. */

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "io/columns.h"
#include "motion/quantity_value.h"
#include "motion/state.h"
#include "sim/sim.h"
#include "trammel/io.h"

typedef struct column {
    const char *name;
    trm_quantity quantity;
    int alike; /* number of columns from here on that are parts of the same quantity */
} column;

struct trm_results {
    trm_arena arena;
    const trm_model *model;
    column *list;
    int count;
};

/* ---- Choosing ----------------------------------------------------------------------------- */

/* Returns whether a pattern of letters and * matches the whole name. */
static bool matches(const char *pattern, size_t length, const char *name)
{
    if (length == 0) return *name == 0;
    if (*pattern != '*') return *name == *pattern && matches(pattern + 1, length - 1, name + 1);
    for (;; name++) {
        if (matches(pattern + 1, length - 1, name)) return true;
        if (*name == 0) return false;
    }
}

typedef struct selector {
    trm_results *columns;
    const char *selection;
    unsigned char used[256]; /* per pattern: 1 if it has matched a column */
} selector;

/* Gets the next pattern of a selection; "t, rod.*" has two. Returns false after the last. */
static bool next_pattern(const char **text, const char **pattern, size_t *length)
{
    *text += strspn(*text, ", ");
    *pattern = *text;
    *length = strcspn(*text, ",");
    *text += *length;
    while (*length > 0 && (*pattern)[*length - 1] == ' ') --*length;
    return *length > 0;
}

static bool is_chosen(selector *c, const char *name, bool on_request)
{
    const char *text = c->selection, *pattern;
    size_t length;
    bool chosen = !text && !on_request;
    for (int i = 0; text && next_pattern(&text, &pattern, &length); i++)
        if (matches(pattern, length, name)) {
            chosen = true;
            if (i < (int)sizeof c->used) c->used[i] = 1;
        }
    return chosen;
}

static bool add_column(trm_results *columns, column item)
{
    const int count = columns->count;
    const bool full = (count & (count - 1)) == 0; /* the list has room for a power of two */
    void *list = full ? trm_arena_move(&columns->arena, columns->list, (size_t)count, count ? 2 * (size_t)count : 1,
                                       sizeof item)
                      : columns->list;
    if (!list) return false;
    columns->list = list;
    columns->list[columns->count++] = item;
    return true;
}

/* Adds a column if a pattern matches it. Returns false if out of memory. */
static bool add_if_selected(void *context, const trm_quantity_name *name, const trm_quantity *quantity)
{
    selector *c = context;
    trm_arena *arena = &c->columns->arena;
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    const char *text = name->inner   ? trm_arena_format(arena, "%s.%s.%s", name->owner, name->inner, name->suffix)
                       : name->owner ? trm_arena_format(arena, "%s.%s", name->owner, name->suffix)
                                     : trm_arena_text(arena, name->suffix);
    if (!text) return false;
    if (is_chosen(c, text, name->on_request)) return add_column(c->columns, (column){text, *quantity, 1});
    trm_arena_reset(arena, mark);
    return true;
}

/* Adds the columns that must be requested by their full name, such as those of a pair of bodies in contact. Returns
 * false if out of memory. */
static bool add_by_name(selector *c, const trm_model *model)
{
    const char *text = c->selection, *pattern;
    size_t length;
    for (int i = 0; text && next_pattern(&text, &pattern, &length); i++) {
        trm_quantity found;
        if (i >= (int)sizeof c->used || c->used[i] || !trm_find_quantity(model, pattern, (int)length, &found))
            continue;
        const char *name = trm_arena_text_n(&c->columns->arena, pattern, length);
        if (!name || !add_column(c->columns, (column){name, found, 1})) return false;
        c->used[i] = 1;
    }
    return true;
}

static void report_misfit(const selector *c, const char *pattern, int length, trm_messages *messages)
{
    char word[200], near[200];
    snprintf(word, sizeof word, "%.*s", length, pattern);
    if (trm_nearest_quantity(c->columns->model, word, near, sizeof near))
        trm_add_error(messages, (trm_place){0}, "no column fits \"%s\"; did you mean %s?", word, near);
    else
        trm_add_error(
            messages, (trm_place){0},
            "no column fits \"%s\"; columns are t, BODY.x, BODY.POINT.x, JOINT.q, JOINT.gap, E_kin and so on; "
            "trammel check --columns lists all of a model",
            word);
}

/* Reports an error for each pattern that matched no column, and for an empty list. */
static void report_unused(const selector *c, trm_messages *messages)
{
    const char *text = c->selection, *pattern;
    size_t length;
    if (text && !text[strspn(text, ", ")])
        trm_add_error(messages, (trm_place){0}, "the list of columns is empty; give some, such as t,rod.*");
    for (int i = 0; text && next_pattern(&text, &pattern, &length); i++)
        if (i < (int)sizeof c->used && !c->used[i]) report_misfit(c, pattern, (int)length, messages);
}

/* ---- Planning ----------------------------------------------------------------------------- */

static bool are_alike(const trm_quantity *a, const trm_quantity *b)
{
    return a->kind == b->kind && a->element == b->element;
}

static void plan(trm_results *columns)
{
    for (int i = columns->count - 2; i >= 0; i--)
        if (are_alike(&columns->list[i].quantity, &columns->list[i + 1].quantity))
            columns->list[i].alike = columns->list[i + 1].alike + 1;
}

void trm_result_values(const trm_results *columns, const trm_state *state, int first, int count, double *values)
{
    for (int i = 0; i < count;) {
        const column *c = &columns->list[first + i];
        const int alike = c->alike < count - i ? c->alike : count - i;
        double parts[TRM_QUANTITY_PARTS];
        const bool together = alike > 1 && trm_quantity_parts(&c->quantity, state, parts);
        for (int k = 0; k < alike; k++)
            values[i + k] = together ? parts[c[k].quantity.part] : trm_quantity_value(&c[k].quantity, state);
        i += alike;
    }
}

/* ---- Creating ----------------------------------------------------------------------------- */

trm_status trm_results_create(const trm_model *model, const char *selection, const trm_allocator *allocator,
                              trm_messages *messages, trm_results **columns)
{
    const int errors = trm_error_count(messages);
    *columns = NULL;
    trm_results *made = trm_owner_create(allocator, sizeof *made);
    if (!made) return TRM_OUT_OF_MEMORY;
    made->model = model;
    selector c = {.columns = made, .selection = selection};
    const bool all = trm_visit_quantities(model, add_if_selected, &c) && add_by_name(&c, model);
    trm_status status = all ? TRM_OK : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) report_unused(&c, messages);
    plan(made);
    if (status == TRM_OK && trm_error_count(messages) > errors) status = TRM_BAD_INPUT;
    if (status == TRM_OK)
        *columns = made;
    else
        trm_results_destroy(made);
    return status;
}

void trm_results_destroy(trm_results *columns)
{
    trm_owner_destroy(columns, sizeof *columns);
}

bool trm_results_need_reactions(const trm_results *columns)
{
    for (int i = 0; i < columns->count; i++)
        if (trm_quantity_needs_reactions(columns->model, &columns->list[i].quantity)) return true;
    return false;
}

trm_status trm_results_enable(const trm_results *columns, trm_sim *sim)
{
    sim->caller.read_known = true;
    for (int i = 0; i < columns->count; i++) {
        const trm_quantity *quantity = &columns->list[i].quantity;
        if (trm_quantity_needs_reactions(columns->model, quantity) &&
            !trm_sim_read(sim, quantity, columns->list[i].name))
            return TRM_OUT_OF_MEMORY;
    }
    return TRM_OK;
}

int trm_result_count(const trm_results *columns)
{
    return columns->count;
}

const char *trm_result_name(const trm_results *columns, int index)
{
    return columns->list[index].name;
}

const char *trm_result_unit(const trm_results *columns, int index)
{
    return columns->list[index].quantity.unit;
}

double trm_result_value(const trm_results *columns, int index, const trm_state *state)
{
    return trm_quantity_value(&columns->list[index].quantity, state);
}
