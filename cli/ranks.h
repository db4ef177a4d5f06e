/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The ranks that run this command line together. In trammel there is one alone (ranks_alone.c); trammel-mpi has
 * those that mpirun started (ranks_mpi.c). Rank 0 speaks: what others print goes nowhere, unless they end by an
 * error of their own. */

#ifndef TRM_CLI_RANKS_H
#define TRM_CLI_RANKS_H

#include "trammel/trammel.h"

extern const char *const program_name;  /* "trammel" */
extern const char *const program_words; /* what else --help says; "": nothing */
extern const char *const usual_solver;  /* of impulse, unless another is requested: the same on any number of ranks */

/* To be called first: it may divide the process in two. Returns false after reporting why it cannot begin. */
bool ranks_begin(int argc, char **argv);

/* All of them; NULL: this one is alone. */
trm_exchange *ranks(void);

/* Whether this rank runs a command: all do that are made for it, else rank 0, which is alone from now on. */
bool ranks_take_part(bool together);

/* For handlers of signals: nobody waits for another rank any longer. */
void ranks_interrupt(void);

/* The last call: waits for the others and gives the exit code back. Where a rank is lost it does not return. */
int ranks_end(int code);

#endif
