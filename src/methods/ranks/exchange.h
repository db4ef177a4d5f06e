/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What ranks do together, made of messages between two of them (trammel/sim.h: trm_exchange). All ranks call the same
 * functions in the same order. NULL, or one rank alone: nothing is sent.
 *
 * Each is a binomial tree: log2(count) messages one after the other. False: a rank is lost. */

#ifndef TRM_METHODS_RANKS_EXCHANGE_H
#define TRM_METHODS_RANKS_EXCHANGE_H

#include "trammel/sim.h"

/* Of rank 0 to all. */
bool trm_exchange_spread(trm_exchange *exchange, void *bytes, size_t count);

/* The largest of all ranks' values, NaN being larger than all, into each; and a tag of the rank that had it, of equal ones
 * the smallest. */
bool trm_exchange_largest(trm_exchange *exchange, double *value, int *tag);

/* Pieces of all ranks, one behind the other by rank, into `all` of each rank: `piece` of rank r being sizes[r] bytes. */
bool trm_exchange_collect(trm_exchange *exchange, const void *piece, const size_t *sizes, void *all);

#endif
