/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The files that --out of trammel run names, by their endings, and those for other programs: .npz and .mcap. */

#ifndef TRM_CLI_RUN_LOGS_H
#define TRM_CLI_RUN_LOGS_H

#include "command.h"

typedef enum out_kind { OUT_ROWS, OUT_GLB, OUT_NPZ, OUT_MCAP, OUT_KINDS } out_kind; /* rows: CSV */

const char *out_path(const command_line *line, out_kind kind); /* NULL: none */
/* Returns whether there is at most one file of each kind; reports the others. */
bool outs_are_good(const command_line *line);
bool has_logs(const command_line *line);

typedef struct run_logs run_logs;

/* Opens the files. Sets *logs to NULL if none is requested. Returns false after reporting what is wrong. The columns
 * must outlive the logs. */
bool run_logs_begin(const command_line *line, const trm_results *columns, const trm_state *start, run_logs **logs);
bool run_logs_add(run_logs *logs,
                  const trm_state *state); /* returns false if out of memory or if a file could not be written */
/* Writes the remaining data, whether the run succeeded or not. Returns false after reporting which file could not be
 * written. */
bool run_logs_write(run_logs *logs);
void run_logs_end(run_logs *logs);

#endif
