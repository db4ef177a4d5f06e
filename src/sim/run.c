/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Runs: steps until the end, rows at exact times on the way, and what is needed to go on later.
 *
 * Row number r is due at r * every. Either a row spacing holds n whole steps of every/n, or several rows fall into one
 * step and are interpolated. Times are products of whole numbers with these, never sums. */

#include <string.h>

#include "base/hash.h"
#include "base/message.h"
#include "sim/interpolate.h"
#include "sim/sim.h"

/* Two times are one if they differ by less than this part of the step. */
static const double SAME_TIME = 1e-6;

typedef struct plan {
    double every;          /* between rows */
    double step;           /* as it will be taken */
    int64_t steps_per_row; /* 0: rows are interpolated */
    int64_t rows;          /* after the one at the start */
} plan;

static plan make_plan(const trm_sim *sim, const trm_run_def *run)
{
    const double step = sim->options.step;
    plan p = {.every = isnan(run->every) ? step : run->every, .step = step};
    if (p.every >= step * (1 - SAME_TIME)) {
        p.steps_per_row = (int64_t)ceil(p.every / step - SAME_TIME);
        p.step = p.every / (double)p.steps_per_row;
    }
    p.rows = (int64_t)floor(run->until / p.every + SAME_TIME);
    return p;
}

static trm_outcome ended_by_caller(const trm_sim *sim)
{
    return (trm_outcome){
        .ok = false, .time = sim->state->clock->time, .residual = NAN, .why = "the caller ended the run"};
}

static bool give_row(trm_sim *sim, const trm_run_def *run, const trm_state *state)
{
    sim->progress.rows++;
    return !run->row || run->row(run->context, state);
}

/* ---- Rows at steps ------------------------------------------------------------------------ */

static trm_outcome run_with_rows_at_steps(trm_sim *sim, const trm_run_def *run, const plan *p)
{
    while (sim->progress.rows <= p->rows) {
        const double row_start = (double)(sim->progress.rows - 1) * p->every;
        trm_outcome outcome = {.ok = true};
        for (int64_t part = 1; part <= p->steps_per_row && outcome.ok; part++) {
            outcome = trm_sim_step(sim, p->step);
            if (outcome.ok) sim->state->clock->time = row_start + (double)part * p->step;
        }
        if (outcome.ok) {
            sim->state->clock->time = (double)sim->progress.rows * p->every;
            outcome = trm_sim_observe(sim);
        }
        if (!outcome.ok) return outcome;
        if (!give_row(sim, run, sim->state)) return ended_by_caller(sim);
        if (run->pulse && !run->pulse(run->context)) return ended_by_caller(sim);
    }
    return (trm_outcome){.ok = true, .time = sim->state->clock->time};
}

/* ---- Rows between steps ------------------------------------------------------------------- */

static bool make_nodes(trm_sim *sim)
{
    const trm_allocator *from = &sim->arena.allocator;
    if (!sim->older) sim->older = trm_state_create(sim->state->model, from);
    if (!sim->older_still) sim->older_still = trm_state_create(sim->state->model, from);
    if (!sim->between) sim->between = trm_state_create(sim->state->model, from);
    return sim->older && sim->older_still && sim->between;
}

/* All rows up to the present step that are still due. */
static bool give_rows_between(trm_sim *sim, const trm_run_def *run, const plan *p)
{
    const trm_state *nodes[3] = {sim->older_still, sim->older, sim->state};
    const int known = sim->progress.steps > 1 ? 3 : 2;
    const double now = sim->state->clock->time;
    while (sim->progress.rows <= p->rows) {
        const double due = (double)sim->progress.rows * p->every;
        if (due > now + SAME_TIME * p->step) return true;
        const bool here = fabs(due - now) <= SAME_TIME * p->step;
        if (!here) trm_interpolate(nodes + 3 - known, known, due, sim->between);
        if (!give_row(sim, run, here ? sim->state : sim->between)) return false;
    }
    return true;
}

static trm_outcome run_with_rows_between(trm_sim *sim, const trm_run_def *run, const plan *p)
{
    if (!make_nodes(sim)) return (trm_outcome){.ok = false, .residual = NAN, .why = "out of memory"};
    while (sim->progress.rows <= p->rows) {
        trm_state_copy(sim->older_still, sim->older);
        trm_state_copy(sim->older, sim->state);
        trm_outcome outcome = trm_sim_step(sim, p->step);
        if (!outcome.ok) return outcome;
        sim->state->clock->time = (double)++sim->progress.steps * p->step;
        outcome = trm_sim_observe(sim);
        if (!outcome.ok) return outcome;
        if (!give_rows_between(sim, run, p)) return ended_by_caller(sim);
        if (run->pulse && !run->pulse(run->context)) return ended_by_caller(sim);
    }
    return (trm_outcome){.ok = true, .time = sim->state->clock->time};
}

/* ---- A run -------------------------------------------------------------------------------- */

/* What is left behind the last row, in steps that are not longer than asked. */
static trm_outcome run_to_the_end(trm_sim *sim, const trm_run_def *run, const plan *p)
{
    const double start = sim->state->clock->time, rest = run->until - start;
    const int64_t steps = (int64_t)ceil(rest / p->step - SAME_TIME);
    trm_outcome outcome = {.ok = true, .time = start};
    for (int64_t i = 1; i <= steps && outcome.ok; i++) {
        outcome = trm_sim_step(sim, rest / (double)steps);
        if (outcome.ok) sim->state->clock->time = start + (double)i * rest / (double)steps;
    }
    return outcome.ok && steps > 0 ? trm_sim_observe(sim) : outcome;
}

