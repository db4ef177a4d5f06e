#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# commands.sh TRAMMEL JSON_GET EXAMPLES: commands of the program: help, exit codes, check and convert of every example, output that cannot
# be written, shell completion. In bash, to test its completion.
. "$(dirname "$0")/claims.sh"

# ---- Help and version -------------------------------------------------------------------------

ends 0 --version
says out '^trammel [0-9]*\.[0-9]*\.[0-9]*$'
for help in --help -h help; do
    ends 0 $help
    says out '^usage: trammel COMMAND'
    silent err
done
commands=$("$trammel" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | grep -v '^trammel$')
for command in check convert schema completion; do
    is "$command listed by --help" $command "$(echo "$commands" | grep -x $command)"
done
for command in $commands; do
    for help in --help -h; do
        ends 0 "$command" $help
        says out "^usage: trammel $command"
        silent err
    done
    ends 0 "$command" --nonsense --help # help wins over what is wrong
done

# The manual page has every command and option; roff gives no warning about it.
ends 0 --man
silent err
cp "$work/out" "$work/trammel.1"
says out '^\.TH TRAMMEL 1'
for command in $commands; do
    is "$command in the manual" 1 "$(grep -c "^\.SS trammel $command" "$work/trammel.1")"
    is "options that $command lists twice" "" "$("$trammel" "$command" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p' | sort | uniq -d)"
    is "lines of more than 110 columns in the help of $command" 0 "$("$trammel" "$command" --help | grep -c '.\{111\}')"
    is "options of $command in the manual" "$("$trammel" "$command" --help | grep -c '^  --')" \
        "$(awk -v section=".SS trammel $command" '/^\.S[SH]/ { here = index($0, section) == 1 } here && /^\\fB/ { n++ } END { print n + 0 }' "$work/trammel.1")"
done
if command -v groff >/dev/null; then
    is "what groff says" "" "$(groff -man -ww -Tascii -z "$work/trammel.1" 2>&1)"
fi

# ---- Usage ------------------------------------------------------------------------------------

ends 2
says err '^usage: trammel COMMAND'
silent out
ends 2 chekc
says err 'there is no command "chekc"; did you mean "check"?'
ends 2 run "$examples/pendulum.json" --stp 0.1
says err 'there is no option --stp; did you mean --step? see trammel run --help'
for words in '--dt --step' '--timestep --step' '--duration --time' '--integrator --method' '-o --out'; do
    ends 2 run model.json "${words% *}" 1 # what other programs call it
    says err "there is no option ${words% *}; did you mean ${words#* }?"
done
ends 2 run model.json -x
says err 'there is no option -x; see trammel run --help'
ends 2 simulate model.json
says err 'there is no command "simulate"; did you mean "run"?'
ends 2 model.json
says err 'there is no command "model.json"; to simulate a model: trammel run model.json'
for command in $commands; do
    ends 2 "$command" --nonsense
    says err "trammel $command: there is no option --nonsense; see trammel $command --help"
    silent out
done
ends 2 check
says err '^usage: trammel check MODEL'
ends 2 check a.json b.json
ends 2 convert
ends 2 convert a b c
ends 2 schema a
ends 2 completion
ends 2 completion tcsh
says err 'no script for "tcsh"'
ends 2 check "$examples/pendulum.json" --set
says err 'trammel check: --set needs NAME=VALUE'
ends 2 check "$examples/pendulum.json" --json=yes
says err 'trammel check: --json takes no value'
ends 3 check -- --json # a file of that name, and there is none
says err 'cannot read the model file'
for folder in check convert; do ends 3 $folder "$work/nothing.json"; done

# ---- check ------------------------------------------------------------------------------------

# The freedom by rank, the rows that are redundant and the loops of every example.
while read -r name freedom redundant loops; do
    model=$examples/$name.json
    ends 0 check "$model"
    silent err
    says out "^sound      yes$"
    says out "^freedom    $freedom by rank"
    says out "^redundant  $redundant row"
    says out "^islands    [0-9]*, with $loops loop"
    ends 0 check "$model" --json
    silent err
    cp "$work/out" "$work/json"
    is "$name: status" ok "$("$json_get" "$work/json" status)"
    is "$name: freedom" "$freedom" "$("$json_get" "$work/json" whole dof_by_rank)"
    is "$name: redundant rows" "$redundant" "$("$json_get" "$work/json" redundant '#')"
    is "$name: loops" "$loops" "$("$json_get" "$work/json" whole loops)"
    is "$name: messages" 0 "$("$json_get" "$work/json" messages '#')"
    is "$name: file" "$model" "$("$json_get" "$work/json" file)"
    mkdir -p "$work/found/$(dirname "$name")"
    cp "$work/json" "$work/found/$name.json"
    echo "$name.json" >>"$work/seen"
