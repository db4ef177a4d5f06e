/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Smooth machines converge with the order that was requested: 2, 4, 6, 8.
 *
 * The step is halved until the runs differ by less than FINEST. Of differences d(k) = |x(h/2^k) - x(h/2^(k+1))| between
 * COARSEST and FINEST the last three tell the order, the higher one of log2(d(k)/d(k+1)): the coarser may not be resolved yet,
 * the finer may be rounding. An order above the requested one is right, too. */

#include <stdio.h>

#include "check.h"

static const double COARSEST = 1e-4, FINEST = 1e-10; /* m, rad of the unscaled machine */
static const double OFF = 0.3;                       /* by which the observed order may be lower */
enum { MOST_HALVINGS = 9, NEEDED = 3 };

static run_def tight(const subject *s, double order, unsigned traits)
{
    run_def def = run_plain(s);
    def.options.order = order;
    def.options.scheme = order > 2 && (traits & HAS_DAMPING) ? "extrapolation" : "composition";
    def.options.position_tolerance = 1e-13 * s->m->length;
    def.options.angle_tolerance = 1e-13;
    def.options.velocity_tolerance = 1e-12 * fmin(1, s->m->length);
    return def;
}

static finding look_at_order(const subject *s, double order, unsigned traits)
{
    run_def def = tight(s, order, traits);
    def.options.step *= order > 4 ? 4 : order > 2 ? 2 : 1;
    motion run = run_machine(s, &def);
    double in_range[MOST_HALVINGS];
    int count = 0;
    const double first = def.options.step;
    for (int k = 0; run.ok && k < MOST_HALVINGS; k++) {
        def.options.step = first * pow(0.5, k + 1);
        const motion fine = run_machine(s, &def);
        const double d = fine.ok ? motion_distance(s, &run, &fine) : 0;
        if (!fine.ok || d < FINEST) break;
        if (d < COARSEST) in_range[count++] = d;
        if (d >= COARSEST) count = 0;
        if (count >= NEEDED && order <= 4 && d < 1e-8) break;
        run = fine;
    }
    if (!run.ok) return not_told(run.why);
    if (count < NEEDED) return not_told("fewer than three halvings between 1e-4 and 1e-10");
    const double *last = &in_range[count - 3];
    const double seen = fmax(log2(last[0] / last[1]), log2(last[1] / last[2]));
    if (seen >= order - OFF) return holds();
    char kind[20];
    snprintf(kind, sizeof kind, "order %g", order);
    finding f = fails(kind, seen, order, "order %g is %.2f: with half the step each, ends differ by %.2e, %.2e, %.2e",
                      order, seen, last[0], last[1], last[2]);
    snprintf(f.options, sizeof f.options, "--order %g --scheme %s", order, def.options.scheme);
    return f;
}

static finding look(const subject *s)
{
    static const double orders[] = {2, 4, 6, 8};
    const unsigned traits = traits_of(s);
    finding told = not_told("contacts, events or splines");
    if (traits & (HAS_CONTACTS | HAS_EVENTS | HAS_SPLINES)) return told;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (orders[i] > 4 && (traits & HAS_DAMPING)) break;
        const finding f = look_at_order(s, orders[i], traits);
        if (f.verdict == FAILS) return f;
        if (f.verdict == HOLDS || told.verdict != HOLDS) told = f;
    }
    return told;
}

const check check_orders = {"orders", "smooth machines converge with the order requested", look, false};
