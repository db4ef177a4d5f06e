/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "linalg/front.h"

#include <math.h>

/* Number of pivots whose rows are updated before all other rows. */
enum { PANEL = 8 };

static double *row_of(const trm_front *front, int row)
{
    return front->F + (long)row * (front->r + front->n);
}

/* Exchanges rows and columns k < p of the upper triangle. */
static void exchange(trm_front *front, int k, int p)
{
    const int N = front->r + front->n;
    double *a = row_of(front, k), *b = row_of(front, p), swap;
    for (int i = 0; i < k; i++) { /* columns of eliminated rows */
        double *u = row_of(front, i);
        swap = u[k], u[k] = u[p], u[p] = swap;
    }
    swap = a[k], a[k] = b[p], b[p] = swap;
    for (int i = k + 1; i < p; i++) {
        double *c = row_of(front, i);
        swap = a[i], a[i] = c[p], c[p] = swap;
    }
    for (int j = p + 1; j < N; j++) swap = a[j], a[j] = b[j], b[j] = swap;
    const int order = front->order[k];
    front->order[k] = front->order[p], front->order[p] = order;
}

/* Returns the row with the largest remaining pivot in units of its scale, which is written to *size. diagonal: the
 * remaining diagonal. */
static int best_pivot(const trm_front *front, const double *scale, const double *diagonal, int k, double *size)
{
    int best = k;
    *size = 0;
    for (int i = k; i < front->r; i++) {
        const double here = diagonal[i] / scale[front->order[i]];
        if (here > *size) *size = here, best = i;
    }
    return best;
}

/* Computes f -= sum over pivots of (U_qi d_q) U_q, columns from .. N - 1. Takes four pivots at a time, so that f is
 * read and written less often. */
static void subtract_pivots(const trm_front *front, double *restrict f, int i, int first, int last, int from)
{
    const int N = front->r + front->n;
    int q = first;
    for (; q + 4 <= last; q += 4) {
        const double *restrict a = row_of(front, q), *restrict b = a + N, *restrict c = b + N, *restrict d = c + N;
        const double sa = a[i] * a[q], sb = b[i] * b[q + 1], sc = c[i] * c[q + 2], sd = d[i] * d[q + 3];
        for (int j = from; j < N; j++) f[j] -= (sa * a[j] + sb * b[j]) + (sc * c[j] + sd * d[j]);
    }
    for (; q < last; q++) {
        const double *restrict a = row_of(front, q);
        const double s = a[i] * a[q];
        for (int j = from; j < N; j++) f[j] -= s * a[j];
    }
}

/* Eliminates the pivots of one panel, which begins at k0, and updates only its rows. Returns the row after the panel;
 * *more says whether another panel follows. */
static int eliminate_panel(trm_front *front, const double *scale, double zero, double *diagonal, int k0, bool *more)
{
    const int N = front->r + front->n, most = k0 + PANEL < front->r ? k0 + PANEL : front->r;
    for (int k = k0; k < most; k++) {
        double size;
        const int p = best_pivot(front, scale, diagonal, k, &size);
        *more = size > zero;
        if (!*more) return k;
        if (p != k) exchange(front, k, p), diagonal[p] = diagonal[k];
        double *u = row_of(front, k);
        subtract_pivots(front, u, k, k0, k, k);
        const double per = 1 / u[k];
        for (int j = k + 1; j < front->r; j++) diagonal[j] -= u[j] * u[j] * per;
        for (int j = k + 1; j < N; j++) u[j] *= per;
    }
    *more = most < front->r;
    return most;
}

void trm_front_eliminate(trm_front *front, const double *scale, double zero, double *diagonal)
{
    const int N = front->r + front->n;
    bool more = front->r > 0;
    front->eliminated = 0;
    for (int i = 0; i < front->r; i++) front->order[i] = i, diagonal[i] = row_of(front, i)[i];
    while (more) {
        const int k0 = front->eliminated;
        front->eliminated = eliminate_panel(front, scale, zero, diagonal, k0, &more);
        const int from = more ? front->eliminated : front->r;
        for (int i = from; i < N; i++) subtract_pivots(front, row_of(front, i), i, k0, front->eliminated, i);
    }
}

double trm_front_forward(const trm_front *front, double *g, double *z)
{
    const int N = front->r + front->n;
    double left = 0;
    for (int k = 0; k < front->r; k++) z[k] = g[front->order[k]];
    for (int k = 0; k < front->eliminated; k++) {
        const double *restrict u = row_of(front, k);
        const double here = z[k];
        for (int j = k + 1; j < front->r; j++) z[j] -= u[j] * here;
        for (int j = front->r; j < N; j++) g[j] -= u[j] * here;
        z[k] = here / u[k];
    }
    for (int k = front->eliminated; k < front->r; k++) left = fmax(left, fabs(z[k]));
    return left;
}

void trm_front_backward(const trm_front *front, double *z, double *x)
{
    const int N = front->r + front->n;
    for (int k = front->r - 1; k >= 0; k--) {
        const double *restrict u = row_of(front, k);
        double sum = 0;
        if (k < front->eliminated) {
            sum = z[k];
            for (int j = k + 1; j < front->eliminated; j++) sum -= u[j] * z[j];
            for (int j = front->r; j < N; j++) sum -= u[j] * x[j];
        }
        z[k] = sum;
    }
    for (int k = 0; k < front->r; k++) x[front->order[k]] = z[k];
}
