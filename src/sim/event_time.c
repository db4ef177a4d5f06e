/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The time of the first event of a joint, or of a condition, in a step.
 *
 * After a step, each joint that can change is checked for how far it is beyond its next event:
 *
 *     slack     by how much c > 0: it should have gone taut
 *     taut      by how much its multiplier l > 0: it should have gone slack, because it cannot push (c <= 0, l <=
 *               0)
 *     sticking  by how much |l| > F: it should slip
 *     slipping  by how much its speed has reversed: it should stick
 *     breaking  by how much its force or torque exceeds its strength
 *
 * The step is repeated to find the length at which this excess is zero. Each trial has the order of the scheme and
 * its cost, so few of them should be needed. A joint that goes taut has c and its rate u at both ends of the step.
 * The cubic through them,
 *
 *     c(s) = c0 + u0 s + (3 d - 2 u0 - u1) s^2/h + (u0 + u1 - 2 d) s^3/h^2,     d = (c1 - c0)/h,
 *
 * has an error of order h^4. Its first zero is the first trial; Newton's method continues, s - c/u. Of several joints
 * the one with the earliest zero comes first. A joint that has gone beyond its bound and come back shows nothing at the
 * end: where the cubic has a maximum above 0, the step is repeated up to halfway between its zero and that maximum,
 * where the joint is beyond it. All other events, and trials that leave the bracket, use the Illinois
 * variant of regula falsi (base/bracket.h).
 *
 * The margin of a condition (base/expression.h) rises through 0 where the condition becomes true. An event is armed
 * once its condition has been false. After a step the margin of each armed event is computed, in units of NO_MARGIN,
 * and the step is repeated up to where the first one rises through 0. The state stores two numbers for event i: whether
 * it is armed, and the time at which it acts if it is delayed. */

#include <float.h>

#include "base/bracket.h"
#include "motion/quantity_value.h"
#include "sim/sim.h"

/* Trials of a step for one event. */
enum { MOST_TRIES = 100 };
/* A joint that has just begun to move is checked after 1/FIRST_PART of a step, then after NEXT_PART times more. With
 * a larger FIRST_PART the search takes more trials; with a smaller one a short slip that ends within the first part
 * is missed. */
static const double FIRST_PART = 1024, NEXT_PART = 4;
/* Fraction of the largest force: a smaller excess over a bound is rounding. A larger value releases joints too late
 * by as much, a smaller one releases them because of rounding. Tests pass with a tenth and with ten times of it. */
static const double NO_FORCE = 1e-9;
/* m/s, rad/s: a joint that is slower does not approach its bound. A larger value misses slow approaches, a smaller
 * one counts rounding as an approach and repeats events. Tests pass with a tenth and with ten times of it. */
static const double NO_SPEED = 1e-10;
/* The largest negligible margin, in its own unit. Where rounding is larger, the search ends when its interval is
 * short enough. A larger one finds events too early or late by as much, a smaller one is below rounding. */
static const double NO_MARGIN = 1e-13;

enum { ARMED, DUE };

/* ---- Conditions --------------------------------------------------------------------------- */

static double *memory_of(const trm_state *state, int event)
{
    return state->memory + state->model->schedule.events[event].memory;
}

static bool has_condition(const trm_model *model, int event)
{
    return model->schedule.events[event].condition.expression != NULL;
}

static bool waits(const trm_state *state, int event)
{
    return has_condition(state->model, event) && !state->happened[event];
}

/* Quantities that must be computed before margins are evaluated. */
typedef struct needs {
    bool any, velocities, reactions;
} needs;

static needs needs_of(const trm_state *state)
{
    const trm_model *model = state->model;
    needs n = {0};
    for (int i = model->schedule.timed; i < model->schedule.count && model->schedule.conditions > 0; i++) {
        const trm_formula *f = &model->schedule.events[i].condition;
        if (!waits(state, i)) continue;
        n.any = true;
        for (int k = 0; k < f->count; k++) {
            n.velocities = n.velocities || trm_quantity_needs_velocities(model, &f->quantities[k]);
            n.reactions = n.reactions || trm_quantity_needs_reactions(model, &f->quantities[k]);
        }
    }
    return n;
}

