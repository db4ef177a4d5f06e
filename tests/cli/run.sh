#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# run.sh TRAMMEL JSON_GET EXAMPLES: the command trammel run: rows, columns, the report, failures, files that cannot be written,
# checkpoints and a run that is killed. In bash, because of its time and background jobs.
. "$(dirname "$0")/claims.sh"
always=run

# same WHAT FILE FILE
same() {
    count=$((count + 1))
    cmp -s "$2" "$3" || fail "$1: $(cmp "$2" "$3" 2>&1)"
}

rows() { grep -vc -e '^#' -e '^t' "$1"; }
column() { grep -v '^#' "$1" | cut -d, -f"$2"; }

# ---- Rows and columns -------------------------------------------------------------------------

pendulum=$examples/pendulum.json
ends 0 "$pendulum" --solver iterative --time 1 --out "$work/p.csv"
silent err
says out '^time         1 s in 100 steps; '
is "comment lines" 4 "$(grep -c '^#' "$work/p.csv")"
is "first line" "# trammel $("$trammel" --version | cut -d' ' -f2)" "$(head -1 "$work/p.csv")"
is "model" "# model pendulum" "$(sed -n 2p "$work/p.csv")"
is "method" "# method impulse, solver iterative, order 2, step 0.01 s" "$(sed -n 3p "$work/p.csv")"
is "tolerance" "# tolerance position 1e-10 m, angle 1e-10 rad, velocity 1e-10 m/s and rad/s" "$(sed -n 4p "$work/p.csv")"
is "header" "t,bob.x,bob.y,bob.z,bob.vx,bob.vy,bob.vz,bar.gap,bar.gap_angle,bar.fx,bar.fy,bar.fz,bar.tx,bar.ty,bar.tz,E_kin,E_pot,W" "$(sed -n 5p "$work/p.csv")"
is "rows" 101 "$(rows "$work/p.csv")"

# The t column is k * DT in double arithmetic, with any step.
for case in "0.003 0.01 1" "0.01 0.003 1" "0.01 0.01 1" "0.007 0.1 1" "0.05 0.007 1.2"; do
    read -r step every until <<<"$case"
    ends 0 "$pendulum" --step "$step" --every "$every" --time "$until" --columns t --out "$work/t.csv"
    is "rows of $case" "" "$(column "$work/t.csv" 1 | tail -n +2 |
        awk -v dt="$every" '{ k = NR - 1; if ($1 + 0 != k * dt) print NR, $1 }')"
    is "number of rows of $case" "$(awk -v dt="$every" -v t="$until" 'BEGIN { print int(t / dt + 1e-6) + 1 }')" "$(rows "$work/t.csv")"
done

ends 0 "$pendulum" --time 0 --out -
is "a run of no time has one row" 1 "$(rows "$work/out")"
says err '^time         0 s in 0 steps'

ends 0 "$examples/double-pendulum.json" --time 0.01 --columns 'E_kin, elbow.q*,t,lower.tip.v*' --out "$work/c.csv"
is "columns come in the order of the model" "t,lower.tip.vx,lower.tip.vy,lower.tip.vz,elbow.q,elbow.qd,E_kin" \
    "$(grep -v '^#' "$work/c.csv" | head -1)"
ends 0 "$examples/double-pendulum.json" --time 0.01 --out "$work/c.csv"
is "velocities of points are on request" 0 "$(grep -v '^#' "$work/c.csv" | head -1 | grep -c 'tip.vx')"
is "named points are there" 1 "$(grep -v '^#' "$work/c.csv" | head -1 | grep -c 'lower.tip.x,')"
ends 3 "$pendulum" --columns 't,bob.x,bib.*,bar.w'
says err 'no column fits "bib.\*"'
says err 'no column fits "bar.w"'
silent out
ends 3 "$pendulum" --columns 't,bob.xx'
says err 'no column fits "bob.xx"; did you mean bob.x?'
for nothing in '' ' , '; do
    ends 3 "$pendulum" --columns "$nothing"
    says err 'the list of columns is empty'
done

# Names that are long or have several lines.
long=$(printf 'n%.0s' $(seq 300))
cat >"$work/names.json" <<END
{ "trammel": 1, "name": "two\nlines $long", "bodies": [{ "name": "$long", "mass": 1, "inertia": [1, 1, 1],
  "points": { "a": [0, 0, 0], "b": [0, 0, 1] } }] }
