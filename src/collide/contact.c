/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Gaps of features. All vectors are relative to the origin of body b, so that the gap of two bodies far from the
 * world's origin is as exact as near it:
 *
 *     d = (s_a + R_a x_a) - (s_b + R_b x_b) = (s_a - s_b) + R_a x_a - R_b x_b
 *
 *     point, point   n = d/|d|                        gap = |d| - r_a - r_b
 *     point, line    the same with d - u (u.d)
 *     line, line     n = u_a x u_b / |u_a x u_b|      gap = n.d - r_a - r_b
 *     point, plane   n = direction of the plane       gap = n.d - r_a
 *     circle, plane  w = n - u (u.n)                  gap = n.d - r |w|, at the rim point -r w/|w|
 *     circle, point  as two points; the rim point is in the direction of d - u (u.d)
 *     circle, line   as two lines; that of the circle is its tangent where the distance is least; two circles alike
 *     ellipsoid      against anything: the greatest separation over all n (smooth_gap.c)
 *
 * Features with a radius stay on their side: n.d > 0. Corners, edges and rims without a radius (r_a + r_b = 0) may
 * pass through each other. For them n is on the side of `outward`, and the gap passes smoothly through 0. */

#include "collide/contact.h"

#include "collide/smooth_gap.h"
#include "math/rotation.h"
#include "trammel/elementary.h"

/* A feature in world axes, relative to the origin of body b. */
typedef struct placed {
    trm_vec3 x, u;
    double radius;
} placed;

/* Input of the gap functions: first minus second. */
typedef struct pair_at {
    placed first, second;
    trm_vec3 outward; /* from second to first */
} pair_at;

static placed place(const trm_feature *feature, trm_quat q, trm_vec3 origin)
{
    const bool is_point = feature->kind == TRM_FEATURE_POINT; /* a point has no direction */
    return (placed){trm_v3_add(origin, trm_rotate(q, feature->point)),
                    is_point ? feature->direction : trm_rotate(q, feature->direction), feature->radius};
}

/* Least sine between two lines whose common normal is used. At this sine, rounding rotates the normal by 1e-6 rad. */
static const double least_sine = 1e-10;

/* Returns the contact with unit normal along d, the vector between the nearest points of the cores. */
static trm_contact_at apart_along(const pair_at *at, trm_vec3 d, trm_vec3 on_first, trm_vec3 on_second)
{
    const double radii = at->first.radius + at->second.radius, distance = trm_v3_length(d);
    const double rounding = 1e-15 * (trm_v3_length(on_first) + trm_v3_length(on_second));
    trm_vec3 n = distance > rounding ? trm_v3_scale(1 / distance, d) : at->outward;
    if (radii == 0 && trm_v3_dot(n, at->outward) < 0) n = trm_v3_neg(n);
    return (trm_contact_at){
        .gap = trm_v3_dot(n, d) - radii,
        .normal = n,
        .point = {trm_v3_add_scaled(on_first, -at->first.radius, n),
                  trm_v3_add_scaled(on_second, at->second.radius, n)},
    };
}

static trm_contact_at point_point(const pair_at *at)
{
    return apart_along(at, trm_v3_sub(at->first.x, at->second.x), at->first.x, at->second.x);
}

static trm_contact_at point_line(const pair_at *at)
{
    const trm_vec3 d = trm_v3_sub(at->first.x, at->second.x), u = at->second.u;
    const double along = trm_v3_dot(u, d);
    return apart_along(at, trm_v3_add_scaled(d, -along, u), at->first.x, trm_v3_add_scaled(at->second.x, along, u));
}

static trm_contact_at point_plane(const pair_at *at)
{
    const trm_vec3 n = at->second.u, on_first = trm_v3_add_scaled(at->first.x, -at->first.radius, n);
    const double gap = trm_v3_dot(n, trm_v3_sub(at->first.x, at->second.x)) - at->first.radius;
    return (trm_contact_at){.gap = gap, .normal = n, .point = {on_first, trm_v3_add_scaled(on_first, -gap, n)}};
}

