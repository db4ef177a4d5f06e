/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Runs: steps until the end, result rows at exact times on the way, and checkpoints.
 *
 * Row number r is due at r * every. Either a row spacing is n whole steps of every/n, or several rows fall into one
 * step and are interpolated. Steps that the method divides, and those with events, end at each row instead. Times are
 * products of these with whole numbers, never sums. A run that does not begin where the last one ended, or that has
 * another spacing, counts from the present time.
 *
 * A controller divides a run at multiples of its period. Each part is a run of its own: steps end there whatever
 * their length. */

#include <limits.h>
#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/tolerance.h"
#include "model/def.h"
#include "sim/interpolate.h"
#include "sim/sim.h"

typedef struct plan {
    double until;
    double every;          /* s: time between rows */
    double step;           /* s: length of steps */
    int64_t steps_per_row; /* 0: rows are interpolated */
    int64_t rows;          /* number of the last row */
} plan;

static plan make_plan(const trm_sim *sim, const trm_run_def *run)
{
    const double step = sim->options.step;
    plan p = {.until = run->until, .every = isnan(run->every) ? step : run->every, .step = step};
    const bool divided = trm_sim_has_events(sim) || sim->method->controls_error;
    if (sim->steps.start || (divided && p.every < step)) {
        /* error control chooses the steps; within a step of many parts, or across an event, motion is not a cubic */
        p.steps_per_row = 1;
        p.step = p.every;
    } else if (p.every >= step * (1 - TRM_SAME_TIME)) {
        p.steps_per_row = (int64_t)fmin(ceil(p.every / step - TRM_SAME_TIME), TRM_MOST_COUNT);
        p.step = p.every / (double)p.steps_per_row;
    }
    p.rows = (int64_t)fmin(floor(p.until / p.every + TRM_SAME_TIME), TRM_MOST_COUNT);
    return p;
}

/* Returns how many steps of at most p->step an interval of time takes. */
static int64_t steps_over(const plan *p, double time)
{
    return (int64_t)fmin(ceil(time / p->step - TRM_SAME_TIME), TRM_MOST_COUNT);
}

trm_outcome trm_sim_ended(const trm_sim *sim)
{
    return trm_bad_outcome(sim, "the caller ended the run");
}

static bool pass_row(trm_sim *sim, const trm_run_def *run, const trm_state *state)
{
    sim->rows.progress.row++;
    return !run->row || trm_sim_all(sim, run->row(run->context, state));
}

static bool pulse(const trm_sim *sim, const trm_run_def *run)
{
    return !run->pulse || trm_sim_all(sim, run->pulse(run->context));
}

/* ---- Counting ----------------------------------------------------------------------------- */

static double time_counted(const trm_progress *progress, const plan *p)
{
    return p->steps_per_row > 0 ? (double)(progress->row - 1) * p->every
                                : progress->base + (double)progress->steps * p->step;
}

/* Keeps the counters of the last run if this one continues it; otherwise counts from the present time. */
static void count_from_here(trm_sim *sim, const plan *p)
{
    const double now = sim->state->clock->time;
    trm_progress *progress = &sim->rows.progress;
    if (progress->every == p->every && progress->step == p->step && time_counted(progress, p) == now) return;
    *progress = (trm_progress){.every = p->every, .step = p->step, .base = now};
    progress->row = (int64_t)fmin(floor(now / p->every + TRM_SAME_TIME), TRM_MOST_COUNT) + 1;
}

/* ---- Rows at steps ------------------------------------------------------------------------ */

/* Steps to the next row. */
static trm_outcome go_to_row(trm_sim *sim, const plan *p)
{
    const double from = sim->state->clock->time, due = (double)sim->rows.progress.row * p->every;
    const bool whole = from == (double)(sim->rows.progress.row - 1) * p->every;
    const int64_t steps = whole ? p->steps_per_row : steps_over(p, due - from);
    const double h = whole ? p->step : (due - from) / (double)steps;
    trm_outcome outcome = {.ok = true};
    for (int64_t i = 1; i <= steps && outcome.ok; i++)
        outcome = trm_sim_step_to(sim, h, i == steps ? due : from + (double)i * h);
    return outcome.ok ? trm_sim_observe(sim) : outcome;
}

