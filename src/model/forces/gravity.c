/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Gravity on one body: the constant force m g at its centre of mass, potential -m g . s. The model creates one for
 * every body that has mass. Methods whose free motion includes gravity leave it out. */

#include "model/force.h"

static void wrench(const trm_force_at *at, trm_spatial *F)
{
    F[0] = trm_sp(trm_v3(0, 0, 0), at->force->weight);
}

static double potential(const trm_force_at *at)
{
    return -trm_v3_dot(at->force->weight, at->X[0].p);
}

const trm_force_type trm_force_gravity = {
    .name = "gravity",
    .what = "weight of a body",
    .bodies = 1,
    .points = true,
    .built_in = true,
    .wrench = wrench,
    .potential = potential,
};
