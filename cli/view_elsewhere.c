/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "elsewhere.h"
#include "view.h"

exit_code view_run(const command_line *line)
{
    return run_elsewhere("trammel-view", "view",
                         "it is built if libwebsockets is installed (Debian: libwebsockets-dev)", line);
}
