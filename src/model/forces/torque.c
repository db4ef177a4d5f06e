/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A given torque f(t) on one body, in world axes or in axes of the body frame. Power f . omega. */

#include "model/force.h"

static void wrench(const trm_force_at *at, trm_spatial *F)
{
    F[0] = trm_sp(trm_force_value(at), trm_v3(0, 0, 0));
}

static double power(const trm_force_at *at)
{
    return trm_v3_dot(trm_force_value(at), at->V[0].ang);
}

const trm_force_type trm_force_torque = {
    .name = "torque",
    .what = "a given torque on a body",
    .takes = TRM_FORCE_TAKES_BODY | TRM_FORCE_TAKES_VECTOR,
    .bodies = 1,
    .wrench = wrench,
    .power = power,
};
