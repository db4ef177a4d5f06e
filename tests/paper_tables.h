/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reads the tables that `trammel paper TABLE --json` prints. */

#ifndef TRM_TESTS_PAPER_TABLES_H
#define TRM_TESTS_PAPER_TABLES_H

#include "check.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* Returns the output of `trammel paper ARGUMENTS --json`. */
static inline json_t *print_table(const char *arguments)
{
    char command[1000];
    json_error_t error;
    snprintf(command, sizeof command, "'%s' paper %s --json", TRM_PROGRAM, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    json_t *table = json_loadf(pipe, JSON_REJECT_DUPLICATES, &error);
    assert_int_equal(pclose(pipe), 0);
    assert_non_null(table);
    return table;
}

/* Returns the same, printed once for all tests that need it. The caller calls json_decref. */
static inline json_t *table_of(const char *arguments)
{
    static json_t *printed; /* by arguments */
    if (!printed) printed = json_object();
    json_t *table = json_object_get(printed, arguments);
    if (!table) {
        table = print_table(arguments);
        assert_int_equal(json_object_set_new(printed, arguments, table), 0);
    }
    return json_incref(table);
}

static inline size_t row_count(const json_t *table)
{
    return json_array_size(json_object_get(table, "rows"));
}

static inline const json_t *row_at(const json_t *table, size_t index)
{
    return json_array_get(json_object_get(table, "rows"), index);
}

static inline double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value)) print_error("no number \"%s\"\n", key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* Returns the row of the list `key` whose member `names` has this value; if several have it, the one number
 * `index`. */
static inline const json_t *row_named(const json_t *table, const char *key, const char *names, const char *name,
                                      int index)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(table, key), i,
                       row) if (strcmp(json_string_value(json_object_get(row, names)), name) == 0 &&
                                index-- == 0) return row;
    fail_msg("%s has no row %s", key, name);
    return NULL;
}

#endif
