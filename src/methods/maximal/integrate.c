/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "methods/maximal/integrate.h"

#include "base/larger.h"
#include "math/rotation.h"
#include "methods/ranks/rank_map.h"

static trm_quat add_scaled_quat(trm_quat q, double s, trm_quat d)
{
    return (trm_quat){q.w + s * d.w, q.x + s * d.x, q.y + s * d.y, q.z + s * d.z};
}

/* q' = 1/2 (0, omega) o q */
static trm_quat quat_rate(trm_vec3 omega, trm_quat q)
{
    const trm_quat spin = {0, 0.5 * omega.x, 0.5 * omega.y, 0.5 * omega.z};
    return trm_quat_mul(spin, q);
}

/* Returns the rotation E of the frame in which a body's orientation is integrated, at time s in the step. */
static trm_quat turned_frame(const trm_integration *w, int known, double s)
{
    return trm_quat_exp(trm_v3_scale(s, w->spin[known]));
}

/* Sets the state at time t, which is s after the start of the step: the start plus h times the weighted sum of the
 * rates. */
static void set_stage(trm_integration *w, double t, double s, double h, const double *weights, int count)
{
    trm_state *state = w->machine->stepper->state;
    const int bodies = w->machine->body_count;
    state->clock->time = t;
    for (int known = 0; known < bodies; known++) {
        const int i = w->machine->bodies[known];
        const trm_body *body = &state->model->bodies[i];
        trm_pose X = w->pose[known];
        trm_spatial V = w->velocity[known];
        for (int k = 0; k < count; k++) {
            const trm_rates *rates = &w->rates[k * bodies + known];
            if (weights[k] == 0) continue;
            X.p = trm_v3_add_scaled(X.p, h * weights[k], rates->p);
            X.q = add_scaled_quat(X.q, h * weights[k], rates->q);
            V = trm_sp_add_scaled(V, h * weights[k], rates->V);
        }
        X.q = trm_quat_mul(turned_frame(w, known, s), trm_quat_unit(X.q));
        state->pose[i] = X;
        state->velocity[i] = V;
        if (body->motion) trm_motion_at(body->motion, t, &state->pose[i], &state->velocity[i], NULL);
    }
}

trm_works trm_maximal_power_of_all(const trm_maximal *m)
{
    double through_joints = 0;
    for (int j = 0; m->needs.work && j < m->joint_count; j++) {
        const trm_maximal_joint *joint = &m->joints[j];
        for (int r = 0; joint->driven && trm_rank_map_counts(m->rank_map, joint->index) && r < joint->joint->rows;
             r++)
            through_joints += joint->drive[r] * m->accelerations.lambda[joint->joint->row_offset + r];
    }
    if (m->needs.work) trm_rank_map_sum(m->rank_map, &through_joints);
    return trm_works_add_scaled(trm_maximal_power(m, TRM_ALL_FORCES), 1, (trm_works){.input = through_joints});
}

/* Computes the rates of stage s at the present state, h in the step. */
static bool evaluate(trm_integration *w, int s, double h, trm_outcome *outcome)
{
    const trm_state *state = w->machine->stepper->state;
    const int bodies = w->machine->body_count;
    if (!w->accelerate(w->context, outcome)) return false;
    for (int known = 0; known < bodies; known++) {
        const int i = w->machine->bodies[known];
        const trm_quat q = quat_rate(trm_v3_sub(state->velocity[i].ang, w->spin[known]), state->pose[i].q);
        w->rates[s * bodies + known] = (trm_rates){
            .p = state->velocity[i].lin,
            .q = trm_quat_mul(trm_quat_conj(turned_frame(w, known, h)), q),
            .V = w->machine->accelerations.a[i],
        };
    }
    w->power[s] = w->power_of_all(w->context);
    return true;
}

/* Replaces the rates of positions by the velocities at the end of the step. */
static void take_new_velocities(trm_integration *w, double h)
{
    for (int i = 0; i < w->machine->body_count; i++) {
        trm_rates *k = &w->rates[i];
        const trm_spatial V = trm_sp_add_scaled(w->velocity[i], h, k->V);
        k->p = V.lin;
        k->q = (trm_quat){0, 0, 0, 0};
        w->spin[i] = V.ang;
    }
}

/* Returns h sum e_i P_i, as an error of poses. */
static double estimate_work_error(const trm_integration *w, double h)
{
    trm_works error = {0};
    for (int s = 0; s < w->rule->stages; s++) error = trm_works_add_scaled(error, h * w->rule->e[s], w->power[s]);
    return w->machine->stepper->per_joule * fabs(trm_works_sum(error));
}

