/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Spring with damping between two points (Schmitt 9.1, 9.2).
 *
 * With d = x_b - x_a, L = |d|, n = d/L, e = L - rest and dL/dt = n . (dx_b/dt - dx_a/dt) the force on b is
 *     f = -(k e + c dL/dt) n,      on a  -f,
 * potential k e^2/2, power of the damper -c (dL/dt)^2. */

#include "model/force.h"

typedef struct stretch {
    trm_vec3 n;
    double e, e_dot;
} stretch;

static trm_vec3 velocity(const trm_force_at *at, int b)
{
    return trm_add(at->V[b].lin, trm_cross(at->V[b].ang, at->r[b]));
}

/* A spring of length zero has no direction: its force is zero along n = 0. */
static stretch stretch_of(const trm_force_at *at)
{
    const trm_vec3 d = trm_sub(at->X[1].p, at->X[0].p);
    const double length = trm_length(d);
    const trm_vec3 n = length > 0 ? trm_scale(1 / length, d) : trm_v3(0, 0, 0);
    return (stretch){n, length - at->force->rest, trm_dot(n, trm_sub(velocity(at, 1), velocity(at, 0)))};
}

static void row_of(const trm_force_at *at, trm_force_row *row)
{
    const stretch s = stretch_of(at);
    row->J[0] = trm_sp(trm_cross(s.n, at->r[0]), trm_neg(s.n));
    row->J[1] = trm_sp(trm_cross(at->r[1], s.n), s.n);
    row->c = s.e;
    row->stiffness = at->force->stiffness;
    row->damping = at->force->damping;
}

static void wrench(const trm_force_at *at, trm_spatial *F)
{
    const stretch s = stretch_of(at);
    const double pull = -(at->force->stiffness * s.e + at->force->damping * s.e_dot);
    const trm_vec3 f = trm_scale(pull, s.n);
    F[0] = trm_sp(trm_cross(f, at->r[0]), trm_neg(f));
    F[1] = trm_sp(trm_cross(at->r[1], f), f);
}

static double potential(const trm_force_at *at)
{
    const double e = stretch_of(at).e;
    return 0.5 * at->force->stiffness * e * e;
}

static double power(const trm_force_at *at)
{
    const double e_dot = stretch_of(at).e_dot;
    return -at->force->damping * e_dot * e_dot;
}

const trm_force_type trm_force_spring = {
    .name = "spring",
    .what = "spring with damping between two points",
    .takes = TRM_FORCE_TAKES_BODIES | TRM_FORCE_TAKES_SPRING,
    .bodies = 2,
    .points = true,
    .of_velocity = true,
    .wrench = wrench,
    .potential = potential,
    .power = power,
    .row = row_of,
};
