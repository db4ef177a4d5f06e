/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Engines in processes of their own. */

#ifndef TRM_BENCH_CHILD_H
#define TRM_BENCH_CHILD_H

#include "common/rows.h"

/* Calls work(context, out) in a child process with a limit of wall-clock time in s. A crash or a hang of an engine
 * becomes the status of the row, which otherwise stays as work left it. Long work is reported on stderr. */
void run_in_child(void (*work)(const void *context, row *out), const void *context, unsigned seconds, row *out);

#endif
