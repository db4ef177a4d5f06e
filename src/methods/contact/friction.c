/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Direction and coefficient of friction in a step.
 *
 * Half of the friction of a step acts at its start and half at its end (phases.c). With u the slip velocity,
 *
 *     u(t+h/2) = u(t)     + W f(u) / 2
 *     u(t+h)   = u(t+h/2) + W f(u) / 2,    f = -mu(|u|) l_n u/|u|
 *
 * is of second order only if both halves use the same u in f. It is the mean slip of the step. In the look-ahead it
 * is d/h. At the end it is (u(t) + u(t+h)) / 2, so that friction is opposite to the unknown u(t+h) plus the known
 * u(t), which is the b of the tangential rows. A contact that starts or stops slipping within the step has no common
 * mean slip: its b is 0, and friction at the end can stop it. The same holds for a contact whose slip would be
 * reversed by the friction at the end.
 *
 * Where mu depends on the slip speed, mu of the solution is found by fixed-point iteration: the coefficient is moved
 * towards mu(|u|) by a fraction of the difference. The fraction is halved where the difference changes its sign.
 * Where mu falls with slip there may be several solutions. The iteration starts with the slip at the start of the
 * step, so that a contact at rest stays at rest if mu(0) suffices, and a sliding contact continues to slide. */

#include <string.h>

#include "methods/contact/contact_set.h"

enum { MOST_ROUNDS = 60, ROUNDS_FOR_MORE = 10 };
/* Error of a coefficient that counts as zero, and error that is accepted if the iteration is slow. Larger values
 * show in the friction, smaller ones iterate on rounding. Tests pass with a tenth and with ten times of it. */
static const double NO_CHANGE = 1e-12, ENOUGH = 1e-6;
/* A contact whose speed at the end of a step is less than this fraction of that at the start has stopped. A larger
 * value stops slides before their end, a smaller one reverses slips that have ended. Tests pass with a tenth and
 * with ten times of it. */
static const double STOPPED = 1e-6;

/* Rotates a tangential vector with its normal from one normal to another, by the shortest rotation. */
static trm_vec3 rotate_to_normal(trm_vec3 v, trm_vec3 from, trm_vec3 to)
{
    return trm_v3_add_scaled(v, -trm_v3_dot(v, to) / (1 + trm_v3_dot(from, to)), trm_v3_add(from, to));
}

bool trm_contact_set_motion_continues(const double start[2], const double mean[2])
{
    const double speed = sqrt(start[0] * start[0] + start[1] * start[1]);
    return 2 * (mean[0] * start[0] + mean[1] * start[1]) > (1 + STOPPED) * speed * speed;
}

/* Returns the slip of the solution, m/s. */
static double slip_of(const trm_maximal *w, const trm_step_contact *contact)
{
    const trm_vec3 apart = trm_contact_set_velocity(w, contact, false);
    const double u1 = trm_v3_dot(contact->frame.d[1], apart) + contact->b[1];
    const double u2 = trm_v3_dot(contact->frame.d[2], apart) + contact->b[2];
    return sqrt(u1 * u1 + u2 * u2);
}

static void take_step_slip(trm_step_contact *contact)
{
    const trm_step_slip *step = &contact->details->step;
    trm_contact_turning *turning = &contact->details->turning;
    const trm_vec3 slip = rotate_to_normal(step->slip, step->normal, contact->frame.d[0]);
    for (int r = 1; r < 3; r++) contact->b[r] = trm_v3_dot(slip, contact->frame.d[r]);
    if (!trm_contact_resists_turning(&contact->law)) return;
    for (int r = 1; r < 3; r++) turning->b[r] = trm_v3_dot(step->turn, contact->frame.d[r]);
    turning->b[0] = step->spin;
}

void trm_contact_set_choose_slip(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    for (int i = 0; i < t->count; i++) {
        trm_step_contact *contact = &t->contacts[i];
        contact->b[1] = contact->b[2] = 0;
        if (trm_contact_resists_turning(&contact->law))
            memset(contact->details->turning.b, 0, sizeof contact->details->turning.b);
        if (contact->known && !w->stepper->window) take_step_slip(contact);
        contact->friction.mu =
            contact->known ? contact->friction.of_step : trm_contact_friction(&contact->law, slip_of(w, contact));
        t->constraints[i].friction = contact->friction.mu;
    }
}

