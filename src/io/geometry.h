/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Shapes as triangles, in the single precision that pictures have. Seen from outside, the corners of a triangle
 * are in counter-clockwise order. Round shapes have radius 1; the caller scales them. */

#ifndef TRM_IO_GEOMETRY_H
#define TRM_IO_GEOMETRY_H

#include <stdint.h>

#include "base/arena.h"
#include "math/mesh.h"
#include "math/space_curve.h"

typedef struct trm_geometry {
    float (*positions)[3];
    float (*normals)[3]; /* at the vertices; NULL: each triangle is flat */
    int vertex_count;
    uint32_t *indices; /* three per triangle; none of a line, which goes through the vertices in their order */
    int index_count;
} trm_geometry;

/* Make the triangles of a shape. Return false if out of memory. */
bool trm_sphere_geometry(trm_arena *arena, trm_geometry *made);
bool trm_cylinder_geometry(trm_arena *arena, trm_geometry *made);               /* along z, of length 1 */
bool trm_capsule_geometry(trm_arena *arena, double length, trm_geometry *made); /* along z, caps not counted in */
bool trm_box_geometry(trm_arena *arena, trm_geometry *made);                    /* edges of 1 */
bool trm_piston_geometry(trm_arena *arena, trm_geometry *made); /* along z, of length 1: a barrel and a thinner rod */
/* A helix of wire along z, of length 1, drawn correctly when it is stretched to `length` radii. */
bool trm_coil_geometry(trm_arena *arena, double length, trm_geometry *made);
bool trm_square_geometry(trm_arena *arena, trm_geometry *made); /* z = 0, x and y from -1 to 1 */
/* Smooth but for edges where faces meet at more than 0.6 rad. */
bool trm_mesh_geometry(trm_arena *arena, const trm_mesh *mesh, trm_geometry *made);
bool trm_curve_geometry(trm_arena *arena, const trm_space_curve *curve, double from, double to, trm_geometry *made);

#endif
