/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A machine without connection to the ground keeps its momentum, except for gravity: to rounding, for any step.
 *
 * One case is different: next to contacts, steps of orders above 2 are extrapolated (sim/extrapolate.c). The weights add
 * up to 1, so that sums of velocities keep their value. Angular momentum is a sum of products of poses and velocities:
 * an extrapolated step keeps it to its own order only. There the error has to shrink with the step faster than order 2
 * would let it. A step that does not resolve the motion yet gets two more attempts. */

#include "check.h"

static const double DIGITS = 1e-9; /* fraction of the momentum: rounding of thousands of impulses */

static const double EIGHTH = 1.0 / 64; /* fraction of the error that an eighth of the step leaves at order 2 */
enum { ATTEMPTS = 3 };

static bool is_held(const subject *s)
{
    for (int i = 0; i < s->m->body_count; i++) {
        const trm_body_kind kind = s->m->bodies[i].def.kind;
        if (!s->r.body[i] && (kind == TRM_BODY_FIXED || kind == TRM_BODY_MOVING)) return true;
    }
    return false;
}

/* Returns a bound for the linear momentum, in kg m/s. */
static double linear_scale(const subject *s, const motion *run)
{
    double mass = 0;
    for (int i = 0; i < s->m->body_count; i++) mass += s->m->bodies[i].def.mass > 0 ? s->m->bodies[i].def.mass : 1;
    return sqrt(2 * mass * s->m->mass * (run->kinetic_most + energy_scale(s)));
}

/* Returns whether the error of the angular momentum is that of extrapolated steps: with an eighth of the step it is
 * below `most`, or a smaller fraction remains than at order 2. */
static bool is_of_the_order(const subject *s, double error, double most)
{
    run_def def = run_plain(s);
    if (!(traits_of(s) & HAS_CONTACTS) || !(def.options.order > 2)) return false;
    for (int i = 0; i < ATTEMPTS; i++) {
        def.options.step /= 8;
        const motion fine = run_machine(s, &def);
        if (!fine.ok) return false;
        if (fine.accuracy.angular_error <= fmax(most, EIGHTH * error)) return true;
        error = fine.accuracy.angular_error;
    }
    return false;
}

static finding look(const subject *s)
{
    if (is_held(s)) return not_told("held");
    const run_def def = run_plain(s);
    const motion run = run_machine(s, &def);
    if (!run.ok || !run.accuracy.is_free) return not_told(run.ok ? "held" : run.why);
    const double linear = linear_scale(s, &run),
                 angular = linear * 10 * s->m->length; /* arm: distance from the origin */
    if (run.accuracy.linear_error > DIGITS * linear)
        return fails("", run.accuracy.linear_error, DIGITS * linear,
                     "momentum changes by %.3g kg m/s; it is about %.3g kg m/s", run.accuracy.linear_error, linear);
    if (run.accuracy.angular_error > DIGITS * angular &&
        !is_of_the_order(s, run.accuracy.angular_error, DIGITS * angular))
        return fails("", run.accuracy.angular_error, DIGITS * angular,
                     "angular momentum changes by %.3g kg m^2/s; it is about %.3g kg m^2/s",
                     run.accuracy.angular_error, angular);
    return holds();
}

const check check_momentum = {"momentum", "a free machine keeps its momentum", look, false, 0};
