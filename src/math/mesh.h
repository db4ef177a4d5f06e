/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Triangle meshes. The corners of a triangle are counter-clockwise seen from outside. */

#ifndef TRM_MATH_MESH_H
#define TRM_MATH_MESH_H

#include "base/arena.h"
#include "trammel/vecmath.h"

typedef struct trm_mesh {
    trm_vec3 *vertices;
    int vertex_count;
    int (*triangles)[3]; /* indices of vertices, from 0 */
    int triangle_count;
} trm_mesh;

/* Returns whether the triangles bound a solid: every directed edge occurs once, and so does its opposite. It releases
 * all memory taken from scratch. When out of memory it returns false and sets scratch->failed. */
bool trm_mesh_is_closed(const trm_mesh *mesh, trm_arena *scratch);

/* Scales a mesh along its axes. If that mirrors the mesh, the triangles are reversed to keep their outside. */
void trm_scale_mesh(trm_mesh *mesh, trm_vec3 scale);

#endif