END
ends 0 "$work/names.json" --time 0.1 --columns 't,*.a.x,*.b.z' --out "$work/n.csv"
is "long names" "t,$long.a.x,$long.b.z" "$(grep -v '^#' "$work/n.csv" | head -1)"
is "a name stays in its comment" "# model two lines $long" "$(sed -n 2p "$work/n.csv")"
is "rows of long names" 11 "$(rows "$work/n.csv")"

# Numbers read back bit-identically: the last row equals the state in the checkpoint.
is "at most 17 digits" 0 "$(column "$work/p.csv" 2 | tail -n +2 | awk '{ if (sprintf("%.17g", $1) + 0 != $1 + 0 || length($1) > 24) print }' | wc -l)"

# ---- Options ----------------------------------------------------------------------------------

for wrong in --step=0 --step=-0.1 --time=-1 --every=0 --every=-1 --tolerance=0; do
    ends 2 "$pendulum" $wrong
    says err 'it must '
    silent out
done
ends 2 "$pendulum" --step abc
says err '^trammel run: --step abc: '
ends 2 "$pendulum" --step
says err 'step needs H'
ends 3 "$pendulum" --method magic
says err 'there is no method "magic"'
ends 0 "$examples/problems/s01-swinging-pendulum.json" --method minimal --time 1 --every 0.01 --coordinates "$work/roles.csv"
is "header of coordinates" t,joint,coordinate,role,criterion "$(head -1 "$work/roles.csv")"
is "one of the two is independent at each row" "101 101" "$(grep -c ,independent, "$work/roles.csv") $(grep -c ,dependent, "$work/roles.csv")"
is "criteria of x and y add up to one" 0 "$(awk -F, 'NR > 1 { s[$1] += $5 } END { for (t in s) bad += (s[t] < 1 - 1e-9 || s[t] > 1 + 1e-9); print bad + 0 }' "$work/roles.csv")"
is "both have been independent" 2 "$(grep ,independent, "$work/roles.csv" | cut -d, -f3 | sort -u | wc -l)"
ends 0 "$pendulum" --time 0.1 --coordinates "$work/none.csv"
says err 'the method "impulse" has none of its own'
ends 0 "$pendulum" --method subsystem --time 0.1
for wrong in lagrange:beta lagrange:beta= lagrange:=20 lagrange:stabilise=none:beta; do
    ends 2 "$pendulum" --method "$wrong"
    says err "^trammel run: $wrong: an option is not of the form NAME=VALUE; a method is written METHOD:NAME=VALUE:NAME=VALUE"
    silent out
done
ends 2 "$pendulum" --method :beta=1
says err 'there is no method; a method is written'
ends 2 "$pendulum" --method "lagrange:beta=$(printf '%0500d' 1)"
says err 'that is too long'
ends 3 "$pendulum" --method lagrange:betta=20
says err 'the method "lagrange" has no option "betta"; it has integrator, stabilise, beta'
ends 3 "$pendulum" --method lagrange:integrator=rk5
says err 'lagrange.integrator is "rk5"; it can be euler, heun, midpoint, rk4, dopri5, fehlberg8'
ends 3 "$pendulum" --method lagrange:beta=-1
says err 'lagrange.beta is -1; it must be no less than 0'
ends 3 "$pendulum" --method impulse:beta=20
says err 'the method "impulse" has no option "beta"'
ends 3 "$pendulum" --method lagrange --solver iterative
says err 'the method "lagrange" has no solver "iterative"'
ends 3 "$pendulum" --method lagrange --scheme extrapolation
says err 'the method "lagrange" has an order of its own'
ends 0 "$pendulum" --method lagrange:integrator=dopri5:stabilise=baumgarte:beta=2*10 --time 0.1 --json
is "method with options" lagrange "$("$json_get" "$work/out" method)"
is "order of the rule" 5 "$("$json_get" "$work/out" order)"
is "a word of the method" baumgarte "$("$json_get" "$work/out" options stabilise)"
is "a number of the method, which may be an expression" 20 "$("$json_get" "$work/out" options beta)"
ends 3 "$pendulum" --solver magic
says err 'the method "impulse" has no solver "magic"; it has direct, iterative'
ends 3 "$pendulum" --order 3
says err 'order 3'
silent out
ends 0 "$pendulum" --step '1/128' --time '2^-2' --json
is "numbers may be expressions" 32 "$("$json_get" "$work/out" steps)"
ends 0 "$examples/spring-mass.json" --set k=400 --set c=0 --time 0.1 --json
is "the energy of the spring that was set" 8 "$("$json_get" "$work/out" energy start | awk '{ printf "%.9g", $1 }')"
ends 3 "$examples/spring-mass.json" --set nothing=1
says err 'nothing'
ends 3 "$examples/spring-mass.json" --set k=
says err 'set k='

