/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The shortest x of all that minimise |A x - b|: dense, any shape, any rank.
 *
 * Complete orthogonal decomposition (Golub, Van Loan 5.5): Householder QR with column pivoting, A P = Q (R11 R12;
 * 0 0), where R11 has the rank found; Householder reflections from the right, (R11 R12) = (T 0) Z; then
 *
 *     x = P Z^T ( T^-1 Q^T b ; 0 )
 *
 * Cost about 2 n^3 for n x n: suitable for systems of some hundred rows. */

#ifndef TRM_LINALG_MIN_NORM_H
#define TRM_LINALG_MIN_NORM_H

/* Solves the problem and returns the rank. a: m x n, stored by columns, destroyed; b: m, destroyed; x: n;
 * workspace of 3 n doubles and n integers. A column counts as dependent if its rest is shorter than tolerance
 * times the length of the largest column. */
int trm_min_norm_solve(double *a, int m, int n, double *b, double tolerance, double *x, double *room,
                       int *permutation);

/* The same in two parts, for several b with one a. The arrays belong to the caller and hold the factors. */
typedef struct trm_min_norm {
    const double *a;
    int m, n, rank;
    double *left, *right, *y;
    const int *permutation;
} trm_min_norm;

trm_min_norm trm_min_norm_factorise(double *a, int m, int n, double tolerance, double *room, int *permutation);
void trm_min_norm_apply(const trm_min_norm *factors, double *b, double *x);

#endif
