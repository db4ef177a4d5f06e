/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel compare: runs one model with several methods, solvers, orders and steps, and prints one table of the cost and
 * accuracy of each.
 *
 * The error of a run is the largest distance of a body's frame, at the end, from its position in the reference. The
 * reference is a result file, or a run of its own with the highest order and half the smallest step. The observed order
 * is log(e1/e2) / log(h1/h2) of two runs that differ in the step only. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compare.h"
#include "output.h"

#include "trammel/elementary.h"

/* ---- Options ------------------------------------------------------------------------------ */

/* An option whose value is a list separated by commas. */
typedef struct list {
    const char *name;
    const char *otherwise; /* default value */
    int most;              /* pieces */
} list;

/* Splits the value into pieces, stored in `room`. Returns their number, 0 after an error message. */
static int words_of(const command_line *line, list l, char *room, const char **words)
{
    const char *text = option_value(line, l.name) ? option_value(line, l.name) : l.otherwise;
    int count = 0;
    if (snprintf(room, LONGEST_LIST + 1, "%s", text) > LONGEST_LIST) {
        fprintf(stderr, "trammel compare: %s: the list is longer than %d characters\n", l.name, LONGEST_LIST);
        return 0;
    }
    for (char *piece = strtok(room, ","); piece; piece = strtok(NULL, ",")) {
        if (count < l.most) words[count] = piece;
        count++;
    }
    if (count == 0) fprintf(stderr, "trammel compare: %s: the list is empty\n", l.name);
    if (count > l.most && l.most == 1)
        fprintf(stderr, "trammel compare: %s takes one number, not %d\n", l.name, count);
    else if (count > l.most)
        fprintf(stderr, "trammel compare: %s: the list has %d entries; it may have at most %d\n", l.name, count,
                l.most);
    return count <= l.most ? count : 0;
}

/* Reads a list of positive numbers. Returns their number, 0 after an error message. */
static int numbers_of(const command_line *line, list l, double *numbers)
{
    char room[LONGEST_LIST + 1];
    const char *words[MOST_CHOICES];
    const int count = words_of(line, l, room, words);
    for (int i = 0; i < count; i++) {
        char why[200];
        if (trm_evaluate(words[i], &numbers[i], why, sizeof why) && numbers[i] > 0) continue;
        fprintf(stderr, "trammel compare: %s: \"%s\" is not a positive number\n", l.name, words[i]);
        return 0;
    }
    return count;
}

/* m, rad, m/s, rad/s */
static const double CLOSE = 1e-12;

static bool read_options(const command_line *line, comparison *c)
{
    char models_time[40];
    double time, tolerance = NAN;
    c->options = *trm_model_simulation(c->model);
    c->options.error = NAN; /* the table compares fixed steps */
    snprintf(models_time, sizeof models_time, "%.17g", c->options.time);
    c->method_count = words_of(line, (list){"--methods", "impulse", MOST_CHOICES}, c->words[0], c->methods);
    c->solver_count = words_of(line, (list){"--solvers", "direct", MOST_CHOICES}, c->words[1], c->solvers);
    if (option_value(line, "--scheme")) c->options.scheme = option_value(line, "--scheme");
    c->order_count = numbers_of(line, (list){"--orders", "2", MOST_CHOICES}, c->orders);
    c->step_count = numbers_of(line, (list){"--steps", "0.02,0.01,0.005", MOST_CHOICES}, c->steps);
    if (numbers_of(line, (list){"--time", models_time, 1}, &time) == 0) return false;
    if (option_value(line, "--tolerance") && numbers_of(line, (list){"--tolerance", "", 1}, &tolerance) == 0)
        return false;
    c->options.time = time;
    c->options.position_tolerance = c->options.angle_tolerance = c->options.velocity_tolerance = tolerance;
    return c->solver_count > 0 && c->order_count > 0 && c->step_count > 0;
}

