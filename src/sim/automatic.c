/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The method "auto": chooses the method, its order and its tolerance for a requested error.
 *
 * The requested error E is in m and rad per simulated second. Its default is 1e-4 of the size L of the machine. Two
 * methods control their error while they run, and auto chooses one of them:
 *
 *     minimal   for every model that it can run, unless its loops make an evaluation too expensive. An evaluation
 *               replaces about WORTH steps of impulse. Therefore minimal is chosen if its operations per evaluation are
 *               at most WORTH times those of a step of impulse. Both are counted from the structure of the model.
 *     impulse   for all others, with order 2 or 4, whichever needs fewer steps in a trial
 *
 * Adams' method in minimal keeps the error of a step of length h below tau h. The errors of a second add up to about
 * K tau max(1, L), K between 0.001 and 1 (bench/automatic measures K), so tau = E / (MEAN_K max(1, L)). Error control
 * of impulse has the tolerance E: the errors of its steps add up to between a thousandth of E and ten times E there.
 *
 * Order 4 gains only in runs of many steps. The first steps of a trial show how many a run has about. If they are
 * more than SHORT_RUN, the trial simulates the first part of the run with order 2, then with order 4. It counts steps
 * and measures no time. The choice therefore depends on the model and the options alone: it is the same on every
 * machine, and a resumed run chooses as the first run did. Steps of impulse stay fixed where their error is not
 * known: in time-stepping with contacts, and where so many bodies may collide that the motion is chaotic. */

#include <string.h>

#include "base/message.h"
#include "base/print.h"
#include "sim/sim.h"

/* Default of the requested error per second, as a fraction of the size of the machine. A larger value is faster and
 * less accurate, a smaller one slower and more accurate. */
static const double USUAL_ERROR = 1e-4;
/* Steps of impulse that an evaluation of minimal replaces, and operations of such a step per row and per body. Larger
 * or smaller values only change which method is expected to be faster. */
static const double WORTH = 6, PER_ROW = 300, PER_BODY = 300;
/* K of Adams' method in most machines. A larger value takes more steps, a smaller one misses the requested error. */
static const double MEAN_K = 0.2;
/* Fraction of the run that a trial may simulate, in parts each of which ends LONGER_PART times as late as the last.
 * It ends before the part in which its steps would exceed MOST_TRIAL_STEPS. A larger TRIAL or MOST_TRIAL_STEPS spends
 * more of the run in the trial, a smaller one judges by too short a motion. A larger LONGER_PART exceeds the number
 * further, with a smaller one the ends of parts shorten steps. SHORTEST_PART: the first part, as a fraction of the
 * trial; a larger or smaller value only changes the parts. */
static const double TRIAL = 0.1, LONGER_PART = 2, SHORTEST_PART = 1.0 / 16;
enum { MOST_TRIAL_STEPS = 120 };
/* Steps that error control makes for one step whose poses do not show its error: a whole one and two halves. */
enum { PER_ATTEMPT = 3 };
/* Number of steps of order 2 in a trial from which order 4 is tried, because one step of order 4 takes at least 3 of
 * order 2. With a larger value order 4 is tried less often, with a smaller one it is tried where it cannot gain. */
static const double WORTHWHILE = 72;
/* Steps of order 2 in a run that counts as short, by the length of one of the FIRST_STEPS of the trial. With a larger
 * SHORT_RUN order 4 may be missed where it is faster, with a smaller one the trial takes a large part of the run.
 * With larger FIRST_STEPS trials of long runs take longer, smaller ones end before steps have grown. */
static const double SHORT_RUN = 240;
enum { FIRST_STEPS = 3 };
/* Models in which more bodies than this may collide count as chaotic heaps. */
enum { MOST_COLLIDING = 40 };

/* The request, what has been chosen for it, and the reason why minimal does not meet it. */
typedef struct request {
    const trm_model *model;
    const trm_allocator *allocator;
    trm_simulation_def options;
    trm_option *own; /* options of methods, with room for one more */
    double error;    /* m and rad per s: requested */
    double size;     /* m: of the machine */
    char why[160];
    char choice[400];
} request;

/* ---- Trials ------------------------------------------------------------------------------- */

/* Writes the first error, or what it is about. */
static void write_error(const trm_messages *messages, char *why, size_t size)
{
    for (int i = 0; i < trm_message_count(messages); i++) {
        const trm_message *m = trm_message_at(messages, i);
        if (m->severity != TRM_ERROR) continue;
        trm_print(why, size, "%s", m->code == TRM_MESSAGE_REFUSED ? m->subject : m->text);
        return;
    }
}

/* Creates a simulation with these options. If it is refused, sets *sim to NULL and why to the reason; otherwise adds
 * its messages to `to`, which may be NULL. Fails only when out of memory. */
