#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# loss.sh MPIRUN TEST_MPI_LOSS: how ranks end, together and alone; a rank that is killed, and mpirun that is told to end.
. "$(dirname "$0")/ranks.sh"

# Who else starts ranks has other rules (docs/ranks.md).
"$mpirun" --version | grep -q -e 'Open MPI' -e OpenRTE || exit 77

# So long, in seconds, may pass between the loss of a rank and the end of mpirun. Open MPI itself waits 1 s.
patience=8

# process RANK: of the job that was started last
process() {
    local watcher
    for watcher in $(pgrep -P "$job"); do
        tr '\0' '\n' <"/proc/$watcher/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1" && pgrep -P "$watcher"
    done
}

# start RANKS: rows are being written
start() {
    rm -f "$work/rows"
    "$mpirun" -n "$1" "$program" rows "$work/rows" >"$work/out" 2>"$work/err" </dev/null &
    job=$!
    for _ in $(seq 100); do
        [ -s "$work/rows" ] && break
        sleep 0.1
    done
    sleep 0.3
    processes=$(for watcher in $(pgrep -P "$job"); do echo "$watcher" && pgrep -P "$watcher"; done)
    is "processes of $1 ranks" $((2 * $1)) "$(echo "$processes" | wc -w)"
}

# all_end WHAT CODE: mpirun ends in time, and nobody is left
all_end() {
    local begun=$SECONDS
    wait "$job"
    is "exit code when $1" "$2" $?
    count=$((count + 1))
    [ $((SECONDS - begun)) -le "$patience" ] || fail "when $1 it took $((SECONDS - begun)) s"
    sleep 0.2
    count=$((count + 1))
    for pid in $processes; do
        case $(ps -o stat= -p "$pid") in '' | Z*) ;; *) fail "when $1 process $pid is left" ;; esac
    done
}

# rows_until WHAT SECONDS: all rows are there and whole, to that time on the wall
rows_until() {
    is "last byte when $1" 1 "$(tail -c 1 "$work/rows" | wc -l)"
    is "rows that are not whole when $1" 0 "$(awk -F, 'NF != 2 || $2 != NR - 1' "$work/rows" | wc -l)"
    is "rows reach the end when $1" 1 "$(tail -1 "$work/rows" | awk -F, -v t="$2" '{ print ($1 > t - 0.5) }')"
}

# ---- Together and alone -----------------------------------------------------------------------

ends 0 3 end "$work/rows"
is "rows" 2001 "$(wc -l <"$work/rows")"
says err . 0

ends 4 3 stop "$work/rows"
says err '^stopped as all others$' # rank 0 speaks
says err 'rank 1' 0
is "rows" 2001 "$(wc -l <"$work/rows")"

ends 3 3 fail "$work/rows"
says err '^trammel-mpi: rank 1 ended by itself with exit code 3$'
says err '^rank 1: something is wrong$'
says err '^a rank is lost$'
rows_until "rank 1 fails" 0

ends 4 3 crash "$work/rows"
says err '^trammel-mpi: rank 1 was killed by signal 6 '
says err '^a rank is lost$'

# ---- Killed -----------------------------------------------------------------------------------

for ranks in 2 4; do
    start "$ranks"
    lost=$((ranks - 1))
    killed_at=$(date +%s.%N)
    kill -9 "$(process $lost)"
    all_end "rank $lost is killed" 4
    says err "^trammel-mpi: rank $lost was killed by signal 9 "
    says err '^a rank is lost$'
    rows_until "rank $lost is killed" "$killed_at"
done

# What rank 0 had not written yet is lost with it.
start 2
kill -9 "$(process 0)"
all_end "rank 0 is killed" 4
says err '^trammel-mpi: rank 0 was killed by signal 9 '

# Without its watcher a rank does not live on.
start 2
watcher=$(ps -o ppid= -p "$(process 1)")
killed_at=$(date +%s.%N)
kill -9 $watcher
all_end "a watcher is killed" 137
rows_until "a watcher is killed" "$killed_at"

for signal in TERM INT; do
    start 2
    killed_at=$(date +%s.%N)
    kill -$signal "$job"
    wait "$job"
    code=$?
    count=$((count + 1))
    [ $code -ne 0 ] || fail "exit code 0 when mpirun gets SIG$signal"
    rows_until "mpirun gets SIG$signal" "$killed_at"
done
verdict
