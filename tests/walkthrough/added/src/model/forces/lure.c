/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Lure, made up for a test: the given force f towards the origin of the world, at the centre of mass x of a body.
 * F = -f x/|x|, potential f |x|. At the origin it has no direction and vanishes. */

#include "model/force.h"

static double strength(const trm_force_at *at)
{
    return trm_chosen_at(&at->force->value[0], at->memory, at->t).v;
}

static void wrench(const trm_force_at *at, trm_spatial *F)
{
    const double distance = trm_v3_length(at->X[0].p);
    F[0] = trm_sp(trm_v3(0, 0, 0), trm_v3_scale(distance > 0 ? -strength(at) / distance : 0, at->X[0].p));
}

static double potential(const trm_force_at *at)
{
    return strength(at) * trm_v3_length(at->X[0].p);
}

const trm_force_type trm_force_lure = {
    .name = "lure",
    .what = "a given force towards the origin of the world",
    .takes = TRM_FORCE_TAKES_BODY | TRM_FORCE_TAKES_PULL,
    .bodies = 1,
    .points = true,
    .wrench = wrench,
    .potential = potential,
};
