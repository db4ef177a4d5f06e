#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# faults.sh TRAMMEL JSON_GET EXAMPLES: full disks, files that must not be overwritten, failing allocations, names with control sequences
# for a terminal. Every loss is reported.
. "$(dirname "$0")/claims.sh"
always=run
pendulum=$examples/pendulum.json
cd "$work" || exit 1

# ---- Full disks ---------------------------------------------------------------------------------

# Temporarily: the file size limit of the running process is set below the written size, and a flush fails. Rows are few, so that the
# flush of every second fails, and not the write of a row.
"$trammel" run "$pendulum" --step 1e-6 --every 0.02 --time 1e6 --columns t --out rows.csv >out 2> >(cat >err) &
victim=$!
within [ -s rows.csv ]
prlimit --pid $victim --fsize=1:
is_over() { ! kill -0 $victim 2>/dev/null; }
within is_over || kill -9 $victim
wait $victim
is "exit code of a run whose disk is full for a while" 3 $?
within grep -q 'cannot write rows.csv: File too large' err || fail "no word of it: $(cat err)"

(ulimit -f 4 && exec "$trammel" run "$pendulum" --time 10 --out large.csv) >out 2>err
is "exit code where a file may not grow" 3 $?
says err 'cannot write large.csv: File too large'

if [ -c /dev/full ]; then
    ends 3 "$examples/four-bar.json" --method minimal --time 0.05 --coordinates /dev/full
    says err 'cannot write /dev/full: No space left'
    ends 3 "$examples/stack.json" --time 0.05 --contacts /dev/full
    says err 'cannot write /dev/full: No space left'
    ends 3 "$examples/stack.json" --time 0.05 --contacts /dev/full --out good.csv
    says err 'cannot write /dev/full: No space left'
    is "the other file is not blamed" 0 "$(grep -c 'cannot write good.csv' err)"
fi

# ---- Files that must not be overwritten ---------------------------------------------------------

cp "$pendulum" model.json
ln -s model.json link.json
for path in model.json ./model.json link.json "$work/model.json"; do
    for option in --out --report --plot --contacts --coordinates --checkpoint; do
        ends 2 model.json --time 0.1 $option "$path"
        says err "$option $path would overwrite the model"
    done
done
is "the model is as it was" "" "$(cmp "$pendulum" model.json)"
ends 2 model.json --time 0.1 --out same.csv --contacts ./same.csv
says err '--out same.csv and --contacts ./same.csv are the same file'
is "nothing was written" no "$([ -e same.csv ] && echo yes || echo no)"
ends 0 model.json --time 0.1 --out /dev/null --contacts /dev/null

# Other commands in the same way: sweep, inverse, compare, convert.
always=
cp "$examples/spring-mass.json" spring.json
ln -s spring.json spring-link.json
for path in spring.json spring-link.json; do
    ends 2 sweep spring.json --vary k=1,2 --restart --out $path
    says err "trammel sweep: --out $path would overwrite the model"
    ends 2 compare spring.json --steps 0.01 --time 0.1 --report $path
    says err "trammel compare: --report $path would overwrite the model"
    ends 2 convert spring.json $path
    says err "OUT $path would overwrite the model"
done
"$trammel" run model.json --time 0.1 --out motion.csv >/dev/null 2>&1
cp motion.csv motion.kept
for path in model.json motion.csv; do
    ends 2 inverse model.json motion.csv --out ./$path
    says err "trammel inverse: --out ./$path would overwrite the mo"
done
ends 2 compare model.json --steps 0.01 --time 0.1 --reference motion.csv --plot motion.csv
says err 'trammel compare: --plot motion.csv would overwrite the reference'
ends 2 compare model.json --steps 0.01 --time 0.1 --plot page --report ./page
says err '--plot page and --report ./page are the same file'
"$trammel" run model.json --time 0.1 --checkpoint from.point >/dev/null 2>&1
cp from.point from.kept
ends 2 run model.json --time 0.2 --resume from.point --out from.point
says err '--out from.point would overwrite the checkpoint'
ends 0 run model.json --time 0.2 --resume from.point --checkpoint from.point
is "nothing else was changed" "" "$(cmp "$pendulum" model.json; cmp "$examples/spring-mass.json" spring.json; cmp motion.csv motion.kept)"
echo old >converted.json
ln -s converted.json converted-link.json
ends 0 convert model.json converted-link.json
is "the link is a link" converted.json "$(readlink converted-link.json)"
says converted.json trammel
if [ -c /dev/full ]; then
    ends 3 inverse "$examples/problems/r09-slider-crank.json" <(:) --out /dev/full
    "$trammel" run "$examples/problems/r09-slider-crank.json" --time 0.1 --out crank.csv >/dev/null 2>&1
    ends 3 inverse "$examples/problems/r09-slider-crank.json" crank.csv --out /dev/full
    says err 'cannot write /dev/full: No space left'
