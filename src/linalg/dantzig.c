/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Dantzig's algorithm for boxes (Cottle, Dantzig 1967; Baraff 1994).
 *
 * Rows are included one after another. A row i that violates its condition is driven: x_i moves so that w_i
 * approaches zero, and x of the rows C, which are between their bounds, changes so that their w stays zero,
 *
 *     dx_C = -A_CC^-1 A_Ci dx_i,    dw_N = A_NC dx_C + A_Ni dx_i,    dw_i = (A_ii - A_iC A_CC^-1 A_Ci) dx_i
 *
 * until the first of these events: w_i becomes zero (i joins C) or x_i reaches a bound (i joins N); a row of C
 * reaches a bound (it moves to N), or w of a row of N, the rows at a bound, becomes zero (it moves to C). After the
 * last two events, row i is driven further. The last bracket is the pivot of i in a Cholesky factor of A_CC that
 * grows and shrinks with C.
 *
 * If the pivot is only rounding, row i depends on C. As A is semidefinite, moving x_i then changes no w. If w_i is
 * zero, i stays in N, even between its bounds, and joins C as soon as its w would change. Otherwise i is driven until
 * a row of C reaches a bound; if no row does, there is no solution.
 *
 * Everything is scaled to a diagonal of about one, x = s y, and stored in the order C, N, rows not yet included. Rows
 * are exchanged by pointer, columns by value. */

#include "linalg/dantzig_state.h"
#include "linalg/lcp_parts.h"
#include "linalg/vectors.h"

/* Largest final violation that is accepted, in multiples of the zero tolerance, if corrections have not removed it. A
 * larger one accepts solutions that violate the problem, a smaller one refuses solutions of ill-conditioned problems.
 * Tests pass with a tenth and with ten times of it. */
static const double LARGEST_VIOLATION = 100;

/* A pivot of an equation, relative to a diagonal of one, that needs no further check. A larger one checks more
 * pivots, which costs time; a smaller one accepts pivots of rounding. Tests pass with a tenth and with ten times of
 * it. */
static const double SAFE_PIVOT = 1e-6;

enum { ROUNDS = 10 };

/* ---- All rows --------------------------------------------------------------------------------- */

/* Includes the equations, which need no steps. A redundant equation must agree with the others. Returns the row of
 * one that does not, or -1. */
static int include_equations(trm_dantzig *s, int count)
{
    if (trm_moving_factor_set(&s->factor, (const double *const *)s->rows, count, SAFE_PIVOT)) {
        for (; s->inside < count; s->inside++) s->order[s->inside] = s->inside;
    } else {
        for (int i = 0; i < count; i++) {
            const double pivot = trm_dantzig_pivot(s, i, s->column);
            if (pivot > SAFE_PIVOT || !trm_dantzig_is_rounding(s, s->column, pivot))
                trm_dantzig_enter(s, i, s->column, pivot);
        }
    }
    s->included = count;
    trm_dantzig_solve_inside(s);
    for (int p = s->inside; p < count; p++)
        if (!trm_dantzig_is_zero(s, p)) return s->at[p].row;
    return -1;
}

/* Fixes the sizes of the friction boxes. */
static void set_boxes(trm_dantzig *s, int first)
{
    for (int p = first; p < s->n; p++) {
        const int f = s->where[s->lcp->friction[s->at[p].row]];
        const double load = fabs(s->x[f] * s->at[f].scale);
        const double box = load > 0 ? s->lcp->hi[s->at[p].row] * load / s->at[p].scale : 0;
        s->at[p].lo = -box;
        s->at[p].hi = box;
    }
}

static trm_lcp_result include_all(trm_dantzig *s)
{
    int count[3] = {0};
    for (int row = 0; row < s->n; row++) count[trm_dantzig_rank(s->lcp, row)]++;
    const int contradictory = include_equations(s, count[0]);
    if (contradictory >= 0) return (trm_lcp_result){TRM_LCP_NO_SOLUTION, s->steps, contradictory};
    for (int i = count[0]; i < s->n; i++) {
        if (i == count[0] + count[1]) set_boxes(s, i);
        const int row = s->at[i].row;
        const trm_lcp_status status = trm_dantzig_drive(s, i);
        if (status != TRM_LCP_SOLVED) return (trm_lcp_result){status, s->steps, row};
    }
    return (trm_lcp_result){TRM_LCP_SOLVED, s->steps, -1};
}

