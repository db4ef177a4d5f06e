/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel fit: constants with which a model reproduces measured columns (docs/optimise.md). Levenberg and
 * Marquardt's method on r_i = column(t_i) - measured_i over all measured columns and times. The slopes J are
 * central differences of runs. With N numbers, n parameters and s^2 = |r|^2/(N - n) the covariance of the
 * parameters is s^2 (J^T J)^-1: its roots are standard errors. Rows of a run are interpolated by the cubic through
 * four of them. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluation.h"
#include "interrupt.h"
#include "result_file.h"
#include "simulation_options.h"

typedef struct measured {
    char (*names)[200];
    int columns;
    double *t, *values; /* rows, rows x columns */
    int rows;
} measured;

typedef struct fitting {
    evaluation e;
    measured data;
    char selection[8000];
    double *times, *series; /* of the run: rows, rows x columns */
    int rows, room;
    evaluation_fate fate; /* of the last run */
} fitting;

/* ---- Data --------------------------------------------------------------------------------- */

static bool read_data(measured *d, const char *path)
{
    result_file f = {0};
    bool good = open_results(&f, "fit", path);
    if (good) {
        d->columns = f.column_count - 1;
        d->names = calloc((size_t)f.column_count, sizeof *d->names);
        good = d->names != NULL;
        for (int i = 0, k = 0; good && i < f.column_count; i++)
            if (i != f.time_column) snprintf(d->names[k++], sizeof *d->names, "%s", f.names[i]);
    }
    while (good && next_row(&f)) {
        double *t = realloc(d->t, (size_t)(d->rows + 1) * sizeof *t);
        if (t) d->t = t;
        double *v = realloc(d->values, (size_t)(d->rows + 1) * (size_t)(d->columns + 1) * sizeof *v);
        if (v) d->values = v;
        good = t && v;
        if (!good) break;
        d->t[d->rows] = f.values[f.time_column];
        for (int i = 0, k = 0; i < f.column_count; i++)
            if (i != f.time_column) d->values[d->rows * d->columns + k++] = f.values[i];
        d->rows++;
    }
    good = good && !f.failed;
    close_results(&f);
    if (good && (d->rows < 2 || d->columns < 1)) {
        fprintf(stderr, "trammel fit: %s needs a column t, a measured column and at least two rows\n", path);
        return false;
    }
    return good;
}

/* ---- A run -------------------------------------------------------------------------------- */

static bool take_row(void *context, const trm_state *state, const trm_results *results)
{
    fitting *f = context;
    const int columns = f->data.columns;
    if (f->rows == f->room) {
        const int room = f->room ? 2 * f->room : 1024;
        double *t = realloc(f->times, (size_t)room * sizeof *t);
        if (t) f->times = t;
        double *s = realloc(f->series, (size_t)room * (size_t)columns * sizeof *s);
        if (s) f->series = s;
        if (!t || !s) {
            fprintf(stderr, "trammel fit: out of memory\n");
            return false;
        }
        f->room = room;
    }
    f->times[f->rows] = trm_state_time(state);
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < trm_result_count(results); i++)
            if (strcmp(trm_result_name(results, i), f->data.names[c]) == 0)
                f->series[(size_t)f->rows * (size_t)columns + (size_t)c] = trm_result_value(results, i, state);
    f->rows++;
    return true;
}

/* Returns the value of a column at t, by the cubic through the four nearest rows. */
static double interpolate(const fitting *f, int column, double t)
{
    int low = 0, high = f->rows - 1, count = f->rows < 4 ? f->rows : 4;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        *(f->times[middle] <= t ? &low : &high) = middle;
    }
    int first = low > 0 ? low - 1 : 0;
    if (first + count > f->rows) first = f->rows - count;
    double sum = 0;
    for (int i = first; i < first + count; i++) {
        double weight = 1;
        for (int k = first; k < first + count; k++)
            if (k != i) weight *= (t - f->times[k]) / (f->times[i] - f->times[k]);
        sum += weight * f->series[(size_t)i * (size_t)f->data.columns + (size_t)column];
    }
    return sum;
}

/* Returns whether all measured times are within the run. If not, the run counts as refused. */
static bool covers(fitting *f, bool reports)
{
    const measured *d = &f->data;
    const double last = f->times[f->rows - 1];
    for (int i = 0; i < d->rows; i++) {
        if (d->t[i] >= f->times[0] && d->t[i] <= last * (1 + 1e-12)) continue;
        if (reports)
            fprintf(stderr,
                    "trammel fit: %s has a row at t = %.9g s, the run has rows from %.9g to %.9g s; give --time or "
                    "remove "
                    "the row\n",
                    f->e.line->words[1], d->t[i], f->times[0], last);
        f->fate = EVALUATION_REFUSED;
        return false;
    }
    return true;
}

