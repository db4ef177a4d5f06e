/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Error control: steps as long as the requested error allows.
 *
 * A step is made once in one piece and once in two halves. With a scheme of order p the error of the halves is, to
 * leading order, 2^p times smaller than that of the whole step, so that it is
 *
 *     e = |whole - halves| / (2^p - 1)
 *
 * the largest over all bodies in metres and radians; velocities count times h. The work W of drives, forces and
 * dampers has the same order as the motion, but a drive may prescribe all motion, whose error is 0 then. So the
 * fraction of the exchanged energy S by which W is off counts as the same fraction of the size L of the machine:
 *
 *     e_W = L |W_whole - W_halves| / S / (2^p - 1),  S at least LEAST_ENERGY m (L / 1 s)^2
 *
 * If a method estimates its own error, that one is used instead and no halves are made.
 *
 * The poses of a step of order 2 show its error by the distance D from where the mean velocity of its ends would lead
 * (monitor.c). No halves are made where D/3 is small enough. They are made where it is not: an impact within the step,
 * or rotation by half a turn, makes D large although the step may be accurate. If drives move, D says nothing about
 * their work. A step is accepted if it adds no more than the requested error E
 * per second, e <= E h. The next one is  0.9 h (E h / e)^(1/p),  at most twice and at least a fifth of this one
 * (Hairer, Norsett, Wanner II.4); until the first step fails, at most five times. Goals are met exactly: the
 * remaining time is divided into equal steps.
 *
 * Events delimit smooth pieces: a step is made whole up to the first event in it, and in halves up to the same time.
 * An impact changes velocities there, so only poses are compared, and the whole step is the one that is kept.
 *
 * A function of time may act between the ends of a step and be 0 at both: the estimate does not see it. So functions
 * are sampled at intervals of the step of the options, and steps are only longer where they are smooth (varying.c).
 *
 * Joint tolerances and rounding are not errors of a step. A chain of bodies magnifies both by an unknown factor, but
 * they do not depend on h. The error of a step falls with h or faster, also at a jump of a force. So an error that
 * no longer falls while steps get shorter is noise: the step is accepted, and the next one may grow. The same applies
 * to steps that were accepted because of noise: otherwise the estimate would make each a little shorter than the last.
 * Steps also have a shortest length, so that a jump is passed instead of approached in ever shorter steps. */

#include <float.h>

#include "base/larger.h"
#include "math/rotation.h"
#include "sim/sim.h"
#include "trammel/elementary.h"

/* SAFETY: fraction of the step length that the estimate permits. MOST_GROWTH, LEAST_GROWTH: bounds of its ratio to
 * the last length. A larger SAFETY repeats more steps, a larger MOST_GROWTH follows a lucky estimate with a refused
 * step, and with a smaller LEAST_GROWTH one outlier shortens the step too far. */
static const double SAFETY = 0.9, MOST_GROWTH = 2, LEAST_GROWTH = 0.2;
/* MOST_GROWTH before the first failure. A larger value follows a lucky estimate with a refused step, with a smaller
 * one a run that could make long steps begins with many short ones. */
static const double FIRST_GROWTH = 5;
/* Fraction of the step of the options: steps do not get shorter than this. A larger value fails where a collision
 * needs a short step, with a smaller one a run that cannot succeed takes longer to fail. Tests pass with a tenth and
 * with ten times of it. */
static const double SHORTEST_STEP = 1e-9;
enum { ROUNDINGS = 64 };
/* Steps that are made for a step in halves: a whole one and the halves. */
enum { STEPS_OF_HALVES = 3 };
/* An error that falls with a lower power of h than NOISE_POWER is noise, unless it exceeds MOST_NOISE times the joint
 * tolerances. A larger power counts errors of non-smooth forces as noise, a smaller one shortens steps in vain where
 * joints dominate. A larger MOST_NOISE accepts errors that are not noise, a smaller one recognises no noise. Tests
 * pass with a tenth and with ten times of it. */
static const double NOISE_POWER = 0.5, MOST_NOISE = 1e4;
/* Once steps are shorter than the fraction SHORTER of the first one, accepted errors count as noise, and the next
 * step is ESCAPE times longer. A larger SHORTER counts an error that grows with time as noise, and the longer step is
 * refused; a smaller one makes more short steps. An ESCAPE below 1/SHORTER would never leave short steps, a larger
 * one leads to refused steps. */
static const double SHORTER = 0.5, ESCAPE = 4;

/* Fraction of m (L / 1 s)^2, the least energy S: the exchanged energy is not known when a machine starts from rest, nor
 * is the accuracy of its first work. A larger value neglects the work of slow machines, a smaller one begins with
 * needlessly short steps. */
static const double LEAST_ENERGY = 0.01;

