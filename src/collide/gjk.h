/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Distance of two convex cores by the algorithm of Gilbert, Johnson and Keerthi, from their support points alone. */

#ifndef TRM_COLLIDE_GJK_H
#define TRM_COLLIDE_GJK_H

#include "collide/pairs.h"

/* The nearest points of two cores, as means of at most four pairs of support points; all in the frame of b. */
typedef struct trm_closest {
    double distance; /* m; 0: the cores overlap or nearly touch, and the other fields are meaningless */
    trm_vec3 normal; /* unit, from b to a */
    trm_vec3 on_a, on_b;
    int count;
    trm_vec3 a[4], b[4];          /* support points */
    int vertex_a[4], vertex_b[4]; /* their vertex numbers; -1: not a vertex */
} trm_closest;

trm_closest trm_gjk(const trm_pair *pair);

#endif