/* Computes the residuals r of a run with these values. Returns false if the run cannot be made. */
static bool residuals(fitting *f, const double *values, double *r, bool reports)
{
    const measured *d = &f->data;
    f->rows = 0;
    f->fate = evaluate(&f->e, values, NULL, take_row, f, reports);
    if (f->fate != EVALUATION_DONE || f->rows < 2) return false;
    if (!covers(f, reports)) return false;
    for (int i = 0; i < d->rows; i++)
        for (int c = 0; c < d->columns; c++)
            r[i * d->columns + c] = interpolate(f, c, d->t[i]) - d->values[i * d->columns + c];
    return true;
}

/* ---- The method --------------------------------------------------------------------------- */

static double sum_of_squares(const double *r, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += r[i] * r[i];
    return sum;
}

/* Solves a x = b for a small positive definite a by Cholesky. inverse: gets the n x n inverse of a, unless NULL.
 * Returns false if a is not positive definite. */
static bool solve_normal(const double *a, int n, const double *b, double *x, double *inverse)
{
    double L[MOST_VARIED * MOST_VARIED];
    memcpy(L, a, (size_t)(n * n) * sizeof *L);
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++) L[j * n + j] -= L[j * n + k] * L[j * n + k];
        if (!(L[j * n + j] > 0)) return false;
        L[j * n + j] = sqrt(L[j * n + j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) L[i * n + j] -= L[i * n + k] * L[j * n + k];
            L[i * n + j] /= L[j * n + j];
        }
    }
    for (int column = 0; column < (inverse ? n : 1); column++) {
        double y[MOST_VARIED];
        for (int i = 0; i < n; i++) {
            y[i] = inverse ? i == column : b[i];
            for (int k = 0; k < i; k++) y[i] -= L[i * n + k] * y[k];
            y[i] /= L[i * n + i];
        }
        for (int i = n - 1; i >= 0; i--) {
            for (int k = i + 1; k < n; k++) y[i] -= L[k * n + i] * y[k];
            y[i] /= L[i * n + i];
        }
        for (int i = 0; i < n; i++) *(inverse ? &inverse[i * n + column] : &x[i]) = y[i];
    }
    return true;
}

/* Computes J^T J and J^T r, with parameters in units of the widths of their bounds. */
static bool find_slopes(fitting *f, const double *x, const double *r, double *ahead, double *behind, double *J,
                        double *A, double *g)
{
    const int n = f->e.varied_count, count = f->data.rows * f->data.columns;
    for (int k = 0; k < n; k++) {
        const varied *v = &f->e.varied[k];
        double moved[MOST_VARIED];
        const double width = v->to - v->from, h = 1e-4 * width; /* beyond the bounds the model may be invalid */
        const double above = fmin(x[k] + h, v->to), below = fmax(x[k] - h, v->from);
        memcpy(moved, x, (size_t)n * sizeof *x);
        moved[k] = above;
        if (!residuals(f, moved, ahead, false)) return false;
        moved[k] = below;
        if (!residuals(f, moved, behind, false)) return false;
        for (int i = 0; i < count; i++)
            J[(size_t)k * (size_t)count + (size_t)i] = (ahead[i] - behind[i]) * (width / (above - below));
    }
    for (int a = 0; a < n; a++) {
        g[a] = 0;
        for (int i = 0; i < count; i++) g[a] += J[(size_t)a * (size_t)count + (size_t)i] * r[i];
        for (int b = 0; b < n; b++) {
            A[a * n + b] = 0;
            for (int i = 0; i < count; i++)
                A[a * n + b] += J[(size_t)a * (size_t)count + (size_t)i] * J[(size_t)b * (size_t)count + (size_t)i];
        }
    }
    return true;
}

/* Keeps constants at a bound if the sum of squares decreases beyond it: removes their rows and columns. */
static void fix_at_bounds(const fitting *f, const double *x, double *A, double *g)
{
    const int n = f->e.varied_count;
    for (int i = 0; i < n; i++) {
        const varied *v = &f->e.varied[i];
        if (!(x[i] <= v->from && g[i] > 0) && !(x[i] >= v->to && g[i] < 0)) continue;
        for (int k = 0; k < n; k++) A[i * n + k] = A[k * n + i] = k == i;
        g[i] = 0;
    }
}

/* Iterates to the best values x. Computes r and A = J^T J there. Returns false if interrupted, or if no run
 * succeeds. */
