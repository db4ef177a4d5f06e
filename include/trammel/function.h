/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions of time f(t): a constant, an expression in t, or a table. */

#ifndef TRAMMEL_FUNCTION_H
#define TRAMMEL_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

#include "trammel/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Evaluates an arithmetic expression of numbers ("30*deg", "2/3") into *value. Returns false if the expression is
 * wrong or its value is not finite; then why says what is wrong. */
TRM_API bool trm_evaluate(const char *text, double *value, char *why, size_t why_size);

/* A named number of the model that expressions may use. */
typedef struct trm_constant {
    const char *name;
    double value;
} trm_constant;

/* How a function of time is given. */
typedef enum trm_function_kind {
    TRM_FUNCTION_CONSTANT = 0, /* a number */
    TRM_FUNCTION_EXPRESSION,   /* an expression in t */
    TRM_FUNCTION_TABLE,        /* points to interpolate */
} trm_function_kind;

/* A function of time. If all bytes are zero, it is the constant 0. The function that receives the definition copies its
 * texts and arrays. */
typedef struct trm_function_def {
    trm_function_kind kind;
    double value;           /* TRM_FUNCTION_CONSTANT: the value */
    const char *expression; /* expression in t [s] and the model's constants: "0.5*sin(2*pi*t)" */
    const double *t, *y;    /* table: t [s] strictly increasing; outside the table the end values are held */
    int count;              /* number of points of the table, at least 2 */
    bool cubic;             /* true: natural cubic spline through the points; false: straight lines */
} trm_function_def;

/* Returns the definition of a constant function. */
static inline trm_function_def trm_constant_function(double value)
{
    trm_function_def def = {TRM_FUNCTION_CONSTANT, value, NULL, NULL, NULL, 0, false};
    return def;
}

/* Returns the definition of a function by an expression, which is borrowed. */
static inline trm_function_def trm_expression_function(const char *text)
{
    trm_function_def def = {TRM_FUNCTION_EXPRESSION, 0, text, NULL, NULL, 0, false};
    return def;
}

/* Returns the definition of a function by a table of count points. The arrays are borrowed. */
static inline trm_function_def trm_table_function(const double *t, const double *y, int count, bool cubic)
{
    trm_function_def def = {TRM_FUNCTION_TABLE, 0, NULL, t, y, count, cubic};
    return def;
}

#ifdef __cplusplus
}
#endif

#endif
