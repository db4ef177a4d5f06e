/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reading a result file of trammel run (docs/results.md), row by row: # comments, a header row, rows of numbers. */

#ifndef TRM_CLI_RESULT_FILE_H
#define TRM_CLI_RESULT_FILE_H

#include <stdio.h>

#include "trammel/base.h"

typedef struct result_file {
    const char *path;
    FILE *file;
    char *line;
    size_t room;
    int number;   /* number of the current line, from 1 */
    char *header; /* header row, cut into names */
    char **names; /* of the columns */
    int column_count;
    int time_column;
    double *values; /* of the current row */
    bool failed;    /* an error was found and reported */
} result_file;

/* Opens the file and reads its header row, which must have a column t. Returns false after reporting what is
 * wrong. Close it in both cases. */
bool open_results(result_file *f, const char *command, const char *path);
void close_results(result_file *f);

int find_column(const result_file *f, const char *name); /* returns -1 if there is none */

/* Reads the next row into values. Returns false if there is none, or after reporting what is wrong with it
 * (failed). */
bool next_row(result_file *f);

/* Reports an error with file and line. Returns false. */
bool report_error(result_file *f, const char *format, ...) TRM_PRINTF(2, 3);

#endif
