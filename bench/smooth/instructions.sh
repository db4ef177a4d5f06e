#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Instructions per step of our engine at order 2: the same on an idle machine and on a busy one.
# Usage: bench/smooth/instructions.sh BUILD_FOLDER; needs valgrind and a build with -DTRAMMEL_BENCH=ON.
# The callgrind file of each scene stays in BUILD_FOLDER/bench/smooth, for callgrind_annotate.
set -eu
build=${1:?usage: bench/smooth/instructions.sh BUILD_FOLDER}
export OMP_NUM_THREADS=1

printf '%-12s %10s %20s %24s\n' scene steps "instructions/step" "instructions/step/body"
while read -r scene bodies steps; do
    file=$build/bench/smooth/callgrind.$scene
    # only instructions inside the steps count, not those of building the scene
    valgrind --quiet --tool=callgrind --toggle-collect=trm_sim_step --callgrind-out-file="$file" \
        "$build/bench/smooth/bench_smooth" --only "$scene" --count "$steps"
    sed -n 's/^totals: //p' "$file" | awk -v scene="$scene" -v bodies="$bodies" -v steps="$steps" \
        '{ printf "%-12s %10d %20.0f %24.0f\n", scene, steps, $1 / steps, $1 / steps / bodies }'
done <<END
pendulum 1 2000
free-body 1 2000
eight-loop 8 800
chain-1000 1000 20
END
