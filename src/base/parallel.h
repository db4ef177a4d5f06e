/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Loops whose rounds do not touch each other, on several threads where that pays.
 *
 * A round writes to what belongs to its index alone, or to its thread, and leaves sums to be taken afterwards in the
 * order of the indices: so the bits are the same for any number of threads. On one thread, or without OpenMP, the loop
 * is an ordinary one and costs nothing more. */

#ifndef TRM_BASE_PARALLEL_H
#define TRM_BASE_PARALLEL_H

#ifdef _OPENMP
#include <omp.h>
#endif

/* One round; thread counts from 0. */
typedef void (*trm_visit)(void *context, int index, int thread);

static inline int trm_most_threads(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

/* Rounds 0 .. count - 1, on at most so many threads. */
static inline void trm_for_each(int count, int threads, trm_visit visit, void *context)
{
#ifdef _OPENMP
    if (threads > 1) {
#pragma omp parallel for schedule(guided) num_threads(threads)
        for (int i = 0; i < count; i++) visit(context, i, omp_get_thread_num());
        return;
    }
#endif
    (void)threads;
    for (int i = 0; i < count; i++) visit(context, i, 0);
}

/* The same for rounds that take long and differently long: a thread that is done takes the next few. */
static inline void trm_for_each_uneven(int count, int threads, trm_visit visit, void *context)
{
#ifdef _OPENMP
    if (threads > 1) {
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads)
        for (int i = 0; i < count; i++) visit(context, i, omp_get_thread_num());
        return;
    }
#endif
    (void)threads;
    for (int i = 0; i < count; i++) visit(context, i, 0);
}

#endif
