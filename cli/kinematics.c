/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel kinematics: motion by drives alone, singular poses, ranges of motion (docs/kinematics.md). */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "output.h"

enum { MOST_RATIOS = 32 };

typedef struct ratio {
    trm_coordinate_name in, out;
    const char *text;
} ratio;

typedef struct work {
    const command_line *line;
    loaded l;
    double time, every;
    ratio ratios[MOST_RATIOS];
    int ratio_count;
    trm_kinematics *kinematics;
    trm_results *columns;
    output out;
} work;

/* ---- Reading ------------------------------------------------------------------------------ */

/* Gives masses to bodies without mass, because kinematics does not need them. */
static void add_masses(trm_model_def *def)
{
    for (int i = 0; i < def->body_count; i++) {
        trm_body_def *b = &def->bodies[i];
        bool dense = false;
        for (int k = 0; k < b->shape_count; k++) dense = dense || b->shapes[k].density > 0;
        if (b->kind == TRM_BODY_ROD && !(b->rod.mass > 0)) b->rod.mass = 1;
        if ((b->kind != TRM_BODY_RIGID && b->kind != TRM_BODY_POINT) || b->mass > 0 || dense) continue;
        b->mass = 1;
        for (int k = 0; b->kind == TRM_BODY_RIGID && isnan(b->inertia[0]) && k < 6; k++)
            if (k < 3) b->inertia[k] = 1;
        for (int k = 3; b->kind == TRM_BODY_RIGID && k < 6; k++)
            if (isnan(b->inertia[k])) b->inertia[k] = 0;
        for (int k = 1; b->kind == TRM_BODY_RIGID && k < 3; k++)
            if (isnan(b->inertia[k])) b->inertia[k] = 1;
    }
}

static trm_status load_without_masses(const command_line *line, loaded *l)
{
    trm_status status = load_definition(line, l);
    if (status == TRM_OK) add_masses(l->def);
    if (status == TRM_OK) status = trm_model_create(l->def, NULL, l->messages, &l->model);
    return status;
}

/* Reads "crank" or "cardan.q2". Returns false after reporting what is wrong. */
static bool read_coordinate(const work *w, const char *text, trm_coordinate_name *name)
{
    const char *dot = strrchr(text, '.');
    char joint[300];
    snprintf(joint, sizeof joint, "%s", text);
    name->coordinate = 0;
    name->joint = trm_find_joint(w->l.model, text);
    if (name->joint < 0 && dot && (size_t)(dot - text) < sizeof joint) {
        joint[dot - text] = 0;
        name->joint = trm_find_joint(w->l.model, joint);
        name->coordinate = dot[1] == 'q' && dot[2] ? dot[2] - '1' : 0;
    }
    const int count = name->joint >= 0 ? trm_joint_info_of(w->l.model, name->joint).coordinates : 0;
    if (name->joint >= 0 && name->coordinate >= 0 && name->coordinate < count) return true;
    fprintf(stderr,
            "trammel kinematics: \"%s\" is not a joint with a coordinate; name one such as crank or cardan.q2\n",
            text);
    return false;
}

static bool read_number(const char *name, const char *text, double *value)
{
    char why[200];
    if (!text) return true;
    if (trm_evaluate(text, value, why, sizeof why) && *value > 0) return true;
    fprintf(stderr, "trammel kinematics: %s takes a positive number of seconds, not \"%s\"\n", name, text);
    return false;
}

