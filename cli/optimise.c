/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel optimise: finds constants that minimise a figure over a run (docs/optimise.md).
 *
 * Points come from CMA-ES, then from a simplex started at the best point so far (simplex.h). Values that violate a
 * condition are larger than all others, in the order of the violation. Every value is stored in --log (search_log.h).
 * Points are evaluated by threads, and by all ranks that mpirun started. Each rank makes the same search, evaluates
 * every count-th point and receives the values of the others, so that the points are the same for any number of
 * threads and ranks. */

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evaluation.h"
#include "interrupt.h"
#include "origin.h"
#include "output.h"
#include "search_log.h"
#include "simplex.h"
#include "simulation_options.h"
#include "together.h"

/* Values of points that violate a condition, whose figures do not exist, and whose runs failed, in this order. */
static const double VIOLATED = 1e100, NO_FIGURE = 5e100, FAILED = 1e101;

enum { MOST_THREADS = 256 };

typedef struct condition {
    char text[500]; /* left side minus right side, which must be at most 0 */
} condition;

typedef struct optimisation {
    evaluation e;
    condition conditions[MOST_FIGURES];
    int condition_count;
    int threads;
    long most, made; /* evaluations */
    search_log log;
    bool damaged; /* the log is damaged, which was reported */
} optimisation;

/* ---- Values ------------------------------------------------------------------------------- */

static double value_at(const optimisation *o, const double *point)
{
    double figures[MOST_FIGURES], violation = 0;
    if (evaluate(&o->e, point, figures, NULL, NULL, false) != EVALUATION_DONE) return FAILED;
    for (int i = 1; i < o->e.figure_count; i++) {
        if (isnan(figures[i])) return NO_FIGURE;
        violation += fmax(0, figures[i]);
    }
    if (violation > 0) return VIOLATED * (1 + violation / (1 + violation));
    return isnan(figures[0]) ? NO_FIGURE : figures[0];
}

/* Points to evaluate. This rank evaluates every step-th from `next` on. */
typedef struct generation {
    optimisation *o;
    const double *points;
    double *values; /* NAN: not known yet */
    int count, next, step;
    int logged; /* number of points, from the first on, that have rows in the log */
    bool failed;
    pthread_mutex_t lock;
} generation;

static const double *point_at(const generation *g, int i)
{
    return g->points + (size_t)i * (size_t)g->o->e.varied_count;
}

/* Writes rows in the order of points, each as soon as it and all before it are known. A kill loses only the runs that
 * are not finished. */
static bool log_values(generation *g)
{
    bool good = true;
    for (; good && g->logged < g->count && !isnan(g->values[g->logged]); g->logged++)
        good = add_to_log(&g->o->log, point_at(g, g->logged), g->values[g->logged]);
    return good;
}

static void *work(void *context)
{
    generation *g = context;
    for (;;) {
        pthread_mutex_lock(&g->lock);
        const int i = g->next;
        const bool ends = g->failed;
        g->next += g->step;
        pthread_mutex_unlock(&g->lock);
        if (i >= g->count || ends || interrupted()) return NULL;
        const double value = value_at(g->o, point_at(g, i));
        if (interrupted()) return NULL; /* the run was cut short */
        pthread_mutex_lock(&g->lock);
        g->values[i] = value;
        if (!log_values(g)) g->failed = true;
        pthread_mutex_unlock(&g->lock);
    }
}

static void evaluate_by_threads(generation *g)
{
    pthread_t threads[MOST_THREADS];
    const int share = (g->count - g->next + g->step - 1) / g->step;
    int started = 0;
    pthread_mutex_init(&g->lock, NULL);
    while (started < g->o->threads - 1 && started < MOST_THREADS && started < share - 1 &&
           pthread_create(&threads[started], NULL, work, g) == 0)
        started++;
    work(g);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&g->lock);
}

