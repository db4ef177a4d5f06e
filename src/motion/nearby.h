/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Poses near a given one at which chosen rows of joints stay as they are, whatever becomes of the others.
 *
 * With y the ways of all bodies (translation; rotation vector times rho, motion/rank.h), J the chosen rows, each of
 * length one, and a large weight w:
 *
 *     B = (1 + w J^T J)^-1,   v = B x                  a random x with hardly anything left that the rows forbid
 *     y <- y - B w J^T (c(y) - c(0))                   from y = s v on, until nothing changes: B stays that of y = 0
 *
 * B is factorised once, body by body (linalg/block_ldlt.h). What is left of a residual shrinks by 1/(1 + w sigma^2) in
 * each round, sigma the singular values of J, and by the curvature of the rows along the way s v, which is chosen short
 * enough: so and so many radians, and parts of the length of any distance. */

#ifndef TRM_MOTION_NEARBY_H
#define TRM_MOTION_NEARBY_H

#include "base/random.h"
#include "motion/state.h"

typedef struct trm_nearby trm_nearby;

/* chosen: per row of the model, independent at the start. Bodies that none of them touches stay. Lives in the arena;
 * the state and the list outlive it. NULL: out of memory. */
trm_nearby *trm_nearby_create(const trm_state *start, const bool *chosen, trm_arena *arena);

/* Sets the poses of a state, otherwise like the start, to some nearby ones; false: none was reached. */
bool trm_nearby_go(trm_nearby *nearby, trm_random *random, trm_state *state);

#endif
