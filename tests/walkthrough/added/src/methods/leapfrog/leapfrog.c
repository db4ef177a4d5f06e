/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Leapfrog, made up for a test: V(t+h/2) = V + h/2 M^-1 F(q), q(t+h) = q + h V(t+h/2), V(t+h) = V(t+h/2) + h/2 M^-1
 * F. It moves bodies without joints. */

#include "methods/maximal/maximal.h"

static void *create(trm_stepper *stepper)
{
    return trm_maximal_create(stepper, trm_maximal_solver_of(stepper->options));
}

static bool step(void *workspace, double h, trm_outcome *outcome)
{
    trm_maximal *w = workspace;
    trm_maximal_rows(w);
    if (!trm_maximal_kick(w, 0.5 * h, TRM_ALL_FORCES, outcome)) return false;
    trm_maximal_look_ahead(w, h);
    trm_maximal_advance(w, h);
    trm_maximal_rows(w);
    return trm_maximal_kick(w, 0.5 * h, TRM_ALL_FORCES, outcome);
}

static bool project_positions(void *workspace, trm_outcome *outcome)
{
    return trm_maximal_project_positions(workspace, outcome);
}

/* Does nothing, because there are no joints onto which velocities could be projected. */
static bool project_velocities(void *workspace, trm_outcome *outcome)
{
    (void)workspace;
    (void)outcome;
    return true;
}

static bool reactions(void *workspace, trm_outcome *outcome)
{
    return trm_maximal_reactions(workspace, outcome);
}

const trm_method trm_method_leapfrog = {
    .name = "leapfrog",
    .can = TRM_CAN_RIGID | TRM_CAN_FORCES,
    .create = create,
    .step = step,
    .project_positions = project_positions,
    .project_velocities = project_velocities,
    .reactions = reactions,
};
