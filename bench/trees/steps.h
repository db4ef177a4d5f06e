/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Steps of robots, ours beside MuJoCo's: prints a table; 0, or 1 if a robot cannot be run. */

#ifndef TRM_BENCH_STEPS_H
#define TRM_BENCH_STEPS_H

int compare_robots(void);

#endif
