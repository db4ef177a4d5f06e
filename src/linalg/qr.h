/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Least squares with many right sides: A = Q R by Householder reflections, m x n with m >= n and full rank (Golub, Van Loan 5.2).
 *
 * A is kept row after row. Below its diagonal are the reflections, each scaled so that its first entry is 1; tau their factors. */

#ifndef TRM_LINALG_QR_H
#define TRM_LINALG_QR_H

/* a: m x n, overwritten; tau: n. Returns the smallest |R_ii| over the length that its column has: 0 means that columns depend on
 * each other; 1 if n is 0. */
double trm_qr_factor(double *a, int m, int n, double *tau);

/* b: m x k, overwritten; the first n of its rows become the solution. */
void trm_qr_solve(const double *a, const double *tau, int m, int n, double *b, int k);

#endif
