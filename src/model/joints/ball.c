/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Ball: a point of A and a point of B coincide.
 *
 * Rows: point. Coordinates: the rotation vector q of B in A, X_AB = (exp q, 0); omega = T(q) dq/dt with the left
 * Jacobian T of the exponential (math/rotation.h). Regular for |q| < 2 pi. */

#include "model/joints/parts.h"

const trm_joint_type trm_joint_ball = {
    .name = "ball",
    .leaves = "3 rotations",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR | TRM_TAKES_COORDINATE | TRM_TAKES_DAMPING,
    .points = true,
    .parts = {&trm_part_point},
    .coordinates = 3,
    .of_a = 3,
    .kind = {TRM_COORDINATE_ROTATION, TRM_COORDINATE_ROTATION, TRM_COORDINATE_ROTATION},
    .place = trm_place_by_vector,
    .subspace = trm_vector_subspace,
    .subspace_rate = trm_vector_subspace_rate,
    .coordinates_from = trm_vector_coordinates_from,
};
