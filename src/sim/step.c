/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A step of a simulation, as a stack of drivers. Each adds one thing, and calls the next one:
 *
 *     trm_sim_step            the exact time at the end, hooks and samples at both ends
 *     go_by_times             stops at times of events and samples, if there are any
 *     trm_sim_go_controlled   chooses lengths by the requested error, if there is one (control.c);  else
 *     go_in_parts             divides the step where one does not converge
 *     trm_sim_advance         stops at events of joints and contacts, if there are any (events.c)
 *     trm_sim_try             restores the state if the step fails (sim.h, trm_sim_end_try)
 *     trm_sim_scheme          makes a step of higher order of several, if that is requested (scheme.c)
 *     trm_method.step         is the physics
 *
 * A machine without events, at order 2 and without error control, takes four of them: trm_sim_step, go_in_parts,
 * trm_sim_try and the step of the method. One with events takes trm_sim_advance as well.
 *
 * go_in_parts makes a step of length h of 2^n parts, n being what convergence required last (Schmitt 2003, section
 * 5). A part that fails is undone and n grows; after some good steps it shrinks. */

#include <stdio.h>

#include "base/check.h"
#include "base/double_double.h"
#include "base/tolerance.h"
#include "sim/sim.h"

enum { GOOD_STEPS_TO_DOUBLE = 8 };
/* A step next to contacts is given up after HOPELESS halvings and MOST_FAILURES failures, or MOST_GROWTHS failures in a
 * row each of which has left more than GROWTH times as much as the one before: where drives contradict contacts, half
 * the step leaves twice the speed, because the same distance must be closed in half the time. */
enum { HOPELESS = 8, MOST_FAILURES = 40, MOST_GROWTHS = 6 };
/* A larger value, from 2 on, never finds a contradiction; with a smaller one, near 1, slow convergence is taken for
 * one. */
static const double GROWTH = 1.8;

trm_outcome trm_bad_outcome(const trm_sim *sim, const char *why)
{
    trm_outcome outcome = trm_good_outcome(sim);
    trm_fail(&outcome, NAN, "", NULL, "%s", why);
    return outcome;
}

/* ---- One step ----------------------------------------------------------------------------- */

/* Returns an outcome that names the body whose motion is not finite. A shorter step may help: the residual is
 * infinite, not NAN. */
static trm_outcome not_finite_outcome(const trm_sim *sim)
{
    trm_outcome outcome = trm_good_outcome(sim);
    const int body = trm_first_not_finite(sim->state);
    if (body < 0) return trm_bad_outcome(sim, "the work done is no longer a finite number");
    trm_fail(&outcome, INFINITY, "body", sim->state->model->bodies[body].name,
             "its pose or velocity is no longer a finite number");
    return outcome;
}

bool trm_sim_is_finite(const trm_sim *sim, trm_outcome *outcome)
{
    const bool finite = trm_first_not_finite(sim->state) < 0 && isfinite(trm_works_sum(sim->state->clock->work));
    const double all = trm_sim_largest(sim, finite ? 0 : 1);
    if (all == 0) return true;
    *outcome = isnan(all) ? trm_good_outcome(sim) : not_finite_outcome(sim);
    if (isnan(all)) trm_fail(outcome, NAN, "ranks", NULL, "one of them was lost");
    return false;
}

/* Returns the outcome of a step that the caller ended. No shorter step is tried. */
static trm_outcome ended_outcome(const trm_sim *sim)
{
    trm_outcome outcome = trm_good_outcome(sim);
    trm_fail(&outcome, NAN, "the step", NULL, "was ended by the caller");
    return outcome;
}

/* Reports that an allocation has failed since the last call, even if the function that needed it continued. Without
 * this a simulation that lost only its memory of earlier steps would continue differently without a message. */
static void ran_out_of_memory(trm_sim *sim, trm_outcome *outcome)
{
    sim->arena.failed = false;
    *outcome = trm_good_outcome(sim);
    trm_fail(outcome, NAN, "simulation", NULL, "out of memory"); /* a shorter step would not help */
}

