#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# verdict.sh TRAMMEL JSON_GET EXAMPLES: the verdict that ends a report, in text and JSON, its exit code, and --verify.
. "$(dirname "$0")/claims.sh"
always=run
pendulum=$examples/pendulum.json

# ---- Good -------------------------------------------------------------------------------------

ends 0 "$pendulum" --time 2
silent err
is "the verdict ends the report" verdict "$(tail -1 "$work/out" | cut -d' ' -f1)"
says out '^verdict      good: energy balance 0.00[0-9]* J of 9.8[0-9]* J, joints closed to [0-9.e-]* m, 0 rad$'
for model in four-bar bricard arm bouncing-ball billiard incline stack tensegrity problems/r01-pendulum \
    problems/r16-block-incline problems/r19-bouncing-ball problems/s09-rssr; do
    ends 0 "$examples/$model.json" --time 0.5 --json
    is "verdict on $model" good "$("$json_get" "$work/out" verdict)"
done
# With the time of the problem; after 0.5 s a run with half the step differs by 0.012 rad.
ends 0 "$examples/problems/r03-andrews-squeezer.json" --json
is "verdict on Andrews' squeezer" good "$("$json_get" "$work/out" verdict)"
ends 0 "$pendulum" --time 2 --json
is "reasons" 2 "$("$json_get" "$work/out" reasons '#')"

# ---- Check: steps too long for their order ----------------------------------------------------

ends 0 "$pendulum" --time 2 --step 0.05
says out '^verdict      check: energy balance off by .* J of .* J: use shorter steps or a higher order$'
silent err
ends 0 "$examples/four-bar.json" --time 1 --columns t,A.fx,rocker.ax --out "$work/rows.csv" # unique, in the plane
says out '^verdict      good'
ends 0 "$examples/four-bar.json" --time 1 --columns t,A.fz --out "$work/rows.csv"
says out '^verdict      check: A.fz is not unique: 3 rows are redundant'
ends 0 "$examples/four-bar.json" --time 1 --columns 't,A.*' --out "$work/rows.csv"
says out '^verdict      check: A.fz and [0-9]* other columns are not unique: 3 rows are redundant'

# A point mass on a bar has no size of its own: small gaps of lcp are compared with its path, and are not bad.
cat >"$work/point.json" <<'END'
{ "trammel": 1, "gravity": [0, 0, -9.81], "bodies": [{ "name": "p", "point": true, "mass": 1, "position": [0.8, 0, -0.6] }],
  "joints": [{ "name": "bar", "type": "distance", "bodies": ["ground", "p"], "anchors": [[0, 0, 0], [0, 0, 0]] }] }
END
ends 0 "$work/point.json" --method lcp --step 0.001 --time 0.5
says out '^verdict      check: '
says out "joint 'bar' was open by "

# A condition that never becomes true is reported.
ends 0 "$work/point.json" --time 0.1 --until 'p.z > 5'
says err "^trammel run: --until 'p.z > 5' did not become true in 0.1 s; the run ended at its --time$"
ends 0 "$work/point.json" --time 1 --until 'p.z < -0.7'
silent err

# A cylinder that hits a slope with one end and then the other. In time-stepping the times of its impacts are known to a step only. The
# verdict does not depend on the rows, which project the velocities at which steps begin.
cat >"$work/cylinder.json" <<'END'
{ "trammel": 1, "gravity": [0, 0, -9.81], "bodies": [
    { "name": "slope", "fixed": true, "shapes": [{ "type": "plane", "normal": [0.35, -0.06, 0.94], "friction": 0.1 }] },
    { "name": "cylinder", "position": [0.29, 0.25, 0.6], "orientation": [0.4, 0.2, -0.8, -0.4], "velocity": [0.46, -0.77, 0.86],
      "angular_velocity": [0.2, 2.8, 3.1],
      "shapes": [{ "type": "cylinder", "radius": 0.18, "length": 0.49, "density": 17, "friction": 0.67, "restitution": 0 }] }],
  "simulation": { "time": 1.2, "impact": "window" } }
