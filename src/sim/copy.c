/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Copies of simulations in memory: everything that determines how they continue. A checkpoint (run.c) contains less,
 * because it is made between rows of a run, and its notes start again. */

#include "base/memory.h"
#include "sim/sim.h"
#include "trammel/arrays.h"

static bool are_alike(const trm_sim *a, const trm_sim *b)
{
    return a->state->model == b->state->model && a->method == b->method &&
           a->caller.joint_force_count == b->caller.joint_force_count &&
           trm_sim_fingerprint(a) == trm_sim_fingerprint(b);
}

/* Copies the memory of the method. The workspace is made for the state, so the state must be copied first. */
static trm_status copy_memory(trm_sim *to, trm_sim *from)
{
    const trm_method *method = from->method;
    if (!method->saving || (!from->workspace && !to->workspace)) return TRM_OK;
    if (!trm_sim_make_workspace(from) || !trm_sim_make_workspace(to)) return TRM_OUT_OF_MEMORY;
    const size_t count = method->saving->size(from->workspace);
    if (count != method->saving->size(to->workspace)) return TRM_BAD_INPUT;
    void *bytes = trm_allocate(&to->arena.allocator, count);
    if (!bytes) return TRM_OUT_OF_MEMORY;
    method->saving->save(from->workspace, bytes);
    const bool loaded = method->saving->load(to->workspace, bytes);
    trm_release(&to->arena.allocator, bytes, count);
    return loaded ? TRM_OK : TRM_BAD_INPUT;
}

static bool copy_states(trm_sim *to, const trm_sim *from)
{
    trm_state_copy(to->state, from->state);
    if (!from->rows.older) return true;
    if (!trm_sim_make_nodes(to)) return false;
    trm_state_copy(to->rows.older, from->rows.older);
    trm_state_copy(to->rows.older_still, from->rows.older_still);
    return true;
}

/* Copies the data about events and contacts of the last steps. */
static void copy_events(trm_sim *to, const trm_sim *from)
{
    to->memory = from->memory;
    trm_sim_take_notes(to, from);
}

static void copy_account(trm_sim *to, const trm_sim *from)
{
    const int64_t acted_on = to->monitor.acted_on | from->monitor.acted_on; /* it keeps its own forces */
    to->counters = from->counters;
    to->monitor = from->monitor;
    to->monitor.acted_on = acted_on;
    to->remarks = from->remarks;
    to->assembly = from->assembly;
    to->steps.change = from->steps.change;
    to->steps.slopes.time = from->steps.slopes.time;
    to->steps.slopes.step = from->steps.slopes.step;
    memcpy(to->steps.slopes.body, from->steps.slopes.body, trm_sim_slope_bytes(from));
    to->rows.progress = from->rows.progress;
    to->rows.begun = from->rows.begun;
    to->steps.trouble = from->steps.trouble;
    to->steps.halved = from->steps.halved;
    to->steps.good = from->steps.good;
    to->steps.controlled = from->steps.controlled;
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
    for (int i = 0; i < from->caller.joint_force_count; i++)
        to->caller.joint_forces[i] = from->caller.joint_forces[i];
    memcpy(to->caller.growth, from->caller.growth, sizeof to->caller.growth);
    to->caller.thrown = from->caller.thrown;
    return TRM_OK;
}
