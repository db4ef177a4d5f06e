/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Slot: a point of B stays in a plane of A, and B may rotate in any way.
 *
 * Rows: plane. Coordinates: the shifts q1, q2 of the point along the x and y axes of A and the rotation vector
 * (q3, q4, q5) of B in A, X_AB = (exp(q3, q4, q5), (q1, q2, 0)), S = (0, x), (0, y), (T, 0) with the left Jacobian T of
 * the exponential (math/rotation.h). Regular for rotations below 2 pi. A point mass as B has the shifts alone. */

#include "math/rotation.h"
#include "model/joints/parts.h"

static trm_vec3 turn_of(const double *q)
{
    return trm_v3(q[2], q[3], q[4]);
}

static trm_pose place(const trm_joint *joint, const double *q)
{
    (void)joint;
    return (trm_pose){trm_quat_exp(turn_of(q)), {q[0], q[1], 0}};
}

static void subspace(const trm_joint *joint, const double *q, trm_spatial *S)
{
    (void)joint;
    const trm_mat3 T = trm_exp_jacobian(turn_of(q));
    S[0] = trm_sp(trm_v3(0, 0, 0), trm_axis(0));
    S[1] = trm_sp(trm_v3(0, 0, 0), trm_axis(1));
    for (int k = 0; k < 3; k++) S[2 + k] = trm_sp(trm_column(T, k), trm_v3(0, 0, 0));
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
    q[0] = X_AB.p.x, q[1] = X_AB.p.y;
    q[2] = turn.x, q[3] = turn.y, q[4] = turn.z;
}

const trm_joint_type trm_joint_slot = {
    .name = "slot",
    .leaves = "2 translations of a point in the plane, 3 rotations",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR | TRM_TAKES_AXIS | TRM_TAKES_X_AXIS | TRM_TAKES_COORDINATE,
    .points_on_a = true,
    .parts = {&trm_part_plane},
    .coordinates = 5,
    .of_a = 2,
    .kind = {TRM_COORDINATE_LENGTH, TRM_COORDINATE_LENGTH, TRM_COORDINATE_ROTATION, TRM_COORDINATE_ROTATION,
             TRM_COORDINATE_ROTATION},
    .place = place,
    .subspace = subspace,
    .subspace_rate = subspace_rate,
    .coordinates_from = coordinates_from,
};