END
ends 0 "$work/cylinder.json" --every 0.01
uncertain=$(sed -n 's/.*\(impacts within steps leave bodies uncertain by about .*\)/\1/p' "$work/out")
says out "^verdict      check: impacts within steps leave bodies uncertain by about 0\.[0-9]* m, 0\.[0-9]* rad"
ends 0 "$work/cylinder.json" --every 0.6
says out "$uncertain"

# A sleeve on a pole that a torque tilts: it jams, whatever its weight. The solver dantzig bounds friction by the small normal forces of
# the torque alone, and the sleeve falls. With the opposite torque it falls indeed.
cat >"$work/sleeve.json" <<'END'
{ "trammel": 1, "gravity": [0, 0, -9.81], "defaults": { "friction": 0.5 }, "constants": { "torque": 0.1 }, "bodies": [
    { "name": "pole", "fixed": true, "shapes": [{ "type": "box", "size": [0.02, 0.1, 10] }] },
    { "name": "sleeve", "mass": 1, "inertia": [0.005, 0.005, 0.005], "position": [0.06, 0, 0],
      "shapes": [{ "type": "sphere", "radius": 0.01, "position": [-0.04, 0, -0.02] },
        { "type": "sphere", "radius": 0.01, "position": [-0.08, 0, 0.02] }] }],
  "forces": [{ "name": "tilt", "type": "torque", "body": "sleeve", "value": [0, "torque", 0] }],
  "simulation": { "step": 0.0001, "time": 0.1 } }
END
ends 0 "$work/sleeve.json" --method lcp
says out 'in [0-9]* of [0-9]* steps contacts slipped with less than half of their friction; those that jam need lcp:solver=lemke'
ends 0 "$work/sleeve.json" --method lcp:solver=lemke
says out '^verdict      good: '
ends 0 "$work/sleeve.json" --method lcp --set torque=-0.1
is "no jam" 0 "$(grep -c 'half of their friction' "$work/out")"

# ---- Bad --------------------------------------------------------------------------------------

cat >"$work/spring.json" <<'END'
{ "trammel": 1, "gravity": [0, 0, 0], "bodies": [{ "name": "b", "mass": 1, "inertia": [1, 1, 1], "position": [1.1, 0, 0] }],
  "forces": [{ "name": "s", "type": "spring", "bodies": ["ground", "b"], "anchors": [[0, 0, 0], [0, 0, 0]], "rest": 1,
    "stiffness": 10000 }] }
END
ends 5 "$work/spring.json" --method lagrange --step 0.03 --time 0.3
says err '^trammel run: the result is not to be trusted: energy balance off by .* J of .* J: energy was gained without work$'
says out '^verdict      bad: energy balance off by .* energy was gained without work$'
ends 5 "$work/spring.json" --method lagrange --step 0.03 --time 0.3 --json
is "verdict in JSON" bad "$("$json_get" "$work/out" verdict)"
is "status in JSON" ok "$("$json_get" "$work/out" status)"
ends 5 "$examples/eight-loop.json" --step 0.04 --time 3
ends 5 "$examples/8-loop.json" --step 0.01 --time 3

# A servo arm whose steps are too long for its servos loses or gains a third of its energy, which is reported.
cat >"$work/arm.json" <<'END'
{ "trammel": 1, "gravity": [0, 0, -9.81],
  "bodies": [{ "name": "upper", "rod": { "from": [0, 0, 0], "to": [1, 0, 0], "mass": 2, "radius": 0.02 } },
    { "name": "lower", "rod": { "from": [1, 0, 0], "to": [2, 0, 0], "mass": 1, "radius": 0.02 } }],
  "joints": [{ "name": "shoulder", "type": "hinge", "bodies": ["ground", "upper"], "anchor": [0, 0, 0], "axis": [0, 1, 0] },
    { "name": "elbow", "type": "hinge", "bodies": ["upper", "lower"], "anchor": [1, 0, 0], "axis": [0, 1, 0] }],
  "forces": [{ "name": "s", "type": "servo", "joint": "shoulder", "target": "1.5*sin(3*t)", "kp": 4000, "kd": 40 },
    { "name": "e", "type": "servo", "joint": "elbow", "target": "sin(5*t)", "kp": 2000, "kd": 10 }] }
