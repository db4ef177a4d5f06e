/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Lemke's path for the pure problem  w = q + M z,  0 <= w,  0 <= z,  w z = 0  (Lemke 1965; Cottle, Pang, Stone
 * 1992, algorithm 4.4.5).
 *
 * With an artificial z0 >= 0 and any d > 0,  w = q + M z + z0 d  has a solution for z0 large enough. On the path
 * to z0 = 0 exactly one pair of w_i and z_i is outside the basis; the partner of the variable that has left enters
 * next.
 *
 * Where several rows reach zero at once, the path may cycle, unless the lexicographically first of them leaves:
 * that is the path of q + (e, e^2, ..., e^n) for all small e > 0, which has no ties. */

#ifndef TRM_LINALG_LEMKE_PIVOTS_H
#define TRM_LINALG_LEMKE_PIVOTS_H

#include "linalg/lcp.h"

typedef struct trm_lemke {
    int n;
    const double *start; /* n x (n + 2), stored by rows: q, M, d */
    bool lexicographic;  /* of tied rows the lexicographically first leaves; else that with the largest pivot */
    bool *basic;         /* out: whether z_i is in the final basis */
    int *unpaired;       /* out: i of which neither w_i nor z_i is basic, while z0 is basic at zero; -1: none */
} trm_lemke;

/* Follows the path. Returns TRM_LCP_NO_SOLUTION if it ends on a ray; row is then the index of the variable that
 * grows. */
trm_lcp_result trm_lemke_pivots(const trm_lemke *problem, trm_arena *scratch);

#endif
