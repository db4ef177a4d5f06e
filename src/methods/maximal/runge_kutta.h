/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Explicit Runge-Kutta rules, one table entry each.
 *
 *     k_i = f(t + c_i h, y + h sum_(j<i) a_ij k_j),   y(t+h) = y + h sum b_i k_i,   error = h sum e_i k_i
 *
 * e_i is the difference between b_i and the weight of a second rule of another order with the same stages. */

#ifndef TRM_METHODS_MAXIMAL_RUNGE_KUTTA_H
#define TRM_METHODS_MAXIMAL_RUNGE_KUTTA_H

#include <stdbool.h>

enum { TRM_MOST_STAGES = 13 };

typedef struct trm_runge_kutta {
    const char *name;
    double order;
    int stages;
    const double *c, *a, *b; /* a: row by row, i entries in row i */
    const double *e;         /* NULL: the rule has no error estimate */
    bool semi_implicit;      /* positions move with the velocities at the end of the step */
} trm_runge_kutta;

extern const char *const trm_runge_kutta_names[]; /* NULL-terminated */

const trm_runge_kutta *trm_find_runge_kutta(const char *name); /* returns NULL if there is none */

#endif
