/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Ball: a point of A and a point of B coincide.
 *
 * Rows: point. Coordinates: the rotation vector q of B in A, X_AB = (exp q, 0); omega = T(q) dq/dt with the left
 * Jacobian T of the exponential (math/rotation.h). Regular for |q| < 2 pi. */

#include "math/rotation.h"
#include "model/joints/parts.h"

static trm_vec3 vector_of(const double *q)
{
    return trm_v3(q[0], q[1], q[2]);
}

static trm_pose place(const trm_joint *joint, const double *q)
{
    (void)joint;
    return (trm_pose){trm_quat_exp(vector_of(q)), {0, 0, 0}};
}

static void subspace(const trm_joint *joint, const double *q, trm_spatial *S)
{
    (void)joint;
    const trm_mat3 T = trm_exp_jacobian(vector_of(q));
    for (int k = 0; k < 3; k++) S[k] = trm_sp(trm_column(T, k), trm_v3(0, 0, 0));
}

static trm_spatial subspace_rate(const trm_joint *joint, const double *q, const double *qd)
{
    (void)joint;
    return trm_sp(trm_exp_jacobian_rate(vector_of(q), vector_of(qd)), trm_v3(0, 0, 0));
}

static void coordinates_from(const trm_joint *joint, trm_pose X_AB, double *q)
{
    (void)joint;
    const trm_vec3 r = trm_quat_log(X_AB.q);
    q[0] = r.x, q[1] = r.y, q[2] = r.z;
}

const trm_joint_type trm_joint_ball = {
    .name = "ball",
    .leaves = "3 rotations",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR | TRM_TAKES_COORDINATE | TRM_TAKES_DAMPING,
    .points = true,
    .parts = {&trm_part_point},
    .coordinates = 3,
    .of_a = 3,
    .kind = {TRM_COORDINATE_ROTATION, TRM_COORDINATE_ROTATION, TRM_COORDINATE_ROTATION},
    .place = place,
    .subspace = subspace,
    .subspace_rate = subspace_rate,
    .coordinates_from = coordinates_from,
};
