/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions of time from files: the same motion as with the table in the model, with any separator of columns. */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "trammel/trammel.h"

static char folder[] = "/tmp/trammel-table-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Returns the definition of a model whose first force has a function of time from a file with this value. */
static trm_model_def *read_value(const char *value)
{
    char model[600], path[200];
    snprintf(model, sizeof model,
             "{\"trammel\": 1, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1]}], "
             "\"forces\": [{\"type\": \"force\", \"body\": \"a\", \"value\": [%s, 0, 0]}]}",
             value);
    write_file("model.json", model);
    snprintf(path, sizeof path, "%s/model.json", folder);
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = NULL;
    const trm_status status = trm_read_model_file(path, NULL, NULL, messages, &def);
    if (status != TRM_OK) fail_msg("%s: %s", value, trm_message_at(messages, 0)->text);
    trm_messages_destroy(messages);
    return def;
}

static void assert_table(const char *value, const double *t, const double *y, int count, bool cubic)
{
    trm_model_def *def = read_value(value);
    const trm_function_def *f = &def->forces[0].value[0];
    assert_int_equal(f->kind, TRM_FUNCTION_TABLE);
    assert_int_equal(f->count, count);
    assert_true(f->cubic == cubic);
    for (int i = 0; i < count; i++) assert_true(f->t[i] == t[i] && f->y[i] == y[i]);
    trm_model_def_destroy(def);
}

static void columns_are_found_by_number_and_by_name(void **state)
{
    (void)state;
    const double t[] = {0, 0.5, 2}, y[] = {1, -2e-3, 0.25}, z[] = {7, 8, 9};
    write_file("plain.csv", "0,1,7\n0.5,-2e-3,8\n2,.25,9\n");
    write_file("named.csv", "# made by hand\r\n\"t s\" ; lift; turns\r\n\r\n0; 1; 7\r\n0.5; -2e-3; 8\r\n2; +.25; 9");
    write_file("tabs.csv", "t\tlift\n0\t1\n0.5\t-2e-3\n2\t0.25\n");
    assert_table("{\"file\": \"plain.csv\"}", t, y, 3, false);
    assert_table("{\"file\": \"plain.csv\", \"t\": 1, \"y\": 3, \"interpolate\": \"cubic\"}", t, z, 3, true);
    assert_table("{\"file\": \"named.csv\"}", t, y, 3, false);
    assert_table("{\"file\": \"named.csv\", \"t\": \"t s\", \"y\": \"turns\"}", t, z, 3, false);
    assert_table("{\"file\": \"./tabs.csv\", \"y\": \"lift\"}", t, y, 3, false);
}

static int leave(void **state)
{
    (void)state;
    static const char *const names[] = {"plain.csv", "named.csv", "tabs.csv", "model.json"};
    char path[200];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(columns_are_found_by_number_and_by_name, leave),
    };
    if (!mkdtemp(folder)) return 1;
    return RUN_TESTS(tests);
}