done <<'END'
8-loop            21 0 1
arm               7  0 0
ball-in-bowl      6  0 0
billiard          42 0 0
bouncing-ball     18 0 0
bricard           1  1 1
cardan            0  0 1
cart-pole         2  0 0
crane             5  0 0
cuboid            6  10 21
dominoes          60 0 0
double-pendulum   2  0 0
eight-loop        21 0 1
eight-loop-folded 22 1 1
eight-loop-hinges 6  3 1
engine            1  3 1
figure-11-1       12 0 0
four-bar          1  3 1
free-body         6  0 0
gripper           8  0 0
gyroscope-tetrahedron 3 0 3
incline           18 0 0
jansen            0  9 3
newtons-cradle    5  0 0
painleve-rod      6  0 0
paper-four-bar    2  3 1
parallelogram     1  3 1
pendulum          2  0 0
rhombus           2  3 1
rattleback        6  0 0
rimless-wheel     6  0 0
roller-coaster    1  0 2
rolling-coin      6  0 0
slider-crank      1  3 1
spring-mass       1  0 0
stack             60 0 0
stimpmeter        6  0 0
suspension        0  1 1
tensegrity        3  0 19
trammel           1  3 1
truss-bridge      2  0 26
two-ball-hinge    1  1 1
two-link-arm      2  0 0
unequal-loop      2  3 1
walker            18 0 0
walker-on-ground  24 0 0
problems/r01-pendulum                2  0 0
problems/r02-four-bars-2             1  6 2
problems/r03-andrews-squeezer        1  9 3
problems/r03b-andrews-squeezer-iftomm 1 9 3
problems/r05-flyball-governor        4  0 0
problems/r06-cylindrical             2  0 0
problems/r06-distance                5  0 0
problems/r06-linear-actuator         0  0 0
problems/r06-prismatic               1  0 0
problems/r06-revolute                1  0 0
problems/r06-revolute-spherical      4  0 1
problems/r06-rotation-spring         1  0 0
problems/r06-spherical               3  0 0
problems/r06-spring                  6  0 0
problems/r06-universal               2  0 0
problems/r07-spatial-slider-crank    1  0 1
problems/r07b-spatial-slider-crank-balls 2 0 1
problems/r08-four-bar                1  3 1
problems/r09-slider-crank            0  3 1
problems/r10-heavy-top               3  0 0
problems/r11-free-axisymmetric       6  0 0
problems/r11-free-dzhanibekov        6  0 0
problems/r12-babyboot                2  0 0
problems/r13-chain-8                 16 0 0
problems/r13-double-pendulum         4  0 0
problems/r13b-double-pendulum-chrono 2  0 0
problems/r14-car-axis                3  0 0
problems/r15a-slider-pendulum        2  0 0
problems/r15b-screw                  1  0 0
problems/r15c-mass-damper-spring     1  0 0
problems/r15e-hooke-joint            0  3 1
problems/r15f-cycloid                1  0 0
problems/r15g-driven-rod             0  0 0
problems/r15h-spherical-pendulum     2  0 0
problems/r16-block-incline           6  0 0
problems/r16t-topple                 6  0 0
problems/r17-rolling-incline         6  0 0
problems/r18-billiard                6  0 0
problems/r19-bouncing-ball           6  0 0
problems/r20-rod-impact              6  0 0
problems/r21-double-pendulum-impact  2  0 0
problems/r22-newtons-cradle          30 0 0
problems/r23-painleve-rod            6  0 0
problems/r24-rolling-coin            6  0 0
problems/r25-rimless-wheel           6  0 0
problems/r26-rope                    3  0 0
problems/r27-spring-block            6  0 0
problems/r30-falling-rod             6  0 0
problems/s01-swinging-pendulum       1  0 1
problems/s02-rotating-pendulum       1  0 1
problems/s03-triple-rocker           1  3 1
problems/s04-crank-rocker            1  3 1
problems/s05-parallelogram           1  3 1
problems/s06-slider-crank            1  3 1
problems/s07-slider-rocker           1  3 1
problems/s08-bricard                 1  1 1
problems/s09-rssr                    1  0 1
problems/s10-unequal-loop            2  3 1
END
is "examples looked at" "$(cd "$examples" && ls -- *.json problems/*.json)" "$(sort "$work/seen")"

