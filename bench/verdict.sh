#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# verdict.sh TRAMMEL EXAMPLES [FACTORS [SECONDS]]: how well verdicts separate right results from wrong ones. Every example and published
# problem is run at its own step times each factor (1 4 16), for at most the given number of seconds of simulated time (3), and compared
# with a run at half the step. A run counts as right if bodies are within 1 % of the size of the motion and 0.01 rad of that, as wrong
# beyond 10 % and 0.1 rad; chaotic motion is wrong in this sense. Prints a table, the numbers of right runs with the verdict "bad" and of
# wrong ones with "good", and quartiles of the observed energy error over the expected one, of runs in which both exceed rounding.
set -eu
export LC_ALL=C
trammel=$1
examples=$2
factors=${3:-1 4 16}
longest=${4:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# of KEY FILE: prints a number or text of a report
of() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$2" | head -1; }

right=0 right_bad=0 wrong=0 wrong_good=0 runs=0
printf '%-34s %6s %-7s %10s %10s %10s\n' model step verdict 'error/S' 'order/S' 'half step'
for model in "$examples"/*.json "$examples"/problems/*.json; do
    name=$(basename "$model" .json)
    timeout 60 "$trammel" run "$model" --json --every 10 >"$work/own" 2>"$work/err" || [ $? -eq 5 ] || { echo "$name: no run"; continue; }
    step=$(of step "$work/own")
    time=$(of time "$work/own" | awk -v most="$longest" '{ print ($1 < most ? $1 : most) }')
    for factor in $factors; do
        h=$(awk -v h="$step" -v f="$factor" 'BEGIN { print h * f }')
        every=$(awk -v h="$h" -v t="$time" 'BEGIN { print (t / 100 > h ? t / 100 : h) }')
        choice="--step $h --time $time --every $every --json"
        timeout 60 "$trammel" run "$model" $choice >"$work/run" 2>"$work/err" || [ $? -eq 5 ] || { echo "$name x$factor: no run"; continue; }
        timeout 60 "$trammel" run "$model" $choice --verify >"$work/verified" 2>"$work/err" || [ $? -eq 5 ] || continue
        grep -q 'with half the step the run stopped' "$work/verified" && continue
        verdict=$(of verdict "$work/run")
        apart=$(sed -n 's/.*with half the step bodies are at most \(.*\) m of \(.*\) m and \(.*\) rad.*/\1 \2 \3/p' "$work/verified" |
            awk '{ d = $1 > 1e-9 ? $1 / $2 : 0; print (d > $3 ? d : $3) }')
        printf '%-34s %6s %-7s %10s %10s %10s\n' "$name" "x$factor" "$verdict" \
            "$(awk -v a="$(of max_error "$work/run")" -v b="$(of scale "$work/run")" 'BEGIN { printf "%.1e", (b > 0 ? a / b : 0) }')" \
            "$(awk -v a="$(of expected_error "$work/run")" -v b="$(of scale "$work/run")" 'BEGIN { printf "%.1e", (b > 0 ? a / b : 0) }')" \
            "$(awk -v a="$apart" 'BEGIN { printf "%.1e", a }')"
        awk -v a="$(of max_error "$work/run")" -v b="$(of expected_error "$work/run")" -v s="$(of scale "$work/run")" \
            'BEGIN { if (b > 1e-9 * s && a > 1e-12 * s) print a / b }' >>"$work/ratios"
        runs=$((runs + 1))
        kind=$(awk -v a="$apart" 'BEGIN { print (a <= 0.01 ? "right" : a > 0.1 ? "wrong" : "") }')
        [ "$kind" = right ] && right=$((right + 1)) && [ "$verdict" = bad ] && right_bad=$((right_bad + 1))
        [ "$kind" = wrong ] && wrong=$((wrong + 1)) && [ "$verdict" = good ] && wrong_good=$((wrong_good + 1))
        true
    done
done
echo "$runs runs: $right_bad of $right right ones are called bad, $wrong_good of $wrong wrong ones good"
sort -g "$work/ratios" | awk '{ r[NR] = $1 } END { printf "energy errors of %d runs, observed over expected: quartiles %.2g, %.2g, %.2g\n", NR,
    r[int(NR / 4) + 1], r[int(NR / 2) + 1], r[int(3 * NR / 4) + 1] }'
