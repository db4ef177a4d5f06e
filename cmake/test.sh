#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# test.sh JOBS [all]: builds and tests the release build, checks the sources, builds and tests under the sanitisers, there without
# the tests of tests/unsanitized.txt unless all are requested. A stage that fails does not keep the next one from running. The last lines are a summary as CTest has it, over all stages, with a list of all that
# failed; the exit code is 0 only if nothing did.
set -u
cd "$(dirname "$0")/.." || exit 1
jobs=$1
left_out=$([ "${2:-}" = all ] || sed 's/#.*//' tests/unsanitized.txt 2>/dev/null | awk 'NF { print $1 }' | paste -sd '|')
log=$(mktemp)
trap 'rm -f "$log"' EXIT
total=0
failed=()

# ctest_stage PRESET: each test counts as one, and so does a build that fails. One test more than there are jobs runs at a time, for those with
# browsers and ranks wait most of the time.
ctest_stage() {
    local preset=$1 folder count name without=()
    [ "$preset" != sanitize ] || [ -z "$left_out" ] || without=(-E "^($left_out)\$")
    folder=$([ "$preset" = release ] && echo build || echo "build-$preset")
    if ! { cmake --preset "$preset" >/dev/null && cmake --build --preset "$preset" -j "$jobs"; }; then
        total=$((total + 1))
        failed+=("$preset: the build")
        return
    fi
    rm -f "$folder/Testing/Temporary/LastTestsFailed.log"
    ctest --preset "$preset" -j $((jobs + 1)) "${without[@]}" 2>&1 | tee "$log"
    local code=${PIPESTATUS[0]}
    count=$(sed -n 's/^[0-9]*% tests passed, .* out of \([0-9]*\)$/\1/p' "$log")
    total=$((total + ${count:-1}))
    [ "$code" -ne 0 ] || return
    while IFS=: read -r _ name; do failed+=("$preset: $name"); done \
        < <(cat "$folder/Testing/Temporary/LastTestsFailed.log" 2>/dev/null || echo ":ctest")
}

lint_stage() {
    total=$((total + 1))
    cmake/lint.sh || failed+=("lint")
}

ctest_stage release
lint_stage
ctest_stage sanitize

bad=${#failed[@]}
printf '\nAll stages (release, lint, sanitize):\n\n'
printf '%d%% tests passed, %d tests failed out of %d\n\n' $((100 * (total - bad) / total)) "$bad" "$total"
printf 'Total Test time (real) = %d sec\n' "$SECONDS"
[ "$bad" -eq 0 ] && exit 0
printf '\nThe following tests FAILED:\n'
printf '\t%s\n' "${failed[@]}"
exit 1
