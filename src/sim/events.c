/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Events: one-sided joints go taut and slack at the times when they do.
 *
 * While a step is made every joint stays as it is, slack or held. Behind it each one-sided joint tells how far it is
 * beyond its next event:
 *
 *     slack   by how much c > 0: it ought to have gone taut
 *     held    by how much its multiplier l > 0: it ought to have let go, for it cannot push (c <= 0, l <= 0)
 *
 * If one is beyond, the step is made again and again, as long as it takes to find the length at which the first of them
 * happens (the Illinois variant of regula falsi): that step has the order of the scheme, and ends at the event. A joint
 * that goes taut while it opens at the speed v strikes: it gets the impulse, through all joints that hold, after which
 * it closes at e v (Newton's restitution e, of one pair the same as Poisson's). Too slow to matter, it is held from then
 * on. What an impact takes of the energy counts as work. */

#include <float.h>
#include <stdio.h>

#include "sim/sim.h"

/* Times that a step is tried for one event, and events within one step. */
enum { MOST_TRIES = 100, MOST_EVENTS = 1000 };
/* m/s, rad/s: slower than this nothing bounces. */
static const double REST_SPEED = 1e-6;
/* Parts of the largest force so far that a multiplier may be positive by: rounding. */
static const double NO_FORCE = 1e-9;
/* Parts of a step shorter than which there is nothing between its ends. */
static const double NO_TIME = 1e-13;

/* ---- One joint ---------------------------------------------------------------------------- */

static double tolerance_of(const trm_sim *sim, const trm_joint *joint)
{
    return joint->angular[0] ? sim->options.angle_tolerance : sim->options.position_tolerance;
}

static double residual_of(const trm_sim *sim, int joint)
{
    double c[TRM_JOINT_ROWS];
    const trm_joint_at at = trm_joint_now(sim->state, joint);
    trm_joint_residual(&at, c);
    return c[0];
}

/* J V + c_t */
static double speed_of(const trm_sim *sim, int joint)
{
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    double speed[TRM_JOINT_ROWS];
    const trm_joint_at at = trm_joint_now(sim->state, joint);
    trm_joint_rate(&at, speed);
    trm_joint_jacobian(&at, J);
    for (int b = 0; b < at.joint->body_count; b++) speed[0] += trm_sp_dot(J[b], at.V[b]);
    return speed[0];
}

static bool is_taut(const trm_sim *sim, int joint)
{
    return sim->state->mode[joint] == TRM_HELD;
}

/* Fits velocities and finds forces, if some joint that is held may have to let go. */
static bool find_forces(trm_sim *sim, trm_outcome *outcome)
{
    bool any = false;
    for (int i = 0; i < sim->watched_count; i++) any = any || is_taut(sim, sim->watched[i]);
    return !any ||
           (sim->method->fit_velocities(sim->workspace, outcome) && sim->method->reactions(sim->workspace, outcome));
}

/* How far a joint is beyond its next event, in units of what is nothing; more than 1: it is to happen. */
static double beyond(trm_sim *sim, int joint)
{
    const trm_joint *j = &sim->state->model->joints[joint];
    if (!sim->state->attached[joint]) return -INFINITY;
    if (!is_taut(sim, joint)) return residual_of(sim, joint) / tolerance_of(sim, j);
    const double force = sim->state->reaction[j->row_offset];
    sim->largest_force = fmax(sim->largest_force, fabs(force));
    return force / (NO_FORCE * fmax(sim->largest_force, DBL_MIN / NO_FORCE));
}

/* The watched joint that is farthest beyond its event; -1: none is. */
static int first_beyond(trm_sim *sim)
{
    int worst = -1;
    double most = 1;
    for (int i = 0; i < sim->watched_count; i++) {
        const double here = beyond(sim, sim->watched[i]);
        if (here > most) most = here, worst = sim->watched[i];
    }
    return worst;
}

/* ---- Finding the time --------------------------------------------------------------------- */

/* From the start of the step to h behind it, and how far the joint is beyond its event then. */
static bool try_length(trm_sim *sim, int joint, double h, double *value, trm_outcome *outcome)
{
    trm_state_copy(sim->state, sim->event_start);
    if (h != 0) *outcome = trm_sim_try(sim, h, sim->event_start->clock->time + h);
    if (!outcome->ok || !find_forces(sim, outcome)) return false;
    *value = beyond(sim, joint);
    return true;
}