static bool find_for_conditions(trm_sim *sim, trm_outcome *outcome)
{
    const needs n = needs_of(sim->state);
    if (n.velocities || n.reactions)
        if (!sim->method->project_velocities(sim->workspace, outcome)) return false;
    return !n.reactions || sim->method->reactions(sim->workspace, outcome);
}

static double condition_margin(const trm_sim *sim, int event)
{
    const trm_state *state = sim->state;
    if (!waits(state, event) || memory_of(state, event)[ARMED] == 0) return -INFINITY;
    const double margin = trm_formula_value(&state->model->schedule.events[event].condition, state);
    return isnan(margin) ? -INFINITY : margin / NO_MARGIN;
}

static int first_condition(const trm_sim *sim, double *most)
{
    const trm_model *model = sim->state->model;
    int worst = -1;
    for (int i = model->schedule.timed; i < model->schedule.count && model->schedule.conditions > 0; i++) {
        const double here = condition_margin(sim, i);
        if (here > *most) *most = here, worst = i;
    }
    return worst;
}

bool trm_sim_arm_conditions(trm_sim *sim, trm_outcome *outcome)
{
    const trm_model *model = sim->state->model;
    if (model->schedule.conditions == 0) return true;
    if (!find_for_conditions(sim, outcome)) return false;
    for (int i = model->schedule.timed; i < model->schedule.count; i++)
        if (waits(sim->state, i) && trm_formula_value(&model->schedule.events[i].condition, sim->state) <= 0)
            memory_of(sim->state, i)[ARMED] = 1;
    return true;
}

/* ---- Excess ------------------------------------------------------------------------------- */

/* Returns the force limit of a joint, above 0, so that forces can be divided by it. */
static double most_of(const trm_sim *sim, int joint)
{
    const trm_joint_at at = trm_joint_now(sim->state, joint);
    return fmax(trm_joint_most(&at), DBL_MIN);
}

bool trm_sim_find_event_forces(trm_sim *sim, trm_outcome *outcome)
{
    bool any = false;
    if (!find_for_conditions(sim, outcome)) return false;
    if (sim->events.watched_count == 0) return true;
    for (int i = 0; i < sim->events.watched_count; i++) any = any || trm_sim_is_held(sim, sim->events.watched[i]);
    return sim->method->project_velocities(sim->workspace, outcome) &&
           (!any || sim->method->reactions(sim->workspace, outcome)) && trm_sim_find_friction(sim, outcome);
}

double trm_sim_bearing_excess(const trm_sim *sim, int joint)
{
    const trm_spatial F = trm_joint_reaction(sim->state, joint);
    const double force = trm_v3_length(F.lin) / trm_sim_joint(sim, joint)->break_force;
    const double torque = trm_v3_length(F.ang) / trm_sim_joint(sim, joint)->break_torque;
    return (fmax(force, torque) - 1) / NO_FORCE;
}

/* Returns the excess for a taut joint. Its force is compared with the largest force so far. */
static double pull_excess(trm_sim *sim, int joint)
{
    const double force = sim->state->reaction[trm_sim_joint(sim, joint)->row_offset];
    sim->state->clock->largest_force = fmax(sim->state->clock->largest_force, fabs(force));
    return force / (NO_FORCE * fmax(sim->state->clock->largest_force, DBL_MIN / NO_FORCE));
}

bool trm_sim_begins_at_bound(const trm_sim *sim, int joint)
{
    return trm_first_residual(sim->events.start, joint) >= -trm_sim_nearness(sim, joint);
}

/* Returns the excess for a slack joint: by how much c > 0. A joint that begins the step at its bound counts only if it
 * approaches at the end, unless it approaches at the start: then its impact is still due, because the joint was moved
 * to its bound while others were closed after their impact. */
