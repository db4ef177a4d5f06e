/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The ranks that run this command line together. The program trammel has a single one (ranks_alone.c); trammel-mpi
 * has those that mpirun started (ranks_mpi.c). Rank 0 prints. The output of other ranks is discarded unless they
 * fail. */

#ifndef TRM_CLI_RANKS_H
#define TRM_CLI_RANKS_H

#include "trammel/trammel.h"

extern const char *const program_name;  /* "trammel" */
extern const char *const program_words; /* additional text of --help; "": none */
extern const char *const usual_solver;  /* default solver of impulse, the same on any number of ranks */

/* Starts the ranks. Call it first, because it may fork. Returns false after reporting why it cannot. */
bool ranks_begin(int argc, char **argv);

/* Returns the exchange of all ranks, or NULL if there is one rank. */
trm_exchange *ranks(void);

/* Returns whether this rank runs a command: all ranks run a command made for them, else rank 0 runs it alone. */
bool ranks_take_part(bool together);

/* Stops waiting for other ranks. Signal handlers may call it. */
void ranks_interrupt(void);

/* Waits for the other ranks and returns the exit code. Call it last. It does not return if a rank is lost. */
int ranks_end(int code);

#endif
