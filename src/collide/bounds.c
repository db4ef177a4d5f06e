/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Extents of shapes.
 *
 * With c the centre of a shape and R its axes in the world, most shapes extend along a unit vector u from u . c -
 * e(u) to u . c + e(u), where v = R^T u is u in the axes of the shape:
 *
 *     sphere    r
 *     capsule   r + l/2 |v_z|
 *     cylinder  r sqrt(v_x^2 + v_y^2) + l/2 |v_z|
 *     box       (s_x |v_x| + s_y |v_y| + s_z |v_z|) / 2
 *
 * For u along an axis of the world, v is a row of R. A hull has no such formula; all its vertices are visited. */

#include "collide/bounds.h"

#include "model/shape.h"

static trm_bounds bounds_of_points(const trm_vec3 *points, int count)
{
    trm_bounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < count; i++) {
        const trm_bounds point = {points[i], points[i]};
        box = trm_bounds_union(&box, &point);
    }
    return box;
}

trm_extent trm_shape_extent(const trm_shape *shape)
{
    const unsigned takes = shape->type->takes;
    trm_extent e = {.half = trm_v3(0, 0, 0)};
    if (shape->type->geometry == TRM_GEOMETRY_HULL && !(takes & TRM_SHAPE_TAKES_SIZE)) {
        e.points = shape->mesh.vertices;
        e.point_count = shape->mesh.vertex_count;
    } else if (takes & TRM_SHAPE_TAKES_FILE) {
        const trm_bounds box = bounds_of_points(shape->mesh.vertices, shape->mesh.vertex_count);
        e.centre = trm_v3_scale(0.5, trm_v3_add(box.lo, box.hi));
        e.half = trm_v3_scale(0.5, trm_v3_sub(box.hi, box.lo));
    } else if (takes & TRM_SHAPE_TAKES_SIZE) {
        e.half = trm_v3_scale(0.5, shape->size);
    } else {
        *(shape->type->geometry == TRM_GEOMETRY_CYLINDER ? &e.disc : &e.radius) = shape->radius;
        if (takes & TRM_SHAPE_TAKES_LENGTH) e.half.z = 0.5 * shape->length;
    }
    return e;
}

/* Returns e(u) for v = R^T u. */
static double extent_along(const trm_extent *e, trm_vec3 v)
{
    const double round = e->disc > 0 ? e->disc * sqrt(v.x * v.x + v.y * v.y) : e->radius;
    return round + e->half.x * fabs(v.x) + e->half.y * fabs(v.y) + e->half.z * fabs(v.z);
}

static trm_bounds bounds_of_hull(const trm_extent *e, const trm_mat3 *R, trm_vec3 origin)
{
    trm_bounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < e->point_count; i++) {
        const trm_vec3 x = trm_mat_vec(*R, e->points[i]);
        const trm_bounds point = {x, x};
        box = trm_bounds_union(&box, &point);
    }
    return (trm_bounds){trm_v3_add(box.lo, origin), trm_v3_add(box.hi, origin)};
}

trm_bounds trm_extent_bounds(const trm_extent *e, trm_pose X)
{
    const trm_mat3 R = trm_quat_matrix(X.q);
    if (e->point_count > 0) return bounds_of_hull(e, &R, X.p);
    const trm_vec3 c = trm_v3_add(X.p, trm_mat_vec(R, e->centre));
    const trm_vec3 rim = {extent_along(e, trm_v3(R.m[0][0], R.m[0][1], R.m[0][2])),
                          extent_along(e, trm_v3(R.m[1][0], R.m[1][1], R.m[1][2])),
                          extent_along(e, trm_v3(R.m[2][0], R.m[2][1], R.m[2][2]))};
    return (trm_bounds){trm_v3_sub(c, rim), trm_v3_add(c, rim)};
}

double trm_extent_least(const trm_extent *e, trm_pose X, trm_vec3 u)
{
    const trm_vec3 v = trm_rotate_back(X.q, u);
    if (e->point_count == 0) return trm_v3_dot(u, X.p) + trm_v3_dot(v, e->centre) - extent_along(e, v);
    double least = INFINITY;
    for (int i = 0; i < e->point_count; i++) least = fmin(least, trm_v3_dot(v, e->points[i]));
    return trm_v3_dot(u, X.p) + least;
}
