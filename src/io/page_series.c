/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The numbers that pages plot: sensors, outputs and force elements, then energies and their error, contacts, gaps,
 * coordinates and forces in joints; and finally columns of bodies. For machines with very many joints or bodies
 * only those of the first ones are plotted. */

#include "io/page.h"

#include <stdio.h>
#include <string.h>

#include "motion/quantity_value.h"
#include "motion/state.h"

enum { MOST_JOINTS = 100, MOST_OTHERS = 1200 };

/* ---- Values -------------------------------------------------------------------------------- */

static double kinetic(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    (void)all, (void)n;
    return trm_state_energy(state).kinetic;
}

static double potential(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    (void)all, (void)n;
    return trm_state_energy(state).potential;
}

static double total(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    return kinetic(all, n, state) + potential(all, n, state);
}

static double energy_error(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    return fabs(total(all, n, state) - all->energy_start - trm_works_sum(state->clock->work));
}

static double work(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    (void)all, (void)n;
    return trm_works_sum(state->clock->work);
}

/* Returns a part of a gap. index 0: in metres; 1: in radians. */
static double part_of_gap(trm_gap gap, int index)
{
    return index == 0 ? gap.position : gap.angle;
}

static double largest_gap(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    double largest = 0;
    (void)all;
    for (int j = 0; j < state->model->shown_joint_count; j++)
        if (state->attached[j]) largest = fmax(largest, part_of_gap(trm_position_gap(state, j), n->index));
    return largest;
}

static double gap_of_joint(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    (void)all;
    return state->attached[n->joint] ? part_of_gap(trm_position_gap(state, n->joint), 0) : 0;
}

static double coordinate(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    double q[TRM_JOINT_COORDINATES];
    (void)all;
    trm_joint_values(state, n->joint, q, NULL);
    return q[n->index];
}

/* Returns the magnitude of a joint reaction. index 0: force; 1: torque. */
static double reaction(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    const trm_spatial F = trm_joint_reaction(state, n->joint);
    (void)all;
    return trm_v3_length(n->index == 0 ? F.lin : F.ang);
}

static double contacts(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    (void)all;
    return (double)(n->index == 0 ? state->clock->contact_count : state->clock->impact_count);
}

static double quantity(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    (void)all;
    return trm_quantity_value(&n->quantity, state);
}

static double chosen(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    return trm_result_value(all->columns, n->index, state);
}

/* ---- The list ------------------------------------------------------------------------------ */

/* The list while it grows. */
typedef struct listing {
    trm_page_series *series;
    trm_arena *arena;
} listing;

static bool add(listing l, trm_page_number number)
{
    trm_page_series *s = l.series;
    return TRM_APPEND(l.arena, s->numbers, s->count, number);
}

static bool add_energies(listing l)
{
    return add(l, (trm_page_number){"error |E - E0 - W|", "J", "energy", true, -1, 0, energy_error, {0}}) &&
           add(l, (trm_page_number){"kinetic", "J", "energy", false, -1, 0, kinetic, {0}}) &&
           add(l, (trm_page_number){"potential", "J", "energy", false, -1, 0, potential, {0}}) &&
           add(l, (trm_page_number){"total", "J", "energy", false, -1, 0, total, {0}}) &&
           add(l, (trm_page_number){"work", "J", "energy", false, -1, 0, work, {0}});
}

static bool add_joint(listing l, int j)
{
    const trm_joint *joint = &l.series->model->joints[j];
    bool added = add(l, (trm_page_number){joint->name, "m", "gap", true, j, 0, gap_of_joint, {0}});
    for (int k = 0; added && k < joint->coordinates; k++) {
        const bool length = joint->type->kind[k] == TRM_COORDINATE_LENGTH;
        added =
            add(l, (trm_page_number){joint->name, length ? "m" : "rad", "coordinate", false, j, k, coordinate, {0}});
    }
    if (joint->type->among_forces && joint->host) return added;
    return added && add(l, (trm_page_number){joint->name, "N", "reaction", false, j, 0, reaction, {0}}) &&
           add(l, (trm_page_number){joint->name, "N m", "reaction", false, j, 1, reaction, {0}});
}

/* ---- Quantities ---------------------------------------------------------------------------- */

typedef struct visit {
    listing l;
    bool others; /* true: columns of bodies and rates; false: sensors, outputs and force elements */
    int count;
} visit;

/* Returns the group of a quantity that the user has named in the model. Returns NULL for other quantities. */
static const char *group_of(trm_quantity_kind kind)
{
    switch (kind) {
    case TRM_Q_SENSOR: return "sensor";
    case TRM_Q_OUTPUT:
    case TRM_Q_RELATIVE: return "output";
    case TRM_Q_FORCE:
    case TRM_Q_FORCE_LENGTH:
    case TRM_Q_ROW_FORCE: return "force";
    default: return NULL;
    }
}

