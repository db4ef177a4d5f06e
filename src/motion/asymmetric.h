/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Torque-free rotation of bodies with three different moments of inertia, four at a time. */

#ifndef TRM_MOTION_ASYMMETRIC_H
#define TRM_MOTION_ASYMMETRIC_H

#include "math/four.h"
#include "model/model.h"

/* Turns bodies for the time h. q: their orientations, of length one at the start, and except for rounding at the
 * end. omega: their angular velocities in world axes. None turns by much more than half a radian. Each lane does
 * the same operations whatever is in the others. */
void trm_turn_asymmetric(const trm_body *const body[TRM_LANES], const trm_four *h, trm_four_quat *q,
                         trm_four_vec3 *omega);

#endif
