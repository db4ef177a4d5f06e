/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions for a simulation between its steps: results, settings of the caller, and joints that the caller attaches
 * and detaches. The step itself is in step.c. */

#include "sim/sim.h"

#include "base/check.h"
#include "trammel/arrays.h"

/* ---- Reading and setting ------------------------------------------------------------------ */

trm_state *trm_sim_state(trm_sim *sim)
{
    return sim->state;
}

const trm_simulation_def *trm_sim_options(const trm_sim *sim)
{
    return &sim->options;
}

/* Copies names, because they may lie in memory of the other simulation. */
void trm_sim_take_notes(trm_sim *sim, const trm_sim *from)
{
    sim->notes.count = from->notes.count;
    for (int i = 0; i < from->notes.count && i < TRM_NOTES_KEPT; i++) {
        const char *name = trm_arena_text(&sim->arena, from->notes.list[i].name);
        sim->notes.list[i] = from->notes.list[i];
        sim->notes.list[i].name = name ? name : "";
    }
}

void trm_sim_take_over(trm_sim *sim, const trm_sim *from)
{
    const int64_t acted_on = sim->monitor.acted_on | from->monitor.acted_on;
    TRM_ASSERT(!sim->workspace && sim->state->model == from->state->model);
    trm_state_copy(sim->state, from->state);
    sim->monitor = from->monitor;
    sim->monitor.acted_on = acted_on;
    sim->counters = from->counters;
    trm_sim_take_notes(sim, from);
    sim->memory = from->memory;
}

trm_assembly trm_sim_assembly(const trm_sim *sim)
{
    return sim->assembly;
}

bool trm_sim_event(const trm_sim *sim, int index, trm_event_note *note)
{
    if (index < 0 || index >= sim->notes.count || index >= TRM_NOTES_KEPT) return false;
    *note = sim->notes.list[index];
    return true;
}

long long trm_sim_event_count(const trm_sim *sim)
{
    return sim->notes.count;
}

const trm_counters *trm_sim_counters(const trm_sim *sim)
{
    return &sim->counters;
}

const trm_outcome *trm_sim_trouble(const trm_sim *sim)
{
    return &sim->steps.trouble;
}

int trm_sim_dropped_rows(const trm_sim *sim, trm_row_name *rows, int most)
{
    return sim->workspace && sim->method->dropped ? sim->method->dropped(sim->stepper.machine, rows, most) : 0;
}

bool trm_sim_coordinate(const trm_sim *sim, int index, trm_coordinate_note *note)
{
    return sim->workspace && sim->method->coordinate && sim->method->coordinate(sim->workspace, index, note);
}

int trm_sim_contacts(trm_sim *sim, trm_contact_row *rows, int most)
{
    return sim->workspace && sim->stepper.collider ? sim->method->contacts->list(sim->stepper.machine, rows, most)
                                                   : 0;
}

void trm_sim_enable_reactions(trm_sim *sim, bool wanted)
{
    sim->caller.reactions_enabled = wanted;
}

void trm_sim_set_hooks(trm_sim *sim, trm_hook before, trm_hook after, void *context)
{
    sim->caller.before_step = before;
    sim->caller.after_step = after;
    sim->caller.context = context;
    sim->stepper.velocities_required = before || after || sim->steps.start;
}

void trm_sim_set_watch(trm_sim *sim, bool (*may_continue)(void *context), void *context)
{
    sim->stepper.watch.may_continue = may_continue;
    sim->stepper.watch.context = context;
}

trm_status trm_sim_add_force(trm_sim *sim, const char *name, int body, trm_user_force force, void *context)
{
    TRM_ASSERT(!sim->workspace && body > 0 && body < sim->stepper.model->body_count);
    char *own_name = trm_arena_text(&sim->arena, name ? name : "");
    const trm_called_force called = {own_name, body, force, context};
    if (!own_name || !TRM_APPEND(&sim->arena, sim->caller.forces, sim->stepper.called_count, called))
        return TRM_OUT_OF_MEMORY;
    sim->stepper.called = sim->caller.forces;
    sim->monitor.acted_on = 1;
    return TRM_OK;
}

/* ---- Rebuilding --------------------------------------------------------------------------- */

trm_outcome trm_sim_cannot_rebuild(const trm_sim *sim, int joint)
{
    trm_outcome outcome = trm_good_outcome(sim);
    trm_fail(&outcome, NAN, "joint", sim->state->model->joints[joint].name,
             "cannot be attached or detached by the method %s; take impulse, lagrange or lcp", sim->method->name);
    return outcome;
}

trm_outcome trm_sim_attach(trm_sim *sim, int joint)
{
    trm_outcome outcome = trm_good_outcome(sim);
    TRM_ASSERT(joint >= 0 && joint < sim->state->model->shown_joint_count);
    if (sim->state->attached[joint]) return outcome;
    if (!sim->method->capture) return trm_sim_cannot_rebuild(sim, joint);
    if (!trm_sim_make_workspace(sim)) return trm_bad_outcome(sim, "out of memory");
    trm_state_copy(sim->steps.before, sim->state);
    outcome.ok = trm_sim_attach_now(sim, joint, &outcome);
    if (!outcome.ok) trm_state_copy(sim->state, sim->steps.before);
    return outcome;
}

void trm_sim_detach(trm_sim *sim, int joint)
{
    TRM_ASSERT(joint >= 0 && joint < sim->state->model->shown_joint_count);
    if (!(sim->method->can & TRM_CAN_EVENTS))
        sim->memory.refused_joint = joint + 1;
    else if (trm_sim_make_workspace(sim))
        trm_sim_detach_now(sim, "detached", joint);
    else
        sim->arena.failed = true; /* the next step reports it */
}
