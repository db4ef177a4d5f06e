/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Two solids near each other: how far apart, and where. One function per pair of kinds.
 *
 * Everything is in the principal frame of b; the normal n points from b to a. A pair function returns the signed distance and,
 * where a manifold is wanted, adds its touches: pairs of features that are nearest or may become so as the bodies turn. */

#ifndef TRM_COLLIDE_PAIRS_H
#define TRM_COLLIDE_PAIRS_H

#include "collide/contact.h"
#include "collide/solid.h"

/* One contact as pair functions find it. */
typedef struct trm_manifold_point {
    trm_feature feature[2]; /* in the frames of a and b */
    trm_vec3 normal;        /* n, in the frame of b */
    trm_vec3 place;         /* where about, in the frame of b */
    double gap;             /* m */
    uint32_t code[2];       /* what the features are, on each solid */
} trm_manifold_point;

enum { TRM_MANIFOLD_ROOM = 128, TRM_MANIFOLD_KEPT = 8 };

typedef struct trm_manifold {
    trm_manifold_point items[TRM_MANIFOLD_ROOM];
    int count;
} trm_manifold;

typedef struct trm_pair {
    const trm_solid *a, *b;
    trm_mat3 R; /* x_b = R x_a + t */
    trm_vec3 t;
    double margin;          /* m: touches whose gap is below are wanted */
    trm_manifold *manifold; /* NULL: only the distance is */

    /* whether a triangle of a mesh may be touched along n, outward in the frame of the mesh and not its own normal: it ends
     * where its neighbours begin; NULL: nobody asks */
    bool (*allows)(const void *triangle, trm_vec3 n);
    const void *triangle;
} trm_pair;

typedef double (*trm_pair_function)(trm_pair *pair);

double trm_sphere_sphere(trm_pair *pair);
double trm_sphere_capsule(trm_pair *pair);
double trm_capsule_capsule(trm_pair *pair);
double trm_sphere_box(trm_pair *pair);
double trm_box_box(trm_pair *pair);
double trm_polytope_polytope(trm_pair *pair); /* whatever has vertices, with a radius around it or none */
double trm_vertices_plane(trm_pair *pair);    /* the same against a plane */
double trm_cylinder_plane(trm_pair *pair);
double trm_cylinder_any(trm_pair *pair); /* b is a cylinder, a any convex solid with vertices, or another cylinder */
double trm_convex_mesh(trm_pair *pair);

/* NULL: such two never touch (two planes, two meshes). kind_a <= kind_b. */
trm_pair_function trm_pair_function_of(trm_solid_kind kind_a, trm_solid_kind kind_b);

/* ---- From frame to frame ------------------------------------------------------------------ */

static inline trm_vec3 trm_point_of_a(const trm_pair *pair, trm_vec3 x_a) /* seen from b */
{
    return trm_add(trm_mat_vec(pair->R, x_a), pair->t);
}

static inline trm_vec3 trm_point_in_a(const trm_pair *pair, trm_vec3 x_b)
{
    return trm_mat_t_vec(pair->R, trm_sub(x_b, pair->t));
}

/* The same two the other way round: everything in the frame of a. */
trm_pair trm_pair_turned(const trm_pair *pair);

/* ---- Touches ------------------------------------------------------------------------------ */

static inline trm_feature trm_point_feature(trm_vec3 point, double radius)
{
    const trm_feature feature = {TRM_FEATURE_POINT, point, {0, 0, 0}, radius};
    return feature;
}

static inline trm_feature trm_line_feature(trm_vec3 point, trm_vec3 direction, double radius)
{
    const trm_feature feature = {TRM_FEATURE_LINE, point, direction, radius};
    return feature;
}

static inline trm_feature trm_plane_feature(trm_vec3 point, trm_vec3 normal)
{
    const trm_feature feature = {TRM_FEATURE_PLANE, point, normal, 0};
    return feature;
}

static inline trm_feature trm_circle_feature(trm_vec3 centre, trm_vec3 axis, double radius)
{
    const trm_feature feature = {TRM_FEATURE_CIRCLE, centre, axis, radius};
    return feature;
}

/* What a code names: a vertex, an edge, a face, or something of this solid that only the pair function knows. */
enum { TRM_CODE_VERTEX = 1u << 28, TRM_CODE_EDGE = 2u << 28, TRM_CODE_FACE = 3u << 28, TRM_CODE_OTHER = 4u << 28 };
enum { TRM_CODE_MARK = 1u << 27 }; /* the farther of two places on one edge */

static inline uint32_t trm_vertex_code(int vertex)
{
    return (uint32_t)TRM_CODE_VERTEX | (uint32_t)vertex;
}

static inline uint32_t trm_edge_code(int edge)
{
    return (uint32_t)TRM_CODE_EDGE | (uint32_t)edge;
}

static inline uint32_t trm_face_code(int face)
{
    return (uint32_t)TRM_CODE_FACE | (uint32_t)face;
}

static inline uint32_t trm_other_code(int what)
{
    return (uint32_t)TRM_CODE_OTHER | (uint32_t)what;
}

/* Adds a touch if its gap is below the margin and there is a manifold with room; one of the same codes goes before. */
void trm_add_manifold_point(trm_pair *pair, const trm_manifold_point *point_at);

/* Leaves at most eight: the deepest, and those that reach farthest in eight directions across n. */
void trm_thin_out(trm_manifold *manifold, trm_vec3 n);

/* ---- Pieces that several pairs share ------------------------------------------------------ */

/* The edges or axes of two solids, from p to q in the frames of a and b. */
typedef struct trm_piece {
    trm_vec3 p, q;
    double radius;
    uint32_t code, code_p, code_q; /* of the piece and of its ends */
} trm_piece;

/* Touches of two pieces with radii around them, whose distance it returns: of the nearest points, and where they run side by
 * side those at the ends of their common length. */
double trm_touch_pieces(trm_pair *pair, const trm_piece *a, const trm_piece *b);

#endif
