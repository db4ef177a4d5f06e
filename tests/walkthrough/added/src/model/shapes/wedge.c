/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Wedge, made up for a test: the lower half of a box of this size, cut from edge to edge: z/c <= -x/a.
 * Volume a b c / 2. */

#include "model/shape.h"

static int corners(const trm_shape *s, trm_vec3 *points)
{
    const trm_vec3 h = trm_v3_scale(0.5, s->size);
    const trm_vec3 all[6] = {{-h.x, -h.y, -h.z}, {-h.x, h.y, -h.z}, {h.x, -h.y, -h.z},
                             {h.x, h.y, -h.z},   {-h.x, -h.y, h.z}, {-h.x, h.y, h.z}};
    for (int i = 0; points && i < 6; i++) points[i] = all[i];
    return 6;
}

const trm_shape_type trm_shape_wedge = {
    .name = "wedge",
    .takes = TRM_SHAPE_TAKES_SIZE | TRM_SHAPE_TAKES_SOLID,
    .mass = trm_polyhedron_mass,
    .reach = trm_polyhedron_reach,
    .corners = corners,
};
