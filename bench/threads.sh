#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# threads.sh TRAMMEL: 300 chains of four rods on one and on two threads, first with the machine as it is, then with two busy loops per
# processor next to it. Prints elapsed and processor time, the ratio of two threads to one in the same minute, and whether the rows are the same.
set -eu
trammel=$(realpath "${1:?usage: threads.sh TRAMMEL}")
work=$(mktemp -d)
busy=""
trap 'kill $busy 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"

awk 'BEGIN {
    printf "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"simulation\": { \"step\": 0.005 }, \"bodies\": ["
    for (i = 0; i < 1200; i++)
        printf "%s{ \"name\": \"b%d\", \"rod\": { \"from\": [%d, %d, 0], \"to\": [%d, %d, 0], \"mass\": 1, \"radius\": 0.02 } }",
               i ? ", " : "", i, i % 4, 3 * int(i / 4), i % 4 + 1, 3 * int(i / 4)
    printf "], \"joints\": ["
    for (i = 0; i < 1200; i++)
        printf "%s{ \"name\": \"j%d\", \"type\": \"ball\", \"bodies\": [\"%s\", \"b%d\"], \"anchor\": [%d, %d, 0] }",
               i ? ", " : "", i, i % 4 ? "b" (i - 1) : "ground", i, i % 4, 3 * int(i / 4)
    print "] }"
}' >chains.json

# measure THREADS: elapsed and processor seconds of the quickest of five runs
measure() {
    for _ in 1 2 3 4 5; do
        OMP_NUM_THREADS=$1 bash -c 'TIMEFORMAT="%R %U"; time "$0" run chains.json --time 1 --columns t,E_kin --out "$1" >/dev/null' "$trammel" "rows$1" 2>&1 | tail -1
    done | sort -n | head -1
}

compare() {
    read -r one_elapsed one_user <<<"$(measure 1)"
    read -r two_elapsed two_user <<<"$(measure 2)"
    cmp rows1 rows2 && same="same rows" || same="OTHER ROWS"
    awk -v what="$1" -v a="$one_elapsed" -v b="$two_elapsed" -v c="$one_user" -v d="$two_user" -v same="$same" 'BEGIN {
        printf "%s: one thread %s s (%s s of processors), two threads %s s (%s s); two / one: %.2f elapsed, %.2f of processors; %s\n",
               what, a, c, b, d, b / a, d / c, same }'
}

compare "as it is"
for _ in $(seq $((2 * $(nproc)))); do
    (while :; do :; done) &
    busy="$busy $!"
done
compare "with $((2 * $(nproc))) busy loops"
