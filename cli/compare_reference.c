/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Where a result file of trammel run (docs/results.md) has the bodies at one time: # comments, a header row, rows of
 * numbers. Only the columns t and NAME.x .y .z are asked for; others may be there. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "result_file.h"

/* Of a time: rows are at k DT as double arithmetic gives it, so 3 * 0.1 s is the end of a run of 0.3 s. */
static const double TIME_ROUNDING = 1e-12;

typedef struct table {
    result_file results;
    int (*columns)[3]; /* per body, of x, y, z; -1: not there */
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
    return any || complain_of(&t->results, "no body of the model has its columns NAME.x, NAME.y and NAME.z here");
}

/* ---- The rows ----------------------------------------------------------------------------- */

static bool find_row(table *t, double time)
{
    double last = NAN;
    while (next_row(&t->results)) {
        last = t->results.values[t->results.time_column];
        if (fabs(last - time) <= TIME_ROUNDING * time) return true;
    }
    if (t->results.failed) return false;
    if (isnan(last)) return complain_of(&t->results, "the file has no rows");
    return complain_of(&t->results, "no row is at t = %g s, where the runs end; the last one is at t = %g s", time,
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
            return complain_of(&t->results, "the place of body '%s' is not finite", trm_body_info_of(model, i).name);
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
    if (!r->places || !r->known || !t->columns) return complain_of(&t->results, "out of memory");
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

bool is_left_out(const trm_model *model, const reference *r, int body)
{
    const bool moves = body > 0 && trm_body_info_of(model, body).kind != TRM_BODY_FIXED;
    return r->file && moves && !r->known[body];
}
