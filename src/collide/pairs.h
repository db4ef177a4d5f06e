/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Distance and contacts of two solids that are near each other: one function per pair of kinds.
 *
 * All quantities are in the principal frame of b; the normal n points from b to a. A pair function returns the
 * signed distance [m]. If a manifold is requested, it also adds the contacts: pairs of features that are nearest,
 * or may become nearest as the bodies rotate. */

#ifndef TRM_COLLIDE_PAIRS_H
#define TRM_COLLIDE_PAIRS_H

#include "collide/contact.h"
#include "collide/solid.h"

/* Relative to the sizes of both: corners that are outside a side of a face by less than this still count as over it.
 * The corners of bodies stacked flush are on the sides, and rounding must not decide whether they touch. No corner is
 * moved. */
#define TRM_FLUSH 1e-8

/* One contact as found by a pair function. */
typedef struct trm_manifold_point {
    trm_feature feature[2]; /* in the frames of a and b */
    trm_vec3 normal;        /* n, in the frame of b */
    trm_vec3 place;         /* approximate position of the contact, m, in the frame of b */
    double gap;             /* m */
    uint32_t code[2];       /* identify the feature of each solid */
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
    double margin;          /* m: contacts with a gap below this are requested */
    trm_manifold *manifold; /* NULL: only the distance is requested */

    /* Returns whether a triangle of a mesh may have a contact with normal n (outward, in the frame of the mesh, not
     * the triangle's own normal). Its range of normals ends where those of its neighbours begin. NULL: all normals
     * are allowed. */
    bool (*allows)(const void *triangle, trm_vec3 n);
    const void *triangle;
} trm_pair;

typedef double (*trm_pair_function)(trm_pair *pair);

double trm_sphere_sphere(trm_pair *pair);
double trm_sphere_capsule(trm_pair *pair);
double trm_capsule_capsule(trm_pair *pair);
double trm_sphere_box(trm_pair *pair);
double trm_box_box(trm_pair *pair);
double trm_polytope_polytope(trm_pair *pair); /* any two solids with vertices, with or without radii */
double trm_vertices_plane(trm_pair *pair);    /* any solid with vertices against a plane */
double trm_cylinder_plane(trm_pair *pair);
double trm_cylinder_any(trm_pair *pair); /* b is a cylinder; a is a convex solid with vertices, or a cylinder */
double trm_ellipsoid_plane(trm_pair *pair);
double trm_ellipsoid_any(trm_pair *pair); /* b is an ellipsoid; a is a convex solid */
double trm_convex_mesh(trm_pair *pair);

/* ---- Changes of frame --------------------------------------------------------------------- */

static inline trm_vec3 trm_point_of_a(const trm_pair *pair, trm_vec3 x_a) /* a point of a in the frame of b */
{
    return trm_v3_add(trm_mat_vec(pair->R, x_a), pair->t);
}

static inline trm_vec3 trm_point_in_a(const trm_pair *pair, trm_vec3 x_b)
{
    return trm_mat_t_vec(pair->R, trm_v3_sub(x_b, pair->t));
}

/* Returns the pair with a and b exchanged; all quantities are then in the frame of the old a. */
trm_pair trm_pair_turned(const trm_pair *pair);

/* ---- Contacts ----------------------------------------------------------------------------- */

static inline trm_feature trm_point_feature(trm_vec3 point, double radius)
{
    const trm_feature feature = {TRM_FEATURE_POINT, point, {0, 0, 0}, radius, NULL};
    return feature;
}

static inline trm_feature trm_line_feature(trm_vec3 point, trm_vec3 direction, double radius)
{
    const trm_feature feature = {TRM_FEATURE_LINE, point, direction, radius, NULL};
    return feature;
}

static inline trm_feature trm_plane_feature(trm_vec3 point, trm_vec3 normal)
{
    const trm_feature feature = {TRM_FEATURE_PLANE, point, normal, 0, NULL};
    return feature;
}

static inline trm_feature trm_circle_feature(trm_vec3 centre, trm_vec3 axis, double radius)
{
    const trm_feature feature = {TRM_FEATURE_CIRCLE, centre, axis, radius, NULL};
    return feature;
}

static inline trm_feature trm_ellipsoid_feature(const trm_solid *solid)
{
    const trm_feature feature = {TRM_FEATURE_ELLIPSOID, solid->centre, {0, 0, 0}, 0, &solid->half_axes};
    return feature;
}

/* Kinds of features in a code: a vertex, an edge, a face, or another feature that only the pair function knows. */
enum { TRM_CODE_VERTEX = 1u << 28, TRM_CODE_EDGE = 2u << 28, TRM_CODE_FACE = 3u << 28, TRM_CODE_OTHER = 4u << 28 };
enum { TRM_CODE_MARK = 1u << 27 }; /* the farther of two points on one edge */

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

/* Adds a contact if its gap is below the margin, the manifold exists and has room, and no contact with the same
 * codes is there. */
void trm_add_manifold_point(trm_pair *pair, const trm_manifold_point *point_at);

/* Reduces the manifold to at most eight contacts: the deepest, and those that reach farthest in directions
 * perpendicular to n. */
void trm_reduce_manifold(trm_manifold *manifold, trm_vec3 n);

/* ---- Segments ----------------------------------------------------------------------------- */

/* An edge or axis of a solid, from p to q, in the frame of that solid. */
typedef struct trm_segment {
    trm_vec3 p, q;
    double radius;
    uint32_t code, code_p, code_q; /* of the segment and of its ends */
} trm_segment;

/* Adds the contacts of two segments with radii: one at the nearest points, or two at the ends of the common length
 * where the segments are parallel. Returns the distance of the segments. */
double trm_collide_segments(trm_pair *pair, const trm_segment *a, const trm_segment *b);

#endif
