/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Loops with independent iterations, on several threads where that pays.
 *
 * An iteration writes only to data of its own index or of its thread. Sums are taken afterwards in the order of
 * the indices, so the results are bit-identical for any number of threads. A loop inside an iteration, and a loop
 * while another thread of the program is in one, run on the thread that calls. */

#ifndef TRM_BASE_PARALLEL_H
#define TRM_BASE_PARALLEL_H

#include <stdbool.h>

/* One iteration; thread counts from 0. */
typedef void (*trm_visit)(void *context, int index, int thread);

/* Returns how many threads simulations of the calling thread may use: what trm_set_threads says, else OMP_NUM_THREADS,
 * else the number of processors; 1 in a build without threads. */
int trm_most_threads(void);

/* Runs the iterations 0 .. count - 1 on at most `threads` threads. even: they take about as long as each other. */
void trm_share_loop(int count, int threads, bool even, trm_visit visit, void *context);

/* Does the same, on the thread that calls where there is nothing to share. */
static inline void trm_for_each(int count, int threads, trm_visit visit, void *context)
{
    if (threads > 1 && count > 1) {
        trm_share_loop(count, threads, true, visit, context);
        return;
    }
    for (int i = 0; i < count; i++) visit(context, i, 0);
}

/* For long iterations of different duration: a thread that is ready takes the next few. */
static inline void trm_for_each_uneven(int count, int threads, trm_visit visit, void *context)
{
    trm_share_loop(count, threads, false, visit, context);
}

/* Lets one thread at a time run what is between the two. */
void trm_enter_alone(void);
void trm_leave_alone(void);

#endif
