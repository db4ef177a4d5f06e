/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "sweep_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

enum { MOST_FIGURES = 16 };

struct sweep_plot {
    const sweep_plan *plan;
    int columns[MOST_FIGURES];     /* columns of a row, from 0 */
    char names[MOST_FIGURES][200]; /* names of these columns */
    int figure_count;
    double *values; /* per figure, run after run; NAN: none */
};

bool can_plot_sweep(const command_line *line, const design *d)
{
    if (!option_value(line, "--plot")) return true;
    if (d->variation_count <= 2) return true;
    fprintf(stderr, "trammel sweep: --plot draws over one or two varied constants, not %d\n", d->variation_count);
    return false;
}

/* ---- Figures of rows ---------------------------------------------------------------------- */

/* Chooses the figures: the columns that the user has selected, which follow those of the report; without any, the
 * error of the energy. */
static bool choose_figures(sweep_plot *p)
{
    const char *at = trm_text_get(p->plan->columns);
    bool chosen = false;
    int energy = -1;
    for (int column = 0; column + 1 < p->plan->column_count; column++, at += strcspn(at, ",") + 1) {
        const int length = (int)strcspn(at, ",");
        if (length == 16 && strncmp(at, "energy.max_error", 16) == 0) energy = column;
        if (chosen) {
            if (p->figure_count == MOST_FIGURES) return false;
            snprintf(p->names[p->figure_count], sizeof p->names[0], "%.*s", length, at);
            p->columns[p->figure_count++] = column;
        }
        chosen = chosen || (length == 8 && strncmp(at, "switches", 8) == 0);
    }
    if (p->figure_count == 0) {
        p->columns[p->figure_count] = energy;
        snprintf(p->names[p->figure_count++], sizeof p->names[0], "energy.max_error, J");
    }
    return true;
}

sweep_plot *begin_sweep_plot(const sweep_plan *plan)
{
    sweep_plot *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->plan = plan;
    if (!choose_figures(p)) {
        fprintf(stderr, "trammel sweep: --plot draws at most %d figures of --columns and --print\n", MOST_FIGURES);
        end_sweep_plot(p);
        return NULL;
    }
    const size_t count = (size_t)plan->design.run_count * (size_t)p->figure_count;
    p->values = malloc(count * sizeof *p->values);
    for (size_t i = 0; p->values && i < count; i++) p->values[i] = NAN;
    if (p->values) return p;
    end_sweep_plot(p);
    return NULL;
}

void end_sweep_plot(sweep_plot *p)
{
    if (p) free(p->values);
    free(p);
}

/* Adds the figures of a row. Only the last cell, which is not a figure, may contain a comma. */
void plot_row(sweep_plot *p, int run, const char *row)
{
    for (int column = 0, figure = 0; figure < p->figure_count; column++, row += *row == ',') {
        const size_t length = strcspn(row, ",\n");
        if (column == p->columns[figure]) {
            char *end;
            const double value = strtod(row, &end);
            const bool empty = length == 0 || end == row;
            p->values[(size_t)figure++ * (size_t)p->plan->design.run_count + (size_t)run] = empty ? NAN : value;
        }
        row += length;
        if (*row != ',') return;
    }
}

/* ---- The picture -------------------------------------------------------------------------- */

/* Finds the values of a constant in all runs. */
static void find_values(const design *d, int index, double *values)
{
    double point[2];
    for (int run = 0; run < d->run_count; run++) {
        point_of(d, run, point);
        values[run] = point[index];
    }
}

/* A value and its number. */
typedef struct numbered {
    double value;
    int number;
} numbered;

static int compare_values(const void *a, const void *b)
{
    const double x = ((const numbered *)a)->value, y = ((const numbered *)b)->value;
    return (x > y) - (x < y);
}

/* Sorts values in any order: order[i] is the number of the i-th value. Returns false when out of memory. */
static bool sort_values(const double *values, int count, int *order)
{
    numbered *all = calloc((size_t)count, sizeof *all);
    if (!all) return false;
    for (int i = 0; i < count; i++) all[i] = (numbered){values[i], i};
    qsort(all, (size_t)count, sizeof *all, compare_values);
    for (int i = 0; i < count; i++) order[i] = all[i].number;
    free(all);
    return true;
}

