/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A box with edges `size` along the axes and its centre at the origin. */

#include "model/shape.h"

static trm_mass mass(const trm_shape *s, double density)
{
    return trm_mass_box(density, s->size);
}

static double reach(const trm_shape *s)
{
    return 0.5 * trm_v3_length(s->size);
}

const trm_shape_type trm_shape_box = {
    .name = "box",
    .takes = TRM_SHAPE_TAKES_SIZE | TRM_SHAPE_TAKES_SOLID,
    .geometry = TRM_GEOMETRY_BOX,
    .mass = mass,
    .reach = reach,
};
