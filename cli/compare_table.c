/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Output of trammel compare: a table, JSON, a work-precision plot. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

bool differ_in_step_only(const trial *a, const trial *b)
{
    return a->method == b->method && strcmp(a->solver, b->solver) == 0 && a->order == b->order;
}

/* ---- The table ---------------------------------------------------------------------------- */

/* Names of methods with options are long. */
static int method_width(const comparison *c)
{
    int width = 10;
    for (int m = 0; m < c->method_count; m++)
        if ((int)strlen(c->methods[m]) > width) width = (int)strlen(c->methods[m]);
    return width;
}

static void print_row(const trial *t, int width)
{
    const trm_accuracy *a = &t->accuracy;
    char error[20] = "-", seen[20] = "-";
    printf("%-*s %-10s %5g %10g ", width, t->method, t->solver, t->order, t->step);
    if (!t->ok) {
        printf("%s\n", t->why);
        return;
    }
    if (!isnan(t->error)) snprintf(error, sizeof error, "%.2e", t->error);
    if (!isnan(t->observed)) snprintf(seen, sizeof seen, "%.2f", t->observed);
    printf("%9.3g %10.2e %10.2e %9.1e %9.1e %9.1e %11.1e %10s %6s\n", t->microseconds, a->energy_error_mean,
           a->energy_error_max, a->gap.position, a->gap.angle, a->velocity_gap.position, a->velocity_gap.angle, error,
           seen);
}

static void print_left_out(const comparison *c)
{
    const char *separator = "Left out, because the file has no columns for them: ";
    for (int i = 0; i < trm_body_count(c->model); i++) {
        if (!is_left_out(c->model, &c->reference, i)) continue;
        printf("%s'%s'", separator, trm_body_info_of(c->model, i).name);
        separator = ", ";
    }
    if (separator[0] == ',') printf(".\n");
}

static void print_verdicts(const comparison *c)
{
    verdict verdicts[VERDICTS];
    const int count = find_verdicts(c, verdicts);
    if (count > 0) printf("\nAt equal processor time per simulated second:\n");
    for (int i = 0; i < count; i++) {
        const trial *best = verdicts[i].best, *other = verdicts[i].other;
        printf("  %-8.2g s  %s %s of order %g is most accurate: %.1e m with h = %g", verdicts[i].budget, best->method,
               best->solver, best->order, best->error, best->step);
        if (other)
            printf("; then %s %s of order %g: %.1e m", other->method, other->solver, other->order, other->error);
        printf("\n");
    }
}

static void print_footer(const comparison *c)
{
    const trial *f = &c->finest;
    if (!c->reference.file && !f->ok) {
        printf("\nno errors: the reference could not be run: %s\n", f->why);
        return;
    }
    if (c->reference.file)
        printf("\nerror: largest distance of a body from its position in %s at t = %g s.\n", c->reference.file,
               c->options.time);
    else
        printf(
            "\nerror: largest distance of a body from the reference, %s %s of order %g with h = %g, at t = %g s.\n",
            f->method, f->solver, f->order, f->step, c->options.time);
    print_left_out(c);
    printf(
        "seen: order observed between this row and the one above. dE: |E - E0 - W|, and gaps of joints, at some %d "
        "moments.\n",
        ROWS);
    if (c->extrapolated) printf("Orders above 2 by extrapolation.\n");
}

