/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Screw: an axis of A and an axis of B lie on one line, and B moves along it by the pitch p per radian of rotation.
 *
 * Rows: line, parallel, thread. Coordinate: the angle q of B about the z axis of A, X_AB = (Rz(q), p q z), S = (z,
 * p z). q follows from the orientation alone, independent of the shift, so dq/dt = (z, 0) . V_rel. */

#include "math/rotation.h"
#include "model/joints/parts.h"

static trm_pose place(const trm_joint *joint, const double *q)
{
    return (trm_pose){trm_quat_from_axis_angle(trm_axis(2), q[0]), {0, 0, joint->pitch * q[0]}};
}

static void subspace(const trm_joint *joint, const double *q, trm_spatial *S)
{
    (void)q;
    S[0] = trm_sp(trm_axis(2), trm_v3_scale(joint->pitch, trm_axis(2)));
}

static void readings(const trm_joint *joint, const double *q, trm_spatial *P)
{
    (void)joint;
    (void)q;
    P[0] = trm_sp(trm_axis(2), trm_v3(0, 0, 0));
}

const trm_joint_type trm_joint_screw = {
    .name = "screw",
    .leaves = "rotation about the axis, translation along it by the pitch",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR | TRM_TAKES_AXIS | TRM_TAKES_X_AXIS | TRM_TAKES_COORDINATE |
             TRM_TAKES_LIMITS | TRM_TAKES_PITCH,
    .parts = {&trm_part_line, &trm_part_parallel, &trm_part_thread},
    .coordinates = 1,
    .of_a = 1,
    .kind = {TRM_COORDINATE_TURN},
    .place = place,
    .subspace = subspace,
    .subspace_rate = trm_constant_subspace_rate,
    .readings = readings,
    .coordinates_from = trm_turn_from,
};
