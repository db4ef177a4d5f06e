/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Options of the command line for reading a model: constants, and options of imported robots. */

#ifndef TRM_CLI_READING_H
#define TRM_CLI_READING_H

#include "command.h"

#define MODEL_OPTIONS                                                                                                \
    {"--set", "NAME=VALUE...", "replace a constant of the model (a number or an expression)"},                       \
        {"--input", "NAME=VALUE...", "set an input of the model for the whole run"},                                 \
        {"--without", "LIST",                                                                                        \
         "leave out parts of the model: actuators, contacts, damping, friction, gravity, limits"},                   \
        {"--base", "HOW", "imported robot: root link fixed to the world, or free (default: fixed)"},                 \
        {"--inertia", "HOW",                                                                                         \
         "imported robot: keep, repair or refuse impossible moments of inertia (default: keep)"},                    \
        {"--density", "RHO", "imported robot: compute missing masses from shapes with this density [kg/m^3]"},       \
        {"--with", "FILE...", "add the elements of another model file: loops, servos, contacts, sensors, ..."},      \
        {"--self-collision", NULL, "imported robot: links collide with each other"},                                 \
        {"--path", "DIR...", "also search this folder for files of an imported robot"},                              \
    {                                                                                                                \
        "--strict", NULL, "make unused elements of an imported file errors"                                          \
    }

typedef struct reading {
    trm_read_options options; /* they borrow from the command line and from this struct */
    trm_constant *set;
    int set_count;
    trm_constant *inputs;
    int input_count;
    const char **paths, **with;
} reading;

/* Reads the options. Returns false after reporting what is wrong. reading_end must be called in both cases. */
bool reading_begin(const command_line *line, reading *r);
void reading_end(reading *r);

#endif
