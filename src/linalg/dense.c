/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/check.h"

static int largest_below(const double *a, int n, int column)
{
    int best = column;
    for (int r = column + 1; r < n; r++)
        if (fabs(a[r * n + column]) > fabs(a[best * n + column])) best = r;
    return best;
}

static void swap_rows(double *a, int n, int r, int s)
{
    for (int c = 0; c < n && r != s; c++) {
        const double kept = a[r * n + c];
        a[r * n + c] = a[s * n + c];
        a[s * n + c] = kept;
    }
}

static void add_row(double *a, int n, int to, double factor, int from)
{
    for (int c = 0; c < n; c++) a[to * n + c] += factor * a[from * n + c];
}

bool trm_dense_inverse(const double *a, int n, double *inverse)
{
    TRM_ASSERT(n <= TRM_DENSE_SMALL);
    if (n > TRM_DENSE_SMALL) return false; /* the assert's handler may return */
    double work[TRM_DENSE_SMALL * TRM_DENSE_SMALL], scale = 0;
    memcpy(work, a, (size_t)(n * n) * sizeof *a);
    memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
    for (int i = 0; i < n; i++) inverse[i * n + i] = 1;
    for (int i = 0; i < n * n; i++) scale = fmax(scale, fabs(a[i]));

    for (int k = 0; k < n; k++) {
        const int pivot_row = largest_below(work, n, k);
        swap_rows(work, n, k, pivot_row);
        swap_rows(inverse, n, k, pivot_row);
        const double pivot = work[k * n + k];
        if (!(fabs(pivot) > n * DBL_EPSILON * scale)) return false;
        for (int c = 0; c < n; c++) work[k * n + c] /= pivot, inverse[k * n + c] /= pivot;
        for (int r = 0; r < n; r++) {
            if (r == k) continue;
            const double factor = -work[r * n + k];
            add_row(work, n, r, factor, k);
            add_row(inverse, n, r, factor, k);
        }
    }
    return true;
}
