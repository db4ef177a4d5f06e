/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Finds closed poses near a closed pose: makes a random displacement that G allows to first order, and then the
 * shortest steps that close the loops again, G d = -Phi with d of least length. */

#include "linalg/min_norm.h"
#include "linalg/vectors.h"
#include "methods/minimal/loop.h"

/* FAR (rad, m): length of the displacement. DEPENDENT: a column is redundant if less than this fraction of it
 * remains. CLOSED (rad, m): residual of a closed loop. A larger displacement leaves the branch, a smaller one stays
 * too close to a singular pose to detect it; larger or smaller tolerances count rounding as rank or the reverse.
 * Tests pass with a tenth and with ten times of it. */
static const double FAR = 0.02, DEPENDENT = 1e-8, CLOSED = 1e-13;
enum { MOST_STEPS = 50 };

/* Computes d of least length with G d = right; needs scratch of m (n + 1) + 4 n doubles and n integers. */
static void least_step(const trm_loop *l, const double *right, double *d, double *room, int *order)
{
    double *a = room, *b = a + l->m * l->n, *more = b + l->m;
    for (int r = 0; r < l->m; r++) {
        b[r] = right[r];
        for (int c = 0; c < l->n; c++) a[c * l->m + r] = l->G[r * l->n + c];
    }
    trm_min_norm_solve(a, l->m, l->n, b, DEPENDENT, d, more, order);
}

static void find_rows(trm_loop *l, trm_tree *tree, const double *memory, const double *y)
{
    trm_loop_place(l, tree, y);
    trm_loop_rows(l, tree, memory);
}

bool trm_loop_close_shortest(trm_loop *l, trm_tree *tree, const double *memory, double *y, trm_arena *scratch)
{
    double *room = TRM_NEW_ARRAY(scratch, double, l->m *(l->n + 1) + 4 * l->n),
           *d = TRM_NEW_ARRAY(scratch, double, l->n);
    double *right = TRM_NEW_ARRAY(scratch, double, l->m);
    int *order = TRM_NEW_ARRAY(scratch, int, l->n);
    if (!room || !d || !right || !order) return false;
    for (int step = 0; step < MOST_STEPS; step++) {
        find_rows(l, tree, memory, y);
        if (vectors_largest(l->phi, l->m) <= CLOSED) return true;
        for (int r = 0; r < l->m; r++) right[r] = -l->phi[r];
        least_step(l, right, d, room, order);
        for (int i = 0; i < l->n; i++) y[l->branch->first + i] += d[i];
    }
    return false;
}

bool trm_loop_find_nearby(trm_loop *l, trm_tree *tree, const double *memory, double *y, trm_random *random,
                          trm_arena *scratch)
{
    const int first = l->branch->first;
    double *room = TRM_NEW_ARRAY(scratch, double, l->m *(l->n + 1) + 4 * l->n),
           *displacement = TRM_NEW_ARRAY(scratch, double, l->n);
    double *d = TRM_NEW_ARRAY(scratch, double, l->n), *right = TRM_NEW_ARRAY(scratch, double, l->m);
    int *order = TRM_NEW_ARRAY(scratch, int, l->n);
    if (!room || !displacement || !d || !right || !order) return false;

    /* a random displacement minus the part that the rows forbid */
    find_rows(l, tree, memory, y);
    for (int i = 0; i < l->n; i++) displacement[i] = trm_random_uniform(random, -1, 1);
    for (int r = 0; r < l->m; r++) {
        right[r] = 0;
        for (int c = 0; c < l->n; c++) right[r] += l->G[r * l->n + c] * displacement[c];
    }
    least_step(l, right, d, room, order);
    for (int i = 0; i < l->n; i++) displacement[i] -= d[i];
    const double length = vectors_largest(displacement, l->n);
    for (int i = 0; i < l->n; i++) y[first + i] += length > 0 ? FAR / length * displacement[i] : 0;

    return trm_loop_close_shortest(l, tree, memory, y, scratch);
}