static double bound_excess(const trm_sim *sim, int joint)
{
    const double c = trm_first_residual(sim->state, joint) / trm_sim_nearness(sim, joint);
    const bool rests = trm_sim_begins_at_bound(sim, joint) && trm_joint_speed(sim->events.start, joint) <= NO_SPEED;
    return rests ? fmin(c, trm_joint_speed(sim->state, joint) / NO_SPEED) : c;
}

/* Returns how far a joint is beyond its next event, in units of the largest negligible excess; more than 1: the
 * event is due. */
static double excess(trm_sim *sim, int joint)
{
    if (trm_sim_is_condition(sim, joint)) return condition_margin(sim, joint - sim->state->model->joint_count);
    const trm_joint *j = trm_sim_joint(sim, joint);
    if (!sim->state->attached[joint]) return -INFINITY;
    if (sim->stepper.bounded_rows)
        return trm_sim_is_held(sim, joint) ? trm_sim_bearing_excess(sim, joint) : -INFINITY;
    if (j->one_sided && !trm_sim_is_held(sim, joint)) return bound_excess(sim, joint);
    if (j->one_sided)
        return fmax(pull_excess(sim, joint), trm_joint_can_break(j) ? trm_sim_bearing_excess(sim, joint) : -INFINITY);
    if (!trm_joint_can_slip(j)) return trm_sim_bearing_excess(sim, joint);
    if (trm_sim_is_held(sim, joint))
        return (fabs(sim->state->reaction[j->row_offset]) / most_of(sim, joint) - 1) / NO_FORCE;
    if (sim->state->mode[joint] == TRM_SLACK) return -INFINITY; /* a stop acts instead */
    return (sim->state->mode[joint] == TRM_PLUS ? -1 : 1) * trm_joint_speed(sim->state, joint) / TRM_NO_SLIP;
}

/* ---- Prediction --------------------------------------------------------------------------- */

/* c of a joint over a step: values, and rates times h, at both ends. */
typedef struct cubic {
    double c[2], u[2];
} cubic;

/* Returns the cubic at x, part of the step. */
static double cubic_at(const cubic *p, double x)
{
    const double d = p->c[1] - p->c[0];
    return p->c[0] + x * (p->u[0] + x * (3 * d - 2 * p->u[0] - p->u[1] + x * (p->u[0] + p->u[1] - 2 * d)));
}

/* Returns the first zero of a cubic that is positive at `end`, as part of the step. One that is zero at 0 as well first
 * becomes negative. */
static double first_zero(const cubic *p, double end)
{
    enum { PARTS = 8, HALVINGS = 40 };
    int k = 1;
    while (k < PARTS && cubic_at(p, end * k / PARTS) <= 0) k++;
    double low = end * (k - 1) / PARTS, high = end * k / PARTS;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = 0.5 * (low + high);
        *(cubic_at(p, middle) <= 0 ? &low : &high) = middle;
    }
    return high;
}

/* Returns where a cubic has its maximum, as part of the step; NAN: it has none between both ends. The derivative is
 * u0 + 2 a x + 3 b x^2. */
static double maximum_of(const cubic *p)
{
    const double d = p->c[1] - p->c[0], a = 3 * d - 2 * p->u[0] - p->u[1], b = p->u[0] + p->u[1] - 2 * d;
    const double root = sqrt(a * a - 3 * b * p->u[0]);
    const double x = a < 0 ? p->u[0] / (root - a) : -(root + a) / (3 * b);
    return x > 0 && x < 1 ? x : NAN;
}

/* Returns whether the event of a joint is that it goes taut. */
static bool goes_taut(const trm_sim *sim, int joint)
{
    return !trm_sim_is_condition(sim, joint) && !sim->stepper.bounded_rows && trm_sim_joint(sim, joint)->one_sided &&
           !trm_sim_is_held(sim, joint);
}

