/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions of time in a model file: a number, an expression, a table in place, or a table in a file of its own. */

#include <string.h>

#include "base/message.h"
#include "io/form.h"
#include "math/function.h"

const char *const trm_interpolations[] = {"linear", "cubic", NULL};

static bool table_read(trm_reader *reader, const trm_json *value, trm_function_def *f)
{
    trm_function_def table = {.kind = TRM_FUNCTION_TABLE};
    int t_count = -1, y_count = -1;
    const int errors = trm_error_count(reader->messages);
    const char *interpolation = "linear";
    if (trm_json_member_value(value, "file")) return trm_read_table_file(reader, value, f);
    for (int i = 0; i < value->count; i++) {
        const trm_json_member *m = &value->members[i];
        if (strcmp(m->key, "t") == 0) {
            if (!trm_read_numbers(reader, &m->value, &table.t, &t_count)) return false;
        } else if (strcmp(m->key, "y") == 0) {
            if (!trm_read_numbers(reader, &m->value, &table.y, &y_count)) return false;
        } else if (strcmp(m->key, "interpolate") == 0) {
            trm_read_word(reader, &m->value, trm_interpolations, &interpolation);
        } else {
            trm_read_error_at(reader, m->line, m->column,
                              "a table has \"t\", \"y\" and \"interpolate\" (or \"file\"), not \"%s\"", m->key);
            return true;
        }
    }
    if (trm_error_count(reader->messages) > errors) return true;
    if (t_count < 0 || t_count != y_count) {
        trm_read_error(reader, value, "a table needs \"t\" and \"y\" of the same length, found %d and %d",
                       t_count < 0 ? 0 : t_count, y_count < 0 ? 0 : y_count);
        return true;
    }
    table.count = t_count;
    table.cubic = interpolation[0] == 'c';
    *f = table;
    return true;
}

/* Reports errors in a function at its place in the file. For this the function is built here and discarded; the model
 * builds its own. Returns false if out of memory. */
static bool check_function(trm_reader *reader, const trm_json *value, const trm_function_def *f)
{
    trm_expression_error error;
    const trm_arena_mark mark = trm_arena_get_mark(reader->arena);
    const bool good = trm_function_build(reader->arena, f, reader->constants, reader->constant_count, reader->inputs,
                                         reader->input_count, &error) != NULL;
    if (!good && reader->arena->failed) return false;
    trm_arena_reset(reader->arena, mark);
    if (!good && f->kind == TRM_FUNCTION_EXPRESSION)
        trm_report_expression(reader, value, &error);
    else if (!good)
        trm_read_error(reader, value, "%s", error.text);
    return true;
}

bool trm_read_function(trm_reader *reader, const trm_json *value, trm_function_def *f)
{
    if (value->kind == TRM_JSON_NUMBER) {
        *f = trm_constant_function(value->number);
        return true;
    }
    const int errors = trm_error_count(reader->messages);
    if (value->kind == TRM_JSON_STRING) {
        const char *text = NULL;
        if (!trm_read_text(reader, value, &text)) return false;
        *f = trm_expression_function(text);
    } else if (value->kind == TRM_JSON_OBJECT) {
        if (!table_read(reader, value, f)) return false;
    } else {
        trm_read_error(reader, value,
                       "expected a number, an expression in t such as \"0.5*sin(2*pi*t)\", or a table "
                       "{\"t\": [...], \"y\": [...]} or {\"file\": \"cam.csv\"}, found %s",
                       trm_json_kind_name(value->kind));
    }
    return trm_error_count(reader->messages) > errors || check_function(reader, value, f);
}

void trm_write_function(trm_json_writer *w, const char *key, const trm_function_def *f)
{
    switch (f->kind) {
    case TRM_FUNCTION_CONSTANT: trm_json_put_number(w, key, f->value); break;
    case TRM_FUNCTION_EXPRESSION: trm_json_put_text(w, key, f->expression); break;
    case TRM_FUNCTION_TABLE:
        trm_json_open_object(w, key);
        trm_json_put_numbers(w, "t", f->t, f->count);
        trm_json_put_numbers(w, "y", f->y, f->count);
        trm_json_put_text(w, "interpolate", trm_interpolations[f->cubic]);
        trm_json_close(w);
        break;
    }
}

static bool function_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    (void)field;
    return trm_read_function(reader, value, slot);
}

static void function_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    trm_write_function(w, field->key, slot);
}

const trm_kind trm_kind_function = TRM_DEFINED_KIND("a function of time", function, "function");

const trm_kind trm_kind_functions = TRM_ARRAY_KIND("three functions of time", "function", trm_function_def,
                                                   trm_kind_function, 3, "three functions of time [x, y, z]");
