/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Copies of simulations: all that decides how one continues, in memory. A checkpoint (run.c) holds less, for it is made between rows of a
 * run, and begins notes and bounces anew. */

#include "base/memory.h"
#include "sim/sim.h"
#include "trammel/arrays.h"

static bool are_alike(const trm_sim *a, const trm_sim *b)
{
    return a->state->model == b->state->model && a->method == b->method &&
           a->joint_force_count == b->joint_force_count && trm_sim_fingerprint(a) == trm_sim_fingerprint(b);
}

/* What the method remembers, which both then have. A workspace is made for the state, so the state comes first. */
static trm_status copy_memory(trm_sim *to, trm_sim *from)
{
    const trm_method *method = from->method;
    if (!method->memory || (!from->workspace && !to->workspace)) return TRM_OK;
    if (!trm_sim_make_workspace(from) || !trm_sim_make_workspace(to)) return TRM_OUT_OF_MEMORY;
    const size_t count = method->memory(from->workspace);
    if (count != method->memory(to->workspace)) return TRM_BAD_INPUT;
    void *bytes = trm_allocate(&to->arena.allocator, count);
    if (!bytes) return TRM_OUT_OF_MEMORY;
    method->save(from->workspace, bytes);
    const bool loaded = method->load(to->workspace, bytes);
    trm_release(&to->arena.allocator, bytes, count);
    return loaded ? TRM_OK : TRM_BAD_INPUT;
}

static bool copy_states(trm_sim *to, const trm_sim *from)
{
    trm_state_copy(to->state, from->state);
    if (!from->older) return true;
    if (!trm_sim_make_nodes(to)) return false;
    trm_state_copy(to->older, from->older);
    trm_state_copy(to->older_still, from->older_still);
    return true;
}

/* What events and contacts of the last steps leave behind. */
static void copy_events(trm_sim *to, const trm_sim *from)
{
    to->settled = from->settled;
    to->events_in_row = from->events_in_row;
    to->last_joint = from->last_joint;
    to->last_time = from->last_time;
    to->repeated = from->repeated;
    to->refused_joint = from->refused_joint;
    to->calm = from->calm;
    to->busy = from->busy;
    to->last_busy = from->last_busy;
    to->bounce_count = from->bounce_count;
    if (from->bounces) memcpy(to->bounces, from->bounces, TRM_BOUNCES_KEPT * sizeof *to->bounces);
    trm_sim_take_notes(to, from);
}

static void copy_account(trm_sim *to, const trm_sim *from)
{
    const int64_t acted_on = to->monitor.acted_on | from->monitor.acted_on; /* its own forces stay */
    to->counters = from->counters;
    to->monitor = from->monitor;
    to->monitor.acted_on = acted_on;
    to->remarks = from->remarks;
    to->assembly = from->assembly;
    to->change = from->change;
    to->change_step = from->change_step;
    to->progress = from->progress;
    to->begun = from->begun;
    to->trouble = from->trouble;
    to->halved = from->halved;
    to->good = from->good;
    to->plain = from->plain;
    to->control_step = from->control_step;
}

trm_status trm_sim_copy(trm_sim *to, trm_sim *from)
{
    if (!are_alike(to, from)) return TRM_BAD_INPUT;
    if (to == from) return TRM_OK;
    if (!copy_states(to, from)) return TRM_OUT_OF_MEMORY;
    const trm_status status = copy_memory(to, from);
    if (status != TRM_OK) return status;
    copy_events(to, from);
    copy_account(to, from);
    for (int i = 0; i < from->joint_force_count; i++) to->joint_forces[i] = from->joint_forces[i];
    return TRM_OK;
}