static trm_outcome run_with_rows_at_steps(trm_sim *sim, const trm_run_def *run, const plan *p)
{
    while (sim->rows.progress.row <= p->rows) {
        const trm_outcome outcome = go_to_row(sim, p);
        if (!outcome.ok) return outcome;
        if (!pass_row(sim, run, sim->state) || !pulse(sim, run)) return trm_sim_ended(sim);
    }
    return (trm_outcome){.ok = true, .time = sim->state->clock->time};
}

/* ---- Rows between steps ------------------------------------------------------------------- */

bool trm_sim_make_nodes(trm_sim *sim)
{
    const trm_allocator *from = &sim->arena.allocator;
    if (!sim->rows.older) sim->rows.older = trm_state_create(sim->state->model, from);
    if (!sim->rows.older_still) sim->rows.older_still = trm_state_create(sim->state->model, from);
    if (!sim->rows.between) sim->rows.between = trm_state_create(sim->state->model, from);
    return sim->rows.older && sim->rows.older_still && sim->rows.between;
}

/* Makes the next step; the last one ends where the run does. */
static trm_outcome go_to_node(trm_sim *sim, const plan *p)
{
    const double now = sim->state->clock->time;
    const double goal = sim->rows.progress.base + (double)(sim->rows.progress.steps + 1) * p->step;
    const bool beyond = goal > p->until + TRM_SAME_TIME * p->step;
    trm_state_copy(sim->rows.older_still, sim->rows.older);
    trm_state_copy(sim->rows.older, sim->state);
    trm_outcome outcome = trm_sim_step_to(sim, beyond ? p->until - now : p->step, beyond ? p->until : goal);
    sim->rows.progress.steps++;
    if (outcome.ok) outcome = trm_sim_observe(sim);
    if (!outcome.ok) sim->rows.progress.step = 0; /* the nodes coincide: the next run counts again */
    return outcome;
}

/* Passes all rows up to the end of the present step to the caller. Returns false if the caller ends the run. */
static bool pass_rows_between(trm_sim *sim, const trm_run_def *run, const plan *p)
{
    const trm_state *nodes[3] = {sim->rows.older_still, sim->rows.older, sim->state};
    const int known = sim->rows.progress.steps > 1 ? 3 : 2;
    const double now = sim->state->clock->time;
    while (sim->rows.progress.row <= p->rows) {
        const double due = (double)sim->rows.progress.row * p->every;
        if (due > now + TRM_SAME_TIME * p->step) return true;
        if (fabs(due - now) <= TRM_SAME_TIME * p->step)
            trm_state_copy(sim->rows.between, sim->state);
        else
            trm_interpolate(nodes + 3 - known, known, due, sim->rows.between);
        sim->rows.between->clock->time = due;
        if (!pass_row(sim, run, sim->rows.between) || !trm_sim_may_continue(sim)) return false;
    }
    return true;
}

static trm_outcome run_with_rows_between(trm_sim *sim, const trm_run_def *run, const plan *p)
{
    if (!trm_sim_make_nodes(sim)) return trm_bad_outcome(sim, "out of memory");
    /* a run that ended between two steps may still have rows due there */
    if (sim->rows.progress.steps > 0 && !pass_rows_between(sim, run, p)) return trm_sim_ended(sim);
    while (sim->rows.progress.row <= p->rows) {
        const trm_outcome outcome = go_to_node(sim, p);
        if (!outcome.ok) return outcome;
        if (!pass_rows_between(sim, run, p) || !pulse(sim, run)) return trm_sim_ended(sim);
    }
    return (trm_outcome){.ok = true, .time = sim->state->clock->time};
}

/* ---- A run -------------------------------------------------------------------------------- */