# ---- The report -------------------------------------------------------------------------------

ends 0 "$pendulum" --json
silent err
keys="model method solver choice error text order step time steps status wall_s realtime_factor tolerance position angle velocity note energy start end work max_error mean_error scale expected_error drift position angle"
keys="$keys works input friction damping impact contact gains input friction damping impact contact momentum linear_error angular_error gap position angle joint velocity_gap value joint"
keys="$keys checks corrections rounds newton factorisations halvings impacts contacts dissipative time_stepping contact_problems swept plain guarded jams in_body asleep dropped_rows scheme options error rejections evaluations switches assembly position angle speed angular_speed events verdict reasons"
is "keys of the report, in their order" "$keys" \
    "$(grep -o '"[a-z_]*":' "$work/out" | tr -d '":' | paste -sd ' ')"
is "model" pendulum "$("$json_get" "$work/out" model)"
is "method" impulse "$("$json_get" "$work/out" method)"
is "order" 2 "$("$json_get" "$work/out" order)"
is "step" 0.01 "$("$json_get" "$work/out" step)"
is "time" 10 "$("$json_get" "$work/out" time)"
is "steps" 1000 "$("$json_get" "$work/out" steps)"
is "status" ok "$("$json_get" "$work/out" status)"
is "joint of the gap" bar "$("$json_get" "$work/out" gap joint)"
is "momentum of what is held" null "$("$json_get" "$work/out" momentum linear_error)"
is "dropped rows" 0 "$("$json_get" "$work/out" dropped_rows '#')"
is "top level" 47 "$("$json_get" "$work/out" '#')"
ends 0 "$examples/free-body.json" --time 1 --json
is "momentum of what is free" 1 "$("$json_get" "$work/out" momentum angular_error | awk '{ print $1 < 1e-12 }')"
is "no joint, no name" null "$("$json_get" "$work/out" gap joint)"
ends 0 "$pendulum" --json --out -
is "rows to stdout" 1001 "$(rows "$work/out")"
is "the report is then on stderr" ok "$("$json_get" "$work/err" status)"

# ---- Failures ---------------------------------------------------------------------------------

cat >"$work/nan.json" <<'END'
{ "trammel": 1, "bodies": [{ "name": "b", "mass": 1, "inertia": [1, 1, 1] }],
  "forces": [{ "name": "push", "type": "force", "body": "b", "value": ["1/(0.5 - t)^0.5", 0, 0] }] }
END
ends 4 "$work/nan.json" --time 1 --out "$work/nan.csv"
says err "^trammel run: stopped at t = 0.49 s: force 'push': is not a finite number at t = 0.5 s"
is "rows until there" 50 "$(rows "$work/nan.csv")"
is "the last row is whole" 0.49 "$(column "$work/nan.csv" 1 | tail -1)"
is "nothing that is no number" 0 "$(grep -v '^#' "$work/nan.csv" | grep -c -i -e nan -e inf)"
ends 4 "$work/nan.json" --time 1 --json
is "status says why" "force 'push': is not a finite number at t = 0.5 s" "$("$json_get" "$work/out" status)"
is "time of the last good step" 0.48999999999999999 "$("$json_get" "$work/out" time)"

