/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "linalg/min_norm.h"

#include <math.h>

/* ---- Householder reflections: v with v[0] = 1, stored over the entries that it annihilates --- */

/* Returns x . y, by four independent sums that a processor can add at once. */
static double dot(const double *x, int x_stride, const double *y, int y_stride, int count)
{
    double sum[4] = {0, 0, 0, 0};
    int i = 0;
    if (x_stride == 1 && y_stride == 1)
        for (; i + 4 <= count; i += 4)
            for (int k = 0; k < 4; k++) sum[k] += x[i + k] * y[i + k];
    for (; i < count; i++) sum[0] += x[i * x_stride] * y[i * y_stride];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* Computes the reflection that turns the vector (alpha, x_1, ..., x_count-1), at stride, into (beta, 0, ...): x
 * becomes v, alpha becomes beta. Returns the factor of 1 - factor v v^T. */
static double reflect(double *alpha, double *x, int count, int stride)
{
    const double square = dot(x, stride, x, stride, count);
    if (square == 0) return 0;
    const double beta = -copysign(sqrt(*alpha * *alpha + square), *alpha);
    const double factor = (beta - *alpha) / beta, divide = 1 / (*alpha - beta);
    for (int i = 0; i < count; i++) x[i * stride] *= divide;
    *alpha = beta;
    return factor;
}

/* Computes y -= factor v (v . y) with v = (1, x), y = (y0, rest). */
static void apply(const double *x, int x_stride, double factor, double *y0, double *rest, int stride, int count)
{
    const double share = factor * (*y0 + dot(x, x_stride, rest, stride, count));
    *y0 -= share;
    if (x_stride == 1 && stride == 1)
        for (int i = 0; i < count; i++) rest[i] -= share * x[i];
    else
        for (int i = 0; i < count; i++) rest[i * stride] -= share * x[i * x_stride];
}

/* ---- Reflections from the left ------------------------------------------------------------ */

/* Squared lengths of the columns below the finished rows. Each finished row is subtracted, which leaves the rounding
 * of the initial length. If the remainder is small, the length is recomputed. */
typedef struct lengths {
    double *left, *start;
} lengths;

/* Fraction of the initial square below which the length is recomputed: smaller remainders have lost more than six
 * digits to rounding. A smaller fraction would choose pivots by rounding errors, a larger one only costs time. */
static const double RECOMPUTED_BELOW = 1e-6;

static void shorten(const lengths *l, const double *column, int c, double done, int count)
{
    l->left[c] -= done * done;
    if (l->left[c] <= RECOMPUTED_BELOW * l->start[c]) l->left[c] = l->start[c] = dot(column, 1, column, 1, count);
}

static void swap(double *p, double *q)
{
    const double kept = *p;
    *p = *q;
    *q = kept;
}

static void swap_columns(double *a, int m, int p, int q, int *permutation, const lengths *l)
{
    if (p == q) return;
    for (int i = 0; i < m; i++) swap(&a[p * m + i], &a[q * m + i]);
    swap(&l->left[p], &l->left[q]);
    swap(&l->start[p], &l->start[q]);
    const int kept = permutation[p];
    permutation[p] = permutation[q];
    permutation[q] = kept;
}

static int longest(const double *left, int from, int n)
{
    int best = from;
    for (int c = from + 1; c < n; c++)
        if (left[c] > left[best]) best = c;
    return best;
}

/* Computes QR with column pivoting. Returns the rank. */
static int reduce(double *a, int m, int n, double tolerance, double *factors, int *permutation, const lengths *l)
{
    double largest = 0;
    const int most = m < n ? m : n;
    for (int c = 0; c < n; c++) l->left[c] = l->start[c] = dot(a + c * m, 1, a + c * m, 1, m);
    for (int k = 0; k < most; k++) {
        swap_columns(a, m, k, longest(l->left, k, n), permutation, l);
        if (k == 0) largest = l->left[0];
        if (!(l->left[k] > tolerance * tolerance * largest)) return k;
        if (k + 1 == m) continue; /* nothing below to annihilate */
        double *x = a + k * m + k + 1;
        factors[k] = reflect(x - 1, x, m - k - 1, 1);
        for (int c = k + 1; c < n; c++) {
            double *y = a + c * m + k;
            apply(x, 1, factors[k], y, y + 1, 1, m - k - 1);
            shorten(l, y + 1, c, y[0], m - k - 1);
        }
    }
    return most;
}

/* ---- Reflections from the right ----------------------------------------------------------- */

/* Computes (R11 R12) = (T 0) Z, row by row from the last: reflects the part of row k right of the rank into its
 * diagonal. */
static void triangularise(double *a, int m, int n, int rank, double *factors)
{
    for (int k = rank - 1; k >= 0; k--) {
        double *x = a + rank * m + k;
        factors[k] = reflect(&a[k * m + k], x, n - rank, m);
        for (int r = 0; r < k; r++) apply(x, m, factors[k], &a[k * m + r], a + rank * m + r, m, n - rank);
    }
}

trm_min_norm trm_min_norm_factorise(double *a, int m, int n, double tolerance, double *room, int *permutation)
{
    trm_min_norm f = {.a = a, .m = m, .n = n, .left = room, .right = room + n, .y = room + 2 * n};
    /* left and right share this room: they are not in use while the lengths are */
    const lengths l = {room + n, room + 2 * n};
    f.permutation = permutation;
    for (int c = 0; c < n; c++) permutation[c] = c;
    f.rank = reduce(a, m, n, tolerance, f.left, permutation, &l);
    triangularise(a, m, n, f.rank, f.right);
    return f;
}

void trm_min_norm_apply(const trm_min_norm *f, double *b, double *x)
{
    const double *a = f->a;
    const int m = f->m, n = f->n, rank = f->rank;
    double *y = f->y;
    for (int k = 0; k < rank && k + 1 < m; k++) { /* Q^T b */
        const double *v = a + k * m + k + 1;
        apply(v, 1, f->left[k], &b[k], b + k + 1, 1, m - k - 1);
    }
    for (int k = rank - 1; k >= 0; k--) { /* T y = Q^T b */
        double sum = b[k];
        for (int c = k + 1; c < rank; c++) sum -= a[c * m + k] * y[c];
        y[k] = sum / a[k * m + k];
    }
    for (int c = rank; c < n; c++) y[c] = 0;
    for (int k = 0; k < rank; k++) apply(a + rank * m + k, m, f->right[k], &y[k], y + rank, 1, n - rank); /* Z^T */
    for (int c = 0; c < n; c++) x[f->permutation[c]] = y[c];
}

int trm_min_norm_solve(double *a, int m, int n, double *b, double tolerance, double *x, double *room,
                       int *permutation)
{
    const trm_min_norm f = trm_min_norm_factorise(a, m, n, tolerance, room, permutation);
    trm_min_norm_apply(&f, b, x);
    return f.rank;
}
