/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rays against solids. A convex solid is an intersection of simpler sets, or for a capsule a union. A ray is inside a
 * convex set between t_in and t_out:
 *
 *     half space n.x <= c        t = (c - n.o)/(n.d): the ray enters where n.d < 0, leaves where n.d > 0
 *     ball |x - m| <= r          t^2 + 2 t d.p + p.p - r^2 = 0,    p = o - m
 *     round tube about an axis u the same with the parts of d and p perpendicular to u
 *     triangle                   Moeller, Trumbore 1997 */

#include "collide/ray.h"

#include <math.h>

/* The part of a ray inside a set, with the normal where it enters. */
typedef struct inside {
    double in, out; /* out < in: nowhere */
    trm_vec3 normal;
} inside;

static const inside EVERYWHERE = {-INFINITY, INFINITY, {0, 0, 0}};
static const inside NOWHERE = {INFINITY, -INFINITY, {0, 0, 0}};

static inside both(inside a, inside b)
{
    const inside later = a.in >= b.in ? a : b;
    return (inside){later.in, fmin(a.out, b.out), later.normal};
}

static inside half_space(trm_ray ray, trm_vec3 n, double c)
{
    const double along = trm_v3_dot(n, ray.d), left = c - trm_v3_dot(n, ray.o);
    if (along == 0) return left >= 0 ? EVERYWHERE : NOWHERE;
    return along < 0 ? (inside){left / along, INFINITY, n} : (inside){-INFINITY, left / along, n};
}

/* Returns the interval in which a t^2 + 2 b t + c <= 0, a > 0, computed without cancellation. */
static inside between_roots(double a, double b, double c)
{
    const double square = b * b - a * c;
    if (!(square >= 0)) return NOWHERE;
    const double q = -(b + copysign(sqrt(square), b)), one = q / a, other = q != 0 ? c / q : one;
    return (inside){fmin(one, other), fmax(one, other), {0, 0, 0}};
}

static inside ball(trm_ray ray, trm_vec3 centre, double radius)
{
    const trm_vec3 p = trm_v3_sub(ray.o, centre);
    inside at = between_roots(1, trm_v3_dot(ray.d, p), trm_v3_dot(p, p) - radius * radius);
    if (isfinite(at.in)) at.normal = trm_v3_unit(trm_v3_add_scaled(p, at.in, ray.d));
    return at;
}

/* Returns the part of a ray inside an infinite tube of a radius about the axis u through a point. */
static inside tube(trm_ray ray, trm_vec3 centre, trm_vec3 u, double radius)
{
    const trm_vec3 from = trm_v3_sub(ray.o, centre);
    const trm_vec3 p = trm_v3_add_scaled(from, -trm_v3_dot(from, u), u),
                   d = trm_v3_add_scaled(ray.d, -trm_v3_dot(ray.d, u), u);
    const double a = trm_v3_dot(d, d), c = trm_v3_dot(p, p) - radius * radius;
    if (!(a > 1e-30)) return c <= 0 ? EVERYWHERE : NOWHERE; /* along the axis */
    inside at = between_roots(a, trm_v3_dot(d, p), c);
    if (isfinite(at.in)) at.normal = trm_v3_unit(trm_v3_add_scaled(p, at.in, d));
    return at;
}

static inside slab(trm_ray ray, trm_vec3 centre, trm_vec3 u, double half)
{
    const double middle = trm_v3_dot(u, centre);
    return both(half_space(ray, u, middle + half), half_space(ray, trm_v3_neg(u), half - middle));
}

static inside polytope(const trm_solid *solid, trm_ray ray)
{
    inside at = EVERYWHERE;
    for (int f = 0; f < solid->face_count && at.in <= at.out; f++)
        at = both(at,
                  half_space(ray, solid->faces[f].normal, trm_v3_dot(solid->faces[f].normal, solid->faces[f].point)));
    return at;
}

/* Returns the part of a ray inside an ellipsoid x = centre + A u with |u| <= 1: a ball for u = A^-1 (x - centre),
 * with the normal along A^-T u. */
static inside ellipsoid(const trm_solid *solid, trm_ray ray)
{
    const trm_vec3 from = trm_v3_sub(ray.o, solid->centre);
    trm_vec3 p = {0, 0, 0}, d = {0, 0, 0}, axis[3];
    double *const p_of[3] = {&p.x, &p.y, &p.z}, *const d_of[3] = {&d.x, &d.y, &d.z};
    for (int k = 0; k < 3; k++) {
        const trm_vec3 a = trm_column(solid->half_axes, k);
        axis[k] = trm_v3_scale(1 / trm_v3_dot(a, a), a); /* a row of A^-1, whose rows are perpendicular */
        *p_of[k] = trm_v3_dot(axis[k], from), *d_of[k] = trm_v3_dot(axis[k], ray.d);
    }
    inside at = between_roots(trm_v3_dot(d, d), trm_v3_dot(d, p), trm_v3_dot(p, p) - 1);
    if (!isfinite(at.in)) return at;
    const trm_vec3 u = trm_v3_add_scaled(p, at.in, d);
    at.normal = trm_v3_unit(
        trm_v3_add(trm_v3_scale(u.x, axis[0]), trm_v3_add(trm_v3_scale(u.y, axis[1]), trm_v3_scale(u.z, axis[2]))));
    return at;
}

