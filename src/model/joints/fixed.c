/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Fixed: B does not move relative to A. Rows: point, lock. No coordinates, X_AB = 1. */

#include "model/joints/parts.h"

static trm_pose place(const trm_joint *joint, const double *q)
{
    (void)joint;
    (void)q;
    return trm_pose_identity();
}

static void subspace(const trm_joint *joint, const double *q, trm_spatial *S)
{
    (void)joint;
    (void)q;
    (void)S;
}

static void coordinates_from(const trm_joint *joint, trm_pose X_AB, double *q)
{
    (void)joint;
    (void)X_AB;
    (void)q;
}

const trm_joint_type trm_joint_fixed = {
    .name = "fixed",
    .leaves = "nothing",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR,
    .parts = {&trm_part_point, &trm_part_lock},
    .place = place,
    .subspace = subspace,
    .subspace_rate = trm_constant_subspace_rate,
    .coordinates_from = coordinates_from,
};
