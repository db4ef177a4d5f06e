/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "simulation_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool set_number(const char *name, const char *text, bool may_be_zero, double *value, char *why, size_t size)
{
    char what[200];
    if (!trm_evaluate(text, value, what, sizeof what)) {
        snprintf(why, size, "%s %s: %s", name, text, what);
        return false;
    }
    if (*value > 0 || (may_be_zero && *value >= 0)) return true;
    snprintf(why, size, "%s is %g; it must %s", name, *value, may_be_zero ? "not be negative" : "be positive");
    return false;
}

bool set_simulation_option(const char *name, const char *value, trm_simulation_def *o, method_choice *method,
                           char *why, size_t size)
{
    double tolerance = NAN;
    const struct {
        const char *name, **word;
    } words[] = {{"--solver", &o->solver},
                 {"--scheme", &o->scheme},
                 {"--impact", &o->impact},
                 {"--sleep", &o->sleep},
                 {"--start", &o->start}};
    const struct {
        const char *name;
        double *number;
        bool may_be_zero;
    } numbers[] = {{"--step", &o->step, false},   {"--time", &o->time, true},    {"--every", &o->every, false},
                   {"--order", &o->order, false}, {"--error", &o->error, false}, {"--tolerance", &tolerance, false}};
    if (strcmp(name, "--method") == 0) return choose_method(value, o, method, why, size);
    for (int i = 0; i < COUNT_OF(words); i++)
        if (strcmp(name, words[i].name) == 0) *words[i].word = value;
    for (int i = 0; i < COUNT_OF(numbers); i++)
        if (strcmp(name, numbers[i].name) == 0 &&
            !set_number(name, value, numbers[i].may_be_zero, numbers[i].number, why, size))
            return false;
    if (!isnan(tolerance)) o->position_tolerance = o->angle_tolerance = o->velocity_tolerance = tolerance;
    return true;
}

bool read_simulation_options(const char *who, const command_line *line, const trm_model *model, method_choice *method,
                             trm_simulation_def *options)
{
    char why[600];
    *options = *trm_model_simulation(model);
    for (int i = 0; i < line->option_count; i++) {
        if (!line->values[i]) continue;
        if (set_simulation_option(line->options[i]->name, line->values[i], options, method, why, sizeof why))
            continue;
        fprintf(stderr, "trammel %s: %s\n", who, why);
        return false;
    }
    return true;
}
