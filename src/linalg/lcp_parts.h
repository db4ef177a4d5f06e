/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions that the solvers of linear complementarity problems share. */

#ifndef TRM_LINALG_LCP_PARTS_H
#define TRM_LINALG_LCP_PARTS_H

#include <math.h>

#include "linalg/lcp.h"

static inline bool lcp_is_friction(const trm_lcp *lcp, int row)
{
    return lcp->friction && lcp->friction[row] >= 0;
}

static inline bool lcp_is_pyramid(const trm_lcp *lcp, int row)
{
    return lcp_is_friction(lcp, row) && lcp->lo[row] >= 0;
}

static inline bool lcp_is_equation(const trm_lcp *lcp, int row)
{
    return !lcp_is_friction(lcp, row) && isinf(lcp->lo[row]) && isinf(lcp->hi[row]);
}

/* Returns the bound mu |x_f| of a friction row; 0 for x_f = 0 even if mu is infinite. */
static inline double lcp_box(const trm_lcp *lcp, int row)
{
    const double load = fabs(lcp->x[lcp->friction[row]]);
    return load > 0 ? lcp->hi[row] * load : 0;
}

/* Returns the row after the last row of the pyramid that begins at this row. */
static inline int lcp_pyramid_end(const trm_lcp *lcp, int row)
{
    int end = row + 1;
    while (end < lcp->n && lcp->friction[end] == lcp->friction[row] && lcp_is_pyramid(lcp, end)) end++;
    return end;
}

static inline double lcp_clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* Returns a row of A or b that is not finite, or -1. */
int trm_lcp_infinite_row(const trm_lcp *lcp);

/* Returns about 1 / sqrt(diagonal) as a power of two, so that scaling by it is exact; 1 if the diagonal is zero. */
double trm_lcp_scale(double diagonal);

/* Checks that the problem is valid. A row whose bounds cross has no solution. Not supported are a friction row
 * that does not come after a plain row or has a negative coefficient, and a pyramid whose rows are not consecutive
 * or have different coefficients. */
trm_lcp_result trm_lcp_inspect(const trm_lcp *lcp);

#endif
