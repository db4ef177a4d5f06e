/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 30, COLUMNS = 79 }; /* one column of a terminal stays free, so that no line is wrapped */

static const double BETWEEN = 0.1; /* s */

double wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

progress progress_begin(bool wanted, double share)
{
    const double now = wall_seconds();
    return (progress){.shown = wanted && isatty(STDERR_FILENO), .started = now, .drawn = now, .before = share};
}

void progress_show(progress *p, double share, const char *format, ...)
{
    const double now = p->shown ? wall_seconds() : 0;
    if (!p->shown || now - p->drawn < BETWEEN) return;
    char text[60], line[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    const double done = fmin(fmax(share, 0), 1), gained = done - p->before;
    const double left = gained > 0 ? (now - p->started) * (1 - done) / gained : 0;
    const int full = (int)(done * BAR);
    snprintf(line, sizeof line, "[%.*s%.*s] %3.0f %%  %s, %.0f s left", full, "##############################",
             BAR - full, "..............................", 100 * done, text, left);
    fprintf(stderr, "\r%-*.*s", COLUMNS, COLUMNS, line);
    p->drawn = now;
}

void progress_end(progress *p)
{
    if (p->shown) fprintf(stderr, "\r%*s\r", COLUMNS, "");
    p->shown = false;
}
