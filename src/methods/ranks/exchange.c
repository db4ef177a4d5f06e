/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Collective operations by binomial trees. The bits of a rank's number give its partners. For a mask of one bit,
 * the subtree of rank r has the ranks r .. r + mask - 1, and r is a child of r - mask if that bit of r is set. A
 * value goes up from the smallest mask to the largest, and down in the reverse order. The numbers of a subtree are
 * consecutive, so pieces ordered by rank are adjacent. */

#include "methods/ranks/exchange.h"

#include <math.h>
#include <string.h>

static bool is_alone(const trm_exchange *exchange)
{
    return !exchange || exchange->count <= 1;
}

/* Empty messages are not sent: both sides know the size. */
static bool send(trm_exchange *exchange, int to, const void *bytes, size_t count)
{
    return count == 0 || exchange->send(exchange, to, bytes, count);
}

static bool receive(trm_exchange *exchange, int from, void *bytes, size_t count)
{
    return count == 0 || exchange->receive(exchange, from, bytes, count);
}

/* Returns the bit that connects this rank with its parent. For rank 0, which has no parent, returns the first bit
 * beyond all ranks. */
static int top_mask(const trm_exchange *exchange)
{
    int mask = 1;
    while (mask < exchange->count && !(exchange->rank & mask)) mask <<= 1;
    return mask;
}

bool trm_exchange_spread(trm_exchange *exchange, void *bytes, size_t count)
{
    if (is_alone(exchange)) return true;
    const int top = top_mask(exchange);
    if (exchange->rank > 0 && !receive(exchange, exchange->rank - top, bytes, count)) return false;
    for (int mask = top >> 1; mask > 0; mask >>= 1)
        if (exchange->rank + mask < exchange->count && !send(exchange, exchange->rank + mask, bytes, count))
            return false;
    return true;
}

/* ---- The largest value --------------------------------------------------------------------- */

typedef struct tagged {
    double value;
    int tag;
    int padding; /* so that all bytes that are sent have a value */
} tagged;

/* Returns the larger of two; NaN is larger than all. */
static tagged larger_of(tagged a, tagged b)
{
    const bool a_nan = isnan(a.value), b_nan = isnan(b.value);
    if (a_nan != b_nan) return a_nan ? a : b;
    if (!a_nan && a.value != b.value) return a.value > b.value ? a : b;
    return a.tag <= b.tag ? a : b;
}

bool trm_exchange_largest(trm_exchange *exchange, double *value, int *tag)
{
    if (is_alone(exchange)) return true;
    const int rank = exchange->rank, top = top_mask(exchange);
    tagged mine = {*value, *tag, 0}, other;
    for (int mask = 1; mask < top; mask <<= 1) {
        if (rank + mask >= exchange->count) continue;
        if (!receive(exchange, rank + mask, &other, sizeof other)) return false;
        mine = larger_of(mine, other);
    }
    if (rank > 0 && !send(exchange, rank - top, &mine, sizeof mine)) return false;
    if (!trm_exchange_spread(exchange, &mine, sizeof mine)) return false;
    *value = mine.value;
    *tag = mine.tag;
    return true;
}

/* ---- Collecting pieces --------------------------------------------------------------------- */

/* Returns the bytes of the ranks first .. end - 1. */
static size_t size_of(const size_t *sizes, int first, int end)
{
    size_t sum = 0;
    for (int r = first; r < end; r++) sum += sizes[r];
    return sum;
}

static int end_of_subtree(const trm_exchange *exchange, int first, int mask)
{
    return mask < exchange->count - first ? first + mask : exchange->count;
}

/* Receives the pieces of all ranks of the subtree into their places, then sends them to the parent. Returns false
 * if a rank is lost. */
static bool collect_upwards(trm_exchange *exchange, const size_t *sizes, char *all)
{
    const int rank = exchange->rank, top = top_mask(exchange);
    for (int mask = 1; mask < top; mask <<= 1) {
        const int from = rank + mask;
        if (from >= exchange->count) continue;
        const size_t size = size_of(sizes, from, end_of_subtree(exchange, from, mask));
        if (!receive(exchange, from, all + size_of(sizes, 0, from), size)) return false;
    }
    const size_t size = size_of(sizes, rank, end_of_subtree(exchange, rank, top));
    return rank == 0 || send(exchange, rank - top, all + size_of(sizes, 0, rank), size);
}

bool trm_exchange_collect(trm_exchange *exchange, const void *piece, const size_t *sizes, void *all)
{
    const int rank = exchange ? exchange->rank : 0;
    if (sizes[rank] > 0) memmove((char *)all + size_of(sizes, 0, rank), piece, sizes[rank]);
    if (is_alone(exchange)) return true;
    return collect_upwards(exchange, sizes, all) &&
           trm_exchange_spread(exchange, all, size_of(sizes, 0, exchange->count));
}
