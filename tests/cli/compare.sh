#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# compare.sh TRAMMEL JSON_GET EXAMPLES: the command trammel compare: the table, errors against a result file, wrong files, the plot, the
# progress bar.
. "$(dirname "$0")/claims.sh"
always=compare
double=$examples/double-pendulum.json

# small WHAT NUMBER MOST
small() { is "$1: $2 is at most $3" 1 "$(awk -v a="$2" -v b="$3" 'BEGIN { print (a != "null" && a <= b) }')"; }

# results FILE OPTION...: writes results of a run of the double pendulum
results() {
    local file=$1
    shift
    "$trammel" run "$double" --time 0.5 --tolerance 1e-12 --out "$file" "$@" >/dev/null || fail "no results in $file"
}

# ---- The table --------------------------------------------------------------------------------

ends 0 "$double" --orders 2,4 --steps 0.01,0.005 --time 0.5 --tolerance 1e-13
says out '^impulse *direct *2 *0.005 .* \(1.9\|2.0\)[0-9]$'
says out '^impulse *direct *4 *0.005 .* [34]\.[09][0-9]$'
says out 'gap/(m/s) gap/(rad/s)'
is "columns of header and rows" "13 13 13 13 13" \
    "$(head -5 "$work/out" | sed 's/mean dE/mean_dE/; s/max dE/max_dE/' | awk '{ print NF }' | paste -sd ' ')"
is "widest line of the table" 1 "$(head -5 "$work/out" | awk '{ if (length($0) > most) most = length($0) } END { print most <= 132 }')"
says out 'the reference, impulse direct of order 4 with h = 0.0025, at t = 0.5 s'
ends 0 "$double" --solvers direct,iterative --steps 0.01 --time 0.5 --json
is "no order between solvers" null "$("$json_get" "$work/out" rows 1 observed_order)"
is "solver of the second row" iterative "$("$json_get" "$work/out" rows 1 solver)"
is "step of the reference" 0.0050000000000000001 "$("$json_get" "$work/out" reference h)"
for key in gap_position velocity_gap_position; do # the tolerance is 1e-12 m and m/s
    small "$key" "$("$json_get" "$work/out" rows 0 $key)" 1e-12
done
small "velocity_gap_angle" "$("$json_get" "$work/out" rows 0 velocity_gap_angle)" 1e-12
ends 4 "$examples/spring-mass.json" --orders 4 --scheme composition --steps 0.01 --time 0.5
says out "force 'spring' depends on velocities"
ends 2 "$examples/pendulum.json" --steps 0.01,x
says err '"x" is not a positive number'
ends 2 "$examples/pendulum.json" --time 0.1,0.2,0.3
says err '--time takes one number, not 3'
ends 2 "$examples/pendulum.json" --steps "$(seq -s, 1 17)"
says err '--steps: the list has 17 entries; it may have at most 16'
ends 2 "$examples/pendulum.json" --methods "$(seq -s, 1 900)"
says err '--methods: the list is longer than 2000 characters'

# A method with its own order and solvers is run once, under its own name; the output says which method is most accurate at equal time.
ends 0 "$double" --methods impulse,lcp --orders 2,4 --steps 0.01,0.005 --time 0.5
is "rows of lcp" 2 "$(grep -c '^lcp *dantzig *1 ' "$work/out")"
says out '^At equal processor time per simulated second:$'
is "verdicts" 4 "$(grep -c ' is most accurate: ' "$work/out")"
says out 'impulse direct of order 4 is most accurate: .*; then lcp dantzig of order 1: '
ends 0 "$double" --methods impulse,lcp --orders 4 --steps 0.01,0.005 --time 0.5 --json
is "best with the most time" impulse "$("$json_get" "$work/out" in_equal_time 3 best method)"
is "next" lcp "$("$json_get" "$work/out" in_equal_time 3 next method)"
ends 0 "$double" --steps 0.01 --time 0.5 --json
is "nobody to compare with" 0 "$("$json_get" "$work/out" in_equal_time '#')"

# ---- Errors against a file --------------------------------------------------------------------

