#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# pictures.sh [TRAMMEL]: makes the pictures of the pages on analyses again. They are SVG, a few kB each.
set -eu
cd "$(dirname "$0")/../.."
trammel=${1:-build/trammel}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
poses='t,*.x,*.y,*.qw,*.qx,*.qy,*.qz'

# equilibrium: the 8-Loop at its start and at rest
"$trammel" convert examples/8-loop.json "$work/loop.json"
"$trammel" equilibrium examples/8-loop.json --out "$work/rest.json" >/dev/null
"$trammel" run examples/8-loop.json --time 0 --columns "$poses" --out "$work/start.csv" >/dev/null
"$trammel" run "$work/rest.json" --time 0 --columns "$poses" --out "$work/rest.csv" >/dev/null
python3 docs/analysis/draw.py "$work/loop.json" docs/analysis/equilibrium.svg "$work/start.csv" "$work/rest.csv"

# kinematics: a four-bar with the path of its coupler point, driven through a turn
"$trammel" convert examples/analysis/chebyshev.json "$work/cheb.json" --set d=2 --set l=2.5
"$trammel" kinematics examples/analysis/chebyshev.json --set d=2 --set l=2.5 --time 3.1 --every 0.02 --out "$work/turn.csv" >/dev/null 2>&1
python3 docs/analysis/draw.py "$work/cheb.json" docs/analysis/kinematics.svg "$work/turn.csv:coupler.pen"

# modes: the frequency response of two masses on springs; here by a sweep over the frequency of a force
"$trammel" sweep examples/analysis/shaken.json --vary f=0.2:120:3 --print 'max(abs(a.q))' --print 'max(abs(b.q))' --plot docs/analysis/modes.svg >/dev/null 2>&1

# optimise: a poor start and Chebyshev's proportions, with what the pen draws
for pair in 3,3.5 2,2.5; do
    set -- --set "d=${pair%,*}" --set "l=${pair#*,}"
    "$trammel" convert examples/analysis/chebyshev.json "$work/$pair.json" "$@"
    "$trammel" run examples/analysis/chebyshev.json "$@" --columns "$poses,coupler.pen.*" --out "$work/$pair.csv" >/dev/null 2>&1
done
python3 docs/analysis/draw.py "$work/3,3.5.json" docs/analysis/optimise-start.svg "$work/3,3.5.csv:coupler.pen"
python3 docs/analysis/draw.py "$work/2,2.5.json" docs/analysis/optimise.svg "$work/2,2.5.csv:coupler.pen"

# sweep: how straight the line is over both lengths
"$trammel" sweep examples/analysis/chebyshev.json --vary d=1.6:17:2.4 --vary l=2.1:17:2.9 --step 0.02 \
    --print 'log(max(coupler.pen.y) - min(coupler.pen.y))/log(10)' --plot docs/analysis/sweep.svg >/dev/null 2>&1
ls -l docs/analysis/*.svg
