/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Internals of a measure: the tree of an expression whose leaves are numbers and columns.
 *
 *   sum     = product { ("+" | "-") product }
 *   product = signed { ("*" | "/") signed }
 *   signed  = { "+" | "-" } power
 *   power   = primary [ "^" signed ]
 *   primary = number | name | '"' name '"' | function "(" sum { "," sum } ")" | "(" sum ")" */

#ifndef TRM_ANALYSIS_MEASURE_H
#define TRM_ANALYSIS_MEASURE_H

#include "base/arena.h"
#include "trammel/analysis.h"

typedef struct trm_measure_node trm_measure_node;

enum { TRM_MEASURE_ARGUMENTS = 8, TRM_MEASURE_DEEPEST = 64 };

/* Returns the value at a row from the values of the arguments at that row. */
typedef double (*trm_measure_pointwise)(const double *x, int count);
/* Returns one number for a whole series x; further arguments are numbers. */
typedef double (*trm_measure_reduction)(const trm_measure *m, const trm_measure_node *node);

struct trm_measure_node {
    enum { TRM_NODE_NUMBER, TRM_NODE_COLUMN, TRM_NODE_POINTWISE, TRM_NODE_REDUCTION } kind;
    bool series;  /* the value depends on the row */
    double value; /* of a number, or of a reduction once `known` */
    bool known;
    int column; /* index in the results */
    trm_measure_pointwise pointwise;
    trm_measure_reduction reduction;
    trm_measure_node *arguments[TRM_MEASURE_ARGUMENTS];
    int argument_count;
};

struct trm_measure {
    trm_arena arena;
    const char *text;
    trm_results *columns;
    trm_table *table;
    trm_measure_node *root;
    trm_measure_node **reductions; /* all reductions, inner ones first */
    int reduction_count;
    int t; /* index of the time column */
};

/* measure_parse.c: builds the tree and the columns of the text. Returns false after reporting an error. */
bool trm_measure_parse(trm_measure *m, const char *text, const trm_model *model, const trm_constant *constants,
                       int constant_count, trm_messages *messages);

/* Returns the value of the node at a row. */
double trm_measure_at_row(const trm_measure *m, const trm_measure_node *node, size_t row);

/* measure_reduce.c: a reduction by name, with its least and largest number of arguments. */
typedef struct trm_measure_function {
    const char *name;
    int least, most;
    trm_measure_reduction reduction;
} trm_measure_function;

const trm_measure_function *trm_measure_find_reduction(const char *name);

#endif
