/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The options of a simulation: finds the method, reports errors in the options before the first step, and lists
 * those in effect. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "sim/sim.h"

/* ---- Checks ------------------------------------------------------------------------------- */

static void report_choices(const char *wanted, trm_messages *messages)
{
    char names[200] = TRM_METHOD_AUTO;
    for (int i = 0; i < trm_method_count(); i++) {
        const size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "", trm_method_at(i)->name);
    }
    trm_add_error(messages, (trm_place){0}, "there is no method \"%s\"; there are %s", wanted, names);
}

static const trm_method *choose_method(const trm_simulation_def *options, trm_messages *messages)
{
    const trm_method *method = trm_find_method(options->method);
    if (!method) report_choices(options->method, messages);
    return method;
}

/* Makes the common option "solver" (--solver) select a solver of the method's own list, if it has one. */
static void adopt_solver(trm_sim *sim)
{
    trm_simulation_def *o = &sim->options;
    const trm_method_option *own = trm_solver_option(sim->method);
    for (int i = 0; own && own->words[i]; i++)
        if (strcmp(own->words[i], o->solver) == 0) {
            sim->method_options[o->option_count++] =
                (trm_option){.method = sim->method->name, .name = own->name, .text = own->words[i]};
            o->solver = "direct";
            return;
        }
}

static void check_solver(const trm_method *method, const trm_simulation_def *options, trm_messages *messages)
{
    const char *const *solvers = trm_method_solvers(method);
    char known[100] = "";
    for (int i = 0, length = 0; solvers[i]; i++) {
        if (strcmp(options->solver, solvers[i]) == 0) return;
        length += snprintf(known + length, sizeof known - (size_t)length, "%s%s", i > 0 ? ", " : "", solvers[i]);
    }
    if (strcmp(options->solver, "direct") != 0)
        trm_add_error(messages, (trm_place){0}, "the method \"%s\" has no solver \"%s\"; it has %s", method->name,
                      options->solver, known);
}

/* Reports options that a method with its own order does not support: it is neither composed nor extrapolated. */
static void check_own_order(const trm_method *method, const trm_simulation_def *options, trm_messages *messages)
{
    if (strcmp(options->scheme, "extrapolation") == 0)
        trm_add_error(messages, (trm_place){0},
                      "the method \"%s\" has an order of its own; the scheme extrapolation belongs to impulse",
                      method->name);
}

/* Reports options that do not exist and values that are not allowed. Returns false if there are any. */
static bool knows_options(const trm_method *method, const trm_simulation_def *options, trm_messages *messages)
{
    const int errors = trm_error_count(messages);
    check_solver(method, options, messages);
    if (method->own_order)
        check_own_order(method, options, messages);
    else if (trm_composition_of(options->order).stages == 0)
        trm_add_error(messages, (trm_place){0}, "there is no order %g; the orders are 2, 4, 6 and 8", options->order);
    if (strcmp(options->impact, "event") != 0 && strcmp(options->impact, "window") != 0 &&
        strcmp(options->impact, "auto") != 0)
        trm_add_error(messages, (trm_place){0}, "there is no impact \"%s\"; the choices are event, window and auto",
                      options->impact);
    if (strcmp(options->sleep, "auto") != 0 && strcmp(options->sleep, "on") != 0 &&
        strcmp(options->sleep, "off") != 0)
        trm_add_error(messages, (trm_place){0}, "there is no sleep \"%s\"; the choices are auto, on and off",
                      options->sleep);
    if (strcmp(options->scheme, "auto") != 0 && strcmp(options->scheme, "composition") != 0 &&
        strcmp(options->scheme, "extrapolation") != 0)
        trm_add_error(messages, (trm_place){0},
                      "there is no scheme \"%s\"; the choices are auto, composition and extrapolation",
                      options->scheme);
    if (!isnan(options->error) && !(options->error > 0 && isfinite(options->error)))
        trm_add_error(messages, (trm_place){0}, "the error is %g m and rad per second; it must be positive",
                      options->error);
    if (trm_check_method_options(options, messages) && method->check_options)
        method->check_options(options, messages);
    if (!(options->step > 0 && isfinite(options->step)))
        trm_add_error(messages, (trm_place){0}, "the step is %g s; it must be positive", options->step);
    return trm_error_count(messages) == errors;
}

bool trm_sim_take_options(trm_sim *sim, trm_messages *messages)
{
    sim->method = choose_method(&sim->options, messages);
    if (!sim->method) return false;
    adopt_solver(sim);
    if (!knows_options(sim->method, &sim->options, messages)) return false;
    if (sim->method->own_order && sim->method->gather) sim->options.solver = "hierarchy";
    if (trm_solver_option(sim->method)) sim->options.solver = trm_option_word(sim->method, &sim->options, "solver");
    return true;
}

/* ---- Options in effect -------------------------------------------------------------------- */

const char *const *trm_sim_solvers(const trm_sim *sim)
{
    return trm_method_solvers(sim->method);
}

bool trm_sim_method_choice(const trm_sim *sim, int index, trm_option_choice *choice)
{
    const trm_method *method = sim->method;
    for (const trm_method_option *o = method->options; o && o->name; o++) {
        if (o == trm_solver_option(method)) continue; /* it is listed as the solver of the simulation */
        if (index-- > 0) continue;
        *choice = (trm_option_choice){.at_work = {.method = method->name, .name = o->name},
                                      .words = o->words,
                                      .is_number = !o->words && !o->any,
                                      .is_given = trm_option_is_given(method, &sim->options, o->name),
                                      .is_quiet = o->quiet || !o->words,
                                      .description = o->description};
        if (choice->is_number)
            choice->at_work.number = trm_option_number(method, &sim->options, o->name);
        else
            choice->at_work.text = trm_option_word(method, &sim->options, o->name);
        return true;
    }
    return false;
}

bool trm_sim_method_option(const trm_sim *sim, int index, trm_option *option)
{
    trm_option_choice choice;
    for (int i = 0; trm_sim_method_choice(sim, i, &choice); i++) {
        if (choice.is_quiet && !choice.is_given) continue;
        *option = choice.at_work;
        if (index-- == 0) return true;
    }
    return false;
}
