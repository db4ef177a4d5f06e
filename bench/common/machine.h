/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The machine on which a bench runs. */

#ifndef TRM_BENCH_MACHINE_H
#define TRM_BENCH_MACHINE_H

#include <stddef.h>

/* Date, processor and compiler, in one line. */
void describe_machine(char *text, size_t size);

/* s of processor time that the process has taken, in all its threads. */
double processor_seconds(void);

/* Threads would hide the cost, and libraries read their number when they are loaded: so the program begins again with
 * one. */
void be_single_threaded(char **argv);

#endif
