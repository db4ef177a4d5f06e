/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Direction and coefficient of friction in a step.
 *
 * Half of the friction of a step acts at its start (close.c) and half at its end (fit.c). With u the slip velocity,
 *
 *     u(t+h/2) = u(t)     + W f(u) / 2
 *     u(t+h)   = u(t+h/2) + W f(u) / 2,    f = -mu(|u|) l_n u/|u|
 *
 * is of second order only if both halves agree on the u of f. It is the mean slip of the step. The look-ahead sees it as d/h.
 * At the end it is (u(t) + u(t+h)) / 2, so that friction is opposite to the unknown u(t+h) plus the known u(t), which is the b
 * of the tangent rows. A contact that starts or stops slipping within the step has no mean slip to agree on: its b is 0, and
 * friction at the end can stop it. The same holds for a contact whose slip would be reversed by the friction at the end.
 *
 * Where mu depends on the slip speed, mu of the solution is found by fixed-point iteration: the coefficient is moved towards
 * mu(|u|) by a part of the difference. The part is halved where the difference changes its sign. Where mu falls with slip there may
 * be several solutions. The iteration begins with the slip at the start of the step, so that a contact at rest stays at rest if
 * mu(0) holds it, and a contact that slides goes on to slide. */

#include <stdio.h>

#include "base/print.h"
#include "methods/contact/touching.h"

enum { MOST_ROUNDS = 60, ROUNDS_FOR_MORE = 10 };
/* A coefficient that is off by less is right, and what will do where more cannot be had soon. */
static const double NO_CHANGE = 1e-12, ENOUGH = 1e-6;
/* Of its speed: a contact that is slower at the end of a step has stopped. */
static const double STOPPED = 1e-6;

/* A vector across one normal, turned with it to another one on the shortest way. */
static trm_vec3 carry(trm_vec3 v, trm_vec3 from, trm_vec3 to)
{
    return trm_add_scaled(v, -trm_dot(v, to) / (1 + trm_dot(from, to)), trm_add(from, to));
}

bool trm_touching_keeps_on(const double start[2], const double mean[2])
{
    const double speed = sqrt(start[0] * start[0] + start[1] * start[1]);
    return 2 * (mean[0] * start[0] + mean[1] * start[1]) > (1 + STOPPED) * speed * speed;
}

trm_step_slip trm_touching_slip_of_step(const trm_touch *touch)
{
    const trm_vec3 *d = touch->spot.d;
    const trm_vec3 slip = trm_add_scaled(trm_scale(touch->u[1], d[1]), touch->u[2], d[2]);
    return (trm_step_slip){.known = true,
                           .friction = touch->friction,
                           .slip = touch->keeps_sliding ? slip : trm_v3(0, 0, 0),
                           .turn = touch->keeps_turning ? touch->turn : trm_v3(0, 0, 0),
                           .normal = d[0]};
}

/* m/s: of the solution. */
static double slip_of(const trm_maximal *w, const trm_touch *touch)
{
    const trm_vec3 apart = trm_touching_velocity(w, touch, false);
    const double u1 = trm_dot(touch->spot.d[1], apart) + touch->b[1];
    const double u2 = trm_dot(touch->spot.d[2], apart) + touch->b[2];
    return sqrt(u1 * u1 + u2 * u2);
}

static void agree(trm_touch *touch)
{
    const trm_step_slip *step = &touch->step;
    const trm_vec3 slip = carry(step->slip, step->normal, touch->spot.d[0]);
    for (int r = 0; r < 2; r++) {
        touch->b[r + 1] = trm_dot(slip, touch->spot.d[r + 1]);
        touch->turn_b[r] = trm_dot(step->turn, touch->spot.d[r + 1]);
    }
    touch->friction = step->friction;
}

