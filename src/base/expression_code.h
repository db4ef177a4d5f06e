/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Code of compiled expressions: the compiler (expression.c) writes it, the evaluation (expression_value.c) runs
 * it. */

#ifndef TRM_BASE_EXPRESSION_CODE_H
#define TRM_BASE_EXPRESSION_CODE_H

#include "base/expression.h"

/* Operands, then operations on one operand, on two, on three. */
typedef enum trm_op {
    OP_CONSTANT,
    OP_T,
    OP_INPUT,
    OP_NEGATE,
    OP_SQRT,
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_ASIN,
    OP_ACOS,
    OP_ATAN,
    OP_SINH,
    OP_COSH,
    OP_TANH,
    OP_EXP,
    OP_LOG,
    OP_ABS,
    OP_SIGN,
    OP_FLOOR,
    OP_CEIL,
    OP_NOT,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_POWER,
    OP_ATAN2,
    OP_MIN,
    OP_MAX,
    OP_MOD,
    OP_STEP,
    OP_LESS,
    OP_GREATER,
    OP_AT_MOST,
    OP_AT_LEAST,
    OP_EQUAL,
    OP_DIFFERENT,
    OP_AND,
    OP_OR,
    OP_IF,
    OP_RAMP,
    OP_SMOOTH,
} trm_op;

typedef struct trm_instruction {
    trm_op op;
    int input;    /* number of the input (OP_INPUT) */
    double value; /* value of OP_CONSTANT; of OP_INPUT until another is given */
} trm_instruction;

struct trm_expression {
    bool has_t;
    int count;
    trm_instruction code[];
};

static inline int trm_operands_of(trm_op o)
{
    return o <= OP_INPUT ? 0 : o < OP_ADD ? 1 : o < OP_IF ? 2 : 3;
}

/* Returns the value of one operation on constants. */
double trm_operation_value(trm_op o, const double *operands);

#endif
