/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Lemke's path for the pure problem  w = q + M z,  0 <= w,  0 <= z,  w z = 0  (Lemke 1965; Cottle, Pang, Stone 1992,
 * algorithm 4.4.5).
 *
 * With an artificial z0 >= 0 and any d > 0,  w = q + M z + z0 d  has an answer for z0 large enough. On the path to z0 = 0 exactly
 * one pair of w_i and z_i is outside the basis; the partner of what has left enters next.
 *
 * Where several rows are at zero at once the path may go round for ever, unless of these the lexicographically first one gives way:
 * that is the path of q + (e, e^2, ..., e^n) for all small e > 0, on which nothing ties. */

#ifndef TRM_LINALG_LEMKE_PIVOTS_H
#define TRM_LINALG_LEMKE_PIVOTS_H

#include "linalg/lcp.h"

typedef struct trm_lemke {
    int n;
    const double *start; /* n x (n + 2), row after row: q, M, d */
    bool lexicographic;  /* which of equal rows gives way: else the one of the largest pivot */
    bool *basic;         /* out: whether z_i is in the basis that was found */
    int *unpaired;       /* out: neither w_i nor z_i is, and z0 is there at zero; -1: none */
} trm_lemke;

/* TRM_LCP_NO_SOLUTION: the path went off on a ray; row is the index of what went. */
trm_lcp_result trm_lemke_pivots(const trm_lemke *problem, trm_arena *scratch);

#endif
