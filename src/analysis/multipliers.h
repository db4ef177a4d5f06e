/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Forces in joints and contacts that balance given forces: of all lambda that make |g + J^T lambda| least with lambda_i <= 0 along
 * one-sided rows, the shortest where signs allow it (linalg/min_norm.h), else one with few one-sided rows (Lawson, Hanson 1974,
 * chapter 23). The residual r = g + J^T lambda is then what no row takes: the direction in which the machine yields. */

#ifndef TRM_ANALYSIS_MULTIPLIERS_H
#define TRM_ANALYSIS_MULTIPLIERS_H

#include "base/arena.h"

/* J: m x n; lambda: m; r: n. Room is taken from the arena and given back. False: out of memory. */
bool trm_find_multipliers(trm_arena *arena, const double *J, int m, int n, const bool *one_sided, const double *g,
                          double *lambda, double *r);

#endif
