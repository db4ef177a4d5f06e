/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Steps of orders above 2 next to contacts.
 *
 * Contacts choose their mode at the start of a step and keep it in all its parts: there motion is smooth
 * (methods/contact/frozen.h). Where all slides are straight, steps are composed. Where the direction of a slip turns, friction
 * makes what is across it decay; in parts of a composed step that go back in time it would grow without bound. There results of
 * step sequences that all go forwards are extrapolated (extrapolate.h) and projected onto joints and modes. A step in which passive contacts put in energy is not accepted, and
 * one of order 2 takes its place. After the step it is checked whether the modes hold at its end. If one does not, though it did at the start, the step is made again and again for the length at
 * which it ends (the Illinois variant of regula falsi), and the next one chooses anew; if it did not stand at the start
 * either, it was the wrong one, and another is tried. */

#include <stdio.h>

#include "base/print.h"
#include "sim/sim.h"

/* Of the step of the options: shorter ones gain nothing by a higher order. */
static const double TOO_SHORT = 1e-3;
/* Of a step: how far it is looked for forces at a moment. */
static const double PARTS = 8;
/* Times that modes are chosen for one step, that it is tried for the end of one, and that another ends before. */
enum { MOST_CHOICES = 10, MOST_TRIES = 24, MOST_EVENTS = 20, MOST_IN_ROW = 3 };
/* Parts of a step: what has just begun to slip is looked at first behind so small a one; less is nothing. */
static const double FIRST_PART = 1024, NO_TIME = 1e-14, UNCERTAIN = 1e-7;
/* Of the kinetic energy: passive contacts may seem to put in so much, by the error of a step in which they stick. */
static const double GAIN = 1e-6;
/* Likewise: by so much energy may differ from work. */
static const double OUT_OF_BALANCE = 1e-4;

bool trm_sim_can_freeze(const trm_sim *sim, double h)
{
    return sim->modes.end && !sim->stepper.window && sim->memory.plain == 0 &&
           sim->memory.events_in_row <= MOST_IN_ROW && fabs(h) > TOO_SHORT * sim->options.step;
}

/* ---- The step ----------------------------------------------------------------------------- */

/* The modes of a step from here; the state stays. */
static bool freeze(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    sim->stepper.goal = goal;
    const bool good = sim->method->contacts->frozen->look(sim->workspace, h, outcome);
    trm_state_copy(sim->state, sim->steps.before);
    if (good) sim->method->contacts->frozen->take(sim->workspace);
    return good;
}

/* Forces at an end of the step, by looking ahead and back from there; the state stays. */
static bool weigh(trm_sim *sim, double h, bool at_start, trm_outcome *outcome)
{
    bool good = true;
    trm_state_copy(sim->modes.end, sim->state);
    for (int side = 1; good && side >= -1; side -= 2) {
        const double part = side * h / PARTS;
        sim->stepper.goal = sim->state->clock->time + part;
        good = sim->method->contacts->frozen->weigh(sim->workspace, part, at_start, outcome);
        trm_state_copy(sim->state, sim->modes.end);
    }
    return good;
}

/* n steps from sim->steps.before in the modes that are frozen. */
static bool step_by_parts(trm_sim *sim, double h, double goal, int n, trm_outcome *outcome)
{
    const double start = sim->steps.before->clock->time;
    trm_state_copy(sim->state, sim->steps.before);
    sim->method->contacts->frozen->again(sim->workspace);
    for (int i = 1; i <= n; i++) {
        sim->stepper.goal = i == n ? goal : start + i * h / n;
        if (!sim->method->step(sim->workspace, h / n, outcome)) return false;
        trm_remember_forces(sim->state);
    }
    return true;
}

static bool extrapolate(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    const int k = sim->modes.results;
    const bool wanted = sim->stepper.velocities_wanted;
    bool good = true;
    sim->stepper.velocities_wanted = true;
    for (int n = 1; good && n <= k; n++) {
        good = step_by_parts(sim, h, goal, n, outcome);
        if (good && n < k) trm_state_copy(sim->steps.coarse[n - 1], sim->state);
    }
    sim->stepper.velocities_wanted = wanted;
    if (!good) return false;
    trm_extrapolate(sim->state, sim->steps.coarse, k);
    return sim->method->contacts->frozen->project(sim->workspace, outcome);
}

static double total_energy(const trm_state *state)
{
    const trm_energy e = trm_state_energy(state);
    return e.kinetic + e.potential;
}

