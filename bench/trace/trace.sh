#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Measures how much code a reader of one step must follow: the functions that one step of a machine calls, the files in which they are,
# the borders between these files (pairs of a calling and a called file), the calls across them (pairs of functions), the level at which
# the method's step is called (trm_sim_step has level 1), and the deepest level. Functions in headers are not counted. Usage:
# bench/trace/trace.sh FOLDER [--calls]; builds in FOLDER, without optimisation. --calls: also prints all pairs of functions.
set -eu
folder=${1:?usage: bench/trace/trace.sh FOLDER [--calls]}
root=$(cd "$(dirname "$0")/../.." && pwd)
list=${2:-}

cmake -S "$root" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=None -DTRAMMEL_TESTS=OFF -DTRAMMEL_BENCH=ON -DTRAMMEL_THREADS=OFF \
    -DTRAMMEL_HARDEN=OFF -DCMAKE_C_FLAGS='-O0 -g1 -finstrument-functions -finstrument-functions-exclude-file-list=.h' >/dev/null
cmake --build "$folder" --target bench_trace >"$folder/trace.log" || { cat "$folder/trace.log"; exit 1; }

# Turns addresses into "function file" and counts.
count_calls()
{
    awk '{ print $1; print $2 }' "$1" | sort -u >"$1.addresses"
    addr2line -f -e "$folder/bench/trace/bench_trace" <"$1.addresses" | paste - - | paste "$1.addresses" - >"$1.names"
    awk -v machine="$2" -v list="$list" '
    FNR == NR { sub(/:[0-9?].*$/, "", $3); sub(/^.*\/src\//, "", $3); sub(/^\.\//, "", $3); sub(/^src\//, "", $3)
                name[$1] = $2; file[$1] = $3; next }
    {
        functions[$2] = 1; files[file[$2]] = 1
        if ($1 != 0 && file[$1] != file[$2]) {
            borders[file[$1] " " file[$2]] = 1
            across++
        }
        if (file[$2] ~ /^methods\// && name[$2] == "step" && (!level || $3 < level)) level = $3
        if ($3 > deepest) deepest = $3
        if (list) printf "%3d %8d %s:%s -> %s:%s\n", $3, $4, file[$1], name[$1], file[$2], name[$2]
    }
    END { for (i in functions) f++; for (i in files) g++; for (i in borders) b++
          printf "%-20s %9d %6d %8d %7d %8d %8d\n", machine, f, g, b, across, level, deepest }' "$1.names" "$1"
}

printf '%-20s %9s %6s %8s %7s %8s %8s\n' machine functions files borders across step-at deepest
trace()
{
    file="$folder/trace.$1"
    shift
    "$folder/bench/trace/bench_trace" "$@" >"$file"
    count_calls "$file" "${file##*/trace.}"
}
trace eight-loop "$root/examples/eight-loop.json" 3
trace stack-event "$root/examples/stack.json" 3 --impact event
trace stack-time-stepping "$root/examples/stack.json" 3 --impact window
