/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A function of time f(t), checked and ready to be evaluated with two derivatives. */

#ifndef TRM_MATH_FUNCTION_H
#define TRM_MATH_FUNCTION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/expression.h"
#include "trammel/function.h"

typedef struct trm_function trm_function;

/* Copies what it needs of def. NULL: error says why, "out of memory" included; its `at` is the offset in an
 * expression's text, or the index of a table's point. */
const trm_function *trm_function_build(trm_arena *arena, const trm_function_def *def, const trm_constant *constants,
                                       int constant_count, trm_expression_error *error);

/* The same with inputs, which expressions may name. */
const trm_function *trm_function_build_with_inputs(trm_arena *arena, const trm_function_def *def,
                                                   const trm_constant *constants, int constant_count,
                                                   const trm_constant *inputs, int input_count,
                                                   trm_expression_error *error);

/* Values of the inputs in their order; NULL: those that it was built with. */
trm_jet trm_function_at_inputs(const trm_function *function, double t, const double *inputs);

/* Never fails; an expression gives infinity or NaN where its formula does. */
trm_jet trm_function_at(const trm_function *function, double t);

/* The same for all t, as far as its form tells: a constant, an expression without t. */
bool trm_function_is_constant(const trm_function *function);

#endif
