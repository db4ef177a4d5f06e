/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Extents of shapes: the least coordinate along a direction, and a box along the world axes. */

#ifndef TRM_COLLIDE_BOUNDS_H
#define TRM_COLLIDE_BOUNDS_H

#include "model/model.h"

/* Axis-aligned box in world axes, m. */
typedef struct trm_bounds {
    trm_vec3 lo, hi;
} trm_bounds;

/* Returns whether two boxes overlap; boxes that only touch count as overlapping. Evaluates all six comparisons
 * without branches, which would be hard to predict. */
static inline bool trm_bounds_overlap(const trm_bounds *a, const trm_bounds *b)
{
    return (a->lo.x <= b->hi.x) & (b->lo.x <= a->hi.x) & (a->lo.y <= b->hi.y) & (b->lo.y <= a->hi.y) &
           (a->lo.z <= b->hi.z) & (b->lo.z <= a->hi.z);
}

static inline bool trm_bounds_contain(const trm_bounds *outer, const trm_bounds *inner)
{
    return outer->lo.x <= inner->lo.x && inner->hi.x <= outer->hi.x && outer->lo.y <= inner->lo.y &&
           inner->hi.y <= outer->hi.y && outer->lo.z <= inner->lo.z && inner->hi.z <= outer->hi.z;
}

static inline trm_bounds trm_bounds_union(const trm_bounds *a, const trm_bounds *b)
{
    const trm_bounds both = {{a->lo.x < b->lo.x ? a->lo.x : b->lo.x, a->lo.y < b->lo.y ? a->lo.y : b->lo.y,
                              a->lo.z < b->lo.z ? a->lo.z : b->lo.z},
                             {a->hi.x > b->hi.x ? a->hi.x : b->hi.x, a->hi.y > b->hi.y ? a->hi.y : b->hi.y,
                              a->hi.z > b->hi.z ? a->hi.z : b->hi.z}};
    return both;
}

static inline trm_bounds trm_bounds_grown(trm_bounds box, double by)
{
    const trm_vec3 rim = {by, by, by};
    return (trm_bounds){trm_v3_sub(box.lo, rim), trm_v3_add(box.hi, rim)};
}

/* Returns half of the surface of the box, m^2. */
static inline double trm_bounds_surface(const trm_bounds *box)
{
    const trm_vec3 d = trm_v3_sub(box->hi, box->lo);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

/* Extent of a shape as a sum of parts (bounds.c). The extent of a mesh is its bounding box in its own axes. */
typedef struct trm_extent {
    trm_vec3 centre; /* m, in the axes of the shape */
    double radius;   /* m: radius of a sphere around the centre */
    double disc;     /* m: radius of a disc perpendicular to the z axis */
    trm_vec3 half;   /* m: half lengths along the axes of the shape */
    const trm_vec3 *points;
    int point_count; /* vertices of a hull; 0: not a hull */
} trm_extent;

/* Returns the extent of a shape that is not a plane. It borrows the points of the shape. */
trm_extent trm_shape_extent(const trm_shape *shape);

/* Returns the bounds of the extent, exact to rounding. X: pose of its shape in the world. */
trm_bounds trm_extent_bounds(const trm_extent *extent, trm_pose X);

/* Returns the least u . x over all points x of the extent. u has unit length. */
double trm_extent_least(const trm_extent *extent, trm_pose X, trm_vec3 u);

#endif
