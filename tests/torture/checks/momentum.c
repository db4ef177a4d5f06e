/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A machine without connection to the ground keeps its momentum, except for gravity: to rounding, for any step. */

#include "check.h"

static const double DIGITS = 1e-9; /* fraction of the momentum: rounding of thousands of impulses */

static bool is_held(const subject *s)
{
    for (int i = 0; i < s->m->body_count; i++) {
        const trm_body_kind kind = s->m->bodies[i].def.kind;
        if (!s->r.body[i] && (kind == TRM_BODY_FIXED || kind == TRM_BODY_MOVING)) return true;
    }
    return false;
}

static finding look(const subject *s)
{
    if (is_held(s)) return not_told("held");
    const run_def def = run_plain(s);
    const motion run = run_machine(s, &def);
    if (!run.ok || !run.accuracy.is_free) return not_told(run.ok ? "held" : run.why);
    double mass = 0;
    for (int i = 0; i < s->m->body_count; i++) mass += s->m->bodies[i].def.mass > 0 ? s->m->bodies[i].def.mass : 1;
    mass *= s->m->mass;
    const double linear = sqrt(2 * mass * (run.kinetic_most + energy_scale(s)));
    const double arm = 10 * s->m->length; /* m: distance from the origin */
    if (run.accuracy.linear_error > DIGITS * linear)
        return fails("", run.accuracy.linear_error, DIGITS * linear,
                     "momentum changes by %.3g kg m/s; it is about %.3g kg m/s", run.accuracy.linear_error, linear);
    if (run.accuracy.angular_error > DIGITS * linear * arm)
        return fails("", run.accuracy.angular_error, DIGITS * linear * arm,
                     "angular momentum changes by %.3g kg m^2/s; it is about %.3g kg m^2/s",
                     run.accuracy.angular_error, linear * arm);
    return holds();
}

const check check_momentum = {"momentum", "a free machine keeps its momentum", look, false, 0};
