/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What was set of a simulation, on the command line and by pages, over what its model has. */

#ifndef TRM_VIEWER_SETTINGS_H
#define TRM_VIEWER_SETTINGS_H

#include "cli/command.h"
#include "cli/method.h"
#include "request.h"

enum { SETTINGS = 10 };

typedef struct settings {
    char value[SETTINGS][400]; /* "": as the model has it. Of the method with options of its own: lcp:erp=0.8:cfm=0 */
} settings;

/* Those of the command line. False: one is too long. */
bool settings_read(const command_line *line, settings *set);

/* An option of simulations, or one of the method's own; "none": as the model, or the method, has it, but where none is one
 * of the words that it can be, and of "error" no error. Returns false with the reason in why. */
bool settings_change(settings *set, const trm_sim *at_work, const char *name, const char *value, char *why);

/* Into options, which have those of the model and borrow from set and choice. Returns false with the reason in why. */
bool settings_apply(const settings *set, trm_simulation_def *options, method_choice *choice, char *why);

/* "error: ..." is for terminals. */
void drop_start(char *why, const char *start);

#endif
