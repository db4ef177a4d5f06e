#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# inverse.sh TRAMMEL JSON_GET EXAMPLES: the command trammel inverse: forces of runs are recovered from their results, complete ones,
# without accelerations, without velocities, from coordinates alone; wrong files and options.
. "$(dirname "$0")/claims.sh"
always=inverse
crank=$examples/problems/r09-slider-crank.json
arm=$examples/arm.json

# results FILE MODEL OPTION...: writes rows of a run
results() {
    "$trammel" run "$2" --out "$1" "${@:3}" >/dev/null 2>&1 || fail "no results in $1"
}

# differ FILE COLUMN FILE COLUMN: prints the largest difference over all rows
differ() {
    awk -F, -v a="$2" -v b="$4" '
        FNR == 1 { file++ }
        /^#/ { next }
        !header[file] { header[file] = 1; for (i = 1; i <= NF; i++) if ($i == (file == 1 ? a : b)) at[file] = i; next }
        file == 1 { value[++rows] = $at[1]; next }
        { d = $at[2] - value[++n]; if (d < 0) d = -d; if (d > most) most = d }
        END { if (!at[1] || !at[2] || n != rows || n == 0) print "no such columns or rows"; else print most + 0 }' "$1" "$3"
}

# near WHAT NUMBER MOST
near() { is "$1: $2 is at most $3" 1 "$(awk -v a="$2" -v b="$3" 'BEGIN { print (a ~ /^[0-9.e+-]+$/ && a <= b) }')"; }

# keep FILE PATTERN FILE: copies t and columns whose names match
keep() {
    grep -v '^#' "$1" | awk -F, -v fit="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == "t" || $i ~ fit) column[++n] = i }
        { for (i = 1; i <= n; i++) printf "%s%s", $column[i], i < n ? "," : "\n" }' >"$3"
}

# ---- Known forces -----------------------------------------------------------------------------

# R09: the torque of the drive, up to 43 N m, and the forces of all joints, up to 600 N
results "$work/crank.csv" "$crank" --every 0.001 --columns '*'
ends 0 "$crank" "$work/crank.csv" --reactions --out "$work/found.csv"
silent out
silent err
is "header" 't,O.force,O.fx' "$(grep '^t' "$work/found.csv" | cut -d, -f1-3)"
is "unit" '# O.force in N m' "$(grep '^# O.force' "$work/found.csv")"

# a line break in the name of a model must not end its comment: what follows would be read as columns
awk '!done && sub(/"trammel": 1,/, "\"trammel\": 1, \"name\": \"two\\nlines\",") { done = 1 } { if (!/^ *"name"/) print }' "$crank" >"$work/lines.json"
ends 0 "$work/lines.json" "$work/crank.csv" --out "$work/lines.csv"
is "a name of two lines" '# model two lines' "$(sed -n 2p "$work/lines.csv")"
is "lines before the header" 0 "$(sed '/^t,/,$d' "$work/lines.csv" | grep -vc '^#')"
is "times, digit for digit" "$(grep -v '^[#t]' "$work/crank.csv" | cut -d, -f1)" "$(grep -v '^[#t]' "$work/found.csv" | cut -d, -f1)"
near "torque" "$(differ "$work/crank.csv" drive.tz "$work/found.csv" O.force)" 1e-9
for column in O.fx O.fy B.fx C.fy way.fy drive.tz; do
    near $column "$(differ "$work/crank.csv" $column "$work/found.csv" $column)" 1e-9
done
is "torque at 0.01 s of the closed form" 1 \
    "$(awk -F, '$1 == 0.01 { d = $2 + 25.781025747768588; print (d * d < 1e-18) }' "$work/found.csv")"

# a drive that is not requested keeps its motion, and the slider needs no force; without the drive, the slider has the same power
ends 0 "$crank" "$work/crank.csv" --drive way --reactions --out "$work/found.csv"
is "unit of a slider" '# way.force in N' "$(grep '^# way.force' "$work/found.csv")"
near "torque of the drive" "$(differ "$work/crank.csv" drive.tz "$work/found.csv" drive.tz)" 1e-9
is "force of the slider" 0 "$(grep -v '^#' "$work/found.csv" | awk -F, 'NR > 1 && $2 != 0' | wc -l)"
sed '/"forces"/d' "$crank" >"$work/free.json"
grep -v '^0,' "$work/crank.csv" >"$work/later.csv" # at 0 s it is stretched: the slider cannot turn the crank
ends 4 "$work/free.json" "$work/crank.csv" --drive way
says err "crank.csv:.*: t = 0 s: joint '.*' would need .* N m along its coordinate 1, which nothing provides"
ends 0 "$work/free.json" "$work/later.csv" --drive way --columns 'O.qd,way.qd'
grep -v '^#' "$work/out" | awk -F, -v OFS=, 'NR == 1 { print "t", "power"; next } { printf "%s,%.17g\n", $1, $2 * $4 / $3 }' >"$work/power.csv"
near "power of slider and crank" "$(differ "$work/later.csv" drive.tz "$work/power.csv" power)" 1e-9

