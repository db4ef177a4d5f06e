/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* mpirun -n K test_mpi_loss WHAT ROWS: ranks as in trammel-mpi (cli/ranks_mpi.c, cli/watcher.c). They compare a
 * number repeatedly, while rank 0 writes a row each time, until something happens:
 *
 *   rows   nothing: the test script kills a rank
 *   end    after a while all ranks end with exit code 0
 *   stop   after a while all ranks end with exit code 4, each with a message
 *   fail   after a while rank 1 ends with exit code 3, with a message
 *   crash  after a while rank 1 aborts
 *
 * When a rank is lost, rank 0 writes this and its number of rows to ROWS.end. A test cannot rely on its stderr:
 * mpirun forwards that for one second only, and on a busy machine rank 0 may take longer. */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "methods/ranks/exchange.h"
#include "ranks.h"

/* Returns the exit code, or -1: continues. */
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

/* Writes what rank 0 knows about its end to a file. */
static void report_loss(const char *rows_path, long rows)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.end", rows_path);
    FILE *end = fopen(path, "w");
    if (!end) return;
    fprintf(end, "a rank is lost after %ld rows\n", rows);
    fclose(end);
}

/* Runs until the end. Returns the exit code. lost: number of rows after which a rank was lost, -1: none was. */
static int run_to_end(trm_exchange *exchange, const char *what, FILE *rows, long *lost)
{
    enum { LATER = 100 };
    int code = -1;
    for (long i = 0; code < 0; i++) {
        double value = (double)i;
        int tag = 0;
        if (!trm_exchange_largest(exchange, &value, &tag)) {
            *lost = i;
            return 4;
        }
        if (rows) fprintf(rows, "row,%ld\n", i);
        if (i >= LATER) code = happens(what, exchange->rank);
    }
    return code;
}

int main(int argc, char **argv)
{
    if (argc != 3 || !ranks_begin(argc, argv)) return 2;
    if (!ranks_take_part(true) || !ranks()) return 2;
    FILE *rows = ranks()->rank == 0 ? fopen(argv[2], "w") : NULL;
    long lost = -1;
    const int code = run_to_end(ranks(), argv[1], rows, &lost);
    if (rows) fclose(rows);
    if (rows && lost >= 0) report_loss(argv[2], lost);
    return ranks_end(code);
}
