/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* How far apart two convex cores are, by their farthest points alone. */

#ifndef TRM_COLLIDE_GJK_H
#define TRM_COLLIDE_GJK_H

#include "collide/pairs.h"

/* The nearest points, as the mean of at most four pairs of farthest points; all in the frame of b. */
typedef struct trm_closest {
    double distance; /* m; 0: the cores overlap, or nearly touch, and the rest says nothing */
    trm_vec3 normal; /* unit, from b to a */
    trm_vec3 on_a, on_b;
    int count;
    trm_vec3 a[4], b[4];          /* the points */
    int vertex_a[4], vertex_b[4]; /* their numbers; -1: not a vertex */
} trm_closest;

trm_closest trm_gjk(const trm_pair *pair);

#endif
