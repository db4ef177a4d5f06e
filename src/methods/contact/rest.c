/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Sleep: an island in which nobody goes anywhere is left alone until something touches it.
 *
 * A body is calm while it stays near one place, farther from which than so much neither its centre of mass nor what is
 * farthest from that has come; the place is where it was when it last went too far. Speeds would not tell as much: what
 * slides slowly goes far in time, and what trembles does not. An island of which every body has been calm for long enough falls
 * asleep at the end of a step. Its bodies then stand still at that pose, whatever joined them rests with them, and what is
 * known of its contacts stays known.
 *
 * Some never sleep: what forces other than gravity act on, what joints hold that are driven, slip, are one-sided or break,
 * and what touches a body that is moved. What touches nothing does not, either: a pendulum at rest costs little.
 *
 * All of an island wakes (trm_state_wake) before the step in which something that does not sleep may come to touch one of it
 * (contact_set.c), when a joint of one is attached or detached, or when the caller puts one elsewhere. */

#include <string.h>

#include "methods/contact/contact_set.h"

/* s: for so long they have been calm. */
static const double LONG_ENOUGH = 0.5;
/* Of the tolerance of positions: what has gone farther has moved; and in windows, m, where piles tremble. */
static const double FAR = 10, FAR_IN_WINDOW = 1e-5;

/* ---- Who never does ----------------------------------------------------------------------- */

static bool joint_stirs(const trm_model *model, const trm_joint *joint)
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
    t->sleeps = strcmp(s->options->sleep, "on") == 0;
    t->far = window ? FAR_IN_WINDOW : FAR * s->options->position_tolerance;
    t->awake = TRM_NEW_ARRAY(s->arena, bool, model->body_count);
    t->sleep_candidate = TRM_NEW_ARRAY(s->arena, int, model->body_count);
    if (!t->awake || !t->sleep_candidate) return false;
    for (int i = 0; i < model->force_count; i++)
        for (int b = 0; model->forces[i].type != &trm_force_gravity && b < model->forces[i].type->bodies; b++)
            t->awake[model->forces[i].body[b]] = true;
    for (int i = 0; i < s->called_count; i++) t->awake[s->called[i].body] = true;
    for (int i = 0; i < model->joint_count; i++)
        for (int b = 0; joint_stirs(model, &model->joints[i]) && b < model->joints[i].body_count; b++)
            t->awake[model->joints[i].body[b]] = true;
    return true;
}

/* ---- Falling asleep ----------------------------------------------------------------------- */

bool trm_contact_set_is_still(const trm_maximal *w, int body)
{
    const trm_body *b = &w->stepper->model->bodies[body];
    return trm_body_sleeps(w->stepper->state, body) || (b->inverse_mass == 0 && !b->motion);
}

/* How far the farthest of a body's points has come from where it rested. */
static double moved(const trm_maximal *w, int body)
{
    const trm_pose now = w->stepper->state->pose[body], then = w->stepper->state->rest[body].pose;
    const trm_quat turn = trm_quat_mul(now.q, trm_quat_conj(then.q));
    return trm_length(trm_sub(now.p, then.p)) +
           2 * w->contact_set->reach[body] * trm_length(trm_v3(turn.x, turn.y, turn.z));
}

static void look_who_moved(trm_maximal *w)
{
    trm_state *state = w->stepper->state;
    for (int i = 0; i < state->model->body_count; i++)
        if (!w->held[i] && !(moved(w, i) <= w->contact_set->far))
            state->rest[i] = (trm_rest){state->pose[i], state->clock->time, 0};
}

static bool may_sleep(const trm_maximal *w, const trm_problem_island *island)
{
    const trm_contact_set *t = w->contact_set;
    const trm_state *state = w->stepper->state;
    bool contacts = false;
    for (int i = 0; i < island->body_count; i++) {
        const int body = island->bodies[i];
        if (t->awake[body] || state->clock->time - state->rest[body].since < LONG_ENOUGH) return false;
    }
    for (int i = 0; i < island->constraint_count; i++) {
        if (island->constraints[i] >= t->count) continue; /* no contact */
        const int *body = t->contacts[island->constraints[i]].features.body;
        if (state->model->bodies[body[0]].motion || state->model->bodies[body[1]].motion) return false;
        contacts = true;
    }
    return contacts;
}

void trm_contact_set_find_sleep_candidates(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    for (int i = 0; i < w->stepper->model->body_count; i++) t->sleep_candidate[i] = 0;
    if (!t->sleeps || w->h <= 0) return;
    look_who_moved(w);
    for (int i = 0; t->count > 0 && i < t->islands.count; i++) { /* else nobody has looked for them */
        const trm_problem_island island = trm_contact_set_island(t, i);
        const bool may = may_sleep(w, &island);
        for (int k = 0; may && k < island.body_count; k++)
            t->sleep_candidate[island.bodies[k]] = island.bodies[0] + 1;
    }
}

static bool is_any_drowsy(const trm_maximal *w)
{
    for (int i = 0; i < w->stepper->model->body_count; i++)
        if (w->contact_set->sleep_candidate[i] > 0) return true;
    return false;
}

/* Contacts between those that sleep are no longer asked for. */
static void leave_alone(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    int kept = 0;
    for (int i = 0; i < t->count; i++) {
        const int *body = t->contacts[i].features.body;
        if (!trm_contact_set_is_still(w, body[0]) || !trm_contact_set_is_still(w, body[1]))
            t->contacts[kept++] = t->contacts[i];
    }
    t->count = kept;
}

/* What they still moved by is lost, as work. */
void trm_contact_set_sleep(trm_maximal *w)
{
    const trm_contact_set *t = w->contact_set;
    trm_state *state = w->stepper->state;
    if (!is_any_drowsy(w)) return;
    const double before = trm_state_energy(state).kinetic;
    for (int i = 0; i < state->model->body_count; i++) {
        if (t->sleep_candidate[i] == 0) continue;
        state->velocity[i] = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
        state->rest[i].island = t->sleep_candidate[i];
    }
    trm_add_work(state, 1, (trm_works){.contact = trm_state_energy(state).kinetic - before});
    leave_alone(w);
}
