/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Cylinder: an axis of A and an axis of B lie on one line.
 *
 * Rows: line, parallel. Coordinates: the angle q1 of B about the z axis of A and its shift q2 along it,
 * X_AB = (Rz(q1), q2 z), S = (z, 0), (0, z). */

#include "math/rotation.h"
#include "model/joints/parts.h"

static trm_pose place(const trm_joint *joint, const double *q)
{
    (void)joint;
    return (trm_pose){trm_quat_from_axis_angle(trm_axis(2), q[0]), {0, 0, q[1]}};
}

static void subspace(const trm_joint *joint, const double *q, trm_spatial *S)
{
    (void)joint;
    (void)q;
    S[0] = trm_sp(trm_axis(2), trm_v3(0, 0, 0));
    S[1] = trm_sp(trm_v3(0, 0, 0), trm_axis(2));
}

static void coordinates_from(const trm_joint *joint, trm_pose X_AB, double *q)
{
    (void)joint;
    q[0] = trm_turn_about_z(X_AB.q);
    q[1] = X_AB.p.z;
}

const trm_joint_type trm_joint_cylinder = {
    .name = "cylinder",
    .leaves = "rotation about the axis and translation along it",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR | TRM_TAKES_AXIS | TRM_TAKES_X_AXIS | TRM_TAKES_COORDINATE |
             TRM_TAKES_EACH,
    .parts = {&trm_part_line, &trm_part_parallel},
    .coordinates = 2,
    .of_a = 2,
    .kind = {TRM_COORDINATE_TURN, TRM_COORDINATE_LENGTH},
    .place = place,
    .subspace = subspace,
    .subspace_rate = trm_constant_subspace_rate,
    .coordinates_from = coordinates_from,
};
