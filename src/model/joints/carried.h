/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The origin of frame B seen from frame A, for joints that keep a point of B on a curve or surface that A carries. */

#ifndef TRM_MODEL_JOINTS_CARRIED_H
#define TRM_MODEL_JOINTS_CARRIED_H

#include "model/joint.h"

/* Return, in axes of A, the point, its velocity, and the part of its acceleration that remains when the accelerations
 * of all bodies vanish. The first function does not use the twists. */
trm_vec3 trm_carried_point(const trm_joint_at *at);
trm_vec3 trm_carried_velocity(const trm_joint_at *at);
trm_vec3 trm_carried_bias(const trm_joint_at *at);

/* Computes the row on both bodies of a residual whose gradient with respect to that point, in axes of A, is n. */
void trm_carried_row(const trm_joint_at *at, trm_vec3 n, trm_spatial *J);

#endif
