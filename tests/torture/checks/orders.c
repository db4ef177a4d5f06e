/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Smooth machines converge with the order that was requested: 2, 4, 6, 8.
 *
 * The step is halved until the results of two runs differ by less than FINEST. Three differences in a row
 * d(k) = |x(h/2^k) - x(h/2^(k+1))| between COARSEST and FINEST give the order
 *
 *     p = max(log2(d(k) / d(k+2)) / 2, log2(d(k+1) / d(k+2)))
 *
 * in the mean, or by the finest two where the coarsest does not resolve the motion yet. At order 8 three differences
 * cover almost all the range. Therefore the first series shows how differences depend on the step, and other series
 * begin where the first difference is expected just below COARSEST. An order above the requested one is correct, too.
 *
 * A run makes a whole number of equal steps, so that the number of steps is doubled: a step that does not divide the
 * time would be shortened by another factor each time, and order 8 would be observed as 7.5. */

#include <stdio.h>
#include <string.h>

#include "check.h"

static const double COARSEST = 1e-4, FINEST = 1e-10; /* m, rad for the unscaled machine */
static const double OFF = 0.3;                       /* largest amount by which the observed order may be lower */
/* Factors of the length of the run. If four or eight steps of order 8 resolve a machine to 1e-4, steps are not yet
 * short when differences get below 1e-10. A longer run has the same differences with shorter steps. */
static const double SPANS[] = {1, 4, 16};
/* m, rad: where a difference of the next series is expected, and the number of halvings before it. The last series is
 * at the fine end of the range, where terms of higher order are smallest. */
static const struct aim {
    double difference;
    int halvings;
} AIMS[] = {{0.7e-4, 0}, {0.35e-4, 0}, {1.2e-10, 2}};
enum { MOST_HALVINGS = 10, NEEDED = 3, FEWEST = 3 };

/* Returns tighter tolerances than the defaults of order 2, as for higher orders. */
static run_def tight(const subject *s, double order)
{
    run_def def = run_plain(s);
    def.options.order = order;
    def.options.scheme = "auto";
    def.options.position_tolerance = 1e-13 * s->m->length;
    def.options.angle_tolerance = 1e-13;
    def.options.velocity_tolerance = 1e-12 * fmin(1, s->m->length);
    def.every = def.options.time; /* a single row at the end, so that all steps are equal */
    return def;
}

/* The differences that gave the order. */
typedef struct series {
    double d[NEEDED];
    int count; /* in range */
    double seen;
} series;

/* Differences of the first series by the number of steps. */
typedef struct curve {
    double steps[MOST_HALVINGS], d[MOST_HALVINGS];
    int count;
} curve;

/* Adds a difference. Differences above COARSEST, and those before one of them, do not count. */
static void add_difference(series *found, double d)
{
    if (d >= COARSEST) {
        found->count = 0;
        return;
    }
    if (found->count == NEEDED) {
        memmove(found->d, found->d + 1, sizeof found->d - sizeof *found->d);
        found->count--;
    }
    found->d[found->count++] = d;
    if (found->count == NEEDED)
        found->seen = fmax(0.5 * log2(found->d[0] / found->d[2]), log2(found->d[1] / found->d[2]));
}

/* Returns whether all steps had the requested length: none was divided. */
static bool has_its_step(const motion *run)
{
    return run->ok && run->counters.halvings == 0;
}

static motion run_in(const subject *s, run_def def, int steps)
{
    def.options.step = def.options.time / steps;
    return run_machine(s, &def);
}

static series converge(const subject *s, const run_def *def, int steps, double order, curve *c)
{
    series found = {.seen = NAN};
    motion run = run_in(s, *def, steps);
    for (int k = 0; k < MOST_HALVINGS && !(found.seen >= order - OFF); k++, steps *= 2) {
        const motion fine = run_in(s, *def, 2 * steps);
        const double d = has_its_step(&run) && has_its_step(&fine) ? motion_distance(s, &run, &fine) : INFINITY;
        if (c) c->steps[c->count] = steps, c->d[c->count++] = d;
        if (d < FINEST) break;
        add_difference(&found, d);
        run = fine;
    }
    return found;
}

/* Returns the number of steps at which a difference is expected, by a power between those of the curve; 0: the curve
 * has no difference that small. */
static int steps_for(const curve *c, double d, double order)
{
    int k = 0;
    while (k < c->count && !(c->d[k] < d)) k++;
    if (k == c->count) return 0;
    double power = order;
    if (k > 0 && isfinite(c->d[k - 1])) power = log2(c->d[k - 1] / c->d[k]);
    return (int)ceil(c->steps[k] * pow(c->d[k] / d, 1 / power));
}

static series look_at_span(const subject *s, double order, double span)
{
    run_def def = tight(s, order);
    curve c = {.count = 0};
    def.options.time *= span;
    def.every = def.options.time;
    series found = converge(s, &def, (int)(span * (order > 4 ? 6 : order > 2 ? 12 : 48)), order, &c);
    for (size_t i = 0; i < sizeof AIMS / sizeof *AIMS && !(found.seen >= order - OFF); i++) {
        const int steps = steps_for(&c, AIMS[i].difference, order) >> AIMS[i].halvings;
        if (steps < FEWEST) continue;
        const series other = converge(s, &def, steps, order, NULL);
        if (!(other.seen <= found.seen) && !isnan(other.seen)) found = other;
    }
    return found;
}

static finding look_at_order(const subject *s, double order)
{
    series found = {.seen = NAN};
    for (size_t i = 0; i < sizeof SPANS / sizeof *SPANS && !(found.seen >= order - OFF); i++) {
        const series other = look_at_span(s, order, SPANS[i]);
        if (i == 0 && isnan(other.seen)) break;
        if (!(other.seen <= found.seen) && !isnan(other.seen)) found = other;
    }
    if (isnan(found.seen)) return not_told("fewer than three halvings between 1e-4 and 1e-10");
    if (found.seen >= order - OFF) return holds();
    char kind[20];
    snprintf(kind, sizeof kind, "order %g", order);
    finding f =
        fails(kind, found.seen, order, "order %g is %.2f: with half the step each, ends differ by %.2e, %.2e, %.2e",
              order, found.seen, found.d[0], found.d[1], found.d[2]);
    snprintf(f.options, sizeof f.options, "--order %g", order);
    return f;
}

static finding look(const subject *s)
{
    static const double orders[] = {2, 4, 6, 8};
    if (traits_of(s) & (HAS_CONTACTS | HAS_EVENTS | HAS_SPLINES)) return not_told("contacts, events or splines");
    finding worst = not_told("fewer than three halvings between 1e-4 and 1e-10");
    share shares[SCORES] = {{0, 0}};
    for (int i = 0; i < 4; i++) {
        if (!is_sampled(s, "order", i, 4)) continue;
        const finding f = look_at_order(s, orders[i]);
        shares[SCORE_ORDER_2 + i] = (share){f.verdict == HOLDS, f.verdict != NOT_TOLD};
        if (worst.verdict != FAILS && f.verdict != NOT_TOLD) worst = f;
    }
    memcpy(worst.shares, shares, sizeof shares);
    return worst;
}

const check check_orders = {"orders", "smooth machines converge with the order requested", look, false, 2};
