/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The output of torture: models that fail, a table for users, a summary for programs. */

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "torture.h"

static const char *const verdict_names[VERDICTS] = {"holds", "fails", "not_told", "crashed", "hung"};

/* ---- Models that fail --------------------------------------------------------------------- */

static bool write_mesh(const char *path, const trm_shape_def *shape)
{
    FILE *file = fopen(path, "w");
    if (!file) return false;
    for (int i = 0; i < shape->point_count; i++)
        fprintf(file, "v %.17g %.17g %.17g\n", shape->points[i].x, shape->points[i].y, shape->points[i].z);
    for (int i = 0; i < shape->triangle_count; i++)
        fprintf(file, "f %d %d %d\n", shape->triangles[i][0] + 1, shape->triangles[i][1] + 1,
                shape->triangles[i][2] + 1);
    return fclose(file) == 0;
}

/* Writes meshes to files next to the model. */
static bool write_meshes(const char *folder, const char *stem, trm_model_def *def)
{
    bool written = true;
    for (int i = 0; i < def->body_count; i++) {
        trm_shape_def *shapes =
            (trm_shape_def *)def->bodies[i].shapes; /* machine_build made them for this definition only */
        for (int k = 0; k < def->bodies[i].shape_count; k++) {
            if (strcmp(shapes[k].type, "mesh") != 0) continue;
            const char *name = trm_arena_format(def->arena, "%s-%s.obj", stem, def->bodies[i].name);
            const char *path = trm_arena_format(def->arena, "%s/%s", folder, name);
            written = written && name && path && write_mesh(path, &shapes[k]);
            shapes[k].file = name;
        }
    }
    return written;
}

static const char *check_name(const failure *f)
{
    return f->check == OF_NONE ? "drawn" : all_checks[f->check]->name;
}

bool write_failure(const char *folder, const subject *s, failure *f)
{
    char stem[120];
    const view v = view_plain(s->m);
    trm_model_def *def = machine_build(s->m, &v, &s->r);
    if (!def) return false;
    snprintf(stem, sizeof stem, "%s-%s-%llu", all_families[f->family]->name, check_name(f),
             (unsigned long long)f->number);
    snprintf(f->file, sizeof f->file, "%s/%s.json", folder, stem);
    FILE *file = write_meshes(folder, stem, def) ? fopen(f->file, "w") : NULL;
    if (file) fprintf(file, "// trammel run %s.json %s: %s\n", stem, f->finding.options, f->finding.text);
    if (file && f->check != OF_NONE)
        fprintf(file, "// what is right: %s; torture --family %s --check %s --machine %llu\n",
                all_checks[f->check]->claim, all_families[f->family]->name, check_name(f),
                (unsigned long long)f->number);
    bool written = file && trm_write_model(def, trm_file_sink(file)) == TRM_OK;
    if (file && fclose(file) != 0) written = false;
    if (!written) f->file[0] = '\0';
    trm_model_def_destroy(def);
    return written;
}

/* ---- The table ---------------------------------------------------------------------------- */

static void print_family(const totals *t, int index, FILE *to)
{
    fprintf(to, "%-10s %6ld ", all_families[index]->name, t->machines[index]);
    for (int c = 0; all_checks[c]; c++) {
        const long *n = t->tallies[index][c].counts;
        const long bad = n[FAILS] + n[CRASHED] + n[HUNG];
        char cell[40];
        snprintf(cell, sizeof cell, "%ld/%ld", bad, bad + n[HOLDS]);
        fprintf(to, " %9s", cell);
    }
    fprintf(to, "\n");
}

/* Prints seconds of processor time per machine, to show where a run spends its time. */
static void print_seconds(const totals *t, FILE *to)
{
    fprintf(to, "seconds of the processor per machine\n");
    for (int f = 0; all_families[f]; f++) {
        if (t->machines[f] == 0) continue;
        double sum = 0;
        for (int c = 0; all_checks[c]; c++) sum += t->tallies[f][c].seconds;
        fprintf(to, "%-10s %6.2f ", all_families[f]->name, sum / (double)t->machines[f]);
        for (int c = 0; all_checks[c]; c++) fprintf(to, " %9.3f", t->tallies[f][c].seconds / (double)t->machines[f]);
        fprintf(to, "\n");
    }
}

static const char *const score_names[SCORES] = {"order 2",
                                                "order 4",
                                                "order 6",
                                                "order 8",
                                                "methods agree",
                                                "methods resolve",
                                                "good runs are right",
                                                "right runs are not bad"};

static share sum_shares(const totals *t, int of)
{
    share sum = {0, 0};
    for (int f = 0; all_families[f]; f++) {
        sum.hold += t->shares[f][of].hold;
        sum.all += t->shares[f][of].all;
    }
    return sum;
}

static void print_share(const char *name, share s, FILE *to)
{
    if (s.all > 0)
        fprintf(to, "%-24s %7ld of %7ld  %6.2f %%\n", name, s.hold, s.all, 100.0 * (double)s.hold / (double)s.all);
}

