/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Where a ray x = o + t d, |d| = 1, t >= 0, meets a solid. */

#ifndef TRM_COLLIDE_RAY_H
#define TRM_COLLIDE_RAY_H

#include "collide/solid.h"

typedef struct trm_ray {
    trm_vec3 o, d; /* m, unit; in the frame of the body */
} trm_ray;

/* Returns the least t at which the ray is in the solid, with the outward normal there; 0 and -d if it starts inside;
 * INFINITY if it misses the solid. A mesh is its surface, without an inside. */
double trm_ray_solid(const trm_solid *solid, trm_ray ray, trm_vec3 *normal);

#endif
