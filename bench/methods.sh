#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# methods.sh TRAMMEL EXAMPLES DOCS: repeats the comparisons of DOCS/methods.md. A table is between the lines `<!-- compare NAME -->` and
# `<!-- end -->`; its picture is DOCS/methods/NAME.svg. Times are those of one run on this machine: compare only those of one table.
set -euo pipefail
trammel=${1:?usage: methods.sh TRAMMEL EXAMPLES DOCS} examples=${2:?EXAMPLES} docs=${3:?DOCS}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
all=impulse,lagrange,lagrange:integrator=dopri5,subsystem,minimal,minimal:integrator=rk4,lcp,lcp:erp=0.8,lcp:solver=pgs

# compare NAME MODEL OPTION...: the table and the picture
compare() {
    local name=$1 model=$2
    shift 2
    {
        echo '```'
        echo "trammel compare $(basename "$model") $* --plot $name.svg"
        echo
        OMP_NUM_THREADS=1 "$trammel" compare "$model" "$@" --plot "$docs/methods/$name.svg"
        echo '```'
        echo
        echo "![error over processor time](methods/$name.svg)"
    } >"$work/table"
    awk -v name="$name" -v table="$work/table" '
        $0 == "<!-- end -->" { skip = 0 }
        !skip { print }
        $0 == "<!-- compare " name " -->" {
            skip = found = 1
            while ((getline line < table) > 0) print line
        }
        END { if (!found) { print "methods.sh: no place for " name >"/dev/stderr"; exit 1 } }' \
        "$docs/methods.md" >"$work/page"
    cp "$work/page" "$docs/methods.md"
}

mkdir -p "$docs/methods"
compare eight-loop "$examples/eight-loop.json" --methods $all --orders 2,4,8 --steps 0.01,0.005,0.0025 --time 1
compare rhombus "$examples/rhombus.json" --methods $all --orders 2,4,8 --steps 0.01,0.005,0.0025 --time 1
"$trammel" convert "$examples/eight-loop.json" "$work/eight-loop-points.json" --to-points >/dev/null
compare points "$work/eight-loop-points.json" --methods impulse,lagrange,taylor,lcp --orders 2,4,8 --steps 0.005,0.0025,0.00125 --time 1
compare falling-rod "$examples/problems/r30-falling-rod.json" --methods impulse,lcp:solver=lemke,lcp,lcp:solver=pgs \
    --orders 2 --steps 0.01,0.005,0.002,0.001 --time 0.5
