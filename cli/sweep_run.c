/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Makes the row of a run: number and point, status, the figures of the report under their keys (docs/results.md), the
 * selected columns of the last state, and the reason of a failure. Figures that a run does not have are empty
 * cells. */

#include "sweep_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "origin.h"
#include "progress.h"
#include "run_figures.h"
#include "simulation_options.h"

/* The objects of one run. */
typedef struct machine {
    trm_messages *messages;
    trm_model_def *def;
    trm_model *model;
    trm_simulation_def options;
    method_choice method;
    bool options_wrong; /* options of the command line are wrong, which was reported */
    trm_sim *sim;
    run_figures *figures; /* measures of --print */
    trm_results *outputs; /* NULL: none are requested */
} machine;

/* ---- Text --------------------------------------------------------------------------------- */

/* Writes a number with the fewest digits that read back bit-identically. */
static bool put_number(trm_text *to, double value)
{
    char text[40] = "";
    for (int digits = 15; digits <= 17 && !isnan(value); digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return put(to, text);
}

/* Writes a cell by RFC 4180: in quotes if it contains a comma or a quote, which is then doubled. */
static bool put_cell(trm_text *to, const char *text)
{
    const bool quoted = strpbrk(text, ",\"") != NULL;
    bool good = !quoted || put(to, "\"");
    for (; good && *text; text++) {
        const char letter[3] = {(unsigned char)*text < ' ' ? ' ' : *text, *text == '"' ? '"' : 0, 0};
        good = put(to, letter);
    }
    return good && (!quoted || put(to, "\""));
}

bool put_point(const sweep_plan *p, int run, trm_text *row)
{
    char number[20];
    double *values = calloc((size_t)p->design.variation_count, sizeof *values);
    snprintf(number, sizeof number, "%d,", run + 1);
    bool good = values && put(row, number);
    if (good) point_of(&p->design, run, values);
    for (int i = 0; good && i < p->design.variation_count; i++) good = put_number(row, values[i]) && put(row, ",");
    free(values);
    return good;
}

/* ---- Building ----------------------------------------------------------------------------- */

static trm_status read_definition(const sweep_plan *p, const trm_read_options *options, machine *m)
{
    const char *file = p->line->words[0];
    if (p->has_files) return trm_read_model_file(file, options, NULL, m->messages, &m->def);
    return trm_read_model_text(p->model, p->model_length, file, options, NULL, m->messages, &m->def);
}

/* Applies the constants of --set and those of the point. run -1: only those of --set. */
static trm_status define(const sweep_plan *p, int run, machine *m)
{
    const int varied = run >= 0 ? p->design.variation_count : 0;
    trm_constant *set = calloc((size_t)(p->reading.set_count + varied) + 1, sizeof *set);
    double *values = calloc((size_t)varied + 1, sizeof *values);
    trm_status status = TRM_OUT_OF_MEMORY;
    m->messages = trm_messages_create(NULL);
    if (set && values && m->messages) {
        for (int i = 0; i < p->reading.set_count; i++) set[i] = p->reading.set[i];
        if (run >= 0) point_of(&p->design, run, values);
        for (int i = 0; i < varied; i++)
            set[p->reading.set_count + i] = (trm_constant){p->design.variations[i].name, values[i]};
        trm_read_options options = p->reading.options;
        options.set = set, options.set_count = p->reading.set_count + varied;
        status = read_definition(p, &options, m);
    }
    free(values);
    free(set);
    return status;
}

static trm_status choose_outputs(const sweep_plan *p, machine *m)
{
    const char *columns = option_value(p->line, "--columns");
    if (!columns) return TRM_OK;
    const trm_status status = trm_results_create(m->model, columns, NULL, m->messages, &m->outputs);
    if (status == TRM_OK) trm_sim_enable_reactions(m->sim, trm_results_need_reactions(m->outputs));
    return status;
}

/* Creates the measures of each --print. */
static trm_status choose_figures(const sweep_plan *p, machine *m)
{
    m->figures = run_figures_begin(p->line, m->def, m->model, m->messages);
    if (!m->figures) return TRM_BAD_INPUT;
    if (run_figures_need_reactions(m->figures)) trm_sim_enable_reactions(m->sim, true);
    return TRM_OK;
}

static bool take_row(void *context, const trm_state *state)
{
    return run_figures_add(context, state);
}

static trm_status build(const sweep_plan *p, int run, machine *m)
{
    trm_status status = define(p, run, m);
    if (status == TRM_OK) status = trm_model_create(m->def, NULL, m->messages, &m->model);
    if (status == TRM_OK && !read_simulation_options("sweep", p->line, m->model, &m->method, &m->options)) {
        m->options_wrong = true;
        return TRM_BAD_INPUT;
    }
    if (status == TRM_OK) status = trm_sim_create(m->model, &m->options, NULL, m->messages, &m->sim);
    if (status == TRM_OK) status = choose_outputs(p, m);
    if (status == TRM_OK) status = choose_figures(p, m);
    return status;
}

static void take_apart(machine *m)
{
    run_figures_end(m->figures);
    trm_results_destroy(m->outputs);
    trm_sim_destroy(m->sim);
    trm_model_destroy(m->model);
    trm_model_def_destroy(m->def);
    trm_messages_destroy(m->messages);
    *m = (machine){0};
}

/* ---- Figures ------------------------------------------------------------------------------ */

static const char *const figure_names[] = {
    "time",
    "steps",
    "wall_s",
    "energy.start",
    "energy.end",
    "energy.work",
    "energy.max_error",
    "energy.mean_error",
    "momentum.linear_error",
    "momentum.angular_error",
    "gap.position",
    "gap.angle",
    "velocity_gap",
    "checks",
    "corrections",
    "rounds",
    "newton",
    "factorisations",
    "halvings",
    "rejections",
    "impacts",
    "contacts",
    "evaluations",
    "switches",
};
enum { FIGURES = COUNT_OF(figure_names) };

static bool put_figures(machine *m, double wall, trm_text *row)
{
    const trm_accuracy a = trm_sim_accuracy(m->sim);
    const trm_counters *c = trm_sim_counters(m->sim);
    const bool gap = a.gap_joint >= 0, velocity_gap = a.velocity_gap_joint >= 0;
    const double figures[FIGURES] = {
        trm_state_time(trm_sim_state(m->sim)),
        (double)c->steps,
        wall,
        a.energy_start,
        a.energy_end,
        a.work,
        a.energy_error_max,
        a.energy_error_mean,
        a.is_free ? a.linear_error : NAN,
        a.is_free ? a.angular_error : NAN,
        gap ? a.gap.position : NAN,
        gap ? a.gap.angle : NAN,
        velocity_gap ? fmax(a.velocity_gap.position, a.velocity_gap.angle) : NAN,
        (double)c->checks,
        (double)c->corrections,
        (double)c->rounds,
        (double)c->newton,
        (double)c->factorisations,
        (double)c->halvings,
        (double)c->rejections,
        (double)c->impacts,
        (double)c->contacts,
        (double)c->evaluations,
        (double)c->switches,
    };
    bool good = true;
    for (int i = 0; good && i < FIGURES; i++) good = put_number(row, figures[i]) && put(row, ",");
    return good;
}

static bool put_outputs(const machine *m, trm_text *row)
{
    bool good = true;
    for (int i = 0; m->outputs && good && i < trm_result_count(m->outputs); i++)
        good = put_number(row, trm_result_value(m->outputs, i, trm_sim_state(m->sim))) && put(row, ",");
    for (int i = 0; good && i < run_figures_count(m->figures); i++)
        good = put_number(row, run_figures_value(m->figures, i)) && put(row, ",");
    return good;
}

/* ---- A run -------------------------------------------------------------------------------- */

static bool may_continue(void *context)
{
    (void)context;
    return !interrupted();
}

/* Writes a reason such as "joint 'j3': the axis has length zero". */
static void report_why(const char *element, const char *text, char *why, size_t size)
{
    snprintf(why, size, "%s%s%s", element, element[0] ? ": " : "", text);
}

static void first_error(const machine *m, trm_status status, char *why, size_t size)
{
    snprintf(why, size, "%s", trm_status_text(status));
    for (int i = m->messages ? trm_message_count(m->messages) : 0; i-- > 0;) {
        const trm_message *message = trm_message_at(m->messages, i);
        if (message->severity == TRM_ERROR) report_why(message->element, message->text, why, size);
    }
}

static bool put_refused_row(const sweep_plan *p, const machine *m, trm_status status, trm_text *row)
{
    char why[400];
    first_error(m, status, why, sizeof why);
    bool good = put(row, "refused,");
    for (int i = p->design.variation_count + 3; good && i < p->column_count; i++) good = put(row, ",");
    return good && put_cell(row, why) && put(row, "\n");
}

static bool put_run_row(machine *m, const trm_outcome *outcome, double wall, trm_text *row)
{
    char why[400] = "";
    if (!outcome->ok) report_why(outcome->element, outcome->why, why, sizeof why);
    return put(row, outcome->ok ? "ok," : "stopped,") && put_figures(m, wall, row) && put_outputs(m, row) &&
           put_cell(row, why) && put(row, "\n");
}

run_fate make_run(const sweep_plan *p, int run, trm_text *row)
{
    machine m = {0};
    const double began = wall_seconds();
    const trm_status status = build(p, run, &m);
    run_fate fate = RUN_REFUSED;
    bool written = put_point(p, run, row);
    if (status == TRM_OK) {
        const trm_run_def def = {.until = m.options.time,
                                 .every = m.options.every,
                                 .may_continue = may_continue,
                                 .context = m.figures,
                                 .row = run_figures_count(m.figures) > 0 ? take_row : NULL};
        const trm_outcome outcome = trm_sim_run(m.sim, &def);
        fate = outcome.ok ? RUN_OK : interrupted() ? RUN_INTERRUPTED : RUN_STOPPED;
        written = written && put_run_row(&m, &outcome, wall_seconds() - began, row);
    } else {
        written = written && put_refused_row(p, &m, status, row);
    }
    take_apart(&m);
    return written ? fate : RUN_LOST;
}

/* ---- Columns ------------------------------------------------------------------------------ */

static bool known_constants(const sweep_plan *p, const trm_model_def *def)
{
    for (int i = 0; i < p->design.variation_count; i++) {
        const char *name = p->design.variations[i].name;
        bool known = false;
        for (int k = 0; k < def->constant_count; k++) known = known || strcmp(def->constants[k].name, name) == 0;
        if (known) continue;
        fprintf(stderr, "trammel sweep: the model has no constant \"%s\" to vary; ", name);
        for (int k = 0; k < def->constant_count; k++)
            fprintf(stderr, "%s%s", k ? ", " : "it has ", def->constants[k].name);
        fprintf(stderr, "%s\n", def->constant_count ? "" : "it has none");
        return false;
    }
    return true;
}

/* Adds a name to the header row. Returns false after reporting that it is already there. */
static bool put_name(sweep_plan *p, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = trm_text_get(p->columns); at && *at; at = strchr(at, ','), at += at != NULL)
        if (strncmp(at, name, length) == 0 && at[length] == ',') {
            fprintf(stderr,
                    "trammel sweep: there would be two columns \"%s\": every sweep has those of the report, of the "
                    "constants varied, and of --columns; another name in the model would do\n",
                    name);
            return false;
        }
    p->column_count++;
    return put(p->columns, name) && put(p->columns, ",");
}