static bool read_methods(comparison *c)
{
    for (int m = 0; m < c->method_count; m++) {
        trm_simulation_def options = c->options;
        method_choice choice = {0};
        char why[600];
        if (choose_method(c->methods[m], &options, &choice, why, sizeof why)) continue;
        fprintf(stderr, "trammel compare: %s\n", why);
        return false;
    }
    return c->method_count > 0;
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
    t->cost = seconds / c->options.time;
    for (int i = 0; i < trm_body_count(c->model); i++) t->places[i] = trm_body_pose(trm_sim_state(sim), i).p;
}

/* Returns the approximate cost of a run for the progress bar: a step of order p has about 2 p - 3 stages. */
static double work_of(double order, double step)
{
    return fmax(2 * order - 3, 1) / step;
}

void show_comparison(comparison *c, const trial *t, double time)
{
    const double work = c->work_done + time / c->options.time * work_of(t->asked_order, t->step);
    progress_show(&c->bar, work / c->work_there, "run %d of %d", c->run_number + 1, c->run_count);
}

void count_trial(comparison *c, const trial *t)
{
    c->work_done += work_of(t->asked_order, t->step);
    c->run_number++;
}

typedef struct watch {
    comparison *c;
    const trial *t;
    trm_sim *sim;
} watch;

static bool on_pulse(void *context)
{
    const watch *w = context;
    show_comparison(w->c, w->t, trm_state_time(trm_sim_state(w->sim)));
    return true;
}

/* Returns the text of the first error; warnings may precede it. */
static const char *first_error(const trm_messages *messages)
{
    for (int i = 0; messages && i < trm_message_count(messages); i++)
        if (trm_message_at(messages, i)->severity == TRM_ERROR) return trm_message_at(messages, i)->text;
    return "out of memory";
}

static bool was_run(const comparison *c, const trial *t)
{
    for (int i = 0; i < c->trial_count; i++)
        if (differ_in_step_only(&c->trials[i], t) && c->trials[i].step == t->step) return true;
    return false;
}

/* Notes the order and solver that the method uses, and whether an equal run exists already. */
static bool learn_names(comparison *c, const trm_sim *sim, trial *t)
{
    if (strcmp(trm_sim_options(sim)->scheme, "extrapolation") == 0) c->extrapolated = true;
    t->order = trm_sim_options(sim)->order;
    snprintf(t->solver, sizeof t->solver, "%s", trm_sim_options(sim)->solver);
    return was_run(c, t);
}

trm_sim *make_sim(const comparison *c, const trial *t, method_choice *choice, trm_messages *messages)
{
    trm_simulation_def options = c->options;
    trm_sim *sim = NULL;
    char why[600];
    choose_method(t->method, &options, choice, why, sizeof why); /* valid, checked when it was read */
    options.solver = t->asked_solver;
    options.order = t->asked_order;
    options.step = t->step;
    if (isnan(options.position_tolerance) &&
        t->asked_order <= 2) /* tighter than the default of a run, because the table compares errors */
        options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = CLOSE;
    return trm_sim_create(c->model, &options, NULL, messages, &sim) == TRM_OK ? sim : NULL;
}