static cubic cubic_of(const trm_sim *sim, int joint, double h)
{
    return (cubic){{trm_first_residual(sim->events.start, joint), trm_first_residual(sim->state, joint)},
                   {h * trm_joint_speed(sim->events.start, joint), h * trm_joint_speed(sim->state, joint)}};
}

/* Returns the time in s from the start of a step of length h to the event of a joint that is beyond it at its end;
 * h: not available. */
static double predict(const trm_sim *sim, int joint, double h)
{
    if (!goes_taut(sim, joint)) return h;
    const cubic p = cubic_of(sim, joint, h);
    return h * first_zero(&p, 1);
}

/* Returns a time in s, from the start of a step of length h, at which a joint was beyond its bound that it has come back
 * to; INFINITY: there is none. */
static double time_of_passing(const trm_sim *sim, int joint, double h)
{
    if (!goes_taut(sim, joint) || !sim->state->attached[joint]) return INFINITY;
    const cubic p = cubic_of(sim, joint, h);
    const double top = maximum_of(&p), near = trm_sim_nearness(sim, joint);
    if (p.c[1] > near || !(cubic_at(&p, top) > near)) return INFINITY;
    return 0.5 * h * (top + first_zero(&p, top));
}

bool trm_sim_shorten_to_passing(trm_sim *sim, double *h, trm_outcome *outcome)
{
    const long long steps = sim->counters.steps;
    double soonest = INFINITY, unused;
    for (int i = 0; i < sim->events.watched_count; i++)
        soonest = fmin(soonest, time_of_passing(sim, sim->events.watched[i], *h));
    if (soonest == INFINITY) return true;
    *h = soonest;
    const bool made = trm_sim_try_length(sim, sim->events.watched[0], *h, &unused, outcome);
    sim->counters.steps = steps;
    return made;
}

int trm_sim_first_passed(trm_sim *sim, double h)
{
    int first = -1;
    double most = 1, soonest = INFINITY;
    for (int i = 0; i < sim->events.watched_count; i++) {
        const int joint = sim->events.watched[i];
        const double here = excess(sim, joint), at = here > 1 ? predict(sim, joint, h) : INFINITY;
        if (!(here > 1) || at > soonest || (at == soonest && here <= most)) continue;
        most = here, soonest = at, first = joint;
    }
    const int event = first_condition(sim, &most);
    return event >= 0 ? sim->state->model->joint_count + event : first;
}

/* ---- Trials ------------------------------------------------------------------------------- */

bool trm_sim_try_length(trm_sim *sim, int joint, double h, double *value, trm_outcome *outcome)
{
    trm_state_copy(sim->state, sim->events.start);
    if (h != 0) *outcome = trm_sim_try(sim, h, sim->events.start->clock->time + h);
    if (!outcome->ok || !trm_sim_find_event_forces(sim, outcome)) return false;
    *value = excess(sim, joint);
    return true;
}

/* Returns the time in s since a joint that goes taut was at its bound, estimated by its speed; NAN: not available. */
static double time_since_bound(const trm_sim *sim, int joint)
{
    if (!goes_taut(sim, joint)) return NAN;
    return trm_first_residual(sim->state, joint) / trm_joint_speed(sim->state, joint);
}

/* Finds the lower end of the bracket. A joint that begins at its event may leave it and reach it again. Returns false
 * on failure. */
static bool find_low(trm_sim *sim, int joint, trm_bracket *b, trm_outcome *outcome)
{
    if (goes_taut(sim, joint) && !trm_sim_begins_at_bound(sim, joint)) {
        b->at_low = trm_first_residual(sim->events.start, joint) / trm_sim_nearness(sim, joint);
        return true;
    }
    if (!trm_sim_try_length(sim, joint, 0, &b->at_low, outcome)) return false;
    while (fabs(b->at_low) <= 1 && b->low < b->high) {
        b->low = b->low > 0 ? NEXT_PART * b->low : b->high / FIRST_PART;
        if (!trm_sim_try_length(sim, joint, fmin(b->low, b->high), &b->at_low, outcome)) return false;
    }
    return true;
}

