/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Torque-free rotation of bodies with three different moments of inertia, four at a time. */

#ifndef TRM_MOTION_ASYMMETRIC_H
#define TRM_MOTION_ASYMMETRIC_H

#include "math/four.h"
#include "model/model.h"

/* Rotates bodies for the time h. q: their orientations, of length one before and, except for rounding, after the
 * call. omega: their angular velocities in world axes. No body may rotate by much more than half a radian. The
 * operations of a lane do not depend on the other lanes. */
void trm_turn_asymmetric(const trm_body *const body[TRM_LANES], const trm_four *h, trm_four_quat *q,
                         trm_four_vec3 *omega);

#endif
