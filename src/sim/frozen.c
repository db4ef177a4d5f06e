/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Steps of orders above 2 next to contacts.
 *
 * Contacts choose their mode at the start of a step and keep it in all its parts. Within modes motion is smooth
 * (methods/contact/frozen.h). Where all slides are straight, steps are composed. Where the direction of a slip
 * turns, friction damps the motion across it, which would grow without bound in parts of a composed step that go
 * back in time. There the results of forward step sequences are extrapolated (extrapolate.h) and projected onto
 * joints and modes.
 *
 * A step in which passive contacts add energy is rejected, and a step of order 2 replaces it. After the step the
 * modes are checked at its end. If one is violated there but not at the start, the step is repeated to find the
 * length at which the mode ends (the Illinois variant of regula falsi), and the next step chooses modes again. If it
 * is violated at the start as well, it was the wrong mode, and another one is tried. */

#include "base/bracket.h"
#include "sim/sim.h"

/* Forces at a time are computed from look-aheads of 1/PARTS of a step. With a larger value forces are differences of
 * rounding, with a smaller one they are means over too long a time. Tests pass with a tenth and with ten times of
 * it. */
static const double PARTS = 8;
/* Limits for one step: choices of modes, trials for the end of a mode, modes that end earlier. */
enum { MOST_CHOICES = 10, MOST_TRIES = 24, MOST_EVENTS = 20 };
/* Parts of a step: a contact that has just begun to slip is checked first after 1/FIRST_PART; shorter intervals than
 * NO_TIME are empty; in a longer one than UNCERTAIN the end of a mode is a jump. */
static const double FIRST_PART = 1024, NO_TIME = 1e-14, UNCERTAIN = 1e-7;
/* Fraction of the kinetic energy that passive contacts may add by the error of a step in which they stick. A larger
 * value keeps composed steps that gain energy, a smaller one repeats good ones at order 2. Tests pass with a tenth
 * and with ten times of it. */
static const double GAIN = 1e-6;
/* Part of the kinetic energy by which energy may differ from work. A larger one keeps steps in which a mode ended
 * unnoticed, a smaller one repeats coarse steps that are right to their order. Tests pass with a tenth and with
 * ten times of it. */
static const double OUT_OF_BALANCE = 1e-4;

/* ---- The step ----------------------------------------------------------------------------- */

/* Chooses the modes of a step from the present time. The state is unchanged. Returns false on failure. */
static bool freeze(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    sim->stepper.step.goal = goal;
    const bool good = sim->method->contacts->frozen->solve_modes(sim->stepper.machine, h, outcome);
    trm_state_copy(sim->state, sim->steps.before);
    if (good) sim->method->contacts->frozen->adopt(sim->stepper.machine);
    return good;
}

/* Computes forces at an end of the step by look-aheads in both directions. The state is unchanged. Returns false on
 * failure. */
static bool find_forces(trm_sim *sim, double h, bool at_start, trm_outcome *outcome)
{
    bool good = true;
    trm_state_copy(sim->modes.end, sim->state);
    for (int side = 1; good && side >= -1; side -= 2) {
        const double part = side * h / PARTS;
        sim->stepper.step.goal = sim->state->clock->time + part;
        good = sim->method->contacts->frozen->find_forces(sim->stepper.machine, part, at_start, outcome);
        trm_state_copy(sim->state, sim->modes.end);
    }
    return good;
}

/* Makes n steps from sim->steps.before in the frozen modes. Returns false on failure. */
static bool step_by_parts(trm_sim *sim, double h, double goal, int n, trm_outcome *outcome)
{
    const double start = sim->steps.before->clock->time;
    trm_state_copy(sim->state, sim->steps.before);
    sim->method->contacts->frozen->rewind(sim->stepper.machine);
    for (int i = 1; i <= n; i++)
        if (!trm_sim_step_method(sim, h / n, i == n ? goal : start + i * h / n, outcome)) return false;
    return true;
}

static bool extrapolate(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    const int k = sim->modes.results;
    const bool wanted = sim->stepper.velocities_required;
    bool good = true;
    sim->stepper.velocities_required = true;
    for (int n = 1; good && n <= k; n++) {
        good = step_by_parts(sim, h, goal, n, outcome);
        if (good && n < k) trm_state_copy(sim->steps.coarse[n - 1], sim->state);
    }
    sim->stepper.velocities_required = wanted;
    if (!good) return false;
    trm_extrapolate(sim->state, sim->steps.coarse, k);
    return sim->method->contacts->frozen->project(sim->stepper.machine, outcome);
}

/* Checks the step from events.start to the present state: returns whether passive contacts have added no more
 * energy, and energy differs from work by no more, than the error of the step explains. */
