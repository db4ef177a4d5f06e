/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "linalg/null_space.h"

#include <math.h>
#include <string.h>

trm_null_space *trm_null_space_create(trm_arena *arena, int m, int n)
{
    trm_null_space *s = TRM_NEW(arena, trm_null_space);
    if (!s) return NULL;
    s->n = n, s->m = m;
    s->order = TRM_NEW_ARRAY(arena, int, m);
    s->Q = TRM_NEW_ARRAY(arena, double, (size_t)n *(size_t)n);
    s->R = TRM_NEW_ARRAY(arena, double, (size_t)m *(size_t)n);
    s->room = TRM_NEW_ARRAY(arena, double, n);
    return s->order && s->Q && s->R && s->room ? s : NULL;
}

static double dot(const double *x, const double *y, int count)
{
    double sum[4] = {0, 0, 0, 0};
    int i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += x[i + k] * y[i + k];
    for (; i < count; i++) sum[0] += x[i] * y[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* Computes the remainder of each row after the first k pivots and moves the longest to place k. Returns its
 * length. */
static double choose_pivot(trm_null_space *s, int k)
{
    int longest = k;
    double most = -1;
    for (int i = k; i < s->m; i++) {
        const double *row = s->R + (size_t)i * (size_t)s->n;
        const double left = dot(row + k, row + k, s->n - k);
        if (left > most * (1 + 1e-12)) most = left, longest = i;
    }
    if (longest != k) {
        double *a = s->R + (size_t)k * (size_t)s->n, *b = s->R + (size_t)longest * (size_t)s->n;
        memcpy(s->room, a, (size_t)s->n * sizeof *a);
        memcpy(a, b, (size_t)s->n * sizeof *a);
        memcpy(b, s->room, (size_t)s->n * sizeof *a);
        const int swap = s->order[k];
        s->order[k] = s->order[longest], s->order[longest] = swap;
    }
    return sqrt(fmax(most, 0));
}

/* Applies the reflection 1 - factor v v^T, which makes row k vanish after its entry k, to the rows after it and to
 * Q from the right. v: n, zero before k. */
static void reflect(trm_null_space *s, int k, double length, double *v)
{
    const int n = s->n;
    double *row = s->R + (size_t)k * (size_t)n;
    memcpy(v, row, (size_t)n * sizeof *v);
    for (int i = 0; i < k; i++) v[i] = 0;
    v[k] += row[k] < 0 ? -length : length;
    const double square = dot(v + k, v + k, n - k);
    if (square == 0) return;
    const double factor = 2 / square;
    for (int i = k; i < s->m; i++) {
        double *x = s->R + (size_t)i * (size_t)n;
        const double share = factor * dot(x + k, v + k, n - k);
        for (int j = k; j < n; j++) x[j] -= share * v[j];
    }
    for (int i = 0; i < n; i++) {
        double *x = s->Q + (size_t)i * (size_t)n;
        const double share = factor * dot(x + k, v + k, n - k);
        for (int j = k; j < n; j++) x[j] -= share * v[j];
    }
}

void trm_null_space_find(trm_null_space *s, const double *J, int m, double tolerance)
{
    const size_t n = (size_t)s->n;
    s->m = m, s->rank = 0;
    if (m > 0) memcpy(s->R, J, (size_t)m * n * sizeof *J);
    memset(s->Q, 0, n * n * sizeof *s->Q);
    for (size_t i = 0; i < n; i++) s->Q[i * n + i] = 1;
    for (int i = 0; i < m; i++) s->order[i] = i;
    for (int k = 0; k < m && k < s->n; k++) {
        const double length = choose_pivot(s, k);
        if (!(length > tolerance)) break;
        reflect(s, k, length, s->room);
        s->rank++;
    }
}

void trm_null_space_reduce(const trm_null_space *s, const double *x, double *y)
{
    const int free = s->n - s->rank;
    for (int j = 0; j < free; j++) y[j] = 0;
    for (int i = 0; i < s->n; i++) {
        const double *row = s->Q + (size_t)i * (size_t)s->n + s->rank;
        for (int j = 0; j < free; j++) y[j] += row[j] * x[i];
    }
}

void trm_null_space_expand(const trm_null_space *s, const double *y, double *x)
{
    const int free = s->n - s->rank;
    for (int i = 0; i < s->n; i++) x[i] = dot(s->Q + (size_t)i * (size_t)s->n + s->rank, y, free);
}

void trm_null_space_solve(const trm_null_space *s, const double *b, double *x)
{
    const size_t n = (size_t)s->n;
    double *y = s->room;
    for (int k = 0; k < s->rank; k++) {
        const double *row = s->R + (size_t)k * n;
        y[k] = (b[s->order[k]] - dot(row, y, k)) / row[k];
    }
    for (int i = 0; i < s->n; i++) x[i] = dot(s->Q + (size_t)i * n, y, s->rank);
}