trm_outcome trm_sim_run(trm_sim *sim, const trm_run_def *run)
{
    const plan p = make_plan(sim, run);
    trm_outcome outcome = {.ok = true};
    if (sim->progress.rows == 0) {
        outcome = trm_sim_observe(sim);
        if (outcome.ok && !give_row(sim, run, sim->state)) return ended_by_caller(sim);
    }
    if (outcome.ok)
        outcome = p.steps_per_row > 0 ? run_with_rows_at_steps(sim, run, &p) : run_with_rows_between(sim, run, &p);
    return outcome.ok ? run_to_the_end(sim, run, &p) : outcome;
}

/* ---- Going on later ----------------------------------------------------------------------- */

/* Everything but the states. */
typedef struct saved_run {
    char magic[8];
    uint32_t version, size;
    uint64_t fingerprint; /* of the options that must agree */
    int64_t note;
    trm_progress progress;
    trm_counters counters;
    trm_monitor monitor;
    int64_t halved, good;
    int64_t states; /* that follow: 1, or 3 where rows are interpolated */
} saved_run;

static const char MAGIC[8] = {'T', 'R', 'M', 'R', 'U', 'N', 0, 0};
enum { SAVED_VERSION = 1 };

static uint64_t options_fingerprint(const trm_sim *sim)
{
    const trm_simulation_def *o = &sim->options;
    uint64_t hash = trm_hash_text(trm_hash_text(TRM_HASH_START, o->method), o->solver);
    const double numbers[] = {o->step, o->order, o->position_tolerance, o->angle_tolerance, o->velocity_tolerance};
    return trm_hash_bytes(hash, numbers, sizeof numbers);
}

/* Counts what a state takes when saved. */
static bool count_bytes(void *context, const char *text, size_t length)
{
    (void)text;
    *(size_t *)context += length;
    return true;
}

static size_t saved_state_size(const trm_state *state)
{
    size_t bytes = 0;
    trm_state_save(state, (trm_sink){count_bytes, &bytes});
    return bytes;
}

trm_status trm_sim_save(const trm_sim *sim, int64_t note, trm_sink sink)
{
    saved_run run;
    memset(&run, 0, sizeof run); /* padding too: the same run saves to the same bytes */
    memcpy(run.magic, MAGIC, sizeof MAGIC);
    run.version = SAVED_VERSION;
    run.size = (uint32_t)sizeof run;
    run.fingerprint = options_fingerprint(sim);
    run.note = note;
    run.progress = sim->progress;
    run.counters = sim->counters;
    run.monitor = sim->monitor;
    run.halved = sim->halved;
    run.good = sim->good;
    run.states = sim->older ? 3 : 1;
    if (!sink.write(sink.context, (const char *)&run, sizeof run)) return TRM_IO_ERROR;
    const trm_state *states[3] = {sim->state, sim->older, sim->older_still};
    trm_status status = TRM_OK;
    for (int i = 0; i < run.states && status == TRM_OK; i++) status = trm_state_save(states[i], sink);
    return status;
}

static const char *misfit(const trm_sim *sim, const saved_run *run, size_t count)
{
    if (count < sizeof *run || memcmp(run->magic, MAGIC, sizeof MAGIC) != 0) return "this is no checkpoint of a run";
    if (run->version != SAVED_VERSION || run->size != sizeof *run) return "the checkpoint is of another version";
    if (run->fingerprint != options_fingerprint(sim))
        return "the checkpoint was made with another method, solver, order, step or tolerance; give the same ones";
    if (run->states != 1 && run->states != 3) return "the checkpoint is damaged";
    return NULL;
}

trm_status trm_sim_load(trm_sim *sim, const void *bytes, size_t count, const char *file, int64_t *note,
                        trm_messages *messages)
{
    saved_run run;
    memset(&run, 0, sizeof run);
    memcpy(&run, bytes, count < sizeof run ? count : sizeof run);
    const char *why = misfit(sim, &run, count);
    const size_t one = saved_state_size(sim->state);
    if (!why && count != sizeof run + (size_t)run.states * one) why = "the checkpoint is cut short or damaged";
    if (why) {
        trm_say(messages, TRM_ERROR, (trm_place){file, 0, 0}, "", "%s", why);
        return TRM_BAD_INPUT;
    }
    if (run.states == 3 && !make_nodes(sim)) return TRM_OUT_OF_MEMORY;
    trm_state *states[3] = {sim->state, sim->older, sim->older_still};
    trm_status status = TRM_OK;
    for (int i = 0; i < run.states && status == TRM_OK; i++)
        status = trm_state_load(states[i], (const char *)bytes + sizeof run + (size_t)i * one, one, file, messages);
    if (status != TRM_OK) return status;
    sim->progress = run.progress;
    sim->counters = run.counters;
    sim->monitor = run.monitor;
    sim->halved = (int)run.halved;
    sim->good = (int)run.good;
    *note = run.note;
    return TRM_OK;
}
