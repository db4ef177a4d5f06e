#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# schema.sh TRAMMEL MUTANTS ALL_KEYS EXAMPLES: the schema says of a model's structure what the reader says.
# The judge is the validator of the package python3-jsonschema, which shares nothing with us. It is asked once about
# every model. In between it gets one that is always wrong in the same recognisable way: where two of these follow each
# other, the model between them had no error.
set -eu
[ $# -eq 4 ] || { echo "usage: $0 TRAMMEL MUTANTS ALL_KEYS EXAMPLES" >&2; exit 2; }
trammel=$1
mutants=$2
all_keys=$3
examples=$4
validator=/usr/bin/jsonschema
[ -x $validator ] || { echo "$validator is missing: install python3-jsonschema" >&2; exit 2; }
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
set --
for model in "$work"/sound/*.json; do set -- "$@" -i "$model"; done
"$validator" "$@" "$work/schema" || { echo "the schema refuses a sound model" >&2; exit 1; }

mkdir "$work/mutants"
"$mutants" "$all_keys" "$work/mutants"
cd "$work/mutants"
echo '{"trammel": "always wrong"}' >wrong
set --
for model in *.json; do set -- "$@" -i "$model" -i wrong; done
"$validator" --error-format '{error.instance!r:.20}
' "$@" ../schema 2>../errors >/dev/null && { echo "the validator finds nothing wrong at all" >&2; exit 1; }

# Line by line: a model's errors, then the one that is always there.
ls -- *.json >../names
awk 'NR == FNR { name[++models] = $0; next }
     $0 == "'\''always wrong'\''" { model++; if (!wrong) print name[model]; wrong = 0; next }
     { wrong = 1 }
     END { if (model != models) exit 1 }' ../names ../errors >../valid ||
    { echo "the validator did not go through all models: $(tail -n 3 ../errors)" >&2; exit 1; }

if ! cmp -s accepted ../valid; then
    echo "< the reader accepts it, > the schema accepts it" >&2
    diff accepted ../valid | grep '^[<>]' | head -n 20 | while read -r who name; do
        echo "$who $(cat "$name")" >&2
    done
    exit 1
fi
[ "$(wc -l <../names)" -gt 1000 ] && [ "$(wc -l <accepted)" -gt 100 ]