void trm_touching_agree_on_slip(trm_maximal *w)
{
    trm_touching *t = w->touching;
    for (int i = 0; i < t->count; i++) {
        trm_touch *touch = &t->touches[i];
        for (int r = 0; r < 2; r++) touch->b[r + 1] = touch->turn_b[r] = 0;
        if (touch->step.known)
            agree(touch);
        else
            touch->friction = trm_contact_friction(&touch->law, slip_of(w, touch));
        t->holds[i].friction = touch->friction;
    }
}

/* Whether what moved along b at the start of a step moves against it now; then b is forgotten. */
static bool is_reversed(double b[2], double u1, double u2)
{
    if (!(b[0] * u1 + b[1] * u2 < 0)) return false;
    b[0] = b[1] = 0;
    return true;
}

bool trm_touching_forget_reversed(trm_maximal *w)
{
    trm_touching *t = w->touching;
    bool any = false;
    for (int i = 0; i < t->count; i++) {
        trm_touch *touch = &t->touches[i];
        const trm_vec3 slip = trm_touching_velocity(w, touch, false), turn = trm_touching_turn(w, touch, false);
        const trm_vec3 *d = touch->spot.d;
        any = is_reversed(touch->b + 1, trm_dot(slip, d[1]), trm_dot(slip, d[2])) || any;
        any = is_reversed(touch->turn_b, trm_dot(turn, d[1]), trm_dot(turn, d[2])) || any;
    }
    return any;
}

/* ---- Coefficients ------------------------------------------------------------------------- */

void trm_touching_take_friction(trm_maximal *w)
{
    trm_touching *t = w->touching;
    for (int i = 0; i < t->count; i++)
        t->holds[i].friction = t->touches[i].friction =
            trm_contact_friction(&t->touches[i].law, slip_of(w, &t->touches[i]));
}

/* Moves the coefficient towards that of the slip. Returns by how much it was off. */
static double adapt(trm_touch *touch, double slip)
{
    const double off = trm_contact_friction(&touch->law, slip) - touch->friction;
    if (off * touch->friction_off < 0)
        touch->friction_part *= 0.5;
    else
        touch->friction_part = fmin(1, 1.5 * touch->friction_part);
    touch->friction_off = off;
    touch->friction += touch->friction_part * off;
    return fabs(off);
}

/* The contact whose coefficient was off by most, and by how much; NULL: all are what they should be. */
static const trm_touch *adapt_all(trm_maximal *w, double *most)
{
    trm_touching *t = w->touching;
    const trm_touch *worst = NULL;
    *most = NO_CHANGE;
    for (int i = 0; i < t->count; i++) {
        trm_touch *touch = &t->touches[i];
        if (touch->law.speed_count == 0 || touch->step.known) continue;
        const double off = adapt(touch, slip_of(w, touch));
        t->holds[i].friction = touch->friction;
        if (off > *most) *most = off, worst = touch;
    }
    return worst;
}

static bool not_found(const trm_maximal *w, const trm_touch *touch, double off, trm_outcome *outcome)
{
    outcome->ok = false;
    outcome->residual = off;
    snprintf(outcome->element, sizeof outcome->element, "body '%s'",
             w->stepper->model->bodies[touch->contact.body[0]].name);
    trm_print(outcome->why, sizeof outcome->why,
              "its coefficient of friction is off by %.3g at the slip that it leads to; take shorter steps", off);
    return false;
}

bool trm_touching_solve_with_friction(trm_maximal *w, trm_touching_accuracy accuracy, trm_outcome *outcome)
{
    for (int i = 0; i < w->touching->count; i++)
        w->touching->touches[i].friction_off = 0, w->touching->touches[i].friction_part = 1;
    for (int round = 1;; round++) {
        double off;
        if (!trm_touching_solve(w, accuracy, outcome)) return false;
        const trm_touch *worst = adapt_all(w, &off);
        if (!worst || (round > ROUNDS_FOR_MORE && off < ENOUGH)) return true;
        if (round == MOST_ROUNDS) return not_found(w, worst, off, outcome);
    }
}
