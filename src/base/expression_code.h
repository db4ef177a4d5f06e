/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The program that an expression is compiled to: what its compiler (expression.c) writes and its evaluation
 * (expression_value.c) runs. */

#ifndef TRM_BASE_EXPRESSION_CODE_H
#define TRM_BASE_EXPRESSION_CODE_H

#include "base/expression.h"

/* Operands, then operations on one operand, then those on two, then those on three. */
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
    int input;    /* of OP_INPUT: its number */
    double value; /* of OP_CONSTANT; of OP_INPUT before others are given */
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

/* The value of one operation on constants. */
double trm_operation_value(trm_op o, const double *operands);

#endif