/* Repeats a step in which contacts would have added energy, as a dissipative one. */
static bool dissipate(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    *outcome = trm_good_outcome(sim);
    trm_state_copy(sim->state, sim->steps.before);
    sim->counters.dissipative++;
    sim->stepper.step = (trm_step_context){.goal = goal, .dissipative = true, .may_be_ended = true};
    const bool stepped = trm_sim_step_scheme(sim, h, goal, outcome);
    sim->stepper.step.dissipative = false;
    return stepped;
}

/* Returns whether a failed time-stepping step can be repeated as a dissipative one of the same length. */
static bool may_dissipate(const trm_sim *sim, const trm_outcome *outcome)
{
    return sim->stepper.bounded_rows && sim->stepper.window && sim->stepper.collider &&
           trm_outcome_may_improve(outcome);
}

trm_outcome trm_sim_end_try(trm_sim *sim, double h, double goal, bool stepped, trm_outcome outcome)
{
    if (!stepped && (sim->stepper.step.gained || may_dissipate(sim, &outcome)))
        stepped = dissipate(sim, h, goal, &outcome);
    sim->stepper.step.may_be_ended = false;
    if (sim->stepper.is_ended)
        outcome = ended_outcome(sim);
    else if (sim->arena.failed)
        ran_out_of_memory(sim, &outcome);
    else if (stepped && trm_sim_is_finite(sim, &outcome)) {
        sim->counters.steps++;
        if (sim->method->within_steps) trm_sim_count_passages(sim, h);
        sim->steps.change =
            trm_stepper_is_divided(&sim->stepper)
                ? (trm_change){.energy = NAN, .step = fabs(h)}
                : trm_change_of(sim->steps.before, sim->state, &sim->stepper.step, h, &sim->steps.slopes);
        sim->steps.change.kinetic = fmax(sim->steps.change.kinetic, sim->stepper.step.kinetic);
        return trm_good_outcome(sim);
    }
    outcome.time = sim->steps.before->clock->time;
    trm_state_copy(sim->state, sim->steps.before);
    return outcome;
}

trm_outcome trm_sim_look_ahead(trm_sim *sim, double h, double goal, const trm_pose **ahead)
{
    trm_outcome outcome = trm_good_outcome(sim);
    trm_state_copy(sim->steps.before, sim->state);
    sim->stepper.step.goal = goal;
    sim->stepper.step.may_be_ended = true;
    const trm_pose *poses = sim->method->contacts->look_ahead(sim->stepper.machine, h, &outcome);
    sim->stepper.step.may_be_ended = false;
    if (sim->stepper.is_ended)
        outcome = ended_outcome(sim);
    else if (sim->arena.failed)
        ran_out_of_memory(sim, &outcome);
    if (poses && outcome.ok && ahead) *ahead = poses;
    outcome.ok = poses && outcome.ok;
    if (!outcome.ok) outcome.time = sim->steps.before->clock->time;
    trm_state_copy(sim->state, sim->steps.before);
    return outcome;
}

/* Returns whether a shorter step may succeed. A joint that did not close may close in a shorter step; a force that is
 * not finite stays so. */
bool trm_outcome_may_improve(const trm_outcome *outcome)
{
    return !(isnan(outcome->residual) && outcome->element[0]);
}

/* ---- Steps in parts ----------------------------------------------------------------------- */

/* The parts of one step, each of length dt / 2^halved. */
typedef struct parts {
    long long next; /* number of the next part */
    int halved;     /* value of steps.halved when the step began */
    int good;       /* good parts since the last failure */
    int failures;
    int growths; /* failures in a row that left more than the one before */
} parts;

/* Doubles the length of shortened parts after some good ones, so that a short difficulty does not slow down the rest
 * of the step. */
static void lengthen(trm_sim *sim, parts *p)
{
    if (++p->good < GOOD_STEPS_TO_DOUBLE || p->next % 2 != 0) return;
    sim->steps.halved--;
    p->next /= 2;
    p->good = 0;
}

