#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# analyses.sh TRAMMEL JSON_GET EXAMPLES: trammel equilibrium, kinematics, modes and fit on the command line: output that other programs
# read, and clear messages for input without a solution. Their results are tested in tests/analysis.
. "$(dirname "$0")/claims.sh"

# wrong CODE MESSAGE ARGUMENT...: asserts the exit code, a message, and an empty stdout
wrong() {
    local code=$1 message=$2
    shift 2
    ends "$code" "$@"
    says err "$message"
    silent out
}

cat >"$work/yoke.json" <<'END'
{ "trammel": 1, "constants": { "w": 5, "most": 3 }, "gravity": [0, 0, -9.81],
  "bodies": [{ "name": "yoke", "mass": 1, "inertia": [1, 1, 1] },
             { "name": "m", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [0.2, 0, -0.8] }],
  "joints": [{ "name": "axle", "type": "hinge", "bodies": ["ground", "yoke"], "anchor": [0, 0, 0], "axis": [0, 0, 1], "damping": 0.5 },
             { "name": "pin", "type": "hinge", "bodies": ["yoke", "m"], "anchor": [0, 0, 0], "axis": [0, -1, 0] }],
  "forces": [{ "name": "motor", "type": "motor", "joint": "axle", "velocity": "w", "max": "most" }] }
END
cat >"$work/stone.json" <<'END'
{ "trammel": 1, "gravity": [0, 0, -9.81], "bodies": [{ "name": "stone", "mass": 3, "inertia": [1, 1, 1] }] }
END
cat >"$work/fan.json" <<'END'
{ "trammel": 1, "bodies": [{ "name": "fan", "mass": 1, "inertia": [1, 1, 1] }],
  "joints": [{ "name": "shaft", "type": "hinge", "bodies": ["ground", "fan"], "anchor": [0, 0, 0], "axis": [0, 0, 1] }],
  "forces": [{ "type": "effort", "joint": "shaft", "value": 0.5 }] }
END
cat >"$work/crank.json" <<'END'
{ "trammel": 1, "constants": { "v": 0.1 },
  "bodies": [{ "name": "crank", "position": [0.1, 0, 0] }, { "name": "rod", "position": [0.45, 0, 0] }, { "name": "slider", "position": [0.7, 0, 0] }],
  "joints": [{ "name": "O", "type": "hinge", "bodies": ["ground", "crank"], "anchor": [0, 0, 0], "axis": [0, 0, 1] },
             { "name": "B", "type": "hinge", "bodies": ["crank", "rod"], "anchor": [0.2, 0, 0], "axis": [0, 0, 1] },
             { "name": "C", "type": "hinge", "bodies": ["rod", "slider"], "anchor": [0.7, 0, 0], "axis": [0, 0, 1] },
             { "name": "way", "type": "slider", "bodies": ["ground", "slider"], "anchor": [0.7, 0, 0], "axis": [1, 0, 0] }],
  "forces": [{ "name": "push", "type": "drive", "joint": "way", "motion": "-v*t" }] }
END
awk 'BEGIN { printf "{ \"trammel\": 1, \"bodies\": ["
    for (i = 0; i < 34000; i++) printf "%s{ \"name\": \"b%d\", \"point\": true, \"mass\": 1, \"position\": [%d, 0, 0] }", i ? ",\n" : "", i, i
    print "] }" }' >"$work/large.json"

# ---- Equilibrium ------------------------------------------------------------------------------

ends 0 equilibrium "$work/yoke.json" --json
cp "$work/out" "$work/yoke.out"
is "steady motion" true "$("$json_get" "$work/yoke.out" steady)"
is "torque of the motor" 1 "$("$json_get" "$work/yoke.out" joints motor torque 2 | awk '{ print ($1 ^ 2 - 2.5 ^ 2) ^ 2 < 1e-18 }')"
wrong 4 "^trammel equilibrium: motor 'motor': it needs 2.5 to keep its velocity, more than its \"max\" of 1 " equilibrium "$work/yoke.json" --set most=1
wrong 4 "^trammel equilibrium: body 'stone': there is no equilibrium: nothing balances a force of (0, 0, -29.43) N on it" equilibrium "$work/stone.json"
wrong 4 "^trammel equilibrium: body 'fan': .*: nothing balances a torque of (0, 0, 0.5) N m on it" equilibrium "$work/fan.json"
wrong 2 '^trammel equilibrium: --from is now or relaxed, not "here"' equilibrium "$work/stone.json" --from here
wrong 3 "body 'crank': has no mass; give \"mass\" and \"inertia\"" equilibrium "$work/crank.json"
wrong 3 'the model has 102000 coordinates of bodies; analyses with dense matrices take at most 6000' equilibrium "$work/large.json"
ends 3 equilibrium "$examples/pendulum.json" --out "$work/no/such.json"
says err 'cannot write .*/no/such.json'