static bool iterate(fitting *f, double *x, double *r, double *A, int *rounds)
{
    const int n = f->e.varied_count, count = f->data.rows * f->data.columns;
    double g[MOST_VARIED], held[MOST_VARIED], step[MOST_VARIED], trial[MOST_VARIED],
        damped[MOST_VARIED * MOST_VARIED], damping = 1e-3;
    double *room = calloc((size_t)count * (size_t)(n + 3) + 1, sizeof *room);
    double *ahead = room, *behind = room + count, *tried = room + 2 * count, *J = room + 3 * (size_t)count;
    bool good = room && residuals(f, x, r, true), moving = true;
    for (*rounds = 0; good && moving && *rounds < 100 && !interrupted(); ++*rounds) {
        const double before = sum_of_squares(r, count);
        good = find_slopes(f, x, r, ahead, behind, J, A, g);
        moving = false;
        for (int tries = 0; good && !moving && tries < 30; tries++, damping *= 4) {
            double far = 0;
            memcpy(damped, A, (size_t)(n * n) * sizeof *A), memcpy(held, g, (size_t)n * sizeof *g);
            fix_at_bounds(f, x, damped, held);
            for (int i = 0; i < n; i++) damped[i * n + i] *= 1 + damping;
            if (!solve_normal(damped, n, held, step, NULL)) continue;
            for (int i = 0; i < n; i++) {
                const varied *v = &f->e.varied[i];
                trial[i] = fmax(v->from, fmin(v->to, x[i] - step[i] * (v->to - v->from)));
                far = fmax(far, fabs(trial[i] - x[i]) / (v->to - v->from));
            }
            if (far < 1e-11) break;
            if (!residuals(f, trial, tried, false) || !(sum_of_squares(tried, count) < before)) continue;
            memcpy(x, trial, (size_t)n * sizeof *x), memcpy(r, tried, (size_t)count * sizeof *r);
            moving = sum_of_squares(r, count) < before * (1 - 1e-13);
            damping = fmax(1e-12, damping / 40);
            break;
        }
    }
    free(room);
    return good && !interrupted();
}

/* ---- The command -------------------------------------------------------------------------- */

static void print_fit(const fitting *f, const double *x, const double *A, double squares, int rounds)
{
    const int n = f->e.varied_count, count = f->data.rows * f->data.columns;
    double inverse[MOST_VARIED * MOST_VARIED], error[MOST_VARIED];
    const double variance = count > n ? squares / (count - n) : NAN;
    const bool known = solve_normal(A, n, NULL, NULL, inverse);
    printf("fit: %d numbers, root mean square difference %.9g, %d rounds\n", count, sqrt(squares / count), rounds);
    for (int i = 0; i < n; i++) {
        const varied *v = &f->e.varied[i];
        error[i] = known ? sqrt(variance * inverse[i * n + i]) * (v->to - v->from) : NAN;
        printf("%s = %.15g +- %.6g%s\n", v->name, x[i], error[i],
               x[i] <= v->from || x[i] >= v->to ? " (at its bound)" : "");
    }
    if (!known) fprintf(stderr, "trammel fit: the measured columns do not determine all constants\n");
    for (int i = 0; known && i < n; i++)
        for (int k = 0; k < i; k++)
            printf("correlation %s %s = %.6f\n", f->e.varied[k].name, f->e.varied[i].name,
                   inverse[i * n + k] / sqrt(inverse[i * n + i] * inverse[k * n + k]));
}

static exit_code fit(fitting *f)
{
    const int count = f->data.rows * f->data.columns;
    double x[MOST_VARIED], A[MOST_VARIED * MOST_VARIED];
    double *r = calloc((size_t)count + 1, sizeof *r);
    int rounds;
    size_t at = 0;
    for (int c = 0; c < f->data.columns; c++)
        at += (size_t)snprintf(f->selection + at, at < sizeof f->selection ? sizeof f->selection - at : 0, "%s%s",
                               c ? "," : "", f->data.names[c]);
    for (int i = 0; i < f->e.varied_count; i++) x[i] = f->e.varied[i].start;
    f->e.columns = f->selection;
    const bool good = r && at < sizeof f->selection && iterate(f, x, r, A, &rounds);
    if (good) print_fit(f, x, A, sum_of_squares(r, count), rounds);
    free(r);
    return good ? EXIT_DONE : f->fate == EVALUATION_REFUSED ? EXIT_BAD_INPUT : EXIT_STOPPED;
}

static exit_code run(const command_line *line)
{
    static fitting f; /* it is large */
    exit_code code = EXIT_USAGE;
    f = (fitting){0};
    listen_to_signals();
    if (evaluation_begin(&f.e, "fit", line)) code = read_data(&f.data, line->words[1]) ? fit(&f) : EXIT_BAD_INPUT;
    free(f.times);
    free(f.series);
    free(f.data.names);
    free(f.data.t);
    free(f.data.values);
    evaluation_end(&f.e);
    return code;
}

static const option options[] = {
    {"--vary", "NAME=FROM:TO...", "a constant of the model and its bounds"},
    {"--guess", "NAME=VALUE...", "initial value of the search (default: the middle of the bounds)"},
    SIMULATION_OPTIONS,
    MODEL_OPTIONS,
};

const command command_fit = {
    .name = "fit",
    .words = "MODEL DATA.csv",
    .least = 2,
    .most = 2,
    .summary = "find constants with which a model reproduces measured columns, and their standard errors",
    .details =
        "DATA.csv has a column t and columns of the model, as trammel run writes them. Minimises the sum of squared\n"
        "differences and prints standard errors and correlations of the constants.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = run,
};
