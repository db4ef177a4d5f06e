/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Effort: a given torque (force) on the coordinate q of a joint, through a gear of ratio n.
 *
 *     tau = n clamp(f(t), least, most),   power tau dq/dt */

#include "model/force.h"

static trm_force_along along(const trm_force_at *at, double q, double rate)
{
    (void)q;
    const trm_force *force = at->force;
    const double f = trm_chosen_at(&force->value[0], at->memory, at->t).v;
    const double tau = force->gear * fmax(force->range[0], fmin(force->range[1], f));
    return (trm_force_along){tau, tau * rate};
}

const trm_force_type trm_force_effort = {
    .name = "effort",
    .what = "a given torque or force on the coordinate of a joint",
    .takes = TRM_FORCE_TAKES_JOINT | TRM_FORCE_TAKES_PULL | TRM_FORCE_TAKES_GEAR | TRM_FORCE_TAKES_RANGE,
    .bodies = 2,
    .wrench = trm_force_wrench_along,
    .power = trm_force_power_along,
    .along = along,
};
