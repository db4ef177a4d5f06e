/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Loading a model for a command: file to definition to model to state, with messages on the way. */

#ifndef TRM_CLI_MODEL_H
#define TRM_CLI_MODEL_H

#include "command.h"
#include "reading.h"

typedef struct loaded {
    trm_messages *messages;
    trm_model_def *def;
    trm_model *model;
    trm_state *state;
    char *title; /* for people */
} loaded;

/* Reads the definition only. Prints nothing: the caller reports the messages. */
trm_status load_definition(const command_line *line, loaded *l);

/* The definition, the model and its start. */
trm_status load_model(const command_line *line, loaded *l);

/* The same; an imported robot that has no mass at all is loaded, too. */
trm_status load_model_for_viewing(const command_line *line, loaded *l);

void unload(loaded *l);

/* The model's name, in which spaces stand for control characters, or its file where it has none. */
const char *title_of(const loaded *l, const char *file);

#endif
