/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Commands that run in programs of their own. */

#ifndef TRM_CLI_ELSEWHERE_H
#define TRM_CLI_ELSEWHERE_H

#include "command.h"

/* Hands the command line over to a program next to this one or in the PATH: `program name ...`. Returns only if it
 * cannot be started, after reporting that with the advice. */
exit_code run_elsewhere(const char *program, const char *name, const char *advice, const command_line *line);

#endif
