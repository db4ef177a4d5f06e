/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The joint of a free body: the position q1, q2, q3 of its centre of mass and the rotation vector (q4, q5, q6) of
 * its principal axes, X_AB = (exp(q4, q5, q6), (q1, q2, q3)), S = (0, x), (0, y), (0, z), (T, 0) with the left
 * Jacobian T of the exponential (math/rotation.h). A point mass has only the position. */

#include "math/rotation.h"
#include "methods/spanning/tree.h"

static trm_vec3 turn_of(const trm_joint *joint, const double *q)
{
    return joint->coordinates > 3 ? trm_v3(q[3], q[4], q[5]) : trm_v3(0, 0, 0);
}

static trm_pose place(const trm_joint *joint, const double *q)
{
    return (trm_pose){trm_quat_exp(turn_of(joint, q)), {q[0], q[1], q[2]}};
}

static void subspace(const trm_joint *joint, const double *q, trm_spatial *S)
{
    const trm_mat3 T = trm_exp_jacobian(turn_of(joint, q));
    for (int k = 0; k < 3; k++) S[k] = trm_sp(trm_v3(0, 0, 0), trm_axis(k));
    for (int k = 3; k < joint->coordinates; k++) S[k] = trm_sp(trm_column(T, k - 3), trm_v3(0, 0, 0));
}

static trm_spatial subspace_rate(const trm_joint *joint, const double *q, const double *qd)
{
    if (joint->coordinates == 3) return trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
    return trm_sp(trm_exp_jacobian_rate(turn_of(joint, q), turn_of(joint, qd)), trm_v3(0, 0, 0));
}

static void coordinates_from(const trm_joint *joint, trm_pose X_AB, double *q)
{
    const trm_vec3 turn = trm_quat_log(X_AB.q);
    q[0] = X_AB.p.x, q[1] = X_AB.p.y, q[2] = X_AB.p.z;
    if (joint->coordinates > 3) q[3] = turn.x, q[4] = turn.y, q[5] = turn.z;
}

const trm_joint_type trm_joint_free = {
    .name = "free",
    .leaves = "all",
    .coordinates = 6,
    .place = place,
    .subspace = subspace,
    .subspace_rate = subspace_rate,
    .coordinates_from = coordinates_from,
};
