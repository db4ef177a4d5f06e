/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Smooth machines converge with the order that was requested: 2, 4, 6, 8.
 *
 * The step is halved until the ends of two runs differ by less than FINEST. Three differences in a row
 * d(k) = |x(h/2^k) - x(h/2^(k+1))| between COARSEST and FINEST tell the order
 *
 *     p = max(log2(d(k) / d(k+2)) / 2, log2(d(k+1) / d(k+2)))
 *
 * in the mean, or where the coarsest does not resolve the motion yet, by the finest two. At order 8 three differences cover almost all
 * the range, so other first steps are tried. An order above the requested one is right, too. */

#include <stdio.h>
#include <string.h>

#include "check.h"

static const double COARSEST = 1e-4, FINEST = 1e-10;                   /* m, rad of the unscaled machine */
static const double OFF = 0.3;                                         /* by which the observed order may be lower */
static const double FIRST_STEPS[] = {1, 0.7, 0.85, 0.6, 0.925, 0.775}; /* of the longest step of an order */
enum { MOST_HALVINGS = 10, NEEDED = 3 };

/* Closer than the defaults of order 2, as they are of higher orders. */
static run_def tight(const subject *s, double order)
{
    run_def def = run_plain(s);
    def.options.order = order;
    def.options.scheme = "auto";
    def.options.position_tolerance = 1e-13 * s->m->length;
    def.options.angle_tolerance = 1e-13;
    def.options.velocity_tolerance = 1e-12 * fmin(1, s->m->length);
    def.options.step = def.options.time / (order > 4 ? 6 : order > 2 ? 12 : 48);
    def.every = def.options.time; /* a row at the end alone: all steps are equal */
    return def;
}

/* The differences that told the order. */
typedef struct series {
    double d[NEEDED];
    int count; /* in range */
    double seen;
} series;

/* Takes in one more difference: those above COARSEST, and before one of them, do not count. */
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

/* Runs whose steps had to be divided do not have the step that they are named by. */
static bool has_its_step(const motion *run)
{
    return run->ok && run->counters.halvings == 0;
}

static series converge(const subject *s, run_def def, double order)
{
    series found = {.seen = NAN};
    motion run = run_machine(s, &def);
    for (int k = 0; k < MOST_HALVINGS && !(found.seen >= order - OFF); k++) {
        def.options.step /= 2;
        const motion fine = run_machine(s, &def);
        const double d = has_its_step(&run) && has_its_step(&fine) ? motion_distance(s, &run, &fine) : INFINITY;
        if (d < FINEST) break;
        add_difference(&found, d);
        run = fine;
    }
    return found;
}

static finding look_at_order(const subject *s, double order)
{
    const run_def def = tight(s, order);
    series found = {.seen = NAN};
    for (size_t i = 0; i < sizeof FIRST_STEPS / sizeof *FIRST_STEPS && !(found.seen >= order - OFF); i++) {
        run_def first = def;
        first.options.step *= FIRST_STEPS[i];
        const series other = converge(s, first, order);
        if (!isnan(other.seen)) found = other;
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
        const finding f = look_at_order(s, orders[i]);
        shares[SCORE_ORDER_2 + i] = (share){f.verdict == HOLDS, f.verdict != NOT_TOLD};
        if (worst.verdict != FAILS && f.verdict != NOT_TOLD) worst = f;
    }
    memcpy(worst.shares, shares, sizeof shares);
    return worst;
}

const check check_orders = {"orders", "smooth machines converge with the order requested", look, false};
