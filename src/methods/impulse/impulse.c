/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The impulse method: forces and joints act as impulses at the ends of a step, and between them every body moves as
 * if it were free. Joint impulses are found by looking ahead one step (Schmitt 2003, P-steps 1 to 4). */

#include <limits.h>
#include <string.h>

#include "base/message.h"
#include "methods/contact/touching.h"

/* ---- Parts of the step -------------------------------------------------------------------- */

/* Velocities of a start, or what the caller has set, are made to fit before something reads them. */
static bool velocities_are_ready(trm_maximal *w, trm_outcome *outcome)
{
    return !w->velocities_needed || w->stepper->state->clock->velocities_fit ||
           trm_maximal_correct_velocities(w, 0, outcome);
}

/* A force in a joint acts in the impulses of a look-ahead for half of this step and, where velocities were not made to
 * fit at its beginning, for half of the last one too. Steps that nearly cancel, as composed ones may, tell nothing. */
static double span_of_impulses(const trm_maximal *w, double h)
{
    const trm_clock *clock = w->stepper->state->clock;
    const double span = clock->velocities_fit ? 0.5 * h : 0.5 * (clock->step + h);
    return fabs(span) > 0.1 * fabs(h) ? span : 0;
}

/* W += P h/2 at either end of the step. */
static void count_work(trm_maximal *w, double half)
{
    w->stepper->state->clock->work += half * trm_maximal_power(w);
}

/* ---- With contacts, where there are any --------------------------------------------------- */

static bool find_contacts(trm_maximal *w, double h, trm_outcome *outcome)
{
    if (!w->touching) return true;
    bool found = trm_touching_find_holding(w, h);
    if (found && !w->stepper->window && w->touching->approached) { /* nothing goes on before it has been struck */
        if (!trm_touching_impacts(w, outcome)) return false;
        found = trm_touching_find_holding(w, h);
    }
    if (found && w->touching->count == 0) trm_state_know_touched(w->stepper->state, 0);
    if (found) return true;
    *outcome = (trm_outcome){
        .time = w->stepper->state->clock->time, .residual = NAN, .why = "out of memory", .element = "contacts"};
    return false;
}

/* V <- c(q(t+h)) */
static bool close_all(trm_maximal *w, double h, trm_outcome *outcome)
{
    return w->touching && w->touching->count > 0 ? trm_touching_close(w, h, outcome)
                                                 : trm_maximal_correct_joints(w, h, outcome);
}

/* In a window: whether rebounds are due at the end of the step. */
static bool something_strikes(const trm_maximal *w)
{
    for (int i = 0; w->touching && i < w->touching->count; i++)
        if (w->touching->touches[i].rebound < 0) return true;
    return false;
}

/* V <- J V + c_t, the contacts that are listed holding */
static bool fit_found(trm_maximal *w, double dt, double span, trm_outcome *outcome)
{
    return w->touching && w->touching->count > 0 ? trm_touching_fit_velocities(w, dt, span, outcome)
                                                 : trm_maximal_correct_velocities(w, dt, outcome);
}

/* The same at the end of a step, for those that held in it. */
static bool fit_all(trm_maximal *w, double dt, trm_outcome *outcome)
{
    if (w->touching) trm_touching_follow(w);
    return fit_found(w, dt, dt, outcome);
}

/* ---- The step ----------------------------------------------------------------------------- */

/* Reads t, q, V; writes q(t+h), V(t+h). Half of each force acts at the beginning, half at the end; the second half of
 * a force that depends on velocities is found together with the velocities that it makes. */
static bool step(void *workspace, double h, trm_outcome *outcome)
{
    trm_maximal *w = workspace;
    const double half = 0.5 * h;

    /* contacts, J, W, A <- q(t);  V <- forces at q(t) */
    if (!velocities_are_ready(w, outcome) || !find_contacts(w, h, outcome)) return false;
    w->span = span_of_impulses(w, h);
    trm_maximal_rows(w);
    count_work(w, half);
    if (!trm_maximal_kick(w, half, TRM_ALL_FORCES, outcome)) return false;

    /* q(t+h) <- V;  V <- c(q(t+h));  t, q, V <- look-ahead */
    trm_maximal_look_ahead(w, h);
    if (!close_all(w, h, outcome)) return false;
    trm_maximal_advance(w, h);

    /* V <- forces at q(t+h);  V <- J V + c_t, where something reads velocities */
    if (!trm_maximal_kick(w, half, TRM_FORCES_OF_POSITION, outcome)) return false;
    if (!w->velocities_needed && !w->stepper->velocities_wanted && !something_strikes(w)) return true;
    if (!fit_all(w, half, outcome)) return false;
    count_work(w, half);
    return true;
}

