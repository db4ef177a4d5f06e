#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Runs `make test` several times on a busy machine, each time in a clean clone of the last commit, while LOOPS other processes compute. Prints
# after each run how it ended and what failed; the output of run I is in out/busy/I.log. `make test-busy` runs this.
# Usage: busy.sh [RUNS] [LOOPS]; default: 3 runs next to 8 loops. Exit status 0: all runs passed.
set -u
runs=${1:-3} loops=${2:-8}
root=$(cd "$(dirname "$0")/.." && pwd)
logs=$root/out/busy
work=$(mktemp -d)
failures=0
mkdir -p "$logs"

# compute: until this script has ended, however it ends
compute() {
    while kill -0 $$ 2>/dev/null; do
        for ((i = 0; i < 100000; i++)); do :; done
    done
}

for ((l = 0; l < loops; l++)); do compute & done
trap 'kill $(jobs -p); rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

for ((run = 1; run <= runs; run++)); do
    rm -rf "$work/trammel"
    git clone -q "$root" "$work/trammel" || exit 2
    started=$SECONDS
    if make -C "$work/trammel" test >"$logs/$run.log" 2>&1 </dev/null; then verdict=passed; else
        verdict=failed
        failures=$((failures + 1))
    fi
    echo "run $run of $runs next to $loops loops at $(git -C "$work/trammel" log -1 --format=%h): $verdict in $((SECONDS - started)) s," \
        "load $(cut -d' ' -f1 /proc/loadavg)"
    sed -n '/^The following tests FAILED:$/,$p' "$logs/$run.log"
done
[ "$failures" -eq 0 ]
