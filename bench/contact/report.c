/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The report of the bench. Remarks written by hand are in remarks/SCENE.md and remarks/contact-benchmarks.md. */

#include "report.h"

#include <math.h>
#include <stdio.h>

#include "claims.h"
#include "peers/peers.h"

const char *error_label(scene_error kind)
{
    switch (kind) {
    case ERROR_CREEP: return "creep, m";
    case ERROR_SLIDE: return "way, relative";
    case ERROR_APEX: return "apexes, relative";
    case ERROR_TOP: return "top moved, m";
    case ERROR_NONE: break;
    }
    return "";
}

static void include_remarks(FILE *file, const char *name)
{
    char path[500], line[1000];
    snprintf(path, sizeof path, "%s/%s.md", BENCH_REMARKS, name);
    FILE *remarks = fopen(path, "r");
    while (remarks && fgets(line, sizeof line, remarks)) fputs(line, file);
    if (remarks) fprintf(file, "\n");
    if (remarks) fclose(remarks);
}

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

static void put_number(FILE *file, const char *form, double value)
{
    if (isnan(value))
        fprintf(file, " |");
    else
        fprintf(file, form, value);
}

static bool comes_to_rest(const scene_kind *kind)
{
    return kind->time >= rest_times[REST_TIMES - 1];
}

static void write_text_row(FILE *file, const row *r, const scene_kind *kind, const row *yardstick)
{
    const figures *f = &r->figures;
    fprintf(file, "| %s | %s |", r->peer, r->variant);
    put_number(file, r->us_per_step < 1000 ? " %.3g |" : " %.0f |", r->us_per_step);
    put_number(file, " %.2f |", yardstick && is_good(r) ? r->us_per_step / yardstick->us_per_step : NAN);
    if (kind->error != ERROR_NONE) put_number(file, " %.1e |", f->error);
    put_number(file, " %.1e |", f->penetration);
    put_number(file, " %.1e |", f->penetration_end);
    for (int i = 0; i < REST_TIMES && comes_to_rest(kind); i++) put_number(file, " %.1e |", f->v_rms[i]);
    fprintf(file, " %s |\n", is_good(r) ? "" : r->status);
}

static void write_text_head(FILE *file, const scene_kind *kind)
{
    int columns = 7;
    fprintf(file, "| engine | variant | us per step | of Bullet's |");
    if (kind->error != ERROR_NONE) fprintf(file, " %s |", error_label(kind->error)), columns++;
    fprintf(file, " penetration, m | at the end, m |");
    for (int i = 0; i < REST_TIMES && comes_to_rest(kind); i++)
        fprintf(file, " v_rms at %g s, m/s |", rest_times[i]), columns++;
    fprintf(file, " remark |\n|");
    for (int i = 0; i < columns; i++) fprintf(file, "---|");
    fprintf(file, "\n");
}

static void write_scene(FILE *file, const scene_kind *kind, const table *t)
{
    fprintf(file, "## %s\n\n%s Simulated for %g s; measured %s.\n\n", kind->title, kind->about, kind->time, t->about);
    include_remarks(file, kind->name);
    write_text_head(file, kind);
    for (int i = 0; i < t->count; i++) write_text_row(file, &t->rows[i], kind, find_yardstick(t));
    fprintf(file, "\n");
}

static void write_head(FILE *file, const char *folder)
{
    fprintf(
        file,
        "# Benchmarks of contact\n\n"
        "Written by `make bench` (bench/contact); do not edit. Remarks by hand are kept in "
        "bench/contact/remarks. Scenes without contact are in [benchmarks](benchmarks.md).\n\n"
        "Every engine gets the same bodies through its own interface, h = 1/240 s, mu = 0.5, one thread, no body "
        "is put to sleep. Time is the process's per step over the whole run, at best of several runs. Penetration "
        "is the deepest of any pair of bodies or body and ground that was seen (every step; with 1000 boxes every "
        "fourth), by separating axes from the poses that the engine gives, in the same way for all. v_rms is "
        "the root of the mean square speed of all bodies: motion left. Where an engine was stopped, figures are "
        "those until then. Other load on the machine changes times, so compare rows of one table.\n\n");
    include_remarks(file, "contact-benchmarks");
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
    snprintf(path, sizeof path, "%s/contact-benchmarks.md", docs);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return false;
    }
    write_head(file, folder);
    for (int i = 0; scene_kind_at(i); i++)
        if (read_table(folder, scene_kind_at(i)->name, &t)) write_scene(file, scene_kind_at(i), &t);
    return fclose(file) == 0;
}
