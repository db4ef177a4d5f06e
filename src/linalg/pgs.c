/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Projected Gauss-Seidel: row by row, each with the values that the rows before it have in this sweep,
 *
 *     x <- x - sor w / A_ii   clamped to the bounds                                                  (Mangasarian 1977)
 *
 * The rows of a pyramid are updated together, because its sides are not bounds of single rows:
 *
 *     x <- the point nearest to  x - sor w / L   in  { x >= 0, sum x <= mu x_f },   L = sum of A_ii >= the largest
 *                                                                                       eigenvalue of their block
 *
 * For any L, x does not change if and only if w is normal to that set at x, and this is equivalent to the conditions
 * with v. */

#include "linalg/lcp_parts.h"
#include "linalg/vectors.h"

typedef struct sweeper {
    const trm_lcp *lcp;
    const double *diagonal;
    const trm_lcp_operator *matrix;
    double sor;
    int relaxed;            /* number of rows relaxed by the matrix */
    double *target;         /* workspace for the rows of one pyramid */
    double change, largest; /* in this sweep: largest change of an unknown; largest unknown */
} sweeper;

static void move_to(sweeper *s, int row, double target)
{
    double *x = &s->lcp->x[row];
    const double change = target - *x;
    *x = target;
    s->largest = isnan(target) ? INFINITY : fmax(s->largest, fabs(target));
    if (change == 0) return;
    s->change = fmax(s->change, fabs(change));
    s->matrix->add_to_x(s->matrix->context, row, change);
}

static void sweep_row(sweeper *s, int row)
{
    const trm_lcp *lcp = s->lcp;
    const bool box = lcp_is_friction(lcp, row);
    const double hi = box ? lcp_box(lcp, row) : lcp->hi[row];
    const double lo = box ? -hi : lcp->lo[row];
    double target = lcp->x[row];
    if (lo < hi) target -= s->sor * s->matrix->w_of_row(s->matrix->context, row) / s->diagonal[row];
    move_to(s, row, lcp_clamp(target, lo, hi));
}

/* Returns the amount to subtract from each entry, never below zero, so that their sum is `sum`. Newton's method
 * starts with all positive entries, and its steps only drop entries (Michelot 1986). */
static double excess(const double *y, int count, double sum)
{
    double off = 0;
    for (int kept = 0, before = -1; kept != before;) {
        double total = 0;
        before = kept;
        kept = 0;
        for (int i = 0; i < count; i++)
            if (y[i] > off) total += y[i], kept++;
        if (kept == 0 || total <= sum + kept * off) return off;
        off = (total - sum) / kept;
    }
    return off;
}

static void sweep_pyramid(sweeper *s, int first, int end)
{
    const trm_lcp *lcp = s->lcp;
    const double sum = lcp_box(lcp, first);
    double L = 0, off = 0, *y = s->target;
    for (int i = first; i < end; i++) L += s->diagonal[i];
    for (int i = first; i < end && sum > 0; i++)
        y[i - first] = lcp->x[i] - s->sor * s->matrix->w_of_row(s->matrix->context, i) / L;
    if (sum > 0) off = excess(y, end - first, sum);
    for (int i = first; i < end; i++) move_to(s, i, sum > 0 ? fmax(y[i - first] - off, 0) : 0);
}

static void sweep(sweeper *s)
{
    s->change = s->largest = 0;
    if (s->relaxed > 0) s->matrix->relax(s->matrix->context, s->relaxed, s->sor);
    for (int i = s->relaxed, end; i < s->lcp->n; i = end) {
        const bool pyramid = lcp_is_pyramid(s->lcp, i);
        end = pyramid ? lcp_pyramid_end(s->lcp, i) : i + 1;
        if (pyramid)
            sweep_pyramid(s, i, end);
        else
            sweep_row(s, i);
    }
}

static int largest_pyramid(const trm_lcp *lcp)
{
    int most = 0;
    for (int i = 0; i < lcp->n; i++) {
        if (!lcp_is_pyramid(lcp, i)) continue;
        const int end = lcp_pyramid_end(lcp, i);
        if (end - i > most) most = end - i;
        i = end - 1;
    }
    return most;
}

static int leading_equations(const trm_lcp *lcp)
{
    int count = 0;
    while (count < lcp->n && lcp_is_equation(lcp, count)) count++;
    return count;
}

static trm_lcp_result run(sweeper *s, const trm_lcp_sweeps *sweeps)
{
    trm_lcp_result result = {TRM_LCP_GAVE_UP, 0, -1};
    while (result.steps < sweeps->most && result.status != TRM_LCP_SOLVED) {
        sweep(s);
        result.steps++;
        if (!isfinite(s->largest)) return result;
        if (sweeps->tolerance > 0 && s->change <= sweeps->tolerance * s->largest) result.status = TRM_LCP_SOLVED;
    }
    /* with tolerance 0, performing all sweeps counts as solved */
    if (sweeps->tolerance == 0) result.status = TRM_LCP_SOLVED;
    return result;
}

trm_lcp_result trm_lcp_pgs_by(const trm_lcp *lcp, const double *diagonal, const trm_lcp_operator *matrix,
                              const trm_lcp_sweeps *sweeps, trm_arena *scratch)
{
    const trm_lcp_result fit = trm_lcp_inspect(lcp);
    if (fit.status != TRM_LCP_SOLVED) return fit;
    for (int i = 0; i < lcp->n; i++)
        if (!(diagonal[i] > 0) && lcp->lo[i] < lcp->hi[i]) return (trm_lcp_result){TRM_LCP_UNFIT, 0, i};
    const int most = largest_pyramid(lcp);
    const trm_arena_mark mark = trm_arena_get_mark(scratch);
    sweeper s = {.lcp = lcp, .diagonal = diagonal, .matrix = matrix, .sor = sweeps->sor};
    if (matrix->relax && sweeps->tolerance == 0) s.relaxed = leading_equations(lcp);
    if (most > 0 && !(s.target = TRM_NEW_ROOM(scratch, double, most)))
        return (trm_lcp_result){TRM_LCP_NO_MEMORY, 0, -1};
    const trm_lcp_result result = run(&s, sweeps);
    trm_arena_reset(scratch, mark);
    return result;
}

/* ---- With a stored matrix ------------------------------------------------------------------ */

static double w_of_row(void *context, int row)
{
    const trm_lcp *lcp = context;
    return vectors_dot(lcp->A + (size_t)row * (size_t)lcp->n, lcp->x, lcp->n) + lcp->b[row];
}

static void add_to_x(void *context, int row, double change) /* does nothing: w is computed from x itself */
{
    (void)context, (void)row, (void)change;
}

trm_lcp_result trm_lcp_pgs(const trm_lcp *lcp, const trm_lcp_sweeps *sweeps, trm_arena *scratch)
{
    trm_lcp problem = *lcp;
    const trm_lcp_operator matrix = {&problem, w_of_row, add_to_x, NULL};
    const trm_arena_mark mark = trm_arena_get_mark(scratch);
    double *diagonal = TRM_NEW_ROOM(scratch, double, lcp->n);
    if (!diagonal) return (trm_lcp_result){TRM_LCP_NO_MEMORY, 0, -1};
    for (int i = 0; i < lcp->n; i++) diagonal[i] = lcp->A[(size_t)i * (size_t)lcp->n + (size_t)i];
    const trm_lcp_result result = trm_lcp_pgs_by(lcp, diagonal, &matrix, sweeps, scratch);
    trm_arena_reset(scratch, mark);
    return result;
}