/* Steps from the last row to the end of the run, by steps no longer than requested. */
static trm_outcome run_to_the_end(trm_sim *sim, const plan *p)
{
    const double start = sim->state->clock->time, rest = p->until - start;
    const int64_t steps = steps_over(p, rest);
    trm_outcome outcome = {.ok = true, .time = start};
    for (int64_t i = 1; i <= steps && outcome.ok; i++) {
        const double goal = i == steps ? p->until : start + (double)i * rest / (double)steps;
        outcome = trm_sim_step_to(sim, rest / (double)steps, goal);
    }
    return outcome.ok && steps > 0 ? trm_sim_observe(sim) : outcome;
}

static trm_outcome run_planned(trm_sim *sim, const trm_run_def *run)
{
    const plan p = make_plan(sim, run);
    trm_outcome outcome = {.ok = true};
    bool given = true;
    if (sim->rows.progress.every == 0) {
        outcome = trm_sim_observe(sim);
        if (!outcome.ok) return outcome;
        given = pass_row(sim, run, sim->state);
    }
    count_from_here(sim, &p);
    if (!given) return trm_sim_ended(sim); /* a resumed run has the first row already */
    outcome = p.steps_per_row > 0 ? run_with_rows_at_steps(sim, run, &p) : run_with_rows_between(sim, run, &p);
    return outcome.ok ? run_to_the_end(sim, &p) : outcome;
}

/* Returns the number of the first call of the controller that is not before this time. */
static int64_t next_call(double time, double period)
{
    return (int64_t)fmin(ceil(time / period - TRM_SAME_TIME), TRM_MOST_COUNT);
}

static trm_outcome run_controlled(trm_sim *sim, const trm_run_def *run)
{
    trm_run_def part = *run;
    int64_t call = next_call(sim->state->clock->time, run->period);
    const int64_t end = next_call(run->until, run->period);
    part.until = fmin(fmax((double)call * run->period, sim->state->clock->time), run->until);
    trm_outcome outcome = run_planned(sim, &part);
    for (; call < end && outcome.ok; call++) {
        outcome = run->control(run->context, sim);
        part.until = fmin((double)(call + 1) * run->period, run->until);
        if (outcome.ok) outcome = run_planned(sim, &part);
    }
    return outcome;
}

static trm_outcome run_whole(trm_sim *sim, const trm_run_def *run)
{
    return run->control ? run_controlled(sim, run) : run_planned(sim, run);
}

/* Runs to the end. If an event ends the run, the last row is at the event. */
static trm_outcome run_to_stop(trm_sim *sim, const trm_run_def *run)
{
    trm_outcome outcome = run_whole(sim, run);
    if (outcome.ok || !trm_sim_is_stopped(sim)) return outcome;
    outcome = trm_sim_observe(sim);
    if (outcome.ok && !pass_row(sim, run, sim->state)) return trm_sim_ended(sim);
    return outcome;
}

static trm_outcome run_watched(trm_sim *sim, const trm_run_def *run)
{
    if (!run->may_continue) return run_to_stop(sim, run);
    const trm_stepper before = sim->stepper;
    trm_sim_set_watch(sim, run->may_continue, run->context);
    const trm_outcome outcome = run_to_stop(sim, run);
    trm_sim_set_watch(sim, before.watch.may_continue, before.watch.context);
    return outcome;
}

trm_outcome trm_sim_run_sized(trm_sim *sim, trm_sized given)
{
    trm_run_def own;
    const trm_run_def *run = &own;
    trm_read_def(TRM_DEF_RUN, given, &own);
    TRM_ASSERT(isfinite(run->until) && (isnan(run->every) || run->every > 0));
    TRM_ASSERT(!run->control || (isfinite(run->period) && run->period > 0));
    trm_sim_set_stopped(sim, false);
    trm_sim_set_end(sim, run->to_event);
    const trm_outcome outcome = run_watched(sim, run);
    trm_sim_set_end(sim, false);
    return outcome;
}

/* ---- Checkpoints -------------------------------------------------------------------------- */