/* Halves the parts. Returns false if they are as short as possible, or if contacts contradict a drive: such steps
 * fail repeatedly, and succeed only when they are so short that tolerances hide the contradiction. */
static bool shorten(trm_sim *sim, parts *p, const trm_outcome *outcome)
{
    p->growths = outcome->residual > GROWTH * sim->steps.last_residual ? p->growths + 1 : 0;
    const bool stuck = p->failures >= MOST_FAILURES || p->growths >= MOST_GROWTHS;
    const bool hopeless = sim->stepper.collider && sim->steps.halved >= HOPELESS && stuck;
    if (sim->steps.halved == TRM_MOST_HALVINGS || hopeless || !trm_outcome_may_improve(outcome)) return false;
    sim->steps.trouble = *outcome;
    sim->steps.last_residual = outcome->residual;
    sim->steps.halved++;
    sim->counters.halvings++;
    p->next *= 2;
    p->good = 0;
    p->failures++;
    return true;
}

static trm_outcome go_in_parts(trm_sim *sim, double dt, double goal)
{
    const double start = sim->state->clock->time;
    parts p = {.halved = sim->steps.halved};
    sim->steps.last_residual = INFINITY;
    while (p.next < 1LL << sim->steps.halved) {
        const double h = ldexp(dt, -sim->steps.halved);
        const bool last = p.next + 1 == 1LL << sim->steps.halved;
        const double now = sim->state->clock->time, end = last ? goal : start + (double)(p.next + 1) * h;
        if (h > 0 ? end <= now : end >= now) { /* an event has led beyond it */
            p.next++;
            continue;
        }
        const double length =
            now == start + (double)p.next * h ? h : end - now; /* an event may have led past its start */
        const trm_outcome outcome = sim->events.start ? trm_sim_advance(sim, length, end) : trm_sim_try(sim, h, end);
        if (!outcome.ok && !shorten(sim, &p, &outcome)) return outcome;
        if (!outcome.ok) continue;
        p.next++;
        trm_monitor_step(&sim->monitor, &sim->steps.change, sim->options.order);
        if (!trm_sim_may_continue(sim)) return trm_sim_ended(sim);
        if (sim->steps.halved > p.halved) lengthen(sim, &p);
    }
    sim->steps.good = p.failures > 0                           ? 0
                      : sim->steps.good < GOOD_STEPS_TO_DOUBLE ? sim->steps.good + 1
                                                               : GOOD_STEPS_TO_DOUBLE;
    if (sim->steps.halved > 0 && sim->steps.good >= GOOD_STEPS_TO_DOUBLE) sim->steps.halved--, sim->steps.good = 0;
    return trm_good_outcome(sim);
}

/* Completes the changes made by the last step, after velocities were projected, if `before` is still its start. */
static void complete_change(trm_sim *sim)
{
    const trm_change *half = &sim->monitor.half;
    const double h = sim->state->clock->time - sim->steps.before->clock->time;
    if (!(half->step > 0) || fabs(fabs(h) - half->step) > TRM_SAME_TIME * half->step) return;
    const trm_change change =
        trm_change_of(sim->steps.before, sim->state, &sim->stepper.step, copysign(half->step, h), NULL);
    trm_monitor_complete(&sim->monitor, &change, sim->options.order);
}

static trm_outcome project_velocities(trm_sim *sim)
{
    trm_outcome outcome = trm_good_outcome(sim);
    if (!trm_sim_make_workspace(sim)) return trm_bad_outcome(sim, "out of memory");
    trm_state_copy(sim->steps.unprojected, sim->state);
    sim->stepper.step.may_be_ended = true;
    outcome.ok = sim->method->project_velocities(sim->workspace, &outcome);
    sim->stepper.step.may_be_ended = false;
    if (sim->stepper.is_ended) outcome = ended_outcome(sim);
    if (sim->arena.failed) ran_out_of_memory(sim, &outcome);
    if (outcome.ok)
        complete_change(sim);
    else
        trm_state_copy(sim->state, sim->steps.unprojected);
    return outcome;
}