cat >"$work/torn.json" <<'END'
{ "trammel": 1, "bodies": [
    { "name": "knee", "point": true, "mass": 1, "position": [0.5, "sqrt(0.75)", 0], "velocity": [0.5, "-0.5/sqrt(3)", 0] },
    { "name": "slide", "mass": 1, "inertia": [1, 1, 1], "position": [1, 0, 0], "velocity": [1, 0, 0] }],
  "joints": [
    { "name": "rail", "type": "slider", "bodies": ["ground", "slide"], "anchor": [0, 0, 0], "axis": [1, 0, 0], "q0": 1 },
    { "name": "upper", "type": "distance", "bodies": ["ground", "knee"], "anchors": [[0, 0, 0], [0, 0, 0]], "length": 1 },
    { "name": "lower", "type": "distance", "bodies": ["knee", "slide"], "anchors": [[0, 0, 0], [0, 0, 0]], "length": 1 }],
  "forces": [{ "name": "pull", "type": "drive", "joint": "rail", "motion": "1 + t" }] }
END
ends 4 "$work/torn.json" --time 2 --step 0.05 --tolerance 1e-4 --out "$work/torn.csv"
says err "^trammel run: stopped at t = [01][.0-9]* s: joint '[a-z]*': .*: [0-9.e+]* times its tolerance is left"
is "rows of the loop that was pulled apart, to 0.95 s at least" 1 "$([ "$(rows "$work/torn.csv")" -ge 20 ] && echo 1)"
says out '^joint gap    at most'

# ---- Files that cannot be written -------------------------------------------------------------

ends 3 "$pendulum" --out "$work/no/such/folder.csv"
says err 'cannot write .*folder.csv: No such file or directory'
ends 3 "$pendulum" --checkpoint "$work/no/such/point"
says err 'cannot write the checkpoint .*point: No such file or directory'
if [ -c /dev/full ]; then
    ends 3 "$pendulum" --out /dev/full --time 10
    says err 'cannot write /dev/full: No space left on device'
    ends 3 "$pendulum" --out /dev/full --time 0.01 # all of it in the buffer until the end
    says err 'cannot write /dev/full: No space left on device'
    "$trammel" run "$pendulum" --out - >/dev/full 2>"$work/err"
    is "exit code of rows on a full device" 3 $?
    "$trammel" run "$pendulum" --json >/dev/full 2>"$work/err"
    is "exit code of a report on a full device" 3 $?
    says err 'could not be written'
fi
"$trammel" run "$pendulum" --time 1000 --out - 2>/dev/null | head -3 >/dev/null
is "a reader that goes away ends the run" 1 "$([ "${PIPESTATUS[0]}" -ne 0 ] && echo 1)"

# ---- Progress ---------------------------------------------------------------------------------

# A run that would take hours: a progress bar appears after a tenth of a second.
cp "$examples/eight-loop.json" "$work/long.json"
timeout 1 "$trammel" run "$work/long.json" --time 1e6 >/dev/null 2>"$work/err"
is "no bar where stderr is no terminal" 0 "$(grep -c '\[#*\.*\]' "$work/err")"
if has_terminal; then
    shows_on_terminal "a bar on a terminal" '\[#*\.*\] *[0-9]* %' "$trammel" run "$work/long.json" --time 1e6
    script -qec "timeout 1 '$trammel' run '$work/long.json' --time 1e6 --every 1 --out -" "$work/typescript" >/dev/null \
        2>&1 </dev/null
    is "no bar among rows" 0 "$(grep -c '\[#*\.*\] *[0-9]* %' "$work/typescript")"
fi

# ---- Checkpoints ------------------------------------------------------------------------------

# Stopped after a part of the time and resumed, for rows at steps, at several steps and between steps.
for every in 0.0025 0.01 0.0004; do
    options=("$work/long.json" --every "$every" --columns 't,rod1.*,j3.*,W')
    ends 0 "${options[@]}" --time 0.5 --out "$work/whole.csv" --checkpoint "$work/whole.point"
    ends 0 "${options[@]}" --time 0.2 --out "$work/parts.csv" --checkpoint "$work/parts.point"
    ends 0 "${options[@]}" --time 0.5 --out "$work/parts.csv" --checkpoint "$work/parts.point" --resume "$work/parts.point"
    same "rows of a run in two parts, every $every" "$work/whole.csv" "$work/parts.csv"
    is "nothing is left next to the checkpoint" "" "$(find "$work" -name '*.partial')"
    same "checkpoint of a run in two parts, every $every" "$work/whole.point" "$work/parts.point"
