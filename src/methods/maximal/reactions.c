/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Computes the forces in the joints at a state, at acceleration level. They are as accurate as the state, whatever
 * the order of the steps before.
 *
 *     J a = gamma,   a = a_free + W lambda,   a_free = M^-1 (forces - omega x I omega)
 *
 * lambda, in N and N m, is found with the same rows and solvers as impulses, where accelerations replace
 * velocities. Rows may be soft, J a + softness lambda = gamma. The multipliers of redundant rows are not unique: a
 * solver that drops such a row sets its multiplier to zero. */

#include "methods/maximal/maximal.h"
#include "methods/ranks/rank_map.h"

/* Residual accelerations below this fraction of the largest acceleration are rounding. A larger value shows in
 * joint forces; a smaller one is below rounding, and the iteration runs to its limit of rounds. Tests pass with a
 * tenth and with ten times of it. */
static const double NOTHING_LEFT = 1e-14;

static trm_vec3 gyroscopic(const trm_body *body, trm_quat q, trm_vec3 omega)
{
    const trm_vec3 w = trm_rotate_back(q, omega), J = body->inertia;
    const trm_vec3 L = trm_rotate(q, trm_v3(J.x * w.x, J.y * w.y, J.z * w.z));
    return trm_v3_cross(omega, L);
}

static void add_wrench(trm_maximal *w, int body, trm_spatial F)
{
    w->accelerations.a[body] = trm_sp_add_scaled(w->accelerations.a[body], 1, trm_maximal_response(w, body, F));
}

/* Computes accelerations without joints; moving bodies have their prescribed ones. Returns false if a force is not
 * finite. */
static bool free_accelerations(trm_maximal *w, trm_outcome *outcome)
{
    const trm_stepper *s = w->stepper;
    for (int k = 0; k < w->body_count; k++) {
        const int i = w->bodies[k];
        const trm_body *body = &s->model->bodies[i];
        trm_pose pose;
        trm_spatial velocity;
        w->accelerations.a[i] = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
        if (body->motion)
            trm_motion_at(body->motion, s->state->clock->time, &pose, &velocity, &w->accelerations.a[i]);
        if (body->kind == TRM_BODY_RIGID)
            add_wrench(w, i,
                       trm_sp(trm_v3_neg(gyroscopic(body, s->state->pose[i].q, s->state->velocity[i].ang)),
                              trm_v3(0, 0, 0)));
    }
    for (int i = 0; i < s->model->force_count; i++) {
        const trm_force *force = &s->model->forces[i];
        trm_spatial F[TRM_JOINT_BODIES];
        if (!trm_force_acts(s->state, i) || !trm_rank_map_knows_body(w->rank_map, force->body[0])) continue;
        if (!trm_maximal_wrench(w, i, F, outcome)) return false;
        for (int b = 0; b < force->body_count; b++) add_wrench(w, force->body[b], F[b]);
    }
    for (int i = 0; i < w->forces.slip_count; i++) {
        const trm_joint *joint = &s->model->joints[w->forces.slips[i]];
        trm_spatial F[TRM_JOINT_BODIES];
        if (!trm_maximal_slip(w, i, F)) continue;
        for (int b = 0; b < joint->body_count; b++) add_wrench(w, joint->body[b], F[b]);
    }
    for (int i = 0; w->accelerations.contact_wrench && i < s->model->body_count; i++)
        add_wrench(w, i, w->accelerations.contact_wrench[i]);
    for (int i = 0; i < s->called_count; i++) {
        trm_spatial F;
        if (!trm_maximal_caller_force(w, i, &F, outcome)) return false;
        add_wrench(w, s->called[i].body, F);
    }
    return true;
}

void trm_maximal_acceleration_gap(const trm_maximal *w, const trm_maximal_joint *j, double *gap)
{
    const int n = j->joint->body_count;
    for (int r = 0; r < j->joint->rows; r++) {
        const int row = j->joint->row_offset + r;
        const double softness = w->softness ? w->softness[row] : 0;
        gap[r] = j->on ? softness * w->accelerations.lambda[row] - w->accelerations.gamma[row] : 0;
        for (int b = 0; b < n; b++) gap[r] += trm_sp_dot(j->J[r * n + b], w->accelerations.a[j->joint->body[b]]);
    }
}

