/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel run --verify: makes the same run with half the step at the same time, and measures the distance of both
 * runs at the rows. */

#ifndef TRM_CLI_RUN_VERIFY_H
#define TRM_CLI_RUN_VERIFY_H

#include <stdio.h>

#include "trammel/trammel.h"

typedef struct run_verify run_verify;

/* Creates the second run, with half the step of the simulation or a tenth of its requested error. Returns NULL after
 * reporting why it cannot be created. */
run_verify *run_verify_begin(const trm_sim *sim, const trm_model *model, const trm_results *columns,
                             trm_messages *messages);

/* Advances the second run to the time of a row of the first and compares both. */
void run_verify_add(run_verify *verify, const trm_state *state);

/* Adds the result of the comparison to the verdict on the first run. */
void run_verify_judge(const run_verify *verify, trm_sim *sim);

/* Prints the largest difference per column. */
void run_verify_print(const run_verify *verify, FILE *to);

/* Returns the wall-clock time of the second run, s. */
double run_verify_wall(const run_verify *verify);

void run_verify_end(run_verify *verify);

#endif
