/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Writes a state as a model file that starts there: --write-model of run, --out of equilibrium. */

#ifndef TRM_CLI_STATE_MODEL_H
#define TRM_CLI_STATE_MODEL_H

#include "model.h"

/* Changes the definition of the loaded model (trm_start_at) and writes it. who: the command, for messages. Returns
 * false after reporting what is wrong. */
bool write_state_model(const char *who, loaded *l, const trm_state *state, const char *path);

/* Reads --at, the time in s of the state of --write-model; NAN: not given. Returns false after reporting what is
 * wrong. */
bool read_model_time(const char *who, const command_line *line, double *at);

#endif
