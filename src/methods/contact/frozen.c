/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Chooses the mode of each contact (frozen.h), and checks how long it lasts.
 *
 * The look-ahead with cones determines which contacts are closed and which stick. A contact that already slips
 * slides, independent of the cones: it may come to rest within the step, but not before it. A contact violates its
 * mode if it
 *
 *     pulls       by -F_n
 *     sticks      by |F_t| - mu(0) F_n
 *     slides      by -u_t . s, s the direction at the start of the step
 *
 * The unit is the smallest significant amount. For forces it is a fraction of the largest force plus the force that
 * the residual of the rows causes; for slip it is a speed. */

#include "methods/contact/frozen.h"

#include <float.h>

/* ON_CONE: relative distance from the cone that counts as zero. NO_FORCE: fraction of the largest force that counts
 * as zero. STILL_LOADED: fraction above which a contact does not open at once. CLOSED: gap that counts as closed,
 * in position tolerances. Larger values change modes that do not end, with smaller ones rounding counts as the end
 * of a mode. Tests pass with a tenth and with ten times of it. */
static const double ON_CONE = 1e-9, NO_FORCE = 1e-8, STILL_LOADED = 1e-7, CLOSED = 1e-3;
/* A slip keeps its direction if it is less than this fraction of the change by friction in a part of the step. In a
 * part that goes backwards in time the component across the direction grows by as much, and would grow out of
 * rounding. A larger value gives up composed steps of slow slides, with a smaller one rounding turns the direction
 * of slip. Tests pass with a tenth and with ten times of it. */
static const double STEADY = 1e-3;
/* rad: angle between the slip at the start of a step and the friction of its look-ahead, which is opposite to the
 * mean slip. A larger value loses the order on curved slides, with a smaller one rounding counts as a curve. Tests
 * pass with a tenth and with ten times of it. */
static const double STRAIGHT = 1e-6;
/* m/s: a smaller reversed slip counts as stopped. A larger value ends slides early by its square, a smaller one is
 * below the rounding of speeds. Tests pass with a tenth and with ten times of it. */
static const double STOPPED = 1e-12;

/* ---- Choice of modes ------------------------------------------------------------------------ */

static trm_vec3 along_tangents(const trm_step_contact *contact, const double *rows)
{
    return trm_v3_add_scaled(trm_v3_scale(rows[1], contact->frame.d[1]), rows[2], contact->frame.d[2]);
}

static void slide(trm_step_contact *contact, trm_vec3 along)
{
    contact->details->mode.slides = true;
    contact->details->mode.way = contact->details->mode.way_start =
        trm_v3_unit(trm_v3_length(along) > 0 ? along : contact->frame.d[1]);
}

/* Sets the mode of a contact from its impulses in the look-ahead. */
static void take_mode(trm_step_contact *contact)
{
    const trm_vec3 slip = along_tangents(contact, contact->u),
                   friction = along_tangents(contact, contact->details->mode.ahead);
    const bool loaded = contact->details->mode.ahead[0] > 0;
    contact->details->mode.slides = contact->details->mode.turning = false;
    if (trm_v3_length(slip) > TRM_NO_SLIP) {
        slide(contact, slip);
        contact->details->mode.turning = loaded && trm_v3_length(trm_v3_cross(contact->details->mode.way, friction)) >
                                                       STRAIGHT * trm_v3_length(friction);
    } else if (loaded &&
               trm_v3_length(friction) >= contact->friction.mu * contact->details->mode.ahead[0] * (1 - ON_CONE))
        slide(contact, trm_v3_neg(friction));
}

/* Keeps the impulses of the look-ahead, zero if it was not solved, and replaces them by the forces of the last
 * step. */
static void recall_forces(trm_maximal *w)
{
    const trm_contact_set *t = w->contact_set;
    for (int i = 0; i < t->count; i++) {
        trm_kept_mode *mode = &t->contacts[i].details->mode;
        *mode = (trm_kept_mode){0};
        for (int r = 0; t->modes.solved && r < 3; r++) mode->ahead[r] = t->contacts[i].lambda[r];
    }
    trm_contact_set_recall(w, 1);
}

/* A contact with a normal force at the start does not open before that force ends, even if its mean over the step
 * is zero. */
void trm_frozen_take(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    double most = 0;
    int kept = 0;
    recall_forces(w);
    for (int i = 0; i < t->count; i++) most = fmax(most, t->contacts[i].lambda[0]);
    for (int i = 0; i < t->count; i++) {
        trm_step_contact *contact = &t->contacts[i];
        if (t->modes.solved && !(contact->details->mode.ahead[0] > 0) && !(contact->lambda[0] > STILL_LOADED * most))
            continue;
        take_mode(contact);
        trm_contact_set_move(t, i, kept++);
    }
    t->count = kept;
    t->modes.begun = false;
    t->modes.frozen = true;
}

void trm_frozen_rewind(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    for (int i = 0; i < t->count; i++) t->contacts[i].details->mode.way = t->contacts[i].details->mode.way_start;
    t->modes.begun = false;
    t->modes.frozen = true;
}

double trm_frozen_response(const trm_step_contact *contact, int row)
{
    double own = 0;
    for (int k = 0; k < 2; k++) own += trm_sp_dot(contact->J[2 * row + k], contact->W[2 * row + k]);
    return own;
}

