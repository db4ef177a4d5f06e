/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts of two polytopes from their best separating axes.
 *
 * The face of the better axis is the reference. The face of the other solid that is most opposite to it (or its
 * axis if it is a capsule, or its centre if it is a sphere) is clipped by the planes through the sides of the
 * reference, perpendicular to it (Sutherland and Hodgman 1974). Every remaining corner is a point of the other
 * solid over the reference face; its height over the face is a gap.
 *
 * If the solids are separated and no corner is as near as the separation along the axis, or if edges give the better
 * axis, the nearest features are two edges, or one of them is a vertex. Their contact is the first. Corners over the
 * face follow, each with its own gap, because they may come into contact next: a box that tips over an edge has
 * contact with the edge first, then with the face.
 *
 * Corners are identified by the features that meet there: a vertex of a, a vertex of b, or an edge of each. This
 * identification does not depend on which face is the reference, so a tie may be decided differently from step to
 * step. */

#include "collide/polytope.h"

/* Sine below which edges are not treated as crossing lines, because their common normal rotates much faster than they
 * do. */
static const double side_by_side = 0.05;

/* Sine below which an edge counts as parallel to the reference. */
static const double nearly_parallel = 0.05;

/* If another axis is better, corners below the reference are added only if the cosine between the face normal and the
 * axis is at least this. */
static const double aligned = 0.98;

/* ---- Ties --------------------------------------------------------------------------------- */

double trm_axis_tie(const trm_pair *pair)
{
    return 1e-14 * (pair->a->size + pair->b->size);
}

double trm_face_tie(const trm_pair *pair)
{
    return pair->manifold ? 1e3 * trm_axis_tie(pair) : 0;
}

double trm_edge_tie(const trm_pair *pair)
{
    const bool bare = pair->a->radius + pair->b->radius == 0;
    return (pair->manifold && bare ? 1e5 : 1) * trm_axis_tie(pair);
}

/* ---- The polygon over the reference ------------------------------------------------------- */

enum { MOST_CORNERS = 128 };

typedef struct corner {
    trm_vec3 x;       /* in the frame of the reference */
    int vertex;       /* of the other solid; -1: intersection of two sides */
    uint32_t code[2]; /* codes of the features of the other solid and of the reference */
    uint32_t side;    /* code of the edge from here to the next corner */
    bool side_is_cut; /* whether that edge belongs to the reference */
    double height;    /* m, over the reference face */
} corner;

typedef struct polygon {
    int count;
    corner corners[MOST_CORNERS];
} polygon;

/* The reference is a face of view->b; the other solid is view->a. */
typedef struct reference {
    const trm_pair *view;
    bool turned; /* true: view is the pair with a and b exchanged */
    const trm_solid_face *face;
    double little; /* m: TRM_FLUSH times the size */
} reference;

static int face_against(const trm_solid *solid, trm_vec3 n)
{
    int best = -1;
    double least = INFINITY;
    for (int f = 0; f < solid->face_count; f++) {
        const double here = trm_v3_dot(solid->faces[f].normal, n);
        if (here < least - 1e-9) least = here, best = f;
    }
    return best;
}

static void add_vertex(const reference *ref, polygon *out, int vertex, uint32_t side)
{
    out->corners[out->count++] = (corner){
        .x = trm_point_of_a(ref->view, ref->view->a->vertices[vertex]),
        .vertex = vertex,
        .code = {trm_vertex_code(vertex), 0},
        .side = side,
    };
}

/* Starts with the part of the other solid that may lie over the reference. If a face has very many corners, some
 * are skipped. */
static void start_polygon(const reference *ref, polygon *out)
{
    const trm_solid *other = ref->view->a;
    const int f = face_against(other, trm_mat_t_vec(ref->view->R, ref->face->normal));
    out->count = 0;
    if (f < 0) {
        for (int i = 0; i < other->vertex_count; i++) add_vertex(ref, out, i, trm_edge_code(0));
        return;
    }
    const trm_solid_face *face = &other->faces[f];
    const int step = 1 + (face->count - 1) / (MOST_CORNERS / 2);
    for (int k = 0; k < face->count; k += step)
        add_vertex(ref, out, other->corners[face->first + k], trm_edge_code(other->sides[face->first + k]));
}

