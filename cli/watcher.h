/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A process between mpirun and a rank. If a process that mpirun started is killed, mpirun ends with 128 plus the
 * number of the signal. Therefore mpirun starts a watcher instead of the rank, and the watcher ends with exit code
 * 4. */

#ifndef TRM_CLI_WATCHER_H
#define TRM_CLI_WATCHER_H

#include <stdbool.h>

/* Is added to the exit code of a rank that ended because of its own error, for its watcher. */
enum { ENDED_ALONE = 64 };

/* Divides this process in two if mpirun started it: the new process continues as the rank, the old one watches it and
 * never returns. Returns whether there is a watcher. */
bool begin_to_be_watched(int argc, char **argv);

#endif
