/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One run of a sweep: its model, its simulation, its row. Threads may make runs of one plan at the same time. */

#ifndef TRM_CLI_SWEEP_RUN_H
#define TRM_CLI_SWEEP_RUN_H

#include "command.h"
#include "reading.h"
#include "sweep_design.h"

/* What all runs have in common. */
typedef struct sweep_plan {
    const command_line *line;
    char *model; /* the file as it was when the sweep began: who edits it meanwhile does not change the runs */
    size_t model_length;
    bool has_files;  /* it refers to other files, and is read from its own each time */
    reading reading; /* its constants are those of --set */
    design design;
    trm_text *columns; /* the header row */
    int column_count;
} sweep_plan;

typedef enum run_fate {
    RUN_OK,
    RUN_STOPPED,     /* it could not continue */
    RUN_REFUSED,     /* with these values there is no such machine */
    RUN_INTERRUPTED, /* it has no row and is to be made again */
    RUN_LOST,        /* no memory for its row */
} run_fate;

/* Looks for a point whose model can be run, which tells the columns: EXIT_DONE, or a code after saying what is
 * wrong. */
exit_code find_columns(sweep_plan *p);

/* run counts from 0; the row, with the end of its line, is added to the text. */
run_fate make_run(const sweep_plan *p, int run, trm_text *row);

/* How a row begins: its number, from 1, and the values of its point, each followed by a comma. */
bool put_point(const sweep_plan *p, int run, trm_text *row);

#endif
