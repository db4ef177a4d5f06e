/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Tables in separate files, and files that a model names. */

#ifndef TRM_IO_TABLE_FILE_H
#define TRM_IO_TABLE_FILE_H

#include "io/form.h"

/* Reads the table that {"file": "cam.csv", "t": column, "y": column, "interpolate": word} names. Reports errors in
 * the request and in the file. Returns false if out of memory. */
bool trm_read_table_file(trm_reader *reader, const trm_json *value, trm_function_def *f);

/* Reads a file that the model names, whose path is relative to the folder of the model and may not leave it,
 * unless it lies below one of options->paths. If it cannot be read, *text is NULL and an error is reported at value.
 * what: "table", for messages. *path: path of the file, in the reader's arena. Returns false if out of memory. */
bool trm_read_named_file(trm_reader *reader, const trm_json *value, const char *what, char **text, size_t *length,
                         const char **path);

#endif