END
ends 0 "$work/arm.json" --time 2 --step 0.002
says out '^verdict      good: '
ends 0 "$work/arm.json" --time 2 --step 0.01
says out '^verdict      check: energy balance off by .*: use shorter steps or a higher order$'
for step in 0.015 0.018; do # off by 50 of 179 J, and by nearly all
    ends 5 "$work/arm.json" --time 2 --step $step
    says err '^trammel run: the result is not to be trusted: energy balance off by .*: energy was '
done

# Shapes that overlap at the start are pushed apart; steps damp that motion, which is no sign of a wrong run.
cat >"$work/leg.json" <<'END'
{ "trammel": 1, "name": "leg", "gravity": [0, 0, -9.81],
  "bodies": [
    { "name": "floor", "fixed": true, "shapes": [{ "type": "plane", "normal": [0, 0, 1] }] },
    { "name": "trunk", "mass": 5, "inertia": [0.1, 0.1, 0.1], "position": [0, 0, 0.5] },
    { "name": "foot", "mass": 0.2, "inertia": [0.001, 0.001, 0.001], "position": [0, 0, 0.08],
      "shapes": [{ "type": "sphere", "radius": 0.12 }] }],
  "joints": [
    { "name": "rail", "type": "slider", "bodies": ["ground", "trunk"], "anchor": [0,0,0], "axis": [0, 0, 1] },
    { "name": "leg", "type": "slider", "bodies": ["trunk", "foot"], "anchor": [0,0,0.5], "axis": [0, 0, 1], "damping": 2 }],
  "forces": [{ "name": "s", "type": "servo", "joint": "leg", "kp": 2000, "kd": 40 }],
  "simulation": { "impact": "window", "step": 0.002, "time": 1 } }
END
ends 0 "$work/leg.json"
says out '^ *energy balance off by .*: steps damp the motion that pushes overlapping shapes apart$'

# A run that stops is bad, and keeps its own exit code.
cat >"$work/nan.json" <<'END'
{ "trammel": 1, "bodies": [{ "name": "b", "mass": 1, "inertia": [1, 1, 1] }],
  "forces": [{ "name": "push", "type": "force", "body": "b", "value": ["1/(0.5 - t)^0.5", 0, 0] }] }
END
ends 4 "$work/nan.json" --time 1
says out "^verdict      bad: stopped at t = 0.49 s: force 'push': "
# A run that stops before its first row reports nothing about joints.
sed 's/1\/(0.5 - t)^0.5/1\/t/' "$work/nan.json" >"$work/inf.json"
ends 4 "$work/inf.json" --time 1 --json
is "verdict on nothing" bad "$("$json_get" "$work/out" verdict)"

# ---- A second run -----------------------------------------------------------------------------

ends 0 "$pendulum" --time 2 --verify
says out '^verify       largest differences from a run with half the step, at 201 rows:$'
says out '^             bob.x  *[0-9.e-]* m of a range of 2$'
says out '^verdict      good: .*with half the step bodies are at most [0-9.e-]* m of 2.24 m and 0 rad elsewhere'
ends 5 "$pendulum" --time 20 --step 0.16 --verify --json
says out 'with half the step bodies are at most'
ends 0 "$examples/problems/s09-rssr.json" --time 1 --verify
says out '^verdict      good: '
ends 2 "$pendulum" --verify --resume "$work/none"
says err 'compares whole runs'

echo "$count claims, $failures failed"
[ "$failures" -eq 0 ]
