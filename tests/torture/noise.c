/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A joint that is closed to D_max in a step h leaves a velocity error of D_max/h. Contacts begin within a hundred
 * tolerances, and in time-stepping their impulses are accurate to a thousandth of the island's speed. */

#include "noise.h"

#include <string.h>

static const double JOINTS = 3;       /* tolerances of one joint: error of several joints together */
static const double ROUNDING = 1e-13; /* fraction of the machine's length, in each step */
static const double LEAST = 1e-9;     /* fraction of the machine's length: smaller differences are always allowed */
static const double EVENTS = 1e-6;    /* m/s: invisible bounces are suppressed, a few in a run */
static const double CONTACTS = 10;    /* factor where contacts begin within a hundred tolerances */
static const double WINDOWS = 1e-3;   /* m/s: with contacts in time-stepping */

/* Returns the velocity error of closing the joints to their tolerance in all steps together, m/s. */
static double joint_errors(const run_def *def, const motion *run)
{
    const trm_simulation_def *o = &def->options;
    const view *v = &def->view;
    const double position = fmax(run->position_tolerance / v->length, run->angle_tolerance) + ROUNDING;
    const double velocity = run->velocity_tolerance * v->time * fmax(1, 1 / v->length);
    return JOINTS * o->time / o->step * fmax(position / fmin(o->step / v->time, 1), velocity);
}

double noise_of(const subject *s, const run_def *def, const motion *run)
{
    const unsigned traits = traits_of(s);
    double error = joint_errors(def, run);
    if (traits & HAS_EVENTS) error = fmax(error, EVENTS);
    if (traits & HAS_CONTACTS) {
        error = fmax(CONTACTS * error, EVENTS);
        if (strcmp(def->options.impact, "window") == 0) error = fmax(error, WINDOWS);
    }
    return LEAST + error * sensitivity(s, def, run, CHAOTIC / error);
}

/* Factors of the step with which the error of a run is estimated. Where events fall in other steps, a single one may
 * be near by chance. */
static const double SHORTER[] = {0.5, 0.8};
/* At order 2 half the step changes the result by 3/4 of the error of the whole; two runs may differ by twice that
 * error. */
static const double TWO_ERRORS = 8.0 / 3;

static bool rounding_may_choose(const motion *run)
{
    return run->counters.halvings > 0 || run->counters.plain > 0 || run->counters.dissipative > 0;
}

double error_of_choices(const subject *s, const run_def *def, const motion *run, const motion *other)
{
    double most = 0;
    if (!rounding_may_choose(run) && !rounding_may_choose(other)) return 0;
    for (size_t i = 0; i < sizeof SHORTER / sizeof *SHORTER; i++) {
        run_def shorter = *def;
        shorter.options.step *= SHORTER[i];
        const motion finer = run_machine(s, &shorter);
        most = fmax(most, finer.ok ? motion_distance(s, run, &finer) : INFINITY);
    }
    return TWO_ERRORS * most;
}
