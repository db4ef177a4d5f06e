#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# exchange.sh MPIRUN TEST_MPI_EXCHANGE: messages over MPI, between 1 to 5 ranks; and how long they take.
. "$(dirname "$0")/ranks.sh"

for ranks in 1 2 3 4 5; do
    ends 0 "$ranks"
    cat "$work/out"
done
verdict