static bool fit_positions(void *workspace, trm_outcome *outcome)
{
    return trm_maximal_fit_positions(workspace, outcome);
}

/* Velocities that fit stay what they are; whether they do is looked up, for the caller may have set some. What touches in
 * the window of a step is asked once. */
static bool fit_velocities(void *workspace, trm_outcome *outcome)
{
    trm_maximal *w = workspace;
    if (!w->touching || !w->stepper->window || w->stepper->state->clock->velocities_fit)
        return trm_maximal_correct_velocities(w, 0, outcome);
    if (!trm_touching_find_pressed(w)) return trm_touching_out_of_memory(outcome);
    return fit_found(w, 0, 0.5 * w->stepper->state->clock->step, outcome);
}

static bool reactions(void *workspace, trm_outcome *outcome)
{
    trm_maximal *w = workspace;
    if (w->touching) {
        memset(w->pressed, 0, (size_t)w->stepper->model->body_count * sizeof *w->pressed);
        trm_touching_press(w, w->pressed);
    }
    return trm_maximal_reactions(w, outcome);
}

static bool respond(void *workspace, int joint, trm_spatial *V, trm_outcome *outcome)
{
    return trm_maximal_respond(workspace, joint, V, outcome);
}

static double opening(void *workspace, int joint)
{
    return trm_maximal_opening(workspace, joint);
}

static bool impact(void *workspace, trm_outcome *outcome)
{
    return trm_touching_impacts(workspace, outcome);
}

static double slide_ends(const void *workspace)
{
    return trm_touching_slide_ends(workspace);
}

static int contacts(void *workspace, trm_contact_row *rows, int most)
{
    return trm_touching_report(workspace, rows, most);
}

static int dropped(const void *workspace, trm_row_name *rows, int most)
{
    const trm_maximal *w = workspace;
    return w->solver->dropped ? w->solver->dropped(w, rows, most) : 0;
}

static const trm_method_option OPTIONS[] = {
    {.name = "rounds",
     .whole = true,
     .says = "over the joints in each step, whatever is left then; 0: until all are closed"},
    {0},
};

/* Gaps that are left are of order 3, 4, ... with one, two, ... rounds. */
static void look_at_options(const trm_simulation_def *options, trm_messages *messages)
{
    const double rounds = trm_option_number(&trm_method_impulse, options, "rounds");
    if (rounds > 0 && options->order > rounds + 2)
        trm_say(messages, TRM_WARNING, (trm_place){0}, "",
                "%g rounds leave gaps that let order %g have order %g at most; leave out impulse.rounds", rounds,
                options->order, rounds + 2);
}

static void *create(trm_stepper *stepper)
{
    trm_maximal *w = trm_maximal_create(stepper);
    if (w && stepper->collider) {
        w->touching = trm_touching_create(w, stepper->collider);
        w->pressed = TRM_NEW_ARRAY(stepper->arena, trm_spatial, stepper->model->body_count);
        if (!w->touching || !w->pressed) return NULL;
        if (!w->stepper->window) w->velocities_needed = true; /* they tell who strikes and who slips */
    }
    if (w) w->rounds = (int)fmin(trm_option_number(&trm_method_impulse, stepper->options, "rounds"), INT_MAX);
    return w;
}

const trm_method trm_method_impulse = {
    .name = "impulse",
    .can = TRM_CAN_MAXIMAL | TRM_CAN_BOUNDS | TRM_CAN_FRICTION | TRM_CAN_BREAK | TRM_CAN_EVENTS | TRM_CAN_IMPLICIT |
           TRM_CAN_CONTACT,
    .create = create,
    .step = step,
    .fit_positions = fit_positions,
    .fit_velocities = fit_velocities,
    .reactions = reactions,
    .capture = fit_velocities,
    .respond = respond,
    .opening = opening,
    .impact = impact,
    .slide_ends = slide_ends,
    .contacts = contacts,
    .dropped = dropped,
    .options = OPTIONS,
    .look_at_options = look_at_options,
};
