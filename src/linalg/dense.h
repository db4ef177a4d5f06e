/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Small dense matrices, row after row in plain arrays. */

#ifndef TRM_LINALG_DENSE_H
#define TRM_LINALG_DENSE_H

#include <stdbool.h>

enum { TRM_DENSE_SMALL = 12 };

/* inverse = a^-1 for n <= TRM_DENSE_SMALL by Gauss-Jordan elimination with row pivoting. False: a is singular to
 * working precision, whatever the scale of its rows and columns, or not finite, and inverse is not to be used. */
bool trm_dense_inverse(const double *a, int n, double *inverse);

/* The same for a symmetric positive definite a of any n, without exchanges and so cheaper. False: a is not positive
 * definite to working precision, or not finite, and inverse is not to be used. */
bool trm_dense_inverse_positive(const double *a, int n, double *inverse);

/* a = L L^T of a symmetric positive definite a of any n: L replaces the lower triangle, the rest of a is not read. False: a is not
 * positive definite. Then x <- L^-1 x and x <- L^-T x. */
bool trm_dense_cholesky(double *a, int n);
void trm_dense_solve_lower(const double *L, int n, double *x);
void trm_dense_solve_upper(const double *L, int n, double *x);

#endif
