/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One time-stepping step over all remaining events of a planned step.
 *
 * Where events follow each other infinitely often, their times are not located. A time-stepping step has no events:
 * bounds of joints and contacts are satisfied at its end (Moreau 1988; Stewart, Trinkle 1996). Joints keep one mode in it:
 *
 *     held      c(t+h) = 0 by an impulse p <= 0 at t, whether the joint is at its bound at t or reaches it later
 *     slack     c(t+h) <= 0 without an impulse
 *     sticks    c(t+h) = c(t) by a force of at most F
 *     slips     with the force F against the slip of the start
 *
 * The modes are the solution of a complementarity problem. Next to shapes that may collide it is part of the contact
 * problem (methods/contact/bounded.c). Elsewhere an active set finds it: the step is made, joints that violate their
 * condition change their mode, and the step is made again. A joint that violates it a second time keeps the mode
 * held.
 *
 * The step dissipates energy. An impulse p <= 0 that changes the speed of a stop from u to -c(t)/h < u does the work
 * p (u - c(t)/h) / 2 <= 0, because c(t) <= 0; the projection at the end of the step takes the rest of the approach.
 * There is no restitution. The lost energy is counted as work of impacts. */

#include "sim/sim.h"

/* Largest number of times that the step is made; after the first few of them held joints keep their mode. */
enum { MOST_ROUNDS = 12 };
/* Fraction of the largest force: a smaller excess over a bound is allowed. With a larger value motors exceed their
 * limit by as much, with a smaller one steps are repeated because of rounding. */
static const double NO_FORCE = 1e-9;

/* ---- Modes -------------------------------------------------------------------------------- */

/* Copies the modes of the round into the state at the start of the step. */
static void set_modes(trm_sim *sim)
{
    for (int i = 0; i < sim->events.watched_count; i++) {
        const int joint = sim->events.watched[i];
        if (!sim->state->attached[joint]) continue;
        if (sim->stepping.chosen[joint] == TRM_HELD && isfinite(trm_sim_joint(sim, joint)->most))
            trm_sim_remember_place(sim, joint);
        sim->state->mode[joint] = sim->stepping.chosen[joint];
    }
}

/* Returns the mode of a one-sided joint that agrees with the end of the step. */
static trm_joint_mode bound_mode(const trm_sim *sim, int joint)
{
    const bool held = sim->stepping.chosen[joint] == TRM_HELD;
    const double force = sim->state->force[trm_sim_joint(sim, joint)->row_offset];
    if (held) return force > 0 ? TRM_SLACK : TRM_HELD;
    return trm_first_residual(sim->state, joint) > trm_sim_nearness(sim, joint) ? TRM_HELD : TRM_SLACK;
}

/* Returns the mode of a joint of limited force. One whose speed reverses slips to the end of the step, where it
 * stops. */
static trm_joint_mode friction_mode(const trm_sim *sim, int joint)
{
    const double force = sim->state->force[trm_sim_joint(sim, joint)->row_offset],
                 most = trm_sim_joint(sim, joint)->most;
    if (sim->stepping.chosen[joint] != TRM_HELD || fabs(force) <= most * (1 + NO_FORCE))
        return (trm_joint_mode)sim->stepping.chosen[joint];
    return force > 0 ? TRM_MINUS : TRM_PLUS;
}

/* Returns whether a joint changed its mode. A bound that was released and is violated again stays active. */
static bool change_modes(trm_sim *sim)
{
    bool any = false;
    for (int i = 0; i < sim->events.watched_count; i++) {
        const int joint = sim->events.watched[i];
        const trm_joint *j = trm_sim_joint(sim, joint);
        if (!sim->state->attached[joint] || !(j->one_sided || isfinite(j->most))) continue;
        const trm_joint_mode next = j->one_sided ? bound_mode(sim, joint) : friction_mode(sim, joint);
        if (next == (trm_joint_mode)sim->stepping.chosen[joint] ||
            (sim->stepping.changes[joint] > 1 && next != TRM_HELD))
            continue;
        sim->stepping.chosen[joint] = (signed char)next;
        sim->stepping.changes[joint]++;
        any = true;
    }
    return any;
}

/* ---- The step ----------------------------------------------------------------------------- */

static trm_outcome make_with_modes(trm_sim *sim, double h, double goal)
{
    trm_state_copy(sim->state, sim->events.start);
    set_modes(sim);
    return trm_sim_try(sim, h, goal);
}

static trm_outcome find_modes(trm_sim *sim, double h, double goal)
{
    trm_outcome outcome = {.ok = true};
    for (int i = 0; i < sim->events.watched_count; i++) {
        sim->stepping.chosen[sim->events.watched[i]] = sim->events.start->mode[sim->events.watched[i]];
        sim->stepping.changes[sim->events.watched[i]] = 0;
    }
    for (int round = 0; outcome.ok && round < MOST_ROUNDS; round++) {
        outcome = make_with_modes(sim, h, goal);
        if (outcome.ok && !change_modes(sim)) break;
    }
    return outcome;
}

/* Clears forces of stops that were impulses, because they do not predict those of the next step. */
static void forget_forces(trm_sim *sim)
{
    for (int i = 0; i < sim->events.watched_count; i++)
        if (trm_sim_joint(sim, sim->events.watched[i])->one_sided)
            sim->state->force[trm_sim_joint(sim, sim->events.watched[i])->row_offset] = 0;
}

/* Stops joints of limited force whose speed has reversed. */
static void stop_reversed(trm_sim *sim)
{
    for (int i = 0; i < sim->events.watched_count; i++) {
        const int joint = sim->events.watched[i];
        signed char *mode = &sim->state->mode[joint];
        if (!isfinite(trm_sim_joint(sim, joint)->most) || (*mode != TRM_PLUS && *mode != TRM_MINUS)) continue;
        if ((*mode == TRM_PLUS ? -1 : 1) * trm_joint_speed(sim->state, joint) <= 0) continue;
        trm_sim_remember_place(sim, joint);
        *mode = TRM_HELD;
    }
}

static bool end_step(trm_sim *sim, trm_outcome *outcome)
{
    forget_forces(sim);
    stop_reversed(sim);
    if (!sim->method->capture(sim->workspace, outcome)) return false;
    trm_add_work(sim->state, 1,
                 (trm_works){.impact = fmin(0, trm_unexplained_energy(sim->events.start, sim->state))});
    return trm_sim_impact(sim, outcome) && trm_sim_settle(sim, -1, outcome) && trm_sim_is_finite(sim, outcome);
}

trm_outcome trm_sim_step_over_events(trm_sim *sim, double h, double goal)
{
    const bool window = sim->stepper.window, rows = sim->stepper.bounded_rows, freezes = sim->modes.freezes;
    sim->stepper.window = sim->stepper.collider != NULL;
    sim->stepper.bounded_rows = sim->stepper.window && trm_method_has_impacts(sim->method);
    sim->modes.freezes = false;
    sim->stepping.active = true;
    trm_outcome outcome = sim->stepper.bounded_rows ? trm_sim_try(sim, h, goal) : find_modes(sim, h, goal);
    if (outcome.ok) outcome.ok = end_step(sim, &outcome);
    if (!outcome.ok) trm_state_copy(sim->state, sim->events.start);
    sim->counters.dissipative += outcome.ok;
    sim->stepping.active = false;
    sim->stepper.window = window;
    sim->stepper.bounded_rows = rows;
    sim->modes.freezes = freezes;
    return outcome;
}
