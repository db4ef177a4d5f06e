/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The file of a sweep: comments that identify the sweep, a header row, and a row per run. Rows are written as soon as
 * their runs finish, so that the file contains whole rows whenever the program ends, except possibly the last line. A
 * complete sweep is sorted by the order of its runs. On stdout rows wait for the rows before them. */

#ifndef TRM_CLI_SWEEP_FILE_H
#define TRM_CLI_SWEEP_FILE_H

#include <stdio.h>

#include "sweep_plot.h"

typedef struct sweep_file {
    const char *path;
    const sweep_plan *plan;
    sweep_plot *plot; /* gets every row, also existing ones; NULL: none is drawn */
    trm_text *header; /* comments and header row */
    FILE *stream;     /* for reading and writing; NULL: stdout */
    bool regular;     /* it can be read again and replaced */
    bool in_order;
    int last;       /* last run written; -1: none */
    char **waiting; /* on stdout: rows of finished runs that wait for rows before them */
} sweep_file;

typedef enum file_use {
    CONTINUE_FILE, /* keeps rows of the same sweep */
    REQUIRE_FILE,  /* does the same, and requires that such a file exists */
    REPLACE_FILE,
} file_use;

/* Opens the file. plot: gets all rows; NULL: none. done: is set for each run whose row is in the file. Returns false
 * after reporting what is wrong. close_sweep is called in both cases. */
bool open_sweep(sweep_file *f, const char *path, const sweep_plan *plan, sweep_plot *plot, file_use what, bool *done);
bool add_row(sweep_file *f, int run,
             const char *row); /* returns false after reporting that it could not be written */
bool close_sweep(sweep_file *f, bool complete);

#endif
