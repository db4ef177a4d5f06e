/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Work-precision plots: one line per variant through its rows. Lines nearer to the lower left corner are better. */

#include "pictures.h"

#include <math.h>
#include <sys/stat.h>

#include "errors.h"
#include "trammel/app.h"
#include "trammel/io.h"

static const char *error_label(const scene_kind *kind)
{
    switch ((scene_error)kind->error) {
    case ERROR_FREE: return "largest relative error of energy and angular momentum";
    case ERROR_PERIOD: return "error of the period, s";
    case ERROR_POSITION: return "largest error of a position after 1 s, m";
    case ERROR_ENERGY: break;
    }
    return "mean energy error, J";
}

typedef struct curves {
    double time[MOST_ROWS], error[MOST_ROWS];
    char names[MOST_ROWS][80];
    trm_plot_series series[MOST_ROWS];
    int count;
} curves;

/* Collects rows that differ only in the step into one series. */
static void gather(const table *t, const scene_kind *kind, curves *c)
{
    c->count = 0;
    for (int i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        const bool known = is_good(r);
        c->time[i] = known ? r->s_per_simulated_s : NAN;
        c->error[i] = known ? main_error(r, kind) : NAN;
        if (i == 0 || !is_of(r, r[-1].peer, r[-1].variant)) {
            snprintf(c->names[c->count], sizeof *c->names, "%s %s", r->peer, r->variant);
            c->series[c->count] = (trm_plot_series){c->names[c->count], &c->time[i], &c->error[i], 0};
            c->count++;
        }
        c->series[c->count - 1].count++;
    }
}

/* Removes series without points, which would only have a legend. */
static void drop_empty(curves *c)
{
    int kept = 0;
    for (int i = 0; i < c->count; i++) {
        bool seen = false;
        for (int k = 0; k < c->series[i].count; k++) seen = seen || isfinite(c->series[i].y[k]);
        if (seen) c->series[kept++] = c->series[i];
    }
    c->count = kept;
}

static bool draw(const char *path, const scene_kind *kind, const table *t)
{
    static curves c;
    gather(t, kind, &c);
    drop_empty(&c);
    const trm_plot plot = {.title = kind->title,
                           .x = {"processor time per simulated second, s", true},
                           .y = {error_label(kind), true},
                           .series = c.series,
                           .series_count = c.count};
    FILE *file = fopen(path, "w");
    const bool good = file && trm_write_plot_svg(&plot, trm_file_sink(file));
    return file && fclose(file) == 0 && good;
}

bool draw_smooth(FILE *file, const char *docs, const scene_kind *kind, const table *t)
{
    char path[500];
    if (kind->ours_only) return true;
    snprintf(path, sizeof path, "%s/benchmarks", docs);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/benchmarks/%s.svg", docs, kind->name);
    fprintf(file, "![%s: error over time](benchmarks/%s.svg)\n\n", kind->title, kind->name);
    return draw(path, kind, t);
}
