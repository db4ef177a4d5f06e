/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The Taylor method for point masses with distances and springs (SBP section 6), of any order p >= 2.
 *
 * With coefficients that are already divided by k!, P(t) = sum P_k t^k, A_r = P_b - P_a along distance constraint
 * r and q_r its force per length:
 *
 *     (k+2)(k+1) P_(k+2) = [k = 0] g + 1/m (springs_k + sum_r +-sum_(i<=k) A_i q_(k-i))        (6.3)
 *     2 A_0 . A_(k+2)    = -sum_(i=1..k+1) A_i . A_(k+2-i)                                      from (6.5)
 *
 * At order k only q_k is unknown. Its matrix is that of the velocity correction at the current pose for every k, so
 * it is factorised once. Drift is not corrected: the conditions (6.6) and (6.7) are ignored, as in the paper.
 * Velocities need one derivative more than (6.12) has, so positions are summed to t^(p+1). */

#include "base/message.h"
#include "methods/maximal/maximal.h"
#include "methods/taylor/spring_series.h"

typedef struct distance {
    const trm_joint *joint;
    trm_vec3 A[TRM_TAYLOR_TERMS];
    double q[TRM_TAYLOR_TERMS];
} distance;

typedef struct trm_taylor {
    trm_stepper *stepper;
    trm_maximal *machine; /* the rows and their matrix */
    int order;
    trm_vec3 *P; /* coefficients, order after order, per body */
    distance *distances;
    int distance_count;
    trm_spring_series *springs;
    int spring_count;
} trm_taylor;

/* ---- One order after the other ------------------------------------------------------------ */

static trm_vec3 *coefficients(const trm_taylor *w, int k)
{
    return w->P + (size_t)k * (size_t)w->stepper->model->body_count;
}

static void accelerate_pair(trm_maximal *m, const int *body, double weight, trm_vec3 F)
{
    const trm_body *bodies = m->stepper->model->bodies;
    trm_vec3 *a = &m->accelerations.a[body[0]].lin, *b = &m->accelerations.a[body[1]].lin;
    *a = trm_v3_add_scaled(*a, -weight * bodies[body[0]].inverse_mass, F);
    *b = trm_v3_add_scaled(*b, weight * bodies[body[1]].inverse_mass, F);
}

/* Computes (k+2)(k+1) P_(k+2) without the term of the unknown q_k. */
static void known_accelerations(trm_taylor *w, int k)
{
    trm_maximal *m = w->machine;
    const trm_model *model = w->stepper->model;
    for (int i = 0; i < model->body_count; i++) {
        const bool falls = k == 0 && model->bodies[i].inverse_mass > 0;
        m->accelerations.a[i] = trm_sp(trm_v3(0, 0, 0), falls ? model->bodies[i].gravity : trm_v3(0, 0, 0));
    }
    for (int s = 0; s < w->spring_count; s++)
        accelerate_pair(m, w->springs[s].force->body, 1, trm_spring_series_force(&w->springs[s], k));
    for (int r = 0; r < w->distance_count; r++)
        for (int i = 1; i <= k; i++)
            accelerate_pair(m, w->distances[r].joint->body, w->distances[r].q[k - i], w->distances[r].A[i]);
}

/* Returns the required (k+2)(k+1) n . A_(k+2), with n = A_0 / |A_0|. */
static double required_along(const distance *d, int k)
{
    double sum = 0;
    for (int i = 1; i <= k + 1; i++) sum += trm_v3_dot(d->A[i], d->A[k + 2 - i]);
    return -0.5 * (k + 2) * (k + 1) * sum / trm_v3_length(d->A[0]);
}

static void next_order(trm_taylor *w, int k)
{
    trm_maximal *m = w->machine;
    known_accelerations(w, k);
    for (int r = 0; r < w->distance_count; r++) {
        const int row = w->distances[r].joint->row_offset;
        m->accelerations.gamma[row] = required_along(&w->distances[r], k);
        m->accelerations.lambda[row] = 0;
    }
    trm_maximal_solve_accelerations(m);
    for (int i = 0; i < w->stepper->model->body_count; i++)
        coefficients(w, k + 2)[i] = trm_v3_scale(1.0 / ((k + 2) * (k + 1)), m->accelerations.a[i].lin);
    for (int r = 0; r < w->distance_count; r++) {
        distance *d = &w->distances[r];
        d->q[k] = m->accelerations.lambda[d->joint->row_offset] / trm_v3_length(d->A[0]);
        d->A[k + 2] =
            trm_v3_sub(coefficients(w, k + 2)[d->joint->body[1]], coefficients(w, k + 2)[d->joint->body[0]]);
    }
    for (int s = 0; s < w->spring_count; s++) {
        const int *body = w->springs[s].force->body;
        trm_spring_series_add(&w->springs[s], k + 2,
                              trm_v3_sub(coefficients(w, k + 2)[body[1]], coefficients(w, k + 2)[body[0]]));
    }
}

/* Reports a force that has no series; a shorter step does not help. */
static bool refuse(trm_outcome *outcome, const char *force, const char *why)
{
    return trm_fail(outcome, NAN, "force", force ? force : "spring", "%s", why);
}

