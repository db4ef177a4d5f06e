/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A joint that is closed to D_max in a step h leaves a velocity that is off by D_max/h. Contacts begin within a hundred
 * tolerances, and in windows their impulses are found to a thousandth of the island's speed only. */

#include "noise.h"

#include <string.h>

static const double ERRORS = 10;      /* as many errors of a step as large as the tolerance add up */
static const double ROUNDING = 1e-13; /* of the machine's length, in each step */
static const double LEAST = 1e-9;     /* of the machine's length: no two runs are required to be nearer */
static const double EVENTS = 1e-7;    /* m/s: bounces that nobody sees are held */
static const double CONTACTS = 100;   /* times as much where contacts begin and end */
static const double WINDOWS = 1e-4;   /* m/s: with contacts in windows */

double noise_of(const subject *s, const run_def *def, const motion *run)
{
    const trm_simulation_def *o = &def->options;
    const view *v = &def->view;
    const double position = fmax(run->position_tolerance / v->length, run->angle_tolerance) + ROUNDING;
    const double velocity = run->velocity_tolerance * v->time * fmax(1, 1 / v->length);
    double step_error = fmax(position / fmin(o->step / v->time, 1), velocity);
    const unsigned traits = traits_of(s);
    if (traits & HAS_EVENTS) step_error = fmax(step_error, EVENTS);
    if (traits & HAS_CONTACTS) {
        step_error = fmax(CONTACTS * step_error, EVENTS);
        if (strcmp(o->impact, "window") == 0) step_error = fmax(step_error, WINDOWS);
    }
    return LEAST + ERRORS * sensitivity(s, def, run) * step_error;
}
