/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Finds impacts without a collision (Painleve 1895): sliding contacts that no force can keep closed.
 *
 * Along the slip s^ friction is mu p_n. An additional normal impulse dp_n changes the normal speed by
 *
 *     du_n = (W_nn - mu W_nt . s^) dp_n = A dp_n
 *
 * with W the response of the whole machine. Where A <= 0 a normal impulse only increases the approach, until the
 * slip is over. That takes no time and is an impact, although nothing approaches (impact.h, `sliding`). A contact
 * that needs a normal force jams in this way; the look-ahead then finds a force that ends its slip within the
 * step. */

#include <string.h>

#include "methods/contact/contact_set.h"

/* Computes A of a contact that slides at t. Returns false if that fails; outcome gives the reason. */
static bool find_normal_response(trm_maximal *w, const trm_step_contact *contact, trm_spatial *V, double *A,
                                 trm_outcome *outcome)
{
    const int *body = contact->features.body;
    const double slip = sqrt(contact->u[1] * contact->u[1] + contact->u[2] * contact->u[2]);
    double response[3];
    if (!trm_maximal_respond_to(w, body, 2, contact->J, V, outcome)) return false;
    for (int r = 0; r < 3; r++)
        response[r] = trm_sp_dot(contact->J[2 * r], V[body[0]]) + trm_sp_dot(contact->J[2 * r + 1], V[body[1]]);
    *A = response[0] - contact->friction.mu * (response[1] * contact->u[1] + response[2] * contact->u[2]) / slip;
    return true;
}

static bool has_stopped(const trm_step_contact *contact)
{
    const double slip = sqrt(contact->u[1] * contact->u[1] + contact->u[2] * contact->u[2]);
    return slip > TRM_NO_SLIP && contact->friction.mu > 0 && contact->lambda[0] > 0 && contact->slide < 1;
}

bool trm_contact_set_find_jam(trm_maximal *w, int *jammed, trm_outcome *outcome)
{
    trm_arena *arena = w->stepper->arena;
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    trm_spatial *V = NULL;
    bool good = true;
    *jammed = -1;
    for (int i = 0; i < w->contact_set->count && good && *jammed < 0; i++) {
        double A = INFINITY;
        if (!has_stopped(&w->contact_set->contacts[i])) continue;
        if (!V) V = TRM_NEW_ARRAY(arena, trm_spatial, w->stepper->model->body_count);
        good = V ? find_normal_response(w, &w->contact_set->contacts[i], V, &A, outcome)
                 : trm_fail_memory(outcome, "contacts");
        if (good && A <= 0) *jammed = i;
    }
    trm_arena_reset(arena, mark);
    return good;
}

void trm_contact_set_save_start(trm_maximal *w)
{
    const trm_state *state = w->stepper->state;
    trm_contact_set *t = w->contact_set;
    memcpy(t->start.given, state->velocity, (size_t)state->model->body_count * sizeof *state->velocity);
    memcpy(t->start.mode, state->mode, (size_t)state->model->joint_count * sizeof *state->mode);
    t->start.work = state->clock->work;
    t->start.projected = state->clock->velocities_projected;
}

void trm_contact_set_restore_start(trm_maximal *w)
{
    trm_state *state = w->stepper->state;
    const trm_contact_set *t = w->contact_set;
    memcpy(state->velocity, t->start.given, (size_t)state->model->body_count * sizeof *state->velocity);
    memcpy(state->mode, t->start.mode, (size_t)state->model->joint_count * sizeof *state->mode);
    state->clock->work = t->start.work;
    state->clock->velocities_projected = t->start.projected;
}
