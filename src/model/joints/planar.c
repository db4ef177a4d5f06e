/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Planar: a plane of A and a plane of B coincide, as for a plate that slides on a table.
 *
 * Rows: plane, parallel. Coordinates: the shifts q1, q2 of B along the x and y axes of A and its angle q3 about
 * the z axis, X_AB = (Rz(q3), (q1, q2, 0)), S = (0, x), (0, y), (z, 0). If the start is not at q3 = 0, frame B is
 * rotated instead of A, so that the directions of q1 and q2 do not depend on q3. */

#include "math/rotation.h"
#include "model/joints/parts.h"

static trm_pose place(const trm_joint *joint, const double *q)
{
    (void)joint;
    return (trm_pose){trm_quat_from_axis_angle(trm_axis(2), q[2]), {q[0], q[1], 0}};
}

static void subspace(const trm_joint *joint, const double *q, trm_spatial *S)
{
    (void)joint;
    (void)q;
    for (int k = 0; k < 2; k++) S[k] = trm_sp(trm_v3(0, 0, 0), trm_axis(k));
    S[2] = trm_sp(trm_axis(2), trm_v3(0, 0, 0));
}

static void coordinates_from(const trm_joint *joint, trm_pose X_AB, double *q)
{
    (void)joint;
    q[0] = X_AB.p.x, q[1] = X_AB.p.y;
    q[2] = trm_turn_about_z(X_AB.q);
}

const trm_joint_type trm_joint_planar = {
    .name = "planar",
    .leaves = "2 translations in the plane and rotation about its normal",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR | TRM_TAKES_AXIS | TRM_TAKES_X_AXIS | TRM_TAKES_COORDINATE |
             TRM_TAKES_EACH,
    .parts = {&trm_part_plane, &trm_part_parallel},
    .coordinates = 3,
    .of_a = 2,
    .kind = {TRM_COORDINATE_LENGTH, TRM_COORDINATE_LENGTH, TRM_COORDINATE_TURN},
    .place = place,
    .subspace = subspace,
    .subspace_rate = trm_constant_subspace_rate,
    .coordinates_from = coordinates_from,
};
