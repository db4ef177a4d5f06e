/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Swivel: a damper of the relative angular velocity of two bodies, such as viscous friction in a ball joint.
 *
 *     torque on the second body -d (omega_b - omega_a), on the first the opposite; power -d |omega_b - omega_a|^2
 *
 * Its rows are along the world's axes. */

#include "model/force.h"

static int rows(const trm_force_at *at, trm_force_row *row)
{
    const trm_vec3 none = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        row[i] = (trm_force_row){
            .J = {trm_sp(trm_v3_neg(trm_axis(i)), none), trm_sp(trm_axis(i), none)},
            .most = INFINITY,
            .brake = at->force->drag[1],
        };
    return 3;
}

static void wrench(const trm_force_at *at, trm_spatial *F)
{
    const trm_vec3 none = {0, 0, 0};
    const trm_vec3 torque = trm_v3_scale(at->force->drag[1], trm_v3_sub(at->V[1].ang, at->V[0].ang));
    F[0] = trm_sp(torque, none);
    F[1] = trm_sp(trm_v3_neg(torque), none);
}

static double power(const trm_force_at *at)
{
    const trm_vec3 omega = trm_v3_sub(at->V[1].ang, at->V[0].ang);
    return -at->force->drag[1] * trm_v3_dot(omega, omega);
}

const trm_force_type trm_force_swivel = {
    .name = "swivel",
    .what = "against the angular velocity of two bodies relative to each other",
    .takes = TRM_FORCE_TAKES_SWIVEL,
    .bodies = 2,
    .of_velocity = true,
    .wrench = wrench,
    .power = power,
    .passive = true,
    .rows = rows,
};
