/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Eigenvalues and eigenvectors of dense matrices, stored by rows in plain arrays. Cost about 10 n^3 (symmetric)
 * and 25 n^3. */

#ifndef TRM_LINALG_EIGEN_H
#define TRM_LINALG_EIGEN_H

#include <stdbool.h>

/* Computes A = V diag(w) V^T of a symmetric A by Householder reduction to tridiagonal form and implicit QL (Golub,
 * Van Loan 8.3; Bowdler, Martin, Reinsch, Wilkinson 1968). a: n x n, becomes V, one eigenvector per column; w: n,
 * ascending; room: workspace of n. Fails if A is not finite. */
bool trm_eigen_symmetric(double *a, int n, double *w, double *room);

/* Computes the eigenvalues re + i im of any real A by reduction to Hessenberg form and Francis' double shifts
 * (Golub, Van Loan 7.5; Peters, Wilkinson 1970). a: n x n, destroyed. v: n x n or NULL, the eigenvectors as
 * columns; a pair re +- i im (im > 0 first) has the real part in its first and the imaginary part in its second
 * column. room: workspace of n. Fails if the iteration does not converge, or A is not finite. */
bool trm_eigen_general(double *a, int n, double *re, double *im, double *v, double *room);

#endif
