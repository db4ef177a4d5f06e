/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The data of Adams' method, which adams.c and adams_history.c share. Arrays over orders count from 1, as the
 * formulas of the book do:
 *
 *     psi_i   = t_n - t_(n-i)                      sums of step lengths
 *     alpha_i = h / psi_i of the next step
 *     beta_i  = ratio by which phi_i grows when the next step is appended to the grid
 *     sigma_i = alpha_1 ... alpha_(i-1) (i-1)!     for errors at equal steps
 *     g_i     = weights of the predictor: y + h (g_1 phi*_1 + ... + g_k phi*_k) */

#ifndef TRM_METHODS_MINIMAL_ADAMS_STATE_H
#define TRM_METHODS_MINIMAL_ADAMS_STATE_H

#include "methods/minimal/adams.h"

/* Number of stored differences: a step of order k leaves k + 2. */
enum { TRM_ADAMS_COLUMNS = TRM_ADAMS_ORDERS + 2 };

/* Everything except the values of the unknowns. */
typedef struct trm_adams_state {
    double t;
    double h, h_last; /* s: signed lengths of the next step and of the last one (0: none) */
    int order, last;  /* orders of the next step and of the last one */
    int alike;        /* number of equal step lengths up to and including the next step; at most last + 1 */
    bool begun;       /* f at the start is known */
    bool first_phase; /* order and length grow with each step, until a step fails or the order is high enough */
    bool careful;     /* rounding errors of y are compensated, because the tolerance is close to them */
    int points;       /* number of known times */
    long long evaluations, failures;
    double usual;                   /* s: length of recent steps, at least that of the last one; 0: not known yet */
    double times[TRM_ADAMS_POINTS]; /* t_n, t_(n-1), ... */
    double alpha[TRM_ADAMS_ORDERS + 1], beta[TRM_ADAMS_ORDERS + 1], psi[TRM_ADAMS_ORDERS + 1];
    double sigma[TRM_ADAMS_ORDERS + 2], g[TRM_ADAMS_ORDERS + 2];
} trm_adams_state;

struct trm_adams {
    int unknowns;
    trm_adams_state now;

    /* One block of memory, saved as it is. */
    double *phi; /* TRM_ADAMS_COLUMNS columns */
    double *y, *f;
    double *lost; /* accumulated rounding error of y (column 15 of the book) */

    /* Scratch for one step. */
    double *predicted, *corrected;
    double *rates;     /* f of predicted or corrected */
    double *lost_then; /* rounding error after the prediction (column 16), and after the correction */
    double *lost_after;
    double *weight;  /* |y| + 1 at the start of the step */
    double rounding; /* error of f by rounding at its last evaluation */
};

/* Returns the number of doubles in the saved block. */
static inline size_t trm_adams_kept(int unknowns)
{
    return (size_t)unknowns * (TRM_ADAMS_COLUMNS + 3);
}

/* Returns phi_i, i from 1. */
static inline double *trm_adams_phi(const trm_adams *a, int i)
{
    return a->phi + (size_t)(i - 1) * (size_t)a->unknowns;
}

#endif
