/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* An ellipsoid with the diameters `size` along the axes. It is drawn as a polyhedron.
 *
 * The corners of the polyhedron are the points with integer coordinates on the octahedron |i| + |j| + |k| = FINENESS,
 * moved out to the unit sphere and stretched. There are 4 FINENESS^2 + 2 of them, with the ends of all axes. The faces
 * of their hull are at most 0.4 % of the half axes inside the surface: triangles in the middle of a side of the
 * octahedron have edges of sqrt(6)/FINENESS rad and a sagitta of their square over 6. */

#include <math.h>
#include <stdlib.h>

#include "model/shape.h"

enum { FINENESS = 16 };

static trm_mass mass(const trm_shape *s, double density)
{
    return trm_mass_ellipsoid(density, s->size);
}

static double reach(const trm_shape *s)
{
    return 0.5 * fmax(s->size.x, fmax(s->size.y, s->size.z));
}

static int corners(const trm_shape *s, trm_vec3 *points)
{
    int count = 0;
    for (int i = -FINENESS; i <= FINENESS; i++)
        for (int j = abs(i) - FINENESS; j <= FINENESS - abs(i); j++)
            for (int sign = -1; sign <= 1; sign += 2) {
                const int k = sign * (FINENESS - abs(i) - abs(j));
                if (k == 0 && sign > 0) continue; /* each point only once */
                const trm_vec3 u = trm_v3_unit(trm_v3(i, j, k));
                if (points)
                    points[count] = trm_v3_scale(0.5, trm_v3(s->size.x * u.x, s->size.y * u.y, s->size.z * u.z));
                count++;
            }
    return count;
}

const trm_shape_type trm_shape_ellipsoid = {
    .name = "ellipsoid",
    .takes = TRM_SHAPE_TAKES_SIZE | TRM_SHAPE_TAKES_SOLID,
    .geometry = TRM_GEOMETRY_ELLIPSOID,
    .mass = mass,
    .reach = reach,
    .corners = corners,
};
