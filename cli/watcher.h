/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A process between mpirun and a rank. When a rank is killed mpirun ends with 128 + the signal's number, whatever we do; what it
 * started shall therefore not be the rank itself, but its watcher, which ends with exit code 4. */

#ifndef TRM_CLI_WATCHER_H
#define TRM_CLI_WATCHER_H

#include <stdbool.h>

/* Added to the exit code of a rank that ended by an error of its own, for its watcher. */
enum { ENDED_ALONE = 64 };

/* Divides this process in two where mpirun started it: the new one continues as the rank, the old one watches it and never
 * returns. Whether there is a watcher. */
bool begin_to_be_watched(int argc, char **argv);

#endif
