#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# description.sh TRAMMEL EXAMPLES: FMUs of ten models and more, checked by validate.py. 77: there is no Python.
set -u
here=$(dirname "$0")
command -v python3 >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
count=0

# checks MODEL OPTION...: both versions
checks() {
    model=$1
    shift
    for version in 2 3; do
        count=$((count + 1))
        "$TRAMMEL" export "$model" "$work/m.fmu" --fmi $version "$@" >"$work/out" 2>"$work/err" &&
            python3 "$here/validate.py" "$work/m.fmu" $version || { failures=$((failures + 1)); echo "FAILED: $model, FMI $version: $(cat "$work/err")"; }
    done
}
TRAMMEL=$1
examples=$2
for model in pendulum arm walker-on-ground four-bar eight-loop bouncing-ball cart-pole two-link-arm gripper spring-mass tensegrity crane; do
    checks "$examples/$model.json"
done
checks "$examples/arm.json" --inputs 's*.target,*.force,hand.*' --outputs 'hand.*,E_*' --step 0.001 --set m=3
checks "$examples/cardan.json" --inputs '*.motion'
checks "$examples/robots/arm.urdf" --inputs '*.force'
cat >"$work/odd.json" <<'END'
{ "trammel": 1, "name": "a < b & \"c\"", "constants": { "time": 1, "rod": 2 }, "inputs": { "u": { "range": [-1, 2], "start": 0.5 } },
  "bodies": [{ "name": "rod <1>", "mass": "rod", "inertia": [1, 1, 1] }, { "name": "x & y", "mass": "time", "inertia": [1, 1, 1] }] }
END
checks "$work/odd.json" --inputs '*.ty'

# Elements that --with adds are in the FMU.
echo '{ "trammel": 1, "sensors": [{ "name": "added", "type": "angle", "joint": "pin" }] }' >"$work/more.json"
checks "$examples/cart-pole.json" --with "$work/more.json" --outputs 'added'

# The validator finds mistakes: each of these.
for version in 2 3; do
    "$TRAMMEL" export "$examples/cart-pole.json" "$work/m.fmu" --fmi $version >/dev/null
    count=$((count + 15))
    python3 "$here/validate.py" "$work/m.fmu" $version changed <<'END' || failures=$((failures + 1))
name="cart.x"@name="cart.y"
valueReference="2"@valueReference="1"
causality="output"@causality="outlet"
initial="calculated"@initial="exact"
variability="fixed"@variability="continuous"
unit="m"@unit="mm"
min="-50"@min="10"
start="0.1"@
modelIdentifier="cart_pole"@modelIdentifier="cart-pole"
<Category name@<Category title
(index|valueReference)="3"/>@\1="9999"/>
canGetAndSetFMU[sS]tate@canGetAndSet
fmiVersion="@fmiVersion="1.
<DefaultExperiment startTime="0"@<DefaultExperiment startTime="100"
<Unit name="m/s">@<Unit name="m">
END
done

# Errors are reported, and no file is written.
refuses() {
    count=$((count + 1))
    code=$1 pattern=$2
    shift 2
    "$TRAMMEL" export "$@" >"$work/out" 2>"$work/err"
    [ $? -eq "$code" ] && grep -q -e "$pattern" "$work/err" || { failures=$((failures + 1)); echo "FAILED: export $*: $(cat "$work/err")"; }
    [ ! -e "$work/none.fmu" ] || { failures=$((failures + 1)); echo "FAILED: export $* wrote something"; }
}
refuses 2 'it must be 2 or 3' "$examples/arm.json" "$work/none.fmu" --fmi 1
refuses 2 'must end in .fmu' "$examples/arm.json" "$work/none.zip"
refuses 3 'no input matches "nothing"' "$examples/arm.json" "$work/none.fmu" --inputs nothing
refuses 3 'no column fits "nothing"' "$examples/arm.json" "$work/none.fmu" --outputs nothing
refuses 3 'step is -1; it must be positive' "$examples/arm.json" "$work/none.fmu" --step -1
refuses 3 'cannot' "$examples/arm.json" "$work/nowhere/none.fmu"
refuses 3 'cannot read' "$work/missing.json" "$work/none.fmu"

# The same model gives the same bytes.
"$TRAMMEL" export "$examples/arm.json" "$work/a.fmu" >/dev/null
"$TRAMMEL" export "$examples/arm.json" "$work/b.fmu" >/dev/null
cmp "$work/a.fmu" "$work/b.fmu" || failures=$((failures + 1))

echo "$count FMUs and refusals, $failures failures"
[ $failures -eq 0 ]
