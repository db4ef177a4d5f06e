/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The values that a search has found so far, a row each: value and point. A search of the same options asks for the same points again, so
 * that it is continued from the file without a run made twice. */

#ifndef TRM_CLI_SEARCH_LOG_H
#define TRM_CLI_SEARCH_LOG_H

#include <stdio.h>

#include "command.h"

typedef struct search_log {
    const char *path; /* NULL: none is kept */
    FILE *file;
    int width;     /* numbers of a point */
    double *known; /* of each row that was there: value and point */
    long known_count;
} search_log;

/* Opens the file. header: what it begins with, comments and names of columns. Returns false after reporting that it is of another search, is
 * damaged or cannot be written. A last row that was cut off is dropped. To be closed either way. */
bool open_search_log(search_log *log, const char *path, const trm_text *header, int width);
bool close_search_log(search_log *log); /* false after reporting a write that failed */

/* The value of the number-th point from the rows that were there. Returns false if there is none; *damaged: the row is of another point,
 * which was reported. */
bool known_value(const search_log *log, long number, const double *point, double *value, bool *damaged);
/* Appends a row; does nothing where no log is kept. Returns false after reporting that it cannot be written. */
bool add_to_log(search_log *log, const double *point, double value);

#endif
