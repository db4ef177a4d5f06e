/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A machine in steady motion, in joint coordinates q of a tree (trammel/joint_space.h).
 *
 *     M(q) q'' + h(q, q') = R^T lambda,    R(q) q' = b,    R q'' = gamma
 *
 * Rows R: loops, drives and gears; of contacts that touch the gap, and where there is friction the two rows along which the points do not
 * slip. The latter are velocity rows without position rows: rolling. Position rows P are all but these.
 *
 * Linearisation. Independent coordinates q_p of the null space of P and rates q'_v of that of R are chosen by elimination with pivots. A
 * perturbed q_p makes q by P's residuals, perturbed rates make q' by R q' = b, the equations q''; central differences of order 4 of
 *
 *     (q_p, q'_v) -> (q'_p, q''_v)
 *
 * give A. Coefficients are taken as those of this moment: exact for motions that look alike at all times, such as a wheel that rolls straight
 * or a governor at constant speed.
 *
 * Relative equilibrium. At given rates of the drives all others are the least that the rows allow, q' and q'' likewise; the pose is the root of
 * S^T (M q'' + h), S the null space of R, by Newton's method with differences. */

#ifndef TRM_ANALYSIS_STEADY_H
#define TRM_ANALYSIS_STEADY_H

#include "analysis/linear.h"

/* Linearises about the motion of the system's state. False: out of memory, or l->failed after reporting. */
bool trm_linearise_motion(trm_linear_work *l);

/* Whether something that is driven moves at the time of the state. */
bool trm_is_driven_now(const trm_state *state);

/* The relative equilibrium near the state, which becomes it. TRM_BAD_INPUT after reporting what is wrong. */
trm_status trm_find_steady(trm_state *state, const trm_equilibrium_def *def, trm_equilibrium_result *result,
                           const trm_allocator *allocator, trm_messages *messages);

#endif
