/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "evaluation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "interrupt.h"
#include "simulation_options.h"

/* ---- Options ------------------------------------------------------------------------------ */

static bool read_range(const evaluation *e, const char *text, varied *v)
{
    const char *equals = strchr(text, '='), *colon = equals ? strchr(equals, ':') : NULL;
    char from[200], why[200];
    if (!equals || !colon || (size_t)(equals - text) >= sizeof v->name || (size_t)(colon - equals) > sizeof from) {
        fprintf(stderr, "trammel %s: --vary takes NAME=FROM:TO, not \"%s\"\n", e->who, text);
        return false;
    }
    snprintf(v->name, sizeof v->name, "%.*s", (int)(equals - text), text);
    snprintf(from, sizeof from, "%.*s", (int)(colon - equals - 1), equals + 1);
    if (!trm_evaluate(from, &v->from, why, sizeof why) || !trm_evaluate(colon + 1, &v->to, why, sizeof why)) {
        fprintf(stderr, "trammel %s: --vary %s: %s\n", e->who, text, why);
        return false;
    }
    v->start = 0.5 * (v->from + v->to);
    if (v->from < v->to) return true;
    fprintf(stderr, "trammel %s: --vary %s: the lower bound comes first\n", e->who, text);
    return false;
}

/* Reads NAME=VALUE of a constant that is varied; the value must lie within its bounds. */
static bool read_guess(evaluation *e, const char *text)
{
    char why[200] = "this constant is not varied";
    const size_t length = strcspn(text, "=");
    for (int k = 0; k < e->varied_count; k++) {
        varied *v = &e->varied[k];
        if (strlen(v->name) != length || strncmp(v->name, text, length) != 0) continue;
        if (!trm_evaluate(text + length + 1, &v->start, why, sizeof why)) break;
        if (v->start >= v->from && v->start <= v->to) return true;
        snprintf(why, sizeof why, "the value lies outside its bounds");
        break;
    }
    fprintf(stderr, "trammel %s: --guess %s: %s\n", e->who, text, why);
    return false;
}

static bool read_guesses(evaluation *e)
{
    for (int i = 0; i < e->line->option_count; i++)
        if (strcmp(e->line->options[i]->name, "--guess") == 0 && !read_guess(e, e->line->values[i])) return false;
    return true;
}

bool evaluation_begin(evaluation *e, const char *who, const command_line *line)
{
    *e = (evaluation){.who = who, .line = line};
    if (!reading_begin(line, &e->reading)) return false;
    for (int i = 0; i < line->option_count; i++) {
        if (strcmp(line->options[i]->name, "--vary") != 0) continue;
        if (e->varied_count == MOST_VARIED) {
            fprintf(stderr, "trammel %s: at most %d constants are varied\n", who, MOST_VARIED);
            return false;
        }
        if (!read_range(e, line->values[i], &e->varied[e->varied_count++])) return false;
    }
    if (e->varied_count == 0) fprintf(stderr, "trammel %s: nothing is varied; give --vary NAME=FROM:TO\n", who);
    return e->varied_count > 0 && read_guesses(e);
}

void evaluation_end(evaluation *e)
{
    reading_end(&e->reading);
}

/* ---- A run -------------------------------------------------------------------------------- */

typedef struct machine {
    trm_messages *messages;
    trm_model_def *def;
    trm_model *model;
    trm_sim *sim;
    method_choice method;
    trm_simulation_def options;
    trm_measure *measures[MOST_FIGURES];
    int measure_count;
    trm_results *results;
    row_taker_of take;
    void *context;
    bool refused; /* the callback for rows has ended the run and reported why */
} machine;

static bool has_constants(const evaluation *e, const trm_model_def *def)
{
    for (int i = 0; i < e->varied_count; i++) {
        bool known = false;
        for (int k = 0; k < def->constant_count; k++)
            known = known || strcmp(def->constants[k].name, e->varied[i].name) == 0;
        if (known) continue;
        fprintf(stderr, "trammel %s: the model has no constant \"%s\" to vary; ", e->who, e->varied[i].name);
        for (int k = 0; k < def->constant_count; k++)
            fprintf(stderr, "%s%s", k ? ", " : "it has ", def->constants[k].name);
        fprintf(stderr, "%s\n", def->constant_count ? "" : "it has none");
        return false;
    }
    return true;
}

