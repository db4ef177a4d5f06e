/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel sweep: runs one model many times with different constants and writes a row for each run (docs/sweep.md). */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "model.h"
#include "output.h"
#include "progress.h"
#include "ranks.h"
#include "simulation_options.h"
#include "sweep_ranks.h"

enum { MOST_WORKERS = 1024 };

/* s: interval of wall-clock time after which the progress of the workers is read. */
static const double BETWEEN_LOOKS = 0.1;

typedef struct sweep {
    sweep_plan plan;
    sweep_file file;
    sweep_plot *plot; /* NULL: not requested */
    sweep_work work;  /* work of this rank */
    int before;       /* runs in the file when the sweep began */
    int workers;      /* number of workers of each rank */
    tally tally;      /* runs of this call */
    double wall;      /* s */
} sweep;

/* ---- Options ------------------------------------------------------------------------------ */

/* Reads a whole number. Returns false after reporting what is wrong. */
static bool read_whole(const command_line *line, const char *name, double least, double most, double *value)
{
    char *end;
    const char *text = option_value(line, name);
    if (!text) return true;
    *value = strtod(text, &end);
    if (end != text && *end == 0 && *value == floor(*value) && *value >= least && *value <= most) return true;
    fprintf(stderr, "trammel sweep: %s takes a whole number from %.0f to %.0f, not \"%s\"\n", name, least, most,
            text);
    return false;
}

static bool read_workers(sweep *s)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    double workers = processors > 0 && !ranks() ? fmin((double)processors, MOST_WORKERS) : 1;
    if (!read_whole(s->plan.line, "--jobs", 1, MOST_WORKERS, &workers)) return false;
    s->workers = (int)workers;
    return true;
}

static bool read_variations(sweep *s, char *why, size_t size)
{
    const command_line *line = s->plan.line;
    for (int i = 0; i < line->option_count; i++)
        if (strcmp(line->options[i]->name, "--vary") == 0 &&
            !add_variation(&s->plan.design, line->values[i], why, size))
            return false;
    for (int i = 0; i < s->plan.design.variation_count; i++)
        for (int k = 0; k < s->plan.reading.set_count; k++)
            if (strcmp(s->plan.design.variations[i].name, s->plan.reading.set[k].name) == 0) {
                snprintf(why, size, "%s is both varied and --set", s->plan.reading.set[k].name);
                return false;
            }
    return true;
}

static bool read_design(sweep *s)
{
    const command_line *line = s->plan.line;
    const double MOST_SEED = 0x1p53; /* whole numbers up to here are exact */
    char why[400];
    double runs = 0, seed = 1;
    if (!has_option(line, "--vary")) {
        fprintf(stderr, "trammel sweep: nothing is varied; give --vary NAME=FROM:COUNT:TO or --vary NAME=a,b,c\n");
        return false;
    }
    if (has_option(line, "--seed") && !has_option(line, "--random")) {
        fprintf(stderr, "trammel sweep: --seed has no effect without --random N; give both\n");
        return false;
    }
    if (!read_whole(line, "--random", 1, MOST_RUNS, &runs) || !read_whole(line, "--seed", 0, MOST_SEED, &seed))
        return false;
    design *d = &s->plan.design;
    if (read_variations(s, why, sizeof why) &&
        (runs > 0 ? make_hypercube(d, (int)runs, (uint64_t)seed, why, sizeof why) : make_grid(d, why, sizeof why)))
        return true;
    fprintf(stderr, "trammel sweep: %s\n", why);
    return false;
}

