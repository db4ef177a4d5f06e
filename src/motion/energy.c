/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Energy and momentum.
 *
 *     E_kin = sum (m v^2 + omega . I omega)/2,    P = sum m v,    L = sum s x m v + I omega,
 * with I = R diag(J) R^T. E_pot and the power are computed by the forces themselves. */

#include "motion/state.h"

/* Returns k c^2 / 2 of a joint that is a spring. */
static double spring_energy(const trm_state *state, int joint)
{
    const trm_joint_at at = trm_joint_now(state, joint);
    double c[TRM_JOINT_ROWS], square = 0;
    if (!state->attached[joint]) return 0;
    trm_joint_residual(&at, c);
    for (int r = 0; r < at.joint->rows; r++) square += c[r] * c[r];
    return 0.5 * at.joint->spring_stiffness * square;
}

trm_energy trm_state_energy(const trm_state *state)
{
    const trm_model *model = state->model;
    trm_energy energy = {0, 0, 0};
    for (int i = 0; i < model->body_count; i++) {
        const trm_spatial V = state->velocity[i];
        const trm_vec3 spin = trm_spin_momentum(state, i);
        energy.kinetic += 0.5 * (model->bodies[i].mass * trm_v3_dot(V.lin, V.lin) + trm_v3_dot(V.ang, spin));
    }
    for (int i = 0; i < model->force_count; i++) {
        if (!trm_force_acts(state, i)) continue;
        trm_force_at at;
        trm_force_place_now(state, i, &at);
        energy.potential += trm_force_potential(&at);
        energy.power += trm_force_power(&at);
    }
    for (int j = 0; j < model->joint_count; j++)
        if (trm_joint_is_spring(&model->joints[j])) energy.potential += spring_energy(state, j);
    return energy;
}

static double energy_beyond_work(const trm_state *state)
{
    const trm_energy e = trm_state_energy(state);
    return e.kinetic + e.potential - trm_works_sum(state->clock->work);
}

double trm_unexplained_energy(const trm_state *start, const trm_state *end)
{
    return energy_beyond_work(end) - energy_beyond_work(start);
}

void trm_add_impact_work(trm_state *state, double grew, double own)
{
    const double impact = trm_model_is_driven(state->model) ? own : grew;
    trm_add_work(state, 1, (trm_works){.impact = impact, .input = grew - impact});
}

trm_momentum trm_state_momentum(const trm_state *state)
{
    const trm_model *model = state->model;
    trm_momentum sum = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < model->shown_body_count; i++) { /* without rotors, which have no momentum in space */
        const trm_spatial V = state->velocity[i];
        const trm_vec3 p = trm_v3_scale(model->bodies[i].mass, V.lin);
        sum.linear = trm_v3_add(sum.linear, p);
        sum.angular = trm_v3_add(sum.angular, trm_v3_cross(state->pose[i].p, p));
        sum.angular = trm_v3_add(sum.angular, trm_spin_momentum(state, i));
    }
    return sum;
}
