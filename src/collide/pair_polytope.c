/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Polytope against polytope by separating axes: the normals of all faces of both and the common normals of edges.
 *
 * Along a unit vector n from b to a they are apart by sep(n) = min_A n.x - max_B n.x. The greatest sep over all n
 * is their signed distance. If it is negative, its n is a face normal of the difference A - B; these faces are
 * faces of a, faces of -b, and parallelograms of two edges. Two edges form such a parallelogram only if the arcs
 * between the normals of their faces cross on the unit sphere (Gregorius, The Separating Axis Test, GDC 2013):
 *
 *     (nB0.eA)(nB1.eA) < 0,  (nA0.eB)(nA1.eB) < 0,  (nB0.eA)(nA1.eB) < 0,
 *
 * where e is the direction of an edge, along nX0 x nX1. The axis of a capsule has no faces; its arc is the whole
 * circle.
 *
 * Edges that give a better axis than the faces are not farther apart than the separation along the best face axis. So
 * only edges near the other solid are tried. */

#include "collide/polytope.h"

/* Edges with a smaller sine between them have no sufficiently exact common normal. */
static const double least_sine = 1e-6;

/* ---- Faces -------------------------------------------------------------------------------- */

/* Returns whether a face of view->b may be in contact with a triangle of a mesh, view->a. */
static bool is_allowed(const trm_pair *view, trm_vec3 normal)
{
    if (!view->allows || view->a->kind != TRM_SOLID_MESH) return true;
    return view->allows(view->triangle, trm_v3_neg(trm_mat_t_vec(view->R, normal)));
}

/* Returns the best face of b, the first of those that are equally good up to a tie. Returns -1 if the solids are
 * separated by more than `enough` or b has no faces. */
static int best_face(const trm_pair *pair, double *best, double enough)
{
    const double tie = pair->manifold ? trm_edge_tie(pair) : 0;
    int face = -1;
    *best = -INFINITY;
    for (int f = 0; f < pair->b->face_count; f++) {
        const trm_solid_face *at = &pair->b->faces[f];
        const int low = trm_solid_farthest(pair->a, trm_v3_neg(trm_mat_t_vec(pair->R, at->normal)));
        const trm_vec3 x = trm_point_of_a(pair, pair->a->vertices[low]);
        const double separation = trm_v3_dot(at->normal, trm_v3_sub(x, at->point));
        if (separation > enough) {
            *best = separation;
            return -1;
        }
        if (separation > *best + tie && is_allowed(pair, at->normal)) *best = separation, face = f;
    }
    return face;
}

/* ---- Edges -------------------------------------------------------------------------------- */

/* An edge in the frame of b. */
typedef struct placed_edge {
    trm_vec3 p, along;
    trm_vec3 normal[2];
    bool has_faces;
    trm_bounds box;
} placed_edge;

static placed_edge place_edge(const trm_solid *solid, int e, const trm_pair *pair)
{
    const trm_solid_edge *edge = &solid->edges[e];
    trm_vec3 p = solid->vertices[edge->vertex[0]], q = solid->vertices[edge->vertex[1]];
    if (pair) p = trm_point_of_a(pair, p), q = trm_point_of_a(pair, q);
    placed_edge placed = {.p = p, .along = trm_v3_sub(q, p), .has_faces = edge->face[0] >= 0};
    placed.box.lo = trm_v3(fmin(p.x, q.x), fmin(p.y, q.y), fmin(p.z, q.z));
    placed.box.hi = trm_v3(fmax(p.x, q.x), fmax(p.y, q.y), fmax(p.z, q.z));
    for (int k = 0; k < 2 && placed.has_faces; k++) {
        const trm_vec3 n = solid->faces[edge->face[k]].normal;
        placed.normal[k] = pair ? trm_mat_vec(pair->R, n) : n;
    }
    return placed;
}

static bool make_a_parallelogram(const placed_edge *a, const placed_edge *b)
{
    double b0 = -1, b1 = 1, a0 = -1, a1 = 1;
    if (b->has_faces) b0 = trm_v3_dot(b->normal[0], a->along), b1 = trm_v3_dot(b->normal[1], a->along);
    if (b0 * b1 >= 0) return false;
    if (a->has_faces) a0 = trm_v3_dot(a->normal[0], b->along), a1 = trm_v3_dot(a->normal[1], b->along);
    if (a0 * a1 >= 0) return false;
    return !a->has_faces || !b->has_faces || b0 * a1 < 0;
}

