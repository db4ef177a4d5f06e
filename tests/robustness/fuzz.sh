#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# fuzz.sh BUILD SECONDS [PATTERN]: runs the fuzz_* programs of a build with TRAMMEL_FUZZ, or those whose names match the shell
# pattern, for that many seconds each, FUZZ_JOBS at a time (default: 2).
# Each begins from tests/robustness/corpus/NAME, where there is one, else from the examples, tests/cli/bad, tests/io/all_keys.json, tests/io/more_keys.json
# and the files of tests/robustness/corpus. It keeps what it learns, its log and its findings in BUILD/fuzz/NAME. Exit 1: something was found; the findings and how to reproduce
# them are printed.
set -eu
{ [ $# -eq 2 ] || [ $# -eq 3 ]; } || { echo "usage: $0 BUILD SECONDS [PATTERN]" >&2; exit 2; }
pattern=${3:-fuzz_*}
jobs=${FUZZ_JOBS:-2}
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
seconds=$2

# fuzz_one PROGRAM: its own folder holds corpus/, findings/ and log; the file "failed" appears if it failed
fuzz_one() {
    name=$(basename "$1")
    home=$build/fuzz/$name
    mkdir -p "$home/seeds" "$home/corpus" "$home/findings"
    rm -f "$home/failed"
    own=$source_dir/tests/robustness/corpus/${name#fuzz_}
    for seed in "$own"/*; do
        [ ! -f "$seed" ] || cp "$seed" "$home/seeds/"
    done
    [ -d "$own" ] || for seed in "$source_dir"/examples/*.json "$source_dir"/examples/problems/*.json "$source_dir"/tests/cli/bad/*.json \
        "$source_dir"/tests/io/all_keys.json "$source_dir"/tests/io/more_keys.json "$source_dir"/examples/robots/*.urdf "$source_dir"/examples/*.obj \
        "$source_dir"/tests/robustness/corpus/*; do
        [ ! -f "$seed" ] || cp "$seed" "$home/seeds/"
    done
    # the words of the format: those of the reader of an XML format, or from the schema of the build
    reader=${name#fuzz_model_}
    if [ -e "$source_dir/src/io/$reader.c" ] && [ "$reader" != json ]; then
        grep -oh '"[A-Za-z_:]\{2,\}"' "$source_dir/src/io/$reader"*.c | sort -u >"$home/words"
    elif [ -e "$build/model.schema.json" ]; then
        grep -oh '"[A-Za-z_0-9#$/]*"' "$build/model.schema.json" | sort -u >"$home/words"
    else
        : >"$home/words"
    fi
    dictionary=
    [ ! -s "$home/words" ] || dictionary=-dict=$home/words
    "$1" $dictionary -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -close_fd_mask=3 \
        -artifact_prefix="$home/findings/" "$home/corpus" "$home/seeds" >"$home/log" 2>&1 || touch "$home/failed"
}

count=0
for program in "$build"/tests/robustness/$pattern; do
    { [ -f "$program" ] && [ -x "$program" ]; } || continue
    count=$((count + 1))
    fuzz_one "$program" &
    [ $((count % jobs)) -ne 0 ] || wait
done
wait
[ $count -gt 0 ] || { echo "no fuzz_* programs in $build/tests/robustness; configure with --preset fuzz" >&2; exit 2; }

status=0
for program in "$build"/tests/robustness/$pattern; do
    { [ -f "$program" ] && [ -x "$program" ]; } || continue
    name=$(basename "$program")
    home=$build/fuzz/$name
    if [ ! -e "$home/failed" ]; then
        echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$home/log") runs, nothing found"
        continue
    fi
    status=1
    grep -E '^(SUMMARY|.*(ERROR|runtime error):)' "$home/log" | head -5 || true
    finding=$(sed -n 's/.*Test unit written to //p' "$home/log" | tail -1)
    echo "$name: failed; the whole of it is in $home/log"
    [ -z "$finding" ] || echo "  finding:   $finding"
    [ -z "$finding" ] || echo "  reproduce: $program $finding"
done
exit $status
