#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# test.sh JOBS [all]: builds and tests the release build, checks the sources, builds and tests under the sanitisers. The last stage
# leaves out the tests of tests/unsanitized.txt unless all are requested. Lint and the sanitised build need nothing from the release
# build: they run in parallel with its tests, and their output is printed after those. A stage that fails does not keep the next one from
# running. The last lines are a summary as CTest has it, over all stages, with a list of all that failed; the exit code is 0 only if
# nothing did.
set -u
cd "$(dirname "$0")/.." || exit 1
jobs=$1
left_out=$([ "${2:-}" = all ] || sed 's/#.*//' tests/unsanitized.txt 2>/dev/null | awk 'NF { print $1 }' | paste -sd '|')
logs=$(mktemp -d)
parallel=
trap '[ -z "$parallel" ] || kill -- "-$parallel" 2>/dev/null; rm -rf "$logs"' EXIT
trap 'exit 130' INT TERM
total=0
failed=()

build() {
    cmake --preset "$1" >/dev/null && cmake --build --preset "$1" -j "$jobs"
}

# run_parallel STEP COMMAND...: keeps what the command prints in $logs/STEP and its exit code in $logs/STEP.code
run_parallel() {
    local step=$1
    shift
    "$@" >"$logs/$step" 2>&1 </dev/null
    echo $? >"$logs/$step.code"
}

# ended STEP: prints what a step of run_parallel printed; fails if the step did
ended() {
    cat "$logs/$1"
    [ "$(cat "$logs/$1.code" 2>/dev/null)" = 0 ]
}

count_failure() {
    total=$((total + 1))
    failed+=("$1")
}

# ctest_stage PRESET: each test counts as one. One test more than there are jobs runs at a time, for those with browsers and ranks wait
# most of the time.
ctest_stage() {
    local preset=$1 folder count name without=()
    [ "$preset" != sanitize ] || [ -z "$left_out" ] || without=(-E "^($left_out)\$")
    folder=$([ "$preset" = release ] && echo build || echo "build-$preset")
    rm -f "$folder/Testing/Temporary/LastTestsFailed.log"
    ctest --preset "$preset" -j $((jobs + 1)) "${without[@]}" 2>&1 | tee "$logs/ctest"
    local code=${PIPESTATUS[0]}
    count=$(sed -n 's/^[0-9]*% tests passed, .* out of \([0-9]*\)$/\1/p' "$logs/ctest")
    total=$((total + ${count:-1}))
    [ "$code" -ne 0 ] || return
    while IFS=: read -r _ name; do failed+=("$preset: $name"); done \
        < <(cat "$folder/Testing/Temporary/LastTestsFailed.log" 2>/dev/null || echo ":ctest")
}

build release
release_built=$?

set -m # a process group of its own, which the trap ends as a whole
{
    run_parallel lint cmake/lint.sh
    run_parallel build build sanitize
} &
parallel=$!
set +m

if [ "$release_built" -eq 0 ]; then ctest_stage release; else count_failure "release: the build"; fi
wait "$parallel"
parallel=

total=$((total + 1))
ended lint || failed+=("lint")
if ended build; then ctest_stage sanitize; else count_failure "sanitize: the build"; fi

bad=${#failed[@]}
printf '\nAll stages (release, lint, sanitize):\n\n'
printf '%d%% tests passed, %d tests failed out of %d\n\n' $((100 * (total - bad) / total)) "$bad" "$total"
printf 'Total Test time (real) = %d sec\n' "$SECONDS"
[ "$bad" -eq 0 ] && exit 0
printf '\nThe following tests FAILED:\n'
printf '\t%s\n' "${failed[@]}"
exit 1
