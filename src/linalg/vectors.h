/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Sums over contiguous vectors, with several independent partial sums, so that a processor can add them at once. */

#ifndef TRM_LINALG_VECTORS_H
#define TRM_LINALG_VECTORS_H

#include <math.h>

/* Returns x . y. */
static inline double vectors_dot(const double *restrict x, const double *restrict y, int count)
{
    double sum[8] = {0};
    int i = 0;
    for (; i + 8 <= count; i += 8)
        for (int k = 0; k < 8; k++) sum[k] += x[i + k] * y[i + k];
    for (; i < count; i++) sum[0] += x[i] * y[i];
    return (sum[0] + sum[4]) + (sum[1] + sum[5]) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

/* Computes dots[k] = x[k] . y for four x; y is read once for all four. */
static inline void vectors_dot_four(double dots[4], const double *const x[4], const double *restrict y, int count)
{
    const double *restrict p = x[0], *restrict q = x[1], *restrict r = x[2], *restrict s = x[3];
    double a[4] = {0}, b[4] = {0}, c[4] = {0}, d[4] = {0};
    int i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++) {
            a[k] += p[i + k] * y[i + k];
            b[k] += q[i + k] * y[i + k];
            c[k] += r[i + k] * y[i + k];
            d[k] += s[i + k] * y[i + k];
        }
    for (; i < count; i++) a[0] += p[i] * y[i], b[0] += q[i] * y[i], c[0] += r[i] * y[i], d[0] += s[i] * y[i];
    dots[0] = (a[0] + a[2]) + (a[1] + a[3]);
    dots[1] = (b[0] + b[2]) + (b[1] + b[3]);
    dots[2] = (c[0] + c[2]) + (c[1] + c[3]);
    dots[3] = (d[0] + d[2]) + (d[1] + d[3]);
}

/* Returns x . y, summed one after the other. */
static inline double vectors_dot_in_order(const double *x, const double *y, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += x[i] * y[i];
    return sum;
}

/* Returns the largest absolute value; 0 if there are no entries. */
static inline double vectors_largest(const double *x, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* Computes y += factor x. */
static inline void vectors_add(double *restrict y, double factor, const double *restrict x, int count)
{
    for (int i = 0; i < count; i++) y[i] += factor * x[i];
}

/* Computes y += f[0] x[0] + ... + f[3] x[3]; y is read and written once for all four. */
static inline void vectors_add_four(double *restrict y, const double f[4], const double *const x[4], int count)
{
    const double *restrict p = x[0], *restrict q = x[1], *restrict r = x[2], *restrict s = x[3];
    const double a = f[0], b = f[1], c = f[2], d = f[3];
    for (int i = 0; i < count; i++) y[i] += (a * p[i] + b * q[i]) + (c * r[i] + d * s[i]);
}

#endif
