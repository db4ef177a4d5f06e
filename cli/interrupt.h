/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Ctrl-C and kill end a command in order: finished results are written and reported. */

#ifndef TRM_CLI_INTERRUPT_H
#define TRM_CLI_INTERRUPT_H

#include <stdbool.h>

void listen_to_signals(void); /* SIGINT and SIGTERM; a second one ends at once */
bool interrupted(void);       /* returns whether one was received */
void interrupt(void);         /* as if one had */

#endif
