/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A sphere |x| <= r. */

#include "model/shape.h"

static trm_mass mass(const trm_shape *s, double density)
{
    return trm_mass_sphere(density, s->radius);
}

static double reach(const trm_shape *s)
{
    return s->radius;
}

const trm_shape_type trm_shape_sphere = {
    .name = "sphere",
    .takes = TRM_SHAPE_TAKES_RADIUS | TRM_SHAPE_TAKES_SOLID,
    .geometry = TRM_GEOMETRY_SPHERE,
    .mass = mass,
    .reach = reach,
};