/* Places rows at about each twentieth of the time, so that runs of all step lengths have the same rows. */
static void run_trial(comparison *c, trial *t)
{
    trm_messages *messages = trm_messages_create(NULL);
    method_choice choice = {0};
    t->places = calloc((size_t)trm_body_count(c->model), sizeof *t->places);
    trm_sim *sim = messages && t->places ? make_sim(c, t, &choice, messages) : NULL;
    if (!sim) {
        snprintf(t->why, sizeof t->why, "%s", first_error(messages));
    } else if (t->repeated = learn_names(c, sim, t), !t->repeated) {
        const double time = c->options.time;
        const double steps_per_row =
            fmax(round(time / ROWS / t->step), 1); /* a whole number of steps, so h is unchanged */
        watch w = {c, t, sim};
        const trm_run_def run = {.until = time, .every = steps_per_row * t->step, .pulse = on_pulse, .context = &w};
        on_pulse(&w);
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

static trial make_trial(comparison *c, const char *method, const char *solver, double order, double step)
{
    trial t = {.method = method,
               .order = order,
               .step = step,
               .asked_solver = solver,
               .asked_order = order,
               .error = NAN,
               .observed = NAN};
    snprintf(t.solver, sizeof t.solver, "%s", solver);
    run_trial(c, &t);
    count_trial(c, &t);
    return t;
}

/* Returns the largest distance from the reference of all bodies that it contains. */
static double farthest(const comparison *c, const trial *t)
{
    const reference *r = &c->reference;
    const trm_vec3 *places = r->file ? r->places : c->finest.places;
    double most = 0;
    for (int i = 0; i < trm_body_count(c->model); i++)
        if (!r->file || r->known[i]) most = fmax(most, trm_v3_length(trm_v3_sub(t->places[i], places[i])));
    return most;
}

static double extreme(const double *numbers, int count, double sign)
{
    double best = numbers[0];
    for (int i = 1; i < count; i++)
        if (sign * numbers[i] > sign * best) best = numbers[i];
    return best;
}

static double finest_order(const comparison *c)
{
    return extreme(c->orders, c->order_count, 1);
}

static double finest_step(const comparison *c)
{
    return 0.5 * extreme(c->steps, c->step_count, -1);
}

static void count_work(comparison *c)
{
    c->run_count = c->method_count * c->solver_count * c->order_count * c->step_count;
    for (int o = 0; o < c->order_count; o++)
        for (int h = 0; h < c->step_count; h++)
            c->work_there += c->method_count * c->solver_count * work_of(c->orders[o], c->steps[h]);
    if (!c->reference.file) {
        c->run_count++;
        c->work_there += work_of(finest_order(c), finest_step(c));
    }
    if (!c->curves_wanted) return;
    c->run_count *= 2;
    c->work_there *= 2;
}

static void run_all(comparison *c)
{
    count_work(c);
    c->bar = progress_begin(true, 0);
    for (int m = 0; m < c->method_count; m++)
        for (int s = 0; s < c->solver_count; s++)
            for (int o = 0; o < c->order_count; o++)
                for (int h = 0; h < c->step_count; h++) {
                    c->trials[c->trial_count] =
                        make_trial(c, c->methods[m], c->solvers[s], c->orders[o], c->steps[h]);
                    if (c->trials[c->trial_count].repeated)
                        free(c->trials[c->trial_count].places);
                    else
                        c->trial_count++;
                }
    if (!c->reference.file) c->finest = make_trial(c, c->methods[0], c->solvers[0], finest_order(c), finest_step(c));
    progress_end(&c->bar);
}

static void find_errors(comparison *c)
{
    for (int i = 0; i < c->trial_count; i++) {
        trial *t = &c->trials[i], *before = i > 0 ? t - 1 : NULL;
        if (!t->ok || !(c->reference.file || c->finest.ok)) continue;
        t->error = farthest(c, t);
        if (!before || !differ_in_step_only(before, t) || before->step == t->step) continue;
        const double observed = trm_log(before->error / t->error) / trm_log(before->step / t->step);
        if (isfinite(observed)) t->observed = observed; /* an error may be 0 */
    }
}

/* ---- The command -------------------------------------------------------------------------- */

static bool all_ran(const comparison *c)
{
    bool all = c->reference.file || c->finest.ok;
    for (int i = 0; i < c->trial_count; i++) all = all && c->trials[i].ok;
    return all;
}

static exit_code run_and_report(comparison *c, const command_line *line)
{
    const char *plot = option_value(line, "--plot"), *file = option_value(line, "--report");
    compare_report *report = file ? compare_report_begin(file) : NULL;
    if (file && !report) return EXIT_BAD_INPUT;
    c->curves_wanted = report;
    run_all(c);
    find_errors(c);
    if (has_option(line, "--json"))
        write_json(c, trm_file_sink(stdout));
    else
        print_table(c);
    const bool plotted = !plot || write_plot(c, plot);
    const bool reported = !report || compare_report_write(report, c, line);
    compare_report_end(report);
    if (!all_ran(c)) return EXIT_STOPPED;
    return plotted && reported ? EXIT_DONE : EXIT_BAD_INPUT;
}

static exit_code compare(const command_line *line, const loaded *l)
{
    comparison c = {.model = l->model, .title = title_of(l, line->words[0])};
    const char *file = option_value(line, "--reference");
    exit_code code = EXIT_BAD_INPUT;
    if (!read_options(line, &c) || !read_methods(&c)) return EXIT_USAGE;
    c.trials = calloc((size_t)(c.method_count * c.solver_count * c.order_count * c.step_count), sizeof *c.trials);
    if (!c.trials)
        fprintf(stderr, "trammel compare: out of memory\n");
    else if (!file || read_reference(c.model, file, c.options.time, &c.reference))
        code = run_and_report(&c, line);
    for (int i = 0; i < c.trial_count; i++) free(c.trials[i].places);
    free(c.finest.places);
    free(c.trials);
    free_reference(&c.reference);
    return code;
}

static bool files_differ(const command_line *line)
{
    const named_file read[] = {{"the model", line->words[0]}, {"the reference", option_value(line, "--reference")}};
    const named_file written[] = {{"--plot", option_value(line, "--plot")},
                                  {"--report", option_value(line, "--report")}};
    return outputs_differ("compare", read, COUNT_OF(read), written, COUNT_OF(written));
}

static exit_code run(const command_line *line)
{
    loaded l;
    exit_code code = EXIT_BAD_INPUT;
    if (!files_differ(line)) return EXIT_USAGE;
    trm_status status = load_model(line, &l);
    if (status == TRM_OK) status = trm_assemble(l.state, NULL, l.messages, NULL);
    if (l.messages) print_messages(l.messages);
    if (status == TRM_OK) code = compare(line, &l);
    unload(&l);
    return code;
}

static const option options[] = {
    {"--methods", "LIST",
     "such as impulse,lagrange,lagrange:integrator=heun:stabilise=none,lcp:erp=0.8 (default: impulse)"},
    {"--solvers", "LIST", "such as direct,iterative (default: direct)"},
    {"--orders", "LIST", "such as 2,4,6,8; methods with their own order run once (default: 2)"},
    {"--scheme", "NAME", "how orders above 2 are reached: composition, extrapolation or auto (default: auto)"},
    {"--steps", "LIST", "steps [s], longest first (default: 0.02,0.01,0.005)"},
    {"--time", "T", "simulated time [s] (default: the model's)"},
    {"--tolerance", "D",
     "how closely joints are kept, m and rad (default: 1e-12 at order 2, 1e-13 of the machine's size above)"},
    {"--reference", "FILE.csv", "results of trammel run as the reference for errors (default: the finest run)"},
    {"--plot", "FILE.svg", "draw error over processor time, one line per method, solver and order"},
    {"--report", "FILE.html", "write one HTML page: table, cost and error, curves of all runs"},
    {"--json", NULL, "print one JSON object instead of text"},
    MODEL_OPTIONS,
};

const command command_compare = {
    .name = "compare",
    .words = "MODEL",
    .least = 1,
    .most = 1,
    .summary = "run a model with several methods, orders and steps: one table of cost and accuracy",
    .details =
        "Times are processor times and vary from run to run: compare times within one table. The curves of --report\n"
        "need a second run each, so that they do not affect the table. Exit code 4 if a run ended early; its row\n"
        "contains the reason.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = run,
};
