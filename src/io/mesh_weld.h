/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Triangles given by the coordinates of their corners, as a mesh with shared vertices. */

#ifndef TRM_IO_MESH_WELD_H
#define TRM_IO_MESH_WELD_H

#include "base/arena.h"
#include "math/mesh.h"

typedef struct trm_welding {
    trm_mesh *mesh;
    int *slots; /* vertex + 1; 0: free */
    size_t slot_count;
} trm_welding;

/* Reserves memory for a number of triangles in an empty mesh. Returns false if out of memory. */
bool trm_weld_begin(trm_welding *w, trm_arena *arena, trm_mesh *mesh, int triangles);

/* Adds a triangle; corners with the same coordinates become one vertex. A triangle with two corners in one place has
 * no area and is omitted. */
void trm_weld_triangle(trm_welding *w, const trm_vec3 corners[3]);

/* A growing list of triangles, for readers that do not know their number beforehand. */
typedef struct trm_triangle {
    trm_vec3 corners[3];
} trm_triangle;

typedef struct trm_soup {
    trm_arena *arena;
    trm_triangle *triangles;
    int count;
} trm_soup;

/* returns false if out of memory or if there are too many */
bool trm_soup_add(trm_soup *soup, trm_vec3 a, trm_vec3 b, trm_vec3 c);
bool trm_soup_weld(const trm_soup *soup, trm_arena *arena, trm_mesh *mesh);

#endif
