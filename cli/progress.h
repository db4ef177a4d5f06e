/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A progress bar on stderr, if stderr is a terminal. */

#ifndef TRM_CLI_PROGRESS_H
#define TRM_CLI_PROGRESS_H

#include "trammel/base.h"

typedef struct progress {
    bool shown;
    double started, drawn; /* s of wall-clock time */
    double before;         /* share that was done when it began */
} progress;

double wall_seconds(void);

/* Starts the bar; share: fraction already done, 0 to 1. */
progress progress_begin(bool wanted, double share);

/* Draws the bar with a text of about 25 characters, at most ten times a second. */
void progress_show(progress *p, double share, const char *format, ...) TRM_PRINTF(3, 4);

/* Clears the bar; the next output starts a line. */
void progress_end(progress *p);

#endif
