#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Follows the walk-throughs of CONTRIBUTING.md in a copy of the tree: adds a made-up joint, force, shape, key, method and format
# by the steps that stand there, builds the library and runs what was added (walkthrough.c). New files are in added/; lines
# are put next to a line that is named here, so that other changes of the same files do not matter.
# Usage: walkthrough.sh ROOT FOLDER [CCACHE]: the copy is made in FOLDER and stays there, so that ninja compiles only what changed.
set -eu

root=$(cd "${1:?usage: walkthrough.sh ROOT FOLDER}" && pwd)
folder=${2:?usage: walkthrough.sh ROOT FOLDER}
here=$root/tests/walkthrough
fresh=$folder/fresh
copy=$folder/tree

# ---- The steps -------------------------------------------------------------------------------

# add_line FILE NEAR LINE: puts the line after the only line with the text NEAR.
add_line()
{
    count=$(grep -cF -- "$2" "$fresh/$1") || true
    [ "$count" = 1 ] || { echo "$1: $count lines with: $2"; exit 1; }
    awk -v beside="$2" -v line="$3" '{ print } index($0, beside) { print line }' "$fresh/$1" >"$folder/edited"
    cp "$folder/edited" "$fresh/$1"
}

add_joint()
{
    add_line src/model/joints/list.h 'TRM_JOINT_TYPE(hinge)' 'TRM_JOINT_TYPE(upright)'
    add_line src/model/CMakeLists.txt 'joints/hinge.c' '  joints/upright.c'
}

add_force()
{
    add_line src/model/forces/list.h 'TRM_FORCE_TYPE(drag)' 'TRM_FORCE_TYPE(lure)'
    add_line src/model/CMakeLists.txt 'forces/drag.c' '  forces/lure.c'
}

add_shape()
{
    add_line src/model/shapes/list.h 'TRM_SHAPE_TYPE(box)' 'TRM_SHAPE_TYPE(wedge)'
    add_line src/model/CMakeLists.txt 'shapes/box.c' '  shapes/wedge.c'
}

add_key()
{
    add_line include/trammel/model.h 'double gravity_factor;' '    double buoyancy; /* part of its weight that is carried (default: 0) */'
    add_line src/model/fields_bodies.c 'static const trm_field body_fields' \
        '    KEY(buoyancy, number, 0, RIGID | POINT | ROD, "part of its weight that is carried; 0"),'
    add_line src/model/build_bodies.c 'trm_v3_scale(def->gravity_factor,' '    if (!(def->buoyancy >= 0)) \
        WRONG("\\"buoyancy\\" is %g; it must be a part of its weight, 0 or more", def->buoyancy); \
    body->gravity = trm_v3_scale(1 - def->buoyancy, body->gravity);'
}

add_method()
{
    add_line src/methods/list.h 'TRM_METHOD(taylor)' 'TRM_METHOD(leapfrog)'
    add_line src/methods/CMakeLists.txt 'taylor/taylor.c' '  leapfrog/leapfrog.c'
}

add_format()
{
    add_line src/io/formats.h 'TRM_FORMAT(sdf)' 'TRM_FORMAT(masses)'
    add_line src/io/CMakeLists.txt '  sdf.c' '  masses.c'
}

# ---- The documentation -----------------------------------------------------------------------

# Every file that the six walk-throughs name is there; NAME and * stand for any name.
check_paths()
{
    sed -n '/^## Add a joint/,/^## Add a format of results/p' "$root/CONTRIBUTING.md" | grep -oE '`(src|include|tests|docs|cli)/[^` ]*`' | tr -d '`' | sort -u >"$folder/paths"
    [ -s "$folder/paths" ] || { echo "CONTRIBUTING.md names no files"; exit 1; }
    while read -r path; do
        case $path in *NAME* | *'*'*) path=${path%/*} ;; esac
        case $path in *NAME*) continue ;; esac
        [ -e "$root/$path" ] || { echo "CONTRIBUTING.md names $path, which is not there"; exit 1; }
    done <"$folder/paths"
    for kind in joint force shape key method format; do
        grep -q "^## Add a $kind" "$root/CONTRIBUTING.md" || { echo "CONTRIBUTING.md does not say how to add a $kind"; exit 1; }
    done
}

# ---- The copy --------------------------------------------------------------------------------

mkdir -p "$folder"
check_paths
rm -rf "$fresh"
mkdir -p "$fresh"
cp -R "$root/include" "$root/src" "$root/cmake" "$fresh"
cp -R "$here/added/." "$fresh"
cp "$here/tree/CMakeLists.txt" "$here/walkthrough.c" "$fresh"
for kind in joint force shape key method format; do "add_$kind"; done

# Only what differs from the last copy gets a new time.
mkdir -p "$copy"
(cd "$fresh" && find . -type f) | while read -r file; do
    cmp -s "$fresh/$file" "$copy/$file" && continue
    mkdir -p "$copy/$(dirname "$file")"
    cp "$fresh/$file" "$copy/$file"
done

cmake -S "$copy" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=None -DTRAMMEL_MPI=OFF -DTRAMMEL_WERROR=ON -DTRAMMEL_HARDEN=OFF \
    ${3:+-DCMAKE_C_COMPILER_LAUNCHER="$3"} >"$folder/log"
cmake --build "$folder/build" --target walkthrough >>"$folder/log" || { tail -30 "$folder/log"; exit 1; }
"$folder/build/walkthrough"