/* Adds an expression as the name of a column, with its commas replaced by semicolons. */
static bool put_figure_name(sweep_plan *p, const machine *m, int index)
{
    char name[300];
    snprintf(name, sizeof name, "%s", run_figures_text(m->figures, index));
    for (char *c = name; *c; c++)
        if (*c == ',' || *c == '"' || (unsigned char)*c < ' ') *c = ';';
    return put_name(p, name);
}

static bool put_names(sweep_plan *p, const machine *m)
{
    bool good = put_name(p, "run");
    for (int i = 0; good && i < p->design.variation_count; i++) good = put_name(p, p->design.variations[i].name);
    good = good && put_name(p, "status");
    for (int i = 0; good && i < FIGURES; i++) good = put_name(p, figure_names[i]);
    for (int i = 0; m->outputs && good && i < trm_result_count(m->outputs); i++)
        good = put_name(p, trm_result_name(m->outputs, i));
    for (int i = 0; good && i < run_figures_count(m->figures); i++) good = put_figure_name(p, m, i);
    p->column_count++;
    return good && put(p->columns, "reason\n");
}

/* Returns whether the model refers to other files: it cannot be read from memory then. */
static bool refers_to_files(const sweep_plan *p, int run)
{
    sweep_plan in_memory = *p;
    machine m = {0};
    in_memory.has_files = false;
    const bool refers = define(&in_memory, run, &m) != TRM_OK;
    take_apart(&m);
    return refers;
}

