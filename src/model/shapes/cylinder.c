/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A cylinder of radius r and length l along z, with its centre at the origin. */

#include "model/shape.h"
#include "trammel/elementary.h"

static trm_mass mass(const trm_shape *s, double density)
{
    return trm_mass_cylinder(density, s->radius, s->length);
}

static double reach(const trm_shape *s)
{
    return trm_hypot(s->radius, 0.5 * s->length);
}

const trm_shape_type trm_shape_cylinder = {
    .name = "cylinder",
    .takes = TRM_SHAPE_TAKES_RADIUS | TRM_SHAPE_TAKES_LENGTH | TRM_SHAPE_TAKES_SOLID,
    .geometry = TRM_GEOMETRY_CYLINDER,
    .mass = mass,
    .reach = reach,
};
