/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Convex hulls of points. */

#ifndef TRM_MATH_HULL_H
#define TRM_MATH_HULL_H

#include "math/mesh.h"

/* Computes the hull as a closed mesh. Its vertices are the points on the hull, in the given order. The same points
 * give the same mesh. If it returns TRM_BAD_INPUT, *why says what is wrong ("all points lie in a plane"), *hull is
 * empty and the arena is unchanged. why may be NULL. */
trm_status trm_convex_hull(trm_arena *arena, const trm_vec3 *points, int count, trm_mesh *hull, const char **why);

#endif