/* Sends the values of each rank to all others. Returns false if a rank is lost. */
static bool share_values(generation *g, int from)
{
    trm_exchange *x = ranks();
    const size_t size = (size_t)(g->count - from) * sizeof *g->values;
    if (!x || size == 0) return true;
    if (x->rank > 0) return x->send(x, 0, g->values + from, size) && x->receive(x, 0, g->values + from, size);
    double *theirs = malloc(size);
    bool good = theirs != NULL;
    for (int r = 1; good && r < x->count; r++) {
        good = x->receive(x, r, theirs, size);
        for (int i = from; good && i < g->count; i++)
            if (isnan(g->values[i])) g->values[i] = theirs[i - from];
    }
    free(theirs);
    for (int r = 1; good && r < x->count; r++) good = x->send(x, r, g->values + from, size);
    return good;
}

/* Finds the values of these points: from the log, or by threads and ranks. Returns false if interrupted, or after
 * reporting what is wrong. */
static bool evaluate_all(optimisation *o, const double *points, double *values, int count)
{
    generation g = {.o = o, .points = points, .values = values, .count = count, .step = 1};
    while (g.logged < count &&
           known_value(&o->log, o->made + g.logged, point_at(&g, g.logged), &values[g.logged], &o->damaged))
        g.logged++;
    const int from = g.logged;
    if (o->damaged) return false;
    for (int i = from; i < count; i++) values[i] = NAN;
    g.next = from + (ranks() ? ranks()->rank : 0);
    g.step = ranks() ? ranks()->count : 1;
    evaluate_by_threads(&g);
    if (g.failed || interrupted() || !share_values(&g, from) || !log_values(&g)) return false;
    o->made += count;
    return true;
}

/* ---- Methods ------------------------------------------------------------------------------ */

static bool search_globally(optimisation *o, double *best, double *value)
{
    const int n = o->e.varied_count;
    double lower[MOST_VARIED], upper[MOST_VARIED], start[MOST_VARIED];
    trm_optimiser_def def = trm_default_optimiser_def();
    trm_optimiser *search = NULL;
    const char *seed = option_value(o->e.line, "--seed");
    if (seed) def.seed = strtoull(seed, NULL, 10);
    for (int i = 0; i < n; i++)
        lower[i] = o->e.varied[i].from, upper[i] = o->e.varied[i].to, start[i] = o->e.varied[i].start;
    if (trm_optimiser_create(n, lower, upper, start, &def, NULL, &search) != TRM_OK) return false;
    const size_t most = (size_t)trm_optimiser_most_points(search);
    double *points = calloc(most, (size_t)n * sizeof *points), *values = calloc(most, sizeof *values);
    bool good = points && values;
    while (good && !trm_optimiser_is_done(search)) {
        const int count = trm_optimiser_next(search, points);
        if (o->made + count > o->most) break;
        good = evaluate_all(o, points, values, count);
        if (good) trm_optimiser_record(search, values);
    }
    *value = trm_optimiser_best(search, best);
    free(points);
    free(values);
    trm_optimiser_destroy(search);
    return good;
}

static bool value_of(void *context, const double *x, double *value)
{
    optimisation *o = context;
    return o->made < o->most && evaluate_all(o, x, value, 1);
}

/* Searches by a simplex. The search ends when the runs are used up or the simplex has become small. */
static bool search_locally(optimisation *o, double *best, double *value, double size)
{
    double lower[MOST_VARIED], upper[MOST_VARIED];
    for (int i = 0; i < o->e.varied_count; i++) lower[i] = o->e.varied[i].from, upper[i] = o->e.varied[i].to;
    const simplex_problem p = {
        .n = o->e.varied_count, .lower = lower, .upper = upper, .size = size, .value_of = value_of, .context = o};
    return search_simplex(&p, best, value) || (o->made >= o->most && !o->damaged && !interrupted());
}

/* ---- Options ------------------------------------------------------------------------------ */

/* Rewrites "a <= b" as "(a) - (b)". Returns false after reporting what is wrong. */
static bool read_condition(optimisation *o, const char *text)
{
    const char *at = strstr(text, "<="), *other = strstr(text, ">=");
    const char *sign = at ? at : other;
    if (!sign || o->e.figure_count == MOST_FIGURES) {
        fprintf(stderr, "trammel optimise: --subject-to takes A <= B or A >= B, at most %d times, not \"%s\"\n",
                MOST_FIGURES - 1, text);
        return false;
    }
    condition *c = &o->conditions[o->condition_count++];
    if (at)
        snprintf(c->text, sizeof c->text, "(%.*s) - (%s)", (int)(sign - text), text, sign + 2);
    else
        snprintf(c->text, sizeof c->text, "(%s) - (%.*s)", sign + 2, (int)(sign - text), text);
    o->e.figures[o->e.figure_count++] = c->text;
    return true;
}

