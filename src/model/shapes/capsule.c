/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A capsule: all points within r of a segment of length l along z, whose middle is the origin. */

#include "model/shape.h"

static trm_mass mass(const trm_shape *s, double density)
{
    return trm_mass_capsule(density, s->radius, s->length);
}

static double reach(const trm_shape *s)
{
    return s->radius + 0.5 * s->length;
}

const trm_shape_type trm_shape_capsule = {
    .name = "capsule",
    .takes = TRM_SHAPE_TAKES_RADIUS | TRM_SHAPE_TAKES_LENGTH | TRM_SHAPE_TAKES_SOLID,
    .geometry = TRM_GEOMETRY_CAPSULE,
    .mass = mass,
    .reach = reach,
};