/* Returns the common end of two sides of the reference. */
static int shared_vertex(const trm_solid *solid, uint32_t side_1, uint32_t side_2)
{
    const trm_solid_edge *p = &solid->edges[side_1 ^ (uint32_t)TRM_CODE_EDGE];
    const trm_solid_edge *q = &solid->edges[side_2 ^ (uint32_t)TRM_CODE_EDGE];
    for (int i = 0; i < 2; i++)
        if (p->vertex[i] == q->vertex[0] || p->vertex[i] == q->vertex[1]) return p->vertex[i];
    return -1;
}

/* Returns the point where the side from p to q crosses a clipping plane; dp and dq are the heights over the plane. */
static corner cut_side(const reference *ref, const corner *p, const corner *q, double dp, double dq, uint32_t cut)
{
    const double s = dp / (dp - dq);
    corner at = {.x = trm_v3_add_scaled(p->x, s, trm_v3_sub(q->x, p->x)), .vertex = -1};
    if (p->side_is_cut) {
        const int vertex = shared_vertex(ref->view->b, p->side, cut);
        at.code[0] = 0;
        at.code[1] = vertex >= 0 ? trm_vertex_code(vertex) : p->side + (cut << 8);
    } else {
        at.code[0] = p->side;
        at.code[1] = cut;
    }
    return at;
}

/* Computes how far the corners are beyond the plane through `origin` with unit normal `outward`. Returns whether
 * any is. */
static bool find_beyond(const reference *ref, const polygon *in, trm_vec3 origin, trm_vec3 outward,
                        double beyond[MOST_CORNERS])
{
    bool any = false;
    for (int k = 0; k < in->count; k++) {
        beyond[k] = trm_v3_dot(outward, trm_v3_sub(in->corners[k].x, origin));
        any = any || beyond[k] > ref->little;
    }
    return any;
}

/* Cuts off the part beyond a plane; the new side along the plane gets the code `cut`. */
static void cut_polygon(const reference *ref, const polygon *in, const double *beyond, uint32_t cut, polygon *kept)
{
    kept->count = 0;
    for (int k = 0; k < in->count && kept->count < MOST_CORNERS - 2; k++) {
        const int next = k + 1 < in->count ? k + 1 : 0;
        const corner *p = &in->corners[k], *q = &in->corners[next];
        const double dp = beyond[k], dq = beyond[next];
        const bool leaves = dp < -ref->little && dq > ref->little, enters = dp > ref->little && dq < -ref->little;
        if (dp <= ref->little) {
            kept->corners[kept->count] = *p;
            if (dq > ref->little && !leaves) {
                kept->corners[kept->count].side = cut;
                kept->corners[kept->count].side_is_cut = true;
            }
            kept->count++;
        }
        if (leaves || enters) {
            corner at = cut_side(ref, p, q, dp, dq, cut);
            at.side = leaves ? cut : p->side;
            at.side_is_cut = leaves || p->side_is_cut;
            kept->corners[kept->count++] = at;
        }
    }
}

static void copy_corners(const polygon *from, polygon *to)
{
    to->count = from->count;
    for (int k = 0; k < from->count; k++) to->corners[k] = from->corners[k];
}

static bool is_over_reference(const reference *ref, trm_vec3 x)
{
    const trm_solid *solid = ref->view->b;
    const trm_solid_face *face = ref->face;
    for (int k = 0; k < face->count; k++) {
        const trm_vec3 p = solid->vertices[solid->corners[face->first + k]];
        if (trm_v3_dot(solid->outward[face->first + k], trm_v3_sub(x, p)) > ref->little) return false;
    }
    return true;
}

/* Clips a polygon by all sides of the reference; spare is workspace. Returns the one of the two that holds the
 * result. */
