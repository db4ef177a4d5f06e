/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions of time f(t), checked and ready for evaluation with two derivatives. */

#ifndef TRM_MATH_FUNCTION_H
#define TRM_MATH_FUNCTION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/expression.h"
#include "trammel/function.h"

typedef struct trm_function trm_function;

/* Builds a function from its definition, which is not needed afterwards. Expressions may name the inputs. Returns
 * NULL if it fails; error then says why ("out of memory" included), and its `at` is the offset in the text of an
 * expression, or the index of a point of a table. */
const trm_function *trm_function_build(trm_arena *arena, const trm_function_def *def, const trm_constant *constants,
                                       int constant_count, const trm_constant *inputs, int input_count,
                                       trm_expression_error *error);

/* Returns value and derivatives for given inputs, in their order; NULL: those given at building. */
trm_jet trm_function_at_inputs(const trm_function *function, double t, const double *inputs);

/* Returns value and derivatives. It never fails; an expression gives infinity or NaN where its formula does. */
trm_jet trm_function_at(const trm_function *function, double t);

/* Returns whether the function is constant by its form: a constant, or an expression without t. */
bool trm_function_is_constant(const trm_function *function);

#endif
