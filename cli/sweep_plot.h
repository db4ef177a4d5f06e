/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The picture of a sweep: the figures of --columns and --print over one varied constant as curves, over two as heat maps (a grid) or
 * coloured dots (random points). */

#ifndef TRM_CLI_SWEEP_PLOT_H
#define TRM_CLI_SWEEP_PLOT_H

#include "sweep_run.h"

typedef struct sweep_plot sweep_plot;

/* Returns false after reporting why no picture can be made of these options: one or two constants are varied. */
bool can_plot_sweep(const command_line *line, const design *d);

/* The plan has its columns. Returns NULL when out of memory or after reporting that there are too many figures. */
sweep_plot *begin_sweep_plot(const sweep_plan *plan);
/* Adds the figures of a row. */
void plot_row(sweep_plot *p, int run, const char *row);
/* Writes the picture. Returns false after reporting a file that cannot be written. Runs without a row are left out. */
bool write_sweep_plot(const sweep_plot *p, const char *path);
void end_sweep_plot(sweep_plot *p);

#endif