ends 0 check "$examples/eight-loop-hinges.json"
is "redundant rows named" 3 "$(grep -c "^           hinge 'j8': " "$work/out")"
ends 0 check "$examples/eight-loop-hinges.json" --json
for i in 0 1 2; do is "joint of redundant row $i" j8 "$("$json_get" "$work/out" redundant $i joint)"; done
ends 0 check "$examples/four-bar.json" --columns
says out '^t  *s$'
says out '^crank.ax  *m/s^2, on request$'
# check names elements that a run refuses: friction by a load that is not unique.
cat >"$work/guided.json" <<'END'
{ "trammel": 1, "bodies": [{ "name": "a", "rod": { "from": [0, 0, 0], "to": [1, 0, 1], "mass": 1, "radius": 0.01 } }, { "name": "b", "rod": { "from": [1, 0, 1], "to": [2, 0, 0], "mass": 1, "radius": 0.01 } },
  { "name": "c", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [2, 0, 0] }],
  "joints": [{ "name": "A", "type": "hinge", "bodies": ["ground", "a"], "anchor": [0, 0, 0], "axis": [0, 1, 0] },
  { "name": "B", "type": "hinge", "bodies": ["a", "b"], "anchor": [1, 0, 1], "axis": [0, 1, 0] },
  { "name": "C", "type": "hinge", "bodies": ["b", "c"], "anchor": [2, 0, 0], "axis": [0, 1, 0] },
  { "name": "guide", "type": "slider", "bodies": ["ground", "c"], "anchor": [2, 0, 0], "axis": [1, 0, 0], "mu": 0.1 }] }
END
ends 0 check "$work/guided.json"
says out "not impulse: joint 'guide': \"mu\" needs the force in the joint, which is not unique"
ends 0 check "$examples/two-ball-hinge.json" --json
is "the redundant row of the door" upper "$("$json_get" "$work/out" redundant 0 joint)"

# Regular, regular without redundant rows, singular, and singular and immobile.
ends 0 check "$examples/eight-loop.json"
says out '^regular    yes: no row depends on others$'
ends 0 check "$examples/eight-loop-hinges.json"
says out '^regular    once the redundant rows are left out: 42 of 45 rows remain, with the same motion$'
ends 0 check "$examples/eight-loop-hinges.json" --json
is "the hinged loop is regular" true "$("$json_get" "$work/out" regularity regular)"
is "rows that remain" 42 "$("$json_get" "$work/out" regularity rows)"
is "rows that may be left out" 3 "$("$json_get" "$work/out" regularity redundant '#')"
ends 0 check "$examples/eight-loop-folded.json"
says out "^           ball 'j8': shift along x, in this pose only$"
says out '^regular    no, a singular pose: 1 row depends on others in this pose only; none may be left out$'
says out '^           the solver direct passes through such poses; other solvers may not$'
ends 0 check "$examples/eight-loop-folded.json" --json
is "the folded loop is singular" false "$("$json_get" "$work/out" regularity regular)"
is "and can move" false "$("$json_get" "$work/out" regularity infinitesimal)"
is "rows that depend here only" j8 "$("$json_get" "$work/out" regularity singular 0 joint)"
cat >"$work/taut.json" <<'END'
{ "trammel": 1, "bodies": [{ "name": "p", "point": true, "mass": 1, "position": [1, 0, 0] }], "joints": [
  { "name": "a", "type": "distance", "bodies": ["ground", "p"], "anchors": [[0, 0, 0], [0, 0, 0]], "length": 1 },
  { "name": "b", "type": "distance", "bodies": ["ground", "p"], "anchors": [[2, 0, 0], [0, 0, 0]], "length": 1 },
  { "name": "c", "type": "distance", "bodies": ["ground", "p"], "anchors": [[0, 0, 0], [0, 0, 0]], "length": 1 }] }
END
ends 0 check "$work/taut.json"
says out "^           distance 'b': length, in this pose only$"
says out '^regular    no, a singular pose: 1 row depends on others in this pose only; 1 may be left out, 2 of 3 rows remain$'
says out '^           the motion that the rank predicts cannot be followed: every nearby pose that was found is singular too$'

# Contradictory distances are named by run and by check, and no pose is analysed.
sed 's/\[2, 0, 0\]/[2.5, 0, 0]/' "$work/taut.json" >"$work/torn.json"
for command in check run; do
    ends 3 $command "$work/torn.json"
    says err "torn.json:2:3: error: joint 'a': its anchor and that of 'b' on what is held are 2.5 m apart, but 'a' and 'b' between"
done
ends 3 check "$work/torn.json" --json
"$json_get" "$work/out" regularity >/dev/null 2>&1 && fail "a start that cannot be has a verdict"

