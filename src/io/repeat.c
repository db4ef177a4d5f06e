/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* "repeat": n in an item of a list stands for n items, i = 0, 1, ... n - 1. In all of its texts {i}, and an
 * expression of i in braces such as {i+1}, is replaced by its value: "link{i}", "0.25*{i}". An item within that is
 * repeated itself counts on its own: its texts keep their braces. */

#include "io/form.h"

#include <math.h>
#include <string.h>

#include "base/print.h"

enum { MOST_REPEATED = 10000, MOST_ITEMS = 1000000 };

/* ---- Texts -------------------------------------------------------------------------------- */

/* Writes the value of an expression of i as digits. Returns false after reporting an error. */
static bool print_value(trm_reader *reader, const trm_json *at, const char *from, size_t length, char *digits,
                        size_t size)
{
    char text[200];
    double value = NAN;
    const int errors = trm_error_count(reader->messages);
    if (length >= sizeof text) {
        trm_read_error(reader, at, "an expression in braces of a repeated item is too long; use a constant");
        return false;
    }
    trm_print(text, sizeof text, "%.*s", (int)length, from);
    const trm_json expression = {
        .kind = TRM_JSON_STRING, .line = at->line, .column = at->column, .length = length, .text = text};
    if (!trm_read_number(reader, &expression, &value) || trm_error_count(reader->messages) > errors) return false;
    trm_print(digits, size, value == floor(value) && fabs(value) < 1e15 ? "%.0f" : "%.17g", value);
    return true;
}

/* Makes a copy of the text with its braces replaced, in the arena; *made is NULL if out of memory. Returns false
 * after reporting an error. */
static bool fill_in(trm_reader *reader, const trm_json *at, const char *text, const char **made)
{
    const char *open = strchr(text, '{'), *close = open ? strchr(open, '}') : NULL;
    *made = text;
    while (close) {
        char digits[40];
        if (!print_value(reader, at, open + 1, (size_t)(close - open - 1), digits, sizeof digits)) return false;
        const size_t before = (size_t)(open - *made) + strlen(digits);
        *made = trm_arena_format(reader->arena, "%.*s%s%s", (int)(open - *made), *made, digits, close + 1);
        if (!*made) return true;
        open = strchr(*made + before, '{'), close = open ? strchr(open, '}') : NULL;
    }
    return true;
}

/* ---- Values ------------------------------------------------------------------------------- */

static const trm_json *repeat_of(const trm_json *item)
{
    return item->kind == TRM_JSON_OBJECT ? trm_json_member_value(item, "repeat") : NULL;
}

/* Makes a copy of a value with the braces in all texts and keys replaced. Returns false if out of memory or after
 * reporting an error. */
static bool copy_value(trm_reader *reader, const trm_json *from, trm_json *to);

static bool copy_members(trm_reader *reader, const trm_json *from, const char *left_out, trm_json *to)
{
    trm_json_member *members = TRM_NEW_ARRAY(reader->arena, trm_json_member, from->count);
    *to = *from;
    to->count = 0;
    to->members = members;
    for (int i = 0; members && i < from->count; i++) {
        trm_json_member *member = &members[to->count];
        if (left_out && strcmp(from->members[i].key, left_out) == 0) continue;
        *member = from->members[i];
        if (!fill_in(reader, &from->members[i].value, from->members[i].key, &member->key) || !member->key ||
            !copy_value(reader, &from->members[i].value, &member->value))
            return false;
        to->count++;
    }
    return members != NULL;
}

static bool copy_value(trm_reader *reader, const trm_json *from, trm_json *to)
{
    *to = *from;
    if (repeat_of(from)) return true;
    if (from->kind == TRM_JSON_OBJECT) return copy_members(reader, from, NULL, to);
    if (from->kind == TRM_JSON_STRING) {
        const char *text;
        if (!fill_in(reader, from, from->text, &text) || !text) return false;
        to->text = text;
        if (text != from->text) to->length = strlen(text);
        return true;
    }
    if (from->kind != TRM_JSON_ARRAY) return true;
    trm_json *items = TRM_NEW_ARRAY(reader->arena, trm_json, from->count);
    to->items = items;
    for (int i = 0; items && i < from->count; i++)
        if (!copy_value(reader, &from->items[i], &items[i])) return false;
    return items != NULL;
}

