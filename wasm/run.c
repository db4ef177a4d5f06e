/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One simulation of one model: loaded from a file, stepped and read. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/simulation_options.h"
#include "exports.h"

enum { POSE = 7, MOST_SET = 100, MOST_TEXT = 4000, SENTENCE = 1200 };

typedef struct run {
    trm_model *model;
    trm_sim *sim;
    trm_results *columns;
    double *numbers; /* poses or values, those that were requested last */
    double wall;     /* computing time of the steps so far, s */
    char stopped[SENTENCE];
} run;

/* ---- Options ------------------------------------------------------------------------------ */

/* Lines "NAME=VALUE": options of `trammel run`, "set.NAME" for constants, "columns". They point into text, which is
 * divided into terminated pieces. */
typedef struct run_options {
    char text[MOST_TEXT];
    trm_constant set[MOST_SET];
    int set_count;
    const char *columns;
    const char *names[MOST_SET], *values[MOST_SET]; /* options of the simulation */
    int count;
} run_options;

static bool add_constant(run_options *o, const char *name, const char *value, char *why)
{
    char *end;
    o->set[o->set_count++] = (trm_constant){name, strtod(value, &end)};
    if (end != value && *end == 0) return true;
    snprintf(why, SENTENCE, "constant %s is \"%.100s\"; it must be a number", name, value);
    return false;
}

static bool add_option(run_options *o, const char *name, const char *value, char *why)
{
    static const char *const known[] = {"method", "solver", "order", "scheme", "impact",    "sleep",
                                        "start",  "step",   "error", "time",   "tolerance", NULL};
    if (strncmp(name, "set.", 4) == 0) return add_constant(o, name + 4, value, why);
    if (strcmp(name, "columns") == 0) return o->columns = value, true;
    int k = 0;
    while (known[k] && strcmp(known[k], name) != 0) k++;
    o->names[o->count] = name, o->values[o->count++] = value;
    if (known[k]) return true;
    snprintf(why, SENTENCE, "there is no option %.100s", name);
    return false;
}

static bool read_options(const char *text, run_options *o, char *why)
{
    *o = (run_options){.set_count = 0};
    if (strlen(text) >= sizeof o->text) return snprintf(why, SENTENCE, "the options are too long"), false;
    memcpy(o->text, text, strlen(text) + 1);
    for (char *line = strtok(o->text, "\n"); line; line = strtok(NULL, "\n")) {
        char *value = strchr(line, '=');
        if (!value || o->set_count == MOST_SET || o->count == MOST_SET)
            return snprintf(why, SENTENCE, "options are lines NAME=VALUE, at most %d", MOST_SET), false;
        *value++ = 0;
        if (!add_option(o, line, value, why)) return false;
    }
    return true;
}

static bool apply_options(const run_options *o, trm_simulation_def *options, method_choice *method, char *why)
{
    for (int i = 0; i < o->count; i++) {
        char name[100];
        snprintf(name, sizeof name, "--%s", o->names[i]);
        if (!set_simulation_option(name, o->values[i], options, method, why, SENTENCE)) return false;
    }
    return true;
}

/* ---- Loading ------------------------------------------------------------------------------ */

static trm_status load(run *r, const char *path, const run_options *o, trm_messages *messages, char *why)
{
    const trm_read_options reading = {.set = o->set, .set_count = o->set_count, .without_mass = true};
    trm_model_def *def = NULL;
    trm_status status = trm_read_model_file(path, &reading, NULL, messages, &def);
    if (status == TRM_OK) status = trm_model_create(def, NULL, messages, &r->model);
    trm_model_def_destroy(def);
    if (status != TRM_OK) return status;
    trm_simulation_def options = *trm_model_simulation(r->model);
    method_choice method = {0};
    if (!apply_options(o, &options, &method, why)) return TRM_BAD_INPUT;
    status = trm_sim_create(r->model, &options, NULL, messages, &r->sim);
    if (status == TRM_OK) status = trm_results_create(r->model, o->columns, NULL, messages, &r->columns);
    if (status != TRM_OK) return status;
    if (trm_results_need_reactions(r->columns)) trm_sim_enable_reactions(r->sim, true);
    const int bodies = POSE * trm_body_count(r->model), columns = trm_result_count(r->columns);
    r->numbers = malloc((size_t)(bodies > columns ? bodies : columns) * sizeof *r->numbers);
    return r->numbers ? TRM_OK : TRM_OUT_OF_MEMORY;
}

