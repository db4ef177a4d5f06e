/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A plot of a run. Each column is a line. Lines with the same unit share a frame, and frames are stacked. A line has
 * at most MOST_POINTS points, for a run of any length: when it is full, the lowest and the highest of each four
 * successive points are kept. */

#include "run_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LINES = 56, /* more cannot be distinguished by colour and marker */
    MOST_POINTS = 1 << 15,
    FIRST_POINTS = 256,
};

typedef struct line {
    const char *name;
    const char *frame; /* text of its axis; lines with the same text share a frame */
    int column;        /* column of the results */
    double *t, *y;
    int count, room;
} line;

struct run_plot {
    trm_sim *sim;
    const trm_model *model;
    const trm_results *columns; /* NULL: the accuracy of the run is drawn, from `energies` */
    trm_results *energies;
    line lines[MOST_LINES];
    int line_count;
    char labels[MOST_LINES][160];
};

/* Lines of the accuracy of a run, in this order. */
enum { KINETIC, POTENTIAL, WORK, ENERGY_ERROR, GAP, GAP_ANGLE, ACCURACY_LINES };

/* ---- Lines -------------------------------------------------------------------------------- */

static void add_line(run_plot *p, const char *name, const char *frame, int column)
{
    p->lines[p->line_count++] = (line){.name = name, .frame = frame, .column = column};
}

/* Adds a column. The axis of a frame with a single line has the name of the line. */
static void add_column(run_plot *p, int column)
{
    const char *unit = trm_result_unit(p->columns, column), *name = trm_result_name(p->columns, column);
    int same = 0;
    for (int i = 0; i < trm_result_count(p->columns); i++) same += strcmp(trm_result_unit(p->columns, i), unit) == 0;
    char *label = p->labels[p->line_count];
    if (same > 1)
        snprintf(label, sizeof p->labels[0], "%s", unit[0] ? unit : "unit quaternion");
    else
        snprintf(label, sizeof p->labels[0], "%s%s%s", name, unit[0] ? ", " : "", unit);
    add_line(p, name, label, column);
}

static bool add_columns(run_plot *p)
{
    int wanted = 0;
    for (int i = 0; i < trm_result_count(p->columns); i++) wanted += strcmp(trm_result_name(p->columns, i), "t") != 0;
    if (wanted == 0 || wanted > MOST_LINES) {
        fprintf(stderr, "trammel run: --plot draws 1 to %d columns over t; --columns chooses %d\n", MOST_LINES,
                wanted);
        return false;
    }
    for (int i = 0; i < trm_result_count(p->columns); i++)
        if (strcmp(trm_result_name(p->columns, i), "t") != 0) add_column(p, i);
    return true;
}

static bool add_accuracy(run_plot *p, trm_messages *messages)
{
    if (trm_results_create(p->model, "E_kin,E_pot,W", NULL, messages, &p->energies) != TRM_OK) return false;
    add_line(p, "E_kin", "energy, J", KINETIC);
    add_line(p, "E_pot", "energy, J", POTENTIAL);
    add_line(p, "W", "energy, J", WORK);
    add_line(p, "E - E0 - W", "error of energy, J", ENERGY_ERROR);
    if (trm_joint_count(p->model) == 0) return true;
    add_line(p, "largest, m", "gap of joints", GAP);
    add_line(p, "largest, rad", "gap of joints", GAP_ANGLE);
    return true;
}

run_plot *run_plot_begin(trm_sim *sim, const trm_model *model, const trm_results *columns, trm_messages *messages)
{
    run_plot *p = calloc(1, sizeof *p);
    if (p) *p = (run_plot){.sim = sim, .model = model, .columns = columns};
    if (p && (columns ? add_columns(p) : add_accuracy(p, messages))) return p;
    run_plot_end(p);
    return NULL;
}

void run_plot_end(run_plot *plot)
{
    if (!plot) return;
    for (int i = 0; i < plot->line_count; i++) {
        free(plot->lines[i].t);
        free(plot->lines[i].y);
    }
    trm_results_destroy(plot->energies);
    free(plot);
}

