/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The gap of two features, at least one of which is an ellipsoid. */

#ifndef TRM_COLLIDE_SMOOTH_GAP_H
#define TRM_COLLIDE_SMOOTH_GAP_H

#include "trammel/vecmath.h"

/* A feature by its support function h(n) = n.x + |A^T n| + r: an ellipsoid with half axes in the columns of A, a
 * point (A = 0), or a disc (one column of A is 0). */
typedef struct trm_smooth {
    trm_vec3 x;    /* m: its centre */
    trm_mat3 A;    /* m */
    double radius; /* m, around it */
} trm_smooth;

typedef struct trm_smooth_gap {
    double gap;          /* m */
    trm_vec3 normal;     /* unit, from b to a */
    trm_vec3 on_a, on_b; /* m: the nearest points of both surfaces */
} trm_smooth_gap;

/* Returns the gap of a and b. line is a unit vector if b is a line through b->x, NULL otherwise. start is a unit
 * vector near the normal; the maximum that belongs to it is found. */
trm_smooth_gap trm_find_smooth_gap(const trm_smooth *a, const trm_smooth *b, const trm_vec3 *line, trm_vec3 start);

/* Returns the gap along a given normal. */
trm_smooth_gap trm_smooth_gap_along(const trm_smooth *a, const trm_smooth *b, trm_vec3 normal);

#endif