void print_table(const comparison *c)
{
    const int width = method_width(c);
    printf("%-*s %-10s %5s %10s %9s %10s %10s %9s %9s %9s %11s %10s %6s\n", width, "method", "solver", "order", "h/s",
           "us/step", "mean dE/J", "max dE/J", "gap/m", "gap/rad", "gap/(m/s)", "gap/(rad/s)", "error/m", "seen");
    for (int i = 0; i < c->trial_count; i++) print_row(&c->trials[i], width);
    print_footer(c);
    print_verdicts(c);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void put_row(trm_json_writer *w, const trial *t)
{
    trm_json_open_object(w, NULL);
    trm_json_put_text(w, "method", t->method);
    trm_json_put_text(w, "solver", t->solver);
    trm_json_put_number(w, "order", t->order);
    trm_json_put_number(w, "h", t->step);
    trm_json_put_text(w, "status", t->ok ? "ok" : t->why);
    trm_json_put_number(w, "us_per_step", t->microseconds);
    trm_json_put_number(w, "s_per_simulated_s", t->cost);
    trm_json_put_number(w, "energy_mean_error", t->accuracy.energy_error_mean);
    trm_json_put_number(w, "energy_max_error", t->accuracy.energy_error_max);
    trm_json_put_number(w, "gap_position", t->accuracy.gap.position);
    trm_json_put_number(w, "gap_angle", t->accuracy.gap.angle);
    trm_json_put_number(w, "velocity_gap_position", t->accuracy.velocity_gap.position);
    trm_json_put_number(w, "velocity_gap_angle", t->accuracy.velocity_gap.angle);
    trm_json_put_number(w, "error", t->error);
    trm_json_put_number(w, "observed_order", t->observed);
    trm_json_close(w);
}

static void put_reference(trm_json_writer *w, const comparison *c)
{
    trm_json_open_object(w, "reference");
    if (c->reference.file) {
        trm_json_put_text(w, "file", c->reference.file);
        trm_json_open_array_flat(w, "left_out");
        for (int i = 0; i < trm_body_count(c->model); i++)
            if (is_left_out(c->model, &c->reference, i))
                trm_json_put_text(w, NULL, trm_body_info_of(c->model, i).name);
        trm_json_close(w);
    } else {
        trm_json_put_text(w, "method", c->finest.method);
        trm_json_put_text(w, "solver", c->finest.solver);
        trm_json_put_number(w, "order", c->finest.order);
        trm_json_put_number(w, "h", c->finest.step);
        trm_json_put_text(w, "status", c->finest.ok ? "ok" : c->finest.why);
    }
    trm_json_close(w);
}

static void put_run(trm_json_writer *w, const char *name, const trial *t)
{
    if (!t) return;
    trm_json_open_object(w, name);
    trm_json_put_text(w, "method", t->method);
    trm_json_put_text(w, "solver", t->solver);
    trm_json_put_number(w, "order", t->order);
    trm_json_put_number(w, "h", t->step);
    trm_json_put_number(w, "error", t->error);
    trm_json_close(w);
}

static void put_verdicts(trm_json_writer *w, const comparison *c)
{
    verdict verdicts[VERDICTS];
    const int count = find_verdicts(c, verdicts);
    trm_json_open_array(w, "in_equal_time");
    for (int i = 0; i < count; i++) {
        trm_json_open_object(w, NULL);
        trm_json_put_number(w, "s_per_simulated_s", verdicts[i].budget);
        put_run(w, "best", verdicts[i].best);
        put_run(w, "next", verdicts[i].other);
        trm_json_close(w);
    }
    trm_json_close(w);
}

bool write_json(const comparison *c, trm_sink sink)
{
    trm_json_writer w = trm_json_begin(sink);
    trm_json_open_object(&w, NULL);
    trm_json_put_text(&w, "model", trm_model_name(c->model));
    trm_json_put_number(&w, "time", c->options.time);
    trm_json_put_text(&w, "scheme", c->extrapolated ? "extrapolation" : "composition");
    put_reference(&w, c);
    trm_json_open_array(&w, "rows");
    for (int i = 0; i < c->trial_count; i++) put_row(&w, &c->trials[i]);
    trm_json_close(&w);
    put_verdicts(&w, c);
    trm_json_close(&w);
    return trm_json_end(&w);
}

/* ---- The plot ----------------------------------------------------------------------------- */

typedef struct curve_name {
    char text[120];
} curve_name;

/* Allocates one series per run. */
typedef struct plot_room {
    trm_plot_series *series;
    curve_name *names;
    double *cost, *error; /* of all runs, in their order */
    int count;
} plot_room;

static bool make_room(plot_room *k, size_t most)
{
    k->series = calloc(most, sizeof *k->series);
    k->names = calloc(most, sizeof *k->names);
    k->cost = calloc(most, sizeof *k->cost);
    k->error = calloc(most, sizeof *k->error);
    if (k->series && k->names && k->cost && k->error) return true;
    fprintf(stderr, "trammel compare: out of memory\n");
    return false;
}

static void free_room(plot_room *k)
{
    free(k->series);
    free(k->names);
    free(k->cost);
    free(k->error);
}

/* Runs that differ in the step only become one series. */
static void gather(const comparison *c, plot_room *k)
{
    for (int i = 0; i < c->trial_count; i++) {
        const trial *t = &c->trials[i];
        k->cost[i] = t->cost;
        k->error[i] = t->error;
        if (i == 0 || !differ_in_step_only(t, t - 1)) {
            char *name = k->names[k->count].text;
            snprintf(name, sizeof k->names->text, "%s, %s, order %g", t->method, t->solver, t->order);
            k->series[k->count++] = (trm_plot_series){name, &k->cost[i], &k->error[i], 0};
        }
        k->series[k->count - 1].count++;
    }
}

static bool can_be_plotted(const comparison *c)
{
    for (int i = 0; i < c->trial_count; i++)
        if (c->trials[i].error > 0) return true; /* false for NAN */
    fprintf(stderr, "trammel compare: no plot can be made: no run has an error that is known and not 0\n");
    return false;
}

static bool write_file(const trm_plot *plot, const char *path)
{
    FILE *file = fopen(path, "wb");
    bool good = file && trm_write_plot_svg(plot, trm_file_sink(file));
    if (file && fclose(file) != 0) good = false;
    if (!good) fprintf(stderr, "trammel compare: cannot write %s: %s\n", path, strerror(errno));
    return good;
}

static bool draw(const comparison *c, const plot_room *k, const char *path)
{
    const char *file = c->reference.file, *slash = file ? strrchr(file, '/') : NULL;
    const char *against = slash ? slash + 1 : file ? file : "the finest run";
    char title[200], error[200];
    snprintf(title, sizeof title, "%s: cost and error at t = %g s", c->title, c->options.time);
    snprintf(error, sizeof error, "error against %s, m", against);
    const trm_plot plot = {.title = title,
                           .x = {"processor time per simulated second, s", true},
                           .y = {error, true},
                           .series = k->series,
                           .series_count = k->count};
    return write_file(&plot, path);
}

bool write_plot(const comparison *c, const char *path)
{
    plot_room k = {0};
    if (!can_be_plotted(c)) return false;
    bool good = make_room(&k, (size_t)c->trial_count);
    if (good) gather(c, &k);
    good = good && draw(c, &k, path);
    free_room(&k);
    return good;
}