done

ends 0 "$pendulum" --time 1 --checkpoint "$work/p.point" --out "$work/p.csv"
ends 3 "$pendulum" --resume "$work/nothing.point"
says err 'cannot read the checkpoint .*nothing.point: No such file or directory'
ends 3 "$pendulum" --resume "$work/p.point" --step 0.005
says err 'p.point: error: the checkpoint was made with another method, solver, order, scheme, step, error or tolerance'
ends 3 "$examples/spring-mass.json" --resume "$work/p.point"
says err 'p.point: error: .*another model'
ends 3 "$pendulum" --resume "$pendulum"
says err 'this is not a checkpoint of a run'
head -c 300 "$work/p.point" >"$work/cut.point"
ends 3 "$pendulum" --resume "$work/cut.point"
says err 'cut.point: error: '
ends 3 "$pendulum" --resume "$work/p.point" --out "$work/p.csv" --columns t
says err 'cannot continue .*p.csv: it does not hold the rows before the checkpoint'
head -20 "$work/p.csv" >"$work/short.csv"
cp "$work/short.csv" "$work/kept.csv"
ends 3 "$pendulum" --resume "$work/p.point" --out "$work/short.csv"
says err 'cannot continue .*short.csv: it does not hold the rows'
same "results that do not fit are left alone" "$work/short.csv" "$work/kept.csv"
ends 3 "$pendulum" --resume "$work/p.point" --out "$work/gone.csv"
says err 'cannot continue .*gone.csv: No such file'

# The method auto: the choice and its reason.
ends 0 "$examples/double-pendulum.json" --method auto --time 0.5
says out 'double pendulum: minimal, .* at most 0.0001 m and rad of error per s'
says out '^chosen       minimal with the tolerance .*joint coordinates'
ends 0 "$examples/bouncing-ball.json" --method auto --error 1e-5 --time 0.5
says out 'bouncing balls: impulse, .* at most 1e-05 m and rad of error per s'
says out "^chosen       impulse of order . with error control: a trial of .* steps; not minimal: body 'elastic' has shapes that may collide"
ends 0 "$examples/double-pendulum.json" --method auto --time 0.5 --json
is "the method that was chosen" minimal "$("$json_get" "$work/out" method)"
is "the error that it was chosen for" 0.0001 "$("$json_get" "$work/out" choice error)"
ends 0 "$examples/double-pendulum.json" --time 0.5 --json
is "no choice where a method is named" null "$("$json_get" "$work/out" choice text)"
ends 0 "$pendulum" --method auto --order 4 --time 0.1
says err 'order 4 has no effect: the method "auto" chooses it'
ends 3 "$pendulum" --method auto:rounds=2 --time 0.1
says err 'there is no method "auto" that could have an option "rounds"'
ends 3 "$pendulum" --method best
says err 'there is no method "best"; there are auto, impulse'

# Schemes, errors, starts that violate joints.
ends 0 "$pendulum" --scheme extrapolation --step 0.01 --time 0.1
says out 'order 4 by extrapolation, step 0.01 s'
ends 0 "$pendulum" --order 6 --error 1e-8 --time 0.3 --every 0.1 --columns t --out "$work/e.csv"
says out 'order 6, at most 1e-08 m and rad of error per s'
says out 'steps rejected by error control'
is "rows at exact times, whatever the error" "0 0.1 0.2 0.3" "$(column "$work/e.csv" 1 | sed 1d | awk '{ printf "%s%.15g", s, $1; s = " " }')"
ends 3 "$pendulum" --scheme guess
says err 'there is no scheme "guess"; the choices are auto, composition and extrapolation'
ends 0 "$pendulum" --scheme extrapolation --order 8 --time 0.1
says out 'order 8 by extrapolation'
ends 0 "$examples/spring-mass.json" --order 8 --time 0.1 # it has a damper
says out 'order 8 by extrapolation'
ends 0 "$examples/pendulum.json" --order 8 --time 0.1
says out 'order 8, step'
ends 2 "$pendulum" --error -1
cat >"$work/open.json" <<'END'
{ "trammel": 1, "bodies": [{ "name": "bob", "point": true, "mass": 1, "position": [0, -1, 0] }], "joints": [{ "name":
  "bar", "type": "distance", "bodies": ["ground", "bob"], "anchors": [[0, 0, 0], [0, 0, 0]], "length": 0.9 }] }
