/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "modes_report.h"

#include <stdio.h>

bool write_modes_report(const command_line *line, const loaded *l, const trm_linearisation *r)
{
    (void)line, (void)l, (void)r;
    fprintf(stderr, "trammel modes: --report is not available yet\n");
    return false;
}