/* Reads a whole number, if the option is given. Returns false after reporting what is wrong. */
static bool read_count(const char *name, const char *text, long least, long greatest, long *count)
{
    char *end;
    if (!text) return true;
    errno = 0;
    *count = strtol(text, &end, 10);
    if (end != text && *end == 0 && errno == 0 && *count >= least && *count <= greatest) return true;
    fprintf(stderr, "trammel optimise: %s takes a whole number from %ld to %ld, not \"%s\"\n", name, least, greatest,
            text);
    return false;
}

static bool read_options(optimisation *o, const command_line *line)
{
    const char *objective = option_value(line, "--minimise"), *most = option_value(line, "--most");
    const char *jobs = option_value(line, "--jobs");
    if (!objective) {
        fprintf(stderr, "trammel optimise: give --minimise EXPRESSION, such as 'max(abs(rod.y))'\n");
        return false;
    }
    o->e.figures[o->e.figure_count++] = objective;
    for (int i = 0; i < line->option_count; i++)
        if (strcmp(line->options[i]->name, "--subject-to") == 0 && !read_condition(o, line->values[i])) return false;
    const long processors = ranks() ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
    long threads = processors > 0 ? processors : 1, seed;
    o->most = 20000;
    if (!read_count("--jobs", jobs, 1, MOST_THREADS, &threads) ||
        !read_count("--most", most, 1, 1000000000, &o->most) ||
        !read_count("--seed", option_value(line, "--seed"), 0, LONG_MAX, &seed))
        return false;
    o->threads = (int)threads;
    return true;
}

static trm_text *header_of(const optimisation *o)
{
    static const char *const ignored[] = {"--log", "--jobs", "--most", NULL};
    const char *path = o->e.line->words[0];
    char *model = text_of_file(path);
    trm_text *header = model ? trm_text_create(NULL) : NULL;
    bool good = header && put_origin(header, &command_optimise, o->e.line, ignored, model, strlen(model)) &&
                put(header, "value");
    for (int i = 0; good && i < o->e.varied_count; i++)
        good = put(header, ",") && put_in_line(header, o->e.varied[i].name);
    good = good && put(header, "\n");
    if (!good)
        fprintf(stderr, "trammel optimise: cannot read the model file %s for --log: %s\n", path, strerror(errno));
    if (!good) trm_text_destroy(header);
    free(model);
    return good ? header : NULL;
}

/* Opens the log. The first rank reads and writes the file and sends its contents to the others. */
static bool open_log(optimisation *o, const char *path)
{
    bool good = true;
    if (path && is_first_rank()) {
        trm_text *header = header_of(o);
        good = header && open_search_log(&o->log, path, header, o->e.varied_count);
        trm_text_destroy(header);
    }
    o->log.width = o->e.varied_count;
    if (!all_ranks_agree(good)) return false;
    size_t count = (size_t)o->log.known_count * (size_t)(o->log.width + 1) * sizeof *o->log.known;
    if (ranks()) {
        if (is_first_rank() && !o->log.known) o->log.known = malloc(1);
        o->log.known = (double *)(void *)spread_bytes((char *)o->log.known, &count);
        if (!o->log.known) return false;
        o->log.known_count = (long)(count / sizeof(double)) / (o->log.width + 1);
    }
    if (o->log.known_count > 0) fprintf(stderr, "optimise: %ld values are taken from %s\n", o->log.known_count, path);
    return true;
}

/* ---- The command -------------------------------------------------------------------------- */

/* Returns the reason why there is no best point; NULL: there is one. */
static const char *trouble_of(double value)
{
    if (value < VIOLATED) return NULL;
    if (value < NO_FIGURE) return "no point satisfies all conditions";
    return value < FAILED ? "the figures do not exist at any point" : "no run reached its end at any point";
}

