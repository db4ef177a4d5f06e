/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel run --plot: columns over time, drawn when the run ends. */

#ifndef TRM_CLI_RUN_PLOT_H
#define TRM_CLI_RUN_PLOT_H

#include <stdio.h>

#include "trammel/trammel.h"

typedef struct run_plot run_plot;

/* Creates a plot of these columns, except t. NULL: of the accuracy of the run, that is energies, their error and the
 * largest gap of a joint. Returns NULL after reporting what is wrong. The simulation and the columns must outlive the
 * plot. */
run_plot *run_plot_begin(trm_sim *sim, const trm_model *model, const trm_results *columns, trm_messages *messages);
void run_plot_end(run_plot *plot); /* does nothing if plot is NULL */

/* Adds a row. Returns false if out of memory. */
bool run_plot_add(run_plot *plot, const trm_state *state);

/* Draws all rows so far. Returns false if the file cannot be written. */
bool run_plot_write(const run_plot *plot, const char *title, FILE *to);

#endif