static bool read_command_line(sweep *s)
{
    const command_line *line = s->plan.line;
    if (has_option(line, "--resume") && has_option(line, "--restart")) {
        fprintf(stderr, "trammel sweep: --resume and --restart contradict each other\n");
        return false;
    }
    const char *out = option_value(line, "--out");
    if (has_option(line, "--resume") && (!out || strcmp(out, "-") == 0)) {
        fprintf(stderr, "trammel sweep: --resume requires --out FILE.csv\n");
        return false;
    }
    const named_file read = {"the model", line->words[0]};
    const named_file written[] = {{"--out", out}, {"--plot", option_value(line, "--plot")}};
    return outputs_differ("sweep", &read, 1, written, 2) && reading_begin(line, &s->plan.reading) && read_design(s) &&
           can_plot_sweep(line, &s->plan.design) && read_workers(s);
}

static bool read_model_bytes(sweep_plan *p)
{
    const char *path = p->line->words[0];
    FILE *file = fopen(path, "rb");
    size_t room = 0, got = 1;
    bool good = file != NULL;
    while (good && got > 0) {
        room = p->model_length + 65536;
        char *more = realloc(p->model, room);
        good = more != NULL;
        if (more) p->model = more;
        got = good ? fread(p->model + p->model_length, 1, room - p->model_length, file) : 0;
        p->model_length += got;
    }
    if (!good || ferror(file)) {
        fprintf(stderr, "trammel sweep: cannot read the model file %s: %s\n", path, strerror(errno));
        good = false;
    }
    if (file) fclose(file);
    return good;
}

/* ---- Working ------------------------------------------------------------------------------ */

static bool take_row(void *context, int run, run_fate fate, const char *row)
{
    sweep *s = context;
    (void)fate;
    return add_row(&s->file, run, row);
}

static void show(const sweep *s, progress *bar, const tally *so_far)
{
    const int count = s->plan.design.run_count, done = s->before + so_far->finished;
    const double seconds = fmax(wall_seconds() - bar->started, 1e-9);
    progress_show(bar, (double)done / count, "%d of %d, %.3g/s", done, count, so_far->finished / seconds);
}

/* Makes all runs on this single rank. Returns whether everything went well, even if the sweep is not complete. */
static bool work_alone(sweep *s)
{
    team t = {.plan = &s->plan, .runs = s->work.runs, .run_count = s->work.run_count, .take = take_row, .context = s};
    progress bar = progress_begin(true, (double)s->before / s->plan.design.run_count);
    if (!begin_team(&t, s->workers)) return false;
    while (wait_for_team(&t, BETWEEN_LOOKS, &s->tally)) show(s, &bar, &s->tally);
    end_team(&t);
    progress_end(&bar);
    return !t.failed;
}

/* Makes the runs of rank 0 and writes the rows of all ranks. A lost rank ends all. */
static bool work_with_others(sweep *s, trm_exchange *x)
{
    team t = {.plan = &s->plan, .runs = s->work.runs, .run_count = s->work.run_count, .take = take_row, .context = s};
    progress bar = progress_begin(true, (double)s->before / s->plan.design.run_count);
    sweep_others others = {0};
    tally own;
    bool works = true, received = begin_others(&others, x) && begin_team(&t, s->workers);
    while (received && (works || others.at_work > 0)) {
        /* The time is shorter than that between two messages of other ranks, so that they never wait, and this rank
         * waits for them only briefly. */
        works = wait_for_team(&t, 0.9 * BETWEEN_LOOKS, &own);
        if (others.at_work > 0) received = receive_rows(&others, &t, &s->file);
        s->tally = add_others(&others, own);
        show(s, &bar, &s->tally);
    }
    if (!received) interrupt();
    end_team(&t);
    end_others(&others);
    progress_end(&bar);
    return !t.failed;
}

/* Makes the runs of another rank; their rows are sent to rank 0. */
static bool work_for_others(sweep *s, trm_exchange *x)
{
    sweep_outbox outbox = {.ranks = x, .rows = trm_text_create(NULL)};
    team t = {.plan = &s->plan,
              .runs = s->work.runs,
              .run_count = s->work.run_count,
              .take = put_into_outbox,
              .context = &outbox};
    bool works = true, sent = outbox.rows && begin_team(&t, s->workers);
    while (sent && works) {
        works = wait_for_team(&t, BETWEEN_LOOKS, &s->tally);
        sent = send_outbox(&outbox, &t, !works);
    }
    if (!sent) interrupt();
    end_team(&t);
    trm_text_destroy(outbox.rows);
    return sent && !t.failed;
}

