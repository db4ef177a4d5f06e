/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A symmetric matrix of which the first rows are eliminated, and what the others then know of them.
 *
 *     F = [ A  B^T ]   A = r x r,   ->   U^T diag(d) U = A,   E = C - B A^+ B^T
 *         [ B  C   ]
 *
 * A is positive semi-definite and may have any rank. Pivots are taken from the diagonal, the largest first in units of
 * scale; when what is left of it is below `nothing` in these units, the rows that remain depend on those before and are
 * dropped: they get no unknown, and nothing of them goes to E. By
 *
 *     forward:  z = U^-T g,  g_C <- g_C - B A^+ g_A          backward:  x_A = U^-1 (d^-1 z - U_C x_C)
 *
 * [A B^T; B C] [x_A; x_C] = g is solved when somebody else knows x_C.
 *
 * Storage: N x N numbers row after row, N = r + n, the upper triangle of F. Afterwards the first r rows hold U (of unit
 * diagonal, d in its place), in the order of elimination, and the rest E. */

#ifndef TRM_LINALG_FRONT_H
#define TRM_LINALG_FRONT_H

#include <stdbool.h>

typedef struct trm_front {
    int r, n;       /* rows to be eliminated, and the others */
    double *F;      /* N x N */
    int *order;     /* of r: which row was eliminated at this place */
    int eliminated; /* so many of r; those behind were dropped */
} trm_front;

/* scale: per row of A; diagonal: room for r numbers. */
void trm_front_eliminate(trm_front *front, const double *scale, double nothing, double *diagonal);

/* g of N numbers, in the order of F before it was eliminated: g_C is brought forward, what is needed of g_A on the way back
 * is kept in z, of r numbers. Returns the largest that is left along a dropped row: 0 if the right side is consistent. */
double trm_front_forward(const trm_front *front, double *g, double *z);

/* x: N numbers, x_C known; writes x_A, 0 in dropped rows. z is used up. */
void trm_front_backward(const trm_front *front, double *z, double *x);

#endif