/* Layout of the file: this struct, the states, the slopes of the last step, the bytes of the method, and the hash of
 * all these bytes. Numbers are in the format of the machine. */
typedef struct saved_run {
    char magic[8];
    uint32_t version, size;
    uint64_t fingerprint; /* hash of the options that must agree */
    int64_t note;
    trm_progress progress;
    trm_counters counters;
    trm_monitor monitor;
    trm_event_memory events;
    int64_t halved, good;
    double control_step;
    double slope_time, slope_step;
    int64_t states; /* number of states that follow: 1, or 3 where rows are interpolated */
    int64_t memory; /* number of the method's bytes after them */
} saved_run;

static const char MAGIC[8] = {'T', 'R', 'M', 'R', 'U', 'N', 0, 0};
enum { SAVED_VERSION = 12 };

/* Hashes the method's own options, given or default. */
static uint64_t hash_method_options(uint64_t hash, const trm_method *method, const trm_simulation_def *options)
{
    for (const trm_method_option *o = method->options; o && o->name; o++) {
        const bool text = o->words || o->any;
        const double number = text ? 0 : trm_option_number(method, options, o->name);
        const char *word = text ? trm_option_word(method, options, o->name) : NULL;
        hash = text ? trm_hash_text(hash, word ? word : "") : trm_hash_bytes(hash, &number, sizeof number);
    }
    return hash;
}

uint64_t trm_sim_fingerprint(const trm_sim *sim)
{
    const trm_simulation_def *o = &sim->options;
    uint64_t hash = trm_hash_text(trm_hash_text(trm_hash_text(TRM_HASH_START, o->method), o->solver), o->scheme);
    hash = trm_hash_text(trm_hash_text(hash_method_options(hash, sim->method, o), o->impact), o->sleep);
    const double numbers[] = {o->step,
                              o->order,
                              o->position_tolerance,
                              o->angle_tolerance,
                              o->velocity_tolerance,
                              isnan(o->error) ? 0 : o->error,
                              o->simultaneous};
    return trm_hash_bytes(hash, numbers, sizeof numbers);
}

/* A sink that passes bytes on, counts and hashes them. */
typedef struct seal {
    trm_sink to; /* write NULL: bytes are not passed on */
    uint64_t hash;
    size_t bytes;
} seal;

static bool write_sealed(void *context, const char *text, size_t length)
{
    seal *s = context;
    s->hash = trm_hash_bytes(s->hash, text, length);
    s->bytes += length;
    return !s->to.write || s->to.write(s->to.context, text, length);
}

static size_t saved_state_size(const trm_state *state)
{
    seal counted = {.hash = TRM_HASH_START};
    trm_state_save(state, (trm_sink){write_sealed, &counted});
    return counted.bytes;
}

/* Returns the number of the method's bytes; before the first step there are none. */
static size_t memory_of(const trm_sim *sim)
{
    return sim->workspace && sim->method->saving ? sim->method->saving->size(sim->workspace) : 0;
}

static trm_status save_memory(const trm_sim *sim, size_t count, trm_sink to)
{
    const trm_allocator *from = &sim->arena.allocator;
    if (count == 0) return TRM_OK;
    void *bytes = trm_allocate(from, count);
    if (!bytes) return TRM_OUT_OF_MEMORY;
    sim->method->saving->save(sim->workspace, bytes);
    const bool written = to.write(to.context, bytes, count);
    trm_release(from, bytes, count);
    return written ? TRM_OK : TRM_IO_ERROR;
}

