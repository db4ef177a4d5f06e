/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Steps of robots, ours next to MuJoCo's: prints a table; 0, or 1 if a robot cannot be run. */

#ifndef TRM_BENCH_STEPS_H
#define TRM_BENCH_STEPS_H

#include "trammel/trammel.h"

int compare_robots(void);

/* The robot of a text; NULL: messages say why. Hinge number k of a state of it starts at robot_rate(k); false: there are too many. */
trm_model *read_robot(const char *text, trm_messages *messages);
bool set_robot_rates(const trm_model *model, trm_state *state);

/* precision.c: what accuracy costs. */
int compare_precision(void);
int run_long(int steps); /* energy of the humanoid */

/* primitives.c: calls of joint space. */
int time_primitives(void);

/* loops.c: the same for loops; the file of the 8-Loop. */
int time_loops(const char *eight_loop);

/* s of processor time. */
double bench_seconds(void);

#endif