static void print_result(const optimisation *o, const double *best, double value, bool complete)
{
    const char *trouble = trouble_of(value);
    if (!trouble)
        printf("%s = %.15g after %ld runs%s\n", o->e.figures[0], value, o->made, complete ? "" : ", interrupted");
    for (int i = 0; !trouble && i < o->e.varied_count; i++) printf("%s = %.15g\n", o->e.varied[i].name, best[i]);
    if (trouble) fprintf(stderr, "trammel optimise: %s, after %ld runs\n", trouble, o->made);
    for (int i = 0; !trouble && i < o->e.varied_count; i++) {
        const varied *v = &o->e.varied[i];
        const double near = 1e-6 * (v->to - v->from);
        if (best[i] - v->from < near || v->to - best[i] < near)
            fprintf(stderr, "optimise: %s is at its %s bound; wider bounds may give less\n", v->name,
                    best[i] - v->from < near ? "lower" : "upper");
    }
    if (complete && o->made >= o->most)
        fprintf(stderr, "optimise: stopped after the %ld runs of --most; more runs may find a smaller value\n",
                o->most);
}

static exit_code search(optimisation *o)
{
    const char *method = option_value(o->e.line, "--method-of-search");
    double best[MOST_VARIED], value = INFINITY, figures[MOST_FIGURES], start[MOST_VARIED];
    for (int i = 0; i < o->e.varied_count; i++) best[i] = start[i] = o->e.varied[i].start;
    /* The first run reports errors of the model or of an expression. If only the initial values cannot be run, the
     * search continues. */
    if (evaluate(&o->e, start, figures, NULL, NULL, true) == EVALUATION_REFUSED) return EXIT_BAD_INPUT;
    if (interrupted()) return EXIT_STOPPED;
    if (!open_log(o, option_value(o->e.line, "--log"))) return EXIT_BAD_INPUT;
    bool good = true;
    if (!method || strcmp(method, "local") != 0) good = search_globally(o, best, &value);
    if (good && (!method || strcmp(method, "cma") != 0)) good = search_locally(o, best, &value, method ? 0.1 : 1e-3);
    print_result(o, best, value, good);
    return o->damaged ? EXIT_BAD_INPUT : !good || trouble_of(value) ? EXIT_STOPPED : EXIT_DONE;
}

static exit_code run(const command_line *line)
{
    static optimisation o; /* it is large */
    exit_code code = EXIT_USAGE;
    const char *method = option_value(line, "--method-of-search");
    o = (optimisation){0};
    if (method && strcmp(method, "cma") != 0 && strcmp(method, "local") != 0) {
        fprintf(stderr, "trammel optimise: --method-of-search is cma or local, not \"%s\"\n", method);
        return EXIT_USAGE;
    }
    listen_to_signals();
    if (evaluation_begin(&o.e, "optimise", line) && read_options(&o, line)) code = search(&o);
    if (!close_search_log(&o.log)) code = EXIT_BAD_INPUT;
    evaluation_end(&o.e);
    return code;
}

static const option options[] = {
    {"--vary", "NAME=FROM:TO...", "a constant of the model and its bounds"},
    {"--minimise", "EXPRESSION", "figure to minimise, such as 'max(abs(rod.y)) + 0.1*rms(j1.qd)' (docs/measures.md)"},
    {"--subject-to", "CONDITION...", "constraint, such as 'max(knee.q) <= 2'"},
    {"--guess", "NAME=VALUE...", "initial value of the search (default: the middle of the bounds)"},
    {"--method-of-search", "NAME",
     "cma (rough functions) or local (simplex, smooth functions) (default: cma, then local)"},
    {"--seed", "S", "seed of the random numbers, an integer (default: 1)"},
    {"--most", "N", "largest number of runs (default: 20000)"},
    {"--jobs", "N", "number of simultaneous runs (default: the number of processors; 1 per MPI rank)"},
    {"--log", "FILE.csv", "store the value of every run; the same command continues from it after a kill"},
    SIMULATION_OPTIONS,
    MODEL_OPTIONS,
};

const command command_optimise = {
    .name = "optimise",
    .words = "MODEL",
    .least = 1,
    .most = 1,
    .summary = "find constants of a model that minimise a figure over its run",
    .details = "Searches by CMA-ES with restarts, then by a simplex from the best point. The expressions may contain "
               "constants\n"
               "by name. A run that fails is worse than all others.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = run,
    .together = true,
};
