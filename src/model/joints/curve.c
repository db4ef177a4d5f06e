/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Curve: a point of B stays on a curve P(s) that A carries (Schmitt 2003, 10).
 *
 * All vectors are in axes of A. y is the point of B, s the parameter of the point of the curve nearest to it, and
 * e = y - P(s):
 *
 *     e . P' = 0,    ds/dt = (dy/dt . P') / D,    D = |P'|^2 - e . P''
 *
 * D is the second derivative of |e|^2/2 by s. It vanishes if y is a centre of the curve's curvature. The residual is
 * c_i = n_i . e. The two normals come from a reference u that is parallel to no tangent (math/space_curve.h), so that
 * they depend on s alone and never flip:
 *
 *     w = u x P',   n_1 = w / |w|,   T = P' / |P'|,   n_2 = T x n_1
 *
 * They rotate about T by omega = n_1' . n_2 = (u x P'') . n_2 / |w| per s, and n_i' . T = -n_i . P'' / |P'|. As
 * e . T = 0,
 *
 *     dc_1/dt = n_1 . dy/dt + omega c_2 ds/dt,      dc_2/dt = n_2 . dy/dt - omega c_1 ds/dt
 *
 * so the gradients of c are n_1 + (omega c_2 / D) P' and n_2 - (omega c_1 / D) P'; on the curve they are the normals.
 * Differentiating once more,
 *
 *     d2s/dt2 = (d2y/dt2 . P' + (dy/dt . P'') ds/dt - dD/dt ds/dt) / D
 *     dD/dt   = (2 P' . P'' - e . P''') ds/dt - (dy/dt - P' ds/dt) . P''
 *     omega'  = ((u x P''') . n_2 + (u x P'') . n_2') / |w| - omega ((u x P'') . n_1) / |w|
 *
 *     d2c_1/dt2 = n_1 . d2y/dt2 + (n_1' . dy/dt) ds/dt + (omega' c_2 ds/dt + omega dc_2/dt) ds/dt + omega c_2 d2s/dt2
 *     d2c_2/dt2 = n_2 . d2y/dt2 + (n_2' . dy/dt) ds/dt - (omega' c_1 ds/dt + omega dc_1/dt) ds/dt - omega c_1 d2s/dt2
 *
 * P''' of a spline jumps at knots, but it is multiplied by c only, which vanishes on the curve. The memory holds s,
 * from which the nearest point is searched, so that the point of B does not jump to another branch nearby. Laps are
 * added up in s. Without memory the nearest point of the whole curve is taken. The joint has no coordinate side. */

#include "math/space_curve.h"
#include "model/joints/carried.h"

/* Lower bound of D as a fraction of |P'|^2. It keeps all quantities finite at a centre of curvature, where no point
 * of the curve is nearest. A larger one changes the motion near centres of curvature, a smaller one lets coordinates
 * jump there by its inverse. Tests pass with a tenth and with ten times of it. */
static const double LEAST_D = 1e-9;

/* The curve at the point nearest to that of B. */
typedef struct nearest {
    double s;
    trm_curve_point at;
    trm_vec3 n[2];
    double c[2];
    double width; /* |w| */
    double omega, D;
    trm_vec3 e;
} nearest;

static double parameter(const trm_joint_at *at)
{
    const trm_vec3 y = trm_carried_point(at);
    const trm_space_curve *curve = at->joint->curve;
    return at->memory ? trm_curve_nearest_from(curve, y, at->memory[0]) : trm_curve_nearest(curve, y);
}

static nearest find_nearest(const trm_joint_at *at)
{
    const trm_vec3 u = at->joint->curve->reference;
    nearest here = {.s = parameter(at)};
    here.at = trm_curve_at(at->joint->curve, here.s);
    here.e = trm_v3_sub(trm_carried_point(at), here.at.P);

    const trm_vec3 w = trm_v3_cross(u, here.at.d);
    const double speed2 = trm_v3_dot(here.at.d, here.at.d);
    here.width = trm_v3_length(w);
    here.n[0] = trm_v3_scale(1 / here.width, w);
    here.n[1] = trm_v3_scale(1 / sqrt(speed2), trm_v3_cross(here.at.d, here.n[0]));
    here.omega = trm_v3_dot(trm_v3_cross(u, here.at.dd), here.n[1]) / here.width;
    here.D = fmax(speed2 - trm_v3_dot(here.e, here.at.dd), LEAST_D * speed2);
    for (int i = 0; i < 2; i++) here.c[i] = trm_v3_dot(here.n[i], here.e);
    return here;
}

static void residual(const trm_joint_at *at, double *c)
{
    const nearest here = find_nearest(at);
    c[0] = here.c[0], c[1] = here.c[1];
}

static void jacobian(const trm_joint_at *at, trm_spatial *J)
{
    const nearest here = find_nearest(at);
    const double turn = here.omega / here.D;
    trm_carried_row(at, trm_v3_add_scaled(here.n[0], turn * here.c[1], here.at.d), J);
    trm_carried_row(at, trm_v3_add_scaled(here.n[1], -turn * here.c[0], here.at.d), J + 2);
}

/* Computes n_i' . v, whose part along T is -n_i . P'' / |P'|. */
static void normal_rates(const nearest *here, trm_vec3 v, double rates[2])
{
    const double along = trm_v3_dot(v, here->at.d) / trm_v3_dot(here->at.d, here->at.d);
    rates[0] = here->omega * trm_v3_dot(here->n[1], v) - along * trm_v3_dot(here->n[0], here->at.dd);
    rates[1] = -here->omega * trm_v3_dot(here->n[0], v) - along * trm_v3_dot(here->n[1], here->at.dd);
}

static double omega_slope(const nearest *here, trm_vec3 u)
{
    const trm_vec3 w_d = trm_v3_cross(u, here->at.dd), w_dd = trm_v3_cross(u, here->at.ddd);
    double rates[2];
    normal_rates(here, w_d, rates);
    return (trm_v3_dot(w_dd, here->n[1]) + rates[1] - here->omega * trm_v3_dot(w_d, here->n[0])) / here->width;
}

/* Computes ds/dt and d2s/dt2. */
static void parameter_rates(const nearest *here, trm_vec3 v, trm_vec3 bias, double *s_dot, double *s_ddot)
{
    const trm_curve_point *at = &here->at;
    *s_dot = trm_v3_dot(v, at->d) / here->D;
    const double D_dot = (2 * trm_v3_dot(at->d, at->dd) - trm_v3_dot(here->e, at->ddd)) * *s_dot -
                         trm_v3_dot(trm_v3_add_scaled(v, -*s_dot, at->d), at->dd);
    *s_ddot = (trm_v3_dot(bias, at->d) + (trm_v3_dot(v, at->dd) - D_dot) * *s_dot) / here->D;
}

static void gamma_of(const trm_joint_at *at, double *gamma)
{
    const nearest here = find_nearest(at);
    const trm_vec3 v = trm_carried_velocity(at), bias = trm_carried_bias(at);
    const double sign[2] = {1, -1};
    double s_dot, s_ddot, n_rates[2], c_dot[2];
    parameter_rates(&here, v, bias, &s_dot, &s_ddot);
    normal_rates(&here, v, n_rates);
    for (int i = 0; i < 2; i++) c_dot[i] = trm_v3_dot(here.n[i], v) + sign[i] * here.omega * here.c[1 - i] * s_dot;
    const double omega_dot = omega_slope(&here, at->joint->curve->reference) * s_dot;
    for (int i = 0; i < 2; i++) {
        const double turning =
            (omega_dot * here.c[1 - i] + here.omega * c_dot[1 - i]) * s_dot + here.omega * here.c[1 - i] * s_ddot;
        gamma[i] = -trm_v3_dot(here.n[i], bias) - n_rates[i] * s_dot - sign[i] * turning;
    }
}

static void remember(const trm_joint_at *at, double dt, double *memory)
{
    (void)dt;
    memory[0] = parameter(at);
}

static const trm_part part_curve = {
    .rows = 2,
    .row_names = {"across the curve 1", "across the curve 2"},
    .residual = residual,
    .jacobian = jacobian,
    .gamma = gamma_of,
};

const trm_joint_type trm_joint_curve = {
    .name = "curve",
    .leaves = "a point of the second body slides on a curve of the first; 3 rotations",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR | TRM_TAKES_CURVE,
    .points_on_a = true,
    .parts = {&part_curve},
    .memory = 1,
    .remember = remember,
};
