/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Effort: a given torque (force) on the coordinate q of a joint, through a gear of ratio n.
 *
 *     tau = n clamp(f(t), least, most),   power tau dq/dt */

#include "model/force.h"

static double effort_of(const trm_force_at *at)
{
    const trm_force *force = at->force;
    const double f = trm_chosen_at(&force->value[0], at->memory, at->t).v;
    return force->gear * fmax(force->range[0], fmin(force->range[1], f));
}

static void wrench(const trm_force_at *at, trm_spatial *F)
{
    const trm_force_coordinate x = trm_force_coordinate_of(at);
    const double tau = effort_of(at);
    for (int b = 0; b < 2; b++) F[b] = trm_sp(trm_scale(tau, x.G[b].ang), trm_scale(tau, x.G[b].lin));
}

static double power(const trm_force_at *at)
{
    return effort_of(at) * trm_force_coordinate_of(at).rate;
}

const trm_force_type trm_force_effort = {
    .name = "effort",
    .what = "a given torque or force on the coordinate of a joint",
    .takes = TRM_FORCE_TAKES_JOINT | TRM_FORCE_TAKES_PULL | TRM_FORCE_TAKES_GEAR | TRM_FORCE_TAKES_RANGE,
    .bodies = 2,
    .wrench = wrench,
    .power = power,
};
