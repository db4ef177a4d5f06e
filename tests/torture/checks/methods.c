/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Every method that accepts a machine moves it in the same way: the final states of two methods agree to AGREE times
 * the sensitivity K of the machine.
 *
 * The step of each method is halved until its own error is a small part of that. For smooth machines the final state
 * is extrapolated to the step 0: with T(j, 0) the result of the run with h/2^j of a method of order p,
 *
 *     T(j, k) = T(j, k-1) + (T(j, k-1) - T(j-1, k-1)) / (2^(p+k-1) - 1)
 *
 * has order p + k (Richardson), so that methods of order 1 and 2 need a few halvings instead of ten. Where events
 * fall into steps, results have no such series: runs with h and h/2 that differ by d have an error of about d / (2^p
 * - 1). Where error control chooses the steps there is no h, and the final error is proportional to the requested
 * one: the same holds for runs with E and E/8 (p = 3). A method that does not converge in MOST_HALVINGS is not
 * resolved and proves nothing; the share of those that do is counted. A method that stops and says why is not
 * wrong. */

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "math/rotation.h"
#include "noise.h"

static const double AGREE = 1e-6; /* m, rad: factor of the machine's sensitivity */
static const double OWN = 0.1;    /* fraction of that: largest error that a method may estimate for itself */
static const double STALLS =
    0.6; /* ratio of differences, which should be at most half: above it a method does not converge */
static const double ROUGHLY = 0.1; /* m, rad: larger differences do not show convergence */
enum { MOST_HALVINGS = 9, STALLED = 4 };
enum {
    PER_ERROR = 3
}; /* halvings of a requested error for each of the step: the error of the end follows it in proportion */
enum { ONE_IN = 12 }; /* of the machines: ten methods take five times as long as all other checks together */
static const double MOST_STEPS = 1e5; /* planned steps: a run that divides shorter ones proves nothing */

typedef struct contender {
    const char *name;
    const char *method, *solver;
    double order;
    const char *word; /* the integrator; NULL: the method has none */
    bool events;      /* it locates events, which therefore do not reduce its order */
    bool own_error;   /* it controls its error */
    int one_in;       /* one in this many machines, for a method that takes most of the time */
} contender;

static const contender contenders[] = {
    {"impulse", "impulse", "direct", 2, NULL, true, false, 1},
    {"impulse of order 6", "impulse", "direct", 6, NULL, true, false, 1},
    {"impulse iterative", "impulse", "iterative", 2, NULL, true, false, 8},
    {"impulse hierarchy", "impulse", "hierarchy", 2, NULL, true, false, 1},
    {"lagrange", "lagrange", "direct", 4, NULL, true, false, 1},
    {"lagrange dopri5", "lagrange", "direct", 5, "dopri5", true, false, 1},
    {"minimal", "minimal", "direct", 6, NULL, true, true, 1},
    {"subsystem", "subsystem", "direct", 4, NULL, true, false, 1},
    {"taylor", "taylor", "direct", 8, NULL, true, false, 1},
    {"lcp", "lcp", "direct", 1, NULL, false, false, 1},
};
enum { CONTENDERS = sizeof contenders / sizeof *contenders };

static const contender reference_method = {"impulse of order 4", "impulse", "direct", 4, NULL, true, false, 1};

/* The best result of a method, and its own estimate of the error. */
typedef struct estimate {
    motion end;
    double error; /* m, rad; INF: not known */
    bool stalled; /* halving the step no longer reduces the differences */
} estimate;

/* Returns whether a run proves something: two runs whose steps were divided to the same parts agree trivially, and a
 * run with a bad verdict is known to be wrong. */
static bool tells(const motion *run)
{
    return run->ok && run->counters.halvings == 0 && run->grade != TRM_BAD;
}

/* ---- Richardson --------------------------------------------------------------------------- */

/* fine + (fine - coarse) / (2^order - 1) */
static motion improve(const subject *s, const motion *fine, const motion *coarse, double order)
{
    motion better = *fine;
    const double weight = 1 / (exp2(order) - 1);
    for (int i = 0; i < s->m->body_count; i++) {
        if (!fine->there[i]) continue;
        const trm_pose *a = &fine->pose[i], *b = &coarse->pose[i];
        const trm_vec3 turn = trm_quat_log(trm_quat_mul(a->q, trm_quat_conj(b->q)));
        better.pose[i].p = trm_v3_add_scaled(a->p, weight, trm_v3_sub(a->p, b->p));
        better.pose[i].q = trm_quat_mul(trm_quat_exp(trm_v3_scale(weight, turn)), a->q);
    }
    return better;
}

/* Computes the next row of the table, in place. */
static void add_row(const subject *s, motion *table, int row, const motion *run, double order)
{
    motion next = *run;
    for (int k = 0; k < row; k++) {
        const motion better = improve(s, &next, &table[k], order + k);
        table[k] = next;
        next = better;
    }
    table[row] = next;
}

/* State of the test whether the last differences no longer decrease. */
typedef struct stalling {
    double last;
    int count;
} stalling;

static void note_difference(stalling *s, double d)
{
    s->count = d < ROUGHLY && d > STALLS * s->last ? s->count + 1 : 0;
    s->last = d;
}

static estimate extrapolate(const subject *s, run_def def, double order, double enough)
{
    static motion table[MOST_HALVINGS + 1];
    estimate best = {.error = INFINITY};
    stalling stall = {INFINITY, 0};
    for (int row = 0; row <= MOST_HALVINGS && best.error > enough; row++, def.options.step /= 2) {
        const motion run = run_machine(s, &def);
        if (!run.ok) {
            best.end = run;
            return best;
        }
        if (!tells(&run)) { /* the series begins with the next step */
            row = -1;
            if (def.options.time / def.options.step > MOST_STEPS) return best;
            continue;
        }
        const motion before = best.end;
        add_row(s, table, row, &run, order);
        best.end = table[row];
        if (row > 0) best.error = motion_distance(s, &before, &best.end);
        if (row > 0) note_difference(&stall, best.error);
    }
    best.stalled = best.error > enough && stall.count >= STALLED;
    return best;
}

