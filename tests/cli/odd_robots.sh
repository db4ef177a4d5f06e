#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# odd_robots.sh TRAMMEL FOLDER: unusual files of robots are refused, or read with warnings, with exactly the expected messages.
#
# Each file of FOLDER ends with what `trammel check` must print on stderr, one instruction per line, without the name of the
# file:    <?expect 7:12: error: joint 'j': ...?>
# The exit code must be 3 if one of them is an error, else 0. Input that cannot be a file of that kind is made here.
set -u
[ $# -eq 2 ] || { echo "usage: $0 TRAMMEL FOLDER" >&2; exit 2; }
trammel=$1
folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1"
    shift
    [ $# -eq 0 ] || sed 's/^/    /' "$@"
}

# said FILE [ARGUMENT...]: asserts that the messages of a check are those of $work/wanted
said() {
    count=$((count + 1))
    timeout 600 "$trammel" check "$@" >"$work/out" 2>"$work/err"
    code=$?
    sed "s|^$1:||" "$work/err" >"$work/said"
    wanted_code=0
    ! grep -q 'error: ' "$work/wanted" || wanted_code=3
    [ "$code" -eq "$wanted_code" ] || fail "$1: exit code $code instead of $wanted_code" "$work/err"
    cmp -s "$work/wanted" "$work/said" || {
        diff "$work/wanted" "$work/said" >"$work/diff"
        fail "$1: < is expected, > was said" "$work/diff"
    }
}

for file in "$folder"/*; do
    sed -n 's|^<?expect \(.*\)?>$|\1|p' "$file" >"$work/wanted"
    said "$file"
done
[ $count -ge 70 ] || fail "only $count odd robots found in $folder"

# expect FILE LINE: asserts that this is the only message about the file
expect() {
    printf '%s\n' "$2" >"$work/wanted"
    said "$1"
}

link='<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'

: >"$work/empty.urdf"
expect "$work/empty.urdf" "1:1: error: the file is empty; a document is at least {}"

printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n' >"$work/pointer.urdf"
expect "$work/pointer.urdf" \
    '1:1: error: this is not the file itself but a pointer of Git LFS to it; run "git lfs pull" first'

# a byte order mark is accepted without a warning
printf '\357\273\277<?xml version="1.0"?><robot name="r">%s</robot>' "$link" >"$work/mark.urdf"
: >"$work/wanted"
said "$work/mark.urdf"

printf '\377\376<\000r\000' >"$work/utf16.urdf"
expect "$work/utf16.urdf" "1:1: error: the file is UTF-16; save it in the encoding UTF-8"

printf '<robot name="r"><!-- caf\351 -->%s</robot>' "$link" >"$work/latin.urdf"
expect "$work/latin.urdf" \
    " warning: the file is not UTF-8; it is read as ISO 8859-1, which affects only accented letters"

{
    printf '<robot name="r">'
    i=0
    while [ $i -lt 300 ]; do printf '<a>'; i=$((i + 1)); done
} >"$work/deep.urdf"
expect "$work/deep.urdf" "1:614: error: elements are nested deeper than 200 levels"

printf '<robot name="r">%s<link name="b"><inertial><mass val' "$link" >"$work/truncated.urdf"
expect "$work/truncated.urdf" \
    "1:136: error: this is not well-formed XML: unclosed token; <inertial> of line 1 is still open here"

# two files that include each other
printf '<mujoco><include file="two.xml"/><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>' >"$work/one.xml"
printf '<mujoco><include file="one.xml"/></mujoco>' >"$work/two.xml"
printf '1:9: error: <include>: a file can be included only once, and not in itself\n' >"$work/wanted"
"$trammel" check "$work/one.xml" 2>&1 >/dev/null | sed "s|^$work/two.xml:||" >"$work/said"
cmp -s "$work/wanted" "$work/said" || fail "a circle of includes" "$work/said"

# files outside of the folder of the model: refused, unless --path allows them
mkdir -p "$work/far" "$work/a/b/c"
printf '<mujoco><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>' >"$work/far/part.xml"
printf '<mujoco><include file="../../../far/part.xml"/></mujoco>' >"$work/a/b/c/model.xml"
printf '%s\n%s\n' '1:1: error: there is no <body> in <worldbody>' \
    '1:9: error: <include>: "../../../far/part.xml" cannot be read: it is outside of the model'"'"'s folder; allow the folder that contains it by --path FOLDER' >"$work/wanted"
said "$work/a/b/c/model.xml"
: >"$work/wanted"
said "$work/a/b/c/model.xml" --path "$work/far"
# meshes next to the folder of the model, which are frequent
printf '<mujoco><include file="../part.xml"/></mujoco>' >"$work/a/b/c/near.xml"
cp "$work/far/part.xml" "$work/a/b/part.xml"
said "$work/a/b/c/near.xml"

# a mesh in millimetres, on a link that is fixed
printf 'v 0 0 0\nv 200 0 0\nv 0 200 0\nv 0 0 200\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n' >"$work/large.obj"
for scale in '' ' scale="0.001 0.001 0.001"'; do
    printf '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial><visual><geometry><mesh filename="large.obj"%s/></geometry></visual></link></robot>' \
        "$scale" >"$work/large.urdf"
    : >"$work/wanted"
    [ -n "$scale" ] ||
        echo '1:122: warning: the mesh is 200 m large, which looks like millimetres; write scale="0.001 0.001 0.001"' >"$work/wanted"
    said "$work/large.urdf"
done

# inputs that never end
ln -s /dev/zero "$work/zero.stl"
mkfifo "$work/pipe.stl"
for mesh in zero pipe; do
    printf '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial><visual><geometry><mesh filename="%s.stl"/></geometry></visual></link></robot>' \
        $mesh >"$work/$mesh.urdf"
    printf '1:122: warning: the mesh "%s.stl" is left out: it was not found next to the model, in the folders above, or in those of --path; give its folder by --path FOLDER\n' \
        $mesh >"$work/wanted"
    said "$work/$mesh.urdf"
done
mkfifo "$work/pipe.xml"
expect "$work/pipe.xml" " error: cannot read the model file: it is a pipe that no program writes to"
printf '<robot name="r">%s</robot>' "$link" >"$work/piped.urdf"
: >"$work/wanted"
cat "$work/piped.urdf" | said /dev/stdin
expect "/dev/zero" " error: cannot read the model file: File too large"

echo "$count odd robots, $failures failures"
[ $failures -eq 0 ]