/* Returns the common normal with the sign of d if the lines have a radius, else with that of outward. */
static trm_vec3 normal_of_lines(const pair_at *at, trm_vec3 n, trm_vec3 d)
{
    const double side = at->first.radius + at->second.radius > 0 ? trm_v3_dot(n, d) : 0;
    const bool turn = side != 0 ? side < 0 : trm_v3_dot(n, at->outward) < 0;
    return turn ? trm_v3_neg(n) : n;
}

/* Returns the contact of two lines. The points x_a + s u_a and x_b + t u_b are nearest if d + s u_a - t u_b is along
 * c = u_a x u_b. */
static trm_contact_at line_line(const pair_at *at)
{
    const placed *a = &at->first, *b = &at->second;
    const trm_vec3 c = trm_v3_cross(a->u, b->u), d = trm_v3_sub(a->x, b->x);
    const double cc = trm_v3_dot(c, c);
    if (cc < least_sine * least_sine) return point_line(at);

    const trm_vec3 n = normal_of_lines(at, trm_v3_scale(1 / sqrt(cc), c), d);
    const double s = -trm_v3_dot(d, trm_v3_cross(b->u, c)) / cc, t = -trm_v3_dot(d, trm_v3_cross(a->u, c)) / cc;
    const trm_vec3 on_a = trm_v3_add_scaled(a->x, s, a->u), on_b = trm_v3_add_scaled(b->x, t, b->u);
    return (trm_contact_at){
        .gap = trm_v3_dot(n, d) - a->radius - b->radius,
        .normal = n,
        .point = {trm_v3_add_scaled(on_a, -a->radius, n), trm_v3_add_scaled(on_b, b->radius, n)},
    };
}

/* Returns the contact of a circle with a plane. If the circle is parallel to the plane, every point of the rim is
 * nearest; the centre, their mean, is taken. */
static trm_contact_at circle_plane(const pair_at *at)
{
    const trm_vec3 n = at->second.u, u = at->first.u;
    const trm_vec3 w = trm_v3_add_scaled(n, -trm_v3_dot(u, n), u);
    const double sine = trm_v3_length(w);
    const trm_vec3 low =
        sine > least_sine ? trm_v3_add_scaled(at->first.x, -at->first.radius / sine, w) : at->first.x;
    const double gap = trm_v3_dot(n, trm_v3_sub(at->first.x, at->second.x)) - at->first.radius * sine;
    return (trm_contact_at){.gap = gap, .normal = n, .point = {low, trm_v3_add_scaled(low, -gap, n)}};
}

/* ---- Rims --------------------------------------------------------------------------------- */

/* A point of a circle: unit vectors from the centre to it and along the tangent. */
typedef struct rim_place {
    trm_vec3 x, radial, tangent;
} rim_place;

/* Returns the point of the circle that is farthest along a direction. */
static rim_place rim_along(const placed *circle, trm_vec3 direction)
{
    const trm_vec3 u = circle->u, w = trm_v3_add_scaled(direction, -trm_v3_dot(u, direction), u);
    const double length = trm_v3_length(w);
    const bool known = length > least_sine * trm_v3_length(direction);
    const trm_vec3 radial = known ? trm_v3_scale(1 / length, w) : trm_perpendicular(u);
    return (rim_place){trm_v3_add_scaled(circle->x, circle->radius, radial), radial, trm_v3_cross(u, radial)};
}

/* Returns the point that is `by` radians further along the circle. */
static rim_place rim_turned(const placed *circle, const rim_place *p, double by)
{
    return rim_along(circle, trm_v3_add_scaled(trm_v3_scale(trm_cos(by), p->radial), trm_sin(by), p->tangent));
}

enum { MOST_RIM_STEPS = 30 };
/* rad: longest Newton step; longest step that counts as zero. */
static const double longest_step = 0.3, no_turn = 1e-15;

static double shortened(double step)
{
    return fmin(fmax(step, -longest_step), longest_step);
}

