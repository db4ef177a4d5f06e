/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* How far shapes extend: between two planes at right angles to a direction, and in a box along the axes of the
 * world. */

#ifndef TRM_COLLIDE_BOUNDS_H
#define TRM_COLLIDE_BOUNDS_H

#include "model/model.h"

/* A box along the axes of the world. */
typedef struct trm_bounds {
    trm_vec3 lo, hi;
} trm_bounds;

/* Touching counts. All six at once: which of them parts two boxes is hard to predict. */
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
    return (trm_bounds){trm_sub(box.lo, rim), trm_add(box.hi, rim)};
}

/* Half of its surface. */
static inline double trm_bounds_surface(const trm_bounds *box)
{
    const trm_vec3 d = trm_sub(box->hi, box->lo);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

/* How far a shape extends: the parts are added up (bounds.c). A mesh extends as far as the box that bounds it in its own
 * axes. */
typedef struct trm_extent {
    trm_vec3 centre; /* in the axes of the shape */
    double radius;   /* m, in every direction */
    double disc;     /* m, across the z axis */
    trm_vec3 half;   /* m, along each axis */
    const trm_vec3 *points;
    int point_count; /* of a hull; 0: not one */
} trm_extent;

/* Of a shape that is not a plane; its points are borrowed. */
trm_extent trm_shape_extent(const trm_shape *shape);

/* Its bounds where X is its pose in the world: exact to rounding. */
trm_bounds trm_extent_bounds(const trm_extent *extent, trm_pose X);

/* The least u . x over all its points x; u is of length one. */
double trm_extent_least(const trm_extent *extent, trm_pose X, trm_vec3 u);

#endif
