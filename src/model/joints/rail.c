/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rail: a point of B slides on a line of A, and B may rotate about it in any way (Schmitt 2003, section 10).
 *
 * Rows: line. Coordinates: the shift q1 of the point along the z axis of A and the rotation vector (q2, q3, q4) of B in
 * A, X_AB = (exp(q2, q3, q4), q1 z), S = (0, z), (T, 0) with the left Jacobian T of the exponential (math/rotation.h).
 * Regular for rotations below 2 pi. A point mass as B has the shift alone. Limits act on the shift: end stops. */

#include "model/joints/parts.h"

const trm_joint_type trm_joint_rail = {
    .name = "rail",
    .leaves = "translation of a point along the axis, 3 rotations",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR | TRM_TAKES_AXIS | TRM_TAKES_X_AXIS | TRM_TAKES_COORDINATE |
             TRM_TAKES_LIMITS,
    .points_on_a = true,
    .parts = {&trm_part_line},
    .coordinates = 4,
    .of_a = 1,
    .kind = {TRM_COORDINATE_LENGTH, TRM_COORDINATE_ROTATION, TRM_COORDINATE_ROTATION, TRM_COORDINATE_ROTATION},
    .place = trm_place_by_vector,
    .subspace = trm_vector_subspace,
    .subspace_rate = trm_vector_subspace_rate,
    .coordinates_from = trm_vector_coordinates_from,
};