/* Reads all IN:OUT of --transmission. Returns false after reporting what is wrong. */
static bool read_ratios(work *w)
{
    for (int i = 0; i < w->line->option_count; i++) {
        if (strcmp(w->line->options[i]->name, "--transmission") != 0) continue;
        const char *text = w->line->values[i], *colon = strchr(text, ':');
        char in[300];
        if (!colon || (size_t)(colon - text) >= sizeof in || w->ratio_count == MOST_RATIOS) {
            fprintf(stderr, "trammel kinematics: --transmission takes IN:OUT, two joints, at most %d times\n",
                    MOST_RATIOS);
            return false;
        }
        memcpy(in, text, (size_t)(colon - text));
        in[colon - text] = 0;
        ratio *r = &w->ratios[w->ratio_count++];
        r->text = text;
        if (!read_coordinate(w, in, &r->in) || !read_coordinate(w, colon + 1, &r->out)) return false;
    }
    return true;
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Returns whether a column is written: forces, works and energies need masses. */
static bool is_shown(const char *name)
{
    static const char *const hidden[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    const char *dot = strrchr(name, '.');
    if (!dot) return strcmp(name, "E_kin") != 0 && strcmp(name, "E_pot") != 0 && strcmp(name, "W") != 0;
    for (int i = 0; i < COUNT_OF(hidden); i++)
        if (strcmp(dot + 1, hidden[i]) == 0) return false;
    return true;
}

static void write_header(work *w)
{
    output_check(&w->out, fprintf(w->out.file, "# kinematics\nt") > 0);
    for (int i = 0; i < trm_result_count(w->columns); i++) {
        const char *name = trm_result_name(w->columns, i);
        if (is_shown(name) && strcmp(name, "t") != 0) output_check(&w->out, fprintf(w->out.file, ",%s", name) > 0);
    }
    for (int i = 0; i < w->ratio_count; i++)
        output_check(&w->out, fprintf(w->out.file, ",transmission(%s)", w->ratios[i].text) > 0);
    output_check(&w->out, fprintf(w->out.file, "\n") > 0);
}

static void write_row(work *w)
{
    const trm_state *state = trm_kinematics_state(w->kinematics);
    if (!w->out.file) return;
    output_number(&w->out, "", trm_state_time(state));
    for (int i = 0; i < trm_result_count(w->columns); i++) {
        const char *name = trm_result_name(w->columns, i);
        if (is_shown(name) && strcmp(name, "t") != 0)
            output_number(&w->out, ",", trm_result_value(w->columns, i, state));
    }
    for (int i = 0; i < w->ratio_count; i++)
        output_number(&w->out, ",", trm_transmission(w->kinematics, w->ratios[i].in, w->ratios[i].out));
    output_check(&w->out, fprintf(w->out.file, "\n") > 0);
}

static trm_outcome move(work *w)
{
    trm_outcome outcome = {.ok = true};
    const long rows = (long)floor(w->time / w->every * (1 + 1e-12));
    write_row(w);
    for (long i = 1; outcome.ok && i <= rows; i++) {
        outcome = trm_kinematics_go(w->kinematics, (double)i * w->every);
        if (outcome.ok) write_row(w);
    }
    if (outcome.ok && (double)rows * w->every < w->time * (1 - 1e-12)) {
        outcome = trm_kinematics_go(w->kinematics, w->time);
        if (outcome.ok) write_row(w);
    }
    return outcome;
}

/* ---- Commands ----------------------------------------------------------------------------- */

static exit_code run_motion(work *w)
{
    const char *columns = option_value(w->line, "--columns"), *out = option_value(w->line, "--out");
    trm_singular_pose pose;
    if (trm_kinematics_create(w->l.model, NULL, w->l.messages, &w->kinematics) != TRM_OK ||
        trm_results_create(w->l.model, columns ? columns : "*", NULL, w->l.messages, &w->columns) != TRM_OK)
        return EXIT_BAD_INPUT;
    if (out && !output_open(&w->out, "kinematics", out, "wb")) return EXIT_BAD_INPUT;
    FILE *to = w->out.file == stdout ? stderr : stdout;
    if (w->out.file) write_header(w);
    const int undriven = trm_kinematics_undriven(w->kinematics);
    if (undriven > 0)
        fprintf(stderr,
                "trammel kinematics: warning: %d freedom%s not driven and move%s as little as possible; add a drive "
                "with a constant motion to hold a joint still\n",
                undriven, undriven == 1 ? " is" : "s are", undriven == 1 ? "s" : "");
    const trm_outcome outcome = move(w);
    for (int i = 0; trm_kinematics_singular(w->kinematics, i, &pose); i++)
        fprintf(to, "t = %.12g s: %s\n", pose.time, pose.text);
    if (outcome.ok)
        fprintf(to, "%s: moved to t = %.9g s\n",
                trm_model_name(w->l.model)[0] ? trm_model_name(w->l.model) : w->line->words[0], w->time);
    else
        fprintf(stderr, "trammel kinematics: %s%s%s\n", outcome.element, outcome.element[0] ? ": " : "", outcome.why);
    if (!output_close(&w->out, "kinematics")) return EXIT_BAD_INPUT;
    return outcome.ok ? EXIT_DONE : EXIT_STOPPED;
}

static void print_end(const work *w, const trm_motion_range *r, int side)
{
    printf("%s %.15g", side ? "to  " : "from", r->limits[side]);
    if (r->locked_by[side] >= 0)
        printf(", %s joint '%s'", r->at_limit[side] ? "at the limit of" : "where the machine locks at",
               trm_joint_info_of(w->l.model, r->locked_by[side]).name);
    printf("\n");
}

static exit_code run_range(work *w)
{
    trm_coordinate_name name;
    trm_motion_range range;
    if (!read_coordinate(w, option_value(w->line, "--range"), &name)) return EXIT_USAGE;
    if (trm_find_range(w->l.model, name, NULL, w->l.messages, &range) != TRM_OK) return EXIT_BAD_INPUT;
    if (has_option(w->line, "--json")) {
        trm_json_writer j = trm_json_begin(trm_file_sink(stdout));
        trm_json_open_object(&j, NULL);
        trm_json_put_bool(&j, "full_turn", range.full_turn);
        trm_json_put_numbers(&j, "limits", range.limits, 2);
        trm_json_open_array(&j, "locked_by");
        for (int i = 0; i < 2; i++)
            trm_json_put_text(
                &j, NULL, range.locked_by[i] >= 0 ? trm_joint_info_of(w->l.model, range.locked_by[i]).name : NULL);
        trm_json_close(&j);
        trm_json_close(&j);
        trm_json_end(&j);
        return EXIT_DONE;
    }
    printf("range of %s\n", option_value(w->line, "--range"));
    if (range.full_turn) printf("turns without end\n");
    for (int side = 0; side < 2 && !range.full_turn; side++) print_end(w, &range, side);
    return EXIT_DONE;
}

static exit_code run(const command_line *line)
{
    work w = {.line = line, .time = NAN, .every = NAN};
    exit_code code = EXIT_BAD_INPUT;
    const named_file read = {"the model", line->words[0]}, written = {"--out", option_value(line, "--out")};
    if (!outputs_differ("kinematics", &read, 1, &written, 1)) return EXIT_USAGE;
    if (load_without_masses(line, &w.l) == TRM_OK) {
        const trm_simulation_def *o = trm_model_simulation(w.l.model);
        w.time = isfinite(o->time) ? o->time : 1;
        const bool good = read_number("--time", option_value(line, "--time"), &w.time) &&
                          read_number("--every", option_value(line, "--every"), &w.every) && read_ratios(&w);
        if (isnan(w.every)) w.every = w.time / 100;
        code = !good ? EXIT_USAGE : option_value(line, "--range") ? run_range(&w) : run_motion(&w);
    }
    if (w.l.messages) print_messages(w.l.messages);
    trm_results_destroy(w.columns);
    trm_kinematics_destroy(w.kinematics);
    unload(&w.l);
    return code;
}

static const option options[] = {
    {"--time", "T", "duration of the motion [s] (default: the model's, else 10)"},
    {"--every", "DT", "spacing of the rows [s] (default: a hundredth of the time)"},
    {"--columns", "LIST", "columns, such as 't,rod.*,j1.q' (default: all poses, velocities and accelerations)"},
    {"--out", "FILE.csv", "write the rows to FILE.csv, - for stdout"},
    {"--transmission", "IN:OUT...", "add a column with the ratio dq_out/dq_in of two joint coordinates"},
    {"--range", "JOINT",
     "find the range of a joint coordinate before the machine locks, and the joint that locks it"},
    {"--json", NULL, "print the range as one JSON object"},
    MODEL_OPTIONS,
};

const command command_kinematics = {
    .name = "kinematics",
    .words = "MODEL",
    .least = 1,
    .most = 1,
    .summary = "move a machine by its drives alone, without masses; find dead centres and ranges of motion",
    .details =
        "Computes poses, velocities and accelerations from drives, motors and moving bodies at exact times. Names\n"
        "singular poses with their times. Exit code 4 if the drives lock. Bodies need no mass.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = run,
};
