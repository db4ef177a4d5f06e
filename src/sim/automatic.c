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
 * Adams' method in minimal keeps the error of each step below a tolerance tau. With n steps per second, errors add up
 * to about e = K tau n max(1, L) per second, K between 0.001 and 1 (bench/automatic measures K). A trial finds n from
 * the length of its last step, and tau = E / (MEAN_K n max(1, L)). Error control of impulse overestimates its error by
 * 2 to 10 in the same bench, so its tolerance is LENIENT times E.
 *
 * A trial simulates the first part of the run. It counts steps and evaluations and measures no time. The choice
 * therefore depends on the model and the options alone: it is the same on every machine, and a resumed run chooses as
 * the first run did. Steps of impulse stay fixed where their error is not known: in time-stepping with contacts, and
 * where so many bodies may collide that the motion is chaotic. */

#include <stdio.h>
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
/* K of Adams' method in most machines, and the steps per second for which the first tolerance is computed. Larger or
 * smaller values only change the first tolerance; the trial corrects it. */
static const double MEAN_K = 0.2, FIRST_RATE = 50;
/* Tolerance of error control of impulse, in units of the requested error. A larger value misses the requested error,
 * a smaller one takes more steps than needed. */
static const double LENIENT = 3;
/* Fraction of the run that a trial may simulate, in TRIAL_PARTS parts. The trial ends after the part in which its
 * steps reach MOST_TRIAL_STEPS. A larger value spends more of the run in the trial, a smaller one judges by too short
 * a motion. */
static const double TRIAL = 0.1;
enum { TRIAL_PARTS = 8, MOST_TRIAL_STEPS = 80 };
/* Steps of order 2 that error control makes for one step: a whole one and two halves. */
enum { PER_ATTEMPT = 3 };
/* Number of steps of order 2 in a trial from which order 4 is tried, because one step of order 4 takes at least 3 of
 * order 2. With a larger value order 4 is tried less often, with a smaller one it is tried where it cannot gain. */
static const double WORTHWHILE = PER_ATTEMPT * 3 * TRIAL_PARTS;
/* Models in which more bodies than this may collide count as chaotic heaps. */
enum { MOST_COLLIDING = 40 };

/* The request, and the reason why minimal does not meet it. */
typedef struct request {
    trm_sim *sim;
    const trm_model *model;
    const trm_allocator *allocator;
    double error; /* m and rad per s: requested */
    double size;  /* m: of the machine */
    char why[160];
} request;

/* ---- Trials ------------------------------------------------------------------------------- */

/* Creates a simulation with these options. If it is refused, sets *trial to NULL and why to the reason. Fails only
 * when out of memory. */
static trm_status begin_trial(const request *c, const trm_simulation_def *o, trm_sim **trial, char *why, size_t size)
{
    trm_messages *messages = trm_messages_create(c->allocator);
    *trial = NULL;
    if (!messages) return TRM_OUT_OF_MEMORY;
    const trm_status status =
        trm_sim_create_sized(c->model, trm_with_size(o, sizeof *o), c->allocator, messages, trial);
    for (int i = 0; status != TRM_OK && i < trm_message_count(messages); i++)
        if (trm_message_at(messages, i)->severity == TRM_ERROR) {
            const trm_message *m = trm_message_at(messages, i);
            trm_print(why, size, "%s", m->code == TRM_MESSAGE_REFUSED ? m->subject : m->text);
            break;
        }
    trm_messages_destroy(messages);
    return status == TRM_OUT_OF_MEMORY ? status : TRM_OK;
}

static double work_of(const trm_counters *c)
{
    return (double)(c->evaluations + c->steps + c->rejections + c->halvings);
}

/* Simulates a trial up to t. Result rows shorten the steps of a method without error control of its own, so that such
 * a method gets the rows of the run. Returns false if the trial stopped. */
static bool run_part(trm_sim *trial, double t)
{
    if (trial->method->controls_error) return trm_sim_step(trial, t - trial->state->clock->time).ok;
    return trm_sim_run(trial, &(const trm_run_def){.until = t, .every = trial->options.every}).ok;
}

/* Runs a trial over the first part of the run, up to `until` if that is finite. Returns the simulated time; 0 if the
 * trial stopped. */
