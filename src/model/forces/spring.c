/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Spring with damping between two points (Schmitt 9.1, 9.2).
 *
 * With d = x_b - x_a, L = |d|, n = d/L, e = L - rest and dL/dt = n . (dx_b/dt - dx_a/dt) the force on b is
 *     f = -(k e + c dL/dt) n,      on a  -f,
 * potential k e^2/2, power of the damper -c (dL/dt)^2. */

#include "model/force.h"

static int rows(const trm_force_at *at, trm_force_row *row)
{
    const trm_force_line line = trm_force_line_of(at);
    *row = (trm_force_row){
        .J = {line.J[0], line.J[1]},
        .c = line.length - at->force->rest,
        .stiffness = at->force->stiffness,
        .damping = at->force->damping,
        .most = INFINITY,
    };
    return 1;
}

/* A spring of length zero has no direction: n = 0, so its force is zero. */
static void wrench(const trm_force_at *at, trm_spatial *F)
{
    const trm_force_line line = trm_force_line_of(at);
    const double e = line.length - at->force->rest;
    const double pull = -(at->force->stiffness * e + at->force->damping * line.rate);
    for (int b = 0; b < 2; b++) F[b] = trm_sp_scale(pull, line.J[b]);
}

static double potential(const trm_force_at *at)
{
    const double e = trm_force_line_of(at).length - at->force->rest;
    return 0.5 * at->force->stiffness * e * e;
}

static double power(const trm_force_at *at)
{
    const double rate = trm_force_line_of(at).rate;
    return -at->force->damping * rate * rate;
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
    .passive = true,
    .rows = rows,
};
