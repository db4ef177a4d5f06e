/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The reading of a sensor in a state, without noise.
 *
 *     accelerometer   R^T (a_P - g)    of its point P, in the axes of its body: at rest it reads gravity, upwards
 *     gyro            R^T omega        in the axes of its body
 *     angle, rate     q, dq/dt         of a joint with one coordinate
 *     force           f, t             of a joint on its second body at the anchor, world axes
 *     distance        |P_b - P_a|
 *
 * Accelerations and forces are read from the state, so they must be computed before. */

#ifndef TRM_MOTION_SENSE_H
#define TRM_MOTION_SENSE_H

#include "motion/state.h"

void trm_sense(const trm_state *state, const trm_sensor *sensor, double *values);

/* Returns the sum of all contact forces (N) on the first of two bodies by the second. */
trm_vec3 trm_contact_force(const trm_state *state, const int body[2]);

#endif