static trm_status try_options(const request *c, const trm_simulation_def *o, trm_sim_demand demand, trm_messages *to,
                              trm_sim **sim, char *why, size_t size)
{
    trm_messages *messages = trm_messages_create(c->allocator);
    *sim = NULL;
    if (!messages) return TRM_OUT_OF_MEMORY;
    const trm_status status = trm_sim_create_named(c->model, o, demand, c->allocator, messages, sim);
    if (status == TRM_OK)
        trm_add_messages(to, messages);
    else
        write_error(messages, why, size);
    trm_messages_destroy(messages);
    return status == TRM_OUT_OF_MEMORY ? status : TRM_OK;
}

/* Simulates a trial up to t, with the rows of the run, which shorten its steps. Returns false if the trial
 * stopped. */
static bool run_part(trm_sim *trial, double t)
{
    return trm_sim_run(trial, &(const trm_run_def){.until = t, .every = trial->options.every}).ok;
}

/* Returns whether the run takes few steps of order 2, if all are as long as the next one. */
static bool is_short(const trm_sim *trial)
{
    const double per_step = trial->steps.by_defects ? 1 : PER_ATTEMPT;
    return per_step * trial->options.time <= SHORT_RUN * fabs(trial->steps.controlled);
}

/* Makes the first steps of a trial, until they show that the run is short. Returns whether they do; *t: the simulated
 * time, 0 if the trial stopped. */
static bool try_first_steps(trm_sim *trial, double whole, double *t)
{
    bool is_known = false;
    *t = 0;
    for (int i = 0; i < FIRST_STEPS && !is_known && *t < whole; i++) {
        const double end = fmin(*t + trial->steps.controlled, whole);
        *t = run_part(trial, end) ? end : 0;
        is_known = *t == 0 || is_short(trial);
    }
    return is_known;
}

/* Runs a trial over the first part of the run, up to `until` if that is finite. Returns the simulated time; 0 if the
 * trial stopped. */
static double run_trial(trm_sim *trial, double until)
{
    const double whole = TRIAL * (trial->options.time > 0 ? trial->options.time : 1), end = fmin(until, whole);
    double t = 0;
    if (isinf(until) && try_first_steps(trial, whole, &t)) return t;
    while (t < end) {
        t = fmin(end, isinf(until) ? fmax(LONGER_PART * t, SHORTEST_PART * whole) : end);
        if (!run_part(trial, t)) return 0;
        if (isinf(until) && LONGER_PART * (double)trial->steps.tries > MOST_TRIAL_STEPS) break;
    }
    return t;
}

/* ---- Minimal coordinates ------------------------------------------------------------------ */

static double impulse_operations(const trm_model *model)
{
    double rows = 0;
    for (int j = 0; j < model->joint_count; j++) rows += model->joints[j].rows;
    return PER_ROW * rows + PER_BODY * model->body_count;
}

/* Returns why minimal is not tried; NULL: it is. */
static const char *reason_against_minimal(const request *c, char *why, size_t size)
{
    const trm_force *force = trm_model_remembering_force(c->model);
    if (strcmp(c->options.solver, "direct") != 0)
        trm_print(why, size, "the solver %s is one of impulse", c->options.solver);
    else if (force)
        trm_print(why, size, "it does not control the error of ki and lag of servo '%s'",
                  force->name ? force->name : force->type->name);
    else
        return NULL;
    return why;
}

/* Creates a simulation in minimal coordinates. Sets *sim to NULL, and the reason, if they are not chosen. */
static trm_status try_minimal(request *c, trm_messages *messages, trm_sim **sim)
{
    trm_simulation_def o = c->options;
    const trm_sim_demand demand = {.most_operations = WORTH * impulse_operations(c->model), .sampling = o.step};
    *sim = NULL;
    if (reason_against_minimal(c, c->why, sizeof c->why)) return TRM_OK;
    o.method = "minimal";
    o.error = c->error / (MEAN_K * fmax(1, c->size));
    c->own[o.option_count++] = (trm_option){.method = "minimal", .name = "control", .text = "second"};
    o.options = c->own;
    if (o.every > o.step) o.step = o.every; /* rows are all that a step is for then */
    trm_print(c->choice, sizeof c->choice,
              "minimal with the tolerance %.2g per second: nothing in the model needs more than joint coordinates",
              o.error);
    return try_options(c, &o, demand, messages, sim, c->why, sizeof c->why);
}

/* ---- Impulses ----------------------------------------------------------------------------- */

static int colliding_bodies(const trm_model *model)
{
    int count = 0;
    for (int i = 0; i < model->body_count; i++) {
        bool collides = false;
        for (int k = 0; k < model->bodies[i].shape_count; k++) collides |= model->bodies[i].shapes[k].collide;
        count += collides && model->bodies[i].inverse_mass > 0;
    }
    return count;
}

/* Counts the steps of order 2 in a trial of this order up to *t, and sets *t if it is infinite. Sets *work to
 * INFINITY if this order is refused or the trial stopped. Fails only when out of memory. */