/* ---- Items -------------------------------------------------------------------------------- */

/* Returns the number of repetitions of an item. Returns 0 after reporting that "repeat" is invalid. */
static int count_of(trm_reader *reader, const trm_json *item)
{
    const trm_json *repeat = repeat_of(item);
    const int errors = trm_error_count(reader->messages);
    double count = NAN;
    if (!repeat) return 1;
    if (!trm_read_number(reader, repeat, &count) || trm_error_count(reader->messages) > errors) return 0;
    if (count >= 0 && count <= MOST_REPEATED && count == floor(count)) return (int)count;
    trm_read_error(reader, repeat, "\"repeat\" is %g; it must be a whole number from 0 to %d", count,
                   (int)MOST_REPEATED);
    return 0;
}

/* Writes the repetitions of an item, up to the first with an error. Returns false if out of memory. */
static bool write_out(trm_reader *reader, const trm_json *item, int count, trm_json *items, int *made)
{
    const trm_constant *own = reader->constants;
    const int own_count = reader->constant_count, errors = trm_error_count(reader->messages);
    trm_constant *known = TRM_NEW_ARRAY(reader->arena, trm_constant, own_count + 1);
    if (!known) return false;
    for (int k = 0; k < own_count; k++) known[k + 1] = own[k];
    reader->constants = known;
    reader->constant_count = own_count + 1;
    bool good = true;
    for (int i = 0; good && i < count; i++) {
        known[0] = (trm_constant){"i", i};
        good = copy_members(reader, item, "repeat", &items[*made]);
        *made += good;
    }
    reader->constants = own;
    reader->constant_count = own_count;
    return good || trm_error_count(reader->messages) > errors;
}

/* Returns the list with the requested copies of each item; NULL if out of memory. */
static const trm_json *write_list(trm_reader *reader, const char *label, const trm_json *list, const int *counts,
                                  long long total)
{
    trm_json *made = TRM_NEW(reader->arena, trm_json), *items = TRM_NEW_ARRAY(reader->arena, trm_json, total);
    char outer[sizeof reader->element];
    if (!made || !items) return NULL;
    *made = *list;
    made->count = 0;
    made->items = items;
    memcpy(outer, reader->element, sizeof outer);
    for (int i = 0; total > 0 && i < list->count; i++) {
        if (!outer[0]) trm_name_element(reader, label, &list->items[i], i);
        if (!repeat_of(&list->items[i]))
            items[made->count++] = list->items[i];
        else if (!write_out(reader, &list->items[i], counts[i], items, &made->count))
            return NULL;
    }
    memcpy(reader->element, outer, sizeof outer);
    return made;
}

const trm_json *trm_repeat_items(trm_reader *reader, const char *label, const trm_json *list)
{
    bool any = false;
    long long total = 0;
    char outer[sizeof reader->element];
    memcpy(outer, reader->element, sizeof outer);
    for (int i = 0; i < list->count; i++) any = any || repeat_of(&list->items[i]);
    if (!any) return list;
    int *counts = TRM_NEW_ARRAY(reader->arena, int, list->count);
    for (int i = 0; counts && i < list->count; i++) {
        if (!outer[0]) trm_name_element(reader, label, &list->items[i], i);
        total += counts[i] = count_of(reader, &list->items[i]);
    }
    memcpy(reader->element, outer, sizeof outer);
    if (total > MOST_ITEMS) {
        trm_read_error(reader, list, "the list has %lld items, counting repetitions; it may have at most %d", total,
                       (int)MOST_ITEMS);
        total = 0;
    }
    return counts ? write_list(reader, label, list, counts, total) : NULL;
}