/* Tries a point. Returns whether the search ends there: a simulation could be created, or the options are wrong. */
static bool try_point(sweep_plan *p, int run, bool gives_reason, exit_code *code)
{
    machine m = {0};
    const trm_status status = build(p, run, &m);
    const bool columns_wrong = status != TRM_OK && m.sim;
    *code = m.options_wrong ? EXIT_USAGE : EXIT_BAD_INPUT;
    if (status == TRM_OK && put_names(p, &m)) *code = EXIT_DONE;
    if (status != TRM_OK && m.messages && (gives_reason || columns_wrong)) print_messages(m.messages);
    take_apart(&m);
    return status == TRM_OK || columns_wrong || *code == EXIT_USAGE;
}

exit_code find_columns(sweep_plan *p)
{
    enum { MOST_TRIED = 1000 };
    machine m = {0};
    exit_code code = EXIT_BAD_INPUT;
    p->has_files = true;
    const bool named = define(p, -1, &m) != TRM_OK || known_constants(p, m.def);
    take_apart(&m);
    if (!named) return EXIT_BAD_INPUT;
    int run = 0;
    const int most = p->design.run_count < MOST_TRIED ? p->design.run_count : MOST_TRIED;
    while (run < most && !try_point(p, run, false, &code)) run++;
    if (run == most) {
        try_point(p, 0, true, &code);
        fprintf(stderr, "trammel sweep: no valid model results from %s\n",
                most == p->design.run_count ? "any point" : "the first 1000 points");
    }
    if (code == EXIT_DONE) p->has_files = refers_to_files(p, run);
    return code;
}