void trm_maximal_apply_joint_force(trm_maximal *w, const trm_maximal_joint *j, const double *lambda)
{
    const int n = j->joint->body_count;
    for (int r = 0; r < j->joint->rows; r++) {
        w->accelerations.lambda[j->joint->row_offset + r] += lambda[r];
        for (int b = 0; b < n; b++) {
            trm_spatial *a = &w->accelerations.a[j->joint->body[b]];
            *a = trm_sp_add_scaled(*a, lambda[r], j->W[r * n + b]);
        }
    }
}

/* Returns the largest residual of all joints. Sets scale to the largest acceleration, with which it is compared. */
static double largest_gap(const trm_maximal *w, double *scale)
{
    double largest = 0;
    *scale = 0;
    for (int j = 0; j < w->joint_count; j++) {
        double gap[TRM_JOINT_ROWS];
        trm_maximal_acceleration_gap(w, &w->joints[j], gap);
        for (int r = 0; r < w->joints[j].joint->rows; r++) {
            largest = fmax(largest, fabs(gap[r]));
            *scale = fmax(*scale, fabs(w->accelerations.gamma[w->joints[j].joint->row_offset + r]));
        }
    }
    for (int k = 0; k < w->body_count; k++) {
        const trm_spatial a = w->accelerations.a[w->bodies[k]];
        *scale = fmax(*scale, sqrt(trm_sp_dot(a, a)));
    }
    trm_rank_map_largest(w->rank_map, scale, NULL);
    trm_rank_map_largest(w->rank_map, &largest, NULL);
    return largest;
}

bool trm_maximal_begin_accelerations(trm_maximal *w, trm_outcome *outcome)
{
    trm_state *state = w->stepper->state;
    trm_maximal_rows(w);
    if (!free_accelerations(w, outcome)) return false;
    for (int i = 0; i < state->model->row_count; i++) w->accelerations.lambda[i] = 0;
    for (int j = 0; j < w->joint_count; j++) {
        const trm_joint_at at = trm_joint_now(state, w->joints[j].index);
        trm_joint_gamma(&at, w->accelerations.gamma + w->joints[j].joint->row_offset);
    }
    return true;
}

void trm_maximal_solve_accelerations(trm_maximal *w)
{
    double scale;
    for (int round = 0; round < w->solver->most_reaction_rounds; round++) {
        if (largest_gap(w, &scale) <= NOTHING_LEFT * scale) break;
        w->solver->acceleration_round(w);
    }
}

void trm_maximal_keep_reactions(trm_maximal *w)
{
    trm_state *state = w->stepper->state;
    for (int i = 0; i < state->model->row_count; i++) state->reaction[i] = w->accelerations.lambda[i];
    for (int k = 0; k < w->body_count; k++) {
        const int i = w->bodies[k];
        state->acceleration[i] =
            trm_body_sleeps(state, i) ? (trm_spatial){{0, 0, 0}, {0, 0, 0}} : w->accelerations.a[i];
    }
    for (int i = 0; i < state->model->joint_count; i++) { /* the reaction of sleeping joints stays as it was */
        const trm_joint *joint = &state->model->joints[i];
        for (int r = joint->row_offset; trm_joint_sleeps(state, i) && r < joint->row_offset + joint->rows; r++)
            state->reaction[r] = state->force[r];
    }
    for (int i = 0; i < w->forces.slip_count; i++) { /* the force of slipping joints is known */
        const trm_joint *joint = &state->model->joints[w->forces.slips[i]];
        const trm_joint_at at = trm_joint_now(state, w->forces.slips[i]);
        if (at.mode == TRM_PLUS || at.mode == TRM_MINUS)
            state->reaction[joint->row_offset] = (at.mode == TRM_PLUS ? -1 : 1) * trm_joint_most(&at);
    }
}

bool trm_maximal_reactions(trm_maximal *w, trm_outcome *outcome)
{
    if (!trm_maximal_begin_accelerations(w, outcome)) return false;
    trm_maximal_solve_accelerations(w);
    if (trm_rank_map_is_lost(w->rank_map)) return trm_maximal_lost(w, outcome);
    trm_maximal_keep_reactions(w);
    return true;
}