/* Returns the error of poses, m, as which an error of the work of 1 J counts. */
static double error_per_joule(const trm_sim *sim)
{
    const double L = sim->steps.size;
    const double S = fmax(sim->monitor.result.energy_scale, LEAST_ENERGY * sim->steps.mass * L * L);
    return S > 0 ? L / S : 0;
}

/* Returns the rounding of coordinates as large as those of the state. */
static double rounding(const trm_state *state)
{
    double largest = 1; /* components of quaternions */
    for (int i = 0; i < state->model->body_count; i++) largest = fmax(largest, trm_v3_length(state->pose[i].p));
    return ROUNDINGS * DBL_EPSILON * largest;
}

/* Returns the part of an error that is explained by joint tolerances and rounding. */
static double least_error(const trm_sim *sim)
{
    const double open = fmax(sim->options.position_tolerance, sim->options.angle_tolerance);
    return fmax(open, trm_sim_largest(sim, rounding(sim->state)));
}

static double allowed_error(const trm_sim *sim, double h)
{
    return fmax(sim->options.error * fabs(h), least_error(sim));
}

/* Returns the largest difference of poses, and of velocities times h; m and rad together. */
static double distance(const trm_state *a, const trm_state *b, double h)
{
    double largest = 0;
    for (int i = 0; i < a->model->body_count; i++) {
        const trm_vec3 turn = trm_quat_log(trm_quat_mul(a->pose[i].q, trm_quat_conj(b->pose[i].q)));
        const trm_spatial change = trm_sp_add_scaled(a->velocity[i], -1, b->velocity[i]);
        largest = trm_larger(largest, trm_v3_length(trm_v3_sub(a->pose[i].p, b->pose[i].p)));
        largest = trm_larger(largest, trm_v3_length(turn));
        largest = trm_larger(largest, fabs(h) * trm_v3_length(change.lin));
        largest = trm_larger(largest, fabs(h) * trm_v3_length(change.ang));
    }
    return largest;
}

/* Returns the difference of the work that was done, as a difference of poses. */
static double distance_by_work(const trm_sim *sim, const trm_state *a, const trm_state *b)
{
    return sim->stepper.per_joule * fabs(trm_works_sum(a->clock->work) - trm_works_sum(b->clock->work));
}

/* Returns the error of the halves. After impacts only the poses are compared. */
static double error_of_halves(const trm_sim *sim, double h, bool impacts)
{
    const double poses = distance(sim->steps.whole, sim->state, impacts ? 0 : h);
    const double work = impacts ? 0 : distance_by_work(sim, sim->steps.whole, sim->state);
    return trm_larger(trm_sim_largest(sim, trm_larger(poses, work)) / (trm_pow(2, sim->options.order) - 1), DBL_MIN);
}

/* Data about events that are restored when a step is repeated. */
typedef struct event_notes {
    trm_counters counters;
    long long notes;
    trm_event_memory memory;
} event_notes;

static void remember(const trm_sim *sim, event_notes *notes)
{
    notes->counters = sim->counters;
    notes->notes = sim->notes.count;
    notes->memory = sim->memory;
}

typedef struct attempt {
    double h;       /* s: length that was reached */
    double error;   /* m, rad: error estimate */
    double defect;  /* m, rad: the estimate from the step in one piece; INFINITY: there is none */
    bool estimated; /* the method estimates its error, and the step is made once */
    bool halved;    /* the step was made in halves, too */
    bool met;       /* the step ends at an event */
    event_notes before;
} attempt;

/* Makes one step whose error the method estimates. */
static trm_outcome step_once(trm_sim *sim, double h, double goal, double *error)
{
    trm_state_copy(sim->steps.start, sim->state);
    const trm_outcome outcome = trm_sim_try(sim, h, goal);
    if (outcome.ok) *error = trm_larger(sim->method->error(sim->workspace), DBL_MIN);
    return outcome;
}

/* Returns whether a step in one piece is accurate enough, as its poses show. */
static bool is_accurate_in_one(const trm_sim *sim, double h, attempt *a)
{
    if (!sim->steps.by_defects) return false;
    a->error = a->defect = trm_larger(trm_sim_largest(sim, trm_change_error(&sim->steps.change)), DBL_MIN);
    return a->defect <= allowed_error(sim, h);
}

/* Makes one step whole. Unless that shows that it is accurate, makes it again in halves, and keeps the result of the
 * halves. On failure the state is restored. */
