/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel optimise: constants that make a figure over a run least (docs/optimise.md).
 *
 * Points come from CMA-ES, or from Nelder and Mead's simplex (1965) started at the best point so far. Values that violate a condition come
 * after all others, in the order of the violation. Every value is appended to --log; a search of the same seed asks for the same points
 * again, so that it is continued after a kill without a run made twice. */

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evaluation.h"
#include "interrupt.h"
#include "output.h"
#include "simulation_options.h"

/* Values beyond this are those of violated conditions or of runs that failed. */
static const double VIOLATED = 1e100;

typedef struct condition {
    char text[500]; /* left side less right side: at most 0 */
} condition;

typedef struct optimisation {
    evaluation e;
    condition conditions[MOST_FIGURES];
    int condition_count;
    int threads;
    long most, made; /* evaluations */
    double *known;   /* of the log */
    long known_count;
    FILE *log;
} optimisation;

/* ---- Values ------------------------------------------------------------------------------- */

static double value_at(const optimisation *o, const double *point)
{
    double figures[MOST_FIGURES], violation = 0;
    if (!evaluate(&o->e, point, figures, NULL, NULL, false)) return 10 * VIOLATED;
    for (int i = 1; i < o->e.figure_count; i++) {
        if (isnan(figures[i])) return 5 * VIOLATED;
        violation += fmax(0, figures[i]);
    }
    if (violation > 0) return VIOLATED * (1 + violation / (1 + violation));
    return isnan(figures[0]) ? 5 * VIOLATED : figures[0];
}

typedef struct generation {
    const optimisation *o;
    const double *points;
    double *values;
    int count, next;
    pthread_mutex_t lock;
} generation;

static void *work(void *context)
{
    generation *g = context;
    for (;;) {
        pthread_mutex_lock(&g->lock);
        const int i = g->next++;
        pthread_mutex_unlock(&g->lock);
        if (i >= g->count || interrupted()) return NULL;
        g->values[i] = value_at(g->o, g->points + (size_t)i * (size_t)g->o->e.varied_count);
    }
}

/* Values of so many points: from the log, or by threads. False: interrupted. */
static bool evaluate_all(optimisation *o, const double *points, double *values, int count)
{
    int from = 0;
    for (; from < count && o->made + from < o->known_count; from++) values[from] = o->known[o->made + from];
    const int n = o->e.varied_count;
    generation g = {
        .o = o, .points = points + (size_t)from * (size_t)n, .values = values + from, .count = count - from};
    pthread_t threads[64];
    int started = 0;
    pthread_mutex_init(&g.lock, NULL);
    while (started < o->threads - 1 && started < 64 && started < g.count - 1 &&
           pthread_create(&threads[started], NULL, work, &g) == 0)
        started++;
    work(&g);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&g.lock);
    if (interrupted()) return false;
    for (int i = from; o->log && i < count; i++) {
        fprintf(o->log, "%.17g", values[i]);
        for (int k = 0; k < n; k++) fprintf(o->log, ",%.17g", points[(size_t)i * (size_t)n + (size_t)k]);
        fprintf(o->log, "\n");
    }
    if (o->log) fflush(o->log);
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
    while (good && o->made < o->most && !trm_optimiser_is_done(search)) {
        const int count = trm_optimiser_ask(search, points);
        good = evaluate_all(o, points, values, count);
        if (good) trm_optimiser_tell(search, values);
    }
    *value = trm_optimiser_best(search, best);
    free(points);
    free(values);
    trm_optimiser_destroy(search);
    return good;
}

static void bound(const optimisation *o, double *x)
{
    for (int i = 0; i < o->e.varied_count; i++) x[i] = fmax(o->e.varied[i].from, fmin(o->e.varied[i].to, x[i]));
}

/* The simplex, its worst point first replaced by one beyond the middle of the others. */
static bool search_locally(optimisation *o, double *best, double *value, double size)
{
    const int n = o->e.varied_count;
    double x[MOST_VARIED + 1][MOST_VARIED], f[MOST_VARIED + 1], middle[MOST_VARIED], y[MOST_VARIED], fy;
    for (int k = 0; k <= n; k++) {
        memcpy(x[k], best, (size_t)n * sizeof *best);
        if (k > 0) {
            const varied *v = &o->e.varied[k - 1];
            const double step = size * (v->to - v->from);
            x[k][k - 1] += x[k][k - 1] + step <= v->to ? step : -step;
        }
        if (!evaluate_all(o, x[k], &f[k], 1)) return false;
    }
    while (o->made < o->most) {
        int worst = 0, least = 0, second;
        for (int k = 1; k <= n; k++) worst = f[k] > f[worst] ? k : worst, least = f[k] < f[least] ? k : least;
        second = least;
        for (int k = 0; k <= n; k++)
            if (k != worst && f[k] > f[second]) second = k;
        double width = 0;
        for (int i = 0; i < n; i++) {
            middle[i] = 0;
            for (int k = 0; k <= n; k++) {
                if (k != worst) middle[i] += x[k][i] / n;
                width = fmax(width, fabs(x[k][i] - x[least][i]) / (o->e.varied[i].to - o->e.varied[i].from));
            }
        }
        if (width < 1e-10 || (f[worst] - f[least] <= 1e-15 * fabs(f[least]) && width < 1e-7)) break;
        static const double factors[] = {-1, -2, 0.5};
        bool taken = false;
        for (int step = 0; step < 3 && !taken; step++) {
            if (step == 1 && f[worst] >= f[least]) continue; /* only beyond a new best point, below */
            for (int i = 0; i < n; i++) y[i] = middle[i] + factors[step] * (x[worst][i] - middle[i]);
            bound(o, y);
            if (!evaluate_all(o, y, &fy, 1)) return false;
            taken = step == 0 ? fy < f[second] : fy < f[worst];
            if (!taken) continue;
            const bool farther = step == 0 && fy < f[least];
            memcpy(x[worst], y, sizeof y), f[worst] = fy;
            if (!farther) continue;
            for (int i = 0; i < n; i++) y[i] = middle[i] + 2 * (x[worst][i] - middle[i]);
            bound(o, y);
            if (!evaluate_all(o, y, &fy, 1)) return false;
            if (fy < f[worst]) memcpy(x[worst], y, sizeof y), f[worst] = fy;
        }
        for (int k = 0; !taken && k <= n; k++) {
            if (k == least) continue;
            for (int i = 0; i < n; i++) x[k][i] = 0.5 * (x[k][i] + x[least][i]);
            if (!evaluate_all(o, x[k], &f[k], 1)) return false;
        }
    }
    for (int k = 0; k <= n; k++)
        if (f[k] < *value) *value = f[k], memcpy(best, x[k], (size_t)n * sizeof *best);
    return true;
}

