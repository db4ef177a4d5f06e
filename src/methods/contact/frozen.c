/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Which mode contacts are in (frozen.h), and how long it stands.
 *
 * The look-ahead with cones says who presses and who sticks. What slips already slides, whatever the cones say: it may come
 * to rest within the step, but not before it. Beyond its mode is a contact that
 *
 *     pulls       by -F_n
 *     sticks      by |F_t| - mu(0) F_n
 *     slides      by -u_t . s, s the direction at the start of the step
 *
 * in units of what is nothing: a part of the largest force, no less than what rows that are not quite closed make of one; or
 * of a speed. */

#include "methods/contact/frozen.h"

#include <float.h>

/* Of the cone: less beside its side is on it. Of the largest force: less is none, and more does not end at once. Of the
 * tolerance of positions: so far is closed. */
static const double ON_CONE = 1e-9, NO_FORCE = 1e-8, STILL_PRESSES = 1e-7, CLOSED = 1e-3;
/* Of what friction does in a part of the step: what slips less keeps its direction, for in a part that goes back in time what
 * is across it grows by as much, and would grow out of rounding. */
static const double STEADY = 1e-3;
/* rad: between the slip at the start of a step and the friction of its look-ahead, which is opposite to the mean slip. */
static const double STRAIGHT = 1e-6;
/* m/s: what slips less sticks, and what turns round by less has stopped. */
static const double NO_SLIP = 1e-9, STOPPED = 1e-12;

/* ---- Choosing ----------------------------------------------------------------------------- */

static trm_vec3 along_tangents(const trm_touch *touch, const double *rows)
{
    return trm_add_scaled(trm_scale(rows[1], touch->spot.d[1]), rows[2], touch->spot.d[2]);
}

static void slide(trm_touch *touch, trm_vec3 along)
{
    touch->slides = true;
    touch->way = touch->way_start = trm_unit(trm_length(along) > 0 ? along : touch->spot.d[1]);
}

/* From its impulses in the look-ahead. */
static void take_mode(trm_touch *touch)
{
    const trm_vec3 slip = along_tangents(touch, touch->u), rub = along_tangents(touch, touch->ahead);
    const bool presses = touch->ahead[0] > 0;
    touch->slides = touch->turning = false;
    if (trm_length(slip) > NO_SLIP) {
        slide(touch, slip);
        touch->turning = presses && trm_length(trm_cross(touch->way, rub)) > STRAIGHT * trm_length(rub);
    } else if (presses && trm_length(rub) >= touch->friction * touch->ahead[0] * (1 - ON_CONE))
        slide(touch, trm_neg(rub));
}

/* Impulses of the look-ahead, none where it was not solved; and in their place the forces that the last step has left. */
static void recall_forces(trm_maximal *w)
{
    const trm_touching *t = w->touching;
    for (int i = 0; i < t->count; i++)
        for (int r = 0; r < 3; r++) t->touches[i].ahead[r] = t->solved ? t->touches[i].lambda[r] : 0;
    trm_touching_recall(w, 1);
}

/* What presses now does not open before it has ceased to, whatever it does on the whole. */
void trm_frozen_take(trm_maximal *w)
{
    trm_touching *t = w->touching;
    double most = 0;
    int kept = 0;
    recall_forces(w);
    for (int i = 0; i < t->count; i++) most = fmax(most, t->touches[i].lambda[0]);
    for (int i = 0; i < t->count; i++) {
        trm_touch *touch = &t->touches[i];
        if (t->solved && !(touch->ahead[0] > 0) && !(touch->lambda[0] > STILL_PRESSES * most)) continue;
        take_mode(touch);
        t->touches[kept++] = *touch;
    }
    t->count = kept;
    t->begun = false;
    t->frozen = true;
}

void trm_frozen_rewind(trm_maximal *w)
{
    trm_touching *t = w->touching;
    for (int i = 0; i < t->count; i++) t->touches[i].way = t->touches[i].way_start;
    t->begun = false;
    t->frozen = true;
}

double trm_frozen_answer(const trm_touch *touch, int row)
{
    double own = 0;
    for (int k = 0; k < 2; k++) own += trm_sp_dot(touch->J[2 * row + k], touch->W[2 * row + k]);
    return own;
}

/* m/s: by as much friction has changed the slip of a contact by itself. */
static double rubbed(const trm_touch *touch)
{
    const double own = fmax(trm_frozen_answer(touch, 1), trm_frozen_answer(touch, 2));
    return touch->friction * fabs(touch->lambda[0]) * own;
}

bool trm_frozen_may_turn(const trm_touch *touch, trm_vec3 slip)
{
    return trm_dot(slip, touch->way) > fmax(STEADY * rubbed(touch), NO_SLIP);
}

