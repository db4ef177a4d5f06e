/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "linalg/min_norm.h"

#include <math.h>

/* ---- Householder reflections: v with v[0] = 1 stored over what it annihilates ---------------- */

/* The reflection that turns the vector (alpha, x_1, ..., x_count-1), at stride, into (beta, 0, ...): x becomes v, alpha
 * becomes beta, and the factor of 1 - factor v v^T is returned. */
static double reflect(double *alpha, double *x, int count, int stride)
{
    double square = 0;
    for (int i = 0; i < count; i++) square += x[i * stride] * x[i * stride];
    if (square == 0) return 0;
    const double beta = -copysign(sqrt(*alpha * *alpha + square), *alpha);
    const double factor = (beta - *alpha) / beta, divide = 1 / (*alpha - beta);
    for (int i = 0; i < count; i++) x[i * stride] *= divide;
    *alpha = beta;
    return factor;
}

/* y -= factor v (v . y), v = (1, x), y = (y0, rest) */
static void apply(const double *x, int x_stride, double factor, double *y0, double *rest, int stride, int count)
{
    double dot = *y0;
    for (int i = 0; i < count; i++) dot += x[i * x_stride] * rest[i * stride];
    dot *= factor;
    *y0 -= dot;
    for (int i = 0; i < count; i++) rest[i * stride] -= dot * x[i * x_stride];
}

/* ---- From the left ------------------------------------------------------------------------ */

static double column_square(const double *a, int m, int n, int k, int column)
{
    double square = 0;
    for (int i = k; i < m; i++) square += a[i * n + column] * a[i * n + column];
    return square;
}

static void swap_columns(double *a, int m, int n, int p, int q, int *permutation)
{
    for (int i = 0; i < m; i++) {
        const double kept = a[i * n + p];
        a[i * n + p] = a[i * n + q];
        a[i * n + q] = kept;
    }
    const int kept = permutation[p];
    permutation[p] = permutation[q];
    permutation[q] = kept;
}

/* QR with column pivoting, applied to b too; returns the rank. */
static int reduce(double *a, int m, int n, double *b, double tolerance, int *permutation)
{
    double largest = 0;
    const int most = m < n ? m : n;
    for (int k = 0; k < most; k++) {
        int best = k;
        double best_square = -1;
        for (int c = k; c < n; c++) {
            const double square = column_square(a, m, n, k, c);
            if (square > best_square) best = c, best_square = square;
        }
        if (k == 0) largest = best_square;
        if (!(best_square > tolerance * tolerance * largest)) return k;
        swap_columns(a, m, n, k, best, permutation);
        if (k + 1 == m) continue; /* nothing below to annihilate */
        double *x = a + (k + 1) * n + k;
        const double factor = reflect(&a[k * n + k], x, m - k - 1, n);
        for (int c = k + 1; c < n; c++) apply(x, n, factor, &a[k * n + c], a + (k + 1) * n + c, n, m - k - 1);
        apply(x, n, factor, &b[k], b + k + 1, 1, m - k - 1);
    }
    return most;
}

/* ---- From the right ----------------------------------------------------------------------- */

/* (R11 R12) = (T 0) Z, row by row from the last: row k's part right of the rank is reflected into its diagonal. */
static void triangularise(double *a, int n, int rank, double *factors)
{
    for (int k = rank - 1; k >= 0; k--) {
        double *x = a + k * n + rank;
        factors[k] = reflect(&a[k * n + k], x, n - rank, 1);
        for (int r = 0; r < k; r++) apply(x, 1, factors[k], &a[r * n + k], a + r * n + rank, 1, n - rank);
    }
}

int trm_min_norm_solve(double *a, int m, int n, double *b, double tolerance, double *x, trm_arena *scratch)
{
    const trm_arena_mark mark = trm_arena_get_mark(scratch);
    int *permutation = TRM_NEW_ARRAY(scratch, int, n);
    double *factors = TRM_NEW_ARRAY(scratch, double, n), *y = TRM_NEW_ARRAY(scratch, double, n);
    if (!permutation || !factors || !y) {
        trm_arena_reset(scratch, mark);
        return -1;
    }
    for (int c = 0; c < n; c++) permutation[c] = c;

    const int rank = reduce(a, m, n, b, tolerance, permutation);
    triangularise(a, n, rank, factors);
    for (int k = rank - 1; k >= 0; k--) { /* T y = Q^T b */
        double sum = b[k];
        for (int c = k + 1; c < rank; c++) sum -= a[k * n + c] * y[c];
        y[k] = sum / a[k * n + k];
    }
    for (int k = 0; k < rank; k++) apply(a + k * n + rank, 1, factors[k], &y[k], y + rank, 1, n - rank); /* Z^T */
    for (int c = 0; c < n; c++) x[permutation[c]] = y[c];
    trm_arena_reset(scratch, mark);
    return rank;
}
