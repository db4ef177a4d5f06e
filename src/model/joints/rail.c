/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rail: a point of B slides on a line of A, and B may rotate about it in any way (Schmitt 2003, section 10).
 *
 * Rows: line. Coordinates: the shift q1 of the point along the z axis of A and the rotation vector (q2, q3, q4) of B in
 * A, X_AB = (exp(q2, q3, q4), q1 z), S = (0, z), (T, 0) with the left Jacobian T of the exponential (math/rotation.h).
 * Regular for rotations below 2 pi. A point mass as B has the shift alone. Limits act on the shift: end stops. */

#include "math/rotation.h"
#include "model/joints/parts.h"

static trm_vec3 turn_of(const double *q)
{
    return trm_v3(q[1], q[2], q[3]);
}

static trm_pose place(const trm_joint *joint, const double *q)
{
    (void)joint;
    return (trm_pose){trm_quat_exp(turn_of(q)), {0, 0, q[0]}};
}

static void subspace(const trm_joint *joint, const double *q, trm_spatial *S)
{
    (void)joint;
    const trm_mat3 T = trm_exp_jacobian(turn_of(q));
    S[0] = trm_sp(trm_v3(0, 0, 0), trm_axis(2));
    for (int k = 0; k < 3; k++) S[1 + k] = trm_sp(trm_column(T, k), trm_v3(0, 0, 0));
}

static trm_spatial subspace_rate(const trm_joint *joint, const double *q, const double *qd)
{
    (void)joint;
    return trm_sp(trm_exp_jacobian_rate(turn_of(q), turn_of(qd)), trm_v3(0, 0, 0));
}

static void coordinates_from(const trm_joint *joint, trm_pose X_AB, double *q)
{
    (void)joint;
    const trm_vec3 turn = trm_quat_log(X_AB.q);
    q[0] = X_AB.p.z;
    q[1] = turn.x, q[2] = turn.y, q[3] = turn.z;
}

const trm_joint_type trm_joint_rail = {
    .name = "rail",
    .leaves = "translation of a point along the axis, 3 rotations",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR | TRM_TAKES_AXIS | TRM_TAKES_X_AXIS | TRM_TAKES_COORDINATE |
             TRM_TAKES_LIMITS,
    .points_on_a = true,
    .parts = {&trm_part_line},
    .coordinates = 4,
    .of_a = 1,
    .kind = {TRM_COORDINATE_LENGTH, TRM_COORDINATE_ROTATION, TRM_COORDINATE_ROTATION, TRM_COORDINATE_ROTATION},
    .place = place,
    .subspace = subspace,
    .subspace_rate = subspace_rate,
    .coordinates_from = coordinates_from,
};