static void put_info(trm_json_writer *w, const run *r)
{
    const trm_simulation_def *o = trm_sim_options(r->sim);
    trm_json_put_text(w, "name", trm_model_name(r->model));
    trm_json_put_text(w, "method", o->method);
    trm_json_put_number(w, "step", o->step);
    trm_json_put_number(w, "time", o->time);
    trm_json_open_array_flat(w, "bodies");
    for (int i = 0; i < trm_body_count(r->model); i++) trm_json_put_text(w, NULL, trm_body_info_of(r->model, i).name);
    trm_json_close(w);
    trm_json_open_array(w, "columns");
    for (int i = 0; i < trm_result_count(r->columns); i++) {
        trm_json_open_object_flat(w, NULL);
        trm_json_put_text(w, "name", trm_result_name(r->columns, i));
        trm_json_put_text(w, "unit", trm_result_unit(r->columns, i));
        trm_json_close(w);
    }
    trm_json_close(w);
}

EXPORT(void, run_close, run *r)
{
    if (!r) return;
    free(r->numbers);
    trm_results_destroy(r->columns);
    trm_sim_destroy(r->sim);
    trm_model_destroy(r->model);
    free(r);
}

/* Reads the model and creates its simulation. Returns NULL if that fails. The answer is an object with messages, why
 * (a sentence, or empty) and, after success, a description of the model. */
EXPORT(run *, run_open, const char *path, const char *options)
{
    char why[SENTENCE] = "";
    run_options *o = malloc(sizeof *o);
    run *r = calloc(1, sizeof *r);
    trm_messages *messages = trm_messages_create(NULL);
    if (!o || !r || !messages) abort();
    const trm_status status = read_options(options, o, why) ? load(r, path, o, messages, why) : TRM_BAD_INPUT;
    if (status == TRM_OUT_OF_MEMORY) snprintf(why, sizeof why, "there is not enough memory");
    trm_json_writer w = trm_json_begin(begin_answer());
    trm_json_open_object(&w, NULL);
    trm_json_put_text(&w, "why", why);
    put_messages(&w, "messages", messages);
    if (status == TRM_OK) put_info(&w, r);
    trm_json_close(&w);
    trm_json_end(&w);
    trm_messages_destroy(messages);
    free(o);
    if (status == TRM_OK) return r;
    run_close(r);
    return NULL;
}

/* ---- Running ------------------------------------------------------------------------------ */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool note(run *r, trm_outcome outcome)
{
    if (outcome.ok) return true;
    snprintf(r->stopped, sizeof r->stopped, "at t = %.6g s: %s%s%s", outcome.time, outcome.element,
             outcome.element[0] ? ": " : "", outcome.why);
    return false;
}

/* Advances to that time, or by one step if it is NAN. Returns false if it cannot (run_report says why). */
EXPORT(bool, run_advance, run *r, double until)
{
    if (r->stopped[0]) return false;
    const double begun = now();
    const trm_run_def def = {.until = until, .every = NAN};
    const bool good =
        note(r, isnan(until) ? trm_sim_step(r->sim, trm_sim_options(r->sim)->step) : trm_sim_run(r->sim, &def)) &&
        note(r, trm_sim_observe(r->sim));
    r->wall += now() - begun;
    return good;
}

EXPORT(double, run_time, const run *r)
{
    return trm_state_time(trm_sim_state(r->sim));
}

/* Returns x, y, z, qw, qx, qy, qz of each body frame. */
EXPORT(const double *, run_poses, run *r)
{
    for (int i = 0; i < trm_body_count(r->model); i++) {
        const trm_pose X = trm_body_pose(trm_sim_state(r->sim), i);
        const double pose[POSE] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
        memcpy(r->numbers + POSE * i, pose, sizeof pose);
    }
    return r->numbers;
}

EXPORT(const double *, run_values, run *r)
{
    for (int i = 0; i < trm_result_count(r->columns); i++)
        r->numbers[i] = trm_result_value(r->columns, i, trm_sim_state(r->sim));
    return r->numbers;
}

/* Answers with the output of `trammel run --json`. */
EXPORT(void, run_report, run *r)
{
    trm_write_report_json(r->sim, r->stopped[0] ? r->stopped : "ok", r->wall, begin_answer());
}
