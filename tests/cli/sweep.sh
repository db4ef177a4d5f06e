#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# sweep.sh TRAMMEL JSON_GET EXAMPLES: the command trammel sweep: points and rows, runs that fail, any number of workers, killed or
# interrupted sweeps that are resumed, files of other sweeps, wrong options; ranks, if trammel-mpi and mpirun are installed.
. "$(dirname "$0")/claims.sh"
always=sweep
spring=$examples/spring-mass.json
four_bar=$examples/four-bar.json

rows() { grep '^[0-9]' "$1"; }
header() { grep '^run,' "$1"; }

# column FILE NAME: prints its cells; no cell before the last one contains a comma
column() {
    grep -v '^#' "$1" | awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }'
}

# timeless FILE: prints all but the column wall_s, which differs between sweeps
timeless() {
    awk -F, -v OFS=, '/^run,/ { for (i = 1; i <= NF; i++) if ($i == "wall_s") at = i } !/^#/ { $at = "" } { print }' "$1"
}

# same WHAT FILE FILE: equal but for wall_s
same() { is "$1" "$(timeless "$2" | cksum)" "$(timeless "$3" | cksum)"; }

# ---- Points and rows --------------------------------------------------------------------------

ends 0 "$spring" --vary k=1:10:100 --vary m=0.1,0.2 --time 1 --columns 'rail.q,E_*' --out "$work/grid.csv"
silent out
says err '^sweep: 20 runs: k 1, 12, .., 100; m 0.1, 0.2$'
says err '^sweep: 20 ok, 0 stopped, 0 refused; wall-clock time .* s with [0-9]* workers*, [0-9.]* runs/s$'
is "rows" 20 "$(rows "$work/grid.csv" | wc -l)"
is "numbers in order" "$(seq 20 | tr '\n' ' ')" "$(column "$work/grid.csv" run | tr '\n' ' ')"
is "k of the grid" "$(for k in 1 12 23 34 45 56 67 78 89 100; do printf '%s %s ' $k $k; done)" \
    "$(column "$work/grid.csv" k | tr '\n' ' ')"
is "m of the grid" "$(for _ in $(seq 10); do printf '0.1 0.2 '; done)" "$(column "$work/grid.csv" m | tr '\n' ' ')"
is "first and last columns" "run,k,m,status,time,steps,wall_s rail.q,E_kin,E_pot,reason" \
    "$(header "$work/grid.csv" | cut -d, -f1-7) $(header "$work/grid.csv" | rev | cut -d, -f1-4 | rev)"
is "first comment" "# trammel $("$trammel" --version | cut -d' ' -f2)" "$(head -1 "$work/grid.csv")"

# A row equals the results of trammel run with the same constants.
"$trammel" run "$spring" --set k=12 --set m=0.2 --time 1 --columns 't,rail.q,E_kin' --out "$work/run.csv" --json >"$work/report.json"
row=$(rows "$work/grid.csv" | sed -n 4p)
cell() { header "$work/grid.csv" | tr , '\n' | paste -d' ' - <(echo "$row" | tr , '\n') | awk -v name="$1" '$1 == name { print $2 }'; }
equal() { is "$1: $2 and $3" 1 "$(awk -v a="$2" -v b="$3" 'BEGIN { print (a != "" && a + 0 == b + 0) }')"; }
for name in time steps energy.start energy.end energy.work energy.max_error energy.mean_error checks rounds factorisations; do
    equal $name "$(cell $name)" "$("$json_get" "$work/report.json" ${name/./ })"
done
equal rail.q "$(cell rail.q)" "$(tail -1 "$work/run.csv" | cut -d, -f2)"
equal E_kin "$(cell E_kin)" "$(tail -1 "$work/run.csv" | cut -d, -f3)"

# The same rows with any number of workers, in a file and on stdout, where they are in order.
for jobs in 1 2 7; do
    ends 0 "$spring" --vary k=1:10:100 --vary m=0.1,0.2 --time 1 --columns 'rail.q,E_*' --jobs $jobs --out "$work/jobs.csv" --restart
    same "$jobs workers" "$work/grid.csv" "$work/jobs.csv"
    ends 0 "$spring" --vary k=1:10:100 --vary m=0.1,0.2 --time 1 --columns 'rail.q,E_*' --jobs $jobs
    same "$jobs workers, stdout" "$work/grid.csv" "$work/out"
