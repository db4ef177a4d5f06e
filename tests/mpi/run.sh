#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# run.sh MPIRUN TRAMMEL_MPI TRAMMEL EXAMPLES: runs on several ranks. The rows are the same bytes on any number of ranks; when a rank is
# killed, the run ends with exit code 4 and keeps its rows, and can be resumed with the same result.
. "$(dirname "$0")/ranks.sh"
trammel=$3
examples=$4

# ---- The same on any number of ranks ----------------------------------------------------------

# same NAME MODEL OPTIONS...: 1 and 3 ranks, which is neither a power of two nor the number of processors, and trammel itself
# with the same solver; tests/methods/ranks.c tries other numbers
same() {
    local name=$1 model=$2
    shift 2
    "$trammel" run "$model" "$@" --out "$work/alone.csv" >/dev/null 2>"$work/err" || fail "$name alone: $(cat "$work/err")"
    for ranks in 1 3; do
        ends 0 "$ranks" run "$model" "$@" --out "$work/rows.csv"
        count=$((count + 1))
        cmp -s "$work/alone.csv" "$work/rows.csv" || fail "$name: $ranks ranks wrote other rows"
    done
}

same "8-Loop" "$examples/eight-loop.json" --solver hierarchy --time 0.5 --every 0.05
same "crane" "$examples/crane.json" --solver hierarchy --time 0.1 --every 0.01
same "four-bar by subsystems" "$examples/four-bar.json" --method subsystem:leaf=1 --time 0.2 --every 0.02

# A chain that is too long to be known to all ranks.
chain() {
    awk -v n="$1" 'BEGIN {
        printf "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
        for (i = 0; i < n; i++)
            printf "%s{ \"name\": \"r%d\", \"rod\": { \"from\": [%g, %g, 0], \"to\": [%g, %g, 0], \"mass\": 1, \"radius\": 0.01 } }",
                i ? "," : "", i, 0.8 * i, i % 2 ? -0.6 : 0, 0.8 * (i + 1), i % 2 ? 0 : -0.6
        printf "], \"joints\": ["
        for (i = 0; i < n; i++)
            printf "%s{ \"name\": \"j%d\", \"type\": \"ball\", \"bodies\": [\"%s\", \"r%d\"], \"anchor\": [%g, %g, 0] }",
                i ? "," : "", i, i ? "r" (i - 1) : "ground", i, 0.8 * i, i % 2 ? -0.6 : 0
        printf "], \"simulation\": { \"step\": 0.001, \"solver\": \"hierarchy\" } }"
    }'
}
chain 500 >"$work/chain.json"
same "chain" "$work/chain.json" --time 0.05 --every 0.01
same "chain by subsystems" "$work/chain.json" --method subsystem:integrator=heun --time 0.02 --every 0.01

# ---- Models that cannot be divided --------------------------------------------------------------

ends 3 2 run "$examples/four-bar.json" --solver direct --time 0.1
says err 'the solver "direct" runs on one rank; take the solver hierarchy'
ends 3 2 run "$examples/four-bar.json" --method lagrange --time 0.1
says err 'the method "lagrange" runs on one rank; take subsystem, or impulse with the solver hierarchy'
ends 3 2 run "$examples/stack.json" --time 0.1
says err 'may collide; contacts are found on one rank'
ends 3 2 run "$examples/four-bar.json" --time 0.1 --out "$work/no/such/folder.csv"
says err 'cannot write .*folder.csv'

# ---- A rank is lost -----------------------------------------------------------------------------

"$mpirun" --version | grep -q -e 'Open MPI' -e OpenRTE || verdict
model=$work/chain.json
motion=(--every 0.005 --columns 't,r0.*,r499.*')

# of_rank RANK: prints its process
of_rank() {
    local watcher
    for watcher in $(pgrep -P "$job"); do
        tr '\0' '\n' <"/proc/$watcher/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1" && pgrep -P "$watcher"
    done
}

# A run without an end is killed once it has a checkpoint and rows, and resumed to END, some rows after the last one that was written: the
# test does not depend on the speed of ranks.
# rows_of FILE: their number so far
rows_of() { grep -vcs '^#' "$1" || [ -e "$1" ] || echo 0; }

for lost in 2 0; do
    rm -f "$work/kept.csv" "$work/saved"
    "$mpirun" -n 3 "$program" run "$model" "${motion[@]}" --time 1e6 --out "$work/kept.csv" --checkpoint "$work/saved" \
        >"$work/out" 2>"$work/err" </dev/null &
    job=$!
    seen=0
    while kill -0 "$job" 2>/dev/null; do
        seen=$(rows_of "$work/kept.csv")
        [ -s "$work/saved" ] && [ "$seen" -gt 10 ] && break
        sleep 0.1
    done
    kill -9 "$(of_rank "$lost")"
    begun=$EPOCHREALTIME
    wait "$job"
    is "exit code when rank $lost is killed" 4 $?
    took=$(awk -v from="$begun" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.2f", to - from }')
    echo "rank $lost of 3 was killed: all had ended after $took s"
    says err "rank $lost was killed by signal 9"
    kept=$(rows_of "$work/kept.csv")
    count=$((count + 1))
    [ "$seen" -gt 10 ] && [ "$kept" -ge "$seen" ] || fail "rank $lost was killed: of $seen rows $kept were kept"
    end=$(tail -n 1 "$work/kept.csv" | awk -F, '{ printf "%.3f", $1 + 0.05 }')
    ends 0 2 run "$model" "${motion[@]}" --time "$end" --out "$work/kept.csv" --resume "$work/saved"
    "$trammel" run "$model" "${motion[@]}" --time "$end" --out "$work/whole.csv" >/dev/null
    count=$((count + 1))
    cmp -s "$work/whole.csv" "$work/kept.csv" || fail "rank $lost was killed: going on led elsewhere"
done
verdict
