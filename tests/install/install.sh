#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Installs the build, moves the installed tree, and uses it from there as a user would:
# through pkg-config (shared and static), through find_package (all targets), from C and from C++.
# Also: every header stands alone in C17 and C++17, and the shared library exports trm_ symbols only.
# Usage: install.sh BUILD SOURCE VERSION CMAKE GENERATOR CC CXX
set -eu

build=$1 source=$2 version=$3 cmake=$4 generator=$5 cc=$6 cxx=$7
strict="-Wall -Wextra -Werror -pedantic"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "FAILED: $1" >&2
    exit 1
}

# quiet COMMAND...: its output is shown only if it fails
quiet()
{
    "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "$*"; }
}

# runs PROGRAM shared|static: asserts its output and how it is linked
runs()
{
    output=$(LD_LIBRARY_PATH=$libdir "$1") || fail "$1 does not run"
    [ "$output" = "$version 13" ] || fail "$1 prints '$output', expected '$version 13'"
    linked=static
    readelf -d "$1" >"$work/dynamic"
    grep -q 'NEEDED.*libtrammel' "$work/dynamic" && linked=shared
    [ "$linked" = "$2" ] || fail "$1 is linked with the $linked library, expected the $2 one"
    echo "ok: $(basename "$1")"
}

# --- install, then move: no file may contain the original path ---
quiet "$cmake" --install "$build" --prefix "$work/first"
prefix=$work/moved
mv "$work/first" "$prefix"
pc=$(find "$prefix" -name trammel.pc)
libdir=$(dirname "$(dirname "$pc")")

# --- the installed program ---
"$prefix/bin/trammel" --version >"$work/log" || fail "the installed program does not run"
grep -qF "$version" "$work/log" || fail "the installed program does not print version $version"
echo "ok: program"

cmp -s "$source/../../LICENSE" "$prefix/share/doc/trammel/LICENSE" || fail "the licence is not installed"
echo "ok: licence"

# --- symbols ---
nm -D --defined-only "$libdir/libtrammel.so" | awk '{ print $NF }' >"$work/symbols"
grep -qx trm_version "$work/symbols" || fail "trm_version is not exported"
! grep -v '^trm_' "$work/symbols" || fail "the shared library exports the symbols above, not beginning with trm_"
echo "ok: symbols"

# --- headers ---
for header in "$prefix"/include/trammel/*.h; do
    name=trammel/$(basename "$header")
    printf '#include "%s"\n' "$name" >"$work/alone.c"
    quiet "$cc" -std=c17 $strict -I "$prefix/include" -c "$work/alone.c" -o "$work/alone.o"
    quiet "$cxx" -std=c++17 $strict -I "$prefix/include" -x c++ -c "$work/alone.c" -o "$work/alone.o"
    echo "ok: $name alone, C17 and C++17"
done

# --- pkg-config ---
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
[ "$(pkg-config --modversion trammel)" = "$version" ] || fail "pkg-config does not give version $version"
cflags=$(pkg-config --cflags trammel)
libs=$(pkg-config --libs trammel)
static_libs=$(pkg-config --static --libs trammel | sed 's/-ltrammel/-l:libtrammel.a/')
main=$source/main.c
quiet "$cc" -std=c17 $strict $cflags "$main" $libs -o "$work/pkg_config_shared"
runs "$work/pkg_config_shared" shared
quiet "$cc" -std=c17 $strict $cflags "$main" $static_libs -o "$work/pkg_config_static"
runs "$work/pkg_config_static" static
quiet "$cxx" -std=c++17 $strict $cflags -x c++ "$main" -x none $libs -o "$work/pkg_config_cxx"
runs "$work/pkg_config_cxx" shared

# --- find_package ---
mkdir "$work/consumer"
cp "$main" "$source/mpi.c" "$work/consumer"
cp "$source/consumer.cmake" "$work/consumer/CMakeLists.txt"
quiet "$cmake" -S "$work/consumer" -B "$work/consumer/build" -G "$generator" -D CMAKE_C_COMPILER="$cc" \
    -D CMAKE_PREFIX_PATH="$prefix" -D wanted_version="$version"
quiet "$cmake" --build "$work/consumer/build"
runs "$work/consumer/build/with_shared" shared
runs "$work/consumer/build/with_static" static
if [ -e "$libdir/libtrammel_mpi.a" ]; then
    runs "$work/consumer/build/with_mpi" shared
    "$prefix/bin/trammel-mpi" --version >"$work/log" || fail "the installed trammel-mpi does not run"
    echo "ok: trammel-mpi"
fi

# --- uninstall: what the last install put in place is gone ---
quiet "$cmake" --install "$build" --prefix "$work/again"
[ -e "$work/again/bin/trammel" ] || fail "nothing is installed"
quiet "$cmake" "-DMANIFEST=$build/install_manifest.txt" -P "$source/../../cmake/uninstall.cmake"
find "$work/again" ! -type d >"$work/log"
[ ! -s "$work/log" ] || { cat "$work/log" >&2; fail "these files are left after uninstall"; }
find "$work/again" -name 'trammel' >"$work/log"
[ ! -s "$work/log" ] || { cat "$work/log" >&2; fail "these folders are left after uninstall"; }
echo "ok: uninstall"