static polygon *cut_by_reference(const reference *ref, polygon *in, polygon *spare)
{
    const trm_solid *solid = ref->view->b;
    const trm_solid_face *face = ref->face;
    for (int k = 0; k < face->count; k++) {
        const trm_vec3 p = solid->vertices[solid->corners[face->first + k]];
        double beyond[MOST_CORNERS];
        if (!find_beyond(ref, in, p, solid->outward[face->first + k], beyond)) continue;
        cut_polygon(ref, in, beyond, trm_edge_code(solid->sides[face->first + k]), spare);
        polygon *swap = in;
        in = spare, spare = swap;
    }
    return in;
}

static void add_corner(polygon *corners, const corner *more)
{
    for (int k = 0; k < corners->count; k++)
        if (corners->corners[k].code[0] == more->code[0] && corners->corners[k].code[1] == more->code[1]) return;
    if (corners->count < MOST_CORNERS) corners->corners[corners->count++] = *more;
}

/* Adds the lowest vertex and an almost level edge there. For solids other than boxes they may belong to faces that
 * are steeper than another face. */
static void add_lowest(const reference *ref, polygon *corners)
{
    const trm_solid *other = ref->view->a;
    const trm_vec3 up = trm_mat_t_vec(ref->view->R, ref->face->normal);
    const int lowest = trm_solid_farthest(other, trm_v3_neg(up)), known = face_against(other, up);
    for (int e = 0; e < other->edge_count; e++) {
        const trm_solid_edge *edge = &other->edges[e];
        if (edge->vertex[0] != lowest && edge->vertex[1] != lowest) continue;
        if (edge->face[0] == known || edge->face[1] == known) continue;
        const trm_vec3 along = trm_v3_sub(other->vertices[edge->vertex[1]], other->vertices[edge->vertex[0]]);
        if (fabs(trm_v3_dot(along, up)) > nearly_parallel * trm_v3_length(along)) continue;
        polygon both, spare;
        both.count = 0;
        for (int k = 0; k < 2; k++) add_vertex(ref, &both, edge->vertex[k], trm_edge_code(e));
        const polygon *kept = cut_by_reference(ref, &both, &spare);
        for (int k = 0; k < kept->count; k++) add_corner(corners, &kept->corners[k]);
    }
    polygon alone;
    alone.count = 0;
    add_vertex(ref, &alone, lowest, 0);
    if (is_over_reference(ref, alone.corners[0].x)) add_corner(corners, &alone.corners[0]);
}

/* Finds the corners over the reference with their heights. Returns the least height. */
static double find_corners(const reference *ref, polygon *corners)
{
    polygon spare;
    start_polygon(ref, corners);
    const polygon *kept = cut_by_reference(ref, corners, &spare);
    if (kept != corners) copy_corners(kept, corners);
    if (ref->view->a->kind == TRM_SOLID_HULL) add_lowest(ref, corners);

    double least = INFINITY;
    for (int k = 0; k < corners->count; k++) {
        corner *at = &corners->corners[k];
        at->height = trm_v3_dot(ref->face->normal, trm_v3_sub(at->x, ref->face->point));
        least = fmin(least, at->height);
    }
    return least;
}

/* ---- Contacts ----------------------------------------------------------------------------- */

static void add_corner_contact(trm_pair *pair, const reference *ref, const corner *at)
{
    const trm_pair *view = ref->view;
    const trm_vec3 point = at->vertex >= 0 ? view->a->vertices[at->vertex] : trm_point_in_a(view, at->x);
    const trm_feature mine = trm_point_feature(point, view->a->radius);
    const trm_feature plane = trm_plane_feature(ref->face->point, ref->face->normal);
    const trm_vec3 n = ref->face->normal;
    const bool turned = ref->turned;
    const trm_manifold_point point_at = {
        .feature = {turned ? plane : mine, turned ? mine : plane},
        .normal = turned ? trm_v3_neg(trm_mat_vec(pair->R, n)) : n,
        .place = turned ? trm_point_of_a(pair, at->x) : at->x,
        .gap = at->height - view->a->radius,
        .code = {at->code[turned], at->code[!turned]},
    };
    trm_add_manifold_point(pair, &point_at);
}

