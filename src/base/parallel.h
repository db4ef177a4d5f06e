/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Loops whose rounds do not touch each other, on several threads where that pays.
 *
 *     TRM_PARALLEL_FOR(worthwhile)
 *     for (int i = 0; i < count; i++) ...
 *
 * A round writes to what belongs to i alone and leaves sums to be taken afterwards in the order of i: so the bits are
 * the same for any number of threads. Without OpenMP the loop is an ordinary one. */

#ifndef TRM_BASE_PARALLEL_H
#define TRM_BASE_PARALLEL_H

#define TRM_PRAGMA(text) _Pragma(#text)

#ifdef _OPENMP
#include <omp.h>
#define TRM_PARALLEL_FOR(worthwhile) TRM_PRAGMA(omp parallel for schedule(static) if (worthwhile))
/* With as many threads as there are desks to work at, rounds of unequal length. */
#define TRM_PARALLEL_FOR_AT_DESKS(worthwhile, desks)                                                                 \
    TRM_PRAGMA(omp parallel for schedule(dynamic, 4) num_threads(desks) if (worthwhile))
static inline int trm_most_threads(void)
{
    return omp_get_max_threads();
}
static inline int trm_this_thread(void) /* from 0 */
{
    return omp_get_thread_num();
}
#else
#define TRM_PARALLEL_FOR(worthwhile)                 (void)(worthwhile);
#define TRM_PARALLEL_FOR_AT_DESKS(worthwhile, desks) (void)(worthwhile), (void)(desks);
static inline int trm_most_threads(void)
{
    return 1;
}
static inline int trm_this_thread(void)
{
    return 0;
}
#endif

#endif
