/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel view runs in a program of its own, trammel-view, which is this one with a web server in it (viewer/server/view.c).
 * Others hand the command line over to it (view_elsewhere.c). */

#ifndef TRM_CLI_VIEW_H
#define TRM_CLI_VIEW_H

#include "command.h"

exit_code view_run(const command_line *line);

#endif
