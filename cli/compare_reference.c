/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Where a result file of trammel run (docs/results.md) has the bodies at one time: # comments, a header row, rows of
 * numbers. Only the columns t and NAME.x .y .z are asked for; others may be there. */

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

/* Of a time: rows are at k DT as double arithmetic gives it, so 3 * 0.1 s is the end of a run of 0.3 s. */
static const double TIME_ROUNDING = 1e-12;

typedef struct table {
    const char *path;
    FILE *file;
    char *line;
    size_t room;
    int number; /* of the line */
    int column_count, time_column;
    int (*columns)[3]; /* per body, of x, y, z; -1: not there */
    double *values;    /* of a row */
} table;

static bool complain(const table *t, const char *format, ...) TRM_PRINTF(2, 3);

static bool complain(const table *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: error: ", t->path, t->number);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    return false;
}

/* The next line that is neither empty nor a comment, without its end. */
static bool next_line(table *t)
{
    while (getline(&t->line, &t->room, t->file) >= 0) {
        t->number++;
        t->line[strcspn(t->line, "\r\n")] = 0;
        if (t->line[0] && t->line[0] != '#') return true;
    }
    return false;
}

/* ---- The header --------------------------------------------------------------------------- */

/* Notes a column NAME.x, NAME.y or NAME.z of a body. */
static void note_column(table *t, const trm_model *model, char *name, int column)
{
    char *dot = strrchr(name, '.');
    if (strcmp(name, "t") == 0) t->time_column = column;
    if (!dot || !dot[1] || dot[2] || dot[1] < 'x' || dot[1] > 'z') return;
    const int part = dot[1] - 'x';
    *dot = 0;
    const int body = trm_find_body(model, name);
    if (body >= 0) t->columns[body][part] = column;
}

static bool read_header(table *t, const trm_model *model)
{
    if (!next_line(t))
        return complain(t, "the file has no header row; it should be one that trammel run --out wrote");
    for (char *name = strtok(t->line, ","); name; name = strtok(NULL, ","))
        note_column(t, model, name, t->column_count++);
    if (t->time_column < 0) return complain(t, "the header row has no column t");
    t->values = calloc((size_t)t->column_count, sizeof *t->values);
    return t->values || complain(t, "out of memory");
}

static bool has_columns(const table *t, int body)
{
    return t->columns[body][0] >= 0 && t->columns[body][1] >= 0 && t->columns[body][2] >= 0;
}

/* At least one body must be there. */
static bool choose_bodies(const table *t, const trm_model *model, reference *r)
{
    bool any = false;
    for (int i = 0; i < trm_body_count(model); i++) any = (r->known[i] = has_columns(t, i)) || any;
    return any || complain(t, "no body of the model has its columns NAME.x, NAME.y and NAME.z here");
}

/* ---- The rows ----------------------------------------------------------------------------- */

static bool read_row(table *t)
{
    char *next = t->line;
    for (int i = 0; i < t->column_count; i++) {
        char *end;
        t->values[i] = strtod(next, &end);
        const char wanted = i + 1 < t->column_count ? ',' : 0;
        if (end == next || *end != wanted)
            return complain(t, "column %d is no number, or the row has not as many as the header, %d", i + 1,
                            t->column_count);
        next = end + 1;
    }
    return true;
}

static bool find_row(table *t, double time)
{
    double last = NAN;
    while (next_line(t)) {
        if (!read_row(t)) return false;
        last = t->values[t->time_column];
        if (fabs(last - time) <= TIME_ROUNDING * time) return true;
    }
    if (ferror(t->file)) return complain(t, "the file cannot be read: %s", strerror(errno));
    if (isnan(last)) return complain(t, "the file has no rows");
    return complain(t, "no row is at t = %g s, where the runs end; the last one is at t = %g s", time, last);
}

static bool take_places(const table *t, const trm_model *model, reference *r)
{
    for (int i = 0; i < trm_body_count(model); i++) {
        const int *columns = t->columns[i];
        if (!r->known[i]) continue;
        r->places[i] = trm_v3(t->values[columns[0]], t->values[columns[1]], t->values[columns[2]]);
        if (!isfinite(r->places[i].x + r->places[i].y + r->places[i].z))
            return complain(t, "the place of body '%s' is not finite", trm_body_info_of(model, i).name);
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
    if (!r->places || !r->known || !t->columns) return complain(t, "out of memory");
    for (size_t i = 0; i < bodies; i++) t->columns[i][0] = t->columns[i][1] = t->columns[i][2] = -1;
    t->file = fopen(t->path, "rb");
    if (t->file) return true;
    fprintf(stderr, "trammel compare: cannot read %s: %s\n", t->path, strerror(errno));
    return false;
}

bool read_reference(const trm_model *model, const char *file, double time, reference *r)
{
    table t = {.path = file, .time_column = -1};
    r->file = file;
    const bool good = prepare(&t, model, r) && read_header(&t, model) && choose_bodies(&t, model, r) &&
                      find_row(&t, time) && take_places(&t, model, r);
    if (t.file) fclose(t.file);
    free(t.line);
    free(t.columns);
    free(t.values);
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