static trm_outcome step_twice(trm_sim *sim, double h, double goal, attempt *a)
{
    const double now = sim->state->clock->time;
    trm_state_copy(sim->steps.start, sim->state);
    trm_outcome outcome = trm_sim_try(sim, h, goal);
    if (!outcome.ok || is_accurate_in_one(sim, h, a)) return outcome;
    trm_state_copy(sim->steps.whole, sim->state);
    trm_state_copy(sim->state, sim->steps.start);
    outcome = trm_sim_try(sim, 0.5 * h, now + 0.5 * h);
    if (outcome.ok) outcome = trm_sim_try(sim, 0.5 * h, goal);
    if (!outcome.ok) trm_state_copy(sim->state, sim->steps.start);
    a->error = error_of_halves(sim, h, false);
    a->halved = true;
    return outcome;
}

/* Restores them, except the counters of computations. */
static void recall(trm_sim *sim, const event_notes *notes)
{
    trm_counters *c = &sim->counters;
    c->impacts = notes->counters.impacts;
    c->contacts = notes->counters.contacts;
    c->plain = notes->counters.plain;
    c->guarded = notes->counters.guarded;
    c->dissipative = notes->counters.dissipative;
    c->time_stepping = notes->counters.time_stepping;
    c->jams = notes->counters.jams;
    sim->notes.count = notes->notes;
    sim->memory = notes->memory;
}

static trm_outcome in_halves(trm_sim *sim, double now, double end)
{
    const double h = 0.5 * (end - now);
    const trm_outcome outcome = trm_sim_advance(sim, h, now + h);
    return outcome.ok ? trm_sim_advance(sim, h, end) : outcome;
}

/* Does the same as step_twice up to the first event. There the result of the whole step is kept. */
static trm_outcome step_to_event_twice(trm_sim *sim, double h, double goal, attempt *a)
{
    const double now = sim->state->clock->time;
    event_notes at_start, at_end;
    remember(sim, &at_start);
    trm_state_copy(sim->steps.start, sim->state);
    trm_outcome outcome = trm_sim_advance_to_event(sim, h, goal, &a->met);
    const double end = sim->state->clock->time;
    a->error = DBL_MIN;
    if (!outcome.ok || end == now || is_accurate_in_one(sim, end - now, a)) return outcome;
    remember(sim, &at_end);
    trm_state_copy(sim->steps.whole, sim->state);
    trm_state_copy(sim->state, sim->steps.start);
    recall(sim, &at_start);
    outcome = in_halves(sim, now, end);
    a->error = outcome.ok ? error_of_halves(sim, end - now, a->met) : DBL_MIN;
    a->halved = !a->met;
    if (outcome.ok && !a->met) return outcome;
    trm_state_copy(sim->state, outcome.ok ? sim->steps.whole : sim->steps.start);
    recall(sim, outcome.ok ? &at_end : &at_start);
    return outcome;
}

/* Returns the ratio of the length at which the error is the allowed one to this length. */
static double ideal_growth(const trm_sim *sim, double h, double error, double order)
{
    return SAFETY * trm_pow(allowed_error(sim, h) / error, 1 / order);
}

/* Returns the factor by which the step may grow. A method that estimates its error itself does so by a rule of one
 * order less. Next to a step in halves, steps in one piece are as fast if they are at least a third as long. */
static double growth(const trm_sim *sim, const attempt *a)
{
    const double order = a->estimated ? sim->options.order - 1 : sim->options.order;
    double ideal = ideal_growth(sim, a->h, a->error, order);
    if (a->halved && sim->steps.by_defects) {
        const double in_one = ideal_growth(sim, a->h, a->defect, order);
        if (in_one > ideal / STEPS_OF_HALVES) ideal = in_one;
    }
    const bool failed = sim->counters.rejections > 0 || sim->counters.halvings > 0;
    return fmin(fmax(ideal, LEAST_GROWTH), failed ? MOST_GROWTH : FIRST_GROWTH);
}

static double shortest_step(const trm_sim *sim)
{
    return fmax(SHORTEST_STEP * sim->options.step, ROUNDINGS * DBL_EPSILON * fabs(sim->state->clock->time));
}

/* The step with which shorter ones are compared: the last one, if it was refused, or the first of those that were
 * accepted because of noise. h 0: there is none. */
typedef struct reference_step {
    double h, error;
    bool refused;
} reference_step;

static bool is_noise(const trm_sim *sim, double h, double error, const reference_step *last)
{
    const double longest = last->refused ? last->h : SHORTER * last->h;
    if (!(fabs(h) < longest) || error > MOST_NOISE * least_error(sim)) return false;
    return error > last->error * trm_pow(fabs(h) / last->h, NOISE_POWER);
}

/* Returns an accepted step to the first event in it, and applies that event with its impacts. On failure the state is
 * the start of the step. */
static trm_outcome apply_first_event(trm_sim *sim)
{
    trm_outcome met = {.ok = true};
    if (!sim->events.start) return met;
    trm_state_copy(sim->events.start, sim->steps.start);
    met.ok = trm_sim_apply_first_event(sim, &met);
    if (!met.ok) trm_state_copy(sim->state, sim->events.start);
    return met;
}

