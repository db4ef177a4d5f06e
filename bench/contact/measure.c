/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Cost and figures of one engine on one scene.
 *
 * Figures come from a run of the whole time, in which the bodies are looked at behind every stride of steps. Cost is the
 * process's time in the steps of a whole run, the looks left out: of that run and, where it was short, of the best of more runs
 * without looks. A run that takes longer than the scene allows is stopped, and the row says how far it came. */

#include "measure.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double ENOUGH = 0.5; /* s: no more runs are made when together they have lasted so long */
enum { MOST_RUNS = 20 };

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int step_count(const request *r)
{
    return (int)lround(r->scene->time / BENCH_STEP);
}

/* ---- Figures ------------------------------------------------------------------------------ */

static bool say(row *out, const char *text, double at)
{
    snprintf(out->status, sizeof out->status, "%s at %.3g s", text, at);
    return false;
}

/* Process time of so many steps; NAN: the engine gave up. */
static double time_steps(const request *r, void *engine, int count)
{
    const double started = processor_seconds();
    return r->peer->step(engine, count) ? processor_seconds() - started : NAN;
}

/* Keeps the row up to date as it goes: a child that dies leaves what it had. */
static bool watch_run(const request *r, void *engine, body_state *states, row *out)
{
    const int steps = step_count(r);
    double seconds = 0;
    watch w = watch_begin(r->kind, r->scene);
    for (int done = 0; done < steps;) {
        const double at = done * BENCH_STEP;
        const int now = r->kind->stride < steps - done ? r->kind->stride : steps - done;
        say(out, "died or hung", at);
        seconds += time_steps(r, engine, now);
        if (isnan(seconds)) return say(out, "gave up", at);
        done += now;
        r->peer->read(engine, states);
        if (!watch_sample(&w, states, done * BENCH_STEP)) return say(out, "exploded", at);
        out->figures = watch_result(&w, states, done * BENCH_STEP);
        out->us_per_step = 1e6 * seconds / done;
        if (seconds > r->kind->limit && done < steps) return say(out, "too slow: stopped", done * BENCH_STEP);
    }
    return true;
}

static bool find_figures(const request *r, row *out)
{
    const char *why = "could not be built";
    body_state *states = calloc((size_t)r->scene->body_count, sizeof *states);
    void *engine = states ? r->peer->create(r->scene, BENCH_STEP, &why) : NULL;
    const bool good = engine && watch_run(r, engine, states, out);
    if (!engine) snprintf(out->status, sizeof out->status, "cannot run it: %s", why);
    if (engine) r->peer->destroy(engine);
    free(states);
    return good;
}

/* ---- Cost --------------------------------------------------------------------------------- */

/* Of a whole run that nobody looks at. */
static double time_run(const request *r)
{
    const char *why = "";
    void *engine = r->peer->create(r->scene, BENCH_STEP, &why);
    if (!engine) return NAN;
    const double seconds = time_steps(r, engine, step_count(r));
    r->peer->destroy(engine);
    return seconds;
}

static void find_cost(const request *r, row *out)
{
    const double per_step = 1e6 / step_count(r);
    double all = out->us_per_step / per_step;
    for (int run = 0; all < ENOUGH && run < MOST_RUNS; run++) {
        const double seconds = time_run(r);
        if (isnan(seconds)) return;
        out->us_per_step = fmin(out->us_per_step, per_step * seconds);
        all += seconds;
    }
}

/* ---- In a child --------------------------------------------------------------------------- */

static row empty_row(const request *r)
{
    row out = {.us_per_step = NAN, .figures = {NAN, NAN, NAN, {NAN, NAN}}};
    snprintf(out.peer, sizeof out.peer, "%s", r->peer->name);
    snprintf(out.variant, sizeof out.variant, "%s", r->peer->variant);
    snprintf(out.status, sizeof out.status, "no memory or no process");
    return out;
}

/* Engines print and log: not here. */
static void run_child(const request *r, row *out)
{
    /* by the clock on the wall, twice the limit and time for the looks: for single steps that never end */
    alarm((unsigned)(2 * r->kind->limit) + 60);
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
    if (chdir("/tmp") != 0) _exit(1);
    if (find_figures(r, out)) {
        find_cost(r, out);
        snprintf(out->status, sizeof out->status, "ok");
    }
    _exit(0);
}

static void describe_death(int status, row *out)
{
    const size_t used = strlen(out->status);
    char *end = out->status + used;
    if (WIFSIGNALED(status)) snprintf(end, sizeof out->status - used, ": %s", strsignal(WTERMSIG(status)));
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0) snprintf(end, sizeof out->status - used, ": ended itself");
}

row measure(const request *r)
{
    row out = empty_row(r);
    row *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return out;
    *shared = out;
    fflush(NULL);
    const pid_t child = fork();
    int status = 0;
    if (child == 0) run_child(r, shared);
    if (child > 0) waitpid(child, &status, 0);
    out = *shared;
    munmap(shared, sizeof *shared);
    if (child > 0) describe_death(status, &out);
    return out;
}
