/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Surface: a point of B stays on a sphere, a cylinder or a torus that A carries (Schmitt 2003, 10).
 *
 * In axes of A, whose origin is the centre and whose z axis is the axis, y is the point and c(y) its signed
 * distance, positive outside. With n = grad c and H the second derivative
 *
 *     dc/dt = n . dy/dt,      d2c/dt2 = n . d2y/dt2 + dy/dt . H dy/dt
 *
 * With rho the distance from the axis, e_rho and e_phi the radial and the circumferential unit vectors:
 *
 *     sphere     c = |y| - r        n = y/|y|                          H = (1 - n n^T)/|y|
 *     cylinder   c = rho - r        n = e_rho                          H = e_phi e_phi^T / rho
 *     torus      c = |g| - minor    n = (g_rho e_rho + g_z e_z)/|g|    H = m m^T/|g| + (g_rho/|g|) e_phi e_phi^T/rho
 *                g = (rho - major, z) from its core, m = n turned in the plane of e_rho and e_z by a right angle
 *
 * The outward direction is undefined at the centre of the sphere, on the axis of the cylinder and on the core of
 * the torus. So is the direction away from the axis on the axis of the torus. The x axis is used there, and H is
 * left out. */

#include "base/tolerance.h"
#include "model/joints/carried.h"
#include "trammel/elementary.h"

/* Distance, gradient, and v . H v. */
typedef struct at_surface {
    double c;
    trm_vec3 n;
    double bend;
} at_surface;

static trm_vec3 direction(trm_vec3 v, double length)
{
    return length > TRM_NO_LENGTH ? trm_v3_scale(1 / length, v) : trm_axis(0);
}

static double over(double numerator, double length)
{
    return length > TRM_NO_LENGTH ? numerator / length : 0;
}

static double square(double x)
{
    return x * x;
}

static at_surface at_sphere(double radius, trm_vec3 y, trm_vec3 v)
{
    const double length = trm_v3_length(y);
    const trm_vec3 n = direction(y, length);
    return (at_surface){length - radius, n, over(trm_v3_dot(v, v) - square(trm_v3_dot(n, v)), length)};
}

static at_surface at_cylinder(double radius, trm_vec3 y, trm_vec3 v)
{
    const double rho = trm_hypot(y.x, y.y);
    const trm_vec3 e_rho = direction(trm_v3(y.x, y.y, 0), rho), e_phi = trm_v3_cross(trm_axis(2), e_rho);
    return (at_surface){rho - radius, e_rho, over(square(trm_v3_dot(e_phi, v)), rho)};
}

static at_surface at_torus(double major, double minor, trm_vec3 y, trm_vec3 v)
{
    const double rho = trm_hypot(y.x, y.y), g = trm_hypot(rho - major, y.z);
    const trm_vec3 e_rho = direction(trm_v3(y.x, y.y, 0), rho), e_phi = trm_v3_cross(trm_axis(2), e_rho);
    const trm_vec3 from_core = trm_v3_add_scaled(trm_v3_scale(rho - major, e_rho), y.z, trm_axis(2));
    const trm_vec3 n = g > TRM_NO_LENGTH ? trm_v3_scale(1 / g, from_core) : e_rho, m = trm_v3_cross(e_phi, n);
    const double outward = trm_v3_dot(n, e_rho);
    return (at_surface){g - minor, n,
                        over(square(trm_v3_dot(m, v)), g) + over(outward * square(trm_v3_dot(e_phi, v)), rho)};
}

static at_surface here(const trm_joint_at *at, trm_vec3 v)
{
    const trm_surface *surface = &at->joint->surface;
    const trm_vec3 y = trm_carried_point(at);
    switch (surface->kind) {
    case TRM_SURFACE_CYLINDER: return at_cylinder(surface->radius, y, v);
    case TRM_SURFACE_TORUS: return at_torus(surface->major, surface->radius, y, v);
    case TRM_SURFACE_SPHERE: break;
    }
    return at_sphere(surface->radius, y, v);
}

static void residual(const trm_joint_at *at, double *c)
{
    c[0] = here(at, trm_v3(0, 0, 0)).c;
}

static void jacobian(const trm_joint_at *at, trm_spatial *J)
{
    trm_carried_row(at, here(at, trm_v3(0, 0, 0)).n, J);
}

static void gamma_of(const trm_joint_at *at, double *gamma)
{
    const at_surface found = here(at, trm_carried_velocity(at));
    gamma[0] = -trm_v3_dot(found.n, trm_carried_bias(at)) - found.bend;
}

static const trm_part part_surface = {
    .rows = 1,
    .row_names = {"off the surface"},
    .residual = residual,
    .jacobian = jacobian,
    .gamma = gamma_of,
};

const trm_joint_type trm_joint_surface = {
    .name = "surface",
    .leaves = "a point of the second body slides on a surface of the first; 3 rotations",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR | TRM_TAKES_SURFACE,
    .points_on_a = true,
    .parts = {&part_surface},
};
