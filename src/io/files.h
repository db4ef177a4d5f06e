/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reads whole files, from the disk or from the files in memory of the options (trammel/io.h). */

#ifndef TRM_IO_FILES_H
#define TRM_IO_FILES_H

#include "base/arena.h"
#include "trammel/io.h"

/* Reads a file as terminated text into the arena. With several ranks, which must all read the same file, only rank
 * 0 reads it and sends it to the others. options may be NULL. Returns false if it cannot be read (see errno), or if
 * out of memory (arena->failed). */
bool trm_read_whole_file(trm_arena *arena, const trm_read_options *options, const char *path, char **text,
                         size_t *length);

/* Reads a file that another file names, in the same way. Refuses devices and pipes (EINVAL), whose reading may
 * never end. */
bool trm_read_regular_file(trm_arena *arena, const trm_read_options *options, const char *path, char **text,
                           size_t *length);

/* Returns whether there is a regular file of this path. */
bool trm_is_file(const trm_read_options *options, const char *path);

#endif
