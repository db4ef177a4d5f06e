/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Upright, made up for a test: the z axes of A and B stay parallel, and B may translate in any way.
 *
 * Rows: parallel. Coordinates: the displacements q1, q2, q3 along the axes of A and the angle q4 about z. */

#include "math/rotation.h"
#include "model/joints/parts.h"

static trm_pose place(const trm_joint *joint, const double *q)
{
    (void)joint;
    return (trm_pose){trm_quat_from_axis_angle(trm_axis(2), q[3]), {q[0], q[1], q[2]}};
}

static void subspace(const trm_joint *joint, const double *q, trm_spatial *S)
{
    (void)joint;
    (void)q;
    for (int k = 0; k < 3; k++) S[k] = trm_sp(trm_v3(0, 0, 0), trm_axis(k));
    S[3] = trm_sp(trm_axis(2), trm_v3(0, 0, 0));
}

static void coordinates_from(const trm_joint *joint, trm_pose X_AB, double *q)
{
    (void)joint;
    q[0] = X_AB.p.x, q[1] = X_AB.p.y, q[2] = X_AB.p.z;
    q[3] = trm_turn_about_z(X_AB.q);
}

const trm_joint_type trm_joint_upright = {
    .name = "upright",
    .leaves = "3 translations and rotation about the axis",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR | TRM_TAKES_AXIS | TRM_TAKES_COORDINATE,
    .parts = {&trm_part_parallel},
    .coordinates = 4,
    .of_a = 3,
    .kind = {TRM_COORDINATE_LENGTH, TRM_COORDINATE_LENGTH, TRM_COORDINATE_LENGTH, TRM_COORDINATE_TURN},
    .place = place,
    .subspace = subspace,
    .subspace_rate = trm_constant_subspace_rate,
    .coordinates_from = coordinates_from,
};