/* ---- Points ------------------------------------------------------------------------------- */

/* Keeps the lowest and the highest of each four points, in the order of time. A point that is not a number replaces
 * them. */
static void thin(line *l)
{
    int kept = 0;
    for (int i = 0; i + 3 < l->count; i += 4) {
        int low = i, high = i;
        for (int k = i; k < i + 4; k++) {
            if (l->y[k] < l->y[low] || isnan(l->y[k])) low = k;
            if (l->y[k] > l->y[high]) high = k;
        }
        if (low == high) high = low == i ? i + 3 : i;
        const int chosen[2] = {low < high ? low : high, low < high ? high : low};
        for (int k = 0; k < 2; k++, kept++) {
            l->t[kept] = l->t[chosen[k]];
            l->y[kept] = l->y[chosen[k]];
        }
    }
    l->count = kept;
}

static bool add_point(line *l, double t, double y)
{
    if (l->count == MOST_POINTS) thin(l);
    if (l->count == l->room) {
        const int room = l->room ? 2 * l->room : FIRST_POINTS;
        double *longer = realloc(l->t, (size_t)room * sizeof *longer);
        if (longer) l->t = longer;
        double *higher = realloc(l->y, (size_t)room * sizeof *higher);
        if (higher) l->y = higher;
        if (!longer || !higher) return false;
        l->room = room;
    }
    l->t[l->count] = t;
    l->y[l->count++] = y;
    return true;
}

static void read_accuracy(const run_plot *p, const trm_state *state, double y[ACCURACY_LINES])
{
    for (int i = KINETIC; i <= WORK; i++) y[i] = trm_result_value(p->energies, i, state);
    y[ENERGY_ERROR] = y[KINETIC] + y[POTENTIAL] - y[WORK] - trm_sim_accuracy(p->sim).energy_start;
    y[GAP] = y[GAP_ANGLE] = 0;
    for (int i = 0; i < trm_joint_count(p->model); i++) {
        if (!trm_joint_attached(state, i)) continue;
        const trm_gap gap = trm_position_gap(state, i);
        y[GAP] = fmax(y[GAP], gap.position);
        y[GAP_ANGLE] = fmax(y[GAP_ANGLE], gap.angle);
    }
}

bool run_plot_add(run_plot *plot, const trm_state *state)
{
    const double t = trm_state_time(state);
    double accuracy[ACCURACY_LINES];
    bool good = true;
    if (!plot->columns) read_accuracy(plot, state, accuracy);
    for (int i = 0; i < plot->line_count; i++) {
        line *l = &plot->lines[i];
        const double y = plot->columns ? trm_result_value(plot->columns, l->column, state) : accuracy[l->column];
        good = add_point(l, t, y) && good;
    }
    return good;
}

/* ---- The picture -------------------------------------------------------------------------- */

/* Collects the lines that share the frame of a line, if no earlier line has that frame. Returns their number. */
static int gather_frame(const run_plot *p, int first, trm_plot_series *series)
{
    int count = 0;
    for (int i = 0; i < p->line_count; i++) {
        const line *l = &p->lines[i];
        if (strcmp(l->frame, p->lines[first].frame) != 0) continue;
        if (i < first) return 0;
        series[count++] = (trm_plot_series){l->name, l->t, l->y, l->count};
    }
    if (count == 1) series[0].name = NULL; /* the axis or the title has the name */
    return count;
}

bool run_plot_write(const run_plot *plot, const char *title, FILE *to)
{
    trm_plot frames[MOST_LINES];
    trm_plot_series series[MOST_LINES];
    int frame_count = 0, used = 0;
    for (int i = 0; i < plot->line_count; i++) {
        const int count = gather_frame(plot, i, series + used);
        if (count == 0) continue;
        frames[frame_count] = (trm_plot){.title = frame_count == 0 ? title : NULL,
                                         .x = {"t, s", false},
                                         .y = {plot->lines[i].frame, false},
                                         .series = series + used,
                                         .series_count = count};
        used += count;
        frame_count++;
    }
    return trm_write_plots_svg(frames, frame_count, trm_file_sink(to));
}