static trm_status define(const evaluation *e, const double *values, machine *m)
{
    trm_constant set[MOST_VARIED + 256];
    trm_read_options options = e->reading.options;
    int count = e->reading.set_count < 256 ? e->reading.set_count : 256;
    for (int i = 0; i < count; i++) set[i] = e->reading.set[i];
    for (int i = 0; i < e->varied_count; i++) set[count++] = (trm_constant){e->varied[i].name, values[i]};
    options.set = set, options.set_count = count;
    return trm_read_model_file(e->line->words[0], &options, NULL, m->messages, &m->def);
}

static bool build(const evaluation *e, const double *values, machine *m, bool reports)
{
    m->messages = trm_messages_create(NULL);
    if (!m->messages) return false;
    if (reports) { /* an unknown constant is reported first */
        trm_model_def *plain = NULL;
        trm_messages *ignored = trm_messages_create(NULL);
        const bool read =
            ignored && trm_read_model_file(e->line->words[0], &e->reading.options, NULL, ignored, &plain) == TRM_OK;
        const bool known = !read || has_constants(e, plain);
        trm_model_def_destroy(plain);
        trm_messages_destroy(ignored);
        if (!known) return false;
    }
    if (define(e, values, m) != TRM_OK || trm_model_create(m->def, NULL, m->messages, &m->model) != TRM_OK)
        return false;
    if (!read_simulation_options(e->who, e->line, m->model, &m->method, &m->options)) return false;
    if (trm_sim_create(m->model, &m->options, NULL, m->messages, &m->sim) != TRM_OK) return false;
    if (e->columns && trm_results_create(m->model, e->columns, NULL, m->messages, &m->results) != TRM_OK)
        return false;
    bool reactions = m->results && trm_results_need_reactions(m->results);
    for (int i = 0; i < e->figure_count; i++) {
        if (trm_measure_create(m->model, e->figures[i], m->def->constants, m->def->constant_count, NULL, m->messages,
                               &m->measures[i]) != TRM_OK)
            return false;
        m->measure_count++;
        reactions = reactions || trm_measure_needs_reactions(m->measures[i]);
    }
    trm_sim_enable_reactions(m->sim, reactions);
    return true;
}

static bool on_row(void *context, const trm_state *state)
{
    machine *m = context;
    for (int i = 0; i < m->measure_count; i++)
        if (!trm_measure_add(m->measures[i], state)) return false;
    m->refused = m->take && !m->take(m->context, state, m->results);
    return !m->refused;
}

static bool may_continue(void *context)
{
    (void)context;
    return !interrupted();
}

evaluation_fate evaluate(const evaluation *e, const double *values, double *figures, row_taker_of take, void *context,
                         bool reports)
{
    machine m = {.take = take, .context = context};
    evaluation_fate fate = build(e, values, &m, reports) ? EVALUATION_DONE : EVALUATION_REFUSED;
    if (reports && m.messages) print_messages(m.messages);
    if (fate == EVALUATION_DONE) {
        const trm_run_def def = {.until = m.options.time,
                                 .every = m.options.every,
                                 .row = on_row,
                                 .may_continue = may_continue,
                                 .context = &m};
        const trm_outcome outcome = trm_sim_run(m.sim, &def);
        if (!outcome.ok) fate = EVALUATION_STOPPED;
        if (!outcome.ok && reports && !interrupted() && !m.refused)
            fprintf(stderr, "trammel %s: the run stopped at t = %.9g s: %s%s%s\n", e->who, outcome.time,
                    outcome.element, outcome.element[0] ? ": " : "", outcome.why);
    }
    for (int i = 0; i < e->figure_count; i++)
        figures[i] = fate == EVALUATION_DONE ? trm_measure_value(m.measures[i]) : NAN;
    for (int i = 0; i < m.measure_count; i++) trm_measure_destroy(m.measures[i]);
    trm_results_destroy(m.results);
    trm_sim_destroy(m.sim);
    trm_model_destroy(m.model);
    trm_model_def_destroy(m.def);
    trm_messages_destroy(m.messages);
    return fate;
}
