/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts of ellipsoids. An ellipsoid is strictly convex: it touches another convex solid at one point, with one of
 * its features. b is the ellipsoid, n points from b to a.
 *
 * Each feature of a is tried: faces and caps along their normals, edges, vertices, sides and rims along the normal
 * of their least distance (smooth_gap.c). If the feature is where a reaches farthest along -n, and the nearest
 * point is on it, then its gap is the separation of a and b along n. The greatest separation is the signed
 * distance, so the feature with the greatest gap is in contact. */

#include "collide/pairs.h"
#include "collide/smooth_gap.h"
#include "math/rotation.h"

/* Relative to the size: distance by which other points of a may be lower than a feature that still counts as the
 * lowest. */
static const double level = 1e-9;

/* State of the search for the feature in contact. */
typedef struct search {
    trm_pair *pair;
    trm_smooth ellipsoid;
    trm_vec3 start; /* normal with which the search for the least distance begins */
    bool found;     /* best is a contact */
    bool usable;    /* the contact does not belong to neighbours of a triangle */
    trm_manifold_point best;
} search;

/* ---- Features ----------------------------------------------------------------------------- */

static trm_smooth smooth_at(trm_vec3 x, double radius)
{
    return (trm_smooth){.x = x, .radius = radius};
}

/* Returns the radius around the core of a; 0 for a cylinder, whose radius is not one around a core. */
static double radius_of(const trm_solid *a)
{
    return a->kind == TRM_SOLID_CYLINDER ? 0 : a->radius;
}

/* Returns whether no point of a is lower along n than a height. */
static bool is_lowest(const search *s, trm_vec3 n, double height)
{
    const trm_pair *pair = s->pair;
    int vertex;
    const trm_vec3 support = trm_solid_support(pair->a, trm_v3_neg(trm_mat_t_vec(pair->R, n)), &vertex);
    const double lowest = trm_v3_dot(n, trm_point_of_a(pair, support)) - radius_of(pair->a);
    return lowest >= height - level * (pair->a->size + trm_v3_length(pair->t));
}

static bool is_allowed(const trm_pair *pair, trm_vec3 n)
{
    return !pair->allows || pair->allows(pair->triangle, trm_v3_neg(trm_mat_t_vec(pair->R, n)));
}

/* Replaces the best contact by that of a feature of a, given in the frame of a, if its gap is larger. For separated
 * solids the gap of any feature counts, even if the contact belongs to neighbours of a triangle; for overlapping
 * solids only gaps of the triangle's own features count. */
static void consider(search *s, trm_feature feature, const trm_smooth_gap *at, bool face, uint32_t code)
{
    const bool usable = face || is_allowed(s->pair, at->normal);
    if (!usable && !(at->gap > 0)) return;
    if (s->found && !(at->gap > s->best.gap)) return;
    s->found = true;
    s->usable = usable;
    s->best = (trm_manifold_point){
        .feature = {feature, trm_ellipsoid_feature(s->pair->b)},
        .normal = at->normal,
        .place = at->on_b,
        .gap = at->gap,
        .code = {code, 0},
    };
}

/* Returns the gap with a feature of a, from b to a. The search begins along the outward direction of the feature in the
 * frame of a, or along that of the centres if it is 0: overlapping solids can be separated in several directions. */
static trm_smooth_gap gap_of(const search *s, const trm_smooth *of_a, const trm_vec3 *line, trm_vec3 outward)
{
    const double length = trm_v3_length(outward);
    const trm_vec3 start =
        length > 0 ? trm_mat_vec(s->pair->R, trm_v3_scale(1 / length, outward)) : trm_v3_neg(s->start);
    const trm_smooth_gap turned = trm_find_smooth_gap(&s->ellipsoid, of_a, line, start);
    return (trm_smooth_gap){turned.gap, trm_v3_neg(turned.normal), turned.on_b, turned.on_a};
}

