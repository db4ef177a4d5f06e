/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The rows of a table, and the files that keep them. */

#ifndef TRM_BENCH_ROWS_H
#define TRM_BENCH_ROWS_H

#include <stdio.h>

#include "errors.h"

typedef struct row {
    char peer[24], variant[48];
    double h;
    double us_per_step;       /* processor time */
    double s_per_simulated_s; /* likewise */
    errors errors;
    char status[120]; /* "ok", or why there are no figures */
} row;

enum { MOST_ROWS = 400 };

typedef struct table {
    char about[400]; /* when and where it was measured */
    row rows[MOST_ROWS];
    int count;
} table;

bool is_good(const row *r);

/* The error that the scene is about. */
double main_error(const row *r, scene_error kind);

void write_table_head(FILE *file, const char *about);
void write_row(FILE *file, const row *r);
/* false: no such file, or not one of ours. */
bool read_table(const char *folder, const char *name, table *t);

#endif
