/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Events that wait for a condition, act after a delay, or end the run.
 *
 * The margin of a condition (base/expression.h) rises through 0 where the condition becomes true. An event is armed
 * once its condition has been false. After a step the margin of each armed event is computed, in units of NO_MARGIN,
 * and events.c makes the step again up to where the first one rises through 0. So the time of the event has the
 * order of the scheme.
 *
 * The state stores two numbers for event i: whether it is armed, and the time at which it acts if it is delayed. */

#include "motion/quantity_value.h"
#include "sim/sim.h"

/* The largest negligible margin, in its own unit. Where rounding is larger, the search ends when its interval is
 * short enough. A larger one finds events too early or late by as much, a smaller one is below rounding. */
static const double NO_MARGIN = 1e-13;

enum { ARMED, DUE };

static double *memory_of(const trm_state *state, int event)
{
    return state->memory + state->model->schedule.events[event].memory;
}

static bool is_condition(const trm_model *model, int event)
{
    return model->schedule.events[event].condition.expression != NULL;
}

static bool waits(const trm_state *state, int event)
{
    return is_condition(state->model, event) && !state->happened[event];
}

/* ---- Conditions --------------------------------------------------------------------------- */

/* What must be computed before margins are evaluated. */
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

bool trm_sim_find_for_conditions(trm_sim *sim, trm_outcome *outcome)
{
    const needs n = needs_of(sim->state);
    if (n.velocities || n.reactions)
        if (!sim->method->project_velocities(sim->workspace, outcome)) return false;
    return !n.reactions || sim->method->reactions(sim->workspace, outcome);
}

double trm_sim_condition_margin(const trm_sim *sim, int event)
{
    const trm_state *state = sim->state;
    if (!waits(state, event) || memory_of(state, event)[ARMED] == 0) return -INFINITY;
    const double margin = trm_formula_value(&state->model->schedule.events[event].condition, state);
    return isnan(margin) ? -INFINITY : margin / NO_MARGIN;
}

int trm_sim_first_condition(const trm_sim *sim, double *most)
{
    const trm_model *model = sim->state->model;
    int worst = -1;
    for (int i = model->schedule.timed; i < model->schedule.count && model->schedule.conditions > 0; i++) {
        const double here = trm_sim_condition_margin(sim, i);
        if (here > *most) *most = here, worst = i;
    }
    return worst;
}

bool trm_sim_arm_conditions(trm_sim *sim, trm_outcome *outcome)
{
    const trm_model *model = sim->state->model;
    if (model->schedule.conditions == 0) return true;
    if (!trm_sim_find_for_conditions(sim, outcome)) return false;
    for (int i = model->schedule.timed; i < model->schedule.count; i++)
        if (waits(sim->state, i) && trm_formula_value(&model->schedule.events[i].condition, sim->state) <= 0)
            memory_of(sim->state, i)[ARMED] = 1;
    return true;
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

bool trm_sim_keep_delayed(trm_sim *sim, trm_outcome *outcome)
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

void trm_sim_see_events(trm_sim *sim, bool accepted)
{
    const long long all = sim->counters.impacts + trm_sim_event_count(sim);
    if (sim->events.ends_run && !trm_sim_all(sim, !accepted || all <= sim->events.seen)) sim->events.ended_run = true;
    sim->events.seen = all; /* attempts that failed may have counted some */
}

void trm_sim_set_end(trm_sim *sim, bool to_event)
{
    sim->events.ends_run = to_event;
    sim->events.ended_run = false;
    sim->events.seen = sim->counters.impacts + trm_sim_event_count(sim);
}

/* The residual is NAN and an element is named: a shorter step would not lead farther. */
trm_outcome trm_sim_stopped(const trm_sim *sim)
{
    return (trm_outcome){
        .ok = false, .time = sim->state->clock->time, .residual = NAN, .element = "event", .why = "ended the run"};
}