/* Steps from one timed event, or sample, to the next. */
static trm_outcome go_by_times(trm_sim *sim, double dt, double goal)
{
    const trm_driver go = sim->steps.start ? trm_sim_go_controlled : go_in_parts;
    const trm_model *model = sim->state->model;
    trm_outcome outcome = trm_good_outcome(sim);
    while (outcome.ok) {
        const double now = sim->state->clock->time;
        outcome.ok = trm_sim_apply_timed_events(sim, &outcome) && trm_sim_sample(sim, false, &outcome);
        trm_sim_check_run_end(sim, outcome.ok);
        if (outcome.ok && trm_sim_is_stopped(sim)) return trm_sim_stopped(sim);
        if (!outcome.ok || now == goal) break;
        if (!trm_sim_may_continue(sim)) return trm_sim_ended(sim);
        if (dt > 0 && trm_is_due(goal, now)) { /* the rest is rounding */
            sim->state->clock->time = goal;
            break;
        }
        const bool due = sim->state->clock->events < model->schedule.timed;
        const double event = due ? model->schedule.events[sim->state->clock->events].at : INFINITY;
        const double next = fmin(event, trm_sim_next_sample(sim, goal));
        outcome = !trm_is_due(goal, next) && dt > 0 ? go(sim, next - now, next)
                                                    : go(sim, goal - now == dt ? dt : goal - now, goal);
    }
    return outcome;
}

/* Finds the modes of one-sided joints and of those of limited force at the start. Returns false on failure. */
static bool settle_start(trm_sim *sim, trm_outcome *outcome)
{
    const bool begun = sim->state->clock->step != 0;
    const trm_works work = sim->state->clock->work;
    sim->memory.settled = true;
    if (begun || !sim->events.start) return true;
    const bool settled = trm_sim_impact(sim, outcome) && trm_sim_find_friction(sim, outcome) &&
                         trm_sim_settle(sim, -1, outcome) && trm_sim_find_friction(sim, outcome) &&
                         trm_sim_arm_conditions(sim, outcome);
    sim->state->clock->work = work; /* projecting the start is no work */
    return settled;
}

/* Returns the outcome for the caller. Too many contacts for the collider are reported as such, not as lack of
 * memory. */
static trm_outcome explained(const trm_sim *sim, trm_outcome outcome)
{
    const trm_collider *collider = sim->stepper.collider;
    if (sim->stepper.is_ended) return trm_sim_ended(sim);
    if (!outcome.ok && collider && trm_collider_is_crowded(collider))
        snprintf(outcome.why, sizeof outcome.why,
                 "more than %d pairs of shapes or %d contacts are near each other; move the bodies apart",
                 trm_most_near_pairs(collider), 2 * trm_most_near_pairs(collider));
    return outcome;
}

/* ---- The step ----------------------------------------------------------------------------- */

/* Prepares a step before its first part: creates the workspace, finds the modes at the start, takes samples, and
 * calls the hook, which reads velocities. */
static trm_outcome begin_step(trm_sim *sim, double dt)
{
    trm_outcome outcome = trm_good_outcome(sim);
    TRM_ASSERT(isfinite(dt) && dt != 0);
    sim->stepper.is_ended = false;
    if (sim->memory.refused_joint > 0) return trm_sim_cannot_rebuild(sim, sim->memory.refused_joint - 1);
    if (dt < 0 && trm_sim_has_events(sim))
        return trm_bad_outcome(sim, "a model with events cannot run backwards in time");
    if (sim->arena.failed) ran_out_of_memory(sim, &outcome); /* in a function without outcome, as trm_sim_detach */
    if (!outcome.ok) return outcome;
    if (!sim->workspace && !trm_sim_make_workspace(sim)) return trm_bad_outcome(sim, "out of memory");
    if (!sim->memory.settled) outcome.ok = settle_start(sim, &outcome);
    if (outcome.ok && sim->caller.before_step) outcome = project_velocities(sim);
    if (outcome.ok && trm_sim_has_sensors(sim)) outcome.ok = trm_sim_sample(sim, false, &outcome);
    if (outcome.ok && sim->caller.before_step && !sim->caller.before_step(sim->caller.context, sim))
        return trm_bad_outcome(sim, "the hook before the step ended the run");
    return outcome;
}