/* Returns whether the motion b of one or two rows at the start of a step has reversed. If so, sets b to 0. */
static bool is_reversed(double *b, int rows, const trm_vec3 *d, trm_vec3 now)
{
    double along = 0;
    for (int r = 0; r < rows; r++) along += b[r] * trm_v3_dot(now, d[r]);
    for (int r = 0; along < 0 && r < rows; r++) b[r] = 0;
    return along < 0;
}

bool trm_contact_set_forget_reversed(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    bool any = false;
    for (int i = 0; i < t->count; i++) {
        trm_step_contact *contact = &t->contacts[i];
        double *b = contact->details->turning.b;
        const trm_vec3 slip = trm_contact_set_velocity(w, contact, false),
                       turn = trm_contact_set_turn(w, contact, false);
        const trm_vec3 *d = contact->frame.d;
        const bool resists = trm_contact_resists_turning(&contact->law);
        const bool slips = is_reversed(contact->b + 1, 2, d + 1, slip);
        const bool twists = resists && is_reversed(b, 1, d, turn);
        const bool rolls = resists && is_reversed(b + 1, 2, d + 1, turn);
        if (slips || twists || rolls) trm_contact_set_change(w, i);
        any = any || slips || twists || rolls;
    }
    return any;
}

/* ---- Coefficients ------------------------------------------------------------------------- */

void trm_contact_set_take_friction(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    for (int i = 0; t->mu_varies && i < t->count; i++)
        t->constraints[i].friction = t->contacts[i].friction.mu =
            trm_contact_friction(&t->contacts[i].law, slip_of(w, &t->contacts[i]));
}

/* Moves the coefficient towards that of the slip. Returns its error before. */
static double adapt(trm_step_contact *contact, double slip)
{
    const double off = trm_contact_friction(&contact->law, slip) - contact->friction.mu;
    if (off * contact->friction.off < 0)
        contact->friction.part *= 0.5;
    else
        contact->friction.part = fmin(1, 1.5 * contact->friction.part);
    contact->friction.off = off;
    contact->friction.mu += contact->friction.part * off;
    return fabs(off);
}

/* Adapts all coefficients. Returns the contact with the largest error, and sets *most to the error; NULL: all have
 * converged. */
static const trm_step_contact *adapt_all(trm_maximal *w, double *most)
{
    trm_contact_set *t = w->contact_set;
    const trm_step_contact *worst = NULL;
    *most = NO_CHANGE;
    for (int i = 0; t->mu_varies && i < t->count; i++) {
        trm_step_contact *contact = &t->contacts[i];
        if (contact->law.speed_count == 0 || contact->known) continue;
        const double off = adapt(contact, slip_of(w, contact));
        t->constraints[i].friction = contact->friction.mu;
        trm_contact_set_change(w, i);
        if (off > *most) *most = off, worst = contact;
    }
    return worst;
}

static bool not_found(const trm_maximal *w, const trm_step_contact *contact, double off, trm_outcome *outcome)
{
    return trm_fail(
        outcome, off / NO_CHANGE, "body", w->stepper->model->bodies[contact->features.body[0]].name,
        "its coefficient of friction does not converge with its slip: it is off by %.3g; use shorter steps", off);
}

bool trm_contact_set_solve_with_friction(trm_maximal *w, trm_contact_set_accuracy accuracy, trm_outcome *outcome)
{
    for (int i = 0; w->contact_set->mu_varies && i < w->contact_set->count; i++)
        w->contact_set->contacts[i].friction.off = 0, w->contact_set->contacts[i].friction.part = 1;
    if (w->contact_set->mu_varies) accuracy.contradiction = 0; /* coefficients need the slip of a solution */
    for (int round = 1;; round++) {
        double off;
        if (!trm_contact_set_solve(w, accuracy, outcome)) return false;
        const trm_step_contact *worst = adapt_all(w, &off);
        if (!worst || (round > ROUNDS_FOR_MORE && off < ENOUGH)) break;
        if (round == MOST_ROUNDS) return not_found(w, worst, off, outcome);
    }
    for (int i = 0; w->contact_set->mu_varies && i < w->contact_set->islands.count; i++)
        w->contact_set->islands.changed[i] = false; /* small changes of coefficients are part of the solution */
    return true;
}
