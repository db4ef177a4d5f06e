/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Ranks that are processes over MPI. In a library of its own, trammel_mpi, so that the others need no MPI; this header needs
 * none either. */

#ifndef TRAMMEL_MPI_H
#define TRAMMEL_MPI_H

#include "trammel/base.h"
#include "trammel/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begins MPI, unless the program has done so, and gives this process its part of all ranks; of one thread at a time. NULL:
 * there is no MPI, or no memory. argc and argv may be NULL. */
TRM_API trm_exchange *trm_mpi_begin(int *argc, char ***argv);

/* For a handler of signals: from now on sends and receives of this process return false, also those that wait. MPI itself does
 * not say that a rank is lost, but mpirun then sends SIGTERM to all others. */
TRM_API void trm_mpi_give_up(void);
TRM_API bool trm_mpi_has_given_up(void);

/* Waits until all ranks have come here, at most so many seconds, and ends MPI if it was begun here. False: some did not come.
 * Then MPI cannot be ended, and the program does best to leave by _exit. */
TRM_API bool trm_mpi_end(trm_exchange *exchange, double patience);

#ifdef __cplusplus
}
#endif

#endif
