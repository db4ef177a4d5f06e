/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Sleep: an island at rest is not simulated until another body may collide with it.
 *
 * A body is at rest while neither its centre of mass nor its farthest point has moved more than a given distance
 * from its pose when it last moved too far. Speeds are a worse criterion: a body that slides slowly moves far in
 * time, and one that trembles does not. An island whose bodies have all been at rest for long enough is put to
 * sleep at the end of a step. Its bodies then keep that pose, all joints between them rest, and its contact forces
 * are stored.
 *
 * Some islands never sleep: those with forces other than gravity, with joints that are driven, slip, are one-sided or
 * can break, and those in contact with a body with prescribed motion. An island without contacts does not sleep,
 * either: a pendulum at rest costs little.
 *
 * A whole island wakes (trm_state_wake) before the step in which an awake body may collide with one of its bodies
 * (contact_set.c), when a joint of one is attached or detached, or when the caller moves one. */

#include <string.h>

#include "methods/contact/contact_set.h"

/* s: duration of rest before sleep. A larger value keeps piles awake and slow, with a smaller one bodies sleep at
 * the top of their flight. Tests pass with a tenth and with ten times of it. */
static const double LONG_ENOUGH = 0.5;
/* A body that moved farther is not at rest: FAR in position tolerances, FAR_IN_WINDOW in m for time-stepping, where
 * piles tremble. Larger values freeze slow motions, with smaller ones piles that tremble never sleep. Tests pass
 * with a tenth and with ten times of it. */
static const double FAR = 10, FAR_IN_WINDOW = 1e-5;

/* ---- Bodies that never sleep --------------------------------------------------------------- */

static bool keeps_awake(const trm_model *model, const trm_joint *joint)
{
    for (int b = 0; b < joint->body_count; b++)
        if (model->bodies[joint->body[b]].motion) return true;
    return trm_joint_is_rheonomic(joint) || joint->one_sided || isfinite(joint->most) ||
           isfinite(joint->break_force) || isfinite(joint->break_torque);
}

bool trm_contact_set_prepare_rest(trm_maximal *w)
{
    const trm_stepper *s = w->stepper;
    const trm_model *model = s->model;
    trm_contact_set *t = w->contact_set;
    const bool window = strcmp(s->options->impact, "window") == 0;
    t->rest.sleeps = strcmp(s->options->sleep, "on") == 0;
    t->rest.far = window ? FAR_IN_WINDOW : FAR * s->options->position_tolerance;
    t->rest.awake = TRM_NEW_ARRAY(s->arena, bool, model->body_count);
    t->rest.candidate = TRM_NEW_ARRAY(s->arena, int, model->body_count);
    if (!t->rest.awake || !t->rest.candidate) return false;
    for (int i = 0; i < model->force_count; i++)
        for (int b = 0; model->forces[i].type != &trm_force_gravity && b < model->forces[i].body_count; b++)
            t->rest.awake[model->forces[i].body[b]] = true;
    for (int i = 0; i < s->called_count; i++) t->rest.awake[s->called[i].body] = true;
    for (int i = 0; i < model->joint_count; i++)
        for (int b = 0; keeps_awake(model, &model->joints[i]) && b < model->joints[i].body_count; b++)
            t->rest.awake[model->joints[i].body[b]] = true;
    return true;
}

/* ---- Sleep candidates --------------------------------------------------------------------- */

/* Returns the distance of a body's farthest point from its resting place, m. */
static double moved(const trm_maximal *w, int body)
{
    const trm_pose now = w->stepper->state->pose[body], then = w->stepper->state->rest[body].pose;
    const trm_quat turn = trm_quat_mul(now.q, trm_quat_conj(then.q));
    return trm_v3_length(trm_v3_sub(now.p, then.p)) +
           2 * w->contact_set->reach[body] * trm_v3_length(trm_v3(turn.x, turn.y, turn.z));
}

static void mark_moved_bodies(trm_maximal *w)
{
    trm_state *state = w->stepper->state;
    for (int i = 0; i < state->model->body_count; i++)
        if (!w->held[i] && !(moved(w, i) <= w->contact_set->rest.far))
            state->rest[i] = (trm_rest){state->pose[i], state->clock->time, 0};
}

static bool may_sleep(const trm_maximal *w, const trm_problem_island *island)
{
    const trm_contact_set *t = w->contact_set;
    const trm_state *state = w->stepper->state;
    bool contacts = false;
    for (int i = 0; i < island->body_count; i++) {
        const int body = island->bodies[i];
        if (t->rest.awake[body] || state->clock->time - state->rest[body].since < LONG_ENOUGH) return false;
    }
    for (int i = 0; i < island->constraint_count; i++) {
        if (island->constraints[i] >= t->count) continue; /* not a contact */
        const int *body = t->contacts[island->constraints[i]].features.body;
        if (state->model->bodies[body[0]].motion || state->model->bodies[body[1]].motion) return false;
        contacts = true;
    }
    return contacts;
}

void trm_contact_set_find_sleep_candidates(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    for (int i = 0; i < w->stepper->model->body_count; i++) t->rest.candidate[i] = 0;
    if (!t->rest.sleeps || w->look.h <= 0) return;
    mark_moved_bodies(w);
    for (int i = 0; t->count > 0 && i < t->islands.count; i++) { /* otherwise they were not found */
        const trm_problem_island island = trm_contact_set_island(t, i);
        const bool may = may_sleep(w, &island);
        for (int k = 0; may && k < island.body_count; k++) t->rest.candidate[island.bodies[k]] = island.bodies[0] + 1;
    }
}

static bool is_any_sleep_candidate(const trm_maximal *w)
{
    for (int i = 0; i < w->stepper->model->body_count; i++)
        if (w->contact_set->rest.candidate[i] > 0) return true;
    return false;
}

/* Removes contacts between sleeping bodies. */
static void remove_sleeping_contacts(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    int kept = 0;
    for (int i = 0; i < t->count; i++) {
        const int *body = t->contacts[i].features.body;
        if (!trm_contact_set_is_still(w, body[0]) || !trm_contact_set_is_still(w, body[1]))
            trm_contact_set_move(t, i, kept++);
    }
    t->count = kept;
}

/* The remaining kinetic energy is dissipated and counts as work of contacts. */
void trm_contact_set_sleep(trm_maximal *w)
{
    const trm_contact_set *t = w->contact_set;
    trm_state *state = w->stepper->state;
    if (!is_any_sleep_candidate(w)) return;
    const double before = trm_state_energy(state).kinetic;
    for (int i = 0; i < state->model->body_count; i++) {
        if (t->rest.candidate[i] == 0) continue;
        state->velocity[i] = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
        state->rest[i].island = t->rest.candidate[i];
    }
    trm_add_work(state, 1, (trm_works){.contact = trm_state_energy(state).kinetic - before});
    remove_sleeping_contacts(w);
}
