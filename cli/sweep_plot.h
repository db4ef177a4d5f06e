/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The picture of a sweep. It shows the figures of --columns and --print over one varied constant as curves, over two
 * as heat maps (a grid) or coloured dots (random points). */

#ifndef TRM_CLI_SWEEP_PLOT_H
#define TRM_CLI_SWEEP_PLOT_H

#include "sweep_run.h"

typedef struct sweep_plot sweep_plot;

/* Returns whether a picture can be made with these options: one or two constants must vary. Reports why not. */
bool can_plot_sweep(const command_line *line, const design *d);

/* Begins a picture of a plan that has its columns. Returns NULL when out of memory or after reporting that there are
 * too many figures. */
sweep_plot *begin_sweep_plot(const sweep_plan *plan);
/* Adds the figures of a row. */
void plot_row(sweep_plot *p, int run, const char *row);
/* Writes the picture. Runs without a row are left out. Returns false after reporting that the file cannot be
 * written. */
bool write_sweep_plot(const sweep_plot *p, const char *path);
void end_sweep_plot(sweep_plot *p);

#endif
