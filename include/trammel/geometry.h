/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Queries on the shapes of a model at a state: what a ray hits, how far two bodies are apart. The shapes are those of
 * contacts: shapes with "collide": false do not count, and a mesh of a free body is its convex hull. SI units, world
 * axes. */

#ifndef TRAMMEL_GEOMETRY_H
#define TRAMMEL_GEOMETRY_H

#include "trammel/base.h"
#include "trammel/model.h"
#include "trammel/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The preprocessed shapes of a model. It belongs to one thread at a time. */
typedef struct trm_shape_set trm_shape_set;

/* Preprocesses the shapes of a model, which must outlive them; the caller destroys the set. Fails only when out of memory. */
TRM_API trm_status trm_shape_set_create(const trm_model *model, const trm_allocator *allocator, trm_shape_set **set);
/* Releases the shapes. */
TRM_API void trm_shape_set_destroy(trm_shape_set *set);

/* The first point of a shape on a ray. */
typedef struct trm_ray_hit {
    int body, shape; /* number of the body, number of the shape in it */
    double distance; /* m, from the start of the ray; 0: the ray starts inside the shape */
    trm_vec3 point;  /* m */
    trm_vec3 normal; /* unit, out of the shape; against the ray where the ray starts inside */
} trm_ray_hit;

/* Finds the nearest shape that a ray hits: from a point [m], along a direction of any length that is not 0, at most
 * `farthest` [m] away (INFINITY: any distance). Shapes of the body `except` do not count (-1: all count). Returns
 * false if there is none. */
TRM_API bool trm_ray_cast(const trm_shape_set *set, const trm_state *state, trm_vec3 from, trm_vec3 direction,
                          double farthest, int except, trm_ray_hit *hit);

/* The nearest points of two bodies. */
typedef struct trm_nearest_points {
    double distance;   /* m; negative: the shapes overlap by this depth */
    int shape[2];      /* number of the nearest shape in each body */
    trm_vec3 point[2]; /* m: the nearest point of each */
    trm_vec3 normal;   /* unit, from the second body to the first */
} trm_nearest_points;

/* Finds the nearest points of the shapes of two bodies, whether or not these bodies collide. *found is false if one
 * has no shapes, or if none of their pairs has a distance (two planes, two meshes of fixed bodies). Fails only when
 * out of memory. */
TRM_API trm_status trm_find_nearest_points(trm_shape_set *set, const trm_state *state, int body_a, int body_b,
                                           bool *found, trm_nearest_points *nearest);

#ifdef __cplusplus
}
#endif

#endif
