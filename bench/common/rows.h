/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The rows of a table, and the files that keep them. */

#ifndef TRM_BENCH_ROWS_H
#define TRM_BENCH_ROWS_H

#include <stdbool.h>

enum { MOST_FIGURES = 8, MOST_ROWS = 400 };

/* A figure of the bench, next to the cost that all have. */
typedef struct column {
    const char *name;   /* name in the file and in printed rows */
    const char *title;  /* title in the report */
    unsigned shown_for; /* bits 1 << scene_kind.error of the scenes whose tables show it */
} column;

/* A row. NAN: unknown, or does not apply. */
typedef struct row {
    char peer[24], variant[48];
    double h;
    double us_per_step;           /* processor time per step */
    double s_per_simulated_s;     /* processor time per simulated second */
    double figures[MOST_FIGURES]; /* in the order of the columns */
    char status[120];             /* "ok", or what happened */
    double reached;               /* s: simulated so far; not in files */
} row;

typedef struct table {
    char about[400]; /* date and machine of the measurement */
    row rows[MOST_ROWS];
    int count;
} table;

bool is_good(const row *r);
/* Returns whether a row has this engine and variant. */
bool is_of(const row *r, const char *engine, const char *variant);
/* Returns a row; NULL if it was not run or has no figures. */
const row *find_row(const table *t, const char *engine, const char *variant, double h);

/* Returns the number of columns, which are ended by one without a name. */
int column_count(const column *columns);

/* Writes a CSV file. Returns false after reporting that it cannot be written. */
bool write_table(const char *path, const column *columns, const table *t);
/* Reads a CSV file. Returns false if there is none, or if it is not one of ours. */
bool read_table(const char *path, const column *columns, table *t);

#endif
