/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The simplex method of Nelder and Mead (1965) within bounds, for smooth functions of a few variables without
 * derivatives.
 *
 * The worst of n + 1 points is replaced by its reflection at the centre c of the others, c - (x - c), by one twice as
 * far if that is the best so far, or by one nearer if it is not better. If none of these helps, all points move half-way
 * to the best one. A simplex that has become small restarts at the best point, because it may have stalled (Kelley
 * 1999), until a restart brings no improvement. */

#ifndef TRM_CLI_SIMPLEX_H
#define TRM_CLI_SIMPLEX_H

#include <stdbool.h>

enum { MOST_SIMPLEX = 32 };

typedef struct simplex_problem {
    int n; /* at most MOST_SIMPLEX */
    const double *lower, *upper;
    double size; /* size of the first simplex, in widths of the bounds */
    /* Computes the value at a point. Returns false if there are no more values. */
    bool (*value_of)(void *context, const double *x, double *value);
    void *context;
} simplex_problem;

/* Improves the best point and its value, which is INFINITY if it is not known yet. Returns false if values ended
 * before the search did; the best point so far is kept. */
bool search_simplex(const simplex_problem *p, double *best, double *value);

#endif