END
ends 0 "$work/open.json" --time 0.1
says err "open.json:1:.*warning: joint 'bar': is open initially, by 0.1 m"
says err "the initial pose was assembled: body 'bob' moved most, by 0.1 m"
says out 'assembly *bodies were moved by at most 0.1 m, 0 rad'
ends 0 "$work/open.json" --time 0.1 --json
is "assembly in the report" 0.1 "$("$json_get" "$work/out" assembly position | awk '{ printf "%.9g", $1 }')"

# Contacts: blocks on a slope have four each, bouncing balls have an impact each.
ends 0 "$examples/incline.json" --time 0.1 --every 0.1 --contacts "$work/contacts.csv"
is "contacts of three blocks" 12 "$(grep -c '^0.1.*,contact,' "$work/contacts.csv")"
ends 0 "$examples/bouncing-ball.json" --time 0.5 --every 0.5 --contacts "$work/contacts.csv"
is "impacts of three balls" 3 "$(grep -c ',impact,' "$work/contacts.csv")"
ends 0 "$examples/newtons-cradle.json" --time 0.6 --every 0.6 --contacts "$work/contacts.csv"
is "order of impacts in a row of balls" "1,a,b 2,b,c 3,c,d 4,d,e" \
    "$(grep ',impact,' "$work/contacts.csv" | cut -d, -f3-5 | paste -sd' ')"
ends 3 "$examples/incline.json" --impact soft
says err 'there is no impact "soft"; the choices are event, window and auto'
ends 3 "$examples/incline.json" --sleep deep
says err 'there is no sleep "deep"; the choices are auto, on and off'

# Bodies that overlap at the start are named with their depth, and separated if windows are told to.
cat >"$work/overlap.json" <<END
{
  "trammel": 1,
  "gravity": [0, 0, -9.81],
  "bodies": [
    { "name": "ball", "position": [0, 0, 0.08], "shapes": [{ "type": "sphere", "radius": 0.1, "density": 1000 }] },
    { "name": "box", "position": [0.15, 0, 0.1], "shapes": [{ "type": "box", "size": [0.2, 0.2, 0.2], "density": 1000 }] },
    { "name": "floor", "fixed": true, "shapes": [{ "type": "plane", "normal": [0, 0, 1], "offset": 0 }] }
  ]
}
END
ends 3 "$work/overlap.json" --time 1
says err "^error: bodies 'ball' and 'floor' overlap by 0.02 m at the start; move them apart, name them under \"no_collide\", or let \"impact\": \"window\" push them apart"
says err "^error: bodies 'ball' and 'box' overlap by 0.05 m at the start"
ends 0 "$work/overlap.json" --time 1 --every 1 --impact window --columns 't,ball.x,ball.z,box.x' --out "$work/overlap.csv"
says err "^warning: bodies 'ball' and 'floor' overlap by 0.02 m at the start; they are pushed apart"
is "what overlapped is apart" 1 "$(tail -1 "$work/overlap.csv" | awk -F, '{ print ($3 > 0.0999 && $4 - $2 > 0.1999) }')"

# ---- Pictures ---------------------------------------------------------------------------------

word_at() { od -An -tu4 -j"$2" -N4 "$1" | tr -d ' '; }

