/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Operations that ranks of any kind must perform correctly, with threads (unit/exchange.c) and over MPI
 * (mpi/exchange.c). Each function returns the number of errors, because ranks cannot use assertions. */

#ifndef TRM_TESTS_EXCHANGING_H
#define TRM_TESTS_EXCHANGING_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "methods/ranks/exchange.h"

enum { MOST_RANKS = 7 };

enum { ROUNDS = 200 };

static inline int numbered_messages(trm_exchange *exchange)
{
    int wrong = 0;
    for (int i = 0; i < ROUNDS; i++)
        for (int to = 0; to < exchange->count; to++) {
            int number[2] = {i, exchange->rank};
            wrong += !exchange->send(exchange, to, number, sizeof number);
            number[0] = -1; /* sent data may be overwritten */
        }
    for (int from = exchange->count - 1; from >= 0; from--)
        for (int i = 0; i < ROUNDS; i++) {
            int number[2];
            wrong += !exchange->receive(exchange, from, number, sizeof number) || number[0] != i || number[1] != from;
        }
    wrong += exchange->messages != ROUNDS * exchange->count;
    wrong += exchange->bytes != (long long)sizeof(int[2]) * ROUNDS * exchange->count;
    return wrong;
}

/* Sends messages of growing and shrinking sizes around a ring. */
static inline int big_messages(trm_exchange *exchange)
{
    const size_t most = 1 << 20;
    const int next = (exchange->rank + 1) % exchange->count;
    const int before = (exchange->rank + exchange->count - 1) % exchange->count;
    unsigned char *sent = malloc(most), *received = malloc(most);
    int wrong = !sent || !received;
    for (size_t size = 1; size <= most && !wrong; size *= 4)
        for (size_t small = 0; small < 3; small++) {
            const size_t count = small ? small : size;
            memset(sent, 1 + exchange->rank, count);
            memset(received, 0, count);
            wrong += !exchange->send(exchange, next, sent, count);
            wrong += !exchange->receive(exchange, before, received, count);
            wrong +=
                received[0] != 1 + before || received[count / 2] != 1 + before || received[count - 1] != 1 + before;
        }
    free(sent);
    free(received);
    return wrong;
}

/* All ranks draw the same numbers, which determine who sends how much to whom. No rank waits before it sends. */
static inline int random_traffic(trm_exchange *exchange)
{
    enum { LETTERS = 2000, LONGEST = 4000 };
    static const uint64_t SEED = 11;
    trm_random random = trm_random_seed(SEED);
    unsigned char bytes[LONGEST];
    int wrong = 0;
    for (int i = 0; i < LETTERS; i++) {
        const int from = (int)(trm_random_bits(&random) % (uint64_t)exchange->count);
        const int to = (int)(trm_random_bits(&random) % (uint64_t)exchange->count);
        const size_t size = 1 + trm_random_bits(&random) % LONGEST;
        const int mark = i % 251;
        memset(bytes, mark, size);
        if (from == exchange->rank) wrong += !exchange->send(exchange, to, bytes, size);
        memset(bytes, 255, size);
        if (to == exchange->rank)
            wrong += !exchange->receive(exchange, from, bytes, size) || bytes[0] != mark || bytes[size - 1] != mark;
    }
    return wrong;
}

static inline int spread(trm_exchange *exchange)
{
    double numbers[100];
    for (int i = 0; i < 100; i++) numbers[i] = exchange->rank == 0 ? i * i : -1;
    int wrong = !trm_exchange_spread(exchange, numbers, sizeof numbers);
    for (int i = 0; i < 100; i++) wrong += numbers[i] != i * i;
    return wrong;
}

/* Each rank in turn has the largest value. */
static inline int largest_of_one(trm_exchange *exchange)
{
    int wrong = 0;
    for (int best = 0; best < exchange->count; best++) {
        double value = exchange->rank == best ? -1 : -2 - exchange->rank;
        int tag = 100 + exchange->rank;
        wrong += !trm_exchange_largest(exchange, &value, &tag) || value != -1 || tag != 100 + best;
    }
    return wrong;
}

static inline int largest_with_nan(trm_exchange *exchange)
{
    int wrong = 0;
    for (int sick = 0; sick < exchange->count; sick++) {
        double value = exchange->rank == sick ? NAN : (double)INFINITY;
        int tag = exchange->rank;
        wrong += !trm_exchange_largest(exchange, &value, &tag) || !isnan(value) || tag != sick;
    }
    double value = NAN;
    int tag = exchange->rank;
    wrong += !trm_exchange_largest(exchange, &value, &tag) || !isnan(value) || tag != 0;
    return wrong;
}

/* Tags fall as ranks rise. */
static inline int largest_of_equals(trm_exchange *exchange)
{
    double value = 3;
    int tag = 50 - exchange->rank;
    const bool good = trm_exchange_largest(exchange, &value, &tag);
    return !good || value != 3 || tag != 50 - (exchange->count - 1);
}

/* Rank r contributes (r % 3) * 7 numbers: some ranks have none. */
static inline int collect(trm_exchange *exchange)
{
    size_t sizes[MOST_RANKS];
    int mine[14], all[14 * MOST_RANKS], wrong = 0, at = 0;
    for (int r = 0; r < exchange->count; r++) sizes[r] = sizeof(int) * (size_t)(r % 3 * 7);
    for (int i = 0; i < 14; i++) mine[i] = 1000 * exchange->rank + i;
    memset(all, -1, sizeof all);
    wrong += !trm_exchange_collect(exchange, mine, sizes, all);
    for (int r = 0; r < exchange->count; r++)
        for (int i = 0; i < r % 3 * 7; i++) wrong += all[at++] != 1000 * r + i;
    for (; at < 14 * MOST_RANKS; at++) wrong += all[at] != -1;
    return wrong;
}

#endif
