/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Spheres and capsules against each other: points and segments with radii. */

#include "collide/pairs.h"
#include "math/rotation.h"

/* Sine below which lines count as nearly parallel: their common normal rotates much faster than the lines do, so
 * contacts of points of one line with the other line are better. */
static const double side_by_side = 0.05;

/* Sine below which the nearest points of two nearly parallel lines are nearer than their ends by rounding only. */
static const double quite_parallel = 1e-7;

/* Returns d / |d|, or a vector perpendicular to u if d is zero. */
static trm_vec3 direction_of(trm_vec3 d, double distance, trm_vec3 u)
{
    return distance > 0 ? trm_v3_scale(1 / distance, d) : trm_perpendicular(u);
}

double trm_sphere_sphere(trm_pair *pair)
{
    const trm_vec3 on_a = trm_point_of_a(pair, pair->a->centre), d = trm_v3_sub(on_a, pair->b->centre);
    const double distance = trm_v3_length(d), gap = distance - pair->a->radius - pair->b->radius;
    if (!pair->manifold || !(gap < pair->margin)) return gap;
    const trm_manifold_point point_at = {
        .feature = {trm_point_feature(pair->a->centre, pair->a->radius),
                    trm_point_feature(pair->b->centre, pair->b->radius)},
        .normal = direction_of(d, distance, trm_v3(1, 0, 0)),
        .place = on_a,
        .gap = gap,
    };
    trm_add_manifold_point(pair, &point_at);
    return gap;
}

/* ---- Two segments ------------------------------------------------------------------------- */

/* Two segments in the frame of b. */
typedef struct two_segments {
    const trm_segment *of_a, *of_b;
    trm_vec3 p[2], u[2]; /* first points, unit directions */
    double length[2];
    double sine;   /* of the angle between them */
    double s[2];   /* m: lengths from p to the nearest points */
    trm_vec3 x[2]; /* the nearest points */
    double distance;
} two_segments;

static double within(double s, double length)
{
    return s > 0 ? (s < length ? s : length) : 0;
}

/* Returns the point of segment k nearest to x, as a length from its first point. */
static double foot_on(const two_segments *two, int k, trm_vec3 x)
{
    return within(trm_v3_dot(two->u[k], trm_v3_sub(x, two->p[k])), two->length[k]);
}

static trm_vec3 at_length(const two_segments *two, int k, double s)
{
    return trm_v3_add_scaled(two->p[k], s, two->u[k]);
}

/* Replaces the nearest points by those at lengths s and t if these are nearer. */
static void take_if_nearer(two_segments *two, double s, double t)
{
    const trm_vec3 x = at_length(two, 0, s), y = at_length(two, 1, t), d = trm_v3_sub(x, y);
    const double distance = trm_v3_length(d);
    if (!(distance < two->distance)) return;
    two->s[0] = s, two->s[1] = t;
    two->x[0] = x, two->x[1] = y;
    two->distance = distance;
}

/* Finds the nearest points: those of the lines if they are inside the segments; else one of them is an end. */
static void find_nearest(two_segments *two)
{
    const trm_vec3 r = trm_v3_sub(two->p[0], two->p[1]), c = trm_v3_cross(two->u[0], two->u[1]);
    const double cc = trm_v3_dot(c, c);
    two->sine = sqrt(cc);
    two->distance = INFINITY;
    for (int end = 0; end < 2; end++) {
        const double s = end * two->length[0], t = end * two->length[1];
        take_if_nearer(two, s, foot_on(two, 1, at_length(two, 0, s)));
        take_if_nearer(two, foot_on(two, 0, at_length(two, 1, t)), t);
    }
    if (two->sine <= quite_parallel) return;
    const double s = -trm_v3_dot(r, trm_v3_cross(two->u[1], c)) / cc,
                 t = -trm_v3_dot(r, trm_v3_cross(two->u[0], c)) / cc;
    if (s > 0 && s < two->length[0] && t > 0 && t < two->length[1])
        take_if_nearer(two, s, foot_on(two, 1, at_length(two, 0, s)));
}

static two_segments place_pieces(const trm_pair *pair, const trm_segment *a, const trm_segment *b)
{
    two_segments two = {.of_a = a, .of_b = b, .p = {trm_point_of_a(pair, a->p), b->p}};
    const trm_vec3 along[2] = {trm_mat_vec(pair->R, trm_v3_sub(a->q, a->p)), trm_v3_sub(b->q, b->p)};
    for (int k = 0; k < 2; k++) {
        two.length[k] = trm_v3_length(along[k]);
        two.u[k] = two.length[k] > 0 ? trm_v3_scale(1 / two.length[k], along[k]) : trm_v3(0, 0, 0);
    }
    find_nearest(&two);
    return two;
}

