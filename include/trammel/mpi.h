/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Ranks as processes that communicate by MPI. These functions are in a separate library, trammel_mpi, so that the main
 * library does not depend on MPI. This header does not include MPI either. */

#ifndef TRAMMEL_MPI_H
#define TRAMMEL_MPI_H

#include "trammel/base.h"
#include "trammel/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Initialises MPI unless the program has done so. Returns the exchange of this process, which trm_mpi_end
 * releases; only one thread at a time may use it. argc and argv may be NULL. Returns NULL if MPI is not available
 * or out of memory. */
TRM_API trm_exchange *trm_mpi_begin(int *argc, char ***argv);

/* Makes all sends and receives of this process return false from this call on, including those that are waiting. A
 * signal handler may call it. MPI itself does not report that a rank is lost, but mpirun then sends SIGTERM to all
 * others. */
TRM_API void trm_mpi_give_up(void);
/* Returns whether trm_mpi_give_up was called. */
TRM_API bool trm_mpi_has_given_up(void);

/* Waits until all ranks have called this function, at most `patience` seconds, and finalises MPI if trm_mpi_begin
 * initialised it. Returns false if some rank did not arrive. Then MPI cannot be finalised, and the program should
 * leave by _exit. */
TRM_API bool trm_mpi_end(trm_exchange *exchange, double patience);

#ifdef __cplusplus
}
#endif

#endif
