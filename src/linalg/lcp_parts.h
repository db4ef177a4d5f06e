/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What the solvers of linear complementarity problems share. */

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

/* mu |x_f|; nothing for x_f = 0 even where mu is infinite */
static inline double lcp_box(const trm_lcp *lcp, int row)
{
    const double load = fabs(lcp->x[lcp->friction[row]]);
    return load > 0 ? lcp->hi[row] * load : 0;
}

/* Behind the last row of the pyramid that this row begins. */
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

/* A row of A or b that is not finite, or -1. */
int trm_lcp_infinite_row(const trm_lcp *lcp);

/* About 1 / sqrt(diagonal), a power of two, so that scaling by it is exact; 1 where the diagonal is nothing. */
double trm_lcp_scale(double diagonal);

/* Whether the problem is one at all: a row whose bounds cross has no solution, a row of friction that does not follow
 * a plain row or has a coefficient below zero is unfit, as is a pyramid in several places or of several coefficients. */
trm_lcp_result trm_lcp_inspect(const trm_lcp *lcp);

#endif