fi
always=run

# A checkpoint replaces the file that a link points to, but neither the link nor a pipe.
echo old >real.point
ln -s real.point link.point
ends 0 model.json --time 0.1 --checkpoint link.point
is "the link is a link" real.point "$(readlink link.point)"
ends 0 model.json --time 0.2 --resume real.point
mkfifo pipe.point
ends 3 model.json --time 0.1 --checkpoint pipe.point
says err 'cannot write the checkpoint pipe.point: it is not a regular file'
is "the pipe is a pipe" yes "$([ -p pipe.point ] && echo yes)"
ends 3 model.json --time 0.1 --checkpoint . --out untouched.csv
says err 'cannot write the checkpoint .: Is a directory'
is "known before the run" no "$([ -e untouched.csv ] && echo yes || echo no)"

# ---- Malicious models ---------------------------------------------------------------------------

# mesh FILE: prints a model with a body of this mesh
mesh() {
    echo "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\", \"shapes\": [{ \"type\": \"mesh\", \"file\": \"$1\", \"density\": 1 }] }] }"
}
mkfifo mesh.obj
for file in /dev/zero mesh.obj .; do
    mesh "$file" >mesh.json
    ends 3 mesh.json
    says err "the mesh file \"$file\" cannot be read: it is not a regular file"
done

# Text of a file that a model names but that is no part of the model never appears in a message.
printf 'TOP-SECRET word\nv TOP-SECRET 1 2\n{ "TOP-SECRET": TOP-SECRET }\n<TOP-SECRET at="TOP-SECRET">\n' >secret
mkdir inner
# hides CODE NAME TEXT: asserts the exit code for the document, which names the secret, and that the secret is not printed
hides() {
    echo "$3" >"inner/$2"
    ends "$1" "inner/$2" --time 0.01
    says err 'secret\|outside the folder of the mesh' # which file is not read
    is "text of another file by $2" 0 "$(cat out err | grep -c TOP-SECRET)"
}
points='"bodies": [{ "name": "b", "point": true, "mass": 1 }]'
for name in ../secret "$work/secret"; do
    hides 3 mesh.json "$(mesh "$name")"
    hides 3 table.json "{ \"trammel\": 1, $points, \"forces\": [{ \"type\": \"force\", \"name\": \"f\", \"body\": \"b\",
        \"value\": [{ \"file\": \"$name\" }, 0, 0] }] }"
    hides 3 include.json "{ \"trammel\": 1, \"include\": [{ \"file\": \"$name\", \"prefix\": \"p\" }], $points }"
done
echo '{ "asset": { "version": "2.0" }, "buffers": [{ "uri": "../secret", "byteLength": 9999 }],
    "bufferViews": [{ "buffer": 0, "byteLength": 9999 }], "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
    "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }] }' >inner/buffer.gltf
hides 3 gltf.json "$(mesh buffer.gltf)"
for name in ../secret "$work/secret"; do
    hides 0 mesh.urdf "<robot name='r'><link name='l'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>
        <collision><geometry><mesh filename='$name'/></geometry></collision></link></robot>"
    for part in "<include file='$name'/>" "<asset><mesh name='m' file='$name'/></asset>"; do
        hides 3 parts.mjcf "<mujoco>$part<worldbody><body><freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
    done
    hides 3 include.sdf "<sdf version='1.9'><model name='m'><include><uri>$name</uri></include></model></sdf>"
done

# Control characters of a file never reach the terminal.
printf '%s' '{ "trammel": 1, "name": "m\u001b]0;x\u0007\n1,2", "\u001b[31mkey": 1, "bodies": [{ "name": "b\u001b[2J\u009b1m", "point": true,
    "mass": 1, "shapes": [{ "type": "\u001b[32m", "color": "\u007f" }] }] }' >escape.json
ends 3 escape.json
says err 'a model has no key'
is "control characters" 0 "$(LC_ALL=C tr -d '\n' <err | LC_ALL=C grep -c '[[:cntrl:]]')"
echo '{ "trammel": 1, "name": "two\nlines", "bodies": [{ "name": "b", "point": true, "mass": 1 }] }' >lines.json
ends 0 lines.json --time 0.1
says out '^two lines: impulse'

