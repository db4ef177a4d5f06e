/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Gimbal: a point coincides, as in a ball joint; equivalent to three hinges in series without masses between them.
 *
 * Rows: point. Coordinates: q1 about z of A, q2 about the axis between, q3 about x of B, X_AB = (Rz(q1) Ry(q2)
 * Rx(q3), 0),
 *
 *     S = (z, 0), (Rz(q1) y, 0), (Rz(q1) Ry(q2) x, 0)
 *
 * At q2 = +-pi/2 the first and the last axis are parallel, and the coordinates are singular. */

#include "math/rotation.h"
#include "model/joints/parts.h"
#include "trammel/elementary.h"

static trm_pose place(const trm_joint *joint, const double *q)
{
    (void)joint;
    const trm_quat first = trm_quat_from_axis_angle(trm_axis(2), q[0]);
    const trm_quat second = trm_quat_from_axis_angle(trm_axis(1), q[1]);
    const trm_quat third = trm_quat_from_axis_angle(trm_axis(0), q[2]);
    return (trm_pose){trm_quat_mul(trm_quat_mul(first, second), third), {0, 0, 0}};
}

static void subspace(const trm_joint *joint, const double *q, trm_spatial *S)
{
    (void)joint;
    const double c1 = trm_cos(q[0]), s1 = trm_sin(q[0]), c2 = trm_cos(q[1]), s2 = trm_sin(q[1]);
    S[0] = trm_sp(trm_axis(2), trm_v3(0, 0, 0));
    S[1] = trm_sp(trm_v3(-s1, c1, 0), trm_v3(0, 0, 0));
    S[2] = trm_sp(trm_v3(c1 * c2, s1 * c2, -s2), trm_v3(0, 0, 0));
}

static trm_spatial subspace_rate(const trm_joint *joint, const double *q, const double *qd)
{
    (void)joint;
    const double c1 = trm_cos(q[0]), s1 = trm_sin(q[0]), c2 = trm_cos(q[1]), s2 = trm_sin(q[1]);
    const trm_vec3 second = trm_v3_scale(qd[0] * qd[1], trm_v3(-c1, -s1, 0));
    const trm_vec3 by_first = trm_v3_scale(qd[0] * qd[2], trm_v3(-s1 * c2, c1 * c2, 0));
    const trm_vec3 by_second = trm_v3_scale(qd[1] * qd[2], trm_v3(-c1 * s2, -s1 * s2, -c2));
    return trm_sp(trm_v3_add(second, trm_v3_add(by_first, by_second)), trm_v3(0, 0, 0));
}

/* Computes q from R = Rz(q1) Ry(q2) Rx(q3): its first column is (c1 c2, s1 c2, -s2), its last row (-s2, c2 s3, c2
 * c3). */
static void coordinates_from(const trm_joint *joint, trm_pose X_AB, double *q)
{
    (void)joint;
    const trm_mat3 R = trm_quat_matrix(X_AB.q);
    q[0] = trm_atan2(R.m[1][0], R.m[0][0]);
    q[1] = trm_atan2(-R.m[2][0], sqrt(R.m[2][1] * R.m[2][1] + R.m[2][2] * R.m[2][2]));
    q[2] = trm_atan2(R.m[2][1], R.m[2][2]);
}

const trm_joint_type trm_joint_gimbal = {
    .name = "gimbal",
    .leaves = "3 rotations",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR | TRM_TAKES_AXIS | TRM_TAKES_AXIS2 | TRM_TAKES_COORDINATE |
             TRM_TAKES_EACH,
    .parts = {&trm_part_point},
    .coordinates = 3,
    .of_a = 3,
    .kind = {TRM_COORDINATE_TURN, TRM_COORDINATE_TILT, TRM_COORDINATE_TURN},
    .place = place,
    .subspace = subspace,
    .subspace_rate = subspace_rate,
    .coordinates_from = coordinates_from,
};
