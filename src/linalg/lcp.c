/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "linalg/lcp.h"

#include "linalg/lcp_parts.h"

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
