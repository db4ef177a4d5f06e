/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The report of the bench. Remarks written by hand are in remarks/SCENE.md and remarks/benchmarks.md. */

#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "claims.h"
#include "peers/peers.h"
#include "trammel/io.h"

static void write_engines(FILE *file)
{
    static const peer *const lists[] = {
#define PEERS(name, package) name##_peers,
#include "peers/list.h"
#undef PEERS
    };
    fprintf(file, "| engine | version | variant | how it was set |\n|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (const peer *p = lists[i]; p->name; p++)
            fprintf(file, "| %s | %s | %s | %s |\n", p->name, p->version(), p->variant, p->note);
}

/* ---- Pictures ----------------------------------------------------------------------------- */

static const char *error_label(scene_error kind)
{
    switch (kind) {
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

/* Rows that differ in the step only become one series. */
static void gather(const table *t, scene_error kind, curves *c)
{
    c->count = 0;
    for (int i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        const bool known = is_good(r);
        c->time[i] = known ? r->s_per_simulated_s : NAN;
        c->error[i] = known ? main_error(r, kind) : NAN;
        if (i == 0 || strcmp(r->peer, r[-1].peer) != 0 || strcmp(r->variant, r[-1].variant) != 0) {
            snprintf(c->names[c->count], sizeof *c->names, "%s %s", r->peer, r->variant);
            c->series[c->count] = (trm_plot_series){c->names[c->count], &c->time[i], &c->error[i], 0};
            c->count++;
        }
        c->series[c->count - 1].count++;
    }
}

/* A legend without a line helps nobody. */
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

static bool draw(const char *docs, const scene_kind *kind, const table *t)
{
    static curves c;
    char path[500];
    gather(t, kind->error, &c);
    drop_empty(&c);
    const trm_plot plot = {.title = kind->title,
                           .x = {"processor time per simulated second, s", true},
                           .y = {error_label(kind->error), true},
                           .series = c.series,
                           .series_count = c.count};
    snprintf(path, sizeof path, "%s/benchmarks/%s.svg", docs, kind->name);
    FILE *file = fopen(path, "w");
    const bool good = file && trm_write_plot_svg(&plot, trm_file_sink(file));
    return file && fclose(file) == 0 && good;
}

/* ---- Text --------------------------------------------------------------------------------- */

static void include_remarks(FILE *file, const char *name)
{
    char path[500], line[1000];
    snprintf(path, sizeof path, "%s/%s.md", BENCH_REMARKS, name);
    FILE *remarks = fopen(path, "r");
    while (remarks && fgets(line, sizeof line, remarks)) fputs(line, file);
    if (remarks) fprintf(file, "\n");
    if (remarks) fclose(remarks);
}

static void put_number(FILE *file, const char *form, double value)
{
    if (isnan(value))
        fprintf(file, " |");
    else
        fprintf(file, form, value);
}

static const char *last_column(scene_error kind)
{
    switch (kind) {
    case ERROR_FREE: return " angular momentum |";
    case ERROR_PERIOD: return " period, s |";
    case ERROR_POSITION: return " position, m |";
    case ERROR_ENERGY: break;
    }
    return "";
}

static void write_text_row(FILE *file, const row *r, scene_error kind)
{
    const errors *e = &r->errors;
    fprintf(file, "| %s | %s | %g |", r->peer, r->variant, r->h);
    if (!is_good(r)) {
        put_number(file, " %.3g |", r->us_per_step);
        put_number(file, " %.3g |", r->s_per_simulated_s);
        fprintf(file, " %s |\n", r->status);
        return;
    }
    fprintf(file, " %.3g | %.3g | %.1e | %.1e |", r->us_per_step, r->s_per_simulated_s, e->energy_mean,
            e->energy_max);
    put_number(file, " %.1e |", e->gap);
    if (kind == ERROR_FREE) put_number(file, " %.1e |", e->angular_momentum);
    if (kind == ERROR_PERIOD) put_number(file, " %.1e |", e->period);
    if (kind == ERROR_POSITION) put_number(file, " %.1e |", e->position);
    fprintf(file, "\n");
}

static void write_scene(FILE *file, const scene_kind *kind, const table *t)
{
    fprintf(file, "## %s\n\n%s Simulated for %g s; measured %s.\n\n", kind->title, kind->about, kind->time, t->about);
    include_remarks(file, kind->name);
    if (!kind->ours_only) fprintf(file, "![%s: error over time](benchmarks/%s.svg)\n\n", kind->title, kind->name);
    fprintf(file,
            "| engine | variant | h, s | us per step | s per simulated s | energy, mean | energy, max | gap, m |%s\n",
            last_column(kind->error));
    fprintf(file, "|---|---|---|---|---|---|---|---|%s\n", kind->error == ERROR_ENERGY ? "" : "---|");
    for (int i = 0; i < t->count; i++) write_text_row(file, &t->rows[i], kind->error);
    fprintf(file, "\n");
}

static void write_head(FILE *file, const char *folder)
{
    fprintf(
        file,
        "# Benchmarks\n\n"
        "Written by `make bench` (bench/smooth); do not edit. Remarks by hand are kept in bench/smooth/remarks.\n\n"
        "Every engine gets the same bodies and joints through its own interface. Time is the process's per step, at "
        "best of three runs (six in scenes of few bodies) on one thread, without creation, the first step and "
        "reading; runs of more than a second "
        "are timed by their beginning. Errors come from one more run, read every 0.01 s: energy from poses and "
        "velocities against the start, in joule unless said otherwise; gap is the largest distance between the two "
        "images of a joint's anchor. Other load on the machine changes times, so compare rows of one table.\n\n");
    include_remarks(file, "benchmarks");
    fprintf(file, "## Engines\n\n");
    write_engines(file);
    fprintf(file, "\n## Wanted and reached\n\n");
    write_claims(file, folder);
    fprintf(file, "\n");
}

bool write_report(const char *folder, const char *docs)
{
    static table t;
    char path[500];
    snprintf(path, sizeof path, "%s/benchmarks", docs);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/benchmarks.md", docs);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return false;
    }
    bool good = true;
    write_head(file, folder);
    for (int i = 0; scene_kind_at(i); i++) {
        const scene_kind *kind = scene_kind_at(i);
        if (!read_table(folder, kind->name, &t)) continue;
        write_scene(file, kind, &t);
        if (!kind->ours_only) good = draw(docs, kind, &t) && good;
    }
    return fclose(file) == 0 && good;
}
