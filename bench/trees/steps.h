/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Compares steps of robots with those of MuJoCo and prints a table. Returns 0, or 1 if a robot cannot be run. */

#ifndef TRM_BENCH_STEPS_H
#define TRM_BENCH_STEPS_H

#include "trammel/trammel.h"

int compare_robots(void);

/* Reads the robot of a text. Hinge number k starts with robot_rate(k). Returns NULL with messages. */
trm_model *read_robot(const char *text, trm_messages *messages);
bool set_robot_rates(const trm_model *model, trm_state *state);

/* precision.c: measures the cost of accuracy. */
int compare_precision(void);
int run_long(int steps); /* energy of the humanoid */

/* primitives.c: measures functions of joint space. */
int time_primitives(void);

/* loops.c: measures loops; eight_loop: the file of the 8-Loop. */
int time_loops(const char *eight_loop);

/* Returns processor time, s. */
double bench_seconds(void);

#endif