# with less and less given data, the printed error must not be smaller than the true one, except for 1e-9 N m: the rows themselves have
# errors within the tolerance of joints, which both polynomials reproduce and the estimate cannot show
for known in '[.](q[wxyz]|[xyz]|v[xyz]|w[xyz])$' '[.](q[wxyz]|[xyz])$' '^O[.]q$' '^O[.]qd?$'; do
    keep "$work/crank.csv" "$known" "$work/part.csv"
    ends 0 "$crank" "$work/part.csv" --out "$work/found.csv"
    says err 'found by differentiating polynomials through 9 rows'
    said=$(sed -n 's/.*would differ by at most \([^ ]*\) N m$/\1/p' "$work/err")
    near "torque of $known, said to be off by $said" "$(differ "$work/crank.csv" drive.tz "$work/found.csv" O.force)" \
        "$(awk -v s="$said" 'BEGIN { print s + 1e-9 }')"
    case $known in '^O'*) near "torque of $known" "$said" 1e-9 ;; *) near "torque of $known" "$said" 0.02 ;; esac
done

# seven servos that grip a part and release it; a2 reaches its largest torque, 48 N m
results "$work/arm.csv" "$arm" --every 0.05 --tolerance 1e-12 --columns '*'
ends 0 "$arm" "$work/arm.csv" --reactions --out "$work/found.csv"
silent err
for column in a1.tz a2.ty a5.fx grip.fz shelf.fz; do
    near $column "$(differ "$work/arm.csv" $column "$work/found.csv" $column)" 1e-9
done
# servo NUMBER INERTIA GOAL MOST: compares its law, as in the model, with the force found; largest difference over all rows
servo() {
    awk -F, -v j="a$1" -v I="$2" -v goal="$3" -v most="$4" '
        FNR == 1 { file++ }
        /^#/ { next }
        !header[file] { header[file] = 1; for (i = 1; i <= NF; i++) at[file, $i] = i; next }
        file == 1 { n++
            u = ($1 - 1) / 2; u = u < 0 ? 0 : u > 1 ? 1 : u
            f = I * 900 * (goal * u^3 * (10 - 15 * u + 6 * u^2) - $at[1, j ".q"])
            f += 2 * I * 30 * (goal * 15 * u^2 * (1 - 2 * u + u^2) - $at[1, j ".qd"])
            law[n] = f > most ? most : f < -most ? -most : f; next }
        { d = $at[2, j ".force"] - law[++k]; if (d < 0) d = -d; if (d > worst) worst = d }
        END { if (n == 0 || n != k) print "no rows"; else print worst + 0 }' "$work/arm.csv" "$work/found.csv"
}
while read -r number inertia goal most; do
    near "servo $number" "$(servo "$number" "$inertia" "$goal" "$most")" 1e-9
done <<'END'
1 0.94 1.2 60
2 4.3 0.7 48
3 0.39 -0.5 20
4 0.99 0.9 30
5 0.13 0.4 10
6 0.13 -0.8 12
7 0.02 1.5 5
END
is "largest torque of a2" 48.0000 "$(grep -v '^#' "$work/found.csv" | awk -F, 'NR > 1 { a = $3 < 0 ? -$3 : $3; if (a > m) m = a } END { printf "%.4f", m }')"

# a free motion needs no forces, up to the gaps of joints; the file may come from another system, with its line ends
results "$work/four.csv" "$examples/four-bar.json" --time 0.5 --every 0.05 --columns '*'
sed 's/$/\r/' "$work/four.csv" >"$work/windows.csv"
ends 0 "$examples/four-bar.json" "$work/windows.csv"
is "forces of a free motion" 0 "$(grep -v '^#' "$work/out" | awk -F, 'NR > 1 && $2 * $2 > 1e-18' | wc -l)"

# ---- Refusals ---------------------------------------------------------------------------------

