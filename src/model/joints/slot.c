/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Slot: a point of B stays in a plane of A, and B may rotate in any way.
 *
 * Rows: plane. Coordinates: the shifts q1, q2 of the point along the x and y axes of A and the rotation vector
 * (q3, q4, q5) of B in A, X_AB = (exp(q3, q4, q5), (q1, q2, 0)), S = (0, x), (0, y), (T, 0) with the left Jacobian T of
 * the exponential (math/rotation.h). Regular for rotations below 2 pi. A point mass as B has the shifts alone. */

#include "model/joints/parts.h"

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
    .place = trm_place_by_vector,
    .subspace = trm_vector_subspace,
    .subspace_rate = trm_vector_subspace_rate,
    .coordinates_from = trm_vector_coordinates_from,
};
