#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# test.sh JOBS [all]: builds and tests the release build, checks the sources, builds and tests under the sanitisers. The last stage
# leaves out the tests of tests/unsanitized.txt unless all are requested. Lint and the sanitised stage need nothing from the release
# build: they run in parallel with its tests, so that no processor waits, and their output is printed after those. A stage that fails
# does not keep the next one from running. The last lines are a summary as CTest has it, over all stages, with a list of all that
# failed; the exit code is 0 only if nothing did.
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

folder_of() {
    [ "$1" = release ] && echo build || echo "build-$1"
}

# run_tests PRESET: prints what CTest does. One test more than there are jobs runs at a time, for those with browsers and ranks wait
# most of the time.
run_tests() {
    local without=()
    [ "$1" != sanitize ] || [ -z "$left_out" ] || without=(-E "^($left_out)\$")
    rm -f "$(folder_of "$1")/Testing/Temporary/LastTestsFailed.log"
    ctest --preset "$1" -j $((jobs + 1)) "${without[@]}"
}

# count_tests PRESET CODE: counts each test of a run as one, from its output in $logs/PRESET
count_tests() {
    local count name
    count=$(sed -n 's/^[0-9]*% tests passed, .* out of \([0-9]*\)$/\1/p' "$logs/$1")
    total=$((total + ${count:-1}))
    [ "$2" -ne 0 ] || return
    while IFS=: read -r _ name; do failed+=("$1: $name"); done \
        < <(cat "$(folder_of "$1")/Testing/Temporary/LastTestsFailed.log" 2>/dev/null || echo ":ctest")
}

build release
release_built=$?

set -m # a process group of its own, which the trap ends as a whole
{
    run_parallel lint cmake/lint.sh
    run_parallel build build sanitize
    [ "$(cat "$logs/build.code")" != 0 ] || run_parallel sanitize run_tests sanitize
} &
parallel=$!
set +m

if [ "$release_built" -eq 0 ]; then
    run_tests release 2>&1 | tee "$logs/release"
    count_tests release "${PIPESTATUS[0]}"
else
    count_failure "release: the build"
fi
wait "$parallel"
parallel=

total=$((total + 1))
ended lint || failed+=("lint")
if ended build; then
    ended sanitize
    count_tests sanitize $?
else
    count_failure "sanitize: the build"
fi

bad=${#failed[@]}
printf '\nAll stages (release, lint, sanitize):\n\n'
printf '%d%% tests passed, %d tests failed out of %d\n\n' $((100 * (total - bad) / total)) "$bad" "$total"
printf 'Total Test time (real) = %d sec\n' "$SECONDS"
[ "$bad" -eq 0 ] && exit 0
printf '\nThe following tests FAILED:\n'
printf '\t%s\n' "${failed[@]}"
exit 1
