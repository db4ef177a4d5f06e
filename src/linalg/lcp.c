/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "linalg/lcp.h"

#include "linalg/lcp_parts.h"
#include "linalg/vectors.h"

double trm_lcp_scale(double diagonal)
{
    int exponent;
    if (!(diagonal > 0) || isinf(diagonal)) return 1;
    frexp(diagonal, &exponent);
    return ldexp(1, -exponent / 2);
}

/* ---- Validation ---------------------------------------------------------------------------- */

static bool pyramid_is_whole(const trm_lcp *lcp, int row)
{
    const int f = lcp->friction[row];
    if (lcp->friction[row - 1] == f) return lcp->hi[row] == lcp->hi[row - 1] && lcp->lo[row - 1] >= 0;
    for (int other = f + 1; other < row; other++)
        if (lcp->friction[other] == f) return false;
    return true;
}

static bool friction_is_valid(const trm_lcp *lcp, int row)
{
    const int f = lcp->friction[row];
    if (f >= row || lcp->friction[f] >= 0 || !(lcp->hi[row] >= 0) || lcp->lo[row] > 0) return false;
    return !lcp_is_pyramid(lcp, row) || pyramid_is_whole(lcp, row);
}

trm_lcp_result trm_lcp_inspect(const trm_lcp *lcp)
{
    for (int i = 0; i < lcp->n; i++) {
        if (lcp_is_friction(lcp, i) && !friction_is_valid(lcp, i)) return (trm_lcp_result){TRM_LCP_UNFIT, 0, i};
        if (!(lcp->lo[i] <= lcp->hi[i])) return (trm_lcp_result){TRM_LCP_NO_SOLUTION, 0, i};
    }
    return (trm_lcp_result){TRM_LCP_SOLVED, 0, -1};
}

int trm_lcp_infinite_row(const trm_lcp *lcp)
{
    for (int i = 0; i < lcp->n; i++) {
        const double *row = lcp->A + (size_t)i * (size_t)lcp->n;
        double sum = lcp->b[i] * 0; /* 0 times a non-finite number is NaN */
        for (int j = 0; j < lcp->n; j++) sum += row[j] * 0;
        if (isnan(sum)) return i;
    }
    return -1;
}

/* ---- Residual ------------------------------------------------------------------------------ */

/* Returns the violation of 0 <= p, 0 <= q, p q = 0. */
static double pair_residual(double p, double q)
{
    return fabs(fmin(p, q));
}

/* Returns the violation of the conditions of the pyramid with rows first .. end - 1. The sliding speed v is the least
 * one for which no w + v is negative. */
static double pyramid_residual(const trm_lcp *lcp, const double *w, int first, int end)
{
    double v = 0, left = lcp_box(lcp, first), worst = 0;
    for (int i = first; i < end; i++) {
        v = fmax(v, -w[i]);
        left -= lcp->x[i];
    }
    for (int i = first; i < end; i++) worst = fmax(worst, pair_residual(lcp->x[i], w[i] + v));
    return fmax(worst, pair_residual(v, left));
}

static double row_residual(const trm_lcp *lcp, const double *w, int row)
{
    const bool box = lcp_is_friction(lcp, row);
    const double hi = box ? lcp_box(lcp, row) : lcp->hi[row];
    const double lo = box ? -hi : lcp->lo[row];
    return fabs(lcp->x[row] - lcp_clamp(lcp->x[row] - w[row], lo, hi));
}

double trm_lcp_residual(const trm_lcp *lcp, trm_arena *scratch)
{
    const trm_arena_mark mark = trm_arena_get_mark(scratch);
    double *w = TRM_NEW_ROOM(scratch, double, lcp->n);
    if (!w) return NAN;
    for (int i = 0; i < lcp->n; i++)
        w[i] = vectors_dot(lcp->A + (size_t)i * (size_t)lcp->n, lcp->x, lcp->n) + lcp->b[i];
    double worst = 0;
    for (int i = 0, end; i < lcp->n; i = end) {
        end = lcp_is_pyramid(lcp, i) ? lcp_pyramid_end(lcp, i) : i + 1;
        const double residual = lcp_is_pyramid(lcp, i) ? pyramid_residual(lcp, w, i, end) : row_residual(lcp, w, i);
        if (!(residual <= worst)) worst = residual; /* must not lose NaN */
    }
    trm_arena_reset(scratch, mark);
    return worst;
}
