#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# compare_report.sh TRAMMEL JSON_GET EXAMPLES: trammel compare --report: one file with the contents of the table, and rows of all runs at
# the same times. Its look is tested in a browser (viewer/tests).
. "$(dirname "$0")/claims.sh"
always=compare

double=$examples/double-pendulum.json
page=$work/page.html
"$trammel" compare "$double" --steps 0.1 --time 0.1 --report "$page" >/dev/null 2>"$work/err"
if grep -q 'built without its page' "$work/err"; then
    echo "built without the page: nothing to try"
    exit 77
fi

# script ID: prints the contents of the script
script() { sed -n "/<script type=\"[a-z/]*\" id=\"$1\">/,/<\/script>/p" "$page" | sed -e "s/.*id=\"$1\">//" -e 's/<\/script>.*//'; }
# unpack: extracts facts and curves of the page
unpack() { script facts >"$work/facts.json" && script curves >"$work/curves.json"; }
fact() { "$json_get" "$work/facts.json" "$@"; }
curve() { "$json_get" "$work/curves.json" "$@"; }
# values RUN: prints its rows, one per line
values() { curve runs "$1" values | base64 -d | od -An -v -t f4 -w$((4 * $(curve columns '#'))); }
# near WHAT A B: equal to what a float holds, and to the tolerance of the joints: rows are looked at more often than the table's
near() { is "$1: $2 is $3" 1 "$(awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; print ((d < 0 ? -d : d) <= 1e-6 * b + 1e-12) }')"; }
# below WHAT BYTES: asserts the size of the page
below() {
    echo "$1: $(wc -c <"$page") bytes"
    is "$1: below $2 bytes" 1 $(($(wc -c <"$page") < $2))
}

# ---- One file, the numbers of --json ---------------------------------------------------------------

ends 0 "$double" --methods impulse,lagrange --orders 2,4 --steps 0.02,0.01 --time 0.5 --json --plot "$work/plot.svg" --report "$page"
silent err
cp "$work/out" "$work/printed.json"
unpack
is "plot" 1 "$(grep -c '^<svg' "$work/plot.svg")"
is "kind of file" '<!doctype html>' "$(head -c 15 "$page" | tr 'A-Z' 'a-z')"
for id in facts curves; do is "scripts $id" 1 "$(grep -c "<script type=\"application/json\" id=\"$id\"" "$page")"; done
is "nothing from elsewhere" 0 "$(grep -c -E '(src|href)="?(https?:)?//' "$page")"
is "title" "double pendulum" "$(fact title)"
is "command" "trammel compare $double --methods impulse,lagrange --orders 2,4 --steps 0.02,0.01 --time 0.5 --json --plot $work/plot.svg --report $page" "$(fact command)"
rows=$("$json_get" "$work/printed.json" rows '#')
is "rows" 6 "$rows"
is "rows in the file" "$rows" "$(fact compare rows '#')"
for key in method solver order h status us_per_step s_per_simulated_s energy_mean_error energy_max_error gap_position gap_angle \
    velocity_gap_position velocity_gap_angle error observed_order; do
    for row in 0 3 5; do is "row $row, $key" "$("$json_get" "$work/printed.json" rows $row $key)" "$(fact compare rows $row $key)"; done
done
for verdict in 0 1 2 3; do
    is "verdict $verdict" "$("$json_get" "$work/printed.json" in_equal_time $verdict best error)" "$(fact compare in_equal_time $verdict best error)"
done

# ---- Curves ------------------------------------------------------------------------------------------

is "between rows" 0.02 "$(curve every | awk '{ print $1 + 0 }')"
is "runs, the reference being one" "7 7" "$(curve runs_kept 0 | awk '{ print $1 + 0 }') $(curve runs_kept 1 | awk '{ print $1 + 0 }')"
is "the reference is first" -1 "$(curve runs 0 run)"
names=$(for i in 0 1 2 3 4 5 6 7 8; do curve columns $i name; done | paste -sd, -)
is "first columns" "t,distance from the reference,E_kin,E_pot,W,|E - E0 - W|,largest gap,largest gap of angles,upper.x" "$names"
values 0 | awk '{ print $1 }' >"$work/times"
is "rows of the reference" 26 "$(wc -l <"$work/times")"
for run in 1 2 3 4 5 6; do
    is "run $run is at the times of the reference" "$(cat "$work/times")" "$(values $run | awk '{ print $1 }')"
    near "distance at the end is the error of run $run" "$(values $run | tail -1 | awk '{ print $2 }')" "$(fact compare rows $((run - 1)) error)"
    is "energies balance in run $run" 1 \
        "$(values $run | awk 'NR == 1 { e = $3 + $4 } { d = $3 + $4 - e - $5; d = (d < 0 ? -d : d) - $6; if (d > 1e-4 || d < -1e-4) bad = 1 } END { print !bad }')"
done