ends 2 "$crank"
says err '^usage: trammel inverse MODEL TRAJECTORY.csv'
ends 2 "$crank" "$work/crank.csv" --drive knee
says err "the model has no joint, and no coordinate of one, that is called 'knee'"
ends 2 "$crank" "$work/crank.csv" --drive O.q2
says err "that is called 'O.q2'"
ends 2 "$crank" "$work/crank.csv" --drive ,
says err 'names no joint'
ends 3 "$crank" "$work/crank.csv" --drive O,O
says err "joint 'O': is listed twice"
ends 3 "$crank" "$work/crank.csv" --columns 'nobody.*'
says err 'no column fits "nobody.\*"'
silent out
ends 3 "$crank" "$work/none.csv"
says err 'trammel inverse: cannot read .*none.csv: No such file or directory'
ends 3 "$crank" "$work/crank.csv" --out "$work/no/such/folder.csv"
says err 'cannot write .*folder.csv: No such file or directory'
if [ -c /dev/full ]; then
    ends 3 "$crank" "$work/crank.csv" --out /dev/full
    says err 'cannot write /dev/full'
fi
ends 3 "$examples/crane.json" "$work/crank.csv"
says err "joint 'rope': is a rope, which only pulls"

# wrong MESSAGE: asserts that $work/wrong.csv is refused
wrong() {
    ends 3 "$crank" "$work/wrong.csv" --out "$work/found.csv"
    says err "$1"
}
keep "$work/crank.csv" '.' "$work/plain.csv"
x=$(head -1 "$work/plain.csv" | tr , '\n' | grep -nx rod.x | cut -d: -f1)
qw=$(head -1 "$work/plain.csv" | tr , '\n' | grep -nx rod.qw | cut -d: -f1)
vx=$(head -1 "$work/plain.csv" | tr , '\n' | grep -nx rod.vx | cut -d: -f1)
al=$(head -1 "$work/plain.csv" | tr , '\n' | grep -nx rod.alz | cut -d: -f1)
change() { awk -F, -v OFS=, -v row="$1" -v column="$2" -v value="$3" 'NR == row { $column = value } { print }' "$work/plain.csv" >"$work/wrong.csv"; }
change 4 "$x" 0.3
wrong "wrong.csv:4: error: t = 0.002 s: joint 'B' does not allow these poses: it is open by .* m and .* rad"
is "rows before it are kept" 2 "$(grep -c '^[0-9]' "$work/found.csv")"
change 5 "$vx" 100
wrong "wrong.csv:5: error: t = 0.003 s: joint 'B' does not allow these velocities"
change 6 "$al" 0
wrong "wrong.csv:6: error: t = 0.004 s: joint 'B' does not allow these accelerations"
change 7 "$x" nan
wrong "wrong.csv:7: error: column rod.x is not finite"
change 7 "$qw" 3
wrong "wrong.csv:7: error: columns rod.qw to rod.qz are not a unit quaternion"
change 7 "$x" here
wrong "wrong.csv:7: error: column $x is not a number.* it is rod.x$"
change 7 1 0.001
wrong "wrong.csv:7: error: t = 0.001 s is not later than that of the previous row"
head -1 "$work/plain.csv" >"$work/wrong.csv"
wrong "wrong.csv:1: error: the file has no rows"
keep "$work/crank.csv" '^rod[.]' "$work/wrong.csv"
wrong "wrong.csv:1: error: the file lacks some of the columns crank.x to crank.qz of body 'crank', and the coordinate of joint 'O'"
keep "$work/crank.csv" '^O[.]q$' "$work/part.csv"
head -4 "$work/part.csv" >"$work/wrong.csv"
wrong "wrong.csv:4: error: the file lacks some accelerations, and 3 rows are too few to compute them; give at least 5"

# with less gravity the same motion needs forces in both joints, which the shoulder alone cannot provide
results "$work/double.csv" "$examples/double-pendulum.json" --time 0.1 --every 0.05 --columns '*'
ends 0 "$examples/double-pendulum.json" "$work/double.csv"
sed 's/-9.81/-3/' "$examples/double-pendulum.json" >"$work/moon.json"
ends 0 "$work/moon.json" "$work/double.csv"
ends 4 "$work/moon.json" "$work/double.csv" --drive shoulder
says err "double.csv:.*: error: t = 0 s: joint 'elbow' would need .* N m along its coordinate 1, which nothing provides"

echo "$count claims about trammel inverse, $failures failures"
[ $failures -eq 0 ]