static long machines_of(const totals *t)
{
    long sum = 0;
    for (int f = 0; all_families[f]; f++) sum += t->machines[f];
    return sum;
}

void print_totals(const totals *t, FILE *to)
{
    fprintf(to, "seed %llu and %d more, %ld machines, %.0f s; failures/told of each invariant\n%-10s %6s ",
            (unsigned long long)t->seed, t->seeds - 1, machines_of(t), t->seconds, "family", "drawn");
    for (int c = 0; all_checks[c]; c++) fprintf(to, " %9s", all_checks[c]->name);
    fprintf(to, "\n");
    for (int f = 0; all_families[f]; f++)
        if (t->machines[f] > 0) print_family(t, f, to);
    print_seconds(t, to);
    for (int i = 0; i < SCORES; i++) print_share(score_names[i], sum_shares(t, i), to);
    fprintf(to, "%ld failures\n", t->failure_total);
    for (int i = 0; i < t->failure_count; i++) {
        const failure *f = &t->failures[i];
        fprintf(to, "%s %s %llu: %s%s%s\n", all_families[f->family]->name, check_name(f),
                (unsigned long long)f->number, f->finding.text, f->file[0] ? ": " : "", f->file);
    }
}

/* ---- Resuming ----------------------------------------------------------------------------- */

bool write_state(const char *folder, const totals *t)
{
    char path[300], next[310];
    snprintf(path, sizeof path, "%s/state", folder);
    snprintf(next, sizeof next, "%s.next", path);
    FILE *file = fopen(next, "w");
    const bool written = file && fwrite(t, sizeof *t, 1, file) == 1;
    return file && fclose(file) == 0 && written && rename(next, path) == 0;
}

bool read_state(const char *folder, totals *t)
{
    char path[300];
    snprintf(path, sizeof path, "%s/state", folder);
    FILE *file = fopen(path, "r");
    totals *read = calloc(1, sizeof *read);
    const bool fits =
        file && read && fread(read, sizeof *read, 1, file) == 1 && read->seed == t->seed && read->seeds == t->seeds;
    if (fits) *t = *read;
    if (file) fclose(file);
    free(read);
    return fits;
}

/* ---- The summary -------------------------------------------------------------------------- */

static void put_family(trm_json_writer *w, const totals *t, int index)
{
    trm_json_open_object(w, all_families[index]->name);
    trm_json_put_integer(w, "machines", t->machines[index]);
    for (int c = 0; all_checks[c]; c++) {
        trm_json_open_object_flat(w, all_checks[c]->name);
        for (int v = 0; v < VERDICTS; v++) trm_json_put_integer(w, verdict_names[v], t->tallies[index][c].counts[v]);
        trm_json_put_number(w, "seconds", t->tallies[index][c].seconds);
        trm_json_close(w);
    }
    for (int i = 0; i < SCORES; i++) {
        const share *s = &t->shares[index][i];
        if (s->all == 0) continue;
        trm_json_open_object_flat(w, score_names[i]);
        trm_json_put_integer(w, "hold", s->hold);
        trm_json_put_integer(w, "all", s->all);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void put_failure(trm_json_writer *w, const failure *f)
{
    trm_json_open_object(w, NULL);
    trm_json_put_text(w, "family", all_families[f->family]->name);
    trm_json_put_text(w, "check", check_name(f));
    trm_json_put_integer(w, "machine", (long long)f->number);
    trm_json_put_text(w, "verdict", verdict_names[f->finding.verdict]);
    trm_json_put_number(w, "value", f->finding.value);
    trm_json_put_number(w, "bound", f->finding.bound);
    trm_json_put_text(w, "text", f->finding.text);
    trm_json_put_text(w, "file", f->file[0] ? f->file : NULL);
    trm_json_close(w);
}

bool write_summary(const char *path, const totals *t)
{
    FILE *file = fopen(path, "w");
    if (!file) return false;
    trm_json_writer w = trm_json_begin(trm_file_sink(file));
    trm_json_open_object(&w, NULL);
    trm_json_put_integer(&w, "seed", (long long)t->seed);
    trm_json_put_integer(&w, "seeds", t->seeds);
    trm_json_put_integer(&w, "machines", machines_of(t));
    trm_json_put_number(&w, "seconds", t->seconds);
    trm_json_put_integer(&w, "failures", t->failure_total);
    trm_json_open_object(&w, "families");
    for (int f = 0; all_families[f]; f++) put_family(&w, t, f);
    trm_json_close(&w);
    trm_json_open_array(&w, "list");
    for (int i = 0; i < t->failure_count; i++) put_failure(&w, &t->failures[i]);
    trm_json_close(&w);
    trm_json_close(&w);
    const bool written = trm_json_end(&w);
    return fclose(file) == 0 && written;
}