/* Returns h sum e_i k_i, the largest over all bodies and the work. */
static double estimate_error(const trm_integration *w, double h)
{
    const int bodies = w->machine->body_count;
    double largest = estimate_work_error(w, h);
    for (int i = 0; i < bodies; i++) {
        trm_vec3 p = {0, 0, 0};
        trm_quat q = {0, 0, 0, 0};
        trm_spatial V = {{0, 0, 0}, {0, 0, 0}};
        for (int s = 0; s < w->rule->stages; s++) {
            const trm_rates *k = &w->rates[s * bodies + i];
            p = trm_v3_add_scaled(p, h * w->rule->e[s], k->p);
            q = add_scaled_quat(q, h * w->rule->e[s], k->q);
            V = trm_sp_add_scaled(V, h * h * w->rule->e[s], k->V);
        }
        largest = trm_larger(largest, trm_larger(trm_v3_length(p), 2 * trm_quat_norm(q)));
        largest = trm_larger(largest, trm_larger(trm_v3_length(V.lin), trm_v3_length(V.ang)));
    }
    trm_rank_map_largest(w->machine->rank_map, &largest, NULL);
    return largest;
}

trm_integration *trm_integration_create(trm_maximal *machine, const trm_runge_kutta *rule)
{
    trm_arena *arena = machine->stepper->arena;
    trm_integration *w = TRM_NEW(arena, trm_integration);
    if (!w) return NULL;
    w->machine = machine;
    w->rule = rule;
    w->error = rule->e ? INFINITY : NAN;
    w->pose = TRM_NEW_ARRAY(arena, trm_pose, machine->body_count);
    w->velocity = TRM_NEW_ARRAY(arena, trm_spatial, machine->body_count);
    w->spin = TRM_NEW_ARRAY(arena, trm_vec3, machine->body_count);
    w->rates = TRM_NEW_ARRAY(arena, trm_rates, machine->body_count * rule->stages);
    return arena->failed ? NULL : w;
}

/* Returns whether the rows that were dropped at the start of the step are still closed. They are dropped in all
 * stages, because they contradict the other rows where joints are slightly open. The other rows keep them closed,
 * unless they are redundant only in that pose. Such a step fails and is repeated without holding the rank. */
static bool dropped_rows_are_closed(trm_maximal *m, trm_outcome *outcome)
{
    const bool held = m->rank.held && m->solver->opened_by_rank;
    const trm_joint *joint = held ? m->solver->opened_by_rank(m) : NULL;
    return !joint ||
           trm_fail(outcome, INFINITY, "joint", joint->name, "a redundant row that was dropped is violated");
}

void trm_maximal_release_rank(trm_maximal *m, bool done)
{
    m->rank.released = !done && (m->rank.held || m->rank.released);
    m->rank.held = false;
}

bool trm_integrate(trm_integration *w, double h, trm_outcome *outcome)
{
    trm_state *state = w->machine->stepper->state;
    const trm_runge_kutta *rule = w->rule;
    const double start = state->clock->time, goal = w->machine->stepper->step.goal;
    for (int known = 0; known < w->machine->body_count; known++) {
        w->pose[known] = state->pose[w->machine->bodies[known]];
        w->velocity[known] = state->velocity[w->machine->bodies[known]];
        w->spin[known] = w->velocity[known].ang;
    }

    /* k_i = f(t + c_i h, y + h sum a_ij k_j) */
    const double *a = rule->a;
    for (int s = 0; s < rule->stages; a += s++) {
        const double at = rule->c[s] * h;
        if (s > 0) set_stage(w, rule->c[s] == 1 ? goal : start + at, at, h, a, s);
        if (!evaluate(w, s, at, outcome)) return false;
        w->machine->rank.held = !w->machine->rank.released;
    }

    /* y(t+h) = y + h sum b_i k_i */
    if (rule->semi_implicit) take_new_velocities(w, h);
    set_stage(w, goal, h, h, rule->b, rule->stages);
    for (int s = 0; s < rule->stages; s++) trm_add_work(state, h * rule->b[s], w->power[s]);
    if (rule->e) w->error = estimate_error(w, h);
    state->clock->step = h;
    trm_remember_turns(state, h, trm_rank_map_known_joints(w->machine->rank_map));
    return dropped_rows_are_closed(w->machine, outcome);
}