loop=$examples/eight-loop.json
ends 0 "$loop" --time 0.5 --out "$work/plain.csv"
ends 0 "$loop" --time 0.5 --out "$work/a.glb" --out "$work/a.csv" --plot "$work/a.svg"
same "rows next to an animation and a plot" "$work/plain.csv" "$work/a.csv"
is "magic of an animation" glTF "$(head -c 4 "$work/a.glb")"
is "length of an animation" "$(stat -c %s "$work/a.glb")" "$(word_at "$work/a.glb" 8)"
is "frames of a plot without columns" 3 "$(grep -c '<rect class="frame"' "$work/a.svg")"
is "energies and gaps" 3 "$(grep -cE '>(energy, J|error of energy, J|gap of joints)<' "$work/a.svg")"
ends 0 "$loop" --time 0.1 --out - --out "$work/b.glb"
is "rows still go to stdout" 41 "$(rows "$work/out")"
ends 0 "$examples/double-pendulum.json" --time 0.5 --columns 't,elbow.q*,upper.x,lower.x' --plot "$work/c.svg"
is "one frame per unit" 3 "$(grep -c '<rect class="frame"' "$work/c.svg")"
is "a frame of one column says its name" 1 "$(grep -c '>elbow.q, rad<' "$work/c.svg")"
is "a frame of several has a legend" 2 "$(grep -cE '>(upper|lower).x<' "$work/c.svg")"
ends 0 "$pendulum" --time 400 --step 0.01 --columns 'bob.y' --plot "$work/long.svg"
is "a plot of many rows is small" 1 "$(($(stat -c %s "$work/long.svg") < 100000))"
ends 3 "$pendulum" --columns 't,bib.*' --plot "$work/d.svg"
says err 'no column fits "bib.\*"'
ends 3 "$pendulum" --columns t --plot "$work/d.svg"
says err '--plot draws 1 to 56 columns over t; --columns chooses 0'
ends 3 "$loop" --columns '*' --plot "$work/d.svg"
says err '--plot draws 1 to 56 columns over t; --columns chooses'
ends 2 "$pendulum" --out "$work/a.csv" --out "$work/b.csv"
says err '--out is given 2 files of rows; one of each kind is enough'
ends 2 "$pendulum" --out "$work/a.glb" --out "$work/b.GLB"
says err '--out is given 2 files that end in .glb'
ends 3 "$pendulum" --out "$work/nowhere/a.glb"
says err 'cannot write .*nowhere/a.glb: No such file'
ends 3 "$pendulum" --out "$work/a.glb" --plot "$work/nowhere/a.svg"
says err 'cannot write .*nowhere/a.svg: No such file'
ends 3 "$pendulum" --time 0.1 --out "$work/full.glb" --plot /dev/full
says err 'cannot write /dev/full: No space left'

# A resumed run has its own part in the animation; a run that stops has all its rows.
ends 0 "$loop" --time 0.5 --checkpoint "$work/half.point"
ends 0 "$loop" --time 1 --resume "$work/half.point" --out "$work/half.glb"
is "an animation from the checkpoint on" 1 "$(grep -ac '"extras": {"start": 0.5' "$work/half.glb")"
ends 4 "$examples/eight-loop.json" --method lagrange:stabilise=none --step 0.5 --time 500 --out "$work/stopped.glb"
is "an animation of a run that stopped" "$(stat -c %s "$work/stopped.glb")" "$(word_at "$work/stopped.glb" 8)"

# A run that makes far more steps than planned reports it while it runs, with the reason; such steps are too long to be trusted.
ends 5 "$loop" --step 40 --time 40
says err "steps where 1 were planned, because of joint 'j[0-9]*': its gap could not be closed"
says err 'a shorter --step or a looser --tolerance'
ends 0 "$loop" --time 1
silent err

# Killed at some moment after the first checkpoint, which is written after a second.
options=("$work/long.json" --time 1e6 --every 0.005 --columns 't,rod*.x,rod*.qw,E_kin')
"$trammel" run "${options[@]}" --out "$work/killed.csv" --checkpoint "$work/killed.point" >/dev/null 2>&1 &
victim=$!
within [ -e "$work/killed.point" ]
sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
kill -9 $victim
wait $victim 2>/dev/null
is "killed in the middle" 137 $?
is "there is a checkpoint" 1 "$([ -s "$work/killed.point" ] && echo 1)"
reached=$(column "$work/killed.csv" 1 | tail -2 | head -1)
until=$(awk -v t="$reached" 'BEGIN { print int(t) + 2 }') # not much further: the claim is the same
options[2]=$until
ends 0 "${options[@]}" --out "$work/killed.csv" --checkpoint "$work/killed.point" --resume "$work/killed.point"
ends 0 "${options[@]}" --out "$work/whole.csv" --checkpoint "$work/whole.point"
same "rows of a run that was killed and resumed" "$work/whole.csv" "$work/killed.csv"
same "final checkpoint of a run that was killed and resumed" "$work/whole.point" "$work/killed.point"

echo "$count claims about trammel run, $failures failures"
[ $failures -eq 0 ]
