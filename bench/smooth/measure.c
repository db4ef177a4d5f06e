/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Cost and errors of one run.
 *
 * Errors come from a run of the whole time, read every 0.01 s (or after each step, if that is longer). Cost comes from
 * other runs, which are not read: the process's time per step behind the first, at best of three, and of more while they
 * are short. Runs that take long are timed by their beginning. */

#include "measure.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "peers/peers.h"

static const double SAMPLE = 0.01;    /* s, simulated */
static const double LONGEST = 0.8;    /* s: a timed run ends behind it */
static const double LEAST = 0.05;     /* s: more runs are made until together they have lasted so long */
static const double ERROR_LIMIT = 10; /* s: a run for errors ends behind it */
enum { RUNS = 3, MOST_RUNS = 100, TIME_LIMIT = 25 }; /* s by the clock on the wall, for a row */

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int step_count(const request *r)
{
    return (int)lround(r->scene->time / r->h);
}

/* ---- Errors ------------------------------------------------------------------------------- */

static bool say(row *out, const char *text, double at)
{
    snprintf(out->status, sizeof out->status, "%s at %.3g s", text, at);
    return false;
}

static bool watch_run(const request *r, void *engine, watch *w, body_state *states, row *out)
{
    const int steps = step_count(r), stride = (int)lround(w->spacing / r->h);
    const double started = processor_seconds();
    for (int done = 0; done < steps; done += stride) {
        const double at = done * r->h;
        if (!r->peer->step(engine, stride)) return say(out, "gave up", at);
        r->peer->read(engine, states);
        if (!watch_sample(w, states)) return say(out, "exploded", at + stride * r->h);
        if (processor_seconds() - started > ERROR_LIMIT && done + stride < steps)
            return say(out, TOO_SLOW, at + stride * r->h);
    }
    out->errors = watch_result(w, states);
    return true;
}

static bool find_errors(const request *r, row *out)
{
    const double spacing = fmax(1, round(SAMPLE / r->h)) * r->h;
    const char *why = "could not be built";
    watch w;
    body_state *states = calloc((size_t)r->scene->body_count, sizeof *states);
    void *engine = states ? r->peer->create(r->scene, r->h, &why) : NULL;
    bool good = engine && watch_begin(&w, r->kind, r->scene, r->reference, spacing);
    if (good) {
        good = watch_run(r, engine, &w, states, out);
        watch_end(&w);
    } else {
        snprintf(out->status, sizeof out->status, "%s%s", CANNOT_RUN, why);
    }
    if (engine) r->peer->destroy(engine);
    free(states);
    return good;
}

/* ---- Cost --------------------------------------------------------------------------------- */

/* Process time of one step, from the second on, in pieces that double, so that the clock costs nothing. */
static double time_steps(const request *r, double *lasted)
{
    const char *why = "";
    const int steps = step_count(r);
    double seconds = 0;
    int done = 0;
    void *engine = r->peer->create(r->scene, r->h, &why);
    if (!engine) return NAN;
    bool good = r->peer->step(engine, 1);
    const double started = processor_seconds();
    for (int piece = 1; good && done < steps - 1 && seconds < LONGEST; piece *= 2) {
        const int now = piece < steps - 1 - done ? piece : steps - 1 - done;
        good = r->peer->step(engine, now);
        done += now;
        seconds = processor_seconds() - started;
        if (piece > 1 && 2 * seconds > LONGEST) piece /= 2; /* the next is as long as this one */
    }
    r->peer->destroy(engine);
    *lasted = seconds;
    return good && done > 0 ? seconds / done : NAN;
}

static void find_cost(const request *r, row *out)
{
    double best = INFINITY, all = 0;
    for (int run = 0; run < RUNS || (all < LEAST && run < MOST_RUNS); run++) {
        double lasted = 0;
        best = fmin(best, time_steps(r, &lasted));
        all += lasted;
        if (lasted > 4 * LONGEST) break; /* a single step takes seconds: once must do */
    }
    out->us_per_step = 1e6 * best;
    out->s_per_simulated_s = best / r->h;
}

/* ---- In a child --------------------------------------------------------------------------- */

static row empty_row(const request *r)
{
    row out = {.h = r->h, .us_per_step = NAN, .s_per_simulated_s = NAN};
    snprintf(out.peer, sizeof out.peer, "%s", r->peer->name);
    snprintf(out.variant, sizeof out.variant, "%s", r->peer->variant);
    out.errors = (errors){NAN, NAN, NAN, NAN, NAN, NAN};
    snprintf(out.status, sizeof out.status, "no memory or no process");
    return out;
}

/* Engines print and log: not here. */
static void run_child(const request *r, int to)
{
    row out = empty_row(r);
    alarm(TIME_LIMIT); /* not RLIMIT_CPU: under it Linux counts processor time in ticks of 4 ms */
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
    if (chdir("/tmp") != 0) _exit(1);
    if (find_errors(r, &out)) {
        find_cost(r, &out);
        snprintf(out.status, sizeof out.status, "ok");
    } else if (strncmp(out.status, TOO_SLOW, strlen(TOO_SLOW)) == 0) {
        find_cost(r, &out);
    }
    _exit(write(to, &out, sizeof out) == (ssize_t)sizeof out ? 0 : 1);
}

static void describe_death(int status, row *out)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(out->status, sizeof out->status, "took longer than %d s", TIME_LIMIT);
    else if (WIFSIGNALED(status))
        snprintf(out->status, sizeof out->status, "crashed: %s", strsignal(WTERMSIG(status)));
    else
        snprintf(out->status, sizeof out->status, "ended itself");
}

row measure(const request *r)
{
    row out = empty_row(r);
    int ends[2], status = 0;
    if (pipe(ends) != 0) return out;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_child(r, ends[1]);
    }
    close(ends[1]);
    row got;
    const bool whole = child > 0 && read(ends[0], &got, sizeof got) == (ssize_t)sizeof got;
    close(ends[0]);
    if (child > 0) waitpid(child, &status, 0);
    if (whole) return got;
    if (child > 0) describe_death(status, &out);
    return out;
}

/* ---- References --------------------------------------------------------------------------- */

bool run_reference(const scene *s, double h, body_state *states)
{
    const char *why = "";
    void *engine = trammel_reference.create(s, h, &why);
    if (!engine) return false;
    const bool good = trammel_reference.step(engine, (int)lround(s->time / h));
    if (good) trammel_reference.read(engine, states);
    trammel_reference.destroy(engine);
    return good;
}