trm_status trm_sim_save(const trm_sim *sim, int64_t note, trm_sink sink)
{
    saved_run run;
    memset(&run, 0, sizeof run); /* padding, too: the same run saves to the same bytes */
    memcpy(run.magic, MAGIC, sizeof MAGIC);
    run.version = SAVED_VERSION;
    run.size = (uint32_t)sizeof run;
    run.fingerprint = trm_sim_fingerprint(sim);
    run.note = note;
    run.progress = sim->rows.progress;
    run.counters = sim->counters;
    memcpy(&run.events, &sim->memory, sizeof run.events);
    memcpy(&run.monitor, &sim->monitor, sizeof run.monitor);
    run.halved = sim->steps.halved;
    run.good = sim->steps.good;
    run.control_step = sim->steps.controlled;
    run.slope_time = sim->steps.slopes.time;
    run.slope_step = sim->steps.slopes.step;
    run.states = sim->rows.older ? 3 : 1;
    run.memory = (int64_t)memory_of(sim);

    seal sealed = {sink, TRM_HASH_START, 0};
    const trm_sink through = {write_sealed, &sealed};
    const trm_state *states[3] = {sim->state, sim->rows.older, sim->rows.older_still};
    trm_status status = through.write(through.context, (const char *)&run, sizeof run) ? TRM_OK : TRM_IO_ERROR;
    for (int i = 0; i < run.states && status == TRM_OK; i++) status = trm_state_save(states[i], through);
    if (status == TRM_OK &&
        !through.write(through.context, (const char *)sim->steps.slopes.body, trm_sim_slope_bytes(sim)))
        status = TRM_IO_ERROR;
    if (status == TRM_OK) status = save_memory(sim, (size_t)run.memory, through);
    const uint64_t hash = sealed.hash;
    if (status == TRM_OK && !sink.write(sink.context, (const char *)&hash, sizeof hash)) status = TRM_IO_ERROR;
    return status;
}

/* Returns whether the byte of a bool is 0 or 1: any other must not be read as bool. */
static bool is_truth(const bool *value)
{
    unsigned char byte;
    memcpy(&byte, value, 1);
    return byte <= 1;
}

static bool events_are_sound(const trm_model *model, const trm_event_memory *m)
{
    const int counts[] = {m->events_in_row, m->repeated, m->plain,     m->last_plain, m->frozen_steps,
                          m->calm,          m->busy,     m->last_busy, m->crowded,    m->bounce_count};
    bool sound = is_truth(&m->settled) && m->parts >= 0 && isfinite(m->parts) &&
                 m->bounce_count <= TRM_BOUNCES_KEPT && m->refused_joint >= 0 &&
                 m->refused_joint <= model->joint_count;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) sound = sound && counts[i] >= 0;
    for (int i = 0; sound && i < m->bounce_count; i++) {
        const trm_bounce *b = &m->bounces[i];
        sound = is_truth(&b->held) && b->body[0] >= 0 && b->body[0] < model->body_count && b->body[1] >= 0 &&
                b->body[1] < model->body_count;
    }
    return sound;
}

static bool are_bodies(const trm_sim *sim, const int64_t body[2])
{
    const int count = sim->state->model->body_count;
    return body[0] >= 0 && body[0] < count && body[1] >= 0 && body[1] < count;
}

/* Returns whether all counts and indices are valid. The checksum detects accidents, but not files that were changed
 * by hand. */
static bool numbers_are_sound(const trm_sim *sim, const saved_run *run)
{
    const trm_progress *p = &run->progress;
    const trm_accuracy *a = &run->monitor.result;
    const int joints = sim->state->model->joint_count;
    const int none =
        joints > 0 ? joints - 1 : 0; /* before the first observation a joint is 0, even in models without joints */
    return run->halved >= 0 && run->halved <= TRM_MOST_HALVINGS && run->good >= 0 && run->good <= INT_MAX &&
           events_are_sound(sim->state->model, &run->events) && isfinite(run->control_step) && isfinite(p->every) &&
           p->every >= 0 && isfinite(p->step) && p->step >= 0 && isfinite(p->base) && p->row >= 0 &&
           (double)p->row <= TRM_MOST_COUNT + 1 && p->steps >= 0 && (double)p->steps <= TRM_MOST_COUNT + 1 &&
           are_bodies(sim, run->monitor.passages.body) && a->observed >= 0 && a->gap_joint >= -1 &&
           a->gap_joint <= none && a->velocity_gap_joint >= -1 && a->velocity_gap_joint <= none;
}

