/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What the ranks of one command line do together (ranks.h); of one alone it is nothing. */

#ifndef TRM_CLI_TOGETHER_H
#define TRM_CLI_TOGETHER_H

#include "ranks.h"

/* Whether this is the one that reads and writes files. */
bool is_first_rank(void);

/* Whether all say yes; false too where one is lost. */
bool all_ranks_say(bool yes);

/* What the first rank has read, malloc'ed, to all; NULL on all if it has nothing. */
char *spread_bytes(char *bytes, size_t *count);

#endif
