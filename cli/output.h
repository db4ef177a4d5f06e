/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Files that a command writes. The first error of a file is kept until it is closed and then reported with the name of the file:
 * the C library drops what it could not write, and later writes may succeed again. */

#ifndef TRM_CLI_OUTPUT_H
#define TRM_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct output {
    FILE *file; /* NULL: not requested */
    const char *path;
    int error; /* errno of the first write that failed; 0: none did */
} output;

/* Opens a file in a mode of fopen. Returns false after reporting why it cannot be opened. */
bool output_open(output *o, const char *command, const char *path, const char *mode);

/* Records errno unless the last write was good. */
void output_check(output *o, bool good);

/* Writes the text, then a number with the fewest digits that read back bit-identically, as in all result files. */
void output_number(output *o, const char *before, double value);

/* Passes to the system what was written so far. Returns whether no write has failed yet. */
bool output_flush(output *o);

/* Closes the file, if there is one; standard output is flushed only. Returns false after reporting a write that failed. */
bool output_close(output *o, const char *command);

/* Returns the file, after all links, that each new version of this path replaces; the caller frees it. Returns NULL after
 * reporting that it cannot be replaced: a device, a pipe, a folder, or a file in a folder where nothing can be written.
 * what: "the checkpoint ", or "". */
char *replaceable_file(const char *command, const char *what, const char *path);

/* Where the next version of such a file is written before it takes its name: in the same folder. False: the name is too long. */
bool partial_name(const char *path, char *partial, size_t room);

/* A file that a command line names. */
typedef struct named_file {
    const char *name; /* of one that is written its option, "--out"; of one that is read what it holds, "the model" */
    const char *path; /* NULL: not given; "-": standard output */
} named_file;

/* Returns whether the files to be written differ from each other and from the files that are read. Returns false after reporting
 * two that are the same. Devices and pipes may be named twice. */
bool outputs_differ(const char *command, const named_file *read, int read_count, const named_file *written,
                    int count);

#endif