/* Returns whether the quantity is in the list already, under another name. */
static bool is_elsewhere(trm_quantity_kind kind)
{
    return kind == TRM_Q_TIME || kind == TRM_Q_COORDINATE || kind == TRM_Q_GAP || kind == TRM_Q_ENERGY;
}

static bool add_quantity(void *context, const trm_quantity_name *name, const trm_quantity *q)
{
    visit *v = context;
    const char *group = group_of(q->kind);
    const bool wanted =
        v->others ? !group && !is_elsewhere(q->kind) && !name->on_request && v->count < MOST_OTHERS : group != NULL;
    if (!wanted || trm_quantity_needs_reactions(v->l.series->model, q)) return true;
    v->count++;
    trm_arena *arena = v->l.arena;
    const char *text = name->inner   ? trm_arena_format(arena, "%s.%s.%s", name->owner, name->inner, name->suffix)
                       : name->owner ? trm_arena_format(arena, "%s.%s", name->owner, name->suffix)
                                     : trm_arena_text(arena, name->suffix);
    return text && add(v->l, (trm_page_number){text, q->unit, group ? group : "column", false, -1, 0, quantity, *q});
}

bool trm_page_list_series(trm_page_series *series, const trm_state *start, trm_arena *arena)
{
    const trm_model *model = start->model;
    const trm_energy energy = trm_state_energy(start);
    const listing l = {series, arena};
    visit asked = {.l = l}, others = {.l = l, .others = true};
    *series = (trm_page_series){
        .model = model, .energy_start = energy.kinetic + energy.potential - trm_works_sum(start->clock->work)};
    bool added = trm_visit_quantities(model, add_quantity, &asked) && add_energies(l);
    if (added && model->shown_joint_count > 0)
        added = add(l, (trm_page_number){"largest", "m", "gap", true, -1, 0, largest_gap, {0}}) &&
                add(l, (trm_page_number){"largest", "rad", "gap", true, -1, 1, largest_gap, {0}});
    if (added && model->collisions.may_collide)
        added = add(l, (trm_page_number){"contacts", "", "contact", false, -1, 0, contacts, {0}}) &&
                add(l, (trm_page_number){"impacts so far", "", "contact", false, -1, 1, contacts, {0}});
    series->first_count = series->count;
    for (int j = 0; added && j < model->shown_joint_count && j < MOST_JOINTS; j++) added = add_joint(l, j);
    return added && trm_visit_quantities(model, add_quantity, &others);
}

bool trm_page_add_columns(trm_page_series *series, const trm_results *columns, trm_arena *arena)
{
    const int old = series->count, more = trm_result_count(columns);
    trm_page_number *list = TRM_NEW_ARRAY(arena, trm_page_number, old + more);
    if (!list) return false;
    int count = 0;
    for (int i = 0; i < more; i++) {
        const char *name = trm_result_name(columns, i);
        if (strcmp(name, "t") == 0) continue;
        list[count++] = (trm_page_number){name, trm_result_unit(columns, i), "chosen", false, -1, i, chosen, {0}};
    }
    series->first_count += count;
    memcpy(list + count, series->numbers, (size_t)old * sizeof *list);
    series->numbers = list;
    series->count = old + count;
    series->columns = columns;
    return true;
}

/* ---- Descriptions -------------------------------------------------------------------------- */

double trm_page_value(const trm_page_series *series, int index, const trm_state *state)
{
    const trm_page_number *number = &series->numbers[index];
    return number->value(series, number, state);
}

/* Writes the name of a number; for joints with several coordinates it contains that of the coordinate. */
static void name_number(const trm_page_series *series, const trm_page_number *number, char *name, size_t size)
{
    const bool many = number->joint >= 0 && strcmp(number->group, "coordinate") == 0 &&
                      series->model->joints[number->joint].coordinates > 1;
    if (many)
        snprintf(name, size, "%s %d", number->name, number->index + 1);
    else
        snprintf(name, size, "%s", number->name);
}

void trm_page_describe(const trm_page_series *series, int index, trm_json_writer *w)
{
    const trm_page_number *number = &series->numbers[index];
    char name[200];
    name_number(series, number, name, sizeof name);
    trm_json_put_text(w, "name", name);
    trm_json_put_text(w, "unit", number->unit);
    trm_json_put_text(w, "group", number->group);
    trm_json_put_bool(w, "log", number->log);
}
