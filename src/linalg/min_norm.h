/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Of all x that make |A x - b| least, the shortest: dense, any shape, any rank.
 *
 * Complete orthogonal decomposition (Golub, Van Loan 5.5): Householder QR with column pivoting, A P = Q (R11 R12; 0 0)
 * with R11 of the rank found; Householder from the right, (R11 R12) = (T 0) Z; then
 *
 *     x = P Z^T ( T^-1 Q^T b ; 0 )
 *
 * Cost about 2 n^3 for n x n: for systems of some hundred rows. */

#ifndef TRM_LINALG_MIN_NORM_H
#define TRM_LINALG_MIN_NORM_H

/* a: m x n, column after column, destroyed; b: m, destroyed; x: n; room for 3 n doubles and n integers. A column of
 * which less than tolerance times the largest column's length is left does not count. Returns the rank. */
int trm_min_norm_solve(double *a, int m, int n, double *b, double tolerance, double *x, double *room,
                       int *permutation);

/* The same in two parts, for several b of one a: arrays stay the caller's, and hold the factors. */
typedef struct trm_min_norm {
    const double *a;
    int m, n, rank;
    double *left, *right, *y;
    const int *permutation;
} trm_min_norm;

trm_min_norm trm_min_norm_factorise(double *a, int m, int n, double tolerance, double *room, int *permutation);
void trm_min_norm_apply(const trm_min_norm *factors, double *b, double *x);

#endif
