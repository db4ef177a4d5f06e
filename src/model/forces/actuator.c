/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Actuator: a given force f(t) along the line between two points; a positive force pushes them apart (Schmitt
 * 2003, section 10: K(t)). With L their distance, the power is f dL/dt. Where the points coincide there is no
 * direction and no force. */

#include "model/force.h"

static void wrench(const trm_force_at *at, trm_spatial *F)
{
    const trm_force_line line = trm_force_line_of(at);
    const double f = trm_chosen_at(&at->force->value[0], at->memory, at->t).v;
    for (int b = 0; b < 2; b++) F[b] = trm_sp_scale(f, line.J[b]);
}

static double power(const trm_force_at *at)
{
    return trm_chosen_at(&at->force->value[0], at->memory, at->t).v * trm_force_line_of(at).rate;
}

const trm_force_type trm_force_actuator = {
    .name = "actuator",
    .what = "a given force along the line between two points",
    .takes = TRM_FORCE_TAKES_BODIES | TRM_FORCE_TAKES_PULL,
    .bodies = 2,
    .points = true,
    .wrench = wrench,
    .power = power,
};
