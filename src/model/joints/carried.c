/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* With d = x_b - x_a and y = R_a^T d, and omega the angular velocity of A:
 *
 *     dy/dt   = R_a^T (dd/dt - omega x d)
 *     d2y/dt2 = R_a^T (d2d/dt2 - 2 omega x dd/dt + omega x (omega x d) - domega/dt x d)
 *
 * For n in axes of A, R_a n . (dd/dt - omega x d) is the row (R_a n x (r_a + d), -R_a n) on a and (r_b x R_a n,
 * R_a n) on b. The lever arm on a reaches to x_b, so that the forces on a and b lie on one line. */

#include "model/joints/carried.h"

#include "model/joints/parts.h"

trm_vec3 trm_carried_point(const trm_joint_at *at)
{
    return trm_rotate_back(at->X[0].q, trm_joint_offset(at));
}

trm_vec3 trm_carried_velocity(const trm_joint_at *at)
{
    const trm_vec3 shared = trm_v3_cross(at->V[0].ang, trm_joint_offset(at));
    return trm_rotate_back(at->X[0].q, trm_v3_sub(trm_joint_offset_velocity(at), shared));
}

trm_vec3 trm_carried_bias(const trm_joint_at *at)
{
    const trm_vec3 spin = at->V[0].ang;
    trm_vec3 bias =
        trm_v3_add_scaled(trm_joint_offset_bias(at), -2, trm_v3_cross(spin, trm_joint_offset_velocity(at)));
    bias = trm_v3_add(bias, trm_v3_cross(spin, trm_v3_cross(spin, trm_joint_offset(at))));
    return trm_rotate_back(at->X[0].q, bias);
}

void trm_carried_row(const trm_joint_at *at, trm_vec3 n, trm_spatial *J)
{
    const trm_vec3 arm_a = trm_v3_add(at->r[0], trm_joint_offset(at)), n_world = trm_rotate(at->X[0].q, n);
    J[0] = trm_sp(trm_v3_cross(n_world, arm_a), trm_v3_neg(n_world));
    J[1] = trm_sp(trm_v3_cross(at->r[1], n_world), n_world);
}
