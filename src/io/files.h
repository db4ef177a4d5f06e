/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Whole files into memory. */

#ifndef TRM_IO_FILES_H
#define TRM_IO_FILES_H

#include "base/arena.h"
#include "trammel/sim.h"

/* Terminated text in the arena. False: it cannot be read (errno says why), or arena->failed. Of several ranks, which all ask
 * for the same file, rank 0 alone reads it, for all. */
bool trm_read_whole_file(trm_arena *arena, trm_exchange *ranks, const char *path, char **text, size_t *length);

/* The same of a file that another file names: no device or pipe (EINVAL), which may have no end or never begin. */
bool trm_read_regular_file(trm_arena *arena, trm_exchange *ranks, const char *path, char **text, size_t *length);

#endif
