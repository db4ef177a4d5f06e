/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel compare: one model, several methods, solvers, orders and steps, one table of what each costs and reaches.
 *
 * The error of a run is the largest distance of a body's frame, at the end, from where the reference has it; the
 * reference is a run of its own with the highest order and half the smallest step. The observed order is
 * log(e1/e2) / log(h1/h2) of two runs that differ in the step only. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"

enum { MOST_CHOICES = 16, ROWS = 20 };

/* One run and what came of it. */
typedef struct trial {
    const char *method, *solver;
    double order, step;
    bool ok;
    char why[400];
    double microseconds; /* per step, of the processor */
    trm_accuracy accuracy;
    trm_vec3 *places; /* of all bodies at the end, m */
    double error;     /* m; NAN: unknown */
    double observed;  /* order; NAN: unknown */
} trial;

typedef struct comparison {
    const trm_model *model;
    trm_simulation_def options;
    char words[4][400]; /* the lists of the command line, cut into pieces */
    const char *methods[MOST_CHOICES], *solvers[MOST_CHOICES];
    double orders[MOST_CHOICES], steps[MOST_CHOICES];
    int method_count, solver_count, order_count, step_count;
    trial *trials;
    int trial_count;
} comparison;

/* ---- Options ------------------------------------------------------------------------------ */

/* Cuts a list at its commas, in place; returns how many pieces. */
static int cut(char *text, const char **pieces)
{
    int count = 0;
    for (char *piece = strtok(text, ","); piece && count < MOST_CHOICES; piece = strtok(NULL, ","))
        pieces[count++] = piece;
    return count;
}

static int words_of(const command_line *line, const char *name, const char *otherwise, char *room, size_t size,
                    const char **words)
{
    const char *text = option_value(line, name);
    snprintf(room, size, "%s", text ? text : otherwise);
    return cut(room, words);
}

/* The same for numbers; 0 after saying what is wrong. */
static int numbers_of(const command_line *line, const char *name, const char *otherwise, char *room, size_t size,
                      double *numbers)
{
    const char *words[MOST_CHOICES];
    const int count = words_of(line, name, otherwise, room, size, words);
    for (int i = 0; i < count; i++) {
        char why[200];
        if (trm_evaluate(words[i], &numbers[i], why, sizeof why) && numbers[i] > 0) continue;
        fprintf(stderr, "trammel compare: %s: \"%s\" is no positive number\n", name, words[i]);
        return 0;
    }
    return count;
}

static bool read_options(const command_line *line, comparison *c)
{
    char time_text[400], tolerance_text[400];
    double time, tolerance;
    c->options = *trm_model_simulation(c->model);
    snprintf(time_text, sizeof time_text, "%.17g", c->options.time);
    c->method_count = words_of(line, "--methods", "impulse", c->words[0], sizeof c->words[0], c->methods);
    c->solver_count = words_of(line, "--solvers", "direct", c->words[1], sizeof c->words[1], c->solvers);
    c->order_count = numbers_of(line, "--orders", "2", c->words[2], sizeof c->words[2], c->orders);
    c->step_count = numbers_of(line, "--steps", "0.02,0.01,0.005", c->words[3], sizeof c->words[3], c->steps);
    if (numbers_of(line, "--time", time_text, time_text, sizeof time_text, &time) == 0) return false;
    if (numbers_of(line, "--tolerance", "1e-12", tolerance_text, sizeof tolerance_text, &tolerance) == 0)
        return false;
    c->options.time = time;
    c->options.position_tolerance = c->options.angle_tolerance = c->options.velocity_tolerance = tolerance;
    return c->method_count > 0 && c->solver_count > 0 && c->order_count > 0 && c->step_count > 0;
}

/* ---- Running ------------------------------------------------------------------------------ */

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void keep(const comparison *c, trm_sim *sim, double seconds, trial *t)
{
    t->accuracy = trm_sim_accuracy(sim);
    t->microseconds = 1e6 * seconds / fmax((double)trm_sim_counters(sim)->steps, 1);
    for (int i = 0; i < trm_body_count(c->model); i++) t->places[i] = trm_body_pose(trm_sim_state(sim), i).p;
}

