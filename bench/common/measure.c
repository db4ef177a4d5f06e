/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Cost and figures of one run.
 *
 * Figures come from a run of the whole time, in which the bodies are observed at intervals. Cost is processor time per
 * step without the observations, the best of several runs: the bench determines how many and how long. */

#include "common/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/child.h"
#include "common/machine.h"

static const char CANNOT_RUN[] = "cannot run it: ", TOO_SLOW[] = "too slow: stopped";
enum { MOST_RUNS = 100 };

static int step_count(const request *r)
{
    return (int)lround(r->scene->time / r->h);
}

static double time_limit(const bench *b, const request *r)
{
    return r->kind->limit > 0 ? r->kind->limit : b->limit;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

bool is_hopeless(const row *r)
{
    return begins_with(r->status, CANNOT_RUN) || begins_with(r->status, TOO_SLOW);
}

static void put_cost(row *out, double s_per_step)
{
    out->us_per_step = 1e6 * s_per_step;
    out->s_per_simulated_s = s_per_step / out->h;
}

/* ---- Figures ------------------------------------------------------------------------------ */

static bool say(row *out, const char *text)
{
    snprintf(out->status, sizeof out->status, "%s at %.3g s", text, out->reached);
    return false;
}

/* Returns whether a run has exceeded the limit, or would take ten times as long at the present pace. */
static bool is_too_slow(double seconds, double part, double limit)
{
    return seconds > limit || (seconds > 0.2 * limit && seconds > 10 * limit * part);
}

/* A run that is observed. */
typedef struct run {
    void *engine, *watch;
    body_state *states;
    int stride; /* steps between observations */
} run;

/* Runs with observation. Updates the row during the run: a child that dies leaves the figures so far. */
static bool watch_run(const bench *b, const request *r, const run *now, row *out)
{
    const int steps = step_count(r);
    double seconds = 0;
    for (int done = 0; done < steps;) {
        const int count = now->stride < steps - done ? now->stride : steps - done;
        const double started = processor_seconds();
        if (!r->peer->step(now->engine, count)) return say(out, "gave up");
        seconds += processor_seconds() - started;
        done += count;
        r->peer->read(now->engine, now->states);
        out->reached = done * r->h;
        if (!b->watcher.look(now->watch, now->states, out->reached)) return say(out, "exploded");
        if (b->partial || done == steps) b->watcher.result(now->watch, now->states, out->reached, out->figures);
        if (b->partial) put_cost(out, seconds / done);
        if (done < steps && is_too_slow(seconds, (double)done / steps, time_limit(b, r))) return say(out, TOO_SLOW);
    }
    return true;
}

static bool find_figures(const bench *b, const request *r, row *out)
{
    const double spacing = r->kind->spacing > 0 ? r->kind->spacing : b->spacing;
    const char *why = "could not be built";
    run now = {.stride = (int)fmax(1, round(spacing / r->h))};
    now.states = calloc((size_t)r->scene->body_count, sizeof *now.states);
    now.watch = b->watcher.begin(r, now.stride * r->h);
    if (now.states && now.watch) now.engine = r->peer->create(r->scene, r->h, &why);
    const bool good = now.engine && watch_run(b, r, &now, out);
    if (!now.engine) snprintf(out->status, sizeof out->status, "%s%s", CANNOT_RUN, why);
    if (now.engine) r->peer->destroy(now.engine);
    if (now.watch) b->watcher.end(now.watch);
    free(now.states);
    return good;
}

/* ---- Cost --------------------------------------------------------------------------------- */

/* Measures the processor time of one step, from the second on, in pieces of doubling length, so that reading the
 * clock costs nothing. */
static double time_steps(const request *r, double longest, double *lasted)
{
    const char *why = "";
    const int steps = step_count(r);
    double seconds = 0;
    int done = 0;
    void *engine = r->peer->create(r->scene, r->h, &why);
    if (!engine) return NAN;
    bool good = r->peer->step(engine, 1);
    const double started = processor_seconds();
    for (int piece = 1; good && done < steps - 1 && seconds < longest; piece *= 2) {
        const int now = piece < steps - 1 - done ? piece : steps - 1 - done;
        good = r->peer->step(engine, now);
        done += now;
        seconds = processor_seconds() - started;
        if (piece > 1 && 2 * seconds > longest) piece /= 2; /* the next is as long as this one */
    }
    r->peer->destroy(engine);
    *lasted = seconds;
    return good && done > 0 ? seconds / done : NAN;
}

static void find_cost(const request *r, const cost_rule *rule, row *out)
{
    const bool whole = isinf(rule->longest);
    double best = whole ? 1e-6 * out->us_per_step : INFINITY, all = whole ? best * step_count(r) : 0;
    for (int i = 0; i < rule->runs || (all < rule->least && i < MOST_RUNS); i++) {
        double lasted = 0;
        best = fmin(best, time_steps(r, rule->longest, &lasted));
        all += lasted;
        if (lasted > 4 * rule->longest) break; /* a single step takes seconds: it is measured once */
    }
    put_cost(out, best);
}

/* ---- In a child --------------------------------------------------------------------------- */

typedef struct job {
    const bench *bench;
    const request *request;
} job;

static void work(const void *context, row *out)
{
    const job *j = context;
    const bool good = find_figures(j->bench, j->request, out);
    if (good || begins_with(out->status, TOO_SLOW)) find_cost(j->request, &j->bench->cost, out);
    if (good) snprintf(out->status, sizeof out->status, "ok");
}

/* Measures in a child process. Its limit of wall-clock time is twice that of processor time plus the time for
 * observations, for single steps that never end. */
row measure(const bench *b, const request *r)
{
    const job whole = {b, r};
    row out = {.h = r->h, .us_per_step = NAN, .s_per_simulated_s = NAN};
    snprintf(out.peer, sizeof out.peer, "%s", r->peer->name);
    snprintf(out.variant, sizeof out.variant, "%s", r->peer->variant);
    for (int i = 0; i < MOST_FIGURES; i++) out.figures[i] = NAN;
    run_in_child(work, &whole, (unsigned)(2 * time_limit(b, r)) + 5, &out);
    return out;
}
