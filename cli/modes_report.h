/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The page of trammel modes: shapes in motion and Bode plots. */

#ifndef TRM_CLI_MODES_REPORT_H
#define TRM_CLI_MODES_REPORT_H

#include "model.h"

/* Writes the page of --report. Returns false after reporting what is wrong. */
bool write_modes_report(const command_line *line, const loaded *l, const trm_linearisation *r);

#endif
