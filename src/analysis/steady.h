/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A machine in steady motion, in joint coordinates q of a tree (trammel/joint_space.h).
 *
 *     M(q) q'' + h(q, q') = R^T lambda,    R(q) q' = b,    R q'' = gamma
 *
 * Rows R: loops, drives and gears; for each closed contact the gap and, with friction, the two rows that prevent
 * slip. The no-slip rows are velocity rows without position rows (rolling). All other rows are the position rows
 * P.
 *
 * Linearisation. Independent coordinates q_p of the null space of P and independent rates q'_v of the null space
 * of R are chosen by elimination with pivoting. From a perturbed q_p the residuals of P give q, from perturbed
 * rates R q' = b gives q', and the equations give q''. Central differences of order 4 of
 *
 *     (q_p, q'_v) -> (q'_p, q''_v)
 *
 * give A. The coefficients are those of this instant. This is exact for motions that look the same at all times,
 * such as a wheel that rolls straight or a governor at constant speed.
 *
 * Relative equilibrium. At given rates of the drives, q' and q'' are the least that the rows allow. The pose is the
 * root of S^T (M q'' + h), with S the null space of R, found by Newton's method with differences. For drives that turn
 * the machine as a whole this is the slope of the effective potential, potential minus kinetic energy; where it has
 * negative curvature, the search goes downhill. Limits and ropes that the motion would violate are added to the rows,
 * those that would pull are released. Motors of limited force are rows. */

#ifndef TRM_ANALYSIS_STEADY_H
#define TRM_ANALYSIS_STEADY_H

#include "analysis/linear.h"

/* Linearises about the motion of the system's state. Returns false when out of memory, or with l->failed after
 * reporting an error. */
bool trm_linearise_motion(trm_linear_work *l);

/* Returns whether a drive moves at the time of the state. */
bool trm_is_driven_now(const trm_state *state);

/* Moves the state to the relative equilibrium near it. Returns TRM_BAD_INPUT after reporting an error. */
trm_status trm_find_steady(trm_state *state, const trm_equilibrium_def *def, trm_equilibrium_result *result,
                           const trm_allocator *allocator, trm_messages *messages);

#endif