/* ---- Correcting rounding errors --------------------------------------------------------------- */

static double outside_by(const trm_dantzig *s, int p)
{
    return fmax(s->at[p].lo - s->x[p], s->x[p] - s->at[p].hi);
}

/* Returns the place of C that is farthest outside its bounds, or -1. */
static int farthest_outside(const trm_dantzig *s, double zero)
{
    int worst = -1;
    for (int p = 0; p < s->inside; p++)
        if (outside_by(s, p) > (worst < 0 ? zero : outside_by(s, worst))) worst = p;
    return worst;
}

/* Returns the place, from `from` on, with the largest violation, or -1. */
static int most_violated(const trm_dantzig *s, int from, double zero)
{
    int worst = -1;
    for (int p = from; p < s->n; p++)
        if (!trm_dantzig_is_satisfied(s, p, zero) && (worst < 0 || fabs(s->w[p]) > fabs(s->w[worst]))) worst = p;
    return worst;
}

/* Recomputes x of C, clamps it to the bounds, and recomputes w of all rows. */
static void refine(trm_dantzig *s)
{
    trm_dantzig_solve_inside(s);
    for (int p; (p = farthest_outside(s, trm_dantzig_zero(s))) >= 0; trm_dantzig_solve_inside(s)) {
        s->x[p] = lcp_clamp(s->x[p], s->at[p].lo, s->at[p].hi);
        trm_dantzig_leave(s, p);
    }
    for (int p = 0; p < s->inside; p++) s->x[p] = lcp_clamp(s->x[p], s->at[p].lo, s->at[p].hi);
    trm_dantzig_multiply(s, 0, s->n, s->x, s->n, s->w);
    vectors_add(s->w, 1, s->b, s->n);
}

/* Refines the solution and again drives rows that rounding has left violated, for at most ROUNDS rounds. */
static trm_lcp_result finish(trm_dantzig *s, trm_lcp_result result)
{
    for (int round = 0; result.status == TRM_LCP_SOLVED; round++) {
        refine(s);
        const double zero = trm_dantzig_zero(s);
        int worst = most_violated(s, s->inside, zero);
        if (worst < 0 || round == ROUNDS) {
            worst = most_violated(s, 0, LARGEST_VIOLATION * zero);
            return (trm_lcp_result){worst < 0 ? TRM_LCP_SOLVED : TRM_LCP_GAVE_UP, s->steps,
                                    worst < 0 ? -1 : s->at[worst].row};
        }
        result.row = s->at[worst].row;
        trm_dantzig_swap(s, worst, s->n - 1);
        result.status = trm_dantzig_drive(s, s->n - 1);
    }
    result.steps = s->steps;
    return result;
}

static trm_lcp_result solve(const trm_lcp *lcp, trm_arena *scratch)
{
    trm_dantzig s = {.lcp = lcp, .n = lcp->n};
    if (!trm_dantzig_init(&s, scratch)) return (trm_lcp_result){TRM_LCP_NO_MEMORY, 0, -1};
    const trm_lcp_result result = finish(&s, include_all(&s));
    for (int p = 0; p < s.n && result.status == TRM_LCP_SOLVED; p++) lcp->x[s.at[p].row] = s.x[p] * s.at[p].scale;
    return result;
}

trm_lcp_result trm_lcp_dantzig(const trm_lcp *lcp, trm_arena *scratch)
{
    const trm_lcp_result fit = trm_lcp_inspect(lcp);
    if (fit.status != TRM_LCP_SOLVED) return fit;
    const int infinite = trm_lcp_infinite_row(lcp);
    if (infinite >= 0) return (trm_lcp_result){TRM_LCP_UNFIT, 0, infinite};
    for (int i = 0; i < lcp->n; i++)
        if (lcp_is_pyramid(lcp, i) && lcp->hi[i] > 0) return (trm_lcp_result){TRM_LCP_UNFIT, 0, i};
    const trm_arena_mark mark = trm_arena_get_mark(scratch);
    const trm_lcp_result result = solve(lcp, scratch);
    trm_arena_reset(scratch, mark);
    return result;
}
