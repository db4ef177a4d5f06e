/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A run whose verdict is good is not wrong.
 *
 * Each method makes the run with steps up to 16 times its own, as a user might. The run is compared with one of
 * another method, of order 4 with a quarter of the step, or of half the step where events or contacts do not allow
 * order 4. A run is wrong if bodies are farther off than WRONG and the sensitivity of the machine does not explain
 * it; it is right within RIGHT. Runs that are right and get a bad verdict are counted. */

#include <stdio.h>

#include "check.h"

static const double WRONG = 0.1, RIGHT = 0.01; /* m, rad for the unscaled machine */
static const double CHAOS = 1e-6;              /* m, rad: factor of the sensitivity of the machine */
static const double NUDGE = 1e-3; /* m/s: change of the start by which runs diverge as far where impacts differ */

typedef struct trial {
    const char *method, *solver;
    double factor; /* factor of the step */
} trial;

static const trial trials[] = {
    {"impulse", "direct", 1},   {"impulse", "direct", 4},  {"impulse", "direct", 16},  {"impulse", "hierarchy", 1},
    {"lagrange", "direct", 1},  {"lagrange", "direct", 4}, {"lagrange", "direct", 16}, {"subsystem", "direct", 1},
    {"subsystem", "direct", 4}, {"minimal", "direct", 1},  {"lcp", "direct", 1},
};
enum { TRIALS = sizeof trials / sizeof *trials };
enum { ONE_IN = 6 }; /* of the trials of a machine besides the first */

static motion run_trial(const subject *s, const trial *t, double shorter)
{
    run_def def = run_plain(s);
    def.options.method = t->method;
    def.options.solver = t->solver;
    def.options.step *= t->factor * shorter;
    def.every = fmax(def.every, def.options.step);
    return run_machine(s, &def);
}

/* Finds a reference: of another method whose results with two steps agree and whose verdict is good. Two runs that do
 * not resolve the motion may agree by chance. Returns false if there is none. */
static bool find_reference(const subject *s, const char *method, double order, motion *reference)
{
    run_def def = run_plain(s);
    def.options.method = method;
    def.options.order = order;
    def.options.position_tolerance = 1e-12 * s->m->length;
    def.options.angle_tolerance = def.options.velocity_tolerance = 1e-12;
    def.options.step /= 2;
    const motion coarse = run_machine(s, &def);
    def.options.step /= 2;
    *reference = run_machine(s, &def);
    return coarse.ok && reference->ok && reference->grade == TRM_GOOD &&
           motion_distance(s, &coarse, reference) < RIGHT;
}

static bool is_first_order_by_design(const trial *t)
{
    return t->method[0] == 'l' && t->method[1] == 'c';
}

/* Returns whether the motion is chaotic. Contacts separate two runs at the next impact that only one of them has,
 * which no small change of the start shows. */
static bool is_chaotic(const subject *s, double apart, bool events)
{
    const run_def def = run_plain(s);
    const motion plain = run_machine(s, &def);
    if (apart <= CHAOS * sensitivity(s, &def, &plain, apart / CHAOS)) return true;
    for (int sign = -1; events && sign <= 1; sign += 2)
        if (NUDGE * sensitivity_to(s, &def, &plain, sign * NUDGE) > 0.2 * apart) return true;
    return false;
}

static finding judge(const subject *s, const trial *t, const motion *reference, share *good, share *right)
{
    const motion run = run_trial(s, t, 1), half = reference ? *reference : run_trial(s, t, 0.5);
    if (!run.ok || !half.ok) return not_told(run.ok ? half.why : run.why);
    const double apart = motion_distance(s, &run, &half);
    if (apart <= RIGHT) *right = (share){right->hold + (run.grade != TRM_BAD), right->all + 1};
    if (run.grade != TRM_GOOD) return holds();
    good->all++;
    good->hold++;
    if (apart <= WRONG) return holds();
    if (is_chaotic(s, apart, !reference)) return not_told("chaotic");
    good->hold--;
    char kind[40];
    snprintf(kind, sizeof kind, "%s %s %g", t->method, t->solver, t->factor);
    finding f = fails(kind, apart, WRONG,
                      "the verdict on %s with %g times its step is good (%s), but it is %.3g m or rad off", t->method,
                      t->factor, run.reason, apart);
    snprintf(f.options, sizeof f.options, "--method %s --solver %s", t->method, t->solver);
    return f;
}

static finding look(const subject *s)
{
    const bool smooth = !(traits_of(s) & (HAS_CONTACTS | HAS_EVENTS));
    motion reference;
    const bool known =
        smooth && (find_reference(s, "lagrange", 4, &reference) || find_reference(s, "impulse", 4, &reference));
    if (smooth && !known) return not_told("not resolved");
    finding worst = holds();
    share good = {0, 0}, right = {0, 0};
    for (int i = 0; i < TRIALS; i++) {
        if (!smooth && (is_first_order_by_design(&trials[i]) || trials[i].factor > 1)) continue;
        if (i > 0 && !is_sampled(s, "trial", i, ONE_IN)) continue;
        const finding f = judge(s, &trials[i], known ? &reference : NULL, &good, &right);
        if (f.verdict == FAILS && worst.verdict != FAILS) worst = f;
    }
    worst.shares[SCORE_GOOD] = good;
    worst.shares[SCORE_RIGHT] = right;
    return worst;
}

const check check_verdict = {"verdict", "a run whose verdict is good is not wrong", look, false, 0};