/* J: what gaps that count as closed are worth. */
static double worth_of_gaps(const trm_sim *sim)
{
    const trm_model *model = sim->state->model;
    double mass = 0;
    for (int i = 0; i < model->body_count; i++) mass += model->bodies[i].mass;
    return TRM_CONTACT_DISTANCE * sim->events.nearness.position * mass * trm_length(model->gravity);
}

/* Whether in the step from events.start to here passive contacts have put in no more energy, and energy differs from work by no
 * more, than the error of the step explains. */
static bool is_passive(const trm_sim *sim, trm_outcome *outcome)
{
    const trm_state *start = sim->events.start, *end = sim->state;
    const double gained = end->clock->work.contact - start->clock->work.contact, little = worth_of_gaps(sim);
    const double kinetic = trm_state_energy(start).kinetic + trm_state_energy(end).kinetic;
    const double missing = trm_works_sum(end->clock->work) - trm_works_sum(start->clock->work) -
                           (total_energy(end) - total_energy(start));
    if (gained <= GAIN * kinetic + little && fabs(missing) <= OUT_OF_BALANCE * (kinetic + fabs(gained)) + little)
        return true;
    *outcome = (trm_outcome){.time = end->clock->time, .residual = INFINITY, .element = "contacts"};
    trm_print(outcome->why, sizeof outcome->why, "they put in %.3g J in a step, and %.3g J are missing", gained,
              missing);
    return false;
}

/* Where slip turns, or extrapolation was requested, no part of a step may go back in time. */
static bool make_with_modes(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    sim->method->contacts->frozen->again(sim->workspace);
    if (!sim->modes.same && !weigh(sim, h, true, outcome)) return false;
    const bool one_way = sim->modes.forwards || sim->method->contacts->frozen->turns(sim->workspace);
    return (one_way ? extrapolate : trm_sim_stages)(sim, h, goal, outcome) && weigh(sim, h, false, outcome);
}

static bool no_modes(const trm_sim *sim, trm_outcome *outcome)
{
    *outcome = (trm_outcome){.time = sim->state->clock->time,
                             .residual = INFINITY,
                             .element = "contacts",
                             .why = "no mode of sticking and sliding holds"};
    return false;
}

/* From sim->steps.before, where nothing approaches. */
static bool compose(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    if (!sim->modes.same && !freeze(sim, h, goal, outcome)) return false;
    for (int choices = 0; make_with_modes(sim, h, goal, outcome); choices++) {
        if (sim->modes.same || !sim->method->contacts->frozen->change(sim->workspace)) return true;
        if (choices == MOST_CHOICES) return no_modes(sim, outcome);
        trm_state_copy(sim->state, sim->steps.before);
    }
    return false;
}

bool trm_sim_compose_frozen(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    const bool good = compose(sim, h, goal, outcome);
    sim->method->contacts->frozen->thaw(sim->workspace, good);
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
    trm_state_copy(sim->state, sim->events.start);
    *outcome = trm_sim_try(sim, h, sim->events.start->clock->time + h);
    if (!outcome->ok) return false;
    *beyond = sim->method->contacts->frozen->beyond(sim->workspace, end, false);
    return sim->method->project_velocities(sim->workspace, outcome);
}

/* What begins at the end of its mode, as what begins to slip, is seen to leave it first. */
static bool find_low(trm_sim *sim, bracket *b, trm_outcome *outcome)
{
    b->at_low = sim->method->contacts->frozen->beyond(sim->workspace, b->end, true);
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
    if (b->high - b->low > UNCERTAIN * *h)
        return no_modes(sim, outcome); /* it ends in a jump, no scheme has an order there */
    *h = b->high;
    return try_length(sim, b->end, *h, &here, outcome);
}

bool trm_sim_shorten_to_mode(trm_sim *sim, double *h, bool *shortened, trm_outcome *outcome)
{
    const trm_frozen_modes *modes = sim->method->contacts->frozen;
    sim->modes.same = true;
    for (int end = modes->first_beyond(sim->workspace), tries = 0; end >= 0 && tries < MOST_EVENTS; tries++) {
        bracket b = {end, .high = *h, .at_high = modes->beyond(sim->workspace, end, false)};
        *shortened = true;
        if (!find_low(sim, &b, outcome) || !close_in(sim, &b, h, outcome)) return false;
        const int next = modes->first_beyond(sim->workspace);
        end = next == end ? -1 : next;
    }
    return is_passive(sim, outcome);
}
