/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The machine on which a bench runs. */

#ifndef TRM_BENCH_MACHINE_H
#define TRM_BENCH_MACHINE_H

#include <stddef.h>

/* Writes date, processor and compiler in one line. */
void describe_machine(char *text, size_t size);

/* Returns the processor time of the process, s, in all its threads. */
double processor_seconds(void);

/* Restarts the program with one thread, unless it has one. Threads would hide the cost, and libraries read their
 * number when they are loaded. */
void be_single_threaded(char **argv);

#endif
