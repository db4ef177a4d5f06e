/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Many simulations of one model, stepped on several threads. Each is an independent simulation, and one thread at a
 * time steps it: its bits do not depend on the number of threads. */

#include "base/check.h"
#include "base/parallel.h"
#include "sim/sim.h"
#include "trammel/arrays.h"

struct trm_batch {
    trm_arena arena;
    trm_sim **sims;
    trm_sim *start; /* their initial state */
    trm_outcome *outcomes;
    int count, threads, coordinates, bodies, inputs;
};

/* ---- Creating ----------------------------------------------------------------------------- */

/* Creates all simulations. Only the first one reports messages: the others would report the same. */
static trm_status make_sims(trm_batch *b, const trm_model *model, trm_sized options, const trm_allocator *allocator,
                            trm_messages *messages)
{
    trm_messages *ignored = trm_messages_create(allocator);
    trm_status status =
        ignored ? trm_sim_create_sized(model, options, allocator, messages, &b->start) : TRM_OUT_OF_MEMORY;
    for (int i = 0; i < b->count && status == TRM_OK; i++) {
        trm_messages_clear(ignored);
        status = trm_sim_create_sized(model, options, allocator, ignored, &b->sims[i]);
        b->outcomes[i].ok = true;
    }
    trm_messages_destroy(ignored);
    return status;
}

trm_status trm_batch_create_sized(const trm_model *model, trm_sized options, int count, int threads,
                                  const trm_allocator *allocator, trm_messages *messages, trm_batch **batch)
{
    TRM_ASSERT(count >= 1 && threads >= 0);
    *batch = NULL;
    trm_batch *made = trm_owner_create(allocator, sizeof *made);
    if (!made) return TRM_OUT_OF_MEMORY;
    made->count = count;
    made->threads = threads > 0 ? threads : trm_most_threads();
    made->coordinates = trm_coordinate_count(model);
    made->bodies = trm_body_count(model);
    made->inputs = trm_input_count(model);
    made->sims = TRM_NEW_ARRAY(&made->arena, trm_sim *, count);
    made->outcomes = TRM_NEW_ARRAY(&made->arena, trm_outcome, count);
    trm_status status = TRM_OUT_OF_MEMORY;
    if (made->sims && made->outcomes) status = make_sims(made, model, options, allocator, messages);
    if (status == TRM_OK)
        *batch = made;
    else
        trm_batch_destroy(made);
    return status;
}

void trm_batch_destroy(trm_batch *batch)
{
    if (!batch) return;
    for (int i = 0; batch->sims && i < batch->count; i++) trm_sim_destroy(batch->sims[i]);
    trm_sim_destroy(batch->start);
    trm_owner_destroy(batch, sizeof *batch);
}

int trm_batch_count(const trm_batch *batch)
{
    return batch->count;
}

trm_sim *trm_batch_sim(trm_batch *batch, int index)
{
    TRM_ASSERT(index >= 0 && index < batch->count);
    return batch->sims[index];
}

trm_status trm_batch_add_joint_force(trm_batch *batch, int joint, int coordinate)
{
    trm_status status = trm_sim_add_joint_force(batch->start, joint, coordinate);
    for (int i = 0; i < batch->count && status == TRM_OK; i++)
        status = trm_sim_add_joint_force(batch->sims[i], joint, coordinate);
    return status;
}

/* ---- Stepping ----------------------------------------------------------------------------- */

typedef struct batch_step {
    trm_batch *batch;
    double dt;
    int steps;
    const trm_batch_arrays *arrays;
} batch_step;

static double *row_of(double *array, int index, int numbers)
{
    return array ? array + (size_t)index * (size_t)numbers : NULL;
}

static trm_arrays rows_of(const trm_batch *b, const trm_arrays *all, int i)
{
    return (trm_arrays){
        .q = row_of(all->q, i, b->coordinates),
        .qd = row_of(all->qd, i, b->coordinates),
        .positions = row_of(all->positions, i, 3 * b->bodies),
        .orientations = row_of(all->orientations, i, 4 * b->bodies),
        .velocities = row_of(all->velocities, i, 3 * b->bodies),
        .angular_velocities = row_of(all->angular_velocities, i, 3 * b->bodies),
    };
}

static void step_one(void *context, int i, int thread)
{
    const batch_step *s = context;
    trm_batch *b = s->batch;
    trm_sim *sim = b->sims[i];
    const trm_arrays rows = rows_of(b, &s->arrays->out, i);
    const bool stepped = !s->arrays->mask || s->arrays->mask[i];
    const int inputs = sim->caller.joint_force_count;
    trm_outcome unused = {.ok = true},
                *outcome = s->steps > 0 ? &b->outcomes[i] : &unused; /* reading keeps earlier failures */
    (void)thread;
    outcome->ok = true;
    for (int k = 0; s->arrays->forces && k < inputs; k++)
        sim->caller.joint_forces[k] = s->arrays->forces[(size_t)i * (size_t)inputs + (size_t)k];
    if (s->arrays->inputs) *outcome = trm_sim_inputs(sim, s->arrays->inputs + (size_t)i * (size_t)b->inputs);
    if (outcome->ok) trm_sim_steps(sim, s->dt, stepped ? s->steps : 0, &rows, outcome);
    if (s->arrays->failed && s->steps > 0) s->arrays->failed[i] = !outcome->ok;
}

int trm_batch_step(trm_batch *batch, double dt, int steps, const trm_batch_arrays *arrays)
{
    batch_step all = {batch, dt, steps, arrays};
    int failed = 0;
    trm_for_each_uneven(batch->count, batch->threads, step_one, &all);
    for (int i = 0; i < batch->count && steps > 0; i++) failed += !batch->outcomes[i].ok;
    return failed;
}

const trm_outcome *trm_batch_outcome(const trm_batch *batch, int index)
{
    TRM_ASSERT(index >= 0 && index < batch->count);
    return &batch->outcomes[index];
}

trm_status trm_batch_reset(trm_batch *batch, const bool *mask, trm_sim *from)
{
    trm_status status = TRM_OK;
    for (int i = 0; i < batch->count && status == TRM_OK; i++)
        if (!mask || mask[i]) status = trm_sim_copy(batch->sims[i], from ? from : batch->start);
    return status;
}
