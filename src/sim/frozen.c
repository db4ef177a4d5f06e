/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Composed steps beside contacts.
 *
 * Contacts choose their mode at the start of a step and keep it in all its parts, also in those that go back in time: there
 * motion is smooth, and the composition has its order (methods/contact/frozen.h). Behind the step it is looked whether the
 * modes stand at its end. If one does not, though it did at the start, the step is made again and again for the length at
 * which it ends (the Illinois variant of regula falsi), and the next one chooses anew; if it did not stand at the start
 * either, it was the wrong one, and another is tried. */

#include "sim/sim.h"

/* Of the step of the options: shorter ones gain nothing by a higher order. */
static const double TOO_SHORT = 1e-3;
/* Of a step: how far it is looked for forces at a moment. */
static const double PARTS = 8;
/* Times that modes are chosen for one step, that it is tried for the end of one, and that another ends before. */
enum { MOST_CHOICES = 10, MOST_TRIES = 60, MOST_EVENTS = 20 };
/* Parts of a step: what has just begun to slip is looked at first behind so small a one; less is nothing. */
static const double FIRST_PART = 1024, NO_TIME = 1e-14;

bool trm_sim_can_freeze(const trm_sim *sim, double h)
{
    return sim->frozen && !sim->stepper.window && fabs(h) > TOO_SHORT * sim->options.step;
}

/* ---- The step ----------------------------------------------------------------------------- */

/* The modes of a step from here; the state stays. */
static bool freeze(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    sim->stepper.goal = goal;
    const bool good = sim->method->frozen->look(sim->workspace, h, outcome);
    trm_state_copy(sim->state, sim->before);
    if (good) sim->method->frozen->take(sim->workspace);
    return good;
}

/* Forces at an end of the step, by looking ahead and back from there; the state stays. */
static bool weigh(trm_sim *sim, double h, bool at_start, trm_outcome *outcome)
{
    bool good = true;
    trm_state_copy(sim->frozen, sim->state);
    for (int side = 1; good && side >= -1; side -= 2) {
        const double part = side * h / PARTS;
        sim->stepper.goal = sim->state->clock->time + part;
        good = sim->method->frozen->weigh(sim->workspace, part, at_start, outcome);
        trm_state_copy(sim->state, sim->frozen);
    }
    return good;
}

static bool make_with_modes(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    sim->method->frozen->again(sim->workspace);
    return (sim->same_modes || weigh(sim, h, true, outcome)) && trm_sim_stages(sim, h, goal, outcome) &&
           weigh(sim, h, false, outcome);
}

static bool no_modes(const trm_sim *sim, trm_outcome *outcome)
{
    *outcome = (trm_outcome){.time = sim->state->clock->time,
                             .residual = INFINITY,
                             .element = "contacts",
                             .why = "no mode of sticking and sliding holds"};
    return false;
}

/* From sim->before, where nothing approaches. */
static bool compose(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    if (!sim->same_modes && !freeze(sim, h, goal, outcome)) return false;
    for (int choices = 0; make_with_modes(sim, h, goal, outcome); choices++) {
        if (sim->same_modes || !sim->method->frozen->change(sim->workspace)) return true;
        if (choices == MOST_CHOICES) return no_modes(sim, outcome);
        trm_state_copy(sim->state, sim->before);
    }
    return false;
}

bool trm_sim_compose_frozen(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    const bool good = compose(sim, h, goal, outcome);
    sim->method->frozen->thaw(sim->workspace, good);
    return good;
}

/* ---- Where a mode ends -------------------------------------------------------------------- */

/* Between two lengths of the step: at the first a mode stands, at the other it does not. */
typedef struct bracket {
    int end; /* of a mode, as the method counts them */
    double low, high, at_low, at_high;
} bracket;

static bool try_length(trm_sim *sim, int end, double h, double *beyond, trm_outcome *outcome)
{
    trm_state_copy(sim->state, sim->event_start);
    *outcome = trm_sim_try(sim, h, sim->event_start->clock->time + h);
    if (!outcome->ok) return false;
    *beyond = sim->method->frozen->beyond(sim->workspace, end, false);
    return sim->method->fit_velocities(sim->workspace, outcome);
}

/* What begins at the end of its mode, as what begins to slip, is seen to leave it first. */
static bool find_low(trm_sim *sim, bracket *b, trm_outcome *outcome)
{
    b->at_low = sim->method->frozen->beyond(sim->workspace, b->end, true);
    while (b->at_low >= -1 && b->low < b->high) {
        b->low = b->low > 0 ? 2 * b->low : b->high / FIRST_PART;
        if (!try_length(sim, b->end, fmin(b->low, b->high), &b->at_low, outcome)) return false;
    }
    return b->at_low < -1 || no_modes(sim, outcome);
}

static bool close_in(trm_sim *sim, bracket *b, double *h, trm_outcome *outcome)
{
    double here = INFINITY;
    for (int tries = 0, side = 0; tries < MOST_TRIES && b->high - b->low > NO_TIME * *h; tries++) {
        const double share = tries % 8 == 7 ? 0.5 : b->at_low / (b->at_low - b->at_high);
        const double middle = b->low + share * (b->high - b->low);
        if (!try_length(sim, b->end, middle, &here, outcome)) return false;
        if (fabs(here) <= 0.5) {
            *h = middle;
            return true;
        }
        if (here > 0) {
            b->high = middle, b->at_high = here;
            if (side > 0) b->at_low *= 0.5;
            side = 1;
        } else {
            b->low = middle, b->at_low = here;
            if (side < 0) b->at_high *= 0.5;
            side = -1;
        }
    }
    *h = b->high;
    return try_length(sim, b->end, *h, &here, outcome);
}

bool trm_sim_shorten_to_mode(trm_sim *sim, double *h, bool *shortened, trm_outcome *outcome)
{
    const trm_frozen_modes *modes = sim->method->frozen;
    sim->same_modes = true;
    for (int end = modes->first_beyond(sim->workspace), tries = 0; end >= 0 && tries < MOST_EVENTS; tries++) {
        bracket b = {end, .high = *h, .at_high = modes->beyond(sim->workspace, end, false)};
        *shortened = true;
        if (!find_low(sim, &b, outcome) || !close_in(sim, &b, h, outcome)) return false;
        const int next = modes->first_beyond(sim->workspace);
        end = next == end ? -1 : next;
    }
    return true;
}
