/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Least squares with many right sides: A = Q R by Householder reflections, m x n with m >= n and full rank (Golub,
 * Van Loan 5.2).
 *
 * A is stored by rows. Below its diagonal are the reflections, each scaled so that its first entry is 1; tau has
 * their factors. */

#ifndef TRM_LINALG_QR_H
#define TRM_LINALG_QR_H

/* Factorises a: m x n, overwritten; tau: n. Returns the smallest |R_ii| divided by the length of its column: 0
 * means that columns are dependent; 1 if n is 0. */
double trm_qr_factor(double *a, int m, int n, double *tau);

/* Solves for k right sides b: m x k, overwritten; its first n rows become the solution. */
void trm_qr_solve(const double *a, const double *tau, int m, int n, double *b, int k);

#endif