static trm_contact_at circle_point(const pair_at *at)
{
    const rim_place p = rim_along(&at->first, trm_v3_sub(at->second.x, at->first.x));
    return point_point(&(pair_at){{p.x, p.tangent, 0}, at->second, at->outward});
}

/* Solves d.t = 0 by Newton's method, with d from the line to p, perpendicular to the line, and d(d.t)/dtheta = r (1 -
 * (u.t)^2) - d.radial. If the line has a radius, its core is never reached, and the direction of d is used as normal:
 * it is better conditioned than the common normal of two tangents that may be parallel. */
static trm_contact_at circle_line(const pair_at *at)
{
    const trm_vec3 u = at->second.u;
    rim_place p = rim_along(&at->first, trm_v3_neg(at->outward));
    for (int i = 0; i < MOST_RIM_STEPS; i++) {
        const trm_vec3 whole = trm_v3_sub(p.x, at->second.x), d = trm_v3_add_scaled(whole, -trm_v3_dot(u, whole), u);
        const double along = trm_v3_dot(u, p.tangent), slope = trm_v3_dot(d, p.tangent);
        const double bend = at->first.radius * (1 - along * along) - trm_v3_dot(d, p.radial);
        const double step = shortened(bend > 0 ? -slope / bend : slope > 0 ? -longest_step : longest_step);
        p = rim_turned(&at->first, &p, step);
        if (fabs(step) < no_turn) break;
    }
    const pair_at lines = {{p.x, p.tangent, 0}, at->second, at->outward};
    return at->second.radius > 0 ? point_line(&lines) : line_line(&lines);
}

/* Computes Newton's step to the minimum of |d|^2/2, d = p - q, in radians on both circles; where the function is not
 * convex, a descent step. */
static void circles_step(const pair_at *at, const rim_place *p, const rim_place *q, double step[2])
{
    const trm_vec3 d = trm_v3_sub(p->x, q->x);
    const double r = at->first.radius, s = at->second.radius;
    const double slope_p = r * trm_v3_dot(d, p->tangent), slope_q = -s * trm_v3_dot(d, q->tangent);
    const double pp = r * (r - trm_v3_dot(d, p->radial)), qq = s * (s + trm_v3_dot(d, q->radial));
    const double pq = -r * s * trm_v3_dot(p->tangent, q->tangent), determinant = pp * qq - pq * pq;
    const bool bowl = pp > 0 && determinant > least_sine * r * r * s * s;
    step[0] = bowl ? (slope_q * pq - slope_p * qq) / determinant : -slope_p / (r * r);
    step[1] = bowl ? (slope_p * pq - slope_q * pp) / determinant : -slope_q / (s * s);
    const double longest = fmax(fabs(step[0]), fabs(step[1]));
    if (longest > longest_step) step[0] *= longest_step / longest, step[1] *= longest_step / longest;
}

static trm_contact_at circle_circle(const pair_at *at)
{
    rim_place p = rim_along(&at->first, trm_v3_neg(at->outward)), q = rim_along(&at->second, at->outward);
    double step[2] = {1, 1};
    for (int i = 0; i < MOST_RIM_STEPS && fmax(fabs(step[0]), fabs(step[1])) >= no_turn; i++) {
        circles_step(at, &p, &q, step);
        p = rim_turned(&at->first, &p, step[0]);
        q = rim_turned(&at->second, &q, step[1]);
    }
    return line_line(&(pair_at){{p.x, p.tangent, 0}, {q.x, q.tangent, 0}, at->outward});
}

/* ---- Ellipsoids --------------------------------------------------------------------------- */

/* Returns the support function of a point, circle or ellipsoid, and for a line that of its point, to which the caller
 * adds the direction. */
static trm_smooth smooth_of(const trm_feature *feature, const placed *at, trm_quat q)
{
    trm_smooth s = {.x = at->x, .radius = feature->kind == TRM_FEATURE_CIRCLE ? 0 : at->radius};
    if (feature->kind == TRM_FEATURE_ELLIPSOID) s.A = trm_mat_mul(trm_quat_matrix(q), *feature->A);
    if (feature->kind != TRM_FEATURE_CIRCLE) return s;
    const trm_vec3 e = trm_v3_scale(at->radius, trm_perpendicular(at->u));
    s.A = trm_columns(e, trm_v3_cross(at->u, e), trm_v3(0, 0, 0));
    return s;
}