static double run_trial(trm_sim *trial, double until)
{
    const double whole = TRIAL * (trial->options.time > 0 ? trial->options.time : 1);
    double t = 0;
    for (int i = 1; i <= TRIAL_PARTS && t < until; i++) {
        t = fmin(until, whole * i / TRIAL_PARTS);
        if (!run_part(trial, t)) return 0;
        if (isinf(until) && work_of(&trial->counters) > MOST_TRIAL_STEPS) break;
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

static double tolerance_of(const request *c, double steps_per_second)
{
    return c->error / (MEAN_K * steps_per_second * fmax(1, c->size));
}

/* Runs the trial and sets the tolerance. Returns whether minimal is chosen. */
static bool take_minimal(request *c, trm_sim *trial)
{
    const double operations = trial->method->operations(trial->workspace);
    if (operations > WORTH * impulse_operations(c->model)) {
        trm_print(c->why, sizeof c->why, "loops make minimal coordinates expensive, %.1g operations per evaluation",
                  operations);
        return false;
    }
    const double t = run_trial(trial, INFINITY);
    if (!(t > 0)) {
        trm_print(c->why, sizeof c->why, "minimal coordinates stopped in a trial");
        return false;
    }
    const double rate = fmax(1 / trial->method->next_step(trial->workspace), 1);
    trm_simulation_def *o = &c->sim->options;
    o->method = "minimal";
    o->error = tolerance_of(c, rate);
    c->sim->steps.sampling.interval = o->step;
    if (o->every > o->step) o->step = o->every; /* rows are all that a step is for then */
    trm_print(c->sim->notes.choice, sizeof c->sim->notes.choice,
              "minimal with the tolerance %.2g: nothing in the model needs more than joint coordinates, and a trial "
              "of %.2g s ended with steps of %.2g s",
              o->error, t, 1 / rate);
    return true;
}

static trm_status try_minimal(request *c, bool *chosen)
{
    trm_simulation_def o = c->sim->options;
    trm_sim *trial;
    *chosen = false;
    if (strcmp(o.solver, "direct") != 0) {
        trm_print(c->why, sizeof c->why, "the solver %s is one of impulse", o.solver);
        return TRM_OK;
    }
    const trm_force *force = trm_model_remembering_force(c->model);
    if (force) {
        trm_print(c->why, sizeof c->why, "it does not control the error of ki and lag of servo '%s'",
                  force->name ? force->name : force->type->name);
        return TRM_OK;
    }
    o.method = "minimal";
    o.error = tolerance_of(c, FIRST_RATE);
    const trm_status status = begin_trial(c, &o, &trial, c->why, sizeof c->why);
    if (!trial) return status;
    const bool made = trm_sim_make_workspace(trial);
    if (made) *chosen = take_minimal(c, trial);
    trm_sim_destroy(trial);
    return made ? TRM_OK : TRM_OUT_OF_MEMORY;
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
    trm_simulation_def o = c->sim->options;
    trm_sim *trial;
    *work = INFINITY;
    o.order = order;
    const trm_status status = begin_trial(c, &o, &trial, why, size);
    if (!trial) return status;
    const double reached = run_trial(trial, *t);
    const trm_counters *n = &trial->counters;
    const int results = trial->steps.extrapolation;
    const double stages = results > 0 ? 0.5 * results * (results + 1) : trial->steps.composition.stages;
    if (reached > 0)
        *t = reached, *work = stages * PER_ATTEMPT * (0.5 * (double)n->steps + (double)(n->rejections + n->halvings));
    else
        trm_print(why, size, "a trial with error control stopped");
    trm_sim_destroy(trial);
    return TRM_OK;
}

static void take_fixed_steps(request *c, const char *why)
{
    c->sim->options.error = NAN;
    trm_print(c->sim->notes.choice, sizeof c->sim->notes.choice,
              "impulse with fixed steps of %g s; the requested error is not controlled: %s; not minimal: %s",
              c->sim->options.step, why, c->why);
}

static trm_status try_impulse(request *c)
{
    trm_simulation_def *o = &c->sim->options;
    const bool requested = !isnan(o->error);
    double t = INFINITY, work[2] = {INFINITY, INFINITY};
    char why[160] = "", unused[160];
    o->method = "impulse";
    if (!requested && colliding_bodies(c->model) > MOST_COLLIDING) {
        take_fixed_steps(c, "many bodies may collide");
        return TRM_OK;
    }
    o->error = LENIENT * c->error;
    trm_status status = count_steps(c, 2, &t, &work[0], why, sizeof why);
    if (status == TRM_OK && isinf(work[0])) {
        take_fixed_steps(c, why);
        return TRM_OK;
    }
    if (status == TRM_OK && work[0] >= WORTHWHILE) status = count_steps(c, 4, &t, &work[1], unused, sizeof unused);
    if (work[1] < work[0]) o->order = 4;
    trm_print(c->sim->notes.choice, sizeof c->sim->notes.choice,
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
        trm_add_message(messages, TRM_WARNING, (trm_place){0}, "",
                        "order %g has no effect: the method \"auto\" chooses it; name the method to keep it",
                        o->order);
        trm_mark_message(messages, TRM_MESSAGE_NO_EFFECT, "order");
    }
    if (strcmp(o->scheme, usual.scheme) != 0) {
        trm_add_message(messages, TRM_WARNING, (trm_place){0}, "",
                        "the scheme %s has no effect: the method \"auto\" chooses it; name the method to keep it",
                        o->scheme);
        trm_mark_message(messages, TRM_MESSAGE_NO_EFFECT, "scheme");
    }
    o->order = usual.order;
    o->scheme = usual.scheme;
}

trm_status trm_sim_choose_method(trm_sim *sim, const trm_model *model, const trm_allocator *allocator,
                                 trm_messages *messages)
{
    if (strcmp(sim->options.method, TRM_METHOD_AUTO) != 0) return TRM_OK;
    forget_order(&sim->options, messages);
    trm_state *start = trm_state_create(model, allocator);
    if (!start) return TRM_OUT_OF_MEMORY;
    request c = {.sim = sim, .model = model, .allocator = allocator, .size = trm_machine_size(start)};
    trm_state_destroy(start);
    c.error = isnan(sim->options.error) ? USUAL_ERROR * c.size : sim->options.error;
    bool chosen;
    trm_status status = try_minimal(&c, &chosen);
    if (status == TRM_OK && !chosen) status = try_impulse(&c);
    sim->notes.requested = c.error;
    sim->notes.size = c.size;
    return status;
}

bool trm_sim_automatic_choice(const trm_sim *sim, trm_automatic_choice *choice)
{
    if (!sim->notes.choice[0]) return false;
    *choice = (trm_automatic_choice){.error = sim->notes.requested, .text = sim->notes.choice};
    return true;
}
