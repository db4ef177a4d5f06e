/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* State of Dantzig's algorithm while it processes row after row; dantzig.c explains the algorithm. */

#ifndef TRM_LINALG_DANTZIG_STATE_H
#define TRM_LINALG_DANTZIG_STATE_H

#include "linalg/lcp.h"
#include "linalg/moving_factor.h"

typedef struct trm_dantzig_place {
    double lo, hi, scale;
    int row; /* number of the row in the problem */
} trm_dantzig_place;

typedef struct trm_dantzig {
    const trm_lcp *lcp;
    int n, inside, included; /* number of all rows; of rows in C, which come first; of rows included (C and N) */
    double **rows;           /* rows of A, scaled and permuted to places, like all arrays below */
    double *x, *w, *b;
    trm_dantzig_place *at;
    int *where; /* row of the problem -> place */
    trm_moving_factor factor;
    int *order; /* row of the factor -> place */
    /* columns of the driven and of an entering row after the forward solve, in the order of the factor */
    double *column, *other;
    double *solved;  /* one of these columns after the backward solve */
    double *dx, *dw; /* change of x and w per change of the driven x */
    double largest_b;
    double zero; /* present zero tolerance of w */
    int steps, idle;
} trm_dantzig;

/* Allocates the arrays and copies the problem; no row is included yet. Fails only when out of memory. */
bool trm_dantzig_init(trm_dantzig *s, trm_arena *scratch);

int trm_dantzig_rank(const trm_lcp *lcp, int row); /* 0: equations, 1: other rows, 2: friction */

void trm_dantzig_swap(trm_dantzig *s, int p, int q);

/* Returns the pivot that place p would have in C, and its column after the forward solve. */
double trm_dantzig_pivot(const trm_dantzig *s, int p, double *column);

/* Returns whether that pivot is only rounding. s->solved becomes the column after the backward solve. */
bool trm_dantzig_is_rounding(const trm_dantzig *s, const double *column, double pivot);

void trm_dantzig_enter(trm_dantzig *s, int p, const double *column, double pivot); /* moves place p into C */
void trm_dantzig_leave(trm_dantzig *s, int p);                                     /* moves place p from C to N */

/* Computes y = A x for rows from .. end - 1 and the first `columns` columns. */
void trm_dantzig_multiply(const trm_dantzig *s, int from, int end, const double *x, int columns, double *y);

double trm_dantzig_w(const trm_dantzig *s, int p);

/* Returns the zero tolerance of w for the present x. */
double trm_dantzig_zero(const trm_dantzig *s);

/* Returns whether the condition of place p holds: x is at a bound and w has the right sign, or |w| is at most
 * `zero`. */
bool trm_dantzig_is_satisfied(const trm_dantzig *s, int p, double zero);

void trm_dantzig_solve_inside(trm_dantzig *s); /* x_C <- x_C - A_CC^-1 w_C */

/* Drives place i, the first that is not included, until its condition holds, and includes it (dantzig_drive.c). */
trm_lcp_status trm_dantzig_drive(trm_dantzig *s, int i);

/* Recomputes w of a place that depends on C, without the rounding errors of the steps. Returns whether it is zero. */
bool trm_dantzig_is_zero(trm_dantzig *s, int i);

#endif