# The same steps, rows at the same times: bit-identical.
results "$work/same.csv" --step 1/64 --every 1/32
ends 0 "$double" --steps 1/32,1/64 --time 0.5 --reference "$work/same.csv" --json
is "error against itself" 0 "$("$json_get" "$work/out" rows 1 error)"
is "error of a longer step is one" 1 "$("$json_get" "$work/out" rows 0 error | awk '{ print ($1 > 1e-6) }')"
is "no order is seen where an error is 0" null "$("$json_get" "$work/out" rows 1 observed_order)"
is "file" "$work/same.csv" "$("$json_get" "$work/out" reference file)"
is "nothing is left out" 0 "$("$json_get" "$work/out" reference left_out '#')"
silent err

# Rows at every step instead: other rounding errors, within the tolerance of the joints.
results "$work/steps.csv" --step 0.01
ends 0 "$double" --steps 0.01 --time 0.5 --reference "$work/steps.csv" --json
small "error against rows at steps" "$("$json_get" "$work/out" rows 0 error)" 1e-11

# A time that is no exact multiple of the spacing: 3 * 0.1 is not 0.3.
"$trammel" run "$double" --time 0.3 --every 0.1 --step 0.01 --tolerance 1e-12 --out "$work/third.csv" >/dev/null
is "the last row is not quite at the end" 0.30000000000000004 "$(tail -1 "$work/third.csv" | cut -d, -f1)"
ends 0 "$double" --steps 0.01 --time 0.3 --reference "$work/third.csv" --json
small "error at 0.3 s" "$("$json_get" "$work/out" rows 0 error)" 1e-11

# A fine run: orders are determined against it as against the finest run.
results "$work/fine.csv" --step 0.0005 --order 4 --every 0.05
ends 0 "$double" --steps 0.01,0.005 --time 0.5 --reference "$work/fine.csv"
says out '^impulse *direct *2 *0.005 .* \(1.9\|2.0\)[0-9]$'
says out "from its position in $work/fine.csv at t = 0.5 s"

# Some bodies only.
results "$work/upper.csv" --step 0.0005 --order 4 --every 0.05 --columns 't,upper.*,lower.x'
ends 0 "$double" --steps 0.01 --time 0.5 --reference "$work/upper.csv"
says out "^Left out, because the file has no columns for them: 'lower'.$"
ends 0 "$double" --steps 0.01 --time 0.5 --reference "$work/upper.csv" --json
is "left out" lower "$("$json_get" "$work/out" reference left_out 0)"
few=$("$json_get" "$work/out" rows 0 error)
ends 0 "$double" --steps 0.01 --time 0.5 --reference "$work/fine.csv" --json
is "fewer bodies, no larger error" 1 "$(awk -v a="$few" -v b="$("$json_get" "$work/out" rows 0 error)" 'BEGIN { print (a > 0 && a <= b) }')"

# ---- Wrong files ------------------------------------------------------------------------------

# wrong FILE MESSAGE: asserts that the file is refused before any run
wrong() {
    ends 3 "$double" --steps 0.01 --time 0.5 --reference "$1"
    silent out
    says err "$2"
}

results "$work/short.csv" --step 0.01 --every 0.03
wrong "$work/short.csv" "short.csv:22: error: no row is at t = 0.5 s, where the runs end; the last one is at t = 0.48 s$"
wrong "$work/nothing.csv" "cannot read $work/nothing.csv: No such file or directory"
wrong "$work" "error: .*header row"
: >"$work/empty.csv"
wrong "$work/empty.csv" "empty.csv:0: error: the file has no header row"
echo '# nothing but a comment' >"$work/empty.csv"
wrong "$work/empty.csv" "empty.csv:1: error: the file has no header row"
wrong "$double" "double-pendulum.json:1: error: the header row has no column t"
results "$work/energy.csv" --columns 't,E_kin,lower.tip.*'
wrong "$work/energy.csv" "energy.csv:5: error: the file has the columns NAME.x, NAME.y and NAME.z of no body of the model"
results "$work/timeless.csv" --columns 'upper.*'
wrong "$work/timeless.csv" "timeless.csv:5: error: the header row has no column t"
head -5 "$work/same.csv" >"$work/rowless.csv"
wrong "$work/rowless.csv" "rowless.csv:5: error: the file has no rows"
head -c -30 "$work/same.csv" >"$work/cut.csv"
wrong "$work/cut.csv" "cut.csv:22: error: column [0-9]* is not a number, or the row does not have"
sed '9s/,/,,/' "$work/same.csv" >"$work/hole.csv"
wrong "$work/hole.csv" "hole.csv:9: error: column 2 is not a number"
sed '9s/$/,1/' "$work/same.csv" >"$work/more.csv"
wrong "$work/more.csv" "more.csv:9: error: column [0-9]* is not a number, or the row does not have"
sed '22s/,[^,]*/,nan/' "$work/same.csv" >"$work/nan.csv"
wrong "$work/nan.csv" "nan.csv:22: error: the position of body 'upper' is not finite"
sed 's/$/\r/' "$work/same.csv" >"$work/windows.csv"
ends 0 "$double" --steps 1/64 --time 0.5 --reference "$work/windows.csv" --json
is "lines may end as they do elsewhere" 0 "$("$json_get" "$work/out" rows 0 error)"

