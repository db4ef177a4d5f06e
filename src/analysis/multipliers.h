/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Forces in joints and contacts that balance given forces.
 *
 * Of all lambda that minimise |g + J^T lambda| with lambda_i <= 0 along one-sided rows, the shortest is taken
 * where the signs allow it (linalg/min_norm.h), else one with few one-sided rows (Lawson, Hanson 1974, chapter
 * 23). The residual r = g + J^T lambda is the force that no row can balance: the direction in which the machine
 * yields. */

#ifndef TRM_ANALYSIS_MULTIPLIERS_H
#define TRM_ANALYSIS_MULTIPLIERS_H

#include "base/arena.h"

/* Computes lambda (m) and r (n) for J (m x n). Scratch memory comes from the arena and is released again. Returns
 * false when out of memory. */
bool trm_find_multipliers(trm_arena *arena, const double *J, int m, int n, const bool *one_sided, const double *g,
                          double *lambda, double *r);

#endif
