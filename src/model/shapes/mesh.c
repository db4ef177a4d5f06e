/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A closed mesh of triangles. On a free body it collides as its convex hull, on other bodies as its triangles. */

#include "model/shape.h"

const trm_shape_type trm_shape_mesh = {
    .name = "mesh",
    .takes = TRM_SHAPE_TAKES_FILE | TRM_SHAPE_TAKES_SOLID,
    .geometry = TRM_GEOMETRY_MESH,
    .mass = trm_polyhedron_mass,
    .reach = trm_polyhedron_reach,
};