/* Rows at about twentieths of the time, so that runs of all steps are looked at alike. */
static void run_trial(const comparison *c, trial *t)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_simulation_def options = c->options;
    trm_sim *sim = NULL;
    options.method = t->method;
    options.solver = t->solver;
    options.order = t->order;
    options.step = t->step;
    t->places = calloc((size_t)trm_body_count(c->model), sizeof *t->places);
    if (!messages || !t->places || trm_sim_create(c->model, &options, NULL, messages, &sim) != TRM_OK) {
        const trm_message *first = messages ? trm_message_at(messages, 0) : NULL;
        snprintf(t->why, sizeof t->why, "%s", first ? first->text : "out of memory");
    } else {
        const double steps_per_row = fmax(round(options.time / ROWS / options.step), 1); /* whole: h stays as it is */
        const trm_run_def run = {.until = options.time, .every = steps_per_row * options.step};
        const double started = processor_seconds();
        const trm_outcome outcome = trm_sim_run(sim, &run);
        t->ok = outcome.ok;
        if (!outcome.ok)
            snprintf(t->why, sizeof t->why, "stopped at t = %.6g s: %s: %s", outcome.time, outcome.element,
                     outcome.why);
        keep(c, sim, processor_seconds() - started, t);
    }
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
}

static trial *add_trial(comparison *c, const char *method, const char *solver, double order, double step)
{
    trial *t = &c->trials[c->trial_count++];
    *t = (trial){.method = method, .solver = solver, .order = order, .step = step, .error = NAN, .observed = NAN};
    run_trial(c, t);
    return t;
}

static double farthest(const comparison *c, const trial *a, const trial *b)
{
    double most = 0;
    for (int i = 0; i < trm_body_count(c->model); i++) {
        const trm_vec3 p = a->places[i], q = b->places[i];
        most = fmax(most, sqrt((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z)));
    }
    return most;
}

static double extreme(const double *numbers, int count, double sign)
{
    double best = numbers[0];
    for (int i = 1; i < count; i++)
        if (sign * numbers[i] > sign * best) best = numbers[i];
    return best;
}

/* All trials, then the reference, which is the last one. */
static void run_all(comparison *c)
{
    for (int m = 0; m < c->method_count; m++)
        for (int s = 0; s < c->solver_count; s++)
            for (int o = 0; o < c->order_count; o++)
                for (int h = 0; h < c->step_count; h++)
                    add_trial(c, c->methods[m], c->solvers[s], c->orders[o], c->steps[h]);
    const double step = 0.5 * extreme(c->steps, c->step_count, -1);
    const trial *reference = add_trial(c, c->methods[0], c->solvers[0], extreme(c->orders, c->order_count, 1), step);
    for (int i = 0; i + 1 < c->trial_count; i++) {
        trial *t = &c->trials[i], *before = i > 0 ? &c->trials[i - 1] : NULL;
        if (!t->ok || !reference->ok) continue;
        t->error = farthest(c, t, reference);
        const bool same =
            before && before->order == t->order && before->solver == t->solver && before->method == t->method;
        if (same && before->step != t->step)
            t->observed = log(before->error / t->error) / log(before->step / t->step);
    }
}

/* ---- The table ---------------------------------------------------------------------------- */

static void print_table(const comparison *c)
{
    const trial *reference = &c->trials[c->trial_count - 1];
    printf("%-10s %-10s %5s %10s %9s %10s %10s %9s %9s %10s %6s\n", "method", "solver", "order", "h/s", "us/step",
           "mean dE/J", "max dE/J", "gap/m", "gap/rad", "error/m", "seen");
    for (int i = 0; i + 1 < c->trial_count; i++) {
        const trial *t = &c->trials[i];
        printf("%-10s %-10s %5g %10g ", t->method, t->solver, t->order, t->step);
        if (!t->ok) {
            printf("%s\n", t->why);
            continue;
        }
        printf("%9.3g %10.2e %10.2e %9.1e %9.1e ", t->microseconds, t->accuracy.energy_error_mean,
               t->accuracy.energy_error_max, t->accuracy.gap.position, t->accuracy.gap.angle);
        char error[20] = "-", seen[20] = "-";
        if (!isnan(t->error)) snprintf(error, sizeof error, "%.2e", t->error);
        if (!isnan(t->observed)) snprintf(seen, sizeof seen, "%.2f", t->observed);
        printf("%10s %6s\n", error, seen);
    }
    if (reference->ok)
        printf("\nerror: largest distance of a body from the reference, %s %s of order %g with h = %g, at t = %g s.\n"
               "seen: order observed between this row and the one above. dE: |E - E0 - W| at some %d moments.\n",
               reference->method, reference->solver, reference->order, reference->step, c->options.time, ROWS);
    else
        printf("\nno errors: the reference could not be run: %s\n", reference->why);
}