# ---- The plot ---------------------------------------------------------------------------------

ends 0 "$double" --orders 2,4 --steps 0.02,0.01,0.005 --time 0.5 --plot "$work/plot.svg"
silent err
says out '^error: '
is "series of the plot" "impulse, direct, order 2
impulse, direct, order 4" "$(sed -n 's|.*<text class="legend".*>\(.*\)</text>|\1|p' "$work/plot.svg")"
is "a marker per run" "3 3" "$(sed -n '/<g class="c[01]"><path class="line" d="M[^"]*L/p' "$work/plot.svg" | sed 's/.*class="marker"//' |
    awk '{ print gsub(/M/, "") }' | paste -sd ' ')"
is "axes" 2 "$(grep -c -e '>processor time per simulated second, s<' -e '>error against the finest run, m<' "$work/plot.svg")"
if command -v xmllint >/dev/null; then
    xmllint --noout "$work/plot.svg" 2>"$work/err"
    is "xmllint on the plot" 0 $?
fi
ends 0 "$double" --steps 0.02,0.01 --time 0.5 --reference "$work/fine.csv" --plot "$work/plot.svg" --json
says out '"rows"'
is "the plot names the file" 1 "$(grep -c '>error against fine.csv, m<' "$work/plot.svg")"
ends 4 "$examples/spring-mass.json" --orders 4 --scheme composition --steps 0.01 --time 0.5 --plot "$work/none.svg"
says err 'no plot can be made: no run has an error that is known and not 0'
ends 3 "$double" --steps 1/64 --time 0.5 --reference "$work/same.csv" --plot "$work/none.svg"
says err 'no plot can be made'
says out '^error: '
is "no file of no plot" "" "$(ls "$work" | grep none.svg)"
ends 3 "$double" --steps 0.02,0.01 --time 0.5 --plot "$work/no/such/folder.svg"
says err 'cannot write .*folder.svg: No such file or directory'
says out '^error: '
if [ -c /dev/full ]; then
    ends 3 "$double" --steps 0.02,0.01 --time 0.5 --plot /dev/full
    says err 'cannot write /dev/full: No space left on device'
fi

# ---- Progress ---------------------------------------------------------------------------------

long=("$examples/eight-loop.json" --steps 0.001 --time 1000)
timeout 1 "$trammel" compare "${long[@]}" >/dev/null 2>"$work/err"
silent err
if has_terminal; then
    shows_on_terminal "a bar on a terminal" '\[#*\.*\] *[0-9]* %  run 1 of 2, [0-9]* s left' \
        "$trammel" compare "$double" --steps 0.01 --time 2000 --orders 8
fi

# The simulated time of the model; a scheme with its own order; empty lists.
ends 0 "$examples/pendulum.json" --steps 0.1,0.05
says out 'at t = 10 s'
ends 0 "$examples/pendulum.json" --steps 0.1,0.05 --time 1 --scheme extrapolation
says out 'direct  *4 '
says out 'Orders above 2 by extrapolation'
for wrong in lagrange:beta lagrange:beta= lagrange:=20; do
    ends 2 "$examples/pendulum.json" --steps 0.1 --time 1 --methods "impulse,$wrong"
    says err "^trammel compare: $wrong: an option is not of the form NAME=VALUE; a method is written METHOD:NAME=VALUE:NAME=VALUE"
    silent out
done
ends 0 "$examples/pendulum.json" --steps 0.1,0.05 --time 1 --methods impulse,lagrange:stabilise=none:integrator=heun
says out '^lagrange:stabilise=none:integrator=heun *direct '
ends 2 "$examples/pendulum.json" --steps ,
says err 'the list is empty'

echo "$count claims about trammel compare, $failures failures"
[ $failures -eq 0 ]
