/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Triangle meshes. Seen from outside the corners of a triangle go round counter-clockwise. */

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

/* Whether the triangles bound a solid: every directed edge occurs once and so does its opposite. What is taken from
 * scratch is given back; false where scratch has no memory, and then scratch->failed is set. */
bool trm_mesh_is_closed(const trm_mesh *mesh, trm_arena *scratch);

/* Stretches a mesh along its axes; a mirrored one is turned inside out again. */
void trm_scale_mesh(trm_mesh *mesh, trm_vec3 scale);

#endif
