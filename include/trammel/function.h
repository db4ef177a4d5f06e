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

/* An arithmetic expression of numbers ("30*deg", "2/3") to a finite number; false: why says what is wrong. */
TRM_API bool trm_evaluate(const char *text, double *value, char *why, size_t why_size);

/* A named number of the model, for expressions. */
typedef struct trm_constant {
    const char *name;
    double value;
} trm_constant;

typedef enum trm_function_kind {
    TRM_FUNCTION_CONSTANT = 0,
    TRM_FUNCTION_EXPRESSION,
    TRM_FUNCTION_TABLE,
} trm_function_kind;

/* All bytes zero is the constant 0. Texts and arrays are copied by the call that takes the definition. */
typedef struct trm_function_def {
    trm_function_kind kind;
    double value;           /* of a constant */
    const char *expression; /* in t (seconds) and the model's constants: "0.5*sin(2*pi*t)" */
    const double *t, *y;    /* the table: t strictly increasing; before and after it the end values hold */
    int count;              /* points of the table, at least 2 */
    bool cubic;             /* natural cubic spline through the points instead of straight lines */
} trm_function_def;

static inline trm_function_def trm_constant_function(double value)
{
    trm_function_def def = {TRM_FUNCTION_CONSTANT, value, NULL, NULL, NULL, 0, false};
    return def;
}

static inline trm_function_def trm_expression_function(const char *text)
{
    trm_function_def def = {TRM_FUNCTION_EXPRESSION, 0, text, NULL, NULL, 0, false};
    return def;
}

static inline trm_function_def trm_table_function(const double *t, const double *y, int count, bool cubic)
{
    trm_function_def def = {TRM_FUNCTION_TABLE, 0, NULL, t, y, count, cubic};
    return def;
}

#ifdef __cplusplus
}
#endif

#endif