/* Draws figures over one constant: one frame per figure, one below the other. */
static bool write_curves(const sweep_plot *p, trm_sink sink)
{
    const design *d = &p->plan->design;
    const size_t runs = (size_t)d->run_count;
    double *x = malloc(runs * sizeof *x), *sorted = malloc(runs * sizeof *sorted);
    double *y = malloc((size_t)p->figure_count * runs * sizeof *y);
    int *order = malloc(runs * sizeof *order);
    trm_plot plots[MOST_FIGURES];
    trm_plot_series series[MOST_FIGURES];
    bool good = x && sorted && y && order;
    if (good) {
        find_values(d, 0, x);
        good = sort_values(x, d->run_count, order);
        for (size_t i = 0; good && i < runs; i++) sorted[i] = x[order[i]];
    }
    for (int f = 0; good && f < p->figure_count; f++) {
        double *of_figure = y + (size_t)f * runs;
        for (size_t i = 0; i < runs; i++) of_figure[i] = p->values[(size_t)f * runs + (size_t)order[i]];
        series[f] = (trm_plot_series){NULL, sorted, of_figure, d->run_count};
        plots[f] = (trm_plot){.title = f == 0 ? p->plan->line->words[0] : NULL,
                              .x = {d->variations[0].name, d->variations[0].logarithmic},
                              .y = {p->names[f], false},
                              .series = &series[f],
                              .series_count = 1};
    }
    good = good && trm_write_plots_svg(plots, p->figure_count, sink);
    free(x);
    free(sorted);
    free(y);
    free(order);
    return good;
}

/* Values of a list in increasing order. */
typedef struct grid_axis {
    double *values;
    int *place; /* of the k-th value of the variation in the sorted list */
} grid_axis;

static bool sort_axis(const variation *v, grid_axis *axis)
{
    int *order = calloc((size_t)v->count, sizeof *order);
    axis->values = calloc((size_t)v->count, sizeof *axis->values);
    axis->place = calloc((size_t)v->count, sizeof *axis->place);
    const bool good = order && axis->values && axis->place && sort_values(v->values, v->count, order);
    for (int i = 0; good && i < v->count; i++) axis->values[i] = v->values[order[i]], axis->place[order[i]] = i;
    free(order);
    return good;
}

/* Draws figures over two constants: the first along x, the second along y. */
static bool write_maps(const sweep_plot *p, trm_sink sink)
{
    const design *d = &p->plan->design;
    const bool grid = !d->drawn;
    const size_t runs = (size_t)d->run_count;
    const int y_count = grid ? d->variations[1].count : 0;
    grid_axis axes[2] = {{0}};
    double *values = malloc((size_t)p->figure_count * runs * sizeof *values);
    trm_plot_map maps[MOST_FIGURES];
    bool good = values != NULL;
    for (int k = 0; good && k < 2; k++) {
        if (grid)
            good = sort_axis(&d->variations[k], &axes[k]);
        else if ((axes[k].values = malloc(runs * sizeof *axes[k].values)) != NULL)
            find_values(d, k, axes[k].values);
        else
            good = false;
    }
    for (int f = 0; good && f < p->figure_count; f++) {
        double *of_figure = values + (size_t)f * runs;
        for (int i = 0; i < d->run_count; i++) {
            const int at = grid ? axes[0].place[i / y_count] * y_count + axes[1].place[i % y_count] : i;
            of_figure[at] = p->values[(size_t)f * runs + (size_t)i];
        }
        maps[f] = (trm_plot_map){.title = p->names[f],
                                 .x = {d->variations[0].name, d->variations[0].logarithmic},
                                 .y = {d->variations[1].name, d->variations[1].logarithmic},
                                 .xs = axes[0].values,
                                 .ys = axes[1].values,
                                 .x_count = grid ? d->variations[0].count : d->run_count,
                                 .y_count = y_count,
                                 .values = of_figure};
    }
    good = good && trm_write_maps_svg(maps, p->figure_count, sink);
    for (int k = 0; k < 2; k++) free(axes[k].values), free(axes[k].place);
    free(values);
    return good;
}

bool write_sweep_plot(const sweep_plot *p, const char *path)
{
    output o = {0};
    if (!output_open(&o, "sweep", path, "wb")) return false;
    const trm_sink sink = trm_file_sink(o.file);
    output_check(&o, p->plan->design.variation_count == 1 ? write_curves(p, sink) : write_maps(p, sink));
    return output_close(&o, "sweep");
}
