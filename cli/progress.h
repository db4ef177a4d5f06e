/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A bar on stderr for those who wait, where stderr is a terminal. */

#ifndef TRM_CLI_PROGRESS_H
#define TRM_CLI_PROGRESS_H

#include "trammel/base.h"

typedef struct progress {
    bool shown;
    double started, drawn; /* s of wall-clock time */
    double before;         /* share that was done when it began */
} progress;

double wall_seconds(void);

/* share: 0 .. 1, what is done already. */
progress progress_begin(bool wanted, double share);

/* Draws the bar with a text of some 25 letters, ten times a second at most. */
void progress_show(progress *p, double share, const char *format, ...) TRM_PRINTF(3, 4);

/* Wipes it away; what is printed next begins a line. */
void progress_end(progress *p);

#endif