done

# Random points: one in each part of each range, the same for the same seed.
for jobs in 1 3; do
    ends 0 "$spring" --vary k=1:100:log --vary m=1:2 --vary c=0,1 --random 10 --seed 3 --time 0.1 --jobs $jobs --out "$work/random$jobs.csv"
done
same "random points" "$work/random1.csv" "$work/random3.csv"
is "parts of k" "0 1 2 3 4 5 6 7 8 9 " "$(column "$work/random1.csv" k | awk '{ print int(5 * log($1) / log(10)) }' | sort -n | tr '\n' ' ')"
is "parts of m" "0 1 2 3 4 5 6 7 8 9 " "$(column "$work/random1.csv" m | awk '{ print int(10 * ($1 - 1)) }' | sort -n | tr '\n' ' ')"
is "halves of c" "0 0 0 0 0 1 1 1 1 1 " "$(column "$work/random1.csv" c | sort -n | tr '\n' ' ')"
ends 0 "$spring" --vary k=1:100:log --vary m=1:2 --vary c=0,1 --random 10 --seed 4 --time 0.1 --out "$work/seed.csv"
is "another seed, other points" 0 "$(column "$work/seed.csv" k | grep -cxFf <(column "$work/random1.csv" k))"

# Options of the simulation, and --set, are those of trammel run.
ends 0 "$spring" --vary k=50 --set m=2 --method lagrange:integrator=rk4 --step 0.02 --time 0.5 --every 0.1 --columns rail.q --out "$work/o.csv"
"$trammel" run "$spring" --set k=50 --set m=2 --method lagrange:integrator=rk4 --step 0.02 --time 0.5 --every 0.1 --columns t,rail.q --out "$work/run.csv" >/dev/null
is "steps of 0.02 s" 25 "$(column "$work/o.csv" steps)"
equal "the last place" "$(column "$work/o.csv" rail.q)" "$(tail -1 "$work/run.csv" | cut -d, -f2)"

# ---- Runs that fail are rows ------------------------------------------------------------------

ends 0 "$spring" --vary m=-1,1e-300,1 --time 0.1 --columns rail.q --out "$work/fail.csv"
says err '^sweep: 1 ok, 1 stopped, 1 refused; '
is "fates" "refused stopped ok " "$(column "$work/fail.csv" status | tr '\n' ' ')"
is "reason of the refusal" "\"body 'mass': \"\"mass\"\" is -1; it must be a positive number of kg\"" \
    "$(rows "$work/fail.csv" | sed -n 1p | sed 's/^[^"]*//')"
is "cells of the refusal" "$(header "$work/fail.csv" | tr -cd , | wc -c)" "$(rows "$work/fail.csv" | sed -n 1p | sed 's/".*//' | tr -cd , | wc -c)"
is "reason of the stop" 1 "$(rows "$work/fail.csv" | sed -n 2p | grep -c ",force 'spring': velocities could not be projected onto it")"
is "time of the stop" 0 "$(column "$work/fail.csv" time | sed -n 2p)"
is "no reason" 1 "$(rows "$work/fail.csv" | sed -n 3p | grep -c ',$')"
ends 3 "$spring" --vary m=-1,-2 --out "$work/none.csv"
says err 'body .mass.: "mass" is -1'
says err 'no valid model results from any point'
is "no file of it" no "$([ -e "$work/none.csv" ] && echo yes || echo no)"

# ---- Pictures ---------------------------------------------------------------------------------

