/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Two bodies with one random shape each, and their distance by exhaustive search, with which tests of the narrow
 * phase compare. */

#ifndef TRM_TESTS_SHAPE_PAIRS_H
#define TRM_TESTS_SHAPE_PAIRS_H

#include "collide/collider.h"
#include "collide/solid.h"
#include "math/hull.h"
#include "model/shape.h"
#include "random_bodies.h"

typedef struct shape_pair {
    uint64_t seed; /* seed of the shapes */
    trm_arena arena;
    trm_shape shape[2];
    trm_solid solid[2];
    trm_solid *solids[2];
    trm_collider collider;
    trm_contacts contacts;
} shape_pair;

static const trm_near_pair the_pair = {{0, 1}, {0, 0}}, the_pair_turned = {{1, 0}, {0, 0}};

static inline trm_shape plain_shape(const char *type)
{
    return (trm_shape){.type = trm_find_shape_type(type), .pose = trm_pose_identity(), .collide = true};
}

static inline trm_shape box_shape(double x, double y, double z)
{
    trm_shape shape = plain_shape("box");
    shape.size = trm_v3(x, y, z);
    return shape;
}

static inline trm_shape round_shape(const char *type, double radius, double length)
{
    trm_shape shape = plain_shape(type);
    shape.radius = radius;
    shape.length = length;
    return shape;
}

static inline trm_shape plane_shape(trm_vec3 normal, double offset)
{
    trm_shape shape = plain_shape("plane");
    shape.normal = normal;
    shape.offset = offset;
    return shape;
}

static inline trm_shape hull_shape(trm_arena *arena, const trm_vec3 *points, int count)
{
    trm_shape shape = plain_shape("hull");
    trm_convex_hull(arena, points, count, &shape.mesh, NULL);
    return shape;
}

/* Returns a shape with a few corners, and lengths between 0.3 and 1. */
static inline trm_shape random_shape(trm_random *random, trm_arena *arena, const char *type)
{
    trm_vec3 points[40];
    const int count = 4 + (int)trm_random_uniform(random, 0, 30);
    for (int i = 0; i < count; i++) points[i] = random_vector(random, 0.5);
    const bool is_hull = type[0] == 'h';
    trm_shape shape = is_hull ? hull_shape(arena, points, count) : plain_shape(type);
    shape.radius = trm_random_uniform(random, 0.1, 0.4);
    shape.length = trm_random_uniform(random, 0.2, 1);
    shape.size = trm_v3(trm_random_uniform(random, 0.3, 1), trm_random_uniform(random, 0.3, 1),
                        trm_random_uniform(random, 0.3, 1));
    shape.normal = random_direction(random);
    shape.offset = trm_random_uniform(random, -0.3, 0.3);
    shape.pose = random_pose(random);
    shape.pose.p = trm_v3_scale(0.2, shape.pose.p);
    return shape;
}

/* Makes a pair from the shapes in pair->shape; the arena exists already. */
static inline bool make_pair(shape_pair *pair, bool free_0, bool free_1)
{
    const bool free[2] = {free_0, free_1};
    for (int k = 0; k < 2; k++) {
        if (!trm_solid_make(&pair->shape[k], free[k], &pair->arena, &pair->solid[k])) return false;
        pair->solids[k] = &pair->solid[k];
    }
    pair->collider = (trm_collider){.arena = &pair->arena, .solids = pair->solids};
    pair->contacts = (trm_contacts){0};
    return true;
}

/* ---- By exhaustive search ----------------------------------------------------------------- */

static inline trm_vec3 vertex_at(const trm_solid *solid, trm_pose pose, int i)
{
    return trm_pose_point(pose, solid->vertices[i]);
}

static inline double least_along(const trm_solid *solid, trm_pose pose, trm_vec3 n)
{
    double least = INFINITY;
    for (int i = 0; i < solid->vertex_count; i++) least = fmin(least, trm_v3_dot(n, vertex_at(solid, pose, i)));
    return least;
}

/* the greater of min_A n.x - max_B n.x for n and -n */
static inline double separation_along(const trm_solid *a, trm_pose X, const trm_solid *b, trm_pose Y, trm_vec3 n)
{
    const trm_vec3 m = trm_v3_neg(n);
    return fmax(least_along(a, X, n) + least_along(b, Y, m), least_along(a, X, m) + least_along(b, Y, n));
}

static inline trm_vec3 edge_along(const trm_solid *solid, trm_pose pose, int e)
{
    const int *v = solid->edges[e].vertex;
    return trm_v3_sub(vertex_at(solid, pose, v[1]), vertex_at(solid, pose, v[0]));
}

static inline double greatest_separation(const trm_solid *a, trm_pose X, const trm_solid *b, trm_pose Y)
{
    double most = -INFINITY;
    for (int f = 0; f < a->face_count; f++)
        most = fmax(most, separation_along(a, X, b, Y, trm_rotate(X.q, a->faces[f].normal)));
    for (int f = 0; f < b->face_count; f++)
        most = fmax(most, separation_along(a, X, b, Y, trm_rotate(Y.q, b->faces[f].normal)));
    for (int i = 0; i < a->edge_count; i++)
        for (int k = 0; k < b->edge_count; k++) {
            const trm_vec3 c = trm_v3_cross(edge_along(a, X, i), edge_along(b, Y, k));
            if (trm_v3_length(c) > 1e-9) most = fmax(most, separation_along(a, X, b, Y, trm_v3_unit(c)));
        }
    return most;
}

static inline double point_to_segment(trm_vec3 x, trm_vec3 p, trm_vec3 q)
{
    const trm_vec3 d = trm_v3_sub(q, p);
    const double s = fmin(fmax(trm_v3_dot(trm_v3_sub(x, p), d) / trm_v3_dot(d, d), 0), 1);
    return trm_v3_length(trm_v3_sub(x, trm_v3_add_scaled(p, s, d)));
}

