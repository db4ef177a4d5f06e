/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* mpirun -n K test_mpi_exchange: checks operations of ranks over MPI, and measures the round trip of a message.
 * test_mpi_exchange loss ROWS: writes rows until a rank is lost, as a run does; exit code 4. */

#include "exchanging.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "trammel/mpi.h"

static double wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds per round between the ranks 0 and 1. */
static double round_trip(trm_exchange *exchange, char *bytes, size_t count, int rounds)
{
    const double begun = wall_seconds();
    for (int i = 0; i < rounds && exchange->rank < 2; i++) {
        const int other = 1 - exchange->rank;
        if (exchange->rank == 0) exchange->send(exchange, other, bytes, count);
        exchange->receive(exchange, other, bytes, count);
        if (exchange->rank == 1) exchange->send(exchange, other, bytes, count);
    }
    return (wall_seconds() - begun) / rounds;
}

static void print_round_trips(trm_exchange *exchange)
{
    static char bytes[1 << 20];
    if (exchange->count < 2) return;
    round_trip(exchange, bytes, sizeof bytes, 3); /* warm */
    const double small = round_trip(exchange, bytes, 8, 500);
    const double large = round_trip(exchange, bytes, sizeof bytes, 10);
    if (exchange->rank == 0)
        printf("%d ranks: there and back: 8 bytes %.2f us, 1 MiB %.0f us\n", exchange->count, 1e6 * small,
               1e6 * large);
}

static int try_all(trm_exchange *exchange)
{
    int (*const works[])(trm_exchange *) = {numbered_messages, big_messages,     random_traffic,    spread,
                                            largest_of_one,    largest_with_nan, largest_of_equals, collect};
    int wrong = 0, tag = 0;
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
        const int found = works[i](exchange);
        if (found) fprintf(stderr, "rank %d of %d: work %zu: %d wrong\n", exchange->rank, exchange->count, i, found);
        wrong += found;
    }
    double worst = wrong;
    return !trm_exchange_largest(exchange, &worst, &tag) || worst > 0;
}

int main(int argc, char **argv)
{
    trm_exchange *exchange = trm_mpi_begin(&argc, &argv);
    if (!exchange) return 1;
    const int wrong = try_all(exchange);
    print_round_trips(exchange);
    /* two ranks took part: the others wait for them here, without a time limit */
    double last = 0;
    int tag = 0;
    const bool met = trm_exchange_largest(exchange, &last, &tag);
    const double patience = 600; /* s; all ranks end together, but on a busy machine not at the same time */
    return !trm_mpi_end(exchange, patience) || wrong || !met;
}