ends 0 check "$examples/four-bar.json" --set a=0.25
says out '^sound      yes$'
ends 0 check "$examples/slider-crank.json" --set=phi=0.5 --set r=0.12
says out '^sound      yes$'

# Many joints are listed only on demand.
{
    echo '{ "trammel": 1, "bodies": ['
    for i in $(seq 50); do echo "{ \"name\": \"p$i\", \"point\": true, \"mass\": 1, \"position\": [$i, 0, 0] },"; done
    echo '], "joints": ['
    for i in $(seq 50); do echo "{ \"name\": \"j$i\", \"type\": \"distance\", \"bodies\": [\"ground\", \"p$i\"], \"anchors\": [[0, 0, 0], [0, 0, 0]] },"; done
    echo '] }'
} >"$work/many.json"
ends 0 check "$work/many.json"
says out 'all lists all bodies and joints'
says out '... and 30 more islands'
ends 0 check "$work/many.json" --all
says out '^j50 '

# A body without a name is reported in JSON and in text.
echo '{ "trammel": 1, "name": "\"quoted\" \\ \t\u00e9", "bodies": [{ "name": "a\\b", "point": true, "mass": 1 }] }' >"$work/odd.json"
ends 0 check "$work/odd.json" --json
is "odd names are JSON" 'a\b' "$("$json_get" "$work/out" bodies 0 name)"

# ---- convert ----------------------------------------------------------------------------------

cp "$examples"/*.obj "$work" # meshes are sought next to the model
for model in "$examples"/*.json "$examples"/problems/*.json; do
    name=$(basename "$model")
    ends 0 convert "$model"
    silent err
    cp "$work/out" "$work/once.json"
    "$json_get" "$work/once.json" >/dev/null || fail "$name: convert does not write JSON"
    ends 0 convert "$work/once.json"
    cmp -s "$work/out" "$work/once.json" || fail "$name: converted twice it differs"
    # the same machine: check prints the same but for the name of the file
    grep -v '"file"' "$work/found/${model#"$examples/"}" >"$work/a"
    "$trammel" check "$work/once.json" --json | grep -v '"file"' >"$work/b"
    cmp -s "$work/a" "$work/b" || fail "$name: converted it is another machine: $(diff "$work/a" "$work/b")"
    count=$((count + 3))
done
# the same output on stdout and in files
ends 0 convert "$examples/four-bar.json"
cp "$work/out" "$work/stdout.json"
ends 0 convert "$examples/four-bar.json" -
cmp -s "$work/out" "$work/stdout.json" || fail "- is not stdout"
ends 0 convert "$examples/four-bar.json" "$work/file.json"
silent out
cmp -s "$work/file.json" "$work/stdout.json" || fail "the file differs from stdout"
count=$((count + 2))
ends 0 convert "$examples/four-bar.json" --set a=0.25
is "a constant that was set is written" 0.25 "$("$json_get" "$work/out" constants a)"

# As points: a sound model with the same degrees of freedom, which convert writes again unchanged.
for name in double-pendulum eight-loop four-bar pendulum rhombus two-ball-hinge problems/r08-four-bar; do
    freedom=$("$trammel" check "$examples/$name.json" | sed -n 's/^freedom *\([0-9]*\) by rank.*/\1/p')
    for six in "" --six; do
        ends 0 convert "$examples/$name.json" "$work/points.json" --to-points $six
        silent out
        says err '^[0-9]* points, [0-9]* of them fixed, and [0-9]* distances$'
        ends 0 check "$work/points.json"
        says out "^freedom    $freedom by rank"
        says out '^sound      yes$'
        silent err
        ends 0 convert "$work/points.json"
        cmp -s "$work/out" "$work/points.json" || fail "$name $six: the points are written in another way"
    done
done
ends 0 convert "$examples/four-bar.json" --to-points --set a=0.25
says err '^  crank: 12 points, 29 distances$'
is "points are named after joints" A "$("$json_get" "$work/out" bodies 0 name)"
ends 0 convert "$examples/free-body.json" --to-points
says err "^warning: body 'body': is plane"
ends 0 convert "$examples/bricard.json" --to-points
says err "^warning: body 'rod1': is so slender"
ends 3 convert "$examples/spring-mass.json" --to-points
silent out
says err "spring-mass.json:10:5: error: joint 'rail': a slider cannot be made of point masses"
says err "spring-mass.json:15:5: error: force 'push': a force has no counterpart"
ends 2 convert "$examples/pendulum.json" --six
says err 'trammel convert: --six has no effect without --to-points; give both'

