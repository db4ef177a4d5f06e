/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* How a model is read, as the command line says it: constants, and what becomes of imported robots. */

#ifndef TRM_CLI_READING_H
#define TRM_CLI_READING_H

#include "command.h"

#define MODEL_OPTIONS                                                                                                \
    {"--set", "NAME=VALUE...", "replace a constant of the model (a number or an expression)"},                       \
        {"--input", "NAME=VALUE...", "value of an input of the model for the whole run"},                            \
        {"--without", "LIST",                                                                                        \
         "leave out parts of the model: actuators, contacts, damping, friction, gravity, limits"},                   \
        {"--base", "HOW", "of an imported robot: fixed, or free to move (default: fixed)"},                          \
        {"--inertia", "HOW",                                                                                         \
         "impossible moments of inertia of an imported robot: keep, repair or refuse (default: keep)"},              \
        {"--density", "RHO", "links of an imported robot without mass have that of their shapes, in kg/m^3"},        \
        {"--with", "FILE...", "add the elements of another model file: loops, servos, contacts, sensors, ..."},      \
        {"--self-collision", NULL, "links of an imported robot collide with each other"},                            \
        {"--path", "DIR...", "folder in which files of an imported robot are looked for too"},                       \
    {                                                                                                                \
        "--strict", NULL, "what is not used of an imported file is an error"                                         \
    }

typedef struct reading {
    trm_read_options options; /* they borrow from the command line and from here */
    trm_constant *set;
    int set_count;
    trm_constant *inputs;
    int input_count;
    const char **paths, **with;
} reading;

/* False after saying what is wrong; to be ended all the same. */
bool reading_begin(const command_line *line, reading *r);
void reading_end(reading *r);

#endif