static bool work(sweep *s, trm_exchange *x)
{
    const double began = wall_seconds();
    listen_to_signals();
    if (s->workers > s->work.run_count) s->workers = s->work.run_count;
    if (s->workers < 1) s->workers = 1;
    const bool good = !x ? work_alone(s) : x->rank == 0 ? work_with_others(s, x) : work_for_others(s, x);
    s->wall = wall_seconds() - began;
    return good;
}

/* ---- Messages ------------------------------------------------------------------------------ */

/* Prints "k: 10 values, 1, 12, .., 100". */
static void print_variation(const variation *v)
{
    enum { MOST_PRINTED = 5 };
    if (v->count == 0) {
        fprintf(stderr, "%s from %g to %g%s", v->name, v->from, v->to, v->logarithmic ? ", logarithmic" : "");
        return;
    }
    fprintf(stderr, "%s %g", v->name, v->values[0]);
    for (int i = 1; i < v->count; i++) {
        const bool left_out = v->count > MOST_PRINTED && i >= 2 && i < v->count - 1;
        if (!left_out) fprintf(stderr, ", %g", v->values[i]);
        if (left_out && i == 2) fprintf(stderr, ", ..");
    }
}

static void print_design(const sweep *s)
{
    const design *d = &s->plan.design;
    fprintf(stderr, "sweep: %d run%s:", d->run_count, d->run_count == 1 ? "" : "s");
    for (int i = 0; i < d->variation_count; i++) {
        fprintf(stderr, i ? "; " : " ");
        print_variation(&d->variations[i]);
    }
    fprintf(stderr, "\n");
    if (s->before > 0) fprintf(stderr, "sweep: %d of them are already in the file\n", s->before);
}

static void print_summary(const sweep *s, int left, int workers)
{
    const tally *done = &s->tally;
    const double rate = done->finished / fmax(s->wall, 1e-9);
    fprintf(stderr, "sweep: %d ok, %d stopped, %d refused; wall-clock time %.3g s with %d worker%s, %.*f runs/s\n",
            done->finished - done->stopped - done->refused, done->stopped, done->refused, s->wall, workers,
            workers == 1 ? "" : "s", rate < 100 ? 1 : 0, rate);
    const char *out = option_value(s->plan.line, "--out");
    if (left > 0)
        fprintf(stderr, "sweep: interrupted; %d runs are left%s\n", left,
                out && strcmp(out, "-") != 0 ? ", and the same command continues it" : "");
}

/* ---- The command -------------------------------------------------------------------------- */

/* Prepares rank 0: the model, the file, and the remaining runs. */
static exit_code prepare(sweep *s)
{
    const command_line *line = s->plan.line;
    const int count = s->plan.design.run_count;
    const file_use what = has_option(line, "--restart")  ? REPLACE_FILE
                          : has_option(line, "--resume") ? REQUIRE_FILE
                                                         : CONTINUE_FILE;
    bool *done = calloc((size_t)count, sizeof *done);
    s->work.runs = calloc((size_t)count, sizeof *s->work.runs);
    s->plan.columns = trm_text_create(NULL);
    exit_code code = EXIT_BAD_INPUT;
    if (!done || !s->work.runs || !s->plan.columns)
        fprintf(stderr, "trammel sweep: out of memory\n");
    else if (read_model_bytes(&s->plan))
        code = find_columns(&s->plan);
    if (code == EXIT_DONE && has_option(line, "--plot") && !(s->plot = begin_sweep_plot(&s->plan)))
        code = EXIT_BAD_INPUT;
    if (code == EXIT_DONE && !open_sweep(&s->file, option_value(line, "--out"), &s->plan, s->plot, what, done))
        code = EXIT_BAD_INPUT;
    for (int i = 0; code == EXIT_DONE && i < count; i++)
        if (!done[i]) s->work.runs[s->work.run_count++] = i;
    free(done);
    return code;
}