# In place, and to a place that cannot be written.
cp "$work/once.json" "$work/place.json"
ends 2 convert "$work/place.json" "$work/place.json"
says err 'would overwrite the model'
cmp -s "$work/place.json" "$work/once.json" || fail "a refused convert changed the file"
ends 2 convert "$work/place.json" "$work/out.urdf"
says err 'models are written as .json'
mkdir "$work/no"
ends 3 convert "$examples/pendulum.json" "$work/no/such/folder/out.json"
says err 'cannot write .*out.json: No such file or directory'
mkdir "$work/folder.json"
ends 3 convert "$examples/pendulum.json" "$work/folder.json"
says err "cannot write $work/folder.json: "
rmdir "$work/folder.json"
is "nothing is left" "" "$(ls -A "$work/no"; ls "$work" | grep partial)"
if [ "$(id -u)" -ne 0 ]; then
    chmod a-w "$work/no"
    ends 3 convert "$examples/pendulum.json" "$work/no/out.json"
    says err 'Permission denied'
    chmod u+w "$work/no"
    is "nothing is left in the folder" "" "$(ls -A "$work/no")"
fi
echo precious >"$work/keep.json"
ends 3 convert "$work/nothing.json" "$work/keep.json"
is "a failure leaves what was there" precious "$(cat "$work/keep.json")"

# A full device: every command that prints reports it.
if [ -c /dev/full ]; then
    for words in "check $examples/pendulum.json" "check $examples/pendulum.json --json" "convert $examples/pendulum.json" \
        schema "completion bash" --help --version "check --help"; do
        "$trammel" $words >/dev/full 2>"$work/err"
        is "exit code of trammel $words on a full device" 3 $?
        says err 'could not be written'
    done
fi

# ---- pose -------------------------------------------------------------------------------------

ends 0 pose "$examples/arm.json" --bring hand.tip=0.3,0,0.5 --out "$work/reaching.json"
says out 'reached after'
ends 0 pose "$work/reaching.json" --bring hand.tip=0.3,0,0.5
says out 'reached after [01] iteration'
ends 4 pose "$examples/arm.json" --bring hand.tip=3,0,0.25 --starts 3
says err "'hand.tip' is not reached from any of 3 starts: the nearest pose found leaves 1.75 m"
ends 0 pose "$examples/arm.json" --bring hand.tip=0.3,-,0.5 --turn hand=0,90*deg,0 --hold a1 --json
"$json_get" "$work/out" found >/dev/null || fail "the pose is not JSON"
ends 2 pose "$examples/arm.json"
says err 'there is no goal'
ends 2 pose "$examples/arm.json" --bring hnd=0,0,0
says err 'there is no body of this name'
ends 2 pose "$examples/arm.json" --bring hand.top=0,0,0
says err 'has no point or frame of this name'
ends 2 pose "$examples/arm.json" --bring hand=0,0
says err 'a position is three numbers'
ends 2 pose "$examples/arm.json" --turn hand=0,0
says err 'an orientation is three numbers'
ends 2 pose "$examples/arm.json" --bring hand=0,0,0 --hold knee
says err 'there is no joint and no body of this name'
ends 2 pose "$examples/arm.json" --bring hand=0,0,x
says err 'is not a number'
ends 2 pose "$examples/arm.json" --bring hand=0,0,0 --start home
says err 'has no pose of this name'

# ---- schema and completion --------------------------------------------------------------------

ends 0 schema
"$json_get" "$work/out" '$schema' >/dev/null || fail "the schema is not JSON"
ends 0 completion zsh
says out '^#compdef trammel'
ends 0 completion fish
says out "complete -c trammel .* -a check "

ends 0 completion bash
source "$work/out"
# completes EXPECTED WORD...: asserts the completions of the last word
completes() {
    local expected=$1
    shift
    COMP_WORDS=(trammel "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _trammel
    is "completion of trammel $*" "$expected" "${COMPREPLY[*]}"
}
completes "check" ch
completes "$(echo $commands) --help --version" ""
completes "$(echo "$commands" | grep '^co' | paste -sd ' ')" co
completes "--json --all --columns --set --input --without --base --inertia --density --with --self-collision --path --strict --help" check --
completes "--json" check --j
completes "--to-points --six --set --input --without --base --inertia --density --with --self-collision --path --strict --help" convert --
cd "$work" && touch only-one-such-file.json
completes "only-one-such-file.json" check only
completes "only-one-such-file.json" check --json only
is "bash knows whom it completes" "complete -o filenames -F _trammel trammel" "$(complete -p trammel)"

echo "$count claims about the program, $failures failures"
[ $failures -eq 0 ]
