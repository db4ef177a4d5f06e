/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "elsewhere.h"
#include "paper.h"

exit_code paper_run(const command_line *line)
{
    return run_elsewhere("trammel-paper", "paper", "it is built and installed with this program", line);
}
