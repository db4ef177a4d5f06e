#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Measures the speed-up of a sweep of 1000 short runs with 2 workers over 1: threads, and ranks if trammel-mpi is installed. Usage:
# bench/sweep.sh BUILD_FOLDER [ROUNDS]; sweeps with one and with two workers alternate, and the fastest of each counts. The load by other
# processes meanwhile is printed, too, in processors: a figure is reliable only if that is close to zero.
set -euo pipefail
build=${1:?usage: bench/sweep.sh BUILD_FOLDER [ROUNDS]} rounds=${2:-5}
model=$(dirname "$0")/../examples/four-bar.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
options=("$model" --vary b=0.45:1000:0.55 --time 1 --columns A.q --restart)

# seconds for which all processors were busy so far, and seconds used by the processes of this script
busy() { awk -v ticks="$(getconf CLK_TCK)" '/^cpu / { print ($2 + $3 + $4 + $7 + $8) / ticks; exit }' /proc/stat; }
own() { awk 'NR == 2 { gsub(/[ms]/, " "); print $1 * 60 + $2 + $3 * 60 + $4 }' "$work/times"; } # of the last `times`

# seconds NAME COMMAND...: adds the wall time as printed by the sweep, and the load by other processes, to the times of that name
seconds() {
    local name=$1 busy_before own_before began
    shift
    times >"$work/times"
    began=$EPOCHREALTIME busy_before=$(busy) own_before=$(own)
    "$@" "${options[@]}" --out "$work/$name.csv" 2>"$work/err" || { cat "$work/err"; exit 1; }
    times >"$work/times"
    sed -n 's/.* refused; wall-clock time \([^ ]*\) s with.*/\1/p' "$work/err" |
        awk -v b="$(busy)" -v b0="$busy_before" -v o="$(own)" -v o0="$own_before" -v t="$EPOCHREALTIME" -v t0="$began" \
            '{ others = ((b - b0) - (o - o0)) / (t - t0); print $1, (others > 0 ? others : 0) }' >>"$work/$name"
}

# faster WHAT ONE TWO
faster() {
    paste -d' ' <(sort -g "$work/$2" | head -1) <(sort -g "$work/$3" | head -1) |
        awk -v what="$1" '{ printf "%-8s 1: %.3f s (others %.2f)   2: %.3f s (others %.2f)   %.2f times faster\n", what, $1, $2, $3, $4, $1 / $3 }'
}

ranks=
[ -x "$build/trammel-mpi" ] && command -v mpirun >/dev/null && ranks=yes
echo "1000 runs of 1 s, fastest of $rounds, $(nproc) processors"
for _ in $(seq "$rounds"); do
    seconds jobs1 "$build/trammel" sweep --jobs 1
    seconds jobs2 "$build/trammel" sweep --jobs 2
    [ -z "$ranks" ] || seconds ranks1 mpirun --oversubscribe -n 1 "$build/trammel-mpi" sweep --jobs 1
    [ -z "$ranks" ] || seconds ranks2 mpirun --oversubscribe -n 2 "$build/trammel-mpi" sweep --jobs 1
done
faster threads jobs1 jobs2
[ -z "$ranks" ] || faster ranks ranks1 ranks2
