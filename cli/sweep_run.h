/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One run of a sweep: its model, its simulation, its row. Threads may make runs of one plan at the same time. */

#ifndef TRM_CLI_SWEEP_RUN_H
#define TRM_CLI_SWEEP_RUN_H

#include "command.h"
#include "reading.h"
#include "sweep_design.h"

/* The data that all runs share. */
typedef struct sweep_plan {
    const command_line *line;
    char *model; /* contents of the file when the sweep began: later edits do not change the runs */
    size_t model_length;
    bool has_files;  /* it refers to other files, and is read from disk for each run */
    reading reading; /* options of reading, with the constants of --set */
    design design;
    trm_text *columns; /* the header row */
    int column_count;
} sweep_plan;

typedef enum run_fate {
    RUN_OK,
    RUN_STOPPED,     /* it could not continue */
    RUN_REFUSED,     /* the model is invalid with these values */
    RUN_INTERRUPTED, /* it has no row and must be repeated */
    RUN_LOST,        /* out of memory for its row */
} run_fate;

/* Finds the columns, by creating a simulation at the first point whose model is valid. Returns EXIT_DONE, or another
 * code after reporting what is wrong. */
exit_code find_columns(sweep_plan *p);

/* Makes a run, counted from 0, and appends its row, with the end of the line, to the text. Returns its result. */
run_fate make_run(const sweep_plan *p, int run, trm_text *row);

/* Writes the beginning of a row: the number of the run, from 1, and the values of its point, each followed by a
 * comma. Returns false if out of memory. */
bool put_point(const sweep_plan *p, int run, trm_text *row);

#endif
