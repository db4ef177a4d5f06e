/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The rows of a table, and the files that keep them. */

#ifndef TRM_BENCH_ROWS_H
#define TRM_BENCH_ROWS_H

#include <stdbool.h>

enum { MOST_FIGURES = 8, MOST_ROWS = 400 };

/* A figure of the bench, next to the cost that all have. */
typedef struct column {
    const char *name;   /* in the file, and where rows are printed */
    const char *title;  /* in the report */
    unsigned shown_for; /* bits 1 << scene_kind.error of the scenes whose tables show it */
} column;

/* NAN: not known, or does not apply. */
typedef struct row {
    char peer[24], variant[48];
    double h;
    double us_per_step;           /* processor time */
    double s_per_simulated_s;     /* likewise */
    double figures[MOST_FIGURES]; /* in the order of the columns */
    char status[120];             /* "ok", or what happened */
    double reached;               /* s, simulated so far; in no file */
} row;

typedef struct table {
    char about[400]; /* when and where it was measured */
    row rows[MOST_ROWS];
    int count;
} table;

bool is_good(const row *r);
/* Of the same engine and variant. */
bool is_of(const row *r, const char *engine, const char *variant);
/* NULL: not run, or without figures. */
const row *find_row(const table *t, const char *engine, const char *variant, double h);

/* columns: after the last one without a name. */
int column_count(const column *columns);

/* A CSV file. false: could not be written, and it was said why. */
bool write_table(const char *path, const column *columns, const table *t);
/* false: no such file, or not one of ours. */
bool read_table(const char *path, const column *columns, table *t);

#endif
