/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The report of a run in lines of text. */

#ifndef TRM_CLI_RUN_TEXT_H
#define TRM_CLI_RUN_TEXT_H

#include <stdio.h>

#include "command.h"

/* What the report is about. */
typedef struct run_facts {
    const trm_model *model;
    trm_sim *sim;
    const char *title;
    double begun; /* s: simulated time when this run began or was resumed */
    double wall;  /* s: wall-clock time of the run */
} run_facts;

void print_run_facts(const run_facts *facts, FILE *to);

/* Prints "verdict      good: energy balance 3e-09 J of 41 J, joints closed to 8e-11 m"; for other grades only the reasons
 * against it, line by line. */
void print_verdict(const trm_verdict *v, FILE *to);

#endif
