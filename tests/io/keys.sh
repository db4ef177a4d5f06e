#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# keys.sh TRAMMEL SOURCE: every key of a model file is described in docs/, occurs in a tested model and in the fuzz corpus
# (keys.py). more_keys.json has those that all_keys.json lacks: it runs, and what is written of it reads back the same.
# Messages name the included file.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 TRAMMEL SOURCE" >&2; exit 2; }
trammel=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$trammel" schema >"$work/schema"
/usr/bin/python3 "$source/tests/io/keys.py" "$work/schema" "$source"

"$trammel" run "$source/tests/io/more_keys.json" >"$work/said" 2>&1
grep -q '^verdict *good' "$work/said"
grep -q "include/light.json:3:14: warning: joint 'light0_j'" "$work/said" || { cat "$work/said" >&2; exit 1; }
"$trammel" convert "$source/tests/io/more_keys.json" "$work/once.json"
"$trammel" convert "$work/once.json" "$work/twice.json"
cmp "$work/once.json" "$work/twice.json"
