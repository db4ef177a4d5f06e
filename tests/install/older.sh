#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# A program compiled before definitions got their last fields runs with the present library: older.c is compiled with the present headers,
# and with a copy in which the last field of every definition with a kind (trm_def_kind) is removed. Both print the same.
# Usage: older.sh BUILD SOURCE CC; SOURCE is the folder of this script
set -eu
build=$1 source=$2 cc=$3
include=$source/../../include
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- The headers of the older version ----
kinds=$(sed -n 's/^    TRM_DEF_\([A-Z_]*\),.*/\1/p' "$include/trammel/base.h" | tr 'A-Z' 'a-z')
cp -r "$include" "$work/include"
removed=0
for kind in $kinds; do
    type=trm_${kind}_def
    [ "$kind" != goal ] || type=trm_goal
    file=$(grep -l "^} $type;" "$work"/include/trammel/*.h) || { echo "FAILED: no struct $type" >&2; exit 1; }
    # the last line with a field before the closing brace; comments may follow it on their own lines
    line=$(awk -v end="} $type;" '/^    [a-z].*;/ { last = NR } $0 == end { print last; exit }' "$file")
    sed -i "${line}d" "$file"
    removed=$((removed + 1))
done

# ---- Both programs ----
flags="-std=c17 -O1 -Wall -Wextra -Werror"
"$cc" $flags -I "$include" "$source/older.c" -L "$build" -ltrammel -lm -o "$work/today"
"$cc" $flags -I "$work/include" "$source/older.c" -L "$build" -ltrammel -lm -o "$work/older"
LD_LIBRARY_PATH=$build "$work/today" >"$work/today.txt" || { echo "FAILED: today's program" >&2; exit 1; }
LD_LIBRARY_PATH=$build "$work/older" >"$work/older.txt" || { echo "FAILED: the older program" >&2; exit 1; }
[ "$(wc -l <"$work/today.txt")" -ge 15 ] || { echo "FAILED: today's program prints too little" >&2; exit 1; }
diff "$work/today.txt" "$work/older.txt" || { echo "FAILED: the older program computes something else" >&2; exit 1; }
echo "ok: $removed definitions with one field less, $(wc -l <"$work/today.txt") lines alike"
