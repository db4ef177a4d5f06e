/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Collective operations of the ranks of one command line (ranks.h). With one rank they do nothing. */

#ifndef TRM_CLI_TOGETHER_H
#define TRM_CLI_TOGETHER_H

#include "ranks.h"

/* Returns whether this rank reads and writes files. */
bool is_first_rank(void);

/* Returns whether the value is true on all ranks; false also if a rank is lost. */
bool all_ranks_agree(bool yes);

/* Sends data that the first rank has read to all ranks, into memory from malloc. Returns NULL on all ranks if the
 * first rank has none. */
char *spread_bytes(char *bytes, size_t *count);

#endif