bool trm_sim_find_event(trm_sim *sim, int joint, double *h, trm_outcome *outcome)
{
    trm_bracket b = {.high = *h, .at_high = excess(sim, joint)};
    const bool by_force = !trm_sim_is_condition(sim, joint) && trm_sim_is_held(sim, joint);
    double next = predict(sim, joint, *h), here;
    if (!find_low(sim, joint, &b, outcome)) return false;
    if (b.at_low >= -1) { /* it does not move away from its event */
        *h = sim->memory.repeated > 0 ? fmin(b.high, b.high / FIRST_PART * ldexp(1, sim->memory.repeated)) : 0;
        return trm_sim_try_length(sim, joint, *h, &b.at_low, outcome);
    }
    /* A force that is continuous changes by no more than NO_FORCE in such a part of a step, and one that jumps need not
     * be located more closely. */
    while (b.tries < MOST_TRIES && b.high - b.low > (by_force ? NO_FORCE : TRM_NO_TIME) * *h) {
        const bool fits = b.tries % 8 < 6 && next > b.low && next < b.high;
        const double middle = fits ? next : trm_bracket_next(&b, 8);
        if (!trm_sim_try_length(sim, joint, middle, &here, outcome)) return false;
        if (fabs(here) <= 0.5) {
            *h = middle;
            return true;
        }
        trm_bracket_update(&b, middle, here);
        next = middle - time_since_bound(sim, joint);
    }
    *h = sim->memory.repeated > 0 ? b.high : b.low; /* after a jump the state beyond it is needed */
    return trm_sim_try_length(sim, joint, *h, &here, outcome);
}

/* ---- Delays and the end of a run ---------------------------------------------------------- */

bool trm_sim_trigger(trm_sim *sim, int event, trm_outcome *outcome)
{
    const trm_event *e = &sim->state->model->schedule.events[event];
    sim->state->happened[event] = true;
    if (e->delay > 0)
        memory_of(sim->state, event)[DUE] = sim->state->clock->time + e->delay;
    else if (!trm_sim_carry_out(sim, e, outcome))
        return false;
    return true;
}

double trm_sim_next_delayed(const trm_sim *sim)
{
    const trm_model *model = sim->state->model;
    double next = INFINITY;
    for (int i = model->schedule.timed; i < model->schedule.count && model->schedule.delayed > 0; i++) {
        const double due = memory_of(sim->state, i)[DUE];
        if (due > 0) next = fmin(next, due);
    }
    return next;
}

bool trm_sim_apply_delayed_events(trm_sim *sim, trm_outcome *outcome)
{
    const trm_model *model = sim->state->model;
    for (int i = model->schedule.timed; i < model->schedule.count && model->schedule.delayed > 0; i++) {
        const double due = memory_of(sim->state, i)[DUE];
        if (!(due > 0) || !trm_is_due(due, sim->state->clock->time)) continue;
        memory_of(sim->state, i)[DUE] = 0;
        if (!trm_sim_carry_out(sim, &model->schedule.events[i], outcome)) return false;
    }
    return true;
}

void trm_sim_check_run_end(trm_sim *sim, bool accepted)
{
    const long long all = sim->counters.impacts + sim->notes.count;
    if (sim->events.ends_run && !trm_sim_all(sim, !accepted || all <= sim->events.seen)) sim->events.ended_run = true;
    sim->events.seen = all; /* attempts that failed may have counted some */
}

void trm_sim_set_end(trm_sim *sim, bool to_event)
{
    sim->events.ends_run = to_event;
    sim->events.ended_run = false;
    sim->events.seen = sim->counters.impacts + sim->notes.count;
}

/* Returns the outcome of a step after an event has ended the run. Its residual is NAN and it names an element, so
 * that no shorter step is tried. */
trm_outcome trm_sim_stopped(const trm_sim *sim)
{
    trm_outcome outcome = trm_good_outcome(sim);
    trm_fail(&outcome, NAN, "event", NULL, "ended the run");
    return outcome;
}
