/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "simulation_options.h"

#include <math.h>
#include <stdio.h>

static bool read_number_option(const char *who, const command_line *line, const char *name, double *value)
{
    char why[200];
    const char *text = option_value(line, name);
    if (!text) return true;
    if (trm_evaluate(text, value, why, sizeof why)) return true;
    fprintf(stderr, "trammel %s: %s %s: %s\n", who, name, text, why);
    return false;
}

static bool want_positive(const char *who, const char *name, double value)
{
    if (value > 0) return true;
    fprintf(stderr, "trammel %s: %s is %g; it must be positive\n", who, name, value);
    return false;
}

static bool want_not_negative(const char *who, const char *name, double value)
{
    if (value >= 0) return true;
    fprintf(stderr, "trammel %s: %s is %g; it must not be negative\n", who, name, value);
    return false;
}

static bool read_numbers(const char *who, const command_line *line, trm_simulation_def *o)
{
    double tolerance = NAN;
    const struct {
        const char *name;
        double *value;
    } numbers[] = {{"--step", &o->step},   {"--time", &o->time},   {"--every", &o->every},
                   {"--order", &o->order}, {"--error", &o->error}, {"--tolerance", &tolerance}};
    for (int i = 0; i < COUNT_OF(numbers); i++)
        if (!read_number_option(who, line, numbers[i].name, numbers[i].value)) return false;
    if (!isnan(tolerance)) o->position_tolerance = o->angle_tolerance = o->velocity_tolerance = tolerance;
    return want_positive(who, "--step", o->step) && want_not_negative(who, "--time", o->time) &&
           (isnan(o->every) || want_positive(who, "--every", o->every)) &&
           (isnan(o->error) || want_positive(who, "--error", o->error)) &&
           want_positive(who, "--tolerance", o->position_tolerance);
}

bool read_simulation_options(const char *who, const command_line *line, const trm_model *model, method_choice *method,
                             trm_simulation_def *options)
{
    trm_simulation_def *o = options;
    *o = *trm_model_simulation(model);
    const char *name = option_value(line, "--method");
    if (name && !choose_method(who, name, o, method)) return false;
    if (option_value(line, "--solver")) o->solver = option_value(line, "--solver");
    if (option_value(line, "--scheme")) o->scheme = option_value(line, "--scheme");
    if (option_value(line, "--impact")) o->impact = option_value(line, "--impact");
    if (option_value(line, "--sleep")) o->sleep = option_value(line, "--sleep");
    return read_numbers(who, line, o);
}
