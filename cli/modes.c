/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel modes: natural frequencies, damping, mode shapes, state space (docs/modes.md). */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "modes_report.h"
#include "output.h"
#include "simulation_options.h"

/* ---- The state ---------------------------------------------------------------------------- */

static exit_code go_to_equilibrium(loaded *l)
{
    trm_equilibrium_result *r = NULL;
    const trm_status status = trm_equilibrium(l->state, NULL, NULL, l->messages, &r);
    if (status != TRM_OK) return EXIT_BAD_INPUT;
    const bool found = r->found;
    if (!found)
        fprintf(stderr, "trammel modes: %s%s%s; --at start linearises where the model starts\n", r->element,
                r->element[0] ? ": " : "", r->why);
    if (found && r->unstable > 0)
        fprintf(stderr, "trammel modes: warning: the equilibrium is unstable in %d directions\n", r->unstable);
    trm_equilibrium_destroy(r);
    return found ? EXIT_DONE : EXIT_STOPPED;
}

/* Runs the model to the given time and takes the state there. */
static bool go_to_time(const command_line *line, loaded *l, double time)
{
    trm_simulation_def options;
    method_choice method = {0};
    trm_sim *sim = NULL;
    if (!read_simulation_options("modes", line, l->model, &method, &options)) return false;
    bool good = trm_sim_create(l->model, &options, NULL, l->messages, &sim) == TRM_OK;
    if (good) {
        const trm_run_def run = {.until = time, .every = NAN};
        const trm_outcome outcome = trm_sim_run(sim, &run);
        good = outcome.ok && trm_sim_observe(sim).ok;
        if (!good)
            fprintf(stderr, "trammel modes: stopped at t = %.9g s: %s%s%s\n", outcome.time, outcome.element,
                    outcome.element[0] ? ": " : "", outcome.why);
    }
    if (good) trm_state_copy(l->state, trm_sim_state(sim));
    trm_sim_destroy(sim);
    return good;
}

static exit_code go_to_state(const command_line *line, loaded *l)
{
    const char *at = option_value(line, "--at");
    double time;
    char why[200];
    if (!at || strcmp(at, "equilibrium") == 0) return go_to_equilibrium(l);
    if (strcmp(at, "start") == 0) {
        trm_assembly done;
        return trm_assemble(l->state, NULL, l->messages, &done) == TRM_OK ? EXIT_DONE : EXIT_BAD_INPUT;
    }
    if (trm_evaluate(at, &time, why, sizeof why) && time >= 0)
        return go_to_time(line, l, time) ? EXIT_DONE : EXIT_STOPPED;
    fprintf(stderr, "trammel modes: --at is equilibrium, start or a time in s, not \"%s\"\n", at);
    return EXIT_USAGE;
}

/* ---- Text --------------------------------------------------------------------------------- */