# one constant: a curve per figure; two: a map per figure with a cell per point; random points: a dot each
ends 0 "$spring" --vary k=1:10:100 --time 0.1 --columns rail.q --print 'max(rail.qd)' --out "$work/curves.csv" --plot "$work/curves.svg"
is "two curves" 2 "$(grep -c '<path class="line"' "$work/curves.svg")"
ends 0 "$spring" --vary k=1:10:100 --vary m=2,0.1,1 --time 0.1 --columns rail.q --print 'max(rail.qd)' --out "$work/map.csv" --plot "$work/map.svg"
is "cells of two maps" 60 "$(grep -o 'class="cell"' "$work/map.svg" | wc -l)"
# drawn from a complete file: the same picture
ends 0 "$spring" --vary k=1:10:100 --vary m=2,0.1,1 --time 0.1 --columns rail.q --print 'max(rail.qd)' --out "$work/map.csv" --plot "$work/again.svg"
is "the same picture" "$(cksum <"$work/map.svg")" "$(cksum <"$work/again.svg")"
ends 0 "$spring" --vary k=1:100 --vary m=1:2 --random 9 --time 0.1 --plot "$work/dots.svg"
is "dots of random points" 9 "$(grep -o '<circle class="cell"' "$work/dots.svg" | wc -l)"
# the cell of a map with the least figure, which is k itself, has the darkest colour, that with the largest the brightest; a run that is
# refused has none
ends 0 "$spring" --vary k=0,50,100 --vary m=-1,1 --time 0.1 --print '0*max(rail.q)+k' --plot "$work/k.svg"
is "colours" "rgb(68,1,84) rgb(253,231,37)" "$(grep -o 'class="cell".*' "$work/k.svg" | grep -o 'class="cell"[^>]*rgb([0-9,]*)' | grep -o 'rgb.*' | sed -n '1p;3p' | tr '\n' ' ' | sed 's/ $//')"
is "cells of sound runs" 3 "$(grep -o 'class="cell"' "$work/k.svg" | wc -l)"
ends 2 "$spring" --vary k=1,2 --vary m=1,2 --vary c=0,1 --plot "$work/no.svg"
says err '^trammel sweep: --plot draws over one or two varied constants, not 3$'
ends 2 "$spring" --vary k=1,2 --out "$work/same.csv" --plot "$work/same.csv"
says err 'same'

# ---- Resuming ---------------------------------------------------------------------------------

many=("$four_bar" --vary b=0.45:300:0.55 --time 1 --columns A.q --jobs 2)
ends 0 "${many[@]}" --out "$work/whole.csv"
is "300 rows" 300 "$(rows "$work/whole.csv" | wc -l)"

# killed during the run: rows that were written stay unchanged, with their wall times, and the rest is added
more_rows() { [ -e "$work/killed.csv" ] && [ "$(grep -c '^[0-9]' "$work/killed.csv")" -gt "$1" ]; }

# halted SIGNAL ROWS COMMAND...: sends the signal when there are more rows than this; repeats the command if it had finished by then
halted() {
    local signal=$1 least=$2
    shift 2
    for _ in $(seq 30); do
        rm -f "$work/killed.csv"
        [ -e "$work/before.csv" ] && cp "$work/before.csv" "$work/killed.csv"
        "$@" --out "$work/killed.csv" >/dev/null 2>"$work/err" &
        within more_rows "$least" || fail "no rows to be seen before SIG$signal"
        kill -"$signal" $! 2>/dev/null
        wait $! 2>/dev/null
        code=$?
        left=$(rows "$work/killed.csv" | wc -l)
        [ "$left" -eq 300 ] || return
    done
}

rm -f "$work/before.csv"
for rows_before in 20 100; do
    halted KILL $rows_before "$trammel" sweep "${many[@]}"
    is "exit code after $left rows" 137 $code
    is "killed in the middle, after $left rows" 1 $((left > rows_before && left < 300))
    head -c -1 "$work/killed.csv" | tail -1 | grep -q '^[0-9]' && tail -c 1 "$work/killed.csv" | grep -q '^$'
    is "whole rows" 0 $?
    cp "$work/killed.csv" "$work/before.csv"
done
printf '299,0.54' >>"$work/killed.csv" # as if it were cut while it was written
ends 0 "${many[@]}" --resume --out "$work/killed.csv"
says err "^sweep: $left of them are already in the file$"
says err "^sweep: $((300 - left)) ok, "
is "nothing was made twice" 0 "$(rows "$work/before.csv" | grep -vcxFf "$work/killed.csv")"
same "killed twice and gone on" "$work/whole.csv" "$work/killed.csv"

