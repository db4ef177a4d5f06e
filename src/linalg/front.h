/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Elimination of the first rows of a symmetric matrix, and their contribution to the other rows (a front).
 *
 *     F = [ A  B^T ]   A = r x r,   ->   U^T diag(d) U = A,   E = C - B A^+ B^T
 *         [ B  C   ]
 *
 * A is positive semi-definite and may have any rank. Pivots are taken from the diagonal, the largest first in
 * units of scale. When the largest remaining pivot is below `zero` in these units, the remaining rows depend on those
 * before and are dropped: they get no unknown and contribute nothing to E. With
 *
 *     forward:  z = U^-T g,  g_C <- g_C - B A^+ g_A          backward:  x_A = U^-1 (d^-1 z - U_C x_C)
 *
 * [A B^T; B C] [x_A; x_C] = g is solved once the caller has computed x_C.
 *
 * Storage: N x N numbers by rows, N = r + n, the upper triangle of F. Afterwards the first r rows hold U in the
 * order of elimination (its diagonal is 1, and d is stored there), and the rest holds E. */

#ifndef TRM_LINALG_FRONT_H
#define TRM_LINALG_FRONT_H

#include <stdbool.h>

typedef struct trm_front {
    int r, n;       /* number of rows to be eliminated, and of the others */
    double *F;      /* N x N */
    int *order;     /* r: the row that was eliminated at each place */
    int eliminated; /* number of rows eliminated; the rows after them were dropped */
} trm_front;

/* Eliminates the first r rows. scale: per row of A; diagonal: workspace of r numbers. */
void trm_front_eliminate(trm_front *front, const double *scale, double zero, double *diagonal);

/* Forward solve. g: N numbers in the original order of F; g_C is updated. z: r numbers, which the backward solve
 * needs. Returns the largest residual of a dropped row: 0 if the right side is consistent. */
double trm_front_forward(const trm_front *front, double *g, double *z);

/* Backward solve. x: N numbers with x_C given; writes x_A, which is 0 in dropped rows. Overwrites z. */
void trm_front_backward(const trm_front *front, double *z, double *x);

#endif
