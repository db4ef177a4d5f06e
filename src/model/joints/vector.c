/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Coordinates of joints whose bodies rotate in any way: first n shifts of the origin of B, along the z axis of A if n
 * = 1, or along its x and y axes if n = 2; then the rotation vector r of B in A,
 *
 *     X_AB = (exp(r), shifts),   S = (0, axis of each shift), (T(r), 0)
 *
 * with the left Jacobian T of the exponential (math/rotation.h). */

#include "math/rotation.h"
#include "model/joints/parts.h"

static int shifts_of(const trm_joint *joint)
{
    return joint->type->coordinates - 3;
}

/* Returns the axis of a shift. */
static int axis_of(const trm_joint *joint, int shift)
{
    return shifts_of(joint) == 1 ? 2 : shift;
}

static trm_vec3 vector_of(const trm_joint *joint, const double *q)
{
    const double *r = q + shifts_of(joint);
    return trm_v3(r[0], r[1], r[2]);
}

trm_pose trm_place_by_vector(const trm_joint *joint, const double *q)
{
    double p[3] = {0, 0, 0};
    for (int i = 0; i < shifts_of(joint); i++) p[axis_of(joint, i)] = q[i];
    return (trm_pose){trm_quat_exp(vector_of(joint, q)), {p[0], p[1], p[2]}};
}

void trm_vector_subspace(const trm_joint *joint, const double *q, trm_spatial *S)
{
    const int n = shifts_of(joint);
    const trm_mat3 T = trm_exp_jacobian(vector_of(joint, q));
    for (int i = 0; i < n; i++) S[i] = trm_sp(trm_v3(0, 0, 0), trm_axis(axis_of(joint, i)));
    for (int k = 0; k < 3; k++) S[n + k] = trm_sp(trm_column(T, k), trm_v3(0, 0, 0));
}

trm_spatial trm_vector_subspace_rate(const trm_joint *joint, const double *q, const double *qd)
{
    return trm_sp(trm_exp_jacobian_rate(vector_of(joint, q), vector_of(joint, qd)), trm_v3(0, 0, 0));
}

void trm_vector_coordinates_from(const trm_joint *joint, trm_pose X_AB, double *q)
{
    const int n = shifts_of(joint);
    const double p[3] = {X_AB.p.x, X_AB.p.y, X_AB.p.z};
    const trm_vec3 r = trm_quat_log(X_AB.q);
    for (int i = 0; i < n; i++) q[i] = p[axis_of(joint, i)];
    q[n] = r.x, q[n + 1] = r.y, q[n + 2] = r.z;
}
