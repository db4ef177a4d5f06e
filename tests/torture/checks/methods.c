/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Every method that takes a machine moves it alike.
 *
 * The reference is impulse of order 4. A method is wrong when it is farther away than its own error and that of the reference
 * explain: the difference between its runs with h and h/2, several times, and noise. Where that difference is large the step
 * does not resolve the motion, and nothing is told. A method that stops and says why is not wrong. */

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "noise.h"

static const double RESOLVED = 0.02;  /* m, rad: difference of h and h/2 */
static const double FACTOR = 6;       /* errors are at most so many times that difference, */
static const double FIRST_ORDER = 20; /* and of order 1 so many */

static const double AGREE = 1e-7;     /* m, rad, times the machine's sensitivity: nearer need no two methods be */
static const double CONVERGES = 0.25; /* of the difference, where the step of the reference is halved */

typedef struct contender {
    const char *name;
    const char *method, *solver;
    double order;
    const char *option, *word;
    bool events; /* its events are found at their times, and it does not lose its order by them */
    bool first_order;
    bool own_error; /* its steps are as long as an error allows */
} contender;

static const contender contenders[] = {
    {"impulse", "impulse", "direct", 2, NULL, NULL, true, false, false},
    {"impulse iterative", "impulse", "iterative", 2, NULL, NULL, true, false, false},
    {"impulse hierarchy", "impulse", "hierarchy", 2, NULL, NULL, true, false, false},
    {"lagrange", "lagrange", "direct", 4, NULL, NULL, true, false, false},
    {"lagrange dopri5", "lagrange", "direct", 5, "integrator", "dopri5", true, false, false},
    {"minimal", "minimal", "direct", 2, NULL, NULL, true, false, true},
    {"subsystem", "subsystem", "direct", 4, NULL, NULL, true, false, false},
    {"taylor", "taylor", "direct", 8, NULL, NULL, true, false, false},
    {"lcp", "lcp", "direct", 1, NULL, NULL, false, true, false},
};

/* The run with h/2, and how far it is from that with h. */
typedef struct estimate {
    motion fine;
    double error;
} estimate;

static estimate run_twice(const subject *s, run_def def)
{
    const motion run = run_machine(s, &def);
    if (!run.ok) return (estimate){run, INFINITY};
    def.options.step /= 2;
    if (!isnan(def.options.error)) def.options.error /= 8;
    estimate e = {run_machine(s, &def), 0};
    e.error = e.fine.ok ? motion_distance(s, &run, &e.fine) : INFINITY;
    return e;
}

static run_def compete(const run_def *plain, const contender *c, trm_option *option)
{
    run_def def = *plain;
    def.options.method = c->method;
    def.options.solver = c->solver;
    def.options.order = c->order;
    def.options.scheme = "composition";
    if (c->own_error) def.options.error = 1e-7 * def.view.length;
    if (!c->option) return def;
    *option = (trm_option){.method = c->method, .name = c->option, .text = c->word};
    def.options.options = option;
    def.options.option_count = 1;
    return def;
}

static double bound_of(const contender *c, const estimate *other, const estimate *reference, double noise)
{
    return (c->first_order ? FIRST_ORDER : FACTOR) * (other->error + reference->error) + noise;
}

/* A method that is too far away is run again with half the step: where it does not converge, its own error tells nothing. */
static finding compare(const subject *s, const run_def *plain, const contender *c, const estimate *reference,
                       double noise)
{
    trm_option option;
    run_def def = compete(plain, c, &option);
    const estimate first = run_twice(s, def);
    if (!first.fine.accepted || !first.fine.ok) return not_told(first.fine.why);
    if (!(first.error < RESOLVED)) return not_told("not resolved");
    if (motion_distance(s, &reference->fine, &first.fine) <= bound_of(c, &first, reference, noise)) return holds();
    def.options.step /= 2;
    if (c->own_error) def.options.error /= 8;
    const estimate other = run_twice(s, def);
    const double apart = motion_distance(s, &reference->fine, &other.fine);
    const double bound = bound_of(c, &other, reference, noise);
    if (!other.fine.ok || other.error > fmax((c->first_order ? 0.7 : CONVERGES) * first.error, noise))
        return not_told("not resolved");
    if (apart <= bound) return holds();
    finding f = fails(c->name, apart, bound,
                      "%s is %.3g m or rad away from impulse of order 4 at the end; its own error is %.2g, that of "
                      "impulse %.2g, noise %.2g",
                      c->name, apart, other.error, reference->error, noise);
    snprintf(f.options, sizeof f.options, "--method %s%s%s --solver %s", c->method, c->option ? ":integrator=" : "",
             c->option ? c->word : "", c->solver);
    return f;
}

static finding look(const subject *s)
{
    const unsigned traits = traits_of(s);
    if (traits & HAS_CONTACTS) return not_told("contacts");
    run_def plain = run_plain(s);
    plain.options.position_tolerance = 1e-12 * s->m->length;
    plain.options.angle_tolerance = 1e-12;
    plain.options.velocity_tolerance = 1e-11 * fmin(1, s->m->length);
    plain.patience = 4; /* what crawls stops, and is not wrong */
    run_def best = plain;
    best.options.order = 4;
    best.options.scheme = traits & HAS_DAMPING ? "extrapolation" : "composition";
    const estimate coarse = run_twice(s, best);
    best.options.step /= 2;
    const estimate reference = run_twice(s, best);
    if (!reference.fine.ok) return not_told(reference.fine.why);
    if (!(reference.error < RESOLVED) || reference.error > fmax(CONVERGES * coarse.error, 1e-9))
        return not_told("not resolved");
    const double sensitive = sensitivity(s, &best, &reference.fine),
                 noise = fmax(noise_of(s, &best, &reference.fine), AGREE * sensitive);
    if (!(noise < CHAOTIC)) return not_told("chaotic");
    for (size_t i = 0; i < sizeof contenders / sizeof *contenders; i++) {
        if ((traits & HAS_EVENTS) && !contenders[i].events) continue;
        const finding f = compare(s, &plain, &contenders[i], &reference, noise);
        if (f.verdict == FAILS) return f;
    }
    return holds();
}

const check check_methods = {"methods", "every method that takes a machine moves it alike", look, false};
