/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Gaps of features. Everything is seen from the origin of body b, so that two bodies far from the world's origin have gaps as
 * exact as two near it:
 *
 *     d = (s_a + R_a x_a) - (s_b + R_b x_b) = (s_a - s_b) + R_a x_a - R_b x_b
 *
 *     point, point   n = d/|d|                        gap = |d| - r_a - r_b
 *     point, line    the same of d - u (u.d)
 *     line, line     n = u_a x u_b / |u_a x u_b|      gap = n.d - r_a - r_b
 *     point, plane   n = direction of the plane       gap = n.d - r_a
 *     circle, plane  w = n - u (u.n)                  gap = n.d - r |w|, at the rim point -r w/|w|
 *
 * Round features keep the side on which they are: n.d > 0. Bare corners and edges (r_a + r_b = 0) may pass each other; there
 * n is on the side of `outward`, and the gap goes through 0 without a kink. */

#include "collide/contact.h"

/* A feature in the world's axes, seen from the origin of body b. */
typedef struct placed {
    trm_vec3 x, u;
    double radius;
} placed;

/* What the pairs are computed from: first minus second. */
typedef struct pair_at {
    placed first, second;
    trm_vec3 outward; /* from second to first */
} pair_at;

static placed place(const trm_feature *feature, trm_quat q, trm_vec3 origin)
{
    const placed at = {trm_add(origin, trm_rotate(q, feature->point)), trm_rotate(q, feature->direction),
                       feature->radius};
    return at;
}

/* How far from parallel lines must be to have a common normal of their own: below, rounding turns it by 1e-6. */
static const double least_sine = 1e-10;

/* The unit normal along d, the vector between the nearest points of the cores, and the gap. */
static trm_contact_at apart_along(const pair_at *at, trm_vec3 d, trm_vec3 on_first, trm_vec3 on_second)
{
    const double radii = at->first.radius + at->second.radius, distance = trm_length(d);
    const double rounding = 1e-15 * (trm_length(on_first) + trm_length(on_second));
    trm_vec3 n = distance > rounding ? trm_scale(1 / distance, d) : at->outward;
    if (radii == 0 && trm_dot(n, at->outward) < 0) n = trm_neg(n);
    return (trm_contact_at){
        .gap = trm_dot(n, d) - radii,
        .normal = n,
        .point = {trm_add_scaled(on_first, -at->first.radius, n), trm_add_scaled(on_second, at->second.radius, n)},
    };
}

static trm_contact_at point_point(const pair_at *at)
{
    return apart_along(at, trm_sub(at->first.x, at->second.x), at->first.x, at->second.x);
}

static trm_contact_at point_line(const pair_at *at)
{
    const trm_vec3 d = trm_sub(at->first.x, at->second.x), u = at->second.u;
    const double along = trm_dot(u, d);
    return apart_along(at, trm_add_scaled(d, -along, u), at->first.x, trm_add_scaled(at->second.x, along, u));
}

static trm_contact_at point_plane(const pair_at *at)
{
    const trm_vec3 n = at->second.u, on_first = trm_add_scaled(at->first.x, -at->first.radius, n);
    const double gap = trm_dot(n, trm_sub(at->first.x, at->second.x)) - at->first.radius;
    return (trm_contact_at){.gap = gap, .normal = n, .point = {on_first, trm_add_scaled(on_first, -gap, n)}};
}

/* The side of the common normal: that of the cores where they are round, else of outward. */
static trm_vec3 normal_of_lines(const pair_at *at, trm_vec3 n, trm_vec3 d)
{
    const double side = at->first.radius + at->second.radius > 0 ? trm_dot(n, d) : 0;
    const bool turn = side != 0 ? side < 0 : trm_dot(n, at->outward) < 0;
    return turn ? trm_neg(n) : n;
}

/* x_a + s u_a and x_b + t u_b are nearest where d + s u_a - t u_b is along c = u_a x u_b. */
static trm_contact_at line_line(const pair_at *at)
{
    const placed *a = &at->first, *b = &at->second;
    const trm_vec3 c = trm_cross(a->u, b->u), d = trm_sub(a->x, b->x);
    const double cc = trm_dot(c, c);
    if (cc < least_sine * least_sine) return point_line(at);

    const trm_vec3 n = normal_of_lines(at, trm_scale(1 / sqrt(cc), c), d);
    const double s = -trm_dot(d, trm_cross(b->u, c)) / cc, t = -trm_dot(d, trm_cross(a->u, c)) / cc;
    const trm_vec3 on_a = trm_add_scaled(a->x, s, a->u), on_b = trm_add_scaled(b->x, t, b->u);
    return (trm_contact_at){
        .gap = trm_dot(n, d) - a->radius - b->radius,
        .normal = n,
        .point = {trm_add_scaled(on_a, -a->radius, n), trm_add_scaled(on_b, b->radius, n)},
    };
}

/* Flat on the plane every point of the rim is nearest; their mean, the centre, stands for them. */
static trm_contact_at circle_plane(const pair_at *at)
{
    const trm_vec3 n = at->second.u, u = at->first.u;
    const trm_vec3 w = trm_add_scaled(n, -trm_dot(u, n), u);
    const double sine = trm_length(w);
    const trm_vec3 low = sine > least_sine ? trm_add_scaled(at->first.x, -at->first.radius / sine, w) : at->first.x;
    const double gap = trm_dot(n, trm_sub(at->first.x, at->second.x)) - at->first.radius * sine;
    return (trm_contact_at){.gap = gap, .normal = n, .point = {low, trm_add_scaled(low, -gap, n)}};
}

typedef trm_contact_at (*gap_of_pair)(const pair_at *at);

/* By the kinds of first and second; NULL: there is none, or one in the other order. */
static const gap_of_pair gaps[4][4] = {
    [TRM_FEATURE_POINT] =
        {[TRM_FEATURE_POINT] = point_point, [TRM_FEATURE_LINE] = point_line, [TRM_FEATURE_PLANE] = point_plane},
    [TRM_FEATURE_LINE] = {[TRM_FEATURE_LINE] = line_line},
    [TRM_FEATURE_CIRCLE] = {[TRM_FEATURE_PLANE] = circle_plane},
};

static trm_contact_at other_way_round(trm_contact_at at)
{
    return (trm_contact_at){at.gap, trm_neg(at.normal), {at.point[1], at.point[0]}};
}

trm_contact_at trm_contact_at_poses(const trm_contact *contact, trm_pose a, trm_pose b)
{
    const trm_feature *of_a = &contact->feature[0], *of_b = &contact->feature[1];
    const placed in_a = place(of_a, a.q, trm_sub(a.p, b.p)), in_b = place(of_b, b.q, trm_v3(0, 0, 0));
    const trm_vec3 outward = trm_rotate(b.q, contact->outward);

    const gap_of_pair forward = gaps[of_a->kind][of_b->kind], backward = gaps[of_b->kind][of_a->kind];
    trm_contact_at at = forward ? forward(&(pair_at){in_a, in_b, outward})
                                : other_way_round(backward(&(pair_at){in_b, in_a, trm_neg(outward)}));
    at.point[0] = trm_add(at.point[0], b.p);
    at.point[1] = trm_add(at.point[1], b.p);
    return at;
}
