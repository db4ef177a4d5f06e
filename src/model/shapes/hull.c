/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The convex hull of given points. */

#include "model/shape.h"

const trm_shape_type trm_shape_hull = {
    .name = "hull",
    .takes = TRM_SHAPE_TAKES_POINTS | TRM_SHAPE_TAKES_SOLID,
    .mass = trm_polyhedron_mass,
    .reach = trm_polyhedron_reach,
};
