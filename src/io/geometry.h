/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Shapes as triangles in single precision, for pictures. Seen from outside, the corners of a triangle are in
 * counter-clockwise order. Round shapes have radius 1; the caller scales them. */

#ifndef TRM_IO_GEOMETRY_H
#define TRM_IO_GEOMETRY_H

#include <stdint.h>

#include "base/arena.h"
#include "math/mesh.h"
#include "math/space_curve.h"

typedef struct trm_geometry {
    float (*positions)[3];
    float (*normals)[3]; /* normals at the vertices; NULL: flat triangles */
    int vertex_count;
    uint32_t *indices; /* three per triangle; NULL for a line through the vertices in their order */
    int index_count;
} trm_geometry;

/* Make the triangles of a shape. Return false if out of memory. */
bool trm_sphere_geometry(trm_arena *arena, trm_geometry *made);
bool trm_cylinder_geometry(trm_arena *arena, trm_geometry *made);               /* along z, of length 1 */
bool trm_capsule_geometry(trm_arena *arena, double length, trm_geometry *made); /* along z; length without the caps */
bool trm_box_geometry(trm_arena *arena, trm_geometry *made);                    /* edges of 1 */
/* along z, of length 1: a barrel with a thinner rod */
bool trm_piston_geometry(trm_arena *arena, trm_geometry *made);
/* Makes a helix of wire along z, of length 1, which has the right shape when it is stretched to `length` radii. */
bool trm_coil_geometry(trm_arena *arena, double length, trm_geometry *made);
bool trm_square_geometry(trm_arena *arena, trm_geometry *made); /* z = 0, x and y from -1 to 1 */
/* Makes the triangles of a mesh, smooth except at edges with an angle of more than 0.6 rad between the faces. */
bool trm_mesh_geometry(trm_arena *arena, const trm_mesh *mesh, trm_geometry *made);
bool trm_curve_geometry(trm_arena *arena, const trm_space_curve *curve, double from, double to, trm_geometry *made);

#endif
