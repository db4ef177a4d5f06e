/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Computes accelerations at a state. c'' = J a - gamma is required to be  -damping c' - stiffness c  instead of 0,
 * so that gaps decay. With damping = 2 beta, stiffness = gamma^2 (Baumgarte 1972)
 *
 *     c(t) = c1 exp((-beta + root) t) + c2 exp((-beta - root) t),   root = sqrt(beta^2 - gamma^2)
 *
 * Penalty and constraint force mixing use damping = 2 Omega mu, stiffness = Omega^2, and make a row compliant: its
 * acceleration differs by l / alpha. Both give the same accelerations (Hishinuma 2018, (5) and (6)). The matrix of
 * the penalty form has a block per body, the other one a block per joint. */

#include "methods/lagrange/lagrange.h"

static void stabilise(trm_lagrange *w)
{
    trm_maximal *m = w->machine;
    const trm_state *state = w->stepper->state;
    for (int j = 0; j < m->joint_count; j++) {
        const trm_maximal_joint *joint = &m->joints[j];
        double c[TRM_JOINT_ROWS], c_dot[TRM_JOINT_ROWS];
        trm_joint_residual_at(joint->joint, state->pose, state->clock->time, state->memory, c);
        trm_maximal_check_velocity(m, joint, c_dot);
        for (int r = 0; r < joint->joint->rows; r++)
            m->accelerations.gamma[joint->joint->row_offset + r] -= w->damping * c_dot[r] + w->stiffness * c[r];
    }
}

/* Fails if there are contacts: they need the responses of the machine, which the penalty matrix does not give. */
static bool accelerate_by_penalty(trm_lagrange *w, trm_outcome *outcome)
{
    if (w->machine->contact_set)
        return trm_fail(outcome, NAN, "option", "lagrange.stabilise",
                        "is penalty, which does not support contacts; use baumgarte or cfm");
    if (trm_penalty_accelerate(w->penalty, w->machine)) return true;
    return trm_fail(outcome, NAN, "option", "lagrange.alpha",
                    "is so large that forces are lost in rounding; give a smaller one");
}

bool trm_lagrange_accelerate(void *lagrange, trm_outcome *outcome)
{
    trm_lagrange *w = lagrange;
    if (!trm_maximal_begin_accelerations(w->machine, outcome)) return false;
    if (w->damping != 0 || w->stiffness != 0) stabilise(w);
    if (w->penalty) return accelerate_by_penalty(w, outcome);
    if (w->machine->contact_set) return trm_lagrange_solve_contacts(w, outcome);
    trm_maximal_solve_accelerations(w->machine);
    return true;
}
