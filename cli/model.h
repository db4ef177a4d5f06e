/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Loading a model for a command: file, definition, model and state. Messages are printed on the way. */

#ifndef TRM_CLI_MODEL_H
#define TRM_CLI_MODEL_H

#include "command.h"
#include "reading.h"

typedef struct loaded {
    trm_messages *messages;
    trm_model_def *def;
    trm_model *model;
    trm_state *state;
    char *title; /* name of the model for output */
} loaded;

/* Reads the definition only. Prints nothing: the caller reports the messages. */
trm_status load_definition(const command_line *line, loaded *l);

/* Loads the definition, the model and its initial state. Reports messages. */
trm_status load_model(const command_line *line, loaded *l);

/* Does the same, but also accepts an imported robot without any mass. */
trm_status load_model_for_viewing(const command_line *line, loaded *l);

void unload(loaded *l);

/* Returns the model's name, with control characters replaced by spaces, or the name of its file if it has none. */
const char *title_of(const loaded *l, const char *file);

#endif
