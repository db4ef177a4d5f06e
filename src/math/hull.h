/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Convex hulls of points. */

#ifndef TRM_MATH_HULL_H
#define TRM_MATH_HULL_H

#include "math/mesh.h"

/* The hull as a closed mesh whose vertices are those points that are on it, in the order given. TRM_BAD_INPUT: *why
 * says what is wrong ("all points lie in a plane"); *hull is empty then, and the arena as before. The same points
 * give the same mesh. why may be NULL. */
trm_status trm_convex_hull(trm_arena *arena, const trm_vec3 *points, int count, trm_mesh *hull, const char **why);

#endif
