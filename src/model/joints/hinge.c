/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Hinge: a point and an axis of A and B coincide.
 *
 * Rows: point, parallel. Coordinate: the angle of B about the z axis of A, X_AB = (Rz(q), 0), S = (z, 0). */

#include "math/rotation.h"
#include "model/joints/parts.h"

static trm_pose place(const trm_joint *joint, const double *q)
{
    (void)joint;
    return (trm_pose){trm_quat_from_axis_angle(trm_axis(2), q[0]), {0, 0, 0}};
}

static void subspace(const trm_joint *joint, const double *q, trm_spatial *S)
{
    (void)joint;
    (void)q;
    S[0] = trm_sp(trm_axis(2), trm_v3(0, 0, 0));
}

const trm_joint_type trm_joint_hinge = {
    .name = "hinge",
    .leaves = "rotation about the axis",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR | TRM_TAKES_AXIS | TRM_TAKES_X_AXIS | TRM_TAKES_COORDINATE |
             TRM_TAKES_LIMITS,
    .parts = {&trm_part_point, &trm_part_parallel},
    .coordinates = 1,
    .of_a = 1,
    .kind = {TRM_COORDINATE_TURN},
    .place = place,
    .subspace = subspace,
    .subspace_rate = trm_constant_subspace_rate,
    .coordinates_from = trm_turn_from,
};
