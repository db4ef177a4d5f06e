/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A given force f(t) at a point of one body, in world axes or in axes of the body frame. Power f . dx/dt. */

#include "model/force.h"

static void wrench(const trm_force_at *at, trm_spatial *F)
{
    const trm_vec3 f = trm_force_value(at);
    F[0] = trm_sp(trm_v3_cross(at->r[0], f), f);
}

static double power(const trm_force_at *at)
{
    trm_spatial F;
    wrench(at, &F);
    return trm_sp_dot(F, at->V[0]);
}

const trm_force_type trm_force_force = {
    .name = "force",
    .what = "a given force at a point of a body",
    .takes = TRM_FORCE_TAKES_BODY | TRM_FORCE_TAKES_POINT | TRM_FORCE_TAKES_VECTOR,
    .bodies = 1,
    .points = true,
    .wrench = wrench,
    .power = power,
};