/* Adds the deepest vertex of the other solid, used if there are no corners. */
static void add_deepest(trm_pair *pair, const reference *ref)
{
    const trm_vec3 down = trm_v3_neg(trm_mat_t_vec(ref->view->R, ref->face->normal));
    const int vertex = trm_solid_farthest(ref->view->a, down);
    corner at = {.x = trm_point_of_a(ref->view, ref->view->a->vertices[vertex]),
                 .vertex = vertex,
                 .code = {trm_vertex_code(vertex), 0}};
    at.height = trm_v3_dot(ref->face->normal, trm_v3_sub(at.x, ref->face->point));
    add_corner_contact(pair, ref, &at);
}

static trm_segment piece_of_edge(const trm_solid *solid, int vertex_p, int vertex_q, uint32_t code)
{
    return (trm_segment){solid->vertices[vertex_p], solid->vertices[vertex_q], solid->radius, code,
                         trm_vertex_code(vertex_p), trm_vertex_code(vertex_q)};
}

static trm_segment piece_of(const trm_solid *solid, int edge)
{
    const int *vertex = solid->edges[edge].vertex;
    return piece_of_edge(solid, vertex[0], vertex[1], trm_edge_code(edge));
}

/* Returns a contact of a point of a with a plane of b, used instead of features whose gap is ill-conditioned. */
static trm_manifold_point frozen(const trm_pair *pair, trm_vec3 on_a, trm_vec3 on_b, trm_vec3 n)
{
    return (trm_manifold_point){
        .feature = {trm_point_feature(trm_point_in_a(pair, on_a), pair->a->radius),
                    trm_plane_feature(trm_v3_add_scaled(on_b, pair->b->radius, n), n)},
        .normal = n,
        .place = on_a,
        .gap = trm_v3_dot(n, trm_v3_sub(on_a, on_b)) - pair->a->radius - pair->b->radius,
    };
}

/* Finds where the lines of two edges are nearest, as fractions of the edges. */
static void nearest_on_lines(trm_vec3 p, trm_vec3 along_p, trm_vec3 q, trm_vec3 along_q, double *s, double *t)
{
    const trm_vec3 c = trm_v3_cross(along_p, along_q), d = trm_v3_sub(p, q);
    const double cc = trm_v3_dot(c, c);
    *s = -trm_v3_dot(d, trm_v3_cross(along_q, c)) / cc;
    *t = -trm_v3_dot(d, trm_v3_cross(along_p, c)) / cc;
}

/* Adds two edges whose common normal is the best axis. Returns false if they are separated and nearest at an end. */
static bool add_edges(trm_pair *pair, const trm_axes *axes)
{
    const trm_segment a = piece_of(pair->a, axes->edge_a), b = piece_of(pair->b, axes->edge_b);
    const trm_vec3 p = trm_point_of_a(pair, a.p), along_a = trm_mat_vec(pair->R, trm_v3_sub(a.q, a.p));
    const trm_vec3 along_b = trm_v3_sub(b.q, b.p);
    double s, t;
    nearest_on_lines(p, along_a, b.p, along_b, &s, &t);
    const double little = pair->manifold ? TRM_FLUSH : 0;
    if (axes->separation > 0 && (s < -little || s > 1 + little || t < -little || t > 1 + little)) return false;

    const trm_vec3 on_a = trm_v3_add_scaled(p, s, along_a), on_b = trm_v3_add_scaled(b.p, t, along_b);
    trm_manifold_point point_at = frozen(pair, on_a, on_b, axes->normal);
    point_at.code[0] = a.code, point_at.code[1] = b.code;
    const trm_vec3 u = trm_v3_unit(along_a), v = trm_v3_unit(along_b);
    /* lines with radii cannot pass each other */
    const bool may_cross = a.radius + b.radius == 0 || axes->separation > trm_axis_tie(pair);
    if (may_cross && trm_v3_length(trm_v3_cross(u, v)) > side_by_side) {
        point_at.feature[0] = trm_line_feature(a.p, trm_v3_unit(trm_v3_sub(a.q, a.p)), a.radius);
        point_at.feature[1] = trm_line_feature(b.p, v, b.radius);
    }
    trm_add_manifold_point(pair, &point_at);
    return true;
}