/* Returns the part of a ray inside a capsule. The union of a tube with ends and two balls is convex, so the part
 * begins where the first of them begins and ends where the last ends. */
static inside capsule(const trm_solid *solid, trm_ray ray)
{
    const trm_vec3 u = trm_column(solid->axes, 2);
    inside parts[3] = {
        both(tube(ray, solid->centre, u, solid->radius), slab(ray, solid->centre, u, solid->half_length)),
        ball(ray, solid->vertices[0], solid->radius), ball(ray, solid->vertices[1], solid->radius)};
    inside at = NOWHERE;
    for (int i = 0; i < 3; i++) {
        if (!(parts[i].in <= parts[i].out)) continue;
        at = (inside){fmin(at.in, parts[i].in), fmax(at.out, parts[i].out),
                      parts[i].in < at.in ? parts[i].normal : at.normal};
    }
    return at;
}

static inside convex(const trm_solid *solid, trm_ray ray)
{
    switch (solid->kind) {
    case TRM_SOLID_SPHERE: return ball(ray, solid->centre, solid->radius);
    case TRM_SOLID_CAPSULE: return capsule(solid, ray);
    case TRM_SOLID_ELLIPSOID: return ellipsoid(solid, ray);
    case TRM_SOLID_PLANE: return half_space(ray, solid->normal, solid->offset);
    case TRM_SOLID_CYLINDER:
        return both(tube(ray, solid->centre, trm_column(solid->axes, 2), solid->radius),
                    slab(ray, solid->centre, trm_column(solid->axes, 2), solid->half_length));
    default: return polytope(solid, ray);
    }
}

/* Returns t at which the ray crosses a triangle; INFINITY if it does not. */
static double cross_triangle(trm_ray ray, trm_vec3 a, trm_vec3 b, trm_vec3 c)
{
    const trm_vec3 e = trm_v3_sub(b, a), f = trm_v3_sub(c, a), p = trm_v3_cross(ray.d, f), s = trm_v3_sub(ray.o, a);
    const double volume = trm_v3_dot(e, p);
    if (volume == 0) return INFINITY;
    const trm_vec3 q = trm_v3_cross(s, e);
    const double u = trm_v3_dot(s, p) / volume, v = trm_v3_dot(ray.d, q) / volume, t = trm_v3_dot(f, q) / volume;
    return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 ? t : INFINITY;
}

/* Returns whether the ray enters a box before t = `before`. */
static bool meets_box(trm_ray ray, trm_bounds box, double before)
{
    const double o[3] = {ray.o.x, ray.o.y, ray.o.z}, d[3] = {ray.d.x, ray.d.y, ray.d.z};
    const double lo[3] = {box.lo.x, box.lo.y, box.lo.z}, hi[3] = {box.hi.x, box.hi.y, box.hi.z};
    double in = 0, out = before;
    for (int k = 0; k < 3; k++) {
        if (d[k] == 0) {
            if (o[k] < lo[k] || o[k] > hi[k]) return false;
            continue;
        }
        const double one = (lo[k] - o[k]) / d[k], other = (hi[k] - o[k]) / d[k];
        in = fmax(in, fmin(one, other)), out = fmin(out, fmax(one, other));
    }
    return in <= out;
}

static double mesh(const trm_solid *solid, trm_ray ray, trm_vec3 *normal)
{
    double first = INFINITY;
    for (int i = 0; i < solid->node_count;) {
        const trm_mesh_node *node = &solid->nodes[i];
        if (!meets_box(ray, node->box, first)) {
            i = node->next;
            continue;
        }
        for (int k = node->first; k < node->first + node->count; k++) {
            const int t = solid->order[k], *corner = solid->triangles[t];
            const double at = cross_triangle(ray, solid->vertices[corner[0]], solid->vertices[corner[1]],
                                             solid->vertices[corner[2]]);
            if (!(at < first)) continue;
            first = at;
            *normal = trm_v3_dot(solid->normals[t], ray.d) > 0 ? trm_v3_neg(solid->normals[t]) : solid->normals[t];
        }
        i++;
    }
    return first;
}

double trm_ray_solid(const trm_solid *solid, trm_ray ray, trm_vec3 *normal)
{
    if (solid->kind == TRM_SOLID_MESH) return mesh(solid, ray, normal);
    const inside at = convex(solid, ray);
    if (!(at.in <= at.out) || at.out < 0) return INFINITY;
    *normal = at.in > 0 ? at.normal : trm_v3_neg(ray.d);
    return fmax(at.in, 0);
}