static void print_json(const comparison *c)
{
    trm_json_writer w = trm_json_begin(trm_file_sink(stdout));
    trm_json_open_object(&w, NULL);
    trm_json_put_text(&w, "model", trm_model_name(c->model));
    trm_json_put_number(&w, "time", c->options.time);
    trm_json_open_array(&w, "rows");
    for (int i = 0; i + 1 < c->trial_count; i++) {
        const trial *t = &c->trials[i];
        trm_json_open_object(&w, NULL);
        trm_json_put_text(&w, "method", t->method);
        trm_json_put_text(&w, "solver", t->solver);
        trm_json_put_number(&w, "order", t->order);
        trm_json_put_number(&w, "h", t->step);
        trm_json_put_text(&w, "status", t->ok ? "ok" : t->why);
        trm_json_put_number(&w, "us_per_step", t->microseconds);
        trm_json_put_number(&w, "energy_mean_error", t->accuracy.energy_error_mean);
        trm_json_put_number(&w, "energy_max_error", t->accuracy.energy_error_max);
        trm_json_put_number(&w, "gap_position", t->accuracy.gap.position);
        trm_json_put_number(&w, "gap_angle", t->accuracy.gap.angle);
        trm_json_put_number(&w, "error", t->error);
        trm_json_put_number(&w, "observed_order", t->observed);
        trm_json_close(&w);
    }
    trm_json_close(&w);
    trm_json_close(&w);
    trm_json_end(&w);
}

/* ---- The command -------------------------------------------------------------------------- */

static exit_code compare(const command_line *line, const loaded *l)
{
    comparison c = {.model = l->model};
    if (!read_options(line, &c)) return EXIT_USAGE;
    const size_t most = (size_t)(c.method_count * c.solver_count * c.order_count * c.step_count) + 1;
    c.trials = calloc(most, sizeof *c.trials);
    if (!c.trials) return EXIT_BAD_INPUT;
    run_all(&c);
    bool all_ran = true;
    for (int i = 0; i < c.trial_count; i++) all_ran = all_ran && c.trials[i].ok;
    if (has_option(line, "--json"))
        print_json(&c);
    else
        print_table(&c);
    for (int i = 0; i < c.trial_count; i++) free(c.trials[i].places);
    free(c.trials);
    return all_ran ? EXIT_DONE : EXIT_STOPPED;
}

static exit_code run(const command_line *line)
{
    loaded l;
    exit_code code = EXIT_BAD_INPUT;
    trm_status status = load_model(line, &l);
    if (status == TRM_OK) status = trm_check_start(l.state, l.messages);
    if (l.messages) print_messages(l.messages);
    if (status == TRM_OK) code = compare(line, &l);
    unload(&l);
    return code;
}

static const option options[] = {
    {"--methods", "LIST", "such as impulse"},
    {"--solvers", "LIST", "such as direct,iterative; direct"},
    {"--orders", "LIST", "such as 2,4,6,8; 2"},
    {"--steps", "LIST", "in s, the longest first; 0.02,0.01,0.005"},
    {"--time", "T", "how long to simulate, in s; the model's"},
    {"--tolerance", "D", "how closely joints are kept, m and rad; 1e-12"},
    {"--json", NULL, "one JSON object instead of text"},
    SET_OPTION,
};

const command command_compare = {
    .name = "compare",
    .words = "MODEL",
    .least = 1,
    .most = 1,
    .summary = "run a model with several solvers, orders and steps: one table of cost and accuracy",
    .details =
        "Times are of the processor and differ from run to run; compare those of one table. Exit code 4 if some run\n"
        "could not go on; its row says why.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = run,
};