# complete: nothing remains to be done; other workers and another path of the model give the same sweep
cp "$work/killed.csv" "$work/before.csv"
cp "$four_bar" "$work/moved.json"
ends 0 "$work/moved.json" --columns A.q --time 1 --vary b=0.45:300:0.55 --jobs 1 --out "$work/killed.csv"
says err '^sweep: 300 of them are already in the file$'
is "untouched" "$(cksum <"$work/before.csv")" "$(cksum <"$work/killed.csv")"

# Ctrl-C: complete rows, exit code 4, and the sweep can be resumed
rm "$work/before.csv"
halted INT 20 "$trammel" sweep "${many[@]}"
is "exit code of Ctrl-C" 4 $code
says err '^sweep: interrupted; [0-9]* runs are left, and the same command continues it$'
ends 0 "${many[@]}" --out "$work/killed.csv"
same "interrupted and gone on" "$work/whole.csv" "$work/killed.csv"

# editing the model during the run has no effect
cp "$four_bar" "$work/edited.json"
rm "$work/killed.csv"
"$trammel" sweep "$work/edited.json" "${many[@]:1}" --out "$work/killed.csv" >/dev/null 2>&1 &
within more_rows 5 || fail "no rows to be seen before the edit"
sed 's/-9.81/-1/' "$four_bar" >"$work/edited.json"
wait $!
same "edited meanwhile" "$work/whole.csv" "$work/killed.csv"

# two at the same time
"$trammel" sweep "$four_bar" --vary b=0.45:300:0.55 --time 100 --out "$work/two.csv" >/dev/null 2>&1 &
within [ -s "$work/two.csv" ]
ends 3 "$four_bar" --vary b=0.45:300:0.55 --time 100 --out "$work/two.csv"
says err 'another sweep is writing .*two.csv now'
kill $!
wait $!

# other sweeps
refused() {
    cp "$work/killed.csv" "$work/before.csv"
    ends 3 "$@" --out "$work/killed.csv"
    says err 'killed.csv exists and belongs to another sweep: it has$'
    is "untouched by another" "$(cksum <"$work/before.csv")" "$(cksum <"$work/killed.csv")"
}
refused "$work/edited.json" "${many[@]:1}"
refused "$four_bar" --vary b=0.45:300:0.56 --time 1 --columns A.q
refused "$four_bar" --vary b=0.45:300:0.55 --time 1.5 --columns A.q
refused "$four_bar" --vary b=0.45:300:0.55 --time 1 --columns A.qd
refused "$four_bar" --vary b=0.45:300:0.55 --time 1 --columns A.q --set a=0.21
"$trammel" run "$examples/pendulum.json" --time 0.1 --out "$work/killed.csv" >/dev/null
refused "${many[@]}"
cp "$work/whole.csv" "$work/killed.csv"
sed -i 's/^7,/8,/' "$work/killed.csv"
ends 3 "${many[@]}" --out "$work/killed.csv"
says err 'killed.csv is damaged: row 7 is none of this sweep'
cat "$work/whole.csv" <(rows "$work/whole.csv" | head -1) >"$work/killed.csv"
ends 3 "${many[@]}" --out "$work/killed.csv"
says err 'killed.csv is damaged: row 301 is a second one of the same run'
ends 0 "${many[@]}" --restart --out "$work/killed.csv"
same "begun again" "$work/whole.csv" "$work/killed.csv"
head -c 30 "$work/whole.csv" >"$work/killed.csv"
ends 0 "${many[@]}" --out "$work/killed.csv"
same "begun again where the header was cut" "$work/whole.csv" "$work/killed.csv"

# ---- Refusals ---------------------------------------------------------------------------------