/* Writes the first two distinct vertices among `count` vertices to found. Returns the number of distinct vertices, at
 * most 3. */
static int distinct(const int *vertices, int count, int found[2])
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        const bool known = (n > 0 && vertices[i] == found[0]) || (n > 1 && vertices[i] == found[1]);
        if (!known && n < 2)
            found[n++] = vertices[i];
        else if (!known)
            n = 3;
        if (n == 3) return 3;
    }
    return n;
}

/* Returns the code of the edge between two vertices, or a code that no edge has. */
static uint32_t code_between(const trm_solid *solid, int p, int q)
{
    for (int e = 0; e < solid->edge_count; e++) {
        const int *v = solid->edges[e].vertex;
        if ((v[0] == p && v[1] == q) || (v[0] == q && v[1] == p)) return trm_edge_code(e);
    }
    return trm_other_code((p < q ? p : q) << 12 ^ (p < q ? q : p));
}

/* Returns the other end of the edge at a vertex that is nearly parallel to u, in the frame of the solid. Returns the
 * vertex if there is none. */
static int other_end_along(const trm_solid *solid, int vertex, trm_vec3 u)
{
    for (int e = 0; e < solid->edge_count; e++) {
        const int *v = solid->edges[e].vertex;
        if (v[0] != vertex && v[1] != vertex) continue;
        const trm_vec3 along = trm_v3_unit(trm_v3_sub(solid->vertices[v[1]], solid->vertices[v[0]]));
        if (trm_v3_length(trm_v3_cross(along, u)) < side_by_side) return v[0] == vertex ? v[1] : v[0];
    }
    return vertex;
}

static trm_vec3 direction_between(const trm_solid *solid, int p, int q)
{
    return trm_v3_unit(trm_v3_sub(solid->vertices[q], solid->vertices[p]));
}

/* Completes an edge of which only one end is nearest, if it is nearly parallel to the nearest edge of the other solid:
 * rounding decides which end of a capsule is nearest to an edge along it, and the other end touches at once. */
static void complete_parallel_edges(const trm_pair *pair, int first_a, int *last_a, int first_b, int *last_b)
{
    if (pair->a->radius + pair->b->radius == 0) return; /* cores that touch have no direction between them */
    if (first_a != *last_a && first_b == *last_b) {
        const trm_vec3 u = trm_mat_vec(pair->R, direction_between(pair->a, first_a, *last_a));
        *last_b = other_end_along(pair->b, first_b, u);
    } else if (first_a == *last_a && first_b != *last_b) {
        const trm_vec3 u = trm_mat_t_vec(pair->R, direction_between(pair->b, first_b, *last_b));
        *last_a = other_end_along(pair->a, first_a, u);
    }
}

/* Adds the nearest features of separated cores: at least one is a vertex, or they are two parallel edges. */
static void add_nearest(trm_pair *pair, const trm_closest *closest)
{
    int of_a[2] = {0, 0}, of_b[2] = {0, 0};
    const int count_a = distinct(closest->vertex_a, closest->count, of_a);
    const int count_b = distinct(closest->vertex_b, closest->count, of_b);
    if (count_a < 3 && count_b < 3) {
        int last_a = of_a[count_a - 1], last_b = of_b[count_b - 1];
        complete_parallel_edges(pair, of_a[0], &last_a, of_b[0], &last_b);
        const trm_segment a = piece_of_edge(pair->a, of_a[0], last_a, code_between(pair->a, of_a[0], last_a));
        const trm_segment b = piece_of_edge(pair->b, of_b[0], last_b, code_between(pair->b, of_b[0], last_b));
        trm_collide_segments(pair, &a, &b);
        return;
    }
    trm_manifold_point point_at = frozen(pair, closest->on_a, closest->on_b, closest->normal);
    for (int i = 0; i < closest->count; i++) {
        point_at.code[0] += (uint32_t)(closest->vertex_a[i] + 1) * 0x9e3779b1u;
        point_at.code[1] += (uint32_t)(closest->vertex_b[i] + 1) * 0x9e3779b1u;
    }
    trm_add_manifold_point(pair, &point_at);
}