/* ---- Options ------------------------------------------------------------------------------ */

/* "a <= b" as "(a) - (b)". */
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
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    o->threads = jobs ? atoi(jobs) : processors > 0 ? (int)processors : 1;
    o->most = most ? atol(most) : 20000;
    if (o->threads >= 1 && o->most >= 1) return true;
    fprintf(stderr, "trammel optimise: --jobs and --most take positive whole numbers\n");
    return false;
}

/* Values that a log of this search has already. */
static bool open_log(optimisation *o, const char *path)
{
    char line[4096];
    if (!path) return true;
    FILE *old = fopen(path, "rb");
    while (old && fgets(line, sizeof line, old)) {
        char *end;
        const double value = strtod(line, &end);
        if (end == line || !strchr(line, '\n')) break;
        double *more = realloc(o->known, (size_t)(o->known_count + 1) * sizeof *more);
        if (!more) break;
        o->known = more;
        o->known[o->known_count++] = value;
    }
    if (old) fclose(old);
    o->log = fopen(path, "ab");
    if (!o->log) perror(path);
    if (o->known_count > 0) fprintf(stderr, "optimise: %ld values are taken from %s\n", o->known_count, path);
    return o->log != NULL;
}

/* ---- The command -------------------------------------------------------------------------- */

static exit_code search(optimisation *o)
{
    const char *method = option_value(o->e.line, "--method-of-search");
    const int n = o->e.varied_count;
    double best[MOST_VARIED], value = INFINITY, figures[MOST_FIGURES], start[MOST_VARIED];
    for (int i = 0; i < n; i++) best[i] = start[i] = o->e.varied[i].start;
    if (!evaluate(&o->e, start, figures, NULL, NULL, true)) return EXIT_BAD_INPUT;
    bool good = true;
    if (!method || strcmp(method, "local") != 0) good = search_globally(o, best, &value);
    if (good && (!method || strcmp(method, "cma") != 0)) good = search_locally(o, best, &value, method ? 0.1 : 1e-3);
    printf("%s = %.15g after %ld runs%s\n", o->e.figures[0], value, o->made, good ? "" : ", interrupted");
    for (int i = 0; i < n; i++) printf("%s = %.15g\n", o->e.varied[i].name, best[i]);
    if (value >= VIOLATED) fprintf(stderr, "trammel optimise: no point satisfies all conditions\n");
    return !good || value >= VIOLATED ? EXIT_STOPPED : EXIT_DONE;
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
    if (evaluation_begin(&o.e, "optimise", line) && read_options(&o, line))
        code = open_log(&o, option_value(line, "--log")) ? search(&o) : EXIT_BAD_INPUT;
    if (o.log) fclose(o.log);
    free(o.known);
    evaluation_end(&o.e);
    return code;
}

static const option options[] = {
    {"--vary", "NAME=FROM:TO...", "a constant of the model and its bounds"},
    {"--minimise", "EXPRESSION",
     "the figure over a run to be made least, such as 'max(abs(rod.y)) + 0.1*rms(j1.qd)'"},
    {"--subject-to", "CONDITION...", "what must hold, such as 'max(knee.q) <= 2'"},
    {"--start", "NAME=VALUE...", "where the search starts; the middle of the bounds"},
    {"--method-of-search", "NAME", "cma (rough figures), local (smooth ones: a simplex); cma, then local"},
    {"--seed", "S", "another whole number gives another search; 1"},
    {"--most", "N", "how many runs are made at most; 20000"},
    {"--jobs", "N", "how many runs are made at the same time; as many as there are processors"},
    {"--log", "FILE.csv", "keep the value of every run; the same command continues from it"},
    SIMULATION_OPTIONS,
    MODEL_OPTIONS,
};

const command command_optimise = {
    .name = "optimise",
    .words = "MODEL",
    .least = 1,
    .most = 1,
    .summary = "find constants of a model that make a figure over its run least",
    .details = "The search is CMA-ES with restarts, then a simplex from the best point. Constants may appear in the\n"
               "expressions by name. A run that cannot be made counts as worse than all others.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = run,
};
