/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Finds poses near a given one at which chosen rows of joints keep their residuals. The other rows are ignored.
 *
 * y is the displacement of all bodies (translation; rotation vector times rho, motion/rank.h). J are the chosen
 * rows, each of length one, and w is a large weight:
 *
 *     B = (1 + w J^T J)^-1,   v = B x                  a random x, almost without components that the rows constrain
 *     y <- y - B w J^T (c(y) - c(0))                   from y = s v until y no longer changes; B is that of y = 0
 *
 * B is factorised once, body by body (linalg/block_ldlt.h). In each iteration a residual shrinks by 1/(1 + w
 * sigma^2), sigma the singular values of J, and by the curvature of the rows along the displacement s v. s is
 * chosen small enough: a bounded angle in radians, and a bounded fraction of the length of any distance. */

#ifndef TRM_MOTION_NEARBY_H
#define TRM_MOTION_NEARBY_H

#include "base/random.h"
#include "motion/state.h"

typedef struct trm_nearby trm_nearby;

/* Creates the search. chosen: per row of the model; these rows must be independent at the start. Bodies without
 * chosen rows stay. The result lives in the arena; the state and the list must outlive it. Returns NULL when out of
 * memory. */
trm_nearby *trm_nearby_create(const trm_state *start, const bool *chosen, trm_arena *arena);

/* Sets the poses of a state, which is otherwise like the start, to nearby ones. Returns false if no such pose was
 * reached. */
bool trm_nearby_go(trm_nearby *nearby, trm_random *random, trm_state *state);

#endif