static void try_vertex(search *s, int i)
{
    const trm_solid *a = s->pair->a;
    const trm_smooth point = smooth_at(trm_point_of_a(s->pair, a->vertices[i]), a->radius);
    const bool is_corner = a->face_count > 0;
    const trm_vec3 outward = is_corner ? trm_v3_sub(a->vertices[i], a->centre) : trm_v3(0, 0, 0);
    const trm_smooth_gap at = gap_of(s, &point, NULL, outward);
    if (is_lowest(s, at.normal, trm_v3_dot(at.normal, at.on_a)))
        consider(s, trm_point_feature(a->vertices[i], a->radius), &at, false, trm_vertex_code(i));
}

/* Tries a segment from p to q in the frame of a, with a radius. */
static void try_segment(search *s, trm_vec3 p, trm_vec3 q, trm_vec3 outward, double radius, uint32_t code)
{
    const trm_vec3 along = trm_v3_sub(q, p), u = trm_v3_unit(along), v = trm_mat_vec(s->pair->R, u);
    const double length = trm_v3_length(along);
    if (!(length > 0)) return;
    const trm_smooth line = smooth_at(trm_point_of_a(s->pair, p), radius);
    const trm_smooth_gap at = gap_of(s, &line, &v, outward);
    const double on = trm_v3_dot(v, trm_v3_sub(at.on_a, line.x));
    if (on >= 0 && on <= length && is_lowest(s, at.normal, trm_v3_dot(at.normal, at.on_a)))
        consider(s, trm_line_feature(p, u, radius), &at, false, code);
}

/* Returns the gap of the plane of a through a point with an outward normal, all in the frame of a. */
static trm_smooth_gap gap_of_plane(const search *s, trm_vec3 point, trm_vec3 normal)
{
    const trm_smooth plane = smooth_at(trm_point_of_a(s->pair, point), radius_of(s->pair->a));
    const trm_vec3 m = trm_mat_vec(s->pair->R, normal);
    const trm_smooth_gap turned = trm_smooth_gap_along(&s->ellipsoid, &plane, m);
    const trm_vec3 foot = trm_v3_add_scaled(turned.on_a, -turned.gap, m);
    return (trm_smooth_gap){turned.gap, trm_v3_neg(m), foot, turned.on_a};
}

/* Returns whether a point, in the frame of a, is over a face. */
static bool is_over(const trm_solid *a, const trm_solid_face *face, trm_vec3 x)
{
    for (int k = 0; k < face->count; k++) {
        const trm_vec3 from = a->vertices[a->corners[face->first + k]];
        if (trm_v3_dot(a->outward[face->first + k], trm_v3_sub(x, from)) > 0) return false;
    }
    return true;
}

/* Tries a face. anywhere: also if the nearest point is not over the face. */
static void try_face(search *s, int f, bool anywhere)
{
    const trm_solid_face *face = &s->pair->a->faces[f];
    const trm_smooth_gap at = gap_of_plane(s, face->point, face->normal);
    if (anywhere || is_over(s->pair->a, face, trm_point_in_a(s->pair, at.on_a)))
        consider(s, trm_plane_feature(face->point, face->normal), &at, true, trm_face_code(f));
}

/* ---- Solids ------------------------------------------------------------------------------- */

static void try_polytope(search *s)
{
    const trm_solid *a = s->pair->a;
    for (int f = 0; f < a->face_count; f++) try_face(s, f, false);
    for (int e = 0; e < a->edge_count; e++) {
        const int *v = a->edges[e].vertex, *f = a->edges[e].face;
        const trm_vec3 outward =
            f[0] >= 0 ? trm_v3_add(a->faces[f[0]].normal, a->faces[f[1]].normal) : trm_v3(0, 0, 0);
        try_segment(s, a->vertices[v[0]], a->vertices[v[1]], outward, a->radius, trm_edge_code(e));
    }
    for (int i = 0; i < a->vertex_count; i++) try_vertex(s, i);
    const bool deep = !s->found; /* then the nearest point of a face may be outside it */
    for (int f = 0; f < a->face_count && !s->pair->allows; f++)
        if (deep) try_face(s, f, true);
}