/* Computes P_0, P_1 and the coefficients 0 and 1 of distances and springs. */
static bool begin(trm_taylor *w, trm_outcome *outcome)
{
    const trm_state *state = w->stepper->state;
    for (int i = 0; i < state->model->body_count; i++) {
        coefficients(w, 0)[i] = state->pose[i].p;
        coefficients(w, 1)[i] = state->velocity[i].lin;
    }
    for (int r = 0; r < w->distance_count; r++) {
        distance *d = &w->distances[r];
        const trm_joint_at at = trm_joint_at_poses(d->joint, state->pose, state->velocity, state->clock->time, NULL);
        d->A[0] = trm_v3_sub(at.X[1].p, at.X[0].p);
        d->A[1] = trm_v3_sub(at.V[1].lin, at.V[0].lin);
    }
    for (int s = 0; s < w->spring_count; s++) {
        const trm_force_at at =
            trm_force_at_poses(w->springs[s].force, state->pose, state->velocity, state->clock->time, NULL);
        trm_spring_series_add(&w->springs[s], 0, trm_v3_sub(at.X[1].p, at.X[0].p));
        trm_spring_series_add(&w->springs[s], 1, trm_v3_sub(at.V[1].lin, at.V[0].lin));
        if (!trm_spring_series_exists(&w->springs[s]))
            return refuse(outcome, w->springs[s].force->name,
                          "has zero length: its direction, and so its Taylor series, is undefined");
    }
    return true;
}

/* Evaluates P(h) and its derivative by Horner's scheme. */
static void sum_up(trm_taylor *w, double h)
{
    trm_state *state = w->stepper->state;
    for (int i = 0; i < state->model->body_count; i++) {
        trm_vec3 P = {0, 0, 0}, V = {0, 0, 0};
        if (state->model->bodies[i].inverse_mass == 0) continue;
        for (int k = w->order + 1; k >= 0; k--) {
            P = trm_v3_add_scaled(coefficients(w, k)[i], h, P);
            if (k > 0) V = trm_v3_add(trm_v3_scale(k, coefficients(w, k)[i]), trm_v3_scale(h, V));
        }
        state->pose[i].p = P;
        state->velocity[i].lin = V;
    }
    for (int s = 0; s < w->spring_count; s++)
        trm_add_work(state, 1, (trm_works){.damping = trm_spring_series_work(&w->springs[s], w->order, h)});
}

/* Reads t, P, P'; writes P(t+h), P'(t+h). */
static bool step(void *workspace, double h, trm_outcome *outcome)
{
    trm_taylor *w = workspace;
    if (w->stepper->called_count > 0)
        return refuse(outcome, w->stepper->called[0].name,
                      "is defined by the caller and has no derivatives, which taylor needs");
    trm_maximal_rows(w->machine);
    if (!begin(w, outcome)) return false;
    for (int k = 0; k + 2 <= w->order + 1; k++) next_order(w, k);
    sum_up(w, h);
    w->stepper->state->clock->time = w->stepper->step.goal;
    w->stepper->state->clock->step = h;
    return true;
}

static bool project_positions(void *workspace, trm_outcome *outcome)
{
    const trm_taylor *w = workspace;
    return trm_maximal_project_positions(w->machine, outcome);
}

/* Does nothing: the drift of velocities is a property of the method and stays visible. */
static bool project_velocities(void *workspace, trm_outcome *outcome)
{
    (void)workspace;
    (void)outcome;
    return true;
}

static bool reactions(void *workspace, trm_outcome *outcome)
{
    const trm_taylor *w = workspace;
    return trm_maximal_reactions(w->machine, outcome);
}

/* ---- Creating ----------------------------------------------------------------------------- */

static double own_order(const trm_simulation_def *options)
{
    return options->order;
}

static void check_options(const trm_simulation_def *options, trm_messages *messages)
{
    if (options->order >= 2 && options->order <= TRM_TAYLOR_MOST && options->order == floor(options->order)) return;
    trm_add_error(messages, (trm_place){0}, "taylor has no order %g; give a whole number from 2 to %d",
                  options->order, TRM_TAYLOR_MOST);
}

static void list_elements(trm_taylor *w)
{
    const trm_model *model = w->stepper->model;
    for (int j = 0; j < model->joint_count; j++)
        if (w->stepper->state->attached[j])
            w->distances[w->distance_count++] = (distance){.joint = &model->joints[j]};
    for (int f = 0; f < model->force_count; f++)
        if (model->forces[f].type == &trm_force_spring)
            w->springs[w->spring_count++] = (trm_spring_series){.force = &model->forces[f]};
}

static void *create(trm_stepper *stepper)
{
    const trm_model *model = stepper->model;
    trm_arena *arena = stepper->arena;
    trm_taylor *w = TRM_NEW(arena, trm_taylor);
    if (!w) return NULL;
    w->stepper = stepper;
    w->order = (int)stepper->options->order;
    w->machine = trm_maximal_create(stepper, trm_maximal_solver_of(stepper->options));
    w->P = TRM_NEW_ARRAY(arena, trm_vec3, model->body_count * (w->order + 2));
    w->distances = TRM_NEW_ARRAY(arena, distance, model->joint_count);
    w->springs = TRM_NEW_ARRAY(arena, trm_spring_series, model->force_count);
    if (!w->machine || arena->failed) return NULL;
    list_elements(w);
    return w;
}

const trm_method trm_method_taylor = {
    .name = "taylor",
    .can = TRM_CAN_LOOPS | TRM_CAN_REDUNDANT | TRM_CAN_DISTANCE | TRM_CAN_DAMPING,
    .create = create,
    .step = step,
    .project_positions = project_positions,
    .project_velocities = project_velocities,
    .reactions = reactions,
    .dropped = trm_maximal_dropped,
    .own_order = own_order,
    .check_options = check_options,
};
