#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# fuzz.sh BUILD SECONDS: runs every fuzz_* program of a build with TRAMMEL_FUZZ for that many seconds, two at a time.
# Each begins from tests/robustness/corpus/NAME, where there is one, else from the examples, tests/cli/bad, tests/io/all_keys.json
# and the files of tests/robustness/corpus. It keeps what it learns, its log and its findings in BUILD/fuzz/NAME. Exit 1: something was found; the findings and how to reproduce
# them are printed.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 BUILD SECONDS" >&2; exit 2; }
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
        "$source_dir"/tests/io/all_keys.json "$source_dir"/examples/robots/*.urdf "$source_dir"/tests/robustness/corpus/*; do
        [ ! -f "$seed" ] || cp "$seed" "$home/seeds/"
    done
    # the words of the format, from the schema of the build
    grep -oh '"[A-Za-z_0-9#$/]*"' "$build/model.schema.json" | sort -u >"$home/words"
    "$1" -dict="$home/words" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -close_fd_mask=3 \
        -artifact_prefix="$home/findings/" "$home/corpus" "$home/seeds" >"$home/log" 2>&1 || touch "$home/failed"
}

count=0
for program in "$build"/tests/robustness/fuzz_*; do
    { [ -f "$program" ] && [ -x "$program" ]; } || continue
    count=$((count + 1))
    fuzz_one "$program" &
    [ $((count % 2)) -eq 1 ] || wait
done
wait
[ $count -gt 0 ] || { echo "no fuzz_* programs in $build/tests/robustness; configure with --preset fuzz" >&2; exit 2; }

status=0
for program in "$build"/tests/robustness/fuzz_*; do
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
