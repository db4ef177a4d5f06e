/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What Dantzig's algorithm keeps while it goes from row to row; dantzig.c tells what it is. */

#ifndef TRM_LINALG_DANTZIG_STATE_H
#define TRM_LINALG_DANTZIG_STATE_H

#include "linalg/lcp.h"
#include "linalg/moving_factor.h"

typedef struct trm_dantzig_place {
    double lo, hi, scale;
    int row; /* of the problem */
} trm_dantzig_place;

typedef struct trm_dantzig {
    const trm_lcp *lcp;
    int n, inside, taken; /* rows; the first of them are C; those taken in, C and N */
    double **rows;        /* of A, scaled and in this order, as all that follows */
    double *x, *w, *b;
    trm_dantzig_place *at;
    int *where; /* row of the problem -> place */
    trm_moving_factor factor;
    int *order;             /* row of the factor -> place */
    double *column, *other; /* of the driven row and of one that enters, in the order of the factor, solved forward */
    double *solved;         /* one of them solved backward too */
    double *dx, *dw;        /* per change of the driven x */
    double largest_b;
    double little; /* what counts as nothing at present */
    int steps, idle;
} trm_dantzig;

/* Room and a copy of the problem, no row taken in; false: no memory. */
bool trm_dantzig_make_ready(trm_dantzig *s, trm_arena *scratch);

int trm_dantzig_rank(const trm_lcp *lcp, int row); /* 0: equations, 1: other rows, 2: friction */

void trm_dantzig_swap(trm_dantzig *s, int p, int q);

/* The pivot that place p would have, and its column, solved forward. */
double trm_dantzig_pivot(const trm_dantzig *s, int p, double *column);

/* Whether that pivot is rounding; s->solved is the column solved backward too. */
bool trm_dantzig_is_rounding(const trm_dantzig *s, const double *column, double pivot);

void trm_dantzig_enter(trm_dantzig *s, int p, const double *column, double pivot); /* place p comes to C */
void trm_dantzig_leave(trm_dantzig *s, int p);                                     /* place p of C comes to N */

/* y = A x over these rows and the first so many columns */
void trm_dantzig_multiply(const trm_dantzig *s, int from, int end, const double *x, int columns, double *y);

double trm_dantzig_w(const trm_dantzig *s, int p);

/* What counts as nothing in w at present. */
double trm_dantzig_nothing(const trm_dantzig *s);

/* x at a bound where w has the right sign, or w zero but for so much. */
bool trm_dantzig_is_right(const trm_dantzig *s, int p, double little);

void trm_dantzig_solve_inside(trm_dantzig *s); /* x_C <- x_C - A_CC^-1 w_C */

/* dantzig_drive.c: place i, the first that is not taken in, until it is right. */
trm_lcp_status trm_dantzig_drive(trm_dantzig *s, int i);

/* Whether w of a place that depends on C is nothing once the rounding of the steps is taken out. */
bool trm_dantzig_is_nothing(trm_dantzig *s, int i);

#endif