/* ---- Halving ------------------------------------------------------------------------------ */

static estimate halve(const subject *s, run_def def, double order, double enough)
{
    estimate best = {.end = run_machine(s, &def), .error = INFINITY};
    stalling stall = {INFINITY, 0};
    for (int k = 0; k < MOST_HALVINGS && best.end.ok && best.error > enough; k++) {
        def.options.step /= 2;
        if (!isnan(def.options.error)) def.options.error /= exp2(PER_ERROR);
        const motion fine = run_machine(s, &def);
        const double d = tells(&best.end) && tells(&fine) ? motion_distance(s, &best.end, &fine) : INFINITY;
        best.end = fine;
        best.error = d / (exp2(order) - 1);
        note_difference(&stall, d);
    }
    best.stalled = best.error > enough && stall.count >= STALLED;
    return best;
}

static run_def compete(const run_def *plain, const contender *c, trm_option *option)
{
    run_def def = *plain;
    def.options.method = c->method;
    def.options.solver = c->solver;
    def.options.order = c->order;
    def.options.scheme = "auto";
    if (c->own_error) def.options.error = 1e-7 * fmin(def.view.length, 1); /* for metres and radians */
    if (!c->word) return def;
    *option = (trm_option){.method = c->method, .name = "integrator", .text = c->word};
    def.options.options = option;
    def.options.option_count = 1;
    return def;
}

static estimate estimate_of(const subject *s, const run_def *plain, const contender *c, double enough)
{
    trm_option option;
    const run_def def = compete(plain, c, &option);
    const bool halves = c->own_error || (traits_of(s) & HAS_EVENTS);
    return halves ? halve(s, def, c->own_error ? PER_ERROR : c->order, enough)
                  : extrapolate(s, def, c->order, enough);
}

/* ---- Comparing ---------------------------------------------------------------------------- */

static finding blame(const contender *c, double value, double bound, const char *text)
{
    finding f = fails(c->name, value, bound, "%s %s", c->name, text);
    snprintf(f.options, sizeof f.options, "--method %s%s%s --solver %s", c->method, c->word ? ":integrator=" : "",
             c->word ? c->word : "", c->solver);
    return f;
}

/* Compares a method with the reference. bound: largest allowed distance, m, rad. */
static finding compare(const subject *s, const run_def *plain, const contender *c, const estimate *reference,
                       double bound)
{
    char text[200];
    const estimate other = estimate_of(s, plain, c, OWN * bound);
    if (!other.end.ok) return not_told(other.end.why);
    const double apart = motion_distance(s, &reference->end, &other.end);
    if (other.stalled) {
        snprintf(text, sizeof text, "does not converge: its own error stays at %.2g, and should get below %.2g",
                 other.error, OWN * bound);
        return apart <= bound ? holds() : blame(c, other.error, OWN * bound, text);
    }
    if (other.error > OWN * bound) return not_told("not resolved");
    if (apart <= bound) return holds();
    snprintf(
        text, sizeof text,
        "is %.3g m or rad away from %s at the end; its own error is %.2g, that of the other %.2g; %.2g is allowed",
        apart, reference_method.name, other.error, reference->error, bound);
    return blame(c, apart, bound, text);
}

static run_def tight(const subject *s)
{
    run_def def = run_plain(s);
    def.options.position_tolerance = 1e-13 * s->m->length;
    def.options.angle_tolerance = 1e-13;
    def.options.velocity_tolerance = 1e-12 * fmin(1, s->m->length);
    def.patience = 4; /* a run that crawls is stopped, and is not wrong */
    def.every = def.options.time;
    return def;
}

static finding look(const subject *s)
{
    const unsigned traits = traits_of(s);
    if (traits & HAS_CONTACTS) return not_told("contacts");
    const run_def plain = tight(s);
    const motion first = run_machine(s, &plain);
    if (!first.ok) return not_told(first.why);
    double bound = AGREE * sensitivity(s, &plain, &first, CHAOTIC / AGREE);
    if (traits & HAS_EVENTS) bound = fmax(bound, noise_of(s, &plain, &first));
    if (!(bound < CHAOTIC)) return not_told("chaotic");
    const estimate reference = estimate_of(s, &plain, &reference_method, OWN * bound);
    if (!(reference.error <= OWN * bound)) return not_told("not resolved");
    finding worst = holds();
    share agree = {0, 0}, resolved = {0, 0};
    for (int i = 0; i < CONTENDERS; i++) {
        if ((traits & HAS_EVENTS) && !contenders[i].events) continue;
        if (!is_sampled(s, contenders[i].name, 0, contenders[i].one_in)) continue;
        const finding f = compare(s, &plain, &contenders[i], &reference, bound);
        if (strcmp(f.text, "not resolved") == 0) resolved.all++;
        if (f.verdict == NOT_TOLD) continue;
        resolved = (share){resolved.hold + 1, resolved.all + 1};
        agree = (share){agree.hold + (f.verdict == HOLDS), agree.all + 1};
        if (worst.verdict == HOLDS) worst = f;
    }
    worst.shares[SCORE_AGREE] = agree;
    worst.shares[SCORE_RESOLVED] = resolved;
    return worst;
}

const check check_methods = {"methods", "every method that takes a machine moves it alike", look, false, ONE_IN};
