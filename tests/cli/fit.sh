#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# fit.sh TRAMMEL JSON_GET EXAMPLES: trammel fit finds stiffness, damping and length of a pendulum from noisy angles, within three of its
# printed standard errors for at least 95 of 100 seeds of the noise; with sanitizers ($SANITIZED) for 4 seeds.
. "$(dirname "$0")/claims.sh"
cat >"$work/swing.json" <<'JSON'
{ "trammel": 1, "constants": { "k": 3, "c": 0.2, "l": 0.8 }, "gravity": [0, -9.81, 0],
  "bodies": [{ "name": "rod", "rod": { "from": [0, 0, 0], "to": ["l", 0, 0], "mass": 1 } }],
  "joints": [{ "name": "pin", "type": "hinge", "bodies": ["ground", "rod"], "anchor": [0, 0, 0], "axis": [0, 0, 1], "stiffness": "k", "damping": "c" }],
  "simulation": { "step": 0.02, "time": 4 } }
JSON
"$trammel" run "$work/swing.json" --every 0.02 --columns t,pin.q --out "$work/clean.csv" >/dev/null
within=0
seeds=$([ -n "${SANITIZED:-}" ] && echo 4 || echo 100)
for seed in $(seq $seeds); do
    awk -F, -v OFS=, -v seed="$seed" 'BEGIN { srand(seed) } /^[-0-9]/ {
        $2 = sprintf("%.9g", $2 + 0.02 * sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand())) } { print }' "$work/clean.csv" >"$work/noisy.csv"
    "$trammel" fit "$work/swing.json" "$work/noisy.csv" --vary k=0:10 --vary c=0:2 --vary l=0.3:2 >"$work/out" 2>"$work/err" ||
        fail "seed $seed: $(cat "$work/err")"
    within=$((within + $(awk '
        BEGIN { true["k"] = 3; true["c"] = 0.2; true["l"] = 0.8 }
        $1 in true && $4 == "+-" { seen++; off = ($3 - true[$1]) / $5; if (off * off < 9) good++ }
        END { print (seen == 3 && good == 3) }' "$work/out")))
done
count=$((count + 1))
echo "fit: within three standard errors for $within of $seeds seeds"
[ $((100 * within)) -ge $((95 * seeds)) ] || fail "within three standard errors for $within of $seeds seeds only"
echo "$count claims about trammel fit, $failures failures"
[ $failures -eq 0 ]