/* Tries the cap at one end of a cylinder and its rim. */
static void try_end(search *s, int side)
{
    const trm_solid *a = s->pair->a;
    const trm_vec3 u = trm_v3_scale(side, trm_column(a->axes, 2)),
                   centre = trm_v3_add_scaled(a->centre, a->half_length, u);
    const trm_smooth_gap cap = gap_of_plane(s, centre, u);
    const trm_vec3 x = trm_v3_sub(trm_point_in_a(s->pair, cap.on_a), centre);
    if (trm_v3_length(trm_v3_add_scaled(x, -trm_v3_dot(x, u), u)) <= a->radius)
        consider(s, trm_plane_feature(centre, u), &cap, true, trm_other_code(1 + side));

    const trm_vec3 v = trm_mat_vec(s->pair->R, u), e = trm_v3_scale(a->radius, trm_perpendicular(v));
    const trm_smooth disc = {.x = trm_point_of_a(s->pair, centre),
                             .A = trm_columns(e, trm_v3_cross(v, e), trm_v3(0, 0, 0))};
    const trm_smooth_gap rim = gap_of(s, &disc, NULL, trm_v3(0, 0, 0));
    if (is_lowest(s, rim.normal, trm_v3_dot(rim.normal, rim.on_a)))
        consider(s, trm_circle_feature(centre, u, a->radius), &rim, false, trm_other_code(4 + side));
}

static void try_cylinder(search *s)
{
    const trm_solid *a = s->pair->a;
    const trm_vec3 half = trm_v3_scale(a->half_length, trm_column(a->axes, 2));
    try_segment(s, trm_v3_sub(a->centre, half), trm_v3_add(a->centre, half), trm_v3(0, 0, 0), a->radius,
                trm_other_code(8));
    try_end(s, -1);
    try_end(s, 1);
}

static void try_ellipsoid(search *s)
{
    const trm_solid *a = s->pair->a;
    const trm_smooth other = {.x = trm_point_of_a(s->pair, a->centre), .A = trm_mat_mul(s->pair->R, a->half_axes)};
    const trm_smooth_gap at = gap_of(s, &other, NULL, trm_v3(0, 0, 0));
    consider(s, trm_ellipsoid_feature(a), &at, true, 0);
}

double trm_ellipsoid_any(trm_pair *pair)
{
    const trm_solid *a = pair->a, *b = pair->b;
    const trm_vec3 d = trm_v3_sub(trm_point_of_a(pair, a->centre), b->centre);
    const double distance = trm_v3_length(d), far = distance - a->size - radius_of(a) - b->size;
    if (pair->manifold && far > pair->margin) return far;
    search s = {.pair = pair,
                .ellipsoid = {.x = b->centre, .A = b->half_axes},
                .start = distance > 0 ? trm_v3_scale(1 / distance, d) : trm_axis(0)};
    if (a->kind == TRM_SOLID_CYLINDER)
        try_cylinder(&s);
    else if (a->kind == TRM_SOLID_ELLIPSOID)
        try_ellipsoid(&s);
    else
        try_polytope(&s);
    if (!s.found) return INFINITY;
    if (s.usable) trm_add_manifold_point(pair, &s.best);
    return s.best.gap;
}

double trm_ellipsoid_plane(trm_pair *pair)
{
    const trm_solid *a = pair->a, *b = pair->b;
    const trm_smooth of_a = {.x = trm_point_of_a(pair, a->centre), .A = trm_mat_mul(pair->R, a->half_axes)};
    const trm_smooth plane = smooth_at(trm_v3_scale(b->offset, b->normal), 0);
    const trm_smooth_gap at = trm_smooth_gap_along(&of_a, &plane, b->normal);
    const trm_manifold_point point_at = {
        .feature = {trm_ellipsoid_feature(a), trm_plane_feature(plane.x, b->normal)},
        .normal = b->normal,
        .place = at.on_a,
        .gap = at.gap,
    };
    trm_add_manifold_point(pair, &point_at);
    return at.gap;
}
