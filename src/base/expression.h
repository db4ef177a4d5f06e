/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Arithmetic expressions of numbers, constants and the time t, with two derivatives with respect to t.
 *
 *   whole   = both { "or" both }
 *   both    = compare { "and" compare }
 *   compare = sum [ ("<" | ">" | "<=" | ">=" | "==" | "!=") sum ]       1 if it holds, else 0
 *   sum     = product { ("+" | "-") product }
 *   product = signed { ("*" | "/") signed }
 *   signed  = { "+" | "-" } power
 *   power   = primary [ "^" signed ]                  -2^2 = -4, 2^3^2 = 512, 2^-1 = 0.5
 *   primary = number | name | function "(" whole { "," whole } ")" | "(" whole ")"
 *
 * Names: pi, deg (= pi/180), t where it is allowed, the caller's constants and inputs. An input is a number that may change between
 * evaluations and does not depend on t: its derivatives are 0. A unit (mm, rpm, kN ...) is known where it follows a * or /.
 * Functions: sqrt sin cos tan asin acos atan atan2(y, x) sinh cosh tanh exp log abs sign floor ceil, min and max of two or more,
 * mod(x, y), step(x, x0), ramp and smooth(x, x0, x1), if(condition, then, else) and not(condition). Numbers are decimal (1, .5, 2., 1e-3), whatever
 * the locale. Space between symbols is ignored.
 *
 * Constant parts are computed when the text is compiled and must be finite: "t + 1/0" does not compile. Evaluation
 * with t never fails; it gives infinity or NaN where the formula does, and the caller checks. */

#ifndef TRM_BASE_EXPRESSION_H
#define TRM_BASE_EXPRESSION_H

#include <stdbool.h>

#include "base/arena.h"
#include "trammel/function.h"

/* A function of t at one t: value, first and second derivative. */
typedef struct trm_jet {
    double v, d, dd;
} trm_jet;

typedef struct trm_expression_error {
    int at;         /* byte offset in the text */
    char text[200]; /* what is wrong and what would be right */
} trm_expression_error;

typedef struct trm_expression trm_expression;

enum {
    TRM_EXPRESSION_LONGEST = 65535, /* bytes of text */
    TRM_EXPRESSION_LARGEST = 2048,  /* operations and operands after folding constants; bounds the stack that
                                       compiling takes: 16 bytes each */
    TRM_EXPRESSION_DEEPEST = 64,    /* open parentheses and powers, and operands waiting for their operator */
};

/* NULL: error says what and where, "out of memory" included; then the arena is as it was. Neither text nor
 * constants are needed afterwards. */
const trm_expression *trm_expression_compile(trm_arena *arena, const char *text, const trm_constant *constants,
                                             int constant_count, bool allow_t, trm_expression_error *error);

/* The same with inputs, which are numbered in their order; their values here are those before others are given. */
const trm_expression *trm_expression_compile_with_inputs(trm_arena *arena, const char *text,
                                                         const trm_constant *constants, int constant_count,
                                                         const trm_constant *inputs, int input_count,
                                                         trm_expression_error *error);

/* Names that stand for numbers of a state: "rod.x", "coil.force", 'left-coil'.force. */
typedef struct trm_quantities {
    /* The number of the value among those that evaluation is given; -1: there is no such quantity. text is not terminated. */
    int (*find)(void *context, const char *text, int length);
    /* The name of the quantity that is nearest to one that does not exist, into the buffer; false: none is near. */
    bool (*nearest)(void *context, const char *text, char *buffer, size_t size);
    void *context;
} trm_quantities;

/* The same with quantities. A condition is compiled to its margin, which rises through 0 where the condition becomes true. */
const trm_expression *trm_expression_compile_quantities(trm_arena *arena, const char *text,
                                                        const trm_constant *constants, int constant_count,
                                                        const trm_quantities *quantities, bool condition,
                                                        trm_expression_error *error);

/* Neither t nor an input occurs. */
bool trm_expression_is_constant(const trm_expression *expression);

/* At an abs, min or max whose branches meet, the derivatives are those to the right. */
trm_jet trm_expression_at(const trm_expression *expression, double t);

/* The same with values of the inputs; NULL: those that it was compiled with. */
trm_jet trm_expression_at_inputs(const trm_expression *expression, double t, const double *inputs);

/* The same value without the derivatives, cheaper. */
double trm_expression_value(const trm_expression *expression, double t);
double trm_expression_value_at(const trm_expression *expression, double t, const double *inputs);

/* A text without t to a finite number; false: error says what and where. Allocates nothing. */
bool trm_evaluate_constant(const char *text, const trm_constant *constants, int constant_count, double *value,
                           trm_expression_error *error);

/* pi, deg, t or the name of a function that is reserved: a constant may not take it. */
bool trm_is_reserved_name(const char *name);

#endif
