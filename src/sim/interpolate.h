/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* States between steps (Schmitt 2003, section 5: smooth curves by interpolation of degree 5).
 *
 * Positions and velocities at three steps give six conditions, a polynomial of degree 5 by Hermite's divided
 * differences; its derivative is the velocity. Orientations are interpolated as rotation vectors r against the middle
 * step, q = exp(r) q_1, with dr/dt = T(r)^-1 omega. At the beginning of a run there are two steps only: degree 3. */

#ifndef TRM_SIM_INTERPOLATE_H
#define TRM_SIM_INTERPOLATE_H

#include "motion/state.h"

/* Interpolates a state at t. nodes: two or three states in the order of time, with projected velocities. to gets the
 * result. */
void trm_interpolate(const trm_state *const *nodes, int count, double t, trm_state *to);

/* Returns the pose of one body at t, between two states. */
trm_pose trm_interpolate_pose(const trm_state *before, const trm_state *after, int body, double t);

#endif
