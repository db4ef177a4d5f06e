/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Span: measures the distance of two points and constrains nothing.
 *
 * Its one coordinate is q = |d|, d = x_b - x_a, with n = d / |d|:
 *
 *     dq/dt = n . dd/dt,    d2q/dt2 = n . d2d/dt2 + |dd/dt - n (n . dd/dt)|^2 / |d|
 *
 * Elements that act on this coordinate make it useful: with a drive it is a winch or a hydraulic cylinder, with a
 * motor one of limited force, with limits a rope with slack; several spans in a coupling are a rope over pulleys. */

#include "base/tolerance.h"
#include "model/joints/parts.h"

static void measure(const trm_joint_at *at, trm_measured *m)
{
    const trm_vec3 d = trm_joint_offset(at);
    m->q = trm_v3_length(d);
    const trm_vec3 n = m->q > TRM_NO_LENGTH ? trm_v3_scale(1 / m->q, d) : trm_v3(0, 0, 0);
    m->G[0] = trm_sp(trm_v3_cross(n, at->r[0]), trm_v3_neg(n));
    m->G[1] = trm_sp(trm_v3_cross(at->r[1], n), n);
}

static double bias(const trm_joint_at *at)
{
    const trm_vec3 d = trm_joint_offset(at), d_dot = trm_joint_offset_velocity(at);
    const double length = trm_v3_length(d);
    if (!(length > TRM_NO_LENGTH)) return 0;
    const trm_vec3 n = trm_v3_scale(1 / length, d), across = trm_v3_add_scaled(d_dot, -trm_v3_dot(n, d_dot), n);
    return trm_v3_dot(n, trm_joint_offset_bias(at)) + trm_v3_dot(across, across) / length;
}

const trm_joint_type trm_joint_span = {
    .name = "span",
    .leaves = "everything; its coordinate is the distance of two points",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_SPAN | TRM_TAKES_LIMITS,
    .points = true,
    .coordinates = 1,
    .kind = {TRM_COORDINATE_LENGTH},
    .measure = measure,
    .measured_bias = bias,
};
