/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The step of goal_step.h. With H = S^T J^T J S + mu and z_0 the step without limits, limits with multipliers l >=
 * 0 give
 *
 *     z = z_0 - H^-1 B^T l,    B = A S,    0 <= l,   0 <= w = -c - A d_0 - B z,   l w = 0. */

#include <math.h>
#include <string.h>

#include "analysis/goal_step.h"
#include "linalg/dense.h"
#include "linalg/lcp.h"
#include "linalg/vectors.h"

/* Remainder of a unit row that counts as redundant. A larger value drops rows of loops near a singular pose, a
 * smaller one follows rows that only rounding makes independent. */
static const double DEPENDENT = 1e-9;
/* Units of y: farther limits are not reached in a step. A larger value adds limits that the step cannot reach, which
 * costs time. With a smaller one a step may pass a limit, which the next step corrects. */
static const double FARTHEST = 1;
/* Fraction of the largest entry: keeps redundant limits solvable. With a larger value limits are violated by as much,
 * a smaller one makes the problem of redundant limits singular. */
static const double SOFT = 1e-10;

/* ---- Rows that hold ----------------------------------------------------------------------- */

/* Computes the shortest d_0 with G d = -phi, and the null space of G. Scales the rows to unit length. */
static void meet_rows(trm_goal_problem *p)
{
    for (int i = 0; i < p->phi_count; i++) {
        double *row = p->G + (size_t)i * (size_t)p->n;
        const double length = sqrt(vectors_dot_in_order(row, row, p->n)), scale = length > 0 ? 1 / length : 0;
        for (int k = 0; k < p->n; k++) row[k] *= scale;
        p->step.right[i] = -scale * p->phi[i];
    }
    trm_null_space_find(p->step.null, p->G, p->phi_count, DEPENDENT);
    trm_null_space_solve(p->step.null, p->step.right, p->step.d0);
}

/* ---- Goals -------------------------------------------------------------------------------- */

/* Replaces the rows x of a matrix by x S, with S the null space; the results take the first places of each row. */
static void reduce_rows(const trm_goal_problem *p, double *rows, int count)
{
    for (int i = 0; i < count; i++) {
        double *row = rows + (size_t)i * (size_t)p->n;
        trm_null_space_reduce(p->step.null, row, p->step.right);
        memcpy(row, p->step.right, (size_t)(p->n - p->step.null->rank) * sizeof *row);
    }
}

/* Factorises H and computes z_0; replaces the rows of J by J S. */
static void meet_goals(trm_goal_problem *p, bool goals, double mu)
{
    const int free = p->n - p->step.null->rank, count = goals ? p->r_count : 0;
    for (int i = 0; i < count; i++)
        p->r[i] -= vectors_dot_in_order(p->J + (size_t)i * (size_t)p->n, p->step.d0, p->n);
    reduce_rows(p, p->J, count);
    for (int a = 0; a < free; a++) {
        p->step.z[a] = 0;
        for (int b = 0; b <= a; b++) p->step.H[a * free + b] = a == b ? (goals ? mu : 1) : 0;
    }
    for (int i = 0; i < count; i++) {
        const double *row = p->J + (size_t)i * (size_t)p->n;
        for (int a = 0; a < free; a++) {
            p->step.z[a] += row[a] * p->r[i];
            for (int b = 0; b <= a; b++) p->step.H[a * free + b] += row[a] * row[b];
        }
    }
    if (!trm_dense_cholesky(p->step.H, free)) memset(p->step.z, 0, (size_t)free * sizeof *p->step.z);
    trm_dense_solve_lower(p->step.H, free, p->step.z); /* L^T z_0 */
}

/* ---- Limits ------------------------------------------------------------------------------- */

/* Selects the limits that a step may reach, moves them to the front and replaces them by L^-1 B^T. Returns their
 * number. */
static int choose_limits(trm_goal_problem *p, double *gap)
{
    const int free = p->n - p->step.null->rank;
    int count = 0;
    for (int i = 0; i < p->c_count; i++) {
        double *row = p->A + (size_t)i * (size_t)p->n, *to = p->A + (size_t)count * (size_t)p->n;
        const double length = sqrt(vectors_dot_in_order(row, row, p->n));
        if (!(p->c[i] > -FARTHEST * length) || length == 0) continue;
        gap[count] = (-p->c[i] - vectors_dot_in_order(row, p->step.d0, p->n)) / length;
        for (int k = 0; k < p->n; k++) to[k] = row[k] / length;
        reduce_rows(p, to, 1);
        trm_dense_solve_lower(p->step.H, free, to);
        count++;
    }
    return count;
}

/* L^T z <- L^T z_0 - L^-1 B^T l. Returns false when out of memory. */
static bool meet_limits(trm_goal_problem *p)
{
    const int free = p->n - p->step.null->rank;
    trm_arena *a = &p->scratch;
    double *gap = TRM_NEW_ARRAY(a, double, p->c_count);
    const int count = gap ? choose_limits(p, gap) : 0;
    double *M = TRM_NEW_ARRAY(a, double, (size_t)count *(size_t)count), largest = 0;
    double *lo = TRM_NEW_ARRAY(a, double, count), *hi = TRM_NEW_ARRAY(a, double, count);
    double *x = TRM_NEW_ARRAY(a, double, count);
    if (a->failed) return false;
    for (int i = 0; i < count; i++) {
        const double *row = p->A + (size_t)i * (size_t)p->n;
        gap[i] -= vectors_dot_in_order(row, p->step.z, free);
        hi[i] = INFINITY;
        for (int k = 0; k < count; k++)
            M[i * count + k] = vectors_dot_in_order(row, p->A + (size_t)k * (size_t)p->n, free);
        largest = fmax(largest, M[i * count + i]);
    }
    for (int i = 0; i < count; i++) M[i * count + i] += SOFT * largest + 1e-300;
    const trm_lcp lcp = {.n = count, .A = M, .b = gap, .lo = lo, .hi = hi, .x = x};
    if (trm_lcp_dantzig(&lcp, a).status != TRM_LCP_SOLVED) {
        memset(x, 0, (size_t)count * sizeof *x);
        trm_lcp_pgs(&lcp, &(trm_lcp_sweeps){.most = 1000, .sor = 1, .tolerance = 1e-12}, a);
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < free; k++) p->step.z[k] -= x[i] * p->A[(size_t)i * (size_t)p->n + (size_t)k];
    return !a->failed;
}

bool trm_goal_find_step(trm_goal_problem *p, bool goals, double mu)
{
    const trm_arena_mark mark = trm_arena_get_mark(&p->scratch);
    trm_goal_residuals(p);
    trm_goal_rows(p);
    meet_rows(p);
    meet_goals(p, goals, mu);
    const bool good = meet_limits(p);
    trm_arena_reset(&p->scratch, mark);
    if (!good) return false;
    trm_dense_solve_upper(p->step.H, p->n - p->step.null->rank, p->step.z);
    trm_null_space_expand(p->step.null, p->step.z, p->step.d);
    for (int i = 0; i < p->n; i++) p->step.d[i] += p->step.d0[i];
    return true;
}