/* Shortens the step to where the joint is no more than at its event; it was beyond it at *h. */
static bool find_event(trm_sim *sim, int joint, double *h, trm_outcome *outcome)
{
    double low = 0, high = *h, at_low, at_high, here;
    if (!try_length(sim, joint, 0, &at_low, outcome)) return false;
    if (at_low >= -1) { /* it begins at its event */
        *h = 0;
        return true;
    }
    if (!try_length(sim, joint, high, &at_high, outcome)) return false;
    for (int tries = 0, side = 0; tries < MOST_TRIES && high - low > NO_TIME * *h; tries++) {
        const double share = tries % 8 == 7 ? 0.5 : at_low / (at_low - at_high); /* now and then halved, to be sure */
        const double middle = low + share * (high - low);
        if (!try_length(sim, joint, middle, &here, outcome)) return false;
        if (fabs(here) <= 0.5) {
            *h = middle;
            return true;
        }
        if (here > 0) {
            high = middle, at_high = here;
            if (side > 0) at_low *= 0.5;
            side = 1;
        } else {
            low = middle, at_low = here;
            if (side < 0) at_high *= 0.5;
            side = -1;
        }
    }
    *h = low;
    return try_length(sim, joint, low, &here, outcome);
}

/* ---- What happens ------------------------------------------------------------------------- */

static double energy_beyond_work(const trm_sim *sim)
{
    return trm_state_energy(sim->state).kinetic - sim->state->clock->work;
}

/* Closes the joint at its restitution; what that takes is work. */
static bool strike(trm_sim *sim, int joint, double speed, trm_outcome *outcome)
{
    const double rebound = sim->state->model->joints[joint].limit_restitution * speed;
    const double before = energy_beyond_work(sim);
    sim->state->mode[joint] = TRM_HELD;
    if (!sim->method->strike(sim->workspace, joint, rebound > REST_SPEED ? rebound : 0, outcome)) return false;
    if (rebound > REST_SPEED) sim->state->mode[joint] = TRM_SLACK;
    sim->state->clock->work += energy_beyond_work(sim) - before;
    sim->counters.impacts++;
    return true;
}

/* All that is due at the present state, one after another. */
static bool let_happen(trm_sim *sim, int first, trm_outcome *outcome)
{
    if (is_taut(sim, first)) {
        sim->state->mode[first] = TRM_SLACK;
        return true;
    }
    if (!sim->method->fit_velocities(sim->workspace, outcome)) return false;
    for (int i = 0; i < sim->watched_count; i++) {
        const int joint = sim->watched[i];
        if (!sim->state->attached[joint] || is_taut(sim, joint) || beyond(sim, joint) < -1) continue;
        const double speed = speed_of(sim, joint);
        if (speed < 0 && joint != first) continue;
        if (speed > 0 ? !strike(sim, joint, speed, outcome) : !strike(sim, joint, 0, outcome)) return false;
    }
    return true;
}

/* ---- The step ----------------------------------------------------------------------------- */

static bool too_many(const trm_sim *sim, int joint, trm_outcome *outcome)
{
    *outcome = (trm_outcome){.time = sim->state->clock->time, .residual = NAN};
    snprintf(outcome->element, sizeof outcome->element, "joint '%s'", sim->state->model->joints[joint].name);
    snprintf(outcome->why, sizeof outcome->why, "goes taut and slack without end: %d times in one step", MOST_EVENTS);
    return false;
}

bool trm_sim_meet_events(trm_sim *sim, trm_outcome *outcome)
{
    double h = sim->state->clock->time - sim->event_start->clock->time;
    const long long steps = sim->counters.steps;
    if (!find_forces(sim, outcome)) return false;
    int joint = first_beyond(sim), next = joint;
    sim->events_in_row = joint < 0 ? 0 : sim->events_in_row + 1;
    if (joint < 0) return true;
    if (sim->events_in_row > MOST_EVENTS) return too_many(sim, joint, outcome);
    for (; next >= 0; next = h > 0 ? first_beyond(sim) : -1) {
        joint = next;
        if (!find_event(sim, joint, &h, outcome)) return false;
    }
    sim->counters.steps = steps - (h == 0); /* those that were tried are none */
    return let_happen(sim, joint, outcome);
}

trm_outcome trm_sim_advance(trm_sim *sim, double goal)
{
    trm_outcome outcome = {.ok = true};
    while (outcome.ok && sim->state->clock->time != goal) {
        trm_state_copy(sim->event_start, sim->state);
        outcome = trm_sim_try(sim, goal - sim->state->clock->time, goal);
        if (outcome.ok) outcome.ok = trm_sim_meet_events(sim, &outcome);
    }
    return outcome;
}
