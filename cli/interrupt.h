/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Orderly end of a command after Ctrl-C or kill: finished results are written and reported. */

#ifndef TRM_CLI_INTERRUPT_H
#define TRM_CLI_INTERRUPT_H

#include <stdbool.h>

void listen_to_signals(void); /* handles SIGINT and SIGTERM; a second one ends the program at once */
bool interrupted(void);       /* returns whether one was received */
void interrupt(void);         /* acts as if a signal had been received */

#endif
