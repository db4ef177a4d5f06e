/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel paper runs in a program of its own, trammel-paper, which is this program with the tables (paper/paper.c).
 * Other programs start it (paper_elsewhere.c). */

#ifndef TRM_CLI_PAPER_H
#define TRM_CLI_PAPER_H

#include "command.h"

exit_code paper_run(const command_line *line);

#endif
