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
 * Names are pi, deg (= pi/180), t where it is allowed, and the caller's constants and inputs. An input is a number
 * that may change between evaluations and does not depend on t: its derivatives are 0. A unit (mm, rpm, kN ...) is
 * recognised after a * or /.
 *
 * Functions are sqrt sin cos tan asin acos atan atan2(y, x) sinh cosh tanh exp log abs sign floor ceil, min and
 * max of two or more, mod(x, y), step(x, x0), ramp and smooth(x, x0, x1), if(condition, then, else) and
 * not(condition). Numbers are decimal (1, .5, 2., 1e-3) in every locale. Space between symbols is ignored.
 *
 * Constant parts are computed when the text is compiled and must be finite: "t + 1/0" does not compile. Evaluation
 * with t never fails; it returns infinity or NaN where the formula does, and the caller checks. */

#ifndef TRM_BASE_EXPRESSION_H
#define TRM_BASE_EXPRESSION_H

#include <stdbool.h>

#include "base/arena.h"
#include "trammel/function.h"

/* Value, first and second derivative of a function of t at one t. */
typedef struct trm_jet {
    double v, d, dd;
} trm_jet;

typedef struct trm_expression_error {
    int at;         /* byte offset in the text */
    char text[200]; /* what is wrong and what to write instead */
} trm_expression_error;

typedef struct trm_expression trm_expression;

enum {
    TRM_EXPRESSION_LONGEST = 65535, /* largest length of the text, bytes */
    TRM_EXPRESSION_LARGEST = 2048,  /* most operations and operands after constant folding; 16 bytes of stack each */
    TRM_EXPRESSION_DEEPEST = 64,    /* most open parentheses and powers, and operands waiting for their operator */
};

/* Compiles an expression. Neither text nor constants are needed afterwards. Returns NULL if it fails; error then says
 * what is wrong and where ("out of memory" included), and the arena is unchanged. */
const trm_expression *trm_expression_compile(trm_arena *arena, const char *text, const trm_constant *constants,
                                             int constant_count, bool allow_t, trm_expression_error *error);

/* Does the same with inputs, which are numbered in their order. Their values here are used until others are given. */
const trm_expression *trm_expression_compile_with_inputs(trm_arena *arena, const char *text,
                                                         const trm_constant *constants, int constant_count,
                                                         const trm_constant *inputs, int input_count,
                                                         trm_expression_error *error);

/* Names of quantities of a state: "rod.x", "coil.force", 'left-coil'.force. */
typedef struct trm_quantities {
    /* Returns the index of the quantity among the values given to evaluation; -1: no such quantity. text has no
     * terminator. */
    int (*find)(void *context, const char *text, int length);
    /* Writes the existing name nearest to an unknown one into the buffer; returns false if none is near. */
    bool (*nearest)(void *context, const char *text, char *buffer, size_t size);
    void *context;
} trm_quantities;

/* Does the same with quantities. A condition is compiled to its margin, which rises through 0 where the condition
 * becomes true. */
const trm_expression *trm_expression_compile_quantities(trm_arena *arena, const char *text,
                                                        const trm_constant *constants, int constant_count,
                                                        const trm_quantities *quantities, bool condition,
                                                        trm_expression_error *error);

/* Returns whether neither t nor an input occurs. */
bool trm_expression_is_constant(const trm_expression *expression);

/* Returns value and derivatives at t, with values of the inputs; NULL: those given at compilation. Where the branches
 * of an abs, min or max meet, the derivatives are the right-sided ones. */
trm_jet trm_expression_at_inputs(const trm_expression *expression, double t, const double *inputs);

/* Returns the same value without derivatives, which is cheaper. */
double trm_expression_value_at(const trm_expression *expression, double t, const double *inputs);

/* Evaluates a text without t to a finite number. It allocates nothing. If it fails, error says what is wrong and
 * where. */
bool trm_evaluate_constant(const char *text, const trm_constant *constants, int constant_count, double *value,
                           trm_expression_error *error);

/* Returns whether the name is reserved: pi, deg, t or the name of a function. A constant cannot have such a name. */
bool trm_is_reserved_name(const char *name);

#endif
