/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Collective operations of all ranks, made of messages between two of them (trammel/sim.h: trm_exchange). All
 * ranks call the same functions in the same order. With NULL, or with one rank, nothing is sent.
 *
 * Each operation is a binomial tree: log2(count) messages one after the other. All return false if a rank is lost. */

#ifndef TRM_METHODS_RANKS_EXCHANGE_H
#define TRM_METHODS_RANKS_EXCHANGE_H

#include "trammel/sim.h"

/* Sends bytes of rank 0 to all ranks. */
bool trm_exchange_spread(trm_exchange *exchange, void *bytes, size_t count);

/* Sets value on all ranks to the largest of all ranks, where NaN is larger than all, and tag to the tag of the
 * rank that had it, the smallest tag among equal values. */
bool trm_exchange_largest(trm_exchange *exchange, double *value, int *tag);

/* Collects the pieces of all ranks, ordered by rank, in `all` of each rank. The piece of rank r has sizes[r]
 * bytes. */
bool trm_exchange_collect(trm_exchange *exchange, const void *piece, const size_t *sizes, void *all);

#endif
