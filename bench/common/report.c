/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The report in Markdown: the description of the bench, the engines, the claims, and a section per scene. */

#include "common/report.h"

#include <math.h>

#include "common/peers/peers.h"

/* ---- Claims ------------------------------------------------------------------------------- */

void write_claim(FILE *file, const char *what, double value, bound kind, double limit)
{
    const bool holds = kind == AT_MOST ? value <= limit : value >= limit;
    fprintf(file, "| %s | %s %.3g | ", what, kind == AT_MOST ? "at most" : "at least", limit);
    if (isnan(value))
        fprintf(file, "not measured | |\n");
    else
        fprintf(file, "%.3g | %s |\n", value, holds ? "yes" : "**no**");
}

double cost_of(const row *r)
{
    return r ? r->us_per_step : NAN;
}

double figure_of(const row *r, int figure)
{
    return r ? r->figures[figure] : NAN;
}

static void write_claims(FILE *file, const bench *b, const char *folder)
{
    static table t;
    fprintf(file, "| what | wanted | measured | holds |\n|---|---|---|---|\n");
    for (const scene_kind *kind = b->kinds; kind->name; kind++)
        if (read_scene_table(b, folder, kind, &t)) b->claim(file, kind, &t);
}

/* ---- Tables ------------------------------------------------------------------------------- */

static void put_number(FILE *file, const char *form, double value)
{
    if (isnan(value))
        fprintf(file, " |");
    else
        fprintf(file, form, value);
}

static void write_text_head(FILE *file, const bench *b, const scene_kind *kind)
{
    int count = 5;
    fprintf(file, "| engine | variant | h, s | us per step | s per simulated s |");
    if (b->yardstick[0]) fprintf(file, " of %s's |", b->yardstick[0]), count++;
    for (int i = 0; b->columns[i].name; i++)
        if (is_shown(&b->columns[i], kind)) fprintf(file, " %s |", b->columns[i].title), count++;
    if (b->partial) fprintf(file, " remark |"), count++;
    fprintf(file, "\n|");
    for (int i = 0; i < count; i++) fprintf(file, "---|");
    fprintf(file, "\n");
}

static void write_text_row(FILE *file, const bench *b, const scene_kind *kind, const table *t, const row *r)
{
    fprintf(file, "| %s | %s | %g |", r->peer, r->variant, r->h);
    put_number(file, " %.3g |", r->us_per_step);
    put_number(file, " %.3g |", r->s_per_simulated_s);
    if (b->yardstick[0]) {
        const double unit = cost_of(find_row(t, b->yardstick[0], b->yardstick[1], r->h));
        put_number(file, " %.2f |", is_good(r) ? r->us_per_step / unit : NAN);
    }
    for (int i = 0; b->columns[i].name && (b->partial || is_good(r)); i++)
        if (is_shown(&b->columns[i], kind)) put_number(file, " %.1e |", r->figures[i]);
    if (b->partial || !is_good(r)) fprintf(file, " %s |", is_good(r) ? "" : r->status);
    fprintf(file, "\n");
}

/* Short tables are printed in full. Of a long table the page has the rows of one middle step, and a link to the
 * others. */
enum { SHORT_TABLE = 24 };

static double middle_step(const scene_kind *kind)
{
    int count = 0;
    while (count < MOST_STEPS && kind->steps[count] > 0) count++;
    return kind->steps[count / 2];
}

static void write_text_table(FILE *file, const bench *b, const scene_kind *kind, const table *t)
{
    const bool whole = t->count <= SHORT_TABLE;
    if (!whole)
        fprintf(file, "With h = %g s; the rows of all steps: [%s%s.csv](../bench/results/%s%s.csv).\n\n",
                middle_step(kind), b->prefix, kind->name, b->prefix, kind->name);
    write_text_head(file, b, kind);
    for (int i = 0; i < t->count; i++)
        if (whole || t->rows[i].h == middle_step(kind)) write_text_row(file, b, kind, t, &t->rows[i]);
    fprintf(file, "\n");
}

/* ---- The page ----------------------------------------------------------------------------- */

static void include_remarks(FILE *file, const bench *b, const char *name)
{
    char path[500], line[1000];
    snprintf(path, sizeof path, "%s/%s.md", b->remarks, name);
    FILE *remarks = fopen(path, "r");
    while (remarks && fgets(line, sizeof line, remarks)) fputs(line, file);
    if (remarks) fprintf(file, "\n");
    if (remarks) fclose(remarks);
}

static void write_engines(FILE *file)
{
    fprintf(file, "| engine | version | variant | how it was set |\n|---|---|---|---|\n");
    for (int i = 0; all_peers[i]; i++)
        for (const peer *p = all_peers[i]; p->name; p++)
            fprintf(file, "| %s | %s | %s | %s |\n", p->name, p->version(), p->variant, p->note);
}

static void write_head(FILE *file, const bench *b, const char *folder)
{
    fprintf(file, "%s\n\n", b->head);
    include_remarks(file, b, b->page);
    fprintf(file, "## Engines\n\n");
    write_engines(file);
    fprintf(file, "\n## Wanted and reached\n\n");
    write_claims(file, b, folder);
    fprintf(file, "\n");
}

static bool write_scene(FILE *file, const bench *b, const char *docs, const scene_kind *kind, const table *t)
{
    fprintf(file, "## %s\n\n%s Simulated for %g s; measured %s.\n\n", kind->title, kind->about, kind->time, t->about);
    include_remarks(file, b, kind->name);
    const bool good = !b->illustrate || b->illustrate(file, docs, kind, t);
    write_text_table(file, b, kind, t);
    return good;
}

bool write_report(const bench *b, const char *folder, const char *docs)
{
    static table t;
    char path[500];
    snprintf(path, sizeof path, "%s/%s.md", docs, b->page);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return false;
    }
    bool good = true;
    write_head(file, b, folder);
    for (const scene_kind *kind = b->kinds; kind->name; kind++)
        if (read_scene_table(b, folder, kind, &t)) good = write_scene(file, b, docs, kind, &t) && good;
    return fclose(file) == 0 && good;
}