static trm_status count_steps(const request *c, double order, double *t, double *work, char *why, size_t size)
{
    trm_simulation_def o = c->options;
    trm_sim *trial;
    *work = INFINITY;
    o.order = order;
    const trm_status status = try_options(c, &o, (trm_sim_demand){0}, NULL, &trial, why, size);
    if (!trial) return status;
    const double reached = run_trial(trial, *t);
    const int results = trial->steps.extrapolation;
    const double stages = results > 0 ? 0.5 * results * (results + 1) : trial->steps.composition.stages;
    if (reached > 0)
        *t = reached, *work = stages * (double)trial->steps.tries;
    else
        trm_print(why, size, "a trial with error control stopped");
    trm_sim_destroy(trial);
    return TRM_OK;
}

static void take_fixed_steps(request *c, const char *why)
{
    c->options.error = NAN;
    trm_print(c->choice, sizeof c->choice,
              "impulse with fixed steps of %g s; the requested error is not controlled: %s; not minimal: %s",
              c->options.step, why, c->why);
}

/* Sets the options of impulse. Fails only when out of memory. */
static trm_status take_impulse(request *c)
{
    trm_simulation_def *o = &c->options;
    const bool requested = !isnan(o->error);
    double t = INFINITY, work[2] = {INFINITY, INFINITY};
    char why[160] = "", unused[160];
    o->method = "impulse";
    if (!requested && colliding_bodies(c->model) > MOST_COLLIDING) {
        take_fixed_steps(c, "many bodies may collide");
        return TRM_OK;
    }
    o->error = c->error;
    trm_status status = count_steps(c, 2, &t, &work[0], why, sizeof why);
    if (status == TRM_OK && isinf(work[0])) {
        take_fixed_steps(c, why);
        return TRM_OK;
    }
    if (status == TRM_OK && work[0] >= WORTHWHILE) status = count_steps(c, 4, &t, &work[1], unused, sizeof unused);
    if (work[1] < work[0]) o->order = 4;
    trm_print(c->choice, sizeof c->choice,
              "impulse of order %g with error control: a trial of %.2g s took %.0f steps; not minimal: %s", o->order,
              t, fmin(work[0], work[1]), c->why);
    return status;
}

/* ---- Choosing ----------------------------------------------------------------------------- */

/* Resets order and scheme, because auto chooses them, and warns if they were given. */
static void forget_order(trm_simulation_def *o, trm_messages *messages)
{
    const trm_simulation_def usual = trm_default_simulation_def();
    if (o->order != usual.order) {
        trm_add_warning(messages, (trm_place){0},
                        "order %g has no effect: the method \"auto\" chooses it; name the method to keep it",
                        o->order);
        trm_mark_message(messages, TRM_MESSAGE_NO_EFFECT, "order");
    }
    if (strcmp(o->scheme, usual.scheme) != 0) {
        trm_add_warning(messages, (trm_place){0},
                        "the scheme %s has no effect: the method \"auto\" chooses it; name the method to keep it",
                        o->scheme);
        trm_mark_message(messages, TRM_MESSAGE_NO_EFFECT, "scheme");
    }
    o->order = usual.order;
    o->scheme = usual.scheme;
}

/* Creates the simulation that is chosen. */
static trm_status create_chosen(request *c, trm_messages *messages, trm_sim **sim)
{
    trm_status status = try_minimal(c, messages, sim);
    if (status == TRM_OK && !*sim) {
        status = take_impulse(c);
        if (status == TRM_OK)
            status = trm_sim_create_named(c->model, &c->options, (trm_sim_demand){0}, c->allocator, messages, sim);
    }
    if (status != TRM_OK) return status;
    trm_print((*sim)->notes.choice, sizeof(*sim)->notes.choice, "%s", c->choice);
    (*sim)->notes.requested = c->error;
    (*sim)->notes.size = c->size;
    return TRM_OK;
}

trm_status trm_sim_create_automatic(const trm_model *model, const trm_simulation_def *options,
                                    const trm_allocator *allocator, trm_messages *messages, trm_sim **sim)
{
    request c = {.model = model, .allocator = allocator, .options = *options};
    trm_arena arena;
    *sim = NULL;
    forget_order(&c.options, messages);
    trm_arena_init(&arena, allocator);
    trm_state *start = trm_state_create(model, allocator);
    c.own = TRM_NEW_ARRAY(&arena, trm_option, options->option_count + 1);
    if (start && c.own) c.size = trm_machine_size(start);
    for (int i = 0; c.own && i < options->option_count; i++) c.own[i] = options->options[i];
    c.error = isnan(options->error) ? USUAL_ERROR * c.size : options->error;
    const trm_status status = start && c.own ? create_chosen(&c, messages, sim) : TRM_OUT_OF_MEMORY;
    trm_state_destroy(start);
    trm_arena_destroy(&arena);
    return status;
}

bool trm_sim_automatic_choice(const trm_sim *sim, trm_automatic_choice *choice)
{
    if (!sim->notes.choice[0]) return false;
    *choice = (trm_automatic_choice){.error = sim->notes.requested, .text = sim->notes.choice};
    return true;
}
