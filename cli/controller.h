/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A controller as a separate process, in lock-step with a simulation over its standard input and output
 * (docs/controllers.md). */

#ifndef TRM_CLI_CONTROLLER_H
#define TRM_CLI_CONTROLLER_H

#include "command.h"

#define CONTROLLER_OPTIONS                                                                                           \
    {"--controller", "COMMAND", "program that sets the inputs: it reads values on stdin and answers on stdout"},     \
        {"--controller-period", "S", "simulated time between two exchanges [s] (default: the step)"},                \
        {"--controller-columns", "LIST",                                                                             \
         "columns that the controller receives (default: all sensors; in a model without sensors coordinates and "   \
         "rates of all joints)"},                                                                                    \
        {"--controller-format", "NAME", "format of the exchange: json or binary (default: json)"},                   \
        {"--controller-core", "NAME",                                                                                \
         "cores of the controller: any, or shared: one core with the simulation (default: any)"},                    \
    {                                                                                                                \
        "--controller-timeout", "S", "wall-clock time to wait for an answer [s] (default: 10)"                       \
    }

typedef struct controller controller;

/* Starts the process that the command line names and sends the greeting; *made is NULL if it names none. Returns
 * false after an error message in the name of the command `who`. */
bool controller_begin(const char *who, const command_line *line, const trm_model *model,
                      const trm_simulation_def *options, trm_messages *messages, controller **made);
/* Closes the input of the process, which tells it that the run has ended, and ends it if it does not exit. */
void controller_end(controller *c);

double controller_period(const controller *c); /* s */
bool controller_needs_reactions(const controller *c);

/* Sends the values of the current time, waits for the answer, and sets the inputs. The outcome has the reason of a
 * failure. */
trm_outcome controller_exchange(controller *c, trm_sim *sim);

#endif
