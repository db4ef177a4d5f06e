/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Comments at the beginning of a file that a later call of the same command continues: version, hash of the model
 * file, options. */

#ifndef TRM_CLI_ORIGIN_H
#define TRM_CLI_ORIGIN_H

#include "command.h"

bool put(trm_text *to, const char *text);
bool put_in_line(trm_text *to, const char *text); /* control characters become spaces */

/* Writes these lines, each after "# ". Options are written in the order of the command's table, so that their order
 * on the command line does not matter. Options of the list `ignored`, which ends with NULL, are left out because they
 * do not change the contents of the file. Returns false when out of memory. */
bool put_origin(trm_text *to, const command *c, const command_line *line, const char *const *ignored,
                const char *model, size_t model_length);

#endif