/* Runs the command on rank 0, or on the only rank. */
static exit_code lead(sweep *s, trm_exchange *x)
{
    s->work.code = prepare(s);
    const int todo = s->work.run_count;
    bool good = (!x || broadcast_work(x, &s->plan, &s->work)) && s->work.code == EXIT_DONE;
    if (good) {
        s->before = s->plan.design.run_count - todo;
        print_design(s);
        if (x) take_share(x, &s->work);
        if (todo > 0) good = work(s, x);
    }
    const int left = todo - s->tally.finished;
    if (!close_sweep(&s->file, good && left == 0)) good = false;
    if (good && s->plot && !write_sweep_plot(s->plot, option_value(s->plan.line, "--plot"))) good = false;
    if (good && todo > 0) print_summary(s, left, s->workers * (x ? x->count : 1));
    if (s->work.code != EXIT_DONE) return s->work.code;
    return !good ? EXIT_BAD_INPUT : left == 0 ? EXIT_DONE : EXIT_STOPPED;
}

static exit_code follow(sweep *s, trm_exchange *x)
{
    if (!receive_work(x, &s->plan, &s->work)) return EXIT_STOPPED;
    if (s->work.code != EXIT_DONE || s->work.run_count == 0) return s->work.code;
    take_share(x, &s->work);
    return work(s, x) ? EXIT_DONE : EXIT_STOPPED;
}

static exit_code run(const command_line *line)
{
    sweep s = {.plan = {.line = line}};
    trm_exchange *x = ranks();
    exit_code code = EXIT_USAGE;
    if (read_command_line(&s)) code = x && x->rank > 0 ? follow(&s, x) : lead(&s, x);
    end_sweep_plot(s.plot);
    trm_text_destroy(s.plan.columns);
    free(s.work.runs);
    free(s.plan.model);
    free_design(&s.plan.design);
    reading_end(&s.plan.reading);
    return code;
}

static const option options[] = {
    {"--vary", "NAME=VALUES...",
     "a constant and its values: FROM:COUNT:TO, as 1:10:100 for 1, 12, .., 100; FROM:COUNT:TO:log; a,b,c"},
    {"--random", "N", "N random points (a Latin hypercube) instead of all combinations; ranges are FROM:TO[:log]"},
    {"--seed", "S", "seed of the random points, an integer (default: 1)"},
    {"--columns", "LIST", "result columns at the end of each run, such as 'rod.*,j1.q' (default: none)"},
    {"--print", "EXPRESSION...",
     "a column with a figure over each run, such as 'max(abs(rod.y))' (docs/measures.md)"},
    {"--plot", "FILE.svg",
     "draw --columns and --print over one varied constant as curves, over two as heat maps (default: "
     "energy.max_error)"},
    {"--out", "FILE.csv",
     "write the rows to FILE.csv and continue a file of the same sweep; - for stdout (default: stdout)"},
    {"--jobs", "N", "number of simultaneous runs (default: the number of processors; 1 per MPI rank)"},
    {"--resume", NULL, "require a file of this sweep to continue"},
    {"--restart", NULL, "overwrite the file"},
    SIMULATION_OPTIONS,
    MODEL_OPTIONS,
};

const command command_sweep = {
    .name = "sweep",
    .words = "MODEL",
    .least = 1,
    .most = 1,
    .summary = "run a model many times with different constants, one row per run",
    .details = "Runs all combinations of the values of each --vary, or N random points. A row has the number of the "
               "run, the\n"
               "constants, the status (ok, stopped or refused), the accuracy report, the selected columns, and the "
               "reason of a\n"
               "failure. The same command continues an interrupted sweep and repeats no finished run.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = run,
    .together = true,
};