static void print_modes(const loaded *l, const char *file, const trm_linearisation *r)
{
    printf("%s: %d degrees of freedom%s\n", title_of(l, file), r->freedoms, r->moving ? ", about its motion" : "");
    printf("%5s %18s %18s %16s %12s  %s\n", "mode", "frequency [Hz]", "real [1/s]", "imaginary [1/s]", "damping",
           "motion");
    for (int i = 0; i < r->mode_count; i++) {
        const trm_mode *m = &r->modes[i];
        if (m->zero)
            printf("%5d %18s %18s %16s %12s  %s\n", i + 1, "0", "0", "0", "", m->text);
        else
            printf("%5d %18.12g %18.12g %16.12g %12.6g  %s\n", i + 1, m->frequency, m->re, m->im, m->damping,
                   m->text);
    }
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void put_matrix(trm_json_writer *w, const char *key, const double *a, int rows, int columns)
{
    if (!a) return;
    trm_json_open_array(w, key);
    for (int i = 0; i < rows; i++) trm_json_put_numbers(w, NULL, a + (size_t)i * (size_t)columns, columns);
    trm_json_close(w);
}

static void put_shape(trm_json_writer *w, const loaded *l, const double *shape, bool imaginary)
{
    trm_json_open_object(w, imaginary ? "shape_imaginary" : "shape");
    for (int b = 1; b < trm_body_count(l->model); b++)
        trm_json_put_numbers(w, trm_body_info_of(l->model, b).name, shape + 12 * b + (imaginary ? 6 : 0), 6);
    trm_json_close(w);
}

static void put_mode(trm_json_writer *w, const loaded *l, const trm_linearisation *r, int i)
{
    const trm_mode *m = &r->modes[i];
    const double *shape = r->shapes + (size_t)i * 12 * (size_t)trm_body_count(l->model);
    trm_json_open_object(w, NULL);
    trm_json_put_number(w, "re", m->re);
    trm_json_put_number(w, "im", m->im);
    trm_json_put_number(w, "frequency", m->frequency);
    trm_json_put_number(w, "damping", m->damping);
    trm_json_put_bool(w, "zero", m->zero);
    trm_json_put_text(w, "text", m->text);
    put_shape(w, l, shape, false);
    if (m->im != 0) put_shape(w, l, shape, true);
    trm_json_close(w);
}

static void write_json(const loaded *l, const trm_linearisation *r)
{
    trm_json_writer w = trm_json_begin(trm_file_sink(stdout));
    trm_json_open_object(&w, NULL);
    trm_json_put_integer(&w, "freedoms", r->freedoms);
    trm_json_put_bool(&w, "moving", r->moving);
    if (r->names) trm_json_put_texts(&w, "coordinates", r->names, r->freedoms);
    trm_json_put_integer(&w, "zero_modes", r->zero_count);
    trm_json_open_array(&w, "modes");
    for (int i = 0; i < r->mode_count; i++) put_mode(&w, l, r, i);
    trm_json_close(&w);
    put_matrix(&w, "M", r->M, r->freedoms, r->freedoms);
    put_matrix(&w, "D_damping", r->D, r->freedoms, r->freedoms);
    put_matrix(&w, "K", r->K, r->freedoms, r->freedoms);
    put_matrix(&w, "A", r->A, r->state_count, r->state_count);
    trm_json_put_texts(&w, "inputs", r->input_names, r->input_count);
    trm_json_put_texts(&w, "outputs", r->output_names, r->output_count);
    put_matrix(&w, "B", r->B, r->state_count, r->input_count);
    put_matrix(&w, "C", r->C, r->output_count, r->state_count);
    put_matrix(&w, "D", r->Du, r->output_count, r->input_count);
    trm_json_close(&w);
    trm_json_end(&w);
}

/* ---- CSV ---------------------------------------------------------------------------------- */

static bool write_matrix(const char *folder, const char *name, const double *a, int rows, int columns)
{
    char path[4096];
    output out = {0};
    if (!a) return true;
    snprintf(path, sizeof path, "%s%s.csv", folder, name);
    if (!output_open(&out, "modes", path, "wb")) return false;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            output_check(&out, fprintf(out.file, "%.17g%s", a[(size_t)i * (size_t)columns + (size_t)k],
                                       k + 1 < columns ? "," : "\n") > 0);
    return output_close(&out, "modes");
}

/* Writes PREFIXM.csv, PREFIXK.csv and so on. Returns false after reporting what is wrong. */
static bool write_matrices(const char *prefix, const trm_linearisation *r)
{
    const int f = r->freedoms, n = r->state_count;
    return write_matrix(prefix, "M", r->M, f, f) && write_matrix(prefix, "damping", r->D, f, f) &&
           write_matrix(prefix, "K", r->K, f, f) && write_matrix(prefix, "A", r->A, n, n) &&
           (r->input_count == 0 || write_matrix(prefix, "B", r->B, n, r->input_count)) &&
           (r->output_count == 0 || write_matrix(prefix, "C", r->C, r->output_count, n)) &&
           (r->input_count == 0 || r->output_count == 0 ||
            write_matrix(prefix, "D", r->Du, r->output_count, r->input_count));
}

/* ---- The command -------------------------------------------------------------------------- */

static exit_code linearise(const command_line *line, loaded *l)
{
    const trm_linearise_def def = {option_value(line, "--inputs"), option_value(line, "--outputs")};
    trm_linearisation *r = NULL;
    const exit_code reached = go_to_state(line, l);
    if (reached != EXIT_DONE) return reached;
    const trm_status status = trm_linearise(l->state, &def, NULL, l->messages, &r);
    if (status == TRM_OUT_OF_MEMORY) fprintf(stderr, "trammel modes: out of memory\n");
    if (status != TRM_OK) return EXIT_BAD_INPUT;
    if (has_option(line, "--json"))
        write_json(l, r);
    else
        print_modes(l, line->words[0], r);
    bool good = !option_value(line, "--csv") || write_matrices(option_value(line, "--csv"), r);
    if (good && option_value(line, "--report")) good = write_modes_report(line, l, r);
    trm_linearisation_destroy(r);
    return good ? EXIT_DONE : EXIT_BAD_INPUT;
}

static exit_code run(const command_line *line)
{
    loaded l;
    exit_code code = EXIT_BAD_INPUT;
    const named_file read = {"the model", line->words[0]}, written = {"--report", option_value(line, "--report")};
    if (!outputs_differ("modes", &read, 1, &written, 1)) return EXIT_USAGE;
    if (load_model(line, &l) == TRM_OK) code = linearise(line, &l);
    if (l.messages) print_messages(l.messages);
    unload(&l);
    return code;
}

static const option options[] = {
    {"--at", "WHERE",
     "where to linearise: equilibrium, start, or a time [s] up to which the model is run (default: equilibrium)"},
    {"--inputs", "LIST",
     "inputs of the state space: SERVO.target, FORCE.value, JOINT.force, BODY.fx .. tz, or inputs of the model"},
    {"--outputs", "LIST", "outputs of the state space: columns such as 'j1.q,rod.*', sensors"},
    {"--json", NULL, "print modes, shapes and matrices as one JSON object"},
    {"--csv", "PREFIX", "write the matrices to PREFIXM.csv, PREFIXK.csv, PREFIXdamping.csv, PREFIXA.csv and so on"},
    {"--report", "FILE.html", "write a page with animated mode shapes and Bode plots of all inputs and outputs"},
    METHOD_OPTIONS,
    MODEL_OPTIONS,
};

const command command_modes = {
    .name = "modes",
    .words = "MODEL",
    .least = 1,
    .most = 1,
    .summary = "find natural frequencies, damping ratios, mode shapes and the state space of a model",
    .details = "Linearises about the equilibrium, the initial state or a state of a run, in independent coordinates "
               "with loops\n"
               "closed and redundant rows dropped. Joints under load add geometric stiffness. Zero modes come first, "
               "by name.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = run,
};