/* Returns the driver of this step. */
static trm_driver driver_to(const trm_sim *sim, double goal)
{
    const bool sampled = trm_sim_has_sensors(sim) && isfinite(trm_sim_next_sample(sim, goal));
    if (sim->state->model->schedule.timed > 0 || sampled) return go_by_times;
    return sim->steps.start ? trm_sim_go_controlled : go_in_parts;
}

/* Ends a step of dt after its last part: breaks overloaded joints, takes samples, checks forces of the caller for
 * divergence, and calls the hook. Returns the outcome of the whole step. */
static trm_outcome end_step(trm_sim *sim, double dt, trm_outcome outcome)
{
    if (sim->caller.joint_force_count > 0 && !sim->stepper.is_ended)
        outcome.ok = trm_sim_watch_growth(sim, dt, &outcome);
    if (outcome.ok) {
        outcome = trm_good_outcome(sim);
        if (sim->method->within_steps) trm_sim_break_overloaded(sim);
        if (trm_sim_has_sensors(sim)) outcome.ok = trm_sim_sample(sim, true, &outcome);
        if (outcome.ok && sim->caller.after_step && !sim->caller.after_step(sim->caller.context, sim))
            outcome = trm_bad_outcome(sim, "the hook after the step ended the run");
    }
    return outcome.ok && !sim->stepper.is_ended ? outcome : explained(sim, outcome);
}

trm_outcome trm_sim_step_to(trm_sim *sim, double dt, double goal)
{
    const trm_outcome begun = begin_step(sim, dt);
    return end_step(sim, dt, begun.ok ? driver_to(sim, goal)(sim, dt, goal) : begun);
}

/* Keeps time as a sum of two numbers: a million steps of 0.001 s end at 1000 s, not 1.7e-8 s away from it. */
trm_outcome trm_sim_step(trm_sim *sim, double dt)
{
    const trm_clock *now = sim->state->clock;
    const trm_double_double sum = trm_two_sum(now->time, dt);
    const trm_double_double goal = trm_fast_two_sum(sum.high, sum.low + now->time_low);
    trm_sim_set_stopped(sim, false);
    const trm_outcome begun = begin_step(sim, dt);
    trm_outcome outcome = end_step(sim, dt, begun.ok ? driver_to(sim, goal.high)(sim, dt, goal.high) : begun);
    outcome.ok = outcome.ok || trm_sim_is_stopped(sim);
    if (sim->state->clock->time == goal.high) sim->state->clock->time_low = goal.low;
    return outcome;
}

static trm_outcome observe(trm_sim *sim)
{
    trm_outcome outcome = project_velocities(sim);
    if (outcome.ok && !sim->memory.settled) outcome.ok = settle_start(sim, &outcome);
    if (!outcome.ok) return outcome;
    if (sim->caller.reactions_enabled && !sim->method->reactions(sim->workspace, &outcome)) return outcome;
    if (sim->method->gather && !sim->method->gather(sim->stepper.machine, &outcome)) return outcome;
    if (sim->monitor.result.observed == 0)
        sim->state->clock->work = (trm_works){0}; /* projecting the start is no work */
    trm_monitor_observe(&sim->monitor, sim->state);
    outcome.ok = trm_sim_sample(sim, false, &outcome);
    return outcome;
}

trm_outcome trm_sim_observe(trm_sim *sim)
{
    sim->stepper.is_ended = false;
    return explained(sim, observe(sim));
}
