/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The origin of frame B as seen from frame A, for joints that hold a point of B on something that A carries. */

#ifndef TRM_MODEL_JOINTS_CARRIED_H
#define TRM_MODEL_JOINTS_CARRIED_H

#include "model/joint.h"

/* In axes of A: the point, its velocity, and what is left of its acceleration when those of all bodies vanish. The
 * first asks for no twists. */
trm_vec3 trm_carried_point(const trm_joint_at *at);
trm_vec3 trm_carried_velocity(const trm_joint_at *at);
trm_vec3 trm_carried_bias(const trm_joint_at *at);

/* The row on both bodies of a residual whose gradient, by that point and in axes of A, is n. */
void trm_carried_row(const trm_joint_at *at, trm_vec3 n, trm_spatial *J);

#endif
