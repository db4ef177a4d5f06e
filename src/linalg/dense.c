/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/vectors.h"

static double *row_of(double *a, int n, int row)
{
    return a + (size_t)row * (size_t)n;
}

static int largest_below(double *a, int n, int column)
{
    int best = column;
    for (int r = column + 1; r < n; r++)
        if (fabs(row_of(a, n, r)[column]) > fabs(row_of(a, n, best)[column])) best = r;
    return best;
}

static void swap_rows(double *a, int n, int r, int s)
{
    double *p = row_of(a, n, r), *q = row_of(a, n, s);
    for (int c = 0; c < n && r != s; c++) {
        const double kept = p[c];
        p[c] = q[c];
        q[c] = kept;
    }
}

static void add_row(double *a, int n, int to, double factor, int from)
{
    for (int c = 0; c < n; c++) a[to * n + c] += factor * a[from * n + c];
}

/* Returns 2^-e with x = m 2^e, 1/2 <= m < 1, a factor by which scaling is exact. For the smallest x it returns the
 * largest finite power of two. */
static double shrinking_power(double x)
{
    int e;
    frexp(x, &e);
    return ldexp(1, e > -DBL_MAX_EXP ? -e : DBL_MAX_EXP - 1);
}

/* Scales a row or column of n entries, `stride` apart, so that the largest is about one. Returns the factor, or 0 if
 * all entries are 0. */
static double scale_line(double *line, int n, int stride)
{
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(line[i * stride]));
    if (largest == 0) return 0;
    const double factor = shrinking_power(largest);
    for (int i = 0; i < n; i++) line[i * stride] *= factor;
    return factor;
}

static bool all_finite(const double *a, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(a[i])) return false;
    return true;
}

/* Computes inverse = a^-1 by Gauss-Jordan elimination; the entries of a are about one, and a is destroyed. */
static bool eliminate(double *a, int n, double *inverse)
{
    memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
    for (int i = 0; i < n; i++) inverse[i * n + i] = 1;
    for (int k = 0; k < n; k++) {
        const int pivot_row = largest_below(a, n, k);
        swap_rows(a, n, k, pivot_row);
        swap_rows(inverse, n, k, pivot_row);
        const double pivot = a[k * n + k];
        if (!(fabs(pivot) > n * DBL_EPSILON)) return false;
        for (int c = 0; c < n; c++) a[k * n + c] /= pivot, inverse[k * n + c] /= pivot;
        for (int r = 0; r < n; r++) {
            if (r == k) continue;
            const double factor = -a[r * n + k];
            add_row(a, n, r, factor, k);
            add_row(inverse, n, r, factor, k);
        }
    }
    return true;
}

/* Scales rows and columns first, W = R a C, so that different units such as metres and radians do not make a
 * singular; then a^-1 = C W^-1 R. */
bool trm_dense_inverse(const double *a, int n, double *inverse)
{
    TRM_ASSERT(n <= TRM_DENSE_SMALL);
    if (n > TRM_DENSE_SMALL || !all_finite(a, n * n)) return false; /* the assert handler may return */
    double W[TRM_DENSE_SMALL * TRM_DENSE_SMALL], R[TRM_DENSE_SMALL], C[TRM_DENSE_SMALL];
    memcpy(W, a, (size_t)(n * n) * sizeof *a);
    for (int i = 0; i < n; i++) R[i] = scale_line(W + i * n, n, 1);
    for (int i = 0; i < n; i++) C[i] = scale_line(W + i, n, n);
    if (!eliminate(W, n, inverse)) return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) inverse[i * n + k] *= C[i] * R[k];
    return true;
}

/* Gauss-Jordan elimination in place. Pivots are the remainders of the diagonal. Scaling a to D a D changes neither
 * their fraction of it nor the digits of the result, so nothing is scaled (Higham, Accuracy and Stability, 14.4,
 * for the error). */
bool trm_dense_inverse_positive(const double *a, int n, double *inverse)
{
    memcpy(inverse, a, (size_t)(n * n) * sizeof *a);
    for (int k = 0; k < n; k++) {
        double *row_k = inverse + k * n;
        const double pivot = row_k[k];
        if (!(pivot > n * DBL_EPSILON * a[k * n + k] && pivot >= DBL_MIN)) return false;
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            double *row_i = inverse + i * n;
            const double factor = row_i[k] / pivot;
            for (int c = 0; c < n; c++) row_i[c] -= factor * row_k[c];
            row_i[k] = -factor;
        }
        for (int c = 0; c < n; c++) row_k[c] /= pivot;
        row_k[k] = 1 / pivot;
    }
    return true;
}

/* Factorises row by row (Golub, Van Loan 4.2.3). */
bool trm_dense_cholesky(double *a, int n)
{
    for (int j = 0; j < n; j++) {
        double *row = a + (size_t)j * (size_t)n;
        for (int i = 0; i < j; i++) {
            const double *other = a + (size_t)i * (size_t)n;
            for (int k = 0; k < i; k++) row[i] -= row[k] * other[k];
            row[i] /= other[i];
        }
        for (int k = 0; k < j; k++) row[j] -= row[k] * row[k];
        if (!(row[j] > 0)) return false;
        row[j] = sqrt(row[j]);
    }
    return true;
}

void trm_dense_solve_lower(const double *L, int n, double *x)
{
    for (int i = 0; i < n; i++) {
        const double *row = L + (size_t)i * (size_t)n;
        for (int k = 0; k < i; k++) x[i] -= row[k] * x[k];
        x[i] /= row[i];
    }
}

void trm_dense_solve_upper(const double *L, int n, double *x)
{
    for (int i = n - 1; i >= 0; i--) {
        const double *row = L + (size_t)i * (size_t)n;
        x[i] /= row[i];
        for (int k = 0; k < i; k++) x[k] -= row[k] * x[i];
    }
}

bool trm_dense_factorise(double *a, int n, int *order, double *b, int k)
{
    for (int c = 0; c < n; c++) {
        const int best = largest_below(a, n, c);
        const double *p = row_of(a, n, c);
        swap_rows(a, n, c, best);
        if (k > 0) swap_rows(b, k, c, best);
        if (order) order[c] = best;
        if (!(fabs(p[c]) > 0)) return false;
        for (int r = c + 1; r < n; r++) {
            double *row = row_of(a, n, r);
            if (row[c] == 0) continue;
            row[c] /= p[c];
            vectors_add(row + c + 1, -row[c], p + c + 1, n - c - 1);
            if (k > 0) vectors_add(row_of(b, k, r), -row[c], row_of(b, k, c), k);
        }
    }
    return true;
}

bool trm_dense_solve(double *a, int n, double *b, int k)
{
    if (!trm_dense_factorise(a, n, NULL, b, k)) return false;
    for (int c = n - 1; c >= 0; c--) {
        const double *p = row_of(a, n, c);
        double *x = row_of(b, k, c);
        for (int i = c + 1; i < n; i++) vectors_add(x, -p[i], row_of(b, k, i), k);
        for (int j = 0; j < k; j++) x[j] /= p[c];
    }
    return true;
}