static trm_outcome try_step(trm_sim *sim, double h, double goal, attempt *a)
{
    const double now = sim->state->clock->time;
    remember(sim, &a->before);
    sim->stepper.per_joule = error_per_joule(sim);
    a->estimated = sim->method->error && !isnan(sim->method->error(sim->workspace));
    const trm_outcome outcome = a->estimated         ? step_once(sim, h, goal, &a->error)
                                : !sim->events.start ? step_twice(sim, h, goal, a)
                                                     : step_to_event_twice(sim, h, goal, a);
    a->h = a->met ? sim->state->clock->time - now : h;
    return outcome;
}

/* Returns the length of the next step. After an event it is as long as the step that the event cut short. */
static double next_step(const trm_sim *sim, double h, const attempt *a, double factor, bool good)
{
    const double next = fmax(fabs(a->h) * factor, shortest_step(sim));
    return a->met && good ? fmax(fabs(h), next) : next;
}

/* Returns the step with which the next ones are compared. */
static reference_step compare_with(const trm_sim *sim, const attempt *a, const reference_step *last, bool made,
                                   bool good)
{
    const double h = fabs(a->h);
    if (!good) return (reference_step){h, made ? a->error : INFINITY, true};
    if (a->error <= sim->options.error * h) return (reference_step){0};
    return last->refused || h > last->h ? (reference_step){h, a->error, false} : *last;
}

/* Returns the factor by which the next step is longer. */
static double factor_after(const trm_sim *sim, const attempt *a, const reference_step *last, bool made, bool noise)
{
    if (!made) return 0.5;
    if (noise) return last->refused ? MOST_GROWTH : ESCAPE;
    const double factor = growth(sim, a);
    return last->refused ? fmin(factor, 1) : factor;
}

/* Makes one step and accepts or rejects it; sets the length of the next one. */
static trm_outcome step_controlled(trm_sim *sim, double h, double goal, reference_step *last)
{
    const double shortest = shortest_step(sim);
    const long long steps = sim->counters.steps;
    attempt a = {.error = NAN, .defect = INFINITY};
    const trm_outcome outcome = try_step(sim, h, goal, &a);
    if (!outcome.ok && (fabs(h) <= shortest || !trm_outcome_may_improve(&outcome))) return outcome;
    const bool noise = outcome.ok && is_noise(sim, a.h, a.error, last);
    const bool good = outcome.ok && (noise || a.error <= allowed_error(sim, a.h) || fabs(a.h) <= shortest);
    sim->steps.controlled = next_step(sim, h, &a, factor_after(sim, &a, last, outcome.ok, noise), good);
    sim->steps.tries += sim->counters.steps - steps + !outcome.ok;
    sim->counters.steps = steps + (!good ? 0 : a.halved ? 2 : 1);
    sim->counters.halvings += !outcome.ok;
    sim->counters.rejections += outcome.ok && !good;
    const reference_step none = {0};
    *last = noise ? none : compare_with(sim, &a, last, outcome.ok, good);
    if (good) trm_monitor_step(&sim->monitor, &sim->steps.change, sim->options.order);
    if (good) return a.estimated ? apply_first_event(sim) : outcome;
    trm_state_copy(sim->state, sim->steps.start);
    recall(sim, &a.before);
    return (trm_outcome){.ok = true};
}

trm_outcome trm_sim_go_controlled(trm_sim *sim, double dt, double goal)
{
    (void)dt; /* lengths follow from the error */
    reference_step last = {0};
    while (sim->state->clock->time != goal) {
        const double now = sim->state->clock->time, left = fmin(goal, trm_sim_next_delayed(sim)) - now;
        const double next = trm_model_longest_step(sim->state->model, sim->state->memory, now,
                                                   copysign(sim->steps.controlled, left), &sim->steps.sampling);
        const double parts = fmax(ceil(fabs(left) / next), 1), h = left / parts;
        const trm_outcome outcome = step_controlled(sim, h,
                                                    parts > 1            ? now + h
                                                    : now + left == goal ? goal
                                                                         : now + left,
                                                    &last);
        if (!outcome.ok) return outcome;
        trm_outcome kept = outcome;
        kept.ok = trm_sim_apply_delayed_events(sim, &kept);
        if (!kept.ok) return kept;
        trm_sim_check_run_end(sim, true);
        if (trm_sim_is_stopped(sim)) return trm_sim_stopped(sim);
        if (!trm_sim_may_continue(sim)) return trm_sim_ended(sim);
    }
    return (trm_outcome){.ok = true, .time = goal};
}
