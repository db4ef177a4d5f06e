/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Figures over a run: the measures of --print (docs/measures.md). */

#ifndef TRM_CLI_RUN_FIGURES_H
#define TRM_CLI_RUN_FIGURES_H

#include <stdio.h>

#include "command.h"

typedef struct run_figures run_figures;

/* Returns the measures of each --print of the command line, with the constants of the definition. Returns NULL after
 * reporting what is wrong, or when out of memory. */
run_figures *run_figures_begin(const command_line *line, const trm_model_def *def, const trm_model *model,
                               trm_messages *messages);
void run_figures_end(run_figures *f);
bool run_figures_need_reactions(const run_figures *f);
/* Tells the simulation which columns the measures read. Returns false if out of memory. */
bool run_figures_enable(const run_figures *f, trm_sim *sim);
int run_figures_count(const run_figures *f);
const char *run_figures_text(const run_figures *f, int index); /* as the command line gives it */
double run_figures_value(run_figures *f, int index);
/* Adds a row. Returns false when out of memory. */
bool run_figures_add(run_figures *f, const trm_state *state);
/* Prints "max(rod.y) = 1.25", one line per measure. */
void run_figures_print(run_figures *f, FILE *to);

#endif
