/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Eigenvalues and eigenvectors of dense matrices, row after row in plain arrays. Cost about 10 n^3 (symmetric) and 25 n^3. */

#ifndef TRM_LINALG_EIGEN_H
#define TRM_LINALG_EIGEN_H

#include <stdbool.h>

/* A = V diag(w) V^T of a symmetric A: Householder reduction to tridiagonal form, then implicit QL (Golub, Van Loan 8.3; Bowdler,
 * Martin, Reinsch, Wilkinson 1968). a: n x n, becomes V, one eigenvector per column; w: n, ascending; room: n. False: not finite. */
bool trm_eigen_symmetric(double *a, int n, double *w, double *room);

/* Eigenvalues re + i im of any real A: Hessenberg form, Francis' double shifts (Golub, Van Loan 7.5; Peters, Wilkinson
 * 1970). a: n x n, destroyed; v: n x n, or NULL: the eigenvectors as columns, of a pair re +- i im (im > 0 first) the real part in the
 * first and the imaginary part in the second column. room: n. False: it did not converge, or A is not finite. */
bool trm_eigen_general(double *a, int n, double *re, double *im, double *v, double *room);

#endif
