/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel view runs in a program of its own, trammel-view, which is this program with a web server
 * (viewer/server/view.c). Other programs start it (view_elsewhere.c). */

#ifndef TRM_CLI_VIEW_H
#define TRM_CLI_VIEW_H

#include "command.h"

exit_code view_run(const command_line *line);

#endif