# wrong CODE MESSAGE OPTION...
wrong() {
    local code=$1 message=$2
    shift 2
    ends "$code" "$spring" "$@"
    says err "$message"
    silent out
}
wrong 2 'nothing is varied; give --vary NAME=FROM:COUNT:TO or --vary NAME=a,b,c'
wrong 2 'k: how many values between 1 and 2?' --vary k=1:2
wrong 2 'k: in FROM:COUNT:TO COUNT is a whole number from 1 to 10000000, not 0.5' --vary k=1:0.5:3
wrong 2 'k: in FROM:COUNT:TO COUNT is a whole number from 1 to .*, not 0' --vary k=1:0:3
wrong 2 'k: the range from 2 to 2 is empty' --vary k=2:3:2
wrong 2 "k: nan: unknown name 'nan'" --vary k=nan
wrong 2 'k is varied twice' --vary k=1 --vary k=2
wrong 2 'k is both varied and --set' --vary k=1 --set k=2
wrong 2 'these are 9.999e+10 runs; a sweep has at most 10000000' --vary k=1:9999999:2 --vary m=1:9999:3
wrong 2 'k: with --random N a range is FROM:TO or FROM:TO:log, without a count' --vary k=1:2:3 --random 5
wrong 2 '--random takes a whole number from 1 to 10000000, not "0"' --vary k=1:2 --random 0
wrong 2 '--seed takes a whole number .*, not "x"' --vary k=1:2 --random 2 --seed x
wrong 2 '--seed has no effect without --random N; give both' --vary k=1 --seed 2
wrong 2 '--jobs takes a whole number from 1 to 1024, not "0"' --vary k=1 --jobs 0
wrong 2 '--jobs takes a whole number from 1 to 1024, not "1.5"' --vary k=1 --jobs 1.5
wrong 2 '--resume and --restart contradict each other' --vary k=1 --resume --restart --out "$work/x.csv"
wrong 2 '--resume requires --out FILE.csv' --vary k=1 --resume
wrong 2 '--step is -1; it must be positive' --vary k=1 --step=-1
wrong 3 'the model has no constant "kk" to vary; it has k, c, m$' --vary kk=1
wrong 3 'the model has no constant "mm" to set' --vary k=1 --set mm=1
wrong 3 'no column fits "nobody.\*"' --vary k=1 --columns 'nobody.*'
wrong 3 'there is no method "magic"' --vary k=1 --method magic
wrong 3 'cannot continue .*none.csv: No such file' --vary k=1 --resume --out "$work/none.csv"
wrong 3 'cannot write .*no/such.csv: No such file' --vary k=1 --out "$work/no/such.csv"
wrong 3 "cannot write $work: Is a directory" --vary k=1 --out "$work"
if [ -c /dev/full ]; then
    wrong 3 'cannot write /dev/full' --vary k=1 --out /dev/full
fi
ends 3 "$work/missing.json" --vary k=1
says err 'cannot read the model file .*missing.json: No such file'
sed 's/"k"/"steps"/g' "$spring" >"$work/clash.json"
ends 3 "$work/clash.json" --vary steps=1,2
says err 'there would be two columns "steps"'
ends 3 "$examples/pendulum.json" --vary k=1
says err 'the model has no constant "k" to vary; it has none$'

# ---- Ranks ------------------------------------------------------------------------------------

ranks=$(dirname "$trammel")/trammel-mpi
if [ -x "$ranks" ] && command -v mpirun >/dev/null; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export ASAN_OPTIONS=detect_leaks=0 # MPI keeps what it has until the end
    for number in 2 3; do
        mpirun --oversubscribe -n $number "$ranks" sweep "${many[@]:0:7}" --restart --out "$work/ranks.csv" 2>"$work/err" </dev/null
        is "exit code of $number ranks" 0 $?
        says err "^sweep: 300 ok, 0 stopped, 0 refused; .* with $number workers"
        same "$number ranks" "$work/whole.csv" "$work/ranks.csv"
    done
    grep -v '^\(7\|8\|250\),' "$work/whole.csv" >"$work/ranks.csv"
    mpirun --oversubscribe -n 2 "$ranks" sweep "${many[@]:0:7}" --out "$work/ranks.csv" 2>"$work/err" </dev/null
    says err '^sweep: 3 ok, 0 stopped, 0 refused; '
    same "ranks go on" "$work/whole.csv" "$work/ranks.csv"
fi

echo "$count claims about trammel sweep, $failures failures"
[ $failures -eq 0 ]
