#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Usage: resume.sh TORTURE. A run that is stopped after its first round and resumed ends with the counts of one that was not.
set -eu
torture=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

run() {
    out=$1
    shift
    "$torture" --seed 5 --seeds 2 --family points,carried --check ends,energy,copies --out "$folder/$out" "$@" >"$folder/$out.txt"
}

# Counts without processor times.
counts() {
    sed 's/"seconds": [^,}]*//' "$folder/$1/summary.json"
}

run halves --machines 1
run halves --machines 3 --resume
run whole --machines 3
counts halves >"$folder/halves.json"
counts whole >"$folder/whole.json"
grep -q '"machines": 12' "$folder/whole.json" || { echo "not 12 machines:"; cat "$folder/whole.json"; exit 1; }
diff "$folder/halves.json" "$folder/whole.json"
