#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Instructions per check of the look-ahead corrections: the same on an idle machine and on a busy one.
# Usage: bench/instructions.sh BUILD_FOLDER [SCENE...]; needs valgrind and a build with -DTRAMMEL_BENCH=ON.
# The callgrind file of each scene stays in BUILD_FOLDER/bench, for callgrind_annotate.
set -eu
build=${1:?usage: bench/instructions.sh BUILD_FOLDER [SCENE...]}
shift
[ $# -gt 0 ] || set -- eight-loop chain four-bar

printf '%-12s %16s %12s %14s %14s\n' scene instructions checks per-check per-step
for scene in "$@"; do
    file=$build/bench/callgrind.$scene
    # only instructions inside the steps count, not those of reading the model
    valgrind --quiet --tool=callgrind --toggle-collect=trm_sim_step --callgrind-out-file="$file" \
        "$build/bench/bench_corrections" --once "$scene" >"$file.figures"
    instructions=$(sed -n 's/^totals: //p' "$file")
    tail -n 1 "$file.figures" | awk -v n="$instructions" \
        '{ printf "%-12s %16.0f %12d %14.1f %14.1f\n", $1, n, $4, n / $4, n / $2 }'
done
