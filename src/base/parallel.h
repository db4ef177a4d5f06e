/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Loops with independent iterations, on several threads where that pays.
 *
 * An iteration writes only to data of its own index or of its thread. Sums are taken afterwards in the order of
 * the indices, so the results are bit-identical for any number of threads. On one thread, or without OpenMP, it is
 * an ordinary loop without extra cost. */

#ifndef TRM_BASE_PARALLEL_H
#define TRM_BASE_PARALLEL_H

#ifdef _OPENMP
#include <omp.h>
#endif

/* One iteration; thread counts from 0. */
typedef void (*trm_visit)(void *context, int index, int thread);

static inline int trm_most_threads(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

/* Runs the iterations 0 .. count - 1 on at most `threads` threads. */
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

/* Does the same for long iterations of different duration: a thread that is ready takes the next few. */
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