/* ---- The manifold ------------------------------------------------------------------------- */

/* Adds corners in addition to the nearest features, which are along n with a known gap. */
static void add_other_corners(trm_pair *pair, const reference *ref, const polygon *corners, trm_vec3 n, double gap)
{
    const trm_vec3 m = ref->turned ? trm_v3_neg(trm_mat_vec(pair->R, ref->face->normal)) : ref->face->normal;
    const bool same_way = trm_v3_dot(m, n) > aligned;
    for (int k = 0; k < corners->count; k++) {
        const double here = corners->corners[k].height - ref->view->a->radius;
        if (here >= gap && (corners->corners[k].height > 0 || same_way))
            add_corner_contact(pair, ref, &corners->corners[k]);
    }
}

/* Adds the corners over the reference. If the solids penetrate by more than a tie and no corner is below the
 * reference, the deepest vertex is added. For a triangle of a mesh it is not added, because vertices that are not
 * over the triangle are over its neighbours. */
static double add_face(trm_pair *pair, const reference *ref, const polygon *corners, double separation)
{
    bool held = separation > -trm_face_tie(pair) - trm_edge_tie(pair) || !pair->manifold || pair->allows;
    for (int k = 0; k < corners->count; k++) {
        add_corner_contact(pair, ref, &corners->corners[k]);
        held = held || corners->corners[k].height < 0;
    }
    if (!held) add_deepest(pair, ref);
    return separation - pair->a->radius - pair->b->radius;
}

static double add_separated(trm_pair *pair, const reference *ref, const polygon *corners, const trm_axes *axes)
{
    const trm_closest closest = axes->closest ? *axes->closest : trm_gjk(pair);
    if (closest.distance == 0) return add_face(pair, ref, corners, 0);
    const double gap = closest.distance - pair->a->radius - pair->b->radius;
    if (!pair->allows || pair->allows(pair->triangle, closest.normal)) add_nearest(pair, &closest);
    if (pair->manifold && ref->face) add_other_corners(pair, ref, corners, closest.normal, gap);
    return gap;
}

static double manifold_of(trm_pair *pair, const reference *ref, const polygon *corners, double least,
                          const trm_axes *axes)
{
    const double radii = pair->a->radius + pair->b->radius, rounding = trm_axis_tie(pair);
    const double apart = axes->closest ? axes->closest->distance : axes->face_separation;
    if (axes->edge_a >= 0) {
        /* the face of a triangle does not separate it from points on its inner side */
        const bool too_near = axes->closest && axes->separation < 0 && apart > rounding;
        if (too_near || !add_edges(pair, axes)) return add_separated(pair, ref, corners, axes);
        if (pair->manifold && ref->face)
            add_other_corners(pair, ref, corners, axes->normal, axes->separation - radii);
        return axes->separation - radii;
    }
    const double ties = rounding + trm_face_tie(pair) + trm_edge_tie(pair);
    const bool over_face = axes->face_separation > 0 && least <= axes->face_separation + ties;
    if (apart > rounding && !over_face) return add_separated(pair, ref, corners, axes);
    return add_face(pair, ref, corners, axes->face_separation);
}

double trm_polytope_manifold(trm_pair *pair, const trm_axes *axes)
{
    const trm_pair turned = trm_pair_turned(pair);
    const trm_pair *view = axes->of_a ? &turned : pair;
    const reference ref = {view, axes->of_a, axes->face >= 0 ? &view->b->faces[axes->face] : NULL,
                           pair->manifold ? TRM_FLUSH * (pair->a->size + pair->b->size) : 0};
    polygon corners;
    corners.count = 0;
    const double least = ref.face ? find_corners(&ref, &corners) : INFINITY;
    const double distance = manifold_of(pair, &ref, &corners, least, axes);
    if (pair->manifold && ref.face)
        trm_reduce_manifold(pair->manifold, axes->of_a ? trm_mat_vec(pair->R, ref.face->normal) : ref.face->normal);
    return distance;
}