/* Returns whether n is an outward direction of b and an inward direction of a. */
static bool points_to_b(const placed_edge *a, const placed_edge *b, trm_vec3 n)
{
    if (b->has_faces) return trm_v3_dot(n, trm_v3_add(b->normal[0], b->normal[1])) < 0;
    return trm_v3_dot(n, trm_v3_add(a->normal[0], a->normal[1])) > 0;
}

static void try_edges(const placed_edge *a, const placed_edge *b, int edge_a, int edge_b, double tie, trm_axes *axes)
{
    const trm_vec3 c = trm_v3_cross(a->along, b->along);
    const double cc = trm_v3_dot(c, c), lengths = trm_v3_dot(a->along, a->along) * trm_v3_dot(b->along, b->along);
    if (cc <= least_sine * least_sine * lengths || !make_a_parallelogram(a, b)) return;
    const trm_vec3 n = trm_v3_scale((points_to_b(a, b, c) ? -1 : 1) / sqrt(cc), c);
    const double separation = trm_v3_dot(n, trm_v3_sub(a->p, b->p));
    /* rounding turns n by 1/sine */
    if (!(separation > axes->separation + tie * sqrt(lengths / cc))) return;
    axes->separation = separation;
    axes->edge_a = edge_a, axes->edge_b = edge_b;
    axes->normal = n;
}

/* Returns the bounds of a in the frame of b. */
static trm_bounds bounds_of_a(const trm_pair *pair)
{
    trm_bounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < pair->a->vertex_count; i++) {
        const trm_vec3 x = trm_point_of_a(pair, pair->a->vertices[i]);
        const trm_bounds point = {x, x};
        box = trm_bounds_union(&box, &point);
    }
    return box;
}

static trm_bounds bounds_of_b(const trm_pair *pair)
{
    trm_bounds box = {pair->b->vertices[0], pair->b->vertices[0]};
    for (int i = 1; i < pair->b->vertex_count; i++) {
        const trm_bounds point = {pair->b->vertices[i], pair->b->vertices[i]};
        box = trm_bounds_union(&box, &point);
    }
    return box;
}

/* Finds the best edges, starting from the result of the faces, which edges must improve. */
static void best_edges(const trm_pair *pair, double reach, trm_axes *axes)
{
    const double tie = trm_axis_tie(pair);
    const trm_bounds around_a = trm_bounds_grown(bounds_of_a(pair), reach);
    const trm_bounds around_b = trm_bounds_grown(bounds_of_b(pair), reach);
    axes->separation = axes->face_separation + trm_edge_tie(pair);
    axes->edge_a = axes->edge_b = -1;
    for (int i = 0; i < pair->a->edge_count; i++) {
        const placed_edge a = place_edge(pair->a, i, pair);
        if (!trm_bounds_overlap(&a.box, &around_b)) continue;
        const trm_bounds near_a = trm_bounds_grown(a.box, reach);
        for (int k = 0; k < pair->b->edge_count; k++) {
            const placed_edge b = place_edge(pair->b, k, NULL);
            if (trm_bounds_overlap(&b.box, &near_a) && trm_bounds_overlap(&b.box, &around_a))
                try_edges(&a, &b, i, k, tie, axes);
        }
    }
}

/* ---- The pair ----------------------------------------------------------------------------- */

static double distance_of_centres(const trm_pair *pair)
{
    return trm_v3_length(trm_v3_sub(trm_point_of_a(pair, pair->a->centre), pair->b->centre)) - pair->a->size -
           pair->b->size;
}

double trm_polytope_polytope(trm_pair *pair)
{
    const double far = distance_of_centres(pair), enough = pair->margin + pair->a->radius + pair->b->radius;
    if (pair->manifold && far > pair->margin) return far;

    const trm_closest closest = trm_gjk(pair);
    if (closest.distance > enough || (!pair->manifold && closest.distance > trm_axis_tie(pair)))
        return closest.distance - pair->a->radius - pair->b->radius;
    const trm_pair turned = trm_pair_turned(pair);
    double by_a, by_b;
    const int face_b = best_face(pair, &by_b, enough);
    if (by_b > enough) return by_b - pair->a->radius - pair->b->radius;
    const int face_a = best_face(&turned, &by_a, enough);
    if (by_a > enough) return by_a - pair->a->radius - pair->b->radius;

    trm_axes axes = {.closest = &closest, .of_a = by_a > by_b + trm_face_tie(pair)};
    axes.face = axes.of_a ? face_a : face_b;
    axes.face_separation = axes.of_a ? by_a : by_b;
    const double reach = closest.distance > 0 ? closest.distance : fabs(axes.face_separation);
    best_edges(pair, 1.001 * reach + trm_axis_tie(pair), &axes);
    return trm_polytope_manifold(pair, &axes);
}
