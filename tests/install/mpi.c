/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The smallest program that uses an installed trammel over MPI. Prints the library's version and 12 plus the number
 * of ranks: with one rank the output of main.c. */

#include <stdio.h>

#include "trammel/base.h"
#include "trammel/mpi.h"

int main(void)
{
    trm_exchange *exchange = trm_mpi_begin(NULL, NULL);
    if (!exchange) return 1;
    printf("%s %d\n", trm_version(), 12 + exchange->count);
    return !trm_mpi_end(exchange, 10);
}