# ---- Kinematics -------------------------------------------------------------------------------

ends 4 kinematics "$work/crank.json" --time 1
says out "^t = 0 s: dead centre: joint 'B' can move while the drives stand still"
says err "joint 'B': the motion starts at t = 0 s in a dead centre, from which the drives cannot move the machine; start from another pose or drive another joint"
ends 0 kinematics "$examples/problems/r09-slider-crank.json" --time 0.003 --every 0.001 --out "$work/moved.csv"
is "times with the fewest digits" "0 0.001 0.002 0.003" "$(grep -v '^[#t]' "$work/moved.csv" | cut -d, -f1 | xargs)"
ends 0 kinematics "$work/crank.json" --range way --json
cp "$work/out" "$work/range.out"
is "range" 1 "$("$json_get" "$work/range.out" limits 0 | awk '{ print ($1 + 0.4) ^ 2 < 1e-24 }')"
is "joint that locks" B "$("$json_get" "$work/range.out" locked_by 1)"
wrong 2 '"nowhere" is not a joint with a coordinate' kinematics "$work/crank.json" --range nowhere
wrong 2 'transmission takes IN:OUT, two joints' kinematics "$work/crank.json" --transmission O
wrong 2 'time takes a positive number of seconds, not "-1"' kinematics "$work/crank.json" --time -1
wrong 3 'no column fits "nowhere.q"' kinematics "$work/crank.json" --columns nowhere.q
sed 's/-v\*t/0.1 + v*t/' "$work/crank.json" >"$work/apart.json"
ends 3 kinematics "$work/apart.json" # the drive begins where the slider cannot be
says err "drive 'push'\|the joints and drives cannot be closed near the start"

# ---- Modes ------------------------------------------------------------------------------------

wrong 4 "body 'stone': there is no equilibrium.*; --at start linearises where the model starts" modes "$work/stone.json"
wrong 2 'at is equilibrium, start or a time in s, not "noon"' modes "$work/stone.json" --at noon
wrong 3 'nowhere.force' modes "$examples/pendulum.json" --inputs nowhere.force
wrong 3 'no column fits "nowhere.q"' modes "$examples/pendulum.json" --outputs nowhere.q
wrong 3 'at most 6000' modes "$work/large.json" --csv "$work/matrix"
is "no matrix is written" "" "$(ls "$work" | grep matrix)"
wrong 3 'inputs and outputs are available at rest' modes "$work/yoke.json" --inputs pin.force

# ---- Fit --------------------------------------------------------------------------------------

printf 't,pin.q\n0,0\n0.1,0\n30,1\n' >"$work/late.csv"
wrong 3 'late.csv has a row at t = 30 s, the run has rows from 0 to 1 s; give --time or remove the row' fit "$work/yoke.json" "$work/late.csv" --vary w=1:2 --time 1
printf 't,nail.q\n0,0\n0.1,0\n' >"$work/other.csv"
wrong 3 'no column fits "nail.q"' fit "$work/yoke.json" "$work/other.csv" --vary w=1:2 --time 1
is "one message" 1 "$(wc -l <"$work/err")"
wrong 3 'the model has no constant "v" to vary; it has w, most' fit "$work/yoke.json" "$work/late.csv" --vary v=1:2

# Forces in joints are computed if they are measured: the mass is found from the force that carries it.
cat >"$work/hung.json" <<'END'
{ "trammel": 1, "constants": { "m": 2 }, "gravity": [0, 0, -9.81],
  "bodies": [{ "name": "a", "mass": "m", "inertia": [0.1, 0.1, 0.1], "position": [1, 0, 0] }],
  "joints": [{ "name": "A", "type": "hinge", "bodies": ["ground", "a"], "anchor": [0, 0, 0], "axis": [0, -1, 0] }],
  "simulation": { "time": 1 } }
END
"$trammel" run "$work/hung.json" --columns t,A.fz --every 0.05 --out "$work/force.csv" >/dev/null
ends 0 fit "$work/hung.json" "$work/force.csv" --vary m=1:4
is "mass from a force" 1 "$(sed -n 's/^m = \([^ ]*\) .*/\1/p' "$work/out" | awk '{ print ($1 - 2) ^ 2 < 1e-16 }')"

echo "$count claims about analyses, $failures failures"
[ $failures -eq 0 ]
