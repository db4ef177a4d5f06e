/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* mpirun -n K test_mpi_loss WHAT ROWS: ranks as trammel-mpi has them (cli/ranks_mpi.c, cli/watcher.c), which compare a number
 * again and again while rank 0 writes a row with the time on the wall each time, until something happens:
 *
 *   rows   nothing: it is for others to kill a rank
 *   end    after a while all ranks end with exit code 0
 *   stop   after a while all ranks end with exit code 4, each saying so
 *   fail   after a while rank 1 ends with exit code 3, saying so
 *   crash  after a while rank 1 aborts */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "methods/subsystem/exchange.h"
#include "ranks.h"

static double wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The exit code, or -1: goes on. */
static int happens(const char *what, int rank)
{
    if (strcmp(what, "end") == 0) return 0;
    if (strcmp(what, "stop") == 0) {
        fprintf(stderr, "stopped as all others\n");
        return 4;
    }
    if (strcmp(what, "fail") == 0 && rank == 1) {
        fprintf(stderr, "something is wrong\n");
        return 3;
    }
    if (strcmp(what, "crash") == 0 && rank == 1) abort();
    return -1;
}

static int go_on(trm_exchange *exchange, const char *what, FILE *rows)
{
    enum { LATER = 2000 };
    int code = -1;
    for (long i = 0; code < 0; i++) {
        double value = (double)i;
        int tag = 0;
        if (!trm_exchange_largest(exchange, &value, &tag)) {
            fprintf(stderr, "a rank is lost\n");
            return 4;
        }
        if (rows) fprintf(rows, "%.6f,%ld\n", wall_seconds(), i);
        if (i >= LATER) code = happens(what, exchange->rank);
    }
    return code;
}

int main(int argc, char **argv)
{
    if (argc != 3 || !ranks_begin(argc, argv)) return 2;
    if (!ranks_take_part(true) || !ranks()) return 2;
    FILE *rows = ranks()->rank == 0 ? fopen(argv[2], "w") : NULL;
    const int code = go_on(ranks(), argv[1], rows);
    if (rows) fclose(rows);
    return ranks_end(code);
}
