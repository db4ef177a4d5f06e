/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A method as named on the command line, with its own options: lagrange:integrator=rk4:beta=20. */

#ifndef TRM_CLI_METHOD_H
#define TRM_CLI_METHOD_H

#include "trammel/trammel.h"

enum { MOST_METHOD_OPTIONS = 32 };

typedef struct method_choice {
    char text[400];                          /* the name, cut into pieces */
    trm_option options[MOST_METHOD_OPTIONS]; /* those of the model, then those of the name */
} method_choice;

/* Puts the method and its options into *options, which borrows from the choice. Returns false with the reason in why,
 * as a sentence. */
bool choose_method(const char *name, trm_simulation_def *options, method_choice *choice, char *why, size_t size);

#endif
