/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Files that a command writes. The first error of a file is stored until the file is closed and then reported with
 * its name, because the C library drops data that it could not write, and later writes may succeed again. */

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

/* Flushes the file. Returns whether no write has failed so far. */
bool output_flush(output *o);

/* Closes the file, if there is one; flushes standard output. Returns false after reporting a write that failed. */
bool output_close(output *o, const char *command);

/* Returns the file that a new version at this path replaces, with all links resolved; the caller frees it. Returns
 * NULL after reporting that it cannot be replaced: a device, a pipe, a folder, or a file in a folder that is not
 * writable. what: "the checkpoint ", or "". */
char *replaceable_file(const char *command, const char *what, const char *path);

/* Writes the temporary name of a new version of a file, in the same folder. Returns false if the name is too long. */
bool partial_name(const char *path, char *partial, size_t room);

/* A file that a command line names. */
typedef struct named_file {
    const char *name; /* option of a file that is written, "--out"; contents of a file that is read, "the model" */
    const char *path; /* NULL: not given; "-": standard output */
} named_file;

/* Returns whether the files to be written differ from each other and from the files to be read. Returns false after
 * reporting two equal ones. Devices and pipes may be named twice. */
bool outputs_differ(const char *command, const named_file *read, int read_count, const named_file *written,
                    int count);

#endif
