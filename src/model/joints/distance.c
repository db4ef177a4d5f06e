/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Distance: two points keep their distance L, as if connected by a massless bar with a ball joint at each end. For a
 * rope the distance is at most L.
 *
 * With d = x_b - x_a, n = d/|d|:   c = |d| - L,   dc/dt = n . dd/dt,
 *     d2c/dt2 = n . d2d/dt2 + (|dd/dt|^2 - (n . dd/dt)^2) / |d|
 * A positive multiplier pushes the points apart; that of a rope is never positive (SBP 2.6; no coordinate side). */

#include "base/tolerance.h"
#include "model/joints/parts.h"

static trm_vec3 direction(trm_vec3 d)
{
    const double length = trm_v3_length(d);
    return length > TRM_NO_LENGTH ? trm_v3_scale(1 / length, d) : trm_axis(0);
}

static void residual(const trm_joint_at *at, double *c)
{
    c[0] = trm_v3_length(trm_joint_offset(at)) - at->joint->length;
}

static void jacobian(const trm_joint_at *at, trm_spatial *J)
{
    const trm_vec3 n = direction(trm_joint_offset(at));
    J[0] = trm_sp(trm_v3_cross(n, at->r[0]), trm_v3_neg(n));
    J[1] = trm_sp(trm_v3_cross(at->r[1], n), n);
}

static void gamma_of(const trm_joint_at *at, double *gamma)
{
    const trm_vec3 d = trm_joint_offset(at), d_dot = trm_joint_offset_velocity(at);
    const trm_vec3 n = direction(d);
    const trm_vec3 across = trm_v3_add_scaled(d_dot, -trm_v3_dot(n, d_dot), n);
    const double length = trm_v3_length(d);
    const double turning = length > TRM_NO_LENGTH ? trm_v3_dot(across, across) / length : 0;
    gamma[0] = -trm_v3_dot(n, trm_joint_offset_bias(at)) - turning;
}

static const trm_part part_length = {
    .rows = 1,
    .origins = true,
    .row_names = {"length"},
    .residual = residual,
    .jacobian = jacobian,
    .gamma = gamma_of,
};

const trm_joint_type trm_joint_distance = {
    .name = "distance",
    .leaves = "all but the distance of two points",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_LENGTH,
    .points = true,
    .parts = {&part_length},
};
