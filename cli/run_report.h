/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The report of a run: one HTML file (docs/report.md). */

#ifndef TRM_CLI_RUN_REPORT_H
#define TRM_CLI_RUN_REPORT_H

#include "command.h"
#include "model.h"

typedef struct run_report run_report;

/* Opens the file. Rows are then added, and the report is written when the run has ended. Returns NULL after reporting
 * why the file cannot be opened. */
run_report *run_report_begin(const char *path, trm_sim *sim,
                             const trm_results *columns);        /* columns: plotted first; NULL: none */
bool run_report_add(run_report *report, const trm_state *state); /* returns false if out of memory */

/* Writes the report. Returns false after reporting why it could not be written. status: "ok", or why the run ended;
 * wall: s. */
bool run_report_write(run_report *report, const char *who, const command_line *line, const loaded *l,
                      const char *status, double wall);
void run_report_end(run_report *report); /* does nothing if report is NULL */

#endif
