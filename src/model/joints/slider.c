/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Slider: B moves along an axis of A and does not rotate relative to A.
 *
 * Rows: line, lock. Coordinate: the shift of B along z of A, X_AB = (1, q z), S = (0, z). */

#include "model/joints/parts.h"

static trm_pose place(const trm_joint *joint, const double *q)
{
    (void)joint;
    return (trm_pose){{1, 0, 0, 0}, {0, 0, q[0]}};
}

static void subspace(const trm_joint *joint, const double *q, trm_spatial *S)
{
    (void)joint;
    (void)q;
    S[0] = trm_sp(trm_v3(0, 0, 0), trm_axis(2));
}

static void coordinates_from(const trm_joint *joint, trm_pose X_AB, double *q)
{
    (void)joint;
    q[0] = X_AB.p.z;
}

const trm_joint_type trm_joint_slider = {
    .name = "slider",
    .leaves = "translation along the axis",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR | TRM_TAKES_AXIS | TRM_TAKES_X_AXIS | TRM_TAKES_COORDINATE |
             TRM_TAKES_LIMITS,
    .parts = {&trm_part_line, &trm_part_lock},
    .coordinates = 1,
    .of_a = 1,
    .kind = {TRM_COORDINATE_LENGTH},
    .place = place,
    .subspace = subspace,
    .subspace_rate = trm_constant_subspace_rate,
    .coordinates_from = coordinates_from,
};
