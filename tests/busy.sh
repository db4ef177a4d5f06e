#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Runs `make test` several times on a busy machine, each time in a clean clone of the last commit, out/busy/trammel, while LOOPS other
# processes compute. They run in one session of their own, like programs started from another terminal. Where Linux groups processes by
# session (sched_autogroup_enabled), the loops together get as much of the processors as the tests together; elsewhere each loop gets as
# much as each process of the tests. Prints this, and after each run its result, its time, its processor time and the load, and the
# failed tests; the output of run I is in out/busy/I.log. `make test-busy` runs this.
# Usage: busy.sh [RUNS] [LOOPS [COMMAND...]]; default: 3 runs next to 8 loops. With a COMMAND, loop I repeats "COMMAND... I" instead of
# counting: random machines or fuzzing, say, so that the load is of use. Exit status 0: all runs passed.
set -u
runs=${1:-3} loops=${2:-8}
shift $(($# < 2 ? $# : 2))
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$root/out/busy
failures=0
mkdir -p "$folder"

# The loops end with this script, however it ends.
count='for ((i = 0; i < 100000; i++)); do :; done'
[ $# -eq 0 ] || count='"$@"'
compute='script=$1; shift; while kill -0 "$script" 2>/dev/null; do '$count'; done'
setsid bash -c 'script=$1 loops=$2 compute=$3; shift 3
    for ((l = 1; l <= loops; l++)); do bash -c "$compute" loop "$script" "$@" "$l" & done; wait' \
    loops $$ "$loops" "$compute" "$@" </dev/null >"$folder/loops.log" 2>&1 &
session=$!
trap 'kill -- "-$session" 2>/dev/null' EXIT
trap 'exit 130' INT TERM
grouped=$(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null || echo 0)
echo "$loops loops compute in a session of their own; sched_autogroup_enabled: $grouped"

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
