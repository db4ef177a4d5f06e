/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Shapes preprocessed for the narrow phase, in the principal frame of their body.
 *
 * A sphere is a point with a radius, a capsule a segment with a radius. Boxes and hulls are polytopes; cylinders and
 * ellipsoids are kinds of their own. A mesh of a free body is replaced by its convex hull, a mesh of another body is
 * the set of its triangles. Points, segments and triangles are polytopes without volume: every solid with vertices
 * has a support point in each direction. */

#ifndef TRM_COLLIDE_SOLID_H
#define TRM_COLLIDE_SOLID_H

#include "collide/bounds.h"
#include "model/model.h"

typedef enum trm_solid_kind {
    TRM_SOLID_SPHERE,
    TRM_SOLID_CAPSULE,
    TRM_SOLID_BOX,
    TRM_SOLID_HULL,
    TRM_SOLID_CYLINDER,
    TRM_SOLID_ELLIPSOID,
    TRM_SOLID_PLANE,
    TRM_SOLID_MESH,
    TRM_SOLID_KINDS
} trm_solid_kind;

/* A face of a polytope. All vertices of the solid are on its plane or on the inner side. */
typedef struct trm_solid_face {
    trm_vec3 normal; /* outward unit normal */
    trm_vec3 point;  /* m, a point of the plane */
    int first;       /* index of its first entry in corners and sides */
    int count;
} trm_solid_face;

typedef struct trm_solid_edge {
    int vertex[2];
    int face[2]; /* normal 0 x normal 1 is along the edge; -1: none (the axis of a capsule) */
} trm_solid_edge;

/* A node of the static tree of a mesh. It bounds its children or its triangles. */
typedef struct trm_mesh_node {
    trm_bounds box;
    int next;         /* the node to visit next when this one is skipped; children directly follow their parent */
    int first, count; /* its triangles in trm_solid.order; count 0: inner node */
} trm_mesh_node;

typedef struct trm_solid {
    trm_solid_kind kind;
    double radius;      /* m: radius around the core, or of the cylinder */
    double half_length; /* m: of the axis of a capsule or cylinder */
    trm_vec3 centre;    /* m */
    trm_mat3 axes;      /* axes of the shape, as columns */
    trm_vec3 half;      /* m: half lengths of a box */
    trm_mat3 half_axes; /* m: half axes of an ellipsoid, as columns */
    trm_vec3 normal;    /* of a plane: normal . x <= offset is solid */
    double offset;      /* m */
    double size;        /* m: largest distance of a point from the centre; planes: 0 */

    trm_vec3 *vertices;
    int vertex_count;
    trm_solid_face *faces;
    int face_count;
    trm_solid_edge *edges;
    int edge_count;
    int *corners;      /* vertex numbers of all faces, counter-clockwise seen from outside */
    int *sides;        /* edge numbers of all faces: sides[k] goes from corners[k] to the next corner */
    trm_vec3 *outward; /* per side: unit vector in the plane of the face, pointing out of the face */

    int (*triangles)[3]; /* mesh: vertex numbers; vertices at the same place share one number */
    int (*across)[3];    /* mesh: the neighbour across the edge from corner k to the next corner; -1: none */
    trm_vec3 *normals;   /* per triangle, unit; zero: no area */
    int *patches;        /* per triangle: equal for adjacent triangles in one plane */
    int triangle_count;
    trm_mesh_node *nodes;
    int node_count;
    int *order; /* triangle numbers in the order of the nodes */
} trm_solid;

/* Prepares the solid of a shape. free: the body of the shape is free. Fails when out of memory, or when the hull
 * cannot be computed. */
bool trm_solid_make(const trm_shape *shape, bool free, trm_arena *arena, trm_solid *solid);

/* ---- Making the parts --------------------------------------------------------------------- */

/* Makes faces, edges and vertices of a convex solid from its closed surface, a mesh with consistently oriented
 * triangles. Fails only when out of memory. */
bool trm_solid_make_polytope(const trm_mesh *mesh, trm_arena *arena, trm_solid *solid);

/* Makes the triangles of a mesh with their neighbours, and the tree over them. The solid takes over the vertices.
 * Fails only when out of memory. */
bool trm_solid_make_triangles(const trm_mesh *mesh, trm_arena *arena, trm_solid *solid);

/* Fills `outward` for the sides of a face from its corners and normal. */
void trm_solid_find_outward(const trm_solid *solid, const trm_solid_face *face);

/* Sets number[i] to the lowest number of all vertices at the place of vertex i. Fails only when out of memory. */
bool trm_number_places(const trm_mesh *mesh, trm_arena *arena, int *number);

/* Sets across[t][k] to the triangle on the other side of the edge of t from corner k to the next corner, or to -1
 * if there is none or more than one. Vertices at the same place count as one. Fails only when out of memory. */
bool trm_find_across(const trm_mesh *mesh, trm_arena *arena, int (*across)[3]);

/* ---- Queries ------------------------------------------------------------------------------ */

/* Returns the number of the vertex farthest along a direction in the frame of the body; the lowest number in a
 * tie. */
int trm_solid_farthest(const trm_solid *solid, trm_vec3 direction);

/* Returns the support point of the core: the point farthest along a direction. Defined for all kinds except planes
 * and meshes. The core of a cylinder or an ellipsoid is the solid itself. *vertex is the number of the vertex, -1 if
 * the point is not a vertex. */
trm_vec3 trm_solid_support(const trm_solid *solid, trm_vec3 direction, int *vertex);

#endif
