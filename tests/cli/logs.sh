#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# logs.sh TRAMMEL JSON_GET EXAMPLES: trammel run --out FILE.npz and FILE.mcap, read by other programs: numpy, a reader written from the
# specification of MCAP (logs.py), and the one of npm. PYTHON: a Python with numpy; NODE.
. "$(dirname "$0")/claims.sh"
always=run
here=$(dirname "$0")
node_modules=$here/../../viewer/node_modules

for model in pendulum walker-on-ground cart-pole arm; do
    ends 0 "$examples/$model.json" --time 0.3 --every 0.01 --out "$work/r.csv" --out "$work/r.npz" --out "$work/r.mcap"
    if [ -n "${PYTHON:-}" ]; then
        count=$((count + 1))
        "$PYTHON" "$here/logs.py" "$work/r.csv" "$work/r.npz" "$work/r.mcap" || fail "$model: what others read differs"
    fi
    if [ -n "${NODE:-}" ] && [ -d "$node_modules/@mcap/core" ]; then
        is "$model: messages by npm's reader, indexed and as a stream" "$(rows=31 && "$NODE" "$here/logs.mjs" "$node_modules" "$work/r.mcap" expected $rows)" \
            "$("$NODE" "$here/logs.mjs" "$node_modules" "$work/r.mcap")"
    fi
done

# The same run gives the same bytes, and all other output is unchanged.
cp "$work/r.mcap" "$work/first.mcap"
cp "$work/r.npz" "$work/first.npz"
cp "$work/r.csv" "$work/first.csv"
ends 0 "$examples/arm.json" --time 0.3 --every 0.01 --out "$work/r.mcap" --out "$work/r.npz"
ends 0 "$examples/arm.json" --time 0.3 --every 0.01 --out "$work/r.csv"
for kind in mcap npz csv; do
    count=$((count + 1))
    cmp -s "$work/first.$kind" "$work/r.$kind" || fail "another .$kind of the same run"
done

# Columns are chosen; a run that stops keeps its rows.
ends 4 "$examples/cart-pole.json" --columns 't,cart.x' --controller 'read -r g; read -r m; echo "{}"' --controller-period 0.1 \
    --out "$work/r.npz" --out "$work/r.mcap" --out "$work/r.csv"
if [ -n "${PYTHON:-}" ]; then
    count=$((count + 1))
    "$PYTHON" "$here/logs.py" "$work/r.csv" "$work/r.npz" "$work/r.mcap" || fail "a run that stopped: what others read differs"
fi

ends 2 "$examples/pendulum.json" --out a.npz --out b.NPZ
says err 'given 2 files that end in .npz'
ends 3 "$examples/pendulum.json" --out "$work/nowhere/a.mcap"
says err 'cannot write'
if [ -e /dev/full ]; then
    ln -s /dev/full "$work/full.mcap"
    ln -s /dev/full "$work/full.npz"
    for full in full.mcap full.npz; do
        ends 3 "$examples/pendulum.json" --time 1 --out "$work/$full"
        says err "cannot write $work/$full: No space left on device"
    done
fi

echo "$count claims about logs, $failures failures"
[ $failures -eq 0 ]