bool trm_frozen_follow(trm_maximal *w)
{
    trm_touching *t = w->touching;
    trm_touching_follow(w);
    if (!trm_touching_make_rows(w, true)) return false;
    for (int i = 0; t->begun && i < t->count; i++) {
        trm_touch *touch = &t->touches[i];
        const trm_vec3 slip = along_tangents(touch, touch->u);
        if (touch->slides && trm_frozen_may_turn(touch, slip)) touch->way = trm_unit(slip);
    }
    return true;
}

/* ---- Forces ------------------------------------------------------------------------------- */

static trm_grip grip_of(const trm_touch *touch, const double *force)
{
    return (trm_grip){force[0], along_tangents(touch, force), along_tangents(touch, touch->u)};
}

void trm_frozen_weigh(trm_maximal *w, double h, bool at_start)
{
    for (int i = 0; i < w->touching->count; i++) {
        trm_touch *touch = &w->touching->touches[i];
        for (int r = 0; r < 3; r++) {
            const double force = 2 * touch->lambda[r] / h;
            touch->lambda[r] = 0.5 * (touch->ahead[r] + force);
            touch->ahead[r] = force;
        }
        *(at_start ? &touch->at_start : &touch->at_end) = grip_of(touch, touch->lambda);
    }
}

/* ---- Looking at it ------------------------------------------------------------------------ */

static double largest_force(const trm_maximal *w)
{
    double most = DBL_MIN / NO_FORCE;
    for (int i = 0; i < w->touching->count; i++) most = fmax(most, fabs(w->touching->touches[i].at_end.press));
    return most;
}

/* N: a force that is none. Rows that are open by next to nothing make one in a part of the step, too. */
static double no_force(const trm_maximal *w, const trm_touch *touch)
{
    const double own = trm_frozen_answer(touch, 0);
    const double unsure = own > 0 ? CLOSED * w->stepper->options->position_tolerance / (own * w->h * w->h) : 0;
    return NO_FORCE * largest_force(w) + unsure;
}

/* The ways in which a mode can end. */
typedef enum failing { PULLS, SLIPS, TURNS_ROUND, FAILINGS } failing;

static double beyond(const trm_maximal *w, const trm_touch *touch, failing how, const trm_grip *grip)
{
    const double mu = trm_contact_friction(&touch->law, 0);
    if (how == PULLS) return -grip->press / no_force(w, touch);
    if (touch->slides != (how == TURNS_ROUND)) return -INFINITY;
    return how == SLIPS ? (trm_length(grip->rub) - mu * grip->press) / no_force(w, touch)
                        : -trm_dot(grip->slip, touch->way_start) / STOPPED;
}

double trm_frozen_beyond(const trm_maximal *w, int end, bool at_start)
{
    if (end / FAILINGS >= w->touching->count) return -INFINITY;
    const trm_touch *touch = &w->touching->touches[end / FAILINGS];
    return beyond(w, touch, (failing)(end % FAILINGS), at_start ? &touch->at_start : &touch->at_end);
}

int trm_frozen_first_beyond(const trm_maximal *w)
{
    double most = 1;
    int worst = -1;
    for (int end = 0; end < FAILINGS * w->touching->count; end++) {
        const double here = trm_frozen_beyond(w, end, false);
        if (here > most) most = here, worst = end;
    }
    return worst;
}

/* ---- Changing it -------------------------------------------------------------------------- */

/* Whether the mode was the wrong one from the start. */
static bool is_wrong(const trm_maximal *w, const trm_touch *touch, failing how)
{
    return beyond(w, touch, how, &touch->at_end) > 1 && beyond(w, touch, how, &touch->at_start) >= -1;
}

bool trm_frozen_change(trm_maximal *w)
{
    trm_touching *t = w->touching;
    bool any = false;
    int kept = 0;
    for (int i = 0; i < t->count; i++) {
        trm_touch *touch = &t->touches[i];
        const bool opens = is_wrong(w, touch, PULLS), slides = is_wrong(w, touch, SLIPS);
        const bool sticks = is_wrong(w, touch, TURNS_ROUND); /* it would begin to slip the wrong way */
        any = any || opens || slides || sticks;
        if (opens) continue;
        if (slides) slide(touch, trm_neg(touch->at_start.rub));
        if (sticks) touch->slides = false;
        if (kept < i) t->touches[kept] = *touch;
        kept++;
    }
    t->count = kept;
    return any;
}

bool trm_frozen_turns(const trm_maximal *w)
{
    for (int i = 0; i < w->touching->count; i++)
        if (w->touching->touches[i].slides && w->touching->touches[i].turning) return true;
    return false;
}