/* Returns the change of slip that friction of a contact makes by itself, m/s. */
static double friction_slip_change(const trm_step_contact *contact)
{
    const double own = fmax(trm_frozen_response(contact, 1), trm_frozen_response(contact, 2));
    return contact->friction.mu * fabs(contact->lambda[0]) * own;
}

bool trm_frozen_may_turn(const trm_step_contact *contact, trm_vec3 slip)
{
    return trm_v3_dot(slip, contact->details->mode.way) > fmax(STEADY * friction_slip_change(contact), TRM_NO_SLIP);
}

bool trm_frozen_follow(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    trm_contact_set_follow(w);
    if (!trm_contact_set_make_rows(w, true)) return false;
    for (int i = 0; t->modes.begun && i < t->count; i++) {
        trm_step_contact *contact = &t->contacts[i];
        const trm_vec3 slip = along_tangents(contact, contact->u);
        if (contact->details->mode.slides && trm_frozen_may_turn(contact, slip))
            contact->details->mode.way = trm_v3_unit(slip);
    }
    return true;
}

/* ---- Forces ------------------------------------------------------------------------------- */

static trm_contact_force force_of(const trm_step_contact *contact, const double *force)
{
    return (trm_contact_force){force[0], along_tangents(contact, force), along_tangents(contact, contact->u)};
}

void trm_frozen_find_forces(trm_maximal *w, double h, bool at_start)
{
    for (int i = 0; i < w->contact_set->count; i++) {
        trm_step_contact *contact = &w->contact_set->contacts[i];
        for (int r = 0; r < 3; r++) {
            const double force = 2 * contact->lambda[r] / h;
            contact->lambda[r] = 0.5 * (contact->details->mode.ahead[r] + force);
            contact->details->mode.ahead[r] = force;
        }
        *(at_start ? &contact->details->mode.at_start : &contact->details->mode.at_end) =
            force_of(contact, contact->lambda);
    }
}

/* ---- Checking the modes --------------------------------------------------------------------- */

static double largest_force(const trm_maximal *w)
{
    double most = DBL_MIN / NO_FORCE;
    for (int i = 0; i < w->contact_set->count; i++)
        most = fmax(most, fabs(w->contact_set->contacts[i].details->mode.at_end.normal));
    return most;
}

/* Returns the force, N, that counts as zero. Rows with a small residual make such a force in a part of the step,
 * too. */
static double no_force(const trm_maximal *w, const trm_step_contact *contact)
{
    const double own = trm_frozen_response(contact, 0);
    const double unsure =
        own > 0 ? CLOSED * w->stepper->options->position_tolerance / (own * w->look.h * w->look.h) : 0;
    return NO_FORCE * largest_force(w) + unsure;
}

/* The ways in which a mode can end. */
typedef enum mode_end { PULLS, SLIPS, TURNS_ROUND, MODE_ENDS } mode_end;

static double violation(const trm_maximal *w, const trm_step_contact *contact, mode_end how,
                        const trm_contact_force *force)
{
    const double mu = trm_contact_friction(&contact->law, 0);
    if (how == PULLS) return -force->normal / no_force(w, contact);
    if (contact->details->mode.slides != (how == TURNS_ROUND)) return -INFINITY;
    return how == SLIPS ? (trm_v3_length(force->friction) - mu * force->normal) / no_force(w, contact)
                        : -trm_v3_dot(force->slip, contact->details->mode.way_start) / STOPPED;
}

double trm_frozen_excess(const trm_maximal *w, int end, bool at_start)
{
    if (end / MODE_ENDS >= w->contact_set->count) return -INFINITY;
    const trm_step_contact *contact = &w->contact_set->contacts[end / MODE_ENDS];
    return violation(w, contact, (mode_end)(end % MODE_ENDS),
                     at_start ? &contact->details->mode.at_start : &contact->details->mode.at_end);
}

int trm_frozen_first_ended(const trm_maximal *w)
{
    double most = 1;
    int worst = -1;
    for (int end = 0; end < MODE_ENDS * w->contact_set->count; end++) {
        const double here = trm_frozen_excess(w, end, false);
        if (here > most) most = here, worst = end;
    }
    return worst;
}

/* ---- Changing the modes --------------------------------------------------------------------- */

/* Returns whether the mode is violated at both ends of the step. */
static bool is_wrong(const trm_maximal *w, const trm_step_contact *contact, mode_end how)
{
    return violation(w, contact, how, &contact->details->mode.at_end) > 1 &&
           violation(w, contact, how, &contact->details->mode.at_start) >= -1;
}

bool trm_frozen_change(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    bool any = false;
    int kept = 0;
    for (int i = 0; i < t->count; i++) {
        trm_step_contact *contact = &t->contacts[i];
        const bool opens = is_wrong(w, contact, PULLS), slides = is_wrong(w, contact, SLIPS);
        const bool sticks =
            is_wrong(w, contact, TURNS_ROUND); /* otherwise it would start to slip in the wrong direction */
        any = any || opens || slides || sticks;
        if (opens) continue;
        if (slides) slide(contact, trm_v3_neg(contact->details->mode.at_start.friction));
        if (sticks) contact->details->mode.slides = false;
        trm_contact_set_move(t, i, kept++);
    }
    t->count = kept;
    return any;
}

bool trm_frozen_turns(const trm_maximal *w)
{
    for (int i = 0; i < w->contact_set->count; i++)
        if (w->contact_set->contacts[i].details->mode.slides && w->contact_set->contacts[i].details->mode.turning)
            return true;
    return false;
}
