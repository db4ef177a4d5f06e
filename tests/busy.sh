#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Runs `make test` several times on a busy machine, each time in a clean clone of the last commit, out/busy/trammel, while LOOPS other
# processes compute. Prints after each run its result, its time and its processor time, and the failed tests; the output of run I is in
# out/busy/I.log. `make test-busy` runs this.
# Usage: busy.sh [RUNS] [LOOPS]; default: 3 runs next to 8 loops. Exit status 0: all runs passed.
set -u
runs=${1:-3} loops=${2:-8}
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$root/out/busy
failures=0
mkdir -p "$folder"

# compute: until this script has ended, however it ends
compute() {
    while kill -0 $$ 2>/dev/null; do
        for ((i = 0; i < 100000; i++)); do :; done
    done
}

for ((l = 0; l < loops; l++)); do compute & done
trap 'kill $(jobs -p)' EXIT
trap 'exit 130' INT TERM

TIMEFORMAT='%0R s, %0U + %0S s of processor time'
for ((run = 1; run <= runs; run++)); do
    rm -rf "$folder/trammel"
    git clone -q "$root" "$folder/trammel" || exit 2
    verdict=passed
    { time make -C "$folder/trammel" test >"$folder/$run.log" 2>&1 </dev/null || verdict=failed; } 2>"$folder/time"
    [ "$verdict" = passed ] || failures=$((failures + 1))
    echo "run $run of $runs next to $loops loops at $(git -C "$folder/trammel" log -1 --format=%h): $verdict in $(cat "$folder/time")," \
        "load $(cut -d' ' -f1 /proc/loadavg)"
    sed -n '/^The following tests FAILED:$/,$p' "$folder/$run.log"
done
[ "$failures" -eq 0 ]
