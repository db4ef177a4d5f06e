/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A shape made ready for the narrow phase, in the principal frame of its body.
 *
 * A sphere is a point with a radius around it, a capsule a segment; boxes and hulls are polytopes; a mesh of a body that is not
 * free is the set of its triangles, of a free one its convex hull. Points, segments and triangles are polytopes without volume:
 * whatever has vertices can be asked for the farthest one. */

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
    TRM_SOLID_PLANE,
    TRM_SOLID_MESH,
    TRM_SOLID_KINDS
} trm_solid_kind;

/* A polygon: all vertices of the solid are behind its plane. */
typedef struct trm_solid_face {
    trm_vec3 normal; /* outward, unit */
    trm_vec3 point;  /* on the plane */
    int first;       /* in corners and sides */
    int count;
} trm_solid_face;

typedef struct trm_solid_edge {
    int vertex[2];
    int face[2]; /* normal 0 x normal 1 is along the edge; -1: none (the axis of a capsule) */
} trm_solid_edge;

/* The triangles of a mesh in a tree that does not change: node i bounds its children or its triangles. */
typedef struct trm_mesh_node {
    trm_bounds box;
    int next;         /* the node to go on with where this one is passed over; children follow their parent */
    int first, count; /* triangles in trm_solid.order; count 0: an inner node */
} trm_mesh_node;

typedef struct trm_solid {
    trm_solid_kind kind;
    double radius;      /* m: around the core; of a cylinder */
    double half_length; /* m: of the axis of capsule and cylinder */
    trm_vec3 centre;    /* m */
    trm_mat3 axes;      /* of the shape; columns */
    trm_vec3 half;      /* m: box */
    trm_vec3 normal;    /* plane: normal . x <= offset is solid */
    double offset;      /* m */
    double size;        /* m: no point is farther from the centre; planes: 0 */

    trm_vec3 *vertices;
    int vertex_count;
    trm_solid_face *faces;
    int face_count;
    trm_solid_edge *edges;
    int edge_count;
    int *corners;      /* vertices of all faces, counter-clockwise from outside */
    int *sides;        /* edges of all faces: sides[k] goes from corners[k] to the next one */
    trm_vec3 *outward; /* of all sides: unit, in the plane of the face, out of it */

    int (*triangles)[3]; /* mesh: vertices; those at the same place have one number */
    int (*across)[3];    /* mesh: the triangle on the other side of the edge from corner k to the next; -1: none */
    trm_vec3 *normals;   /* of the triangles; zero: no area */
    int *patches;        /* the same for triangles that lie in one plane side by side */
    int triangle_count;
    trm_mesh_node *nodes;
    int node_count;
    int *order; /* triangles as the nodes list them */
} trm_solid;

/* free: whether the body of the shape is. False: out of memory, or a hull that cannot be found. */
bool trm_solid_make(const trm_shape *shape, bool free, trm_arena *arena, trm_solid *solid);

/* ---- Making the parts --------------------------------------------------------------------- */

/* Faces, edges and vertices of the convex solid within a closed mesh whose triangles agree in turning. */
bool trm_solid_make_polytope(const trm_mesh *mesh, trm_arena *arena, trm_solid *solid);

/* The triangles of a mesh with their neighbours, and the tree over them. The vertices are taken over. */
bool trm_solid_make_triangles(const trm_mesh *mesh, trm_arena *arena, trm_solid *solid);

/* `outward` of the sides of a face, from its corners and normal. */
void trm_solid_find_outward(const trm_solid *solid, const trm_solid_face *face);

/* number[i]: the lowest number of the vertices at the place of vertex i. */
bool trm_number_places(const trm_mesh *mesh, trm_arena *arena, int *number);

/* across[t][k]: the triangle on the other side of the edge of t from corner k to the next; -1: none, or several. Vertices at
 * the same place count as one. */
bool trm_find_across(const trm_mesh *mesh, trm_arena *arena, int (*across)[3]);

/* ---- Asking ------------------------------------------------------------------------------- */

/* The number of the vertex farthest along a direction in the frame of the body; the lowest number where several are. */
int trm_solid_farthest(const trm_solid *solid, trm_vec3 direction);

/* The point of the core farthest along a direction: of all kinds but planes and meshes. A cylinder is its own core. */
trm_vec3 trm_solid_support(const trm_solid *solid, trm_vec3 direction, int *vertex);

#endif
