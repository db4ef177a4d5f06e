/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Whole files into memory. */

#ifndef TRM_IO_FILES_H
#define TRM_IO_FILES_H

#include "base/arena.h"
#include "trammel/sim.h"

/* Reads a file as terminated text into the arena. With several ranks, which must all read the same file, only rank
 * 0 reads it and sends it to the others. Returns false if it cannot be read (see errno), or if out of memory
 * (arena->failed). */
bool trm_read_whole_file(trm_arena *arena, trm_exchange *ranks, const char *path, char **text, size_t *length);

/* Reads a file that another file names, in the same way. Refuses devices and pipes (EINVAL), whose reading may
 * never end. */
bool trm_read_regular_file(trm_arena *arena, trm_exchange *ranks, const char *path, char **text, size_t *length);

#endif
