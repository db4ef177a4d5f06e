/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The file of a sweep: comments that tell which sweep it is, a header row, a row per run. Rows come as runs
 * finish, each written at once, so that the file contains whole rows whenever the program dies, except at most the
 * last line. A complete sweep is sorted by the order of its runs. On stdout rows wait for those before them. */

#ifndef TRM_CLI_SWEEP_FILE_H
#define TRM_CLI_SWEEP_FILE_H

#include <stdio.h>

#include "sweep_plot.h"

typedef struct sweep_file {
    const char *path;
    const sweep_plan *plan;
    sweep_plot *plot; /* gets every row, also those that are there; NULL: none is drawn */
    trm_text *header; /* comments and header row */
    FILE *stream;     /* reads what is there; NULL: stdout */
    bool regular;     /* it can be read again and replaced */
    bool in_order;
    int last;       /* run written; -1: none */
    char **waiting; /* on stdout: the row of each run that is finished, but has others before it */
} sweep_file;

typedef enum what_is_there {
    GO_ON,   /* rows of the same sweep stay */
    MUST_BE, /* likewise, and there must be such a file */
    REPLACE,
} what_is_there;

/* plot: NULL, or what gets all rows. done: for each run whether the file has its row already. Returns false after
 * reporting what is wrong. Closed either way. */
bool open_sweep(sweep_file *f, const char *path, const sweep_plan *plan, sweep_plot *plot, what_is_there what,
                bool *done);
bool add_row(sweep_file *f, int run, const char *row); /* false after reporting that it could not be written */
bool close_sweep(sweep_file *f, bool complete);

#endif
