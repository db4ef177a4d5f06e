/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Inverses of symmetric blocks of at most six rows that are far from singular: up to three rows by cofactors, larger
 * ones in parts. */

#ifndef TRM_LINALG_BLOCK_INVERSE_H
#define TRM_LINALG_BLOCK_INVERSE_H

#include <stdbool.h>

#include "linalg/block_kernels.h"
#include "linalg/block_ldlt.h"

/* Computes the cofactors of a symmetric a and returns the determinant. n is 1, 2 or 3. */
TRM_KERNEL double cofactors(const double *a, double *c, int n)
{
    if (n == 1) {
        c[0] = 1;
        return a[0];
    }
    if (n == 2) {
        c[0] = a[3], c[3] = a[0], c[1] = c[2] = -a[2];
        return a[0] * a[3] - a[2] * a[2];
    }
    const double a00 = a[0], a10 = a[3], a11 = a[4], a20 = a[6], a21 = a[7], a22 = a[8];
    c[0] = a11 * a22 - a21 * a21, c[4] = a00 * a22 - a20 * a20, c[8] = a00 * a11 - a10 * a10;
    c[1] = c[3] = a20 * a21 - a10 * a22;
    c[2] = c[6] = a10 * a21 - a20 * a11;
    c[5] = c[7] = a10 * a20 - a00 * a21;
    return a00 * c[0] + a10 * c[3] + a20 * c[6];
}

/* For a block with diagonal d, det / (d_1 ... d_n) is a lower bound of what remains of each row as a fraction of
 * its d, in whatever order the rows are eliminated (Fischer). So if it exceeds `regular`, and each d exceeds
 * TRM_DROPPED / regular of its scale, no row is dropped. The inverse, and the remainders of the other blocks, lose as
 * many digits as the fraction is small; `regular` is large enough to keep this loss far below TRM_DROPPED. */
static const double regular = 1e-4, regular_scaled = TRM_DROPPED / 1e-4;

/* Computes inverse = a^-1 for n <= 3. Returns the determinant, or 0 if a is too close to singular. */
TRM_KERNEL double invert_small(const double *a, double *inverse, int n)
{
    double c[9], diagonal = 1;
    const double determinant = cofactors(a, c, n), reciprocal = 1 / determinant;
    for (int i = 0; i < n; i++) diagonal *= a[i * n + i];
    for (int i = 0; i < n * n; i++) inverse[i] = c[i] * reciprocal;
    return determinant > regular * diagonal ? determinant : 0;
}

/* Copies rows x columns of a, which has n columns, from (row, column) on. */
TRM_KERNEL void get_part(const double *a, int n, int row, int column, double *part, int rows, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) part[i * columns + j] = a[(row + i) * n + column + j];
}

/* Computes the inverse of (P Q^T; Q R), P of 3 rows, R of q: with T = Q P^-1, S = R - T Q^T, U = S^-1 T
 *
 *     (P^-1 + T^T U   -U^T )
 *     (-U              S^-1)
 *
 * Returns the determinant, or 0 if the matrix is too close to singular. */
TRM_KERNEL double invert_parts(const double *a, double *inverse, int q)
{
    const int n = 3 + q;
    double P[9], P_inverse[9], Q[9], T[9], S[9], S_inverse[9];
    get_part(a, n, 0, 0, P, 3, 3);
    get_part(a, n, 3, 0, Q, q, 3);
    get_part(a, n, 3, 3, S, q, q);
    const double P_determinant = invert_small(P, P_inverse, 3);
    times_symmetric(T, Q, P_inverse, q, 3);
    subtract_symmetric(S, T, Q, q, 3);
    const double S_determinant = invert_small(S, S_inverse, q);

    double U[9];
    for (int i = 0; i < q; i++)
        for (int j = 0; j < 3; j++) {
            U[i * 3 + j] = 0;
            for (int k = 0; k < q; k++) U[i * 3 + j] += S_inverse[i * q + k] * T[k * 3 + j];
            inverse[(3 + i) * n + j] = inverse[j * n + 3 + i] = -U[i * 3 + j];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double sum = P_inverse[i * 3 + j];
            for (int k = 0; k < q; k++) sum += T[k * 3 + i] * U[k * 3 + j];
            inverse[i * n + j] = inverse[j * n + i] = sum;
        }
    for (int i = 0; i < q; i++)
        for (int j = 0; j < q; j++) inverse[(3 + i) * n + 3 + j] = S_inverse[i * q + j];
    return P_determinant * S_determinant;
}

/* Inverts a. Returns false if a row may have to be dropped; inverse is then invalid. */
TRM_KERNEL bool invert_regular(const double *a, const double *scale, double *inverse, int n)
{
    double diagonal = 1;
    bool good = true;
    for (int i = 0; i < n; i++) {
        good &= a[i * n + i] > regular_scaled * scale[i];
        diagonal *= a[i * n + i];
    }
    const double determinant = n > 3 ? invert_parts(a, inverse, n > 3 ? n - 3 : 0) : invert_small(a, inverse, n);
    return good && determinant > regular * diagonal;
}

#endif
