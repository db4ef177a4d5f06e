#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# loss.sh MPIRUN TEST_MPI_LOSS: how ranks end, together and alone; a rank that is killed, and mpirun that is ended by a signal.
. "$(dirname "$0")/ranks.sh"

# Other programs that start ranks have other rules (docs/ranks.md).
"$mpirun" --version | grep -q -e 'Open MPI' -e OpenRTE || exit 77

# process RANK: prints its process of the job that was started last
process() {
    local watcher
    for watcher in $(pgrep -P "$job"); do
        tr '\0' '\n' <"/proc/$watcher/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1" && pgrep -P "$watcher"
    done
}

# processes: prints watchers and ranks of the job that was started last
processes() {
    local watcher
    for watcher in $(pgrep -P "$job"); do echo "$watcher" && pgrep -P "$watcher"; done
}

# start RANKS: returns when all of them write rows
start() {
    rm -f "$work/rows" "$work/rows.end"
    "$mpirun" -n "$1" "$program" rows "$work/rows" >"$work/out" 2>"$work/err" </dev/null &
    job=$!
    while kill -0 "$job" && ! [ -s "$work/rows" ]; do sleep 0.05; done
    started=$(processes)
    is "processes of $1 ranks" $((2 * $1)) "$(echo "$started" | wc -w)"
}

# lives PROCESS
lives() {
    case $(ps -o stat= -p "$1") in '' | Z*) return 1 ;; esac
}

# end_of_job: returns the exit code of mpirun when no process is left. If a rank hangs, the test runs into its time limit.
end_of_job() {
    local code pid
    wait "$job"
    code=$?
    for pid in $started; do
        while lives "$pid"; do sleep 0.05; done
    done
    return $code
}

# all_end WHAT CODE: asserts that mpirun ends, and that no process is left
all_end() {
    end_of_job
    is "exit code when $1" "$2" $?
}

# rows_kept WHAT: asserts that rank 0 noticed the loss, and that all rows written by then are complete
rows_kept() {
    for _ in $(seq 2000); do # rank 0 may live longer than mpirun, but ends
        [ -s "$work/rows.end" ] && break
        sleep 0.05
    done
    is "last byte when $1" 1 "$(tail -c 1 "$work/rows" | wc -l)"
    is "rows that are not whole when $1" 0 "$(awk -F, 'NF != 2 || $2 != NR - 1' "$work/rows" | wc -l)"
    is "what rank 0 says when $1" "a rank is lost after $(wc -l <"$work/rows") rows" "$(cat "$work/rows.end")"
}

# ---- Together and alone -----------------------------------------------------------------------

ends 0 3 end "$work/rows"
is "rows" 101 "$(wc -l <"$work/rows")"
says err . 0

ends 4 3 stop "$work/rows"
says err '^stopped as all others$' # rank 0 speaks
says err 'rank 1' 0
is "rows" 101 "$(wc -l <"$work/rows")"

ends 3 3 fail "$work/rows"
says err '^trammel-mpi: rank 1 ended by itself with exit code 3$'
says err '^rank 1: something is wrong$'
rows_kept "rank 1 fails"

rm "$work/rows.end"
ends 4 3 crash "$work/rows"
says err '^trammel-mpi: rank 1 was killed by signal 6 '
rows_kept "rank 1 aborts"

# ---- Killed -----------------------------------------------------------------------------------

for ranks in 2 4; do
    start "$ranks"
    lost=$((ranks - 1))
    kill -9 "$(process $lost)"
    all_end "rank $lost is killed" 4
    says err "^trammel-mpi: rank $lost was killed by signal 9 "
    rows_kept "rank $lost is killed"
done

# Rows that rank 0 had not written yet are lost with it.
start 2
kill -9 "$(process 0)"
all_end "rank 0 is killed" 4
says err '^trammel-mpi: rank 0 was killed by signal 9 '

# Without its watcher a rank ends, too.
start 2
watcher=$(ps -o ppid= -p "$(process 1)")
kill -9 $watcher
all_end "a watcher is killed" 137
rows_kept "a watcher is killed"

for signal in TERM INT; do
    start 2
    kill -$signal "$job"
    end_of_job
    code=$?
    count=$((count + 1))
    [ $code -ne 0 ] || fail "exit code 0 when mpirun gets SIG$signal"
    rows_kept "mpirun gets SIG$signal"
done
verdict