static bool is_passive(const trm_sim *sim, trm_outcome *outcome)
{
    const trm_state *start = sim->events.start, *end = sim->state;
    const double gained = end->clock->work.contact - start->clock->work.contact, little = trm_sim_gap_energy(sim);
    const double kinetic = trm_state_energy(start).kinetic + trm_state_energy(end).kinetic;
    const double missing = -trm_unexplained_energy(start, end);
    if (gained <= GAIN * kinetic + little && fabs(missing) <= OUT_OF_BALANCE * (kinetic + fabs(gained)) + little)
        return true;
    return trm_fail(outcome, INFINITY, "contacts", NULL, "they added %.3g J in a step, and %.3g J are missing",
                    gained, missing);
}

/* Makes the step with the present modes. If a slip turns, or extrapolation was requested, no part of the step goes
 * back in time. */
static bool make_with_modes(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    sim->method->contacts->frozen->rewind(sim->stepper.machine);
    if (!sim->modes.same && !find_forces(sim, h, true, outcome)) return false;
    const bool one_way = sim->modes.forwards || sim->method->contacts->frozen->turns(sim->stepper.machine);
    return (one_way ? extrapolate : trm_sim_stages)(sim, h, goal, outcome) && find_forces(sim, h, false, outcome);
}

static bool no_modes(trm_outcome *outcome)
{
    return trm_fail(outcome, INFINITY, "contacts", NULL, "no mode of sticking and sliding holds");
}

/* Makes the step from sim->steps.before, where no contact approaches. Returns false on failure. */
static bool compose(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    if (!sim->modes.same && !freeze(sim, h, goal, outcome)) return false;
    for (int choices = 0; make_with_modes(sim, h, goal, outcome); choices++) {
        if (sim->modes.same || !sim->method->contacts->frozen->change(sim->stepper.machine)) return true;
        if (choices == MOST_CHOICES) return no_modes(outcome);
        trm_state_copy(sim->state, sim->steps.before);
    }
    return false;
}

bool trm_sim_compose_frozen(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    const bool good = compose(sim, h, goal, outcome);
    sim->method->contacts->frozen->release(sim->stepper.machine, good);
    return good;
}

/* ---- End of a mode ------------------------------------------------------------------------ */

static bool try_length(trm_sim *sim, int end, double h, double *excess, trm_outcome *outcome)
{
    trm_state_copy(sim->state, sim->events.start);
    *outcome = trm_sim_try(sim, h, sim->events.start->clock->time + h);
    if (!outcome->ok) return false;
    *excess = sim->method->contacts->frozen->excess(sim->stepper.machine, end, false);
    return sim->method->project_velocities(sim->workspace, outcome);
}

/* Finds a length at which a mode is satisfied. end: end condition of the mode, in the method's numbering. A
 * contact that begins at the end of its mode, as at the onset of slip, must first move away from it. */
static bool find_low(trm_sim *sim, int end, trm_bracket *b, trm_outcome *outcome)
{
    b->at_low = sim->method->contacts->frozen->excess(sim->stepper.machine, end, true);
    while (b->at_low >= -1 && b->low < b->high) {
        b->low = b->low > 0 ? 2 * b->low : b->high / FIRST_PART;
        if (!try_length(sim, end, fmin(b->low, b->high), &b->at_low, outcome)) return false;
    }
    return b->at_low < -1 || no_modes(outcome);
}

static bool close_in(trm_sim *sim, int end, trm_bracket *b, double *h, trm_outcome *outcome)
{
    double here = INFINITY;
    while (b->tries < MOST_TRIES && b->high - b->low > NO_TIME * *h) {
        const double middle = trm_bracket_next(b, 8);
        if (!try_length(sim, end, middle, &here, outcome)) return false;
        if (fabs(here) <= 0.5) {
            *h = middle;
            return true;
        }
        trm_bracket_update(b, middle, here);
    }
    if (b->high - b->low > UNCERTAIN * *h)
        return no_modes(outcome); /* it ends in a jump, no scheme has an order there */
    *h = b->high;
    return try_length(sim, end, *h, &here, outcome);
}

bool trm_sim_shorten_to_mode(trm_sim *sim, double *h, bool *shortened, trm_outcome *outcome)
{
    const trm_frozen_modes *modes = sim->method->contacts->frozen;
    sim->modes.same = true;
    for (int end = modes->first_ended(sim->stepper.machine), tries = 0; end >= 0 && tries < MOST_EVENTS; tries++) {
        trm_bracket b = {.high = *h, .at_high = modes->excess(sim->stepper.machine, end, false)};
        *shortened = true;
        if (!find_low(sim, end, &b, outcome) || !close_in(sim, end, &b, h, outcome)) return false;
        const int next = modes->first_ended(sim->stepper.machine);
        end = next == end ? -1 : next;
    }
    return is_passive(sim, outcome);
}