/* Returns -1 or 1 at the first or last point of segment k, 0 between. */
static int end_at(const two_segments *two, int k, double s)
{
    return s <= 0 ? -1 : s >= two->length[k] ? 1 : 0;
}

static trm_vec3 normal_between(const two_segments *two, trm_vec3 d, double distance)
{
    if (distance > 1e-14 * (two->length[0] + two->length[1])) return trm_v3_scale(1 / distance, d);
    const trm_vec3 c = trm_v3_cross(two->u[0], two->u[1]);
    if (two->sine > quite_parallel) return trm_v3_scale(1 / two->sine, c);
    return trm_perpendicular(two->length[1] > 0 ? two->u[1] : two->length[0] > 0 ? two->u[0] : trm_v3(1, 0, 0));
}

static trm_feature feature_of(const trm_segment *piece, int end, double s, bool as_point)
{
    const trm_vec3 along = trm_v3_sub(piece->q, piece->p);
    if (end < 0) return trm_point_feature(piece->p, piece->radius);
    if (end > 0) return trm_point_feature(piece->q, piece->radius);
    const trm_vec3 u = trm_v3_unit(along);
    if (as_point) return trm_point_feature(trm_v3_add_scaled(piece->p, s, u), piece->radius);
    return trm_line_feature(piece->p, u, piece->radius);
}

static uint32_t code_of(const trm_segment *piece, int end)
{
    return end < 0 ? piece->code_p : end > 0 ? piece->code_q : piece->code;
}

/* Adds the contact of the points at lengths s of a and t of b. Each is an end of its segment or nearest to the
 * other. */
static void add_contact_at(trm_pair *pair, const two_segments *two, double s, double t, bool a_as_point)
{
    const trm_vec3 on_a = at_length(two, 0, s), d = trm_v3_sub(on_a, at_length(two, 1, t));
    const double distance = trm_v3_length(d);
    const int end_a = end_at(two, 0, s), end_b = end_at(two, 1, t);
    const trm_manifold_point point_at = {
        .feature = {feature_of(two->of_a, end_a, s, a_as_point), feature_of(two->of_b, end_b, t, false)},
        .normal = normal_between(two, d, distance),
        .place = on_a,
        .gap = distance - two->of_a->radius - two->of_b->radius,
        .code = {code_of(two->of_a, end_a), code_of(two->of_b, end_b)},
    };
    trm_add_manifold_point(pair, &point_at);
}

/* Adds the ends of the common length: the ends of each segment whose projection is inside the other one. */
static void add_end_contacts(trm_pair *pair, const two_segments *two)
{
    for (int end = 0; end < 2; end++) {
        const double s = end * two->length[0], t = trm_v3_dot(two->u[1], trm_v3_sub(at_length(two, 0, s), two->p[1]));
        if (t >= 0 && t <= two->length[1]) add_contact_at(pair, two, s, t, false);
    }
    for (int end = 0; end < 2; end++) {
        const double t = end * two->length[1], s = trm_v3_dot(two->u[0], trm_v3_sub(at_length(two, 1, t), two->p[0]));
        if (s > 0 && s < two->length[0]) add_contact_at(pair, two, s, t, false);
    }
}

double trm_collide_segments(trm_pair *pair, const trm_segment *a, const trm_segment *b)
{
    const two_segments two = place_pieces(pair, a, b);
    const double gap = two.distance - a->radius - b->radius;
    if (!pair->manifold || !(gap < pair->margin)) return gap;
    const bool along = two.sine < side_by_side && two.length[0] > 0 && two.length[1] > 0;
    const bool between = end_at(&two, 0, two.s[0]) == 0 && end_at(&two, 1, two.s[1]) == 0;
    if (!along || !between || two.sine > quite_parallel) add_contact_at(pair, &two, two.s[0], two.s[1], along);
    if (along) add_end_contacts(pair, &two);
    return gap;
}

static trm_segment axis_of(const trm_solid *solid)
{
    const int last = solid->vertex_count - 1;
    return (trm_segment){solid->vertices[0], solid->vertices[last], solid->radius,
                         trm_edge_code(0),   trm_vertex_code(0),    trm_vertex_code(last)};
}

double trm_sphere_capsule(trm_pair *pair)
{
    const trm_segment a = axis_of(pair->a), b = axis_of(pair->b);
    return trm_collide_segments(pair, &a, &b);
}

double trm_capsule_capsule(trm_pair *pair)
{
    return trm_sphere_capsule(pair);
}
