/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Loops with independent iterations, run on several threads.
 *
 * An iteration writes only to data of its own index or of its thread. Sums are taken afterwards in the order of
 * the indices, so the results are bit-identical for any number of threads. A loop inside an iteration, and a loop
 * that begins while another thread of the program runs one, run on the calling thread only. */

#ifndef TRM_BASE_PARALLEL_H
#define TRM_BASE_PARALLEL_H

#include <stdbool.h>

/* One iteration; thread counts from 0. */
typedef void (*trm_visit)(void *context, int index, int thread);

/* Returns the largest number of threads for simulations of the calling thread: the number set by trm_set_threads,
 * else OMP_NUM_THREADS, else the number of processors. Returns 1 in a build without threads. */
int trm_most_threads(void);

/* Runs the iterations 0 .. count - 1 on at most `threads` threads. even: all take about the same time. */
void trm_share_loop(int count, int threads, bool even, trm_visit visit, void *context);

/* Does the same for iterations of equal duration. Runs them directly if one thread suffices. */
static inline void trm_for_each(int count, int threads, trm_visit visit, void *context)
{
    if (threads > 1 && count > 1) {
        trm_share_loop(count, threads, true, visit, context);
        return;
    }
    for (int i = 0; i < count; i++) visit(context, i, 0);
}

/* Does the same for long iterations of different duration: each free thread takes the next few. */
static inline void trm_for_each_uneven(int count, int threads, trm_visit visit, void *context)
{
    trm_share_loop(count, threads, false, visit, context);
}

/* Lock and unlock a mutex of the library. Only one thread at a time runs the code between the two calls. */
void trm_lock_library(void);
void trm_unlock_library(void);

#endif
