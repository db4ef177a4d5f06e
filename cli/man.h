/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#ifndef TRM_CLI_MAN_H
#define TRM_CLI_MAN_H

/* Prints the manual page trammel(1) of all commands to stdout, in roff. */
void print_manual(void);

#endif