# A result file as the reference; its rows are at the times of the runs' rows, at the end only, or elsewhere.
"$trammel" run "$double" --time 0.5 --step 0.001 --order 4 --tolerance 1e-12 --every 0.1 --out "$work/fine.csv" >/dev/null
ends 0 "$double" --steps 0.02,0.01 --time 0.5 --reference "$work/fine.csv" --report "$page"
says out '^error: '
unpack
is "the file is no run" 0 "$(curve runs 0 run)"
is "distances at the times of the file" "6 20" "$(values 0 | awk '{ if ($2 == "nan" || $2 == "-nan") n++; else k++ } END { print k, n }')"
near "distance from the file at the end" "$(values 1 | tail -1 | awk '{ print $2 }')" "$(fact compare rows 1 error)"

# Steps that have no common multiple in time keep their lengths: rows at their own times.
ends 0 "$double" --steps 0.01,0.0097 --time 0.5 --report "$page"
unpack
is "nothing in common" null "$(curve every)"
is "second row of the first" 0.01 "$(values 1 | sed -n 2p | awk '{ print $1 + 0 }')"
is "second row of the second" 0.0097 "$(values 2 | sed -n 2p | awk '{ print $1 + 0 }')"
is "the end is a row" "0.5 0.5" "$(values 1 | tail -1 | awk '{ print $1 + 0 }') $(values 2 | tail -1 | awk '{ print $1 + 0 }')"

# Few rows of a long run; an end time that is no multiple of them.
ends 0 "$double" --steps 0.01 --time 5.005 --report "$page"
unpack
is "spacing of 500 steps" 0.03 "$(curve every | awk '{ print $1 + 0 }')"
is "rows, with start and end" 168 "$(curve runs 1 count)"
is "the last is the end" 5.005 "$(values 1 | tail -1 | awk '{ print $1 + 0 }')"

# ---- Runs that stop ----------------------------------------------------------------------------------

cat >"$work/nan.json" <<'END'
{ "trammel": 1, "name": "</script><b>", "bodies": [{ "name": "b", "mass": 1, "inertia": [1, 1, 1] }],
  "forces": [{ "name": "push", "type": "force", "body": "b", "value": ["1/(0.5 - t)^0.5", 0, 0] }] }
END
ends 4 "$work/nan.json" --steps 0.1,0.05 --time 1 --report "$page"
unpack
is "names do no harm" '</script><b>' "$(fact title)"
is "they are written another way" 1 "$(grep -c '"title": "\\u003c/script>\\u003cb>"' "$page")"
count=$((count + 1))
[ "$(fact compare rows 0 status)" != ok ] || fail "a run that stopped says ok"
is "rows up to where it stopped" 1 "$(values 1 | tail -1 | awk '{ print ($1 > 0.2 && $1 <= 0.5) }')"
ends 4 "$examples/spring-mass.json" --methods impulse,lagrange --orders 4 --scheme composition --steps 0.01 --time 0.5 --report "$page"
unpack
is "no rows of what could not begin" "0 0 51" "$(curve runs 0 count) $(curve runs 1 count) $(curve runs 2 count)"

# ---- Failures ----------------------------------------------------------------------------------------

ends 3 "$double" --steps 0.1 --time 0.5 --report "$work/no/such/folder.html"
silent out # before anything runs
says err '^trammel compare: cannot write .*folder.html: No such file or directory$'
if [ -c /dev/full ]; then
    ends 3 "$double" --steps 0.1 --time 0.5 --report /dev/full
    says err '^trammel compare: cannot write /dev/full: No space left on device$'
    says out '^error: '
fi
ends 0 --help
says out '^ *--report FILE.html  *write one HTML page'

# ---- Size: many runs of 60 bodies in less than 3 MB ------------------------------------------------------

awk 'BEGIN {
    printf "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
    for (i = 0; i < 60; i++)
        printf "%s{ \"name\": \"r%d\", \"rod\": { \"from\": [%d, 0, 0], \"to\": [%d, 0, 0], \"mass\": 1, \"radius\": 0.02 } }", i ? "," : "", i, i, i + 1
    printf "], \"joints\": ["
    for (i = 0; i < 60; i++)
        printf "%s{ \"name\": \"j%d\", \"type\": \"ball\", \"bodies\": [\"%s\", \"r%d\"], \"anchor\": [%d, 0, 0] }", i ? "," : "", i, i ? "r" (i - 1) : "ground", i, i
    printf "] }"
}' >"$work/many.json"
ends 0 "$work/many.json" --orders 2 --steps 0.004,0.002 --time 0.8 --report "$page"
unpack
is "bodies in the file" "50 60" "$(curve bodies_kept 0 | awk '{ print $1 + 0 }') $(curve bodies_kept 1 | awk '{ print $1 + 0 }')"
ends 0 "$work/many.json" --orders 2,4 --steps 0.004,0.002,0.001 --time 0.8 --report "$page"
unpack
is "rows are as many" 201 "$(curve runs 1 count)"
is "bodies are fewer where runs are more" 1 "$(curve bodies_kept 0 | awk '{ print ($1 > 20 && $1 < 50) }')"
below "7 runs of 60 bodies" 3000000
ends 0 "$work/many.json" --methods impulse,lagrange,lcp --orders 2 --steps 0.02,0.018,0.016,0.0144,0.012,0.01,0.009,0.008,0.006,0.005 --time 0.36 --report "$page"
unpack
is "runs in the file" 31 "$(curve runs '#')"
below "31 runs of 60 bodies" 3000000

echo "$count claims about reports of comparisons, $failures failures"
[ $failures -eq 0 ]
