/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Small dense matrices, stored by rows in plain arrays. */

#ifndef TRM_LINALG_DENSE_H
#define TRM_LINALG_DENSE_H

#include <stdbool.h>

enum { TRM_DENSE_SMALL = 12 };

/* Computes inverse = a^-1 for n <= TRM_DENSE_SMALL by Gauss-Jordan elimination with row pivoting. Fails if a is
 * not finite or is singular to working precision, whatever the scale of its rows and columns; inverse is invalid
 * then. */
bool trm_dense_inverse(const double *a, int n, double *inverse);

/* Computes the same for a symmetric positive definite a of any n. It needs no row exchanges and is cheaper. Fails
 * if a is not finite or not positive definite to working precision; inverse is invalid then. */
bool trm_dense_inverse_positive(const double *a, int n, double *inverse);

/* Factorises a = L L^T for a symmetric positive definite a of any n. L replaces the lower triangle; the rest of a
 * is not read. Fails if a is not positive definite. The two functions after it compute x <- L^-1 x and x <- L^-T
 * x. */
bool trm_dense_cholesky(double *a, int n);
void trm_dense_solve_lower(const double *L, int n, double *x);
void trm_dense_solve_upper(const double *L, int n, double *x);

/* Factorises a = P L U in place by partial pivoting (n x n). order[c] is the row that was exchanged with row c; NULL:
 * not needed. Applies the same steps to b (n x k; k 0: none). Returns false if a is singular. */
bool trm_dense_factorise(double *a, int n, int *order, double *b, int k);

/* Solves a x = b of size n with k right-hand sides in place. Overwrites a (n x n) and b (n x k). Returns false if a is
 * singular. */
bool trm_dense_solve(double *a, int n, double *b, int k);

#endif
