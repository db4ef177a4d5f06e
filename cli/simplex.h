/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Nelder and Mead's simplex (1965) within bounds, for smooth functions of a few numbers without derivatives.
 *
 * Of n + 1 points the worst is replaced by one beyond the middle c of the others: c - (x - c), twice as far if that is the best so far, between
 * if it is no better; where none of them helps, all points move half-way to the best one. When the simplex has become small it is started
 * again at the best point (Kelley 1999: it may stall), until that brings no more. */

#ifndef TRM_CLI_SIMPLEX_H
#define TRM_CLI_SIMPLEX_H

#include <stdbool.h>

enum { MOST_SIMPLEX = 32 };

typedef struct simplex_problem {
    int n; /* at most MOST_SIMPLEX */
    const double *lower, *upper;
    double size; /* of the first simplex, in widths of the bounds */
    /* The value at a point; false: there will be no more. */
    bool (*value_of)(void *context, const double *x, double *value);
    void *context;
} simplex_problem;

/* Improves the best point and its value, which is INFINITY where it is not known yet. Returns false if values ended before the search did;
 * the best point so far is kept. */
bool search_simplex(const simplex_problem *p, double *best, double *value);

#endif