/* Returns the contact of an ellipsoid, the first feature, with any feature. */
static trm_contact_at ellipsoid_any(const trm_feature *const feature[2], const pair_at *at, const trm_quat q[2])
{
    const trm_smooth a = smooth_of(feature[0], &at->first, q[0]), b = smooth_of(feature[1], &at->second, q[1]);
    const trm_vec3 u = at->second.u;
    trm_smooth_gap found;
    if (feature[1]->kind == TRM_FEATURE_PLANE) {
        found = trm_smooth_gap_along(&a, &b, u);
        found.on_b = trm_v3_add_scaled(found.on_a, -found.gap, u);
    } else {
        found = trm_find_smooth_gap(&a, &b, feature[1]->kind == TRM_FEATURE_LINE ? &u : NULL, at->outward);
    }
    return (trm_contact_at){.gap = found.gap, .normal = found.normal, .point = {found.on_a, found.on_b}};
}

/* ---- All ---------------------------------------------------------------------------------- */

typedef trm_contact_at (*gap_of_pair)(const pair_at *at);

/* Gap functions by the kinds of first and second, other than ellipsoids; NULL: there is no such pair, or only in the
 * other order. */
static const gap_of_pair gaps[TRM_FEATURE_ELLIPSOID][TRM_FEATURE_ELLIPSOID] = {
    [TRM_FEATURE_POINT] =
        {[TRM_FEATURE_POINT] = point_point, [TRM_FEATURE_LINE] = point_line, [TRM_FEATURE_PLANE] = point_plane},
    [TRM_FEATURE_LINE] = {[TRM_FEATURE_LINE] = line_line},
    [TRM_FEATURE_CIRCLE] = {[TRM_FEATURE_POINT] = circle_point,
                            [TRM_FEATURE_LINE] = circle_line,
                            [TRM_FEATURE_PLANE] = circle_plane,
                            [TRM_FEATURE_CIRCLE] = circle_circle},
};

static trm_contact_at other_way_round(trm_contact_at at)
{
    return (trm_contact_at){at.gap, trm_v3_neg(at.normal), {at.point[1], at.point[0]}};
}

/* Returns the contact relative to the origin of body b. */
static trm_contact_at contact_from_b(const trm_contact *contact, trm_pose a, trm_pose b)
{
    const trm_feature *of_a = &contact->feature[0], *of_b = &contact->feature[1];
    const placed in_a = place(of_a, a.q, trm_v3_sub(a.p, b.p)), in_b = place(of_b, b.q, trm_v3(0, 0, 0));
    const trm_vec3 outward = trm_rotate(b.q, contact->outward);
    const pair_at forward = {in_a, in_b, outward}, backward = {in_b, in_a, trm_v3_neg(outward)};

    if (of_a->kind == TRM_FEATURE_ELLIPSOID)
        return ellipsoid_any((const trm_feature *[2]){of_a, of_b}, &forward, (trm_quat[2]){a.q, b.q});
    if (of_b->kind == TRM_FEATURE_ELLIPSOID)
        return other_way_round(
            ellipsoid_any((const trm_feature *[2]){of_b, of_a}, &backward, (trm_quat[2]){b.q, a.q}));
    return gaps[of_a->kind][of_b->kind] ? gaps[of_a->kind][of_b->kind](&forward)
                                        : other_way_round(gaps[of_b->kind][of_a->kind](&backward));
}

trm_contact_at trm_contact_at_poses(const trm_contact *contact, trm_pose a, trm_pose b)
{
    trm_contact_at at = contact_from_b(contact, a, b);
    at.point[0] = trm_v3_add(at.point[0], b.p);
    at.point[1] = trm_v3_add(at.point[1], b.p);
    return at;
}
