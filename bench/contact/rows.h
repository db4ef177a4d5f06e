/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The rows of a table, and the files that keep them. */

#ifndef TRM_BENCH_CONTACT_ROWS_H
#define TRM_BENCH_CONTACT_ROWS_H

#include <stdio.h>

#include "figures.h"

typedef struct row {
    char peer[24], variant[48];
    double us_per_step; /* processor time */
    figures figures;
    char status[120]; /* "ok", or what happened; figures are then those until it did */
} row;

enum { MOST_ROWS = 60 };

typedef struct table {
    char about[400]; /* when and where it was measured */
    row rows[MOST_ROWS];
    int count;
} table;

bool is_good(const row *r);

/* NULL: not run. */
const row *find_row(const table *t, const char *engine, const char *variant);

/* folder/contact-SCENE.csv. false: could not be written, and it was said why. */
bool write_table(const char *folder, const char *name, const table *t);
/* false: no such file, or not one of ours. */
bool read_table(const char *folder, const char *name, table *t);

#endif
