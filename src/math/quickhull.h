/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Convex hull of points on a grid, with exact decisions (quickhull.c). */

#ifndef TRM_MATH_QUICKHULL_H
#define TRM_MATH_QUICKHULL_H

#include "base/arena.h"
#include "trammel/vecmath.h"

/* Bits of a coordinate besides its sign: points are given as round(2^TRM_GRID_BITS * coordinate), |coordinate| <=
 * 1. */
enum { TRM_GRID_BITS = 52 };

typedef struct trm_grid_point {
    int64_t x[3];
} trm_grid_point;

typedef enum trm_hull_outcome { TRM_HULL_DONE, TRM_HULL_NO_MEMORY, TRM_HULL_FLAT } trm_hull_outcome;

/* Returns six times the volume of the tetrahedron, in grid units. It is positive if d is on the side of the plane
 * abc from which a, b, c are counter-clockwise. The sign is exact. */
double trm_grid_volume(trm_grid_point a, trm_grid_point b, trm_grid_point c, trm_grid_point d);

/* Computes the hull of the points that are not skipped: triangles of point numbers, counter-clockwise seen from
 * outside, allocated in the arena. Points outside by at most `near` (in coordinates, not grid units) may be
 * omitted. Returns TRM_HULL_FLAT if the points span no volume. */
trm_hull_outcome trm_quickhull(trm_arena *arena, const trm_grid_point *points, const bool *skipped, int count,
                               double near, int (**triangles)[3], int *triangle_count);

#endif