/* Returns the distance of a point whose foot is within a face; infinite for others, whose nearest points are on
 * edges. */
static inline double point_to_face(const trm_solid *solid, trm_pose pose, int f, trm_vec3 x)
{
    const trm_solid_face *face = &solid->faces[f];
    const trm_vec3 n = trm_rotate(pose.q, face->normal);
    for (int k = 0; k < face->count; k++) {
        const trm_vec3 p = vertex_at(solid, pose, solid->corners[face->first + k]);
        const trm_vec3 q = vertex_at(solid, pose, solid->corners[face->first + (k + 1) % face->count]);
        if (trm_v3_dot(trm_v3_cross(trm_v3_sub(q, p), n), trm_v3_sub(x, p)) > 0) return INFINITY;
    }
    return fabs(trm_v3_dot(n, trm_v3_sub(x, trm_pose_point(pose, face->point))));
}

static inline double segment_to_segment(trm_vec3 p, trm_vec3 q, trm_vec3 r, trm_vec3 s)
{
    double best = fmin(fmin(point_to_segment(p, r, s), point_to_segment(q, r, s)),
                       fmin(point_to_segment(r, p, q), point_to_segment(s, p, q)));
    const trm_vec3 u = trm_v3_sub(q, p), v = trm_v3_sub(s, r), c = trm_v3_cross(u, v), d = trm_v3_sub(p, r);
    const double cc = trm_v3_dot(c, c);
    if (cc < 1e-18) return best;
    const double x = -trm_v3_dot(d, trm_v3_cross(v, c)) / cc, y = -trm_v3_dot(d, trm_v3_cross(u, c)) / cc;
    if (x > 0 && x < 1 && y > 0 && y < 1) best = fmin(best, fabs(trm_v3_dot(c, d)) / sqrt(cc));
    return best;
}

/* Returns the distance of cores that do not overlap. */
static inline double least_distance(const trm_solid *a, trm_pose X, const trm_solid *b, trm_pose Y)
{
    double least = INFINITY;
    for (int i = 0; i < a->vertex_count; i++)
        for (int k = 0; k < b->vertex_count; k++)
            least = fmin(least, trm_v3_length(trm_v3_sub(vertex_at(a, X, i), vertex_at(b, Y, k))));
    for (int turn = 0; turn < 2; turn++) {
        const trm_solid *p = turn ? b : a, *q = turn ? a : b;
        const trm_pose P = turn ? Y : X, Q = turn ? X : Y;
        for (int i = 0; i < p->vertex_count; i++) {
            const trm_vec3 x = vertex_at(p, P, i);
            for (int f = 0; f < q->face_count; f++) least = fmin(least, point_to_face(q, Q, f, x));
            for (int e = 0; e < q->edge_count; e++)
                least = fmin(least, point_to_segment(x, vertex_at(q, Q, q->edges[e].vertex[0]),
                                                     vertex_at(q, Q, q->edges[e].vertex[1])));
        }
    }
    for (int i = 0; i < a->edge_count; i++)
        for (int k = 0; k < b->edge_count; k++) {
            const int *v = a->edges[i].vertex, *w = b->edges[k].vertex;
            least = fmin(least, segment_to_segment(vertex_at(a, X, v[0]), vertex_at(a, X, v[1]),
                                                   vertex_at(b, Y, w[0]), vertex_at(b, Y, w[1])));
        }
    return least;
}

/* Returns the signed distance of two solids that have vertices. */
static inline double distance_by_trying(const trm_solid *a, trm_pose X, const trm_solid *b, trm_pose Y)
{
    const double most = greatest_separation(a, X, b, Y), radii = a->radius + b->radius;
    const bool can_overlap = a->face_count + b->face_count > 0;
    return (can_overlap && most <= 0 ? most : least_distance(a, X, b, Y)) - radii;
}

/* ---- By sampling axes --------------------------------------------------------------------- */

/* Returns the least n . x on a solid, radius included, for all kinds that have a farthest point. */
static inline double least_of(const trm_solid *solid, trm_pose pose, trm_vec3 n)
{
    int vertex;
    const trm_vec3 x = trm_solid_support(solid, trm_v3_neg(trm_rotate_back(pose.q, n)), &vertex);
    const double around = solid->kind == TRM_SOLID_CYLINDER ? 0 : solid->radius;
    return trm_v3_dot(n, trm_pose_point(pose, x)) - around;
}

static inline double gap_along(const shape_pair *pair, const trm_pose *poses, trm_vec3 n)
{
    return least_of(&pair->solid[0], poses[0], n) + least_of(&pair->solid[1], poses[1], trm_v3_neg(n));
}

/* Returns the greatest separation along many axes, improved by ascent from the best of them: a lower bound of the
 * signed distance, accurate to about the last step. */
static inline double distance_by_sampling(const shape_pair *pair, const trm_pose *poses, trm_random *random)
{
    enum { AXES = 300, TRIES = 16 };
    const double last_step = 1e-11;
    double best = -INFINITY;
    trm_vec3 n = {0, 0, 0};
    for (int i = 0; i < AXES; i++) {
        const trm_vec3 m = random_direction(random);
        const double here = gap_along(pair, poses, m);
        if (here > best) best = here, n = m;
    }
    for (double step = 0.2; step > last_step;) {
        const double before = best;
        for (int i = 0; i < TRIES; i++) {
            const trm_vec3 m = trm_v3_unit(trm_v3_add_scaled(n, step, random_direction(random)));
            const double here = gap_along(pair, poses, m);
            if (here > best) best = here, n = m;
        }
        if (best == before) step *= 0.5;
    }
    return best;
}

#endif
