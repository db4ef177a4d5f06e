/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Products of small dense blocks, stored by rows. The compiler unrolls the loops where the sizes are constants;
 * TRM_WITH_CONSTANT makes them constants. */

#ifndef TRM_LINALG_BLOCK_KERNELS_H
#define TRM_LINALG_BLOCK_KERNELS_H

/* Executes the statement with SIZE a constant equal to n, if n is 1 to 6. Does nothing for other n. */
#define TRM_WITH_CONSTANT(n, SIZE, statement)                                                                        \
    switch (n) {                                                                                                     \
        TRM_CONSTANT_CASE(1, SIZE, statement)                                                                        \
        TRM_CONSTANT_CASE(2, SIZE, statement)                                                                        \
        TRM_CONSTANT_CASE(3, SIZE, statement)                                                                        \
        TRM_CONSTANT_CASE(4, SIZE, statement)                                                                        \
        TRM_CONSTANT_CASE(5, SIZE, statement)                                                                        \
        TRM_CONSTANT_CASE(6, SIZE, statement)                                                                        \
    default: break;                                                                                                  \
    }
#define TRM_CONSTANT_CASE(number, SIZE, statement)                                                                   \
    case number: {                                                                                                   \
        enum { SIZE = number };                                                                                      \
        statement;                                                                                                   \
    } break;

#define TRM_KERNEL static inline __attribute__((always_inline))

/* Computes c = a d; a is m x n, d is n x n and symmetric. */
TRM_KERNEL void times_symmetric(double *restrict c, const double *restrict a, const double *restrict d, int m, int n)
{
    for (int i = 0; i < m; i++) {
        double sum[6]; /* n <= 6 */
        for (int j = 0; j < n; j++) sum[j] = a[i * n] * d[j];
        for (int k = 1; k < n; k++)
            for (int j = 0; j < n; j++) sum[j] += a[i * n + k] * d[k * n + j];
        for (int j = 0; j < n; j++) c[i * n + j] = sum[j];
    }
}

/* Computes c -= a b^T; a is m x n, b is p x n, c is m x p. */
TRM_KERNEL void subtract_product(double *restrict c, const double *restrict a, const double *restrict b, int m, int p,
                                 int n)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < p; j++) {
            double sum = a[i * n] * b[j * n];
            for (int k = 1; k < n; k++) sum += a[i * n + k] * b[j * n + k];
            c[i * p + j] -= sum;
        }
}

/* Computes c -= a b^T if the product is symmetric; a and b are m x n. */
TRM_KERNEL void subtract_symmetric(double *restrict c, const double *restrict a, const double *restrict b, int m,
                                   int n)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a[i * n] * b[j * n];
            for (int k = 1; k < n; k++) sum += a[i * n + k] * b[j * n + k];
            c[j * m + i] = c[i * m + j] -= sum;
        }
}

/* Computes y -= a x; a is m x n. Two sums run independently of each other. */
TRM_KERNEL void subtract_times(double *restrict y, const double *restrict a, const double *restrict x, int m, int n)
{
    for (int i = 0; i < m; i++) {
        double rest = y[i], sum = a[i * n + n / 2] * x[n / 2];
        for (int k = 0; k < n / 2; k++) rest -= a[i * n + k] * x[k];
        for (int k = n / 2 + 1; k < n; k++) sum += a[i * n + k] * x[k];
        y[i] = rest - sum;
    }
}

/* Computes y -= a^T x; a is m x n with m > 0. Two sums run independently of each other. */
TRM_KERNEL void subtract_transposed_times(double *restrict y, const double *restrict a, const double *restrict x,
                                          int m, int n)
{
    for (int k = 0; k < n; k++) {
        double rest = y[k], sum = a[m / 2 * n + k] * x[m / 2];
        for (int i = 0; i < m / 2; i++) rest -= a[i * n + k] * x[i];
        for (int i = m / 2 + 1; i < m; i++) sum += a[i * n + k] * x[i];
        y[k] = rest - sum;
    }
}

/* Computes x = d x; d is n x n and symmetric. */
TRM_KERNEL void multiply_in_place(double *restrict x, const double *restrict d, int n)
{
    double y[6];
    for (int j = 0; j < n; j++) y[j] = d[j] * x[0];
    for (int k = 1; k < n; k++)
        for (int j = 0; j < n; j++) y[j] += d[k * n + j] * x[k];
    for (int j = 0; j < n; j++) x[j] = y[j];
}

#endif
