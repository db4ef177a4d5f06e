/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The response of the machine to an impulse, with the constraints of all active joints: V = S J^T, where S is M^-1
 * projected onto J V = 0 of these joints. Events use it to decide which joints become inactive. */

#include <string.h>

#include "methods/maximal/maximal.h"

/* Responses below this fraction of the response without joints count as zero. A larger value ignores rows of
 * slender machines, a smaller one divides by a response of rounding. Tests pass with a tenth and with ten times of
 * it. */
static const double NO_RESPONSE = 1e-9;

/* Computes the rows of a joint that does not act, which the workspace does not contain. */
static void first_row(const trm_maximal *w, int joint, trm_spatial *J)
{
    const trm_joint_at at = trm_joint_now(w->stepper->state, joint);
    trm_joint_jacobian(&at, J);
}

/* Applies the impulse that would give the row about unit speed without joints, so that the tolerances are
 * meaningful. */
bool trm_maximal_respond_to(trm_maximal *w, const int *body, int bodies, const trm_spatial *J, trm_spatial *V,
                            trm_outcome *outcome)
{
    trm_state *state = w->stepper->state;
    const size_t bytes = (size_t)state->model->body_count * sizeof *V;
    const trm_works work = state->clock->work;
    double own = 0;
    trm_maximal_rows(w);
    for (int b = 0; b < bodies; b++) own += trm_sp_dot(J[b], trm_maximal_response(w, body[b], J[b]));
    const double unit = own > 0 ? 1 / own : 1;
    memcpy(w->accelerations.a, state->velocity, bytes);
    memset(state->velocity, 0, bytes);
    memset(w->accelerations.gamma, 0, (size_t)state->model->row_count * sizeof *w->accelerations.gamma);
    for (int b = 0; b < bodies; b++) trm_maximal_apply_impulse(w, body[b], trm_sp_scale(unit, J[b]));
    w->required = w->accelerations.gamma; /* zero instead of the prescribed speeds of drives */
    const bool projected = trm_maximal_correct_velocities(w, 0, outcome);
    w->required = NULL;
    double response = 0;
    for (int b = 0; b < bodies; b++) response += trm_sp_dot(J[b], state->velocity[body[b]]);
    if (!(response > NO_RESPONSE)) memset(state->velocity, 0, bytes); /* other joints block it */
    for (int i = 0; i < state->model->body_count; i++) V[i] = trm_sp_scale(own > 0 ? own : 1, state->velocity[i]);
    memcpy(state->velocity, w->accelerations.a, bytes);
    state->clock->work = work;
    return projected;
}

bool trm_maximal_respond(trm_maximal *w, int joint, trm_spatial *V, trm_outcome *outcome)
{
    const trm_joint *j = &w->stepper->model->joints[joint];
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    first_row(w, joint, J);
    return trm_maximal_respond_to(w, j->body, j->body_count, J, V, outcome);
}

double trm_maximal_row_acceleration(const trm_maximal *w, int joint)
{
    const trm_joint_at at = trm_joint_now(w->stepper->state, joint);
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    double gamma[TRM_JOINT_ROWS];
    trm_joint_jacobian(&at, J);
    trm_joint_gamma(&at, gamma);
    double c_ddot = -gamma[0];
    for (int b = 0; b < at.joint->body_count; b++) c_ddot += trm_sp_dot(J[b], w->accelerations.a[at.joint->body[b]]);
    return c_ddot;
}

void trm_maximal_clear_accelerations(trm_maximal *w)
{
    const size_t bodies = (size_t)w->stepper->model->body_count, rows = (size_t)w->stepper->model->row_count;
    memset(w->accelerations.a, 0, bodies * sizeof *w->accelerations.a);
    memset(w->accelerations.gamma, 0, rows * sizeof *w->accelerations.gamma);
    memset(w->accelerations.lambda, 0, rows * sizeof *w->accelerations.lambda);
}

void trm_maximal_apply_unit_impulse(trm_maximal *w, const int *body, int bodies, const trm_spatial *W)
{
    for (int b = 0; b < bodies; b++)
        w->accelerations.a[body[b]] = trm_sp_add_scaled(w->accelerations.a[body[b]], 1, W[b]);
    for (int b = 0; b < bodies; b++) {
        const int island = w->island_of[body[b]];
        bool done = island < 0;
        for (int k = 0; k < b; k++) done = done || w->island_of[body[k]] == island;
        if (!done) w->solver->island_acceleration_round(w, island);
    }
}

void trm_maximal_clear_response(trm_maximal *w, const int *body, int bodies)
{
    const trm_spatial rest = {{0, 0, 0}, {0, 0, 0}};
    for (int b = 0; b < bodies; b++) {
        const int island = w->island_of[body[b]];
        w->accelerations.a[body[b]] = rest;
        for (int j = island < 0 ? 0 : w->first_joint[island]; island >= 0 && j < w->first_joint[island + 1]; j++) {
            const trm_joint *joint = w->joints[j].joint;
            for (int k = 0; k < joint->body_count; k++) w->accelerations.a[joint->body[k]] = rest;
            for (int r = 0; r < joint->rows; r++) w->accelerations.lambda[joint->row_offset + r] = 0;
        }
    }
}