/* Returns the reason why the file cannot be loaded, or NULL. If it is NULL, only the model can still differ. */
static const char *load_error(const trm_sim *sim, const saved_run *run, const void *bytes, size_t count)
{
    uint64_t hash;
    if (count < sizeof *run || memcmp(run->magic, MAGIC, sizeof MAGIC) != 0)
        return "this is not a checkpoint of a run";
    if (run->version != SAVED_VERSION || run->size != sizeof *run)
        return "the checkpoint was made by another version; start the run again";
    if (run->states != 1 && run->states != 3) return "the checkpoint is damaged";
    if (count < sizeof *run + sizeof hash) return "the checkpoint is cut short";
    memcpy(&hash, (const char *)bytes + count - sizeof hash, sizeof hash);
    if (hash != trm_hash_bytes(TRM_HASH_START, bytes, count - sizeof hash))
        return "the checkpoint is cut short or damaged: its checksum is wrong";
    if (run->fingerprint != trm_sim_fingerprint(sim))
        return "the checkpoint was made with another method, solver, order, scheme, step, error or tolerance, or "
               "other impacts; give the same ones";
    if (!numbers_are_sound(sim, run)) return "the checkpoint holds numbers that no run has";
    if (run->memory < 0 || (uint64_t)run->memory > count ||
        count != sizeof *run + (size_t)run->states * saved_state_size(sim->state) + trm_sim_slope_bytes(sim) +
                     (size_t)run->memory + sizeof hash)
        return "the checkpoint belongs to another model; give the one it was made with";
    return NULL;
}

static trm_status load_memory(trm_sim *sim, const void *bytes, size_t count, const char *file, trm_messages *messages)
{
    if (!trm_sim_make_workspace(sim)) return TRM_OUT_OF_MEMORY;
    if (count != memory_of(sim) || !sim->method->saving->load(sim->workspace, bytes)) {
        trm_add_error(messages, (trm_place){file, 0, 0},
                      "the checkpoint belongs to another model; give the one it was made with");
        return TRM_BAD_INPUT;
    }
    return TRM_OK;
}

trm_status trm_sim_load(trm_sim *sim, const void *bytes, size_t count, const char *file, int64_t *note,
                        trm_messages *messages)
{
    saved_run run;
    memset(&run, 0, sizeof run);
    memcpy(&run, bytes, count < sizeof run ? count : sizeof run);
    const char *why = load_error(sim, &run, bytes, count);
    if (why) {
        trm_add_error(messages, (trm_place){file, 0, 0}, "%s", why);
        return TRM_BAD_INPUT;
    }
    if (run.states == 3 && !trm_sim_make_nodes(sim)) return TRM_OUT_OF_MEMORY;
    const size_t one = saved_state_size(sim->state), slopes = sizeof run + (size_t)run.states * one;
    trm_state *states[3] = {sim->state, sim->rows.older, sim->rows.older_still};
    trm_status status = TRM_OK;
    for (int i = 0; i < run.states && status == TRM_OK; i++)
        status = trm_state_load(states[i], (const char *)bytes + sizeof run + (size_t)i * one, one, file, messages);
    if (status == TRM_OK && run.memory > 0)
        status = load_memory(sim, (const char *)bytes + slopes + trm_sim_slope_bytes(sim), (size_t)run.memory, file,
                             messages);
    if (status != TRM_OK) return status;
    memcpy(sim->steps.slopes.body, (const char *)bytes + slopes, trm_sim_slope_bytes(sim));
    sim->steps.slopes.time = run.slope_time;
    sim->steps.slopes.step = run.slope_step;
    sim->rows.progress = run.progress;
    sim->counters = run.counters;
    memcpy(&sim->monitor, &run.monitor, sizeof run.monitor);
    sim->rows.begun = sim->state->clock->time;
    sim->steps.halved = (int)run.halved;
    sim->steps.good = (int)run.good;
    memcpy(&sim->memory, &run.events, sizeof run.events);
    sim->steps.controlled = run.control_step;
    *note = run.note;
    return TRM_OK;
}
