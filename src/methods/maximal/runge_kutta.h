/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Explicit Runge-Kutta rules, one entry each.
 *
 *     k_i = f(t + c_i h, y + h sum_(j<i) a_ij k_j),   y(t+h) = y + h sum b_i k_i,   error = h sum e_i k_i
 *
 * e_i are the differences of b_i to the weights of a second rule of another order in the same stages. */

#ifndef TRM_METHODS_MAXIMAL_RUNGE_KUTTA_H
#define TRM_METHODS_MAXIMAL_RUNGE_KUTTA_H

#include <stdbool.h>

enum { TRM_MOST_STAGES = 13 };

typedef struct trm_runge_kutta {
    const char *name;
    double order;
    int stages;
    const double *c, *a, *b; /* a: row after row, i entries in row i */
    const double *e;         /* NULL: it cannot tell its error */
    bool semi_implicit;      /* positions move with the velocities that the step leads to */
} trm_runge_kutta;

extern const char *const trm_runge_kutta_names[]; /* NULL behind the last */

const trm_runge_kutta *trm_find_runge_kutta(const char *name); /* NULL: there is none */

#endif
