/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Linear complementarity problems for tests: memory for them, random ones, and their conditions written out again. */

#ifndef TRM_TESTS_UNIT_LCP_PROBLEMS_H
#define TRM_TESTS_UNIT_LCP_PROBLEMS_H

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "linalg/lcp_parts.h"
#include "linalg/vectors.h"

enum { LCP_MOST_ROWS = 400 };

typedef struct lcp_problem {
    trm_lcp lcp;
    double *A, *b, *lo, *hi;
    int *friction;
} lcp_problem;

/* Returns a problem without friction, 0 <= x, with A and b zero. */
static inline lcp_problem lcp_problem_make(int n, trm_arena *arena)
{
    lcp_problem p = {.A = TRM_NEW_ARRAY(arena, double, (size_t)n *(size_t)n),
                     .b = TRM_NEW_ARRAY(arena, double, n),
                     .lo = TRM_NEW_ARRAY(arena, double, n),
                     .hi = TRM_NEW_ARRAY(arena, double, n),
                     .friction = TRM_NEW_ARRAY(arena, int, n)};
    p.lcp = (trm_lcp){n, p.A, p.b, p.lo, p.hi, p.friction, TRM_NEW_ARRAY(arena, double, n)};
    for (int i = 0; i < n; i++) p.hi[i] = INFINITY, p.friction[i] = -1;
    return p;
}

static inline int lcp_random_index(trm_random *random, int count)
{
    return (int)trm_random_uniform(random, 0, count);
}

/* Sets A = G G^T and b = G v with a random G of the given number of columns, which bounds the rank; with this b there
 * is a solution for all bounds that include x = 0. */
static inline void lcp_set_gram(lcp_problem *p, int columns, trm_random *random)
{
    const int n = p->lcp.n;
    double G[LCP_MOST_ROWS], v[LCP_MOST_ROWS];
    memset(p->A, 0, (size_t)n * (size_t)n * sizeof *p->A);
    memset(p->b, 0, (size_t)n * sizeof *p->b);
    for (int c = 0; c < columns; c++) {
        for (int i = 0; i < n; i++) G[i] = trm_random_uniform(random, -1, 1);
        v[c] = trm_random_uniform(random, -1, 1);
        for (int i = 0; i < n; i++) {
            p->b[i] += G[i] * v[c];
            for (int j = 0; j < n; j++) p->A[i * n + j] += G[i] * G[j];
        }
    }
}

static inline double lcp_w(const trm_lcp *lcp, const double *x, int row)
{
    double sum = lcp->b[row];
    for (int j = 0; j < lcp->n; j++) sum += lcp->A[row * lcp->n + j] * x[j];
    return sum;
}

/* Returns the largest term of the sums w, by which rounding is measured. */
static inline double lcp_size(const trm_lcp *lcp)
{
    double size = 1;
    for (int i = 0; i < lcp->n; i++) {
        size = fmax(size, fabs(lcp->b[i]));
        for (int j = 0; j < lcp->n; j++) size = fmax(size, fabs(lcp->A[i * lcp->n + j] * lcp->x[j]));
    }
    return size;
}

static inline double lcp_difference_of_w(const trm_lcp *lcp, const double *x, const double *y)
{
    double most = 0;
    for (int i = 0; i < lcp->n; i++) {
        const double difference = fabs(lcp_w(lcp, x, i) - lcp_w(lcp, y, i));
        if (!(difference <= most)) most = difference;
    }
    return most;
}

/* ---- Residual ------------------------------------------------------------------------------ */

/* Returns the violation of 0 <= p, 0 <= q, p q = 0. */
static inline double lcp_pair_residual(double p, double q)
{
    return fabs(fmin(p, q));
}

/* Returns the violation of the conditions of the pyramid with rows first .. end - 1. The sliding speed v is the least
 * one for which no w + v is negative. */
static inline double lcp_pyramid_residual(const trm_lcp *lcp, const double *w, int first, int end)
{
    double v = 0, left = lcp_box(lcp, first), worst = 0;
    for (int i = first; i < end; i++) {
        v = fmax(v, -w[i]);
        left -= lcp->x[i];
    }
    for (int i = first; i < end; i++) worst = fmax(worst, lcp_pair_residual(lcp->x[i], w[i] + v));
    return fmax(worst, lcp_pair_residual(v, left));
}

static inline double lcp_row_residual(const trm_lcp *lcp, const double *w, int row)
{
    const bool box = lcp_is_friction(lcp, row);
    const double hi = box ? lcp_box(lcp, row) : lcp->hi[row];
    const double lo = box ? -hi : lcp->lo[row];
    return fabs(lcp->x[row] - lcp_clamp(lcp->x[row] - w[row], lo, hi));
}

/* Returns the largest violation of the conditions over all rows: |x - (x - w clamped to the bounds)|, where
 * friction bounds follow the current x_f. For pyramids it covers all three pairs above, with the least v >= 0 for
 * which no w + v is negative. Returns NAN when out of memory. */
static inline double lcp_residual(const trm_lcp *lcp, trm_arena *scratch)
{
    const trm_arena_mark mark = trm_arena_get_mark(scratch);
    double *w = TRM_NEW_ROOM(scratch, double, lcp->n);
    if (!w) return NAN;
    for (int i = 0; i < lcp->n; i++)
        w[i] = vectors_dot(lcp->A + (size_t)i * (size_t)lcp->n, lcp->x, lcp->n) + lcp->b[i];
    double worst = 0;
    for (int i = 0, end; i < lcp->n; i = end) {
        end = lcp_is_pyramid(lcp, i) ? lcp_pyramid_end(lcp, i) : i + 1;
        const double residual =
            lcp_is_pyramid(lcp, i) ? lcp_pyramid_residual(lcp, w, i, end) : lcp_row_residual(lcp, w, i);
        if (!(residual <= worst)) worst = residual; /* must not lose NaN */
    }
    trm_arena_reset(scratch, mark);
    return worst;
}

#endif
