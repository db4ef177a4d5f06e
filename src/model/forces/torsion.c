/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Spring with damping on the coordinate q of a joint: a torsion spring in a hinge, a spring along a slider.
 *
 *     tau = -(k e + d dq/dt),   e = q - rest
 * with turns counted; potential k e^2/2, power of the damper -d (dq/dt)^2. */

#include "model/force.h"

static int rows(const trm_force_at *at, trm_force_row *row)
{
    const trm_force_coordinate x = trm_force_coordinate_of(at);
    *row = (trm_force_row){
        .J = {x.G[0], x.G[1]},
        .c = x.q - at->force->rest,
        .stiffness = at->force->stiffness,
        .damping = at->force->damping,
        .most = INFINITY,
    };
    return 1;
}

static void wrench(const trm_force_at *at, trm_spatial *F)
{
    const trm_force_coordinate x = trm_force_coordinate_of(at);
    const double tau = -(at->force->stiffness * (x.q - at->force->rest) + at->force->damping * x.rate);
    for (int b = 0; b < 2; b++) F[b] = trm_sp(trm_scale(tau, x.G[b].ang), trm_scale(tau, x.G[b].lin));
}

static double potential(const trm_force_at *at)
{
    const double e = trm_force_coordinate_of(at).q - at->force->rest;
    return 0.5 * at->force->stiffness * e * e;
}

static double power(const trm_force_at *at)
{
    const double rate = trm_force_coordinate_of(at).rate;
    return -at->force->damping * rate * rate;
}

const trm_force_type trm_force_torsion = {
    .name = "torsion",
    .what = "spring with damping on the coordinate of a joint",
    .takes = TRM_FORCE_TAKES_JOINT | TRM_FORCE_TAKES_SPRING,
    .bodies = 2,
    .of_velocity = true,
    .wrench = wrench,
    .potential = potential,
    .power = power,
    .passive = true,
    .rows = rows,
};
