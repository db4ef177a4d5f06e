/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The values that a search has found so far, one row each: value and point. A search with the same options evaluates
 * the same points again, so that it continues from the file without repeating a run. */

#ifndef TRM_CLI_SEARCH_LOG_H
#define TRM_CLI_SEARCH_LOG_H

#include <stdio.h>

#include "command.h"

typedef struct search_log {
    const char *path; /* NULL: none is kept */
    FILE *file;
    int width;     /* number of coordinates of a point */
    double *known; /* per row of the existing file: value and point */
    long known_count;
} search_log;

/* Opens the file. header: its first lines, comments and names of columns. A last row that was cut off is dropped.
 * Returns false after reporting that the file belongs to another search, is damaged or cannot be written.
 * close_search_log is called in both cases. */
bool open_search_log(search_log *log, const char *path, const trm_text *header, int width);
bool close_search_log(search_log *log); /* returns false after reporting a write that failed */

/* Finds the value of the number-th point among the rows of the existing file. Returns false if there is none.
 * *damaged: the row has another point, which was reported. */
bool known_value(const search_log *log, long number, const double *point, double *value, bool *damaged);
/* Appends a row; does nothing without a log. Returns false after reporting that the row cannot be written. */
bool add_to_log(search_log *log, const double *point, double value);

#endif
