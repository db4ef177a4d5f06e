/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Settings of a simulation made on the command line and by pages, which replace those of the model. */

#ifndef TRM_VIEWER_SETTINGS_H
#define TRM_VIEWER_SETTINGS_H

#include "cli/command.h"
#include "cli/method.h"
#include "request.h"

enum { SETTINGS = 10 };

typedef struct settings {
    /* "": the value of the model. A method may be followed by its options: lcp:erp=0.8:cfm=0 */
    char value[SETTINGS][400];
} settings;

/* Reads the settings of the command line. Returns false if one is too long. */
bool settings_read(const command_line *line, settings *set);

/* Changes an option of the simulation or of the method. "none" restores the value of the model or the default of the
 * method, unless "none" is a value of the option; for "error" it means no error control. Returns false with the
 * reason in why. */
bool settings_change(settings *set, const trm_sim *at_work, const char *name, const char *value, char *why);

/* Applies the settings to options, which hold those of the model and borrow texts from set and choice. Returns false
 * with the reason in why. */
bool settings_apply(const settings *set, trm_simulation_def *options, method_choice *choice, char *why);

/* Removes a prefix such as "error: ", which is for terminals, from a message. */
void drop_start(char *why, const char *start);

#endif
