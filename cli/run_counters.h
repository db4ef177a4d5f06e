/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Lines of the report of a run about its contacts: steps that were made in another way, and the solvers that were
 * used. */

#ifndef TRM_CLI_RUN_COUNTERS_H
#define TRM_CLI_RUN_COUNTERS_H

#include <stdio.h>

#include "command.h"

void print_contact_counters(const trm_sim *sim, FILE *to);

#endif
