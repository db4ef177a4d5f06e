/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Spring with damping on the coordinate q of a joint: a torsion spring in a hinge, a spring along a slider.
 *
 *     tau = -(k e + d dq/dt),   e = q - rest
 * where q includes full turns; potential k e^2/2, power of the damper -d (dq/dt)^2. */

#include "model/force.h"

static int rows(const trm_force_at *at, trm_force_row *row)
{
    const trm_force_coordinate x = trm_force_coordinate_of(at);
    *row = (trm_force_row){
        .c = x.q - at->force->rest,
        .stiffness = at->force->stiffness,
        .damping = at->force->damping,
        .most = INFINITY,
    };
    for (int b = 0; b < at->force->body_count; b++) row->J[b] = x.G[b];
    return 1;
}

static trm_force_along along(const trm_force_at *at, double q, double rate)
{
    const trm_force *f = at->force;
    return (trm_force_along){-(f->stiffness * (q - f->rest) + f->damping * rate), -f->damping * rate * rate};
}

static double potential(const trm_force_at *at)
{
    const double e = trm_force_coordinate_of(at).q - at->force->rest;
    return 0.5 * at->force->stiffness * e * e;
}

const trm_force_type trm_force_torsion = {
    .name = "torsion",
    .what = "spring with damping on the coordinate of a joint",
    .takes = TRM_FORCE_TAKES_JOINT | TRM_FORCE_TAKES_SPRING,
    .bodies = 2,
    .of_velocity = true,
    .wrench = trm_force_wrench_along,
    .potential = potential,
    .power = trm_force_power_along,
    .passive = true,
    .rows = rows,
    .along = along,
};
