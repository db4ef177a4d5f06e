/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Steps of robots, ours beside MuJoCo's: prints a table; 0, or 1 if a robot cannot be run. */

#ifndef TRM_BENCH_STEPS_H
#define TRM_BENCH_STEPS_H

int compare_robots(void);

/* loops.c: the same for loops; the file of the 8-Loop. */
int time_loops(const char *eight_loop);

/* s of the processor. */
double bench_seconds(void);

#endif
