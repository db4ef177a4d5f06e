#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# coverage.sh JOBS [LEAST]: builds with counters in build-coverage, runs the tests and prints how many lines of src they ran, file by file
# where it is less than LEAST per cent. Left out are tests of browsers, WebAssembly, pages, installed trees and Python, those of the sources'
# text, and the long ones of tests/unsanitized.txt, which run no lines that others do not. Lines that nothing ran are listed in build-coverage/uncovered.txt.
# Exit 1: it is less than LEAST per cent (default: 90) of all lines.
# Threads may lose counts (-fprofile-update=single), but a line that ran never has none: every update stores at least 1.
set -eu
cd "$(dirname "$0")/.."
jobs=$1
least=${2:-90}
cmake -G Ninja -B build-coverage -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g --coverage -fprofile-update=single" \
    -DTRAMMEL_COVERAGE=ON >/dev/null
cmake --build build-coverage -j "$jobs"
find build-coverage -name '*.gcda' -delete
left_out=$(sed 's/#.*//' tests/unsanitized.txt | awk 'NF { print $1 }' | paste -sd '|')
ctest --test-dir build-coverage -j "$jobs" --timeout 1500 -LE browser -E "^(install|.*_selftest|layers|house|constants|words|libm|decimal_point|symbols|docs|site|wasm_.*|viewer_.*|python.*|$left_out)\$" ${COVERAGE_TESTS:+-R "$COVERAGE_TESTS"} ||
    echo "coverage: some tests failed; what they ran counts" >&2

# gcov prints, per line: how often it ran (##### never, - no code), its number, its text
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find "$PWD/build-coverage/src" -name '*.gcda' >"$work/list"
ln -s "$PWD/src" "$PWD/include" "$work" # gcov prints no lines of sources that it does not find
(cd "$work" && xargs -n 20 gcov -p -s "$OLDPWD" -r <list >/dev/null 2>&1)
for report in "$work"/src#*.c.gcov; do
    name=$(basename "$report" .gcov | tr '#' '/')
    awk -F: -v name="$name" '
        { count = $1; gsub(/ /, "", count); number = $2 + 0 }
        number == 0 || count == "-" { next }
        { lines++ }
        count ~ /^[#=]+$/ { missed++; print name ":" number ":" substr($0, index($0, $3)) >>"'"$work"'/uncovered" }
        END { print lines - missed, lines + 0, name }' "$report"
done >"$work/files"
touch "$work/uncovered"
cp "$work/uncovered" build-coverage/uncovered.txt
awk -v least="$least" '
    { ran += $1; all += $2; if ($2 > 0 && 100 * $1 < least * $2) printf "%5.1f %% of %4d lines  %s\n", 100 * $1 / $2, $2, $3 }
    END {
        printf "coverage: %.1f %% of %d lines of src were run; the rest: build-coverage/uncovered.txt\n", 100 * ran / all, all
        exit !(all > 0 && 100 * ran >= least * all)
    }' "$work/files"
