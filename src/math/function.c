/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "math/function.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/number.h"
#include "math/spline.h"

struct trm_function {
    double value;                     /* used if both others are NULL */
    const trm_expression *expression; /* or NULL */
    const trm_spline *table;          /* or NULL */
};

/* Fills the error. Returns false, so that a caller can return it. */
static bool fail(trm_expression_error *error, int at, const char *format, ...) TRM_PRINTF(3, 4);

static bool fail(trm_expression_error *error, int at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->at = at;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

static bool refuse_order(const trm_function_def *def, int i, trm_expression_error *error)
{
    char before[TRM_NUMBER_TEXT], here[TRM_NUMBER_TEXT];
    trm_format_number(before, def->t[i - 1]);
    trm_format_number(here, def->t[i]);
    return fail(error, i,
                "t of the table must increase from point to point, but t[%d] = %s is followed by t[%d] = %s", i - 1,
                before, i, here);
}

static bool check_point(const trm_function_def *def, int i, trm_expression_error *error)
{
    if (!isfinite(def->t[i])) return fail(error, i, "t[%d] of the table is not a finite number", i);
    if (!isfinite(def->y[i])) return fail(error, i, "y[%d] of the table is not a finite number", i);
    if (i > 0 && !(def->t[i - 1] < def->t[i])) return refuse_order(def, i, error);
    return true;
}

static bool check_table(const trm_function_def *def, trm_expression_error *error)
{
    if (def->count < 2) return fail(error, 0, "the table has %d points; it needs at least 2", def->count);
    if (!def->t || !def->y) return fail(error, 0, "the table has no %s; it needs both t and y", def->t ? "y" : "t");
    for (int i = 0; i < def->count; i++)
        if (!check_point(def, i, error)) return false;
    return true;
}

/* Checks the slopes: finite points may be so close or so far apart that the values between them are not finite. */
static bool check_slopes(const trm_spline *table, trm_expression_error *error)
{
    for (int i = 0; i < table->count; i++) {
        const trm_jet at = trm_spline_at(table, table->t[i]);
        if (!isfinite(at.v) || !isfinite(at.d) || !isfinite(at.dd))
            return fail(error, i, "the table overflows at point %d; its points lie too close in t or too far apart",
                        i);
    }
    return true;
}

static bool build_constant(trm_function *function, const trm_function_def *def, trm_expression_error *error)
{
    function->value = def->value;
    return isfinite(def->value) || fail(error, 0, "the constant value is not a finite number");
}

static bool build_table(trm_arena *arena, trm_function *function, const trm_function_def *def,
                        trm_expression_error *error)
{
    if (!check_table(def, error)) return false;
    function->table = trm_spline_build(arena, def->t, def->y, def->count, def->cubic);
    if (!function->table) return fail(error, 0, "out of memory");
    return check_slopes(function->table, error);
}

static bool build_expression(trm_arena *arena, trm_function *function, const trm_function_def *def,
                             const trm_constant *constants, int constant_count, const trm_constant *inputs,
                             int input_count, trm_expression_error *error)
{
    const char *text = def->expression ? def->expression : "";
    function->expression =
        trm_expression_compile_with_inputs(arena, text, constants, constant_count, inputs, input_count, error);
    return function->expression;
}

const trm_function *trm_function_build(trm_arena *arena, const trm_function_def *def, const trm_constant *constants,
                                       int constant_count, const trm_constant *inputs, int input_count,
                                       trm_expression_error *error)
{
    *error = (trm_expression_error){0};
    trm_function *function = TRM_NEW(arena, trm_function);
    bool built = false;
    if (!function)
        fail(error, 0, "out of memory");
    else if (def->kind == TRM_FUNCTION_CONSTANT)
        built = build_constant(function, def, error);
    else if (def->kind == TRM_FUNCTION_EXPRESSION)
        built = build_expression(arena, function, def, constants, constant_count, inputs, input_count, error);
    else if (def->kind == TRM_FUNCTION_TABLE)
        built = build_table(arena, function, def, error);
    else
        fail(error, 0, "a function of kind %d does not exist", (int)def->kind);
    return built ? function : NULL;
}

trm_jet trm_function_at(const trm_function *function, double t)
{
    return trm_function_at_inputs(function, t, NULL);
}

trm_jet trm_function_at_inputs(const trm_function *function, double t, const double *inputs)
{
    if (function->expression) return trm_expression_at_inputs(function->expression, t, inputs);
    if (function->table) return trm_spline_at(function->table, t);
    return (trm_jet){function->value, 0, 0};
}

bool trm_function_is_constant(const trm_function *function)
{
    if (function->expression) return trm_expression_is_constant(function->expression);
    return !function->table;
}
