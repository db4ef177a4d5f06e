/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reads positions of bodies from a result file of trammel run (docs/results.md): # comments, a header row, rows of
 * numbers. It reads only the columns t and NAME.x .y .z and ignores others. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "result_file.h"

/* Relative tolerance of times: rows are at k DT in double arithmetic, so 3 * 0.1 s matches the end of a run of 0.3
 * s. */
static const double TIME_ROUNDING = 1e-12;

typedef struct table {
    result_file results;
    int (*columns)[3]; /* per body, indices of x, y, z; -1: missing */
} table;

/* ---- The header --------------------------------------------------------------------------- */

/* Notes a column NAME.x, NAME.y or NAME.z of a body. */
static void note_column(table *t, const trm_model *model, int column)
{
    char *name = t->results.names[column], *dot = strrchr(name, '.');
    if (!dot || !dot[1] || dot[2] || dot[1] < 'x' || dot[1] > 'z') return;
    *dot = 0;
    const int body = trm_find_body(model, name);
    *dot = '.';
    if (body >= 0) t->columns[body][dot[1] - 'x'] = column;
}

static bool has_columns(const table *t, int body)
{
    return t->columns[body][0] >= 0 && t->columns[body][1] >= 0 && t->columns[body][2] >= 0;
}

/* At least one body must be there. */
static bool choose_bodies(table *t, const trm_model *model, reference *r)
{
    bool any = false;
    for (int i = 0; i < t->results.column_count; i++) note_column(t, model, i);
    for (int i = 0; i < trm_body_count(model); i++) any = (r->known[i] = has_columns(t, i)) || any;
    return any ||
           report_error(&t->results, "the file has the columns NAME.x, NAME.y and NAME.z of no body of the model");
}

/* ---- The rows ----------------------------------------------------------------------------- */

bool same_time(double a, double b)
{
    return fabs(a - b) <= TIME_ROUNDING * fmax(fabs(a), fabs(b));
}

static bool find_row(table *t, double time)
{
    double last = NAN;
    while (next_row(&t->results)) {
        last = t->results.values[t->results.time_column];
        if (same_time(last, time)) return true;
    }
    if (t->results.failed) return false;
    if (isnan(last)) return report_error(&t->results, "the file has no rows");
    return report_error(&t->results, "no row is at t = %g s, where the runs end; the last one is at t = %g s", time,
                        last);
}

static bool take_places(table *t, const trm_model *model, reference *r)
{
    const double *values = t->results.values;
    for (int i = 0; i < trm_body_count(model); i++) {
        const int *columns = t->columns[i];
        if (!r->known[i]) continue;
        r->places[i] = trm_v3(values[columns[0]], values[columns[1]], values[columns[2]]);
        if (!isfinite(r->places[i].x + r->places[i].y + r->places[i].z))
            return report_error(&t->results, "the position of body '%s' is not finite",
                                trm_body_info_of(model, i).name);
    }
    return true;
}

/* ---- The whole ---------------------------------------------------------------------------- */

static bool prepare(table *t, const trm_model *model, reference *r)
{
    const size_t bodies = (size_t)trm_body_count(model);
    r->places = calloc(bodies, sizeof *r->places);
    r->known = calloc(bodies, sizeof *r->known);
    t->columns = calloc(bodies, sizeof *t->columns);
    if (!r->places || !r->known || !t->columns) return report_error(&t->results, "out of memory");
    for (size_t i = 0; i < bodies; i++) t->columns[i][0] = t->columns[i][1] = t->columns[i][2] = -1;
    return open_results(&t->results, "compare", r->file);
}

bool read_reference(const trm_model *model, const char *file, double time, reference *r)
{
    table t = {.results = {.path = file}};
    r->file = file;
    const bool good =
        prepare(&t, model, r) && choose_bodies(&t, model, r) && find_row(&t, time) && take_places(&t, model, r);
    close_results(&t.results);
    free(t.columns);
    return good;
}

void free_reference(reference *r)
{
    free(r->places);
    free(r->known);
}

/* ---- All rows ----------------------------------------------------------------------------- */

trm_vec3 *extend_track(track *p, double time)
{
    const size_t count = (size_t)p->count + 1, bodies = (size_t)p->body_count;
    double *times = realloc(p->times, count * sizeof *times);
    if (times) p->times = times;
    trm_vec3 *places = times ? realloc(p->places, count * bodies * sizeof *places) : NULL;
    if (!places) return NULL;
    p->places = places;
    p->times[p->count] = time;
    return places + (size_t)p->count++ * bodies;
}

void free_track(track *p)
{
    free(p->times);
    free(p->places);
}

/* Bodies that the file does not contain are not compared. */
static bool keep_row(const table *t, track *p, double time)
{
    trm_vec3 *places = extend_track(p, time);
    for (int i = 0; places && i < p->body_count; i++) {
        const int *columns = t->columns[i];
        const double *v = t->results.values;
        places[i] = has_columns(t, i) ? trm_v3(v[columns[0]], v[columns[1]], v[columns[2]]) : trm_v3(0, 0, 0);
    }
    return places;
}

bool read_reference_track(const trm_model *model, const reference *r, double until,
                          bool (*wanted)(const void *context, double time), const void *context, track *p)
{
    reference again = {.file = r->file};
    table t = {.results = {.path = r->file}};
    bool good = prepare(&t, model, &again) && choose_bodies(&t, model, &again);
    double time = NAN;
    p->body_count = trm_body_count(model);
    while (good && !same_time(time, until) && next_row(&t.results)) {
        time = t.results.values[t.results.time_column];
        if (wanted(context, time) && !keep_row(&t, p, time)) good = report_error(&t.results, "out of memory");
    }
    const bool failed = t.results.failed;
    close_results(&t.results);
    free(t.columns);
    free_reference(&again);
    return good && !failed;
}

bool is_left_out(const trm_model *model, const reference *r, int body)
{
    const bool moves = body > 0 && trm_body_info_of(model, body).kind != TRM_BODY_FIXED;
    return r->file && moves && !r->known[body];
}
