/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What adams.c and adams_history.c share. Arrays over orders count from 1, as the formulas of the book do:
 *
 *     psi_i   = t_n - t_(n-i)                      sums of step lengths
 *     alpha_i = h / psi_i of the step to come
 *     beta_i  = ratio by which phi_i grows when the step to come is appended to the grid
 *     sigma_i = alpha_1 ... alpha_(i-1) (i-1)!     errors at steps alike
 *     g_i     = weights of the predictor: y + h (g_1 phi*_1 + ... + g_k phi*_k) */

#ifndef TRM_METHODS_MINIMAL_ADAMS_STATE_H
#define TRM_METHODS_MINIMAL_ADAMS_STATE_H

#include "methods/minimal/adams.h"

/* Differences that are kept: a step of order k leaves k + 2. */
enum { TRM_ADAMS_COLUMNS = TRM_ADAMS_ORDERS + 2 };

/* All but the values of the unknowns. */
typedef struct trm_adams_state {
    double t;
    double h, h_last; /* the next step and the last one (0: there was none), with their sign */
    int order, last;  /* likewise */
    int alike;        /* so many of the last steps, with the next, are of one length; counted to last + 1 */
    bool begun;       /* f at the start is known */
    bool first_phase; /* order and step grow with each step, until one fails or the order is high enough */
    bool careful;     /* rounding of y is carried along: the tolerance is not far from it */
    int points;       /* known times */
    long long evaluations, failures;
    double times[TRM_ADAMS_POINTS]; /* t_n, t_(n-1), ... */
    double alpha[TRM_ADAMS_ORDERS + 1], beta[TRM_ADAMS_ORDERS + 1], psi[TRM_ADAMS_ORDERS + 1];
    double sigma[TRM_ADAMS_ORDERS + 2], g[TRM_ADAMS_ORDERS + 2];
} trm_adams_state;

struct trm_adams {
    int unknowns;
    trm_adams_state now;

    /* These are one piece of memory, saved as it is. */
    double *phi; /* TRM_ADAMS_COLUMNS columns */
    double *y, *f;
    double *lost; /* what rounding has added to y so far (column 15 of the book) */

    /* For one step only. */
    double *predicted, *corrected;
    double *rates;     /* f of either */
    double *lost_then; /* by the prediction (column 16), and by the correction */
    double *lost_after;
    double *weight; /* |y| + 1 at the start of the step */
};

/* Doubles in the piece that is saved. */
static inline size_t trm_adams_kept(int unknowns)
{
    return (size_t)unknowns * (TRM_ADAMS_COLUMNS + 3);
}

/* phi_i, i from 1 */
static inline double *trm_adams_phi(const trm_adams *a, int i)
{
    return a->phi + (size_t)(i - 1) * (size_t)a->unknowns;
}

#endif
