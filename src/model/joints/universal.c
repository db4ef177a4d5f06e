/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Universal joint (Hooke, cardan): a point coincides, an axis of A stays perpendicular to an axis of B.
 *
 * Rows: point, square (z of A, x of B). Coordinates: q1 about z of A, then q2 about x of B,
 * X_AB = (Rz(q1) Rx(q2), 0), S = (z, 0), (Rz(q1) x, 0) with Rz(q1) x = (cos q1, sin q1, 0). */

#include "math/rotation.h"
#include "model/joints/parts.h"
#include "trammel/elementary.h"

static trm_pose place(const trm_joint *joint, const double *q)
{
    (void)joint;
    const trm_quat first = trm_quat_from_axis_angle(trm_axis(2), q[0]);
    const trm_quat second = trm_quat_from_axis_angle(trm_axis(0), q[1]);
    return (trm_pose){trm_quat_mul(first, second), {0, 0, 0}};
}

static void subspace(const trm_joint *joint, const double *q, trm_spatial *S)
{
    (void)joint;
    S[0] = trm_sp(trm_axis(2), trm_v3(0, 0, 0));
    S[1] = trm_sp(trm_v3(trm_cos(q[0]), trm_sin(q[0]), 0), trm_v3(0, 0, 0));
}

static trm_spatial subspace_rate(const trm_joint *joint, const double *q, const double *qd)
{
    (void)joint;
    const trm_vec3 turning = {-trm_sin(q[0]), trm_cos(q[0]), 0};
    return trm_sp(trm_v3_scale(qd[0] * qd[1], turning), trm_v3(0, 0, 0));
}

/* Computes q from R = Rz(q1) Rx(q2): its first column is (cos q1, sin q1, 0), its last row (0, sin q2, cos q2). */
static void coordinates_from(const trm_joint *joint, trm_pose X_AB, double *q)
{
    (void)joint;
    const trm_mat3 R = trm_quat_matrix(X_AB.q);
    q[0] = trm_atan2(R.m[1][0], R.m[0][0]);
    q[1] = trm_atan2(R.m[2][1], R.m[2][2]);
}

const trm_joint_type trm_joint_universal = {
    .name = "universal",
    .leaves = "2 rotations",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR | TRM_TAKES_AXIS | TRM_TAKES_AXIS2 | TRM_TAKES_COORDINATE |
             TRM_TAKES_EACH,
    .parts = {&trm_part_point, &trm_part_square},
    .coordinates = 2,
    .of_a = 1,
    .kind = {TRM_COORDINATE_TURN, TRM_COORDINATE_TURN},
    .place = place,
    .subspace = subspace,
    .subspace_rate = subspace_rate,
    .coordinates_from = coordinates_from,
};
