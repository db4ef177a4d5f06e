/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A plane: all points with n.x <= offset are solid. */

#include <math.h>

#include "model/shape.h"

static double reach(const trm_shape *s)
{
    (void)s;
    return INFINITY;
}

const trm_shape_type trm_shape_plane = {
    .name = "plane",
    .takes = TRM_SHAPE_TAKES_PLANE,
    .geometry = TRM_GEOMETRY_PLANE,
    .reach = reach,
};