# Shapes that all overlap: the number of pairs grows quadratically. Without a limit these would take 500 MB.
awk 'BEGIN {
    printf "{ \"trammel\": 1, \"bodies\": ["
    for (i = 0; i < 3000; i++)
        printf "%s{ \"name\": \"b%d\", \"shapes\": [{ \"type\": \"box\", \"size\": [1, 1, 1], \"density\": 1 }] }", i ? ", " : "", i
    print "] }"
}' >boxes.json
for mode in event window; do
    ends 3 boxes.json --impact $mode
    says err 'more than 200000 pairs of shapes touch or overlap at the start'
done

# Points that are all linked to each other: the first solution takes minutes, and an interrupt ends it.
awk 'BEGIN {
    printf "{ \"trammel\": 1, \"bodies\": ["
    for (i = 0; i < 100; i++)
        printf "%s{ \"name\": \"b%d\", \"point\": true, \"mass\": 1, \"position\": [%.9f, %.9f, %.9f] }", i ? ", " : "", i,
            sin(i), cos(7 * i), sin(3 * i + 1)
    printf "], \"joints\": ["
    for (i = 0; i < 100; i++)
        for (k = 0; k < i; k++)
            printf "%s{ \"name\": \"j%d_%d\", \"type\": \"distance\", \"bodies\": [\"b%d\", \"b%d\"] }", (i > 1 || k ? ", " : ""), i, k, i, k
    print "] }"
}' >net.json
env --default-signal=INT "$trammel" run net.json --out net.csv >out 2>err &
victim=$!
within [ -e net.csv ]
sleep 0.5 # it is at work
kill -INT $victim
within is_over || kill -9 $victim
wait $victim
is "exit code of a run that is interrupted in its first solution" 4 $?
says err 'stopped at t = 0 s: interrupted'

# Allocations that fail while a model is read, or while it is prepared.
if "$trammel" --version >/dev/null && ! grep -q __asan_init "$trammel"; then
    for kilobytes in 8000 12000 16000 24000 32000 48000 64000; do
        (ulimit -v $kilobytes && exec "$trammel" --version) >out 2>err || continue # the program itself could not be loaded
        (ulimit -v $kilobytes && exec "$trammel" run boxes.json) >out 2>err
        code=$?
        case $code in
        3) is "a word about it at $kilobytes kB" yes "$([ -s err ] && echo yes)" ;;
        *) fail "exit code $code with $kilobytes kB: $(head -c 300 err)" ;;
        esac
    done
fi

# Constants that each refer to the one before.
awk 'BEGIN {
    printf "{ \"trammel\": 1, \"constants\": { \"c0\": 1"
    for (i = 1; i < 100000; i++) printf ", \"c%d\": \"c%d + 1\"", i, i - 1
    print " }, \"bodies\": [{ \"name\": \"b\", \"point\": true, \"mass\": 1 }] }"
}' >constants.json
ends 3 constants.json
says err 'there are 100000 constants; a model has at most 10000'

# A type of joints is not a type of forces; the message must not say that it is missing in this version.
echo '{ "trammel": 1, "bodies": [{ "name": "b", "point": true, "mass": 1 }],
    "forces": [{ "name": "f", "type": "slot", "body": "b" }, { "name": "g", "type": "revolute", "body": "b" }] }' >slot.json
ends 3 slot.json
says err 'there is no force type "slot"; put it under "joints"'
says err 'there is no force type "revolute"; the types are '

# A run without joints that stops before its first row ends with a message, with any kind of output.
echo '{ "trammel": 1, "bodies": [{ "name": "b", "mass": 1, "inertia": [1, 1, 1] }],
    "forces": [{ "name": "f", "type": "force", "body": "b", "value": ["1/t", 0, 0] }] }' >infinite.json
for more in "" --json "--report stopped.html"; do
    # shellcheck disable=SC2086 # two words
    ends 4 infinite.json --time 0.1 $more
    says err "stopped at t = 0 s: force 'f': is not a finite number"
done

# A drive gives its joint a velocity at the start: this is no error of the model.
echo '{ "trammel": 1, "bodies": [{ "name": "b", "mass": 1, "inertia": [1, 1, 1] }],
    "joints": [{ "name": "pin", "type": "hinge", "bodies": ["ground", "b"], "anchor": [0, 0, 0], "axis": [0, 0, 1] }],
    "forces": [{ "type": "drive", "joint": "pin", "motion": "2*t" }] }' >drive.json
ends 0 drive.json --time 0.1
silent err

echo "$count claims about faults, $failures failures"
[ $failures -eq 0 ]
