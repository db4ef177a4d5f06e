#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# schema.sh TRAMMEL MUTANTS ALL_KEYS EXAMPLES: the schema says of a model's structure what the reader says.
# The judge is the validator of the package python3-jsonschema, which shares nothing with us.
set -eu
[ $# -eq 4 ] || { echo "usage: $0 TRAMMEL MUTANTS ALL_KEYS EXAMPLES" >&2; exit 2; }
trammel=$1
mutants=$2
all_keys=$3
examples=$4
# judge SCHEMA MODEL...: prints the models that the schema accepts
judge() {
    /usr/bin/python3 -c '
import json, sys
from jsonschema import Draft202012Validator
validator = Draft202012Validator(json.load(open(sys.argv[1])))
for name in sys.argv[2:]:
    if validator.is_valid(json.load(open(name))): print(name)' "$@"
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$trammel" schema >"$work/schema"

# Sound models: the one with every key as it is, it and the examples as we write them (without comments).
mkdir "$work/sound"
cp "$all_keys" "$work/sound/all_keys.json"
"$trammel" convert "$all_keys" "$work/sound/all_keys_converted.json" 2>/dev/null
for model in "$examples"/*.json "$examples"/problems/*.json; do
    "$trammel" convert "$model" "$work/sound/$(basename "$model")"
done
judge "$work/schema" "$work"/sound/*.json >"$work/accepted"
ls -- "$work"/sound/*.json | diff - "$work/accepted" >&2 || { echo "the schema refuses these sound models" >&2; exit 1; }

mkdir "$work/mutants"
"$mutants" "$all_keys" "$work/mutants"
cd "$work/mutants"
ls -- *.json >../names
judge ../schema *.json >../valid

if ! cmp -s accepted ../valid; then
    echo "< the reader accepts it, > the schema accepts it" >&2
    diff accepted ../valid | grep '^[<>]' | head -n 20 | while read -r who name; do
        echo "$who $(cat "$name")" >&2
    done
    exit 1
fi
[ "$(wc -l <../names)" -gt 1000 ] && [ "$(wc -l <accepted)" -gt 100 ]
