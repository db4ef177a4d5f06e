#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Builds the Debian packages out/deb/*.deb by debhelper, from a copy of the sources that git knows and cmake/debian. What is checked on the
# way: all versions agree, and neither -Werror nor -march is used for what runs on any processor.
# Usage: cmake/deb.sh [JOBS]
set -eu
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}

fail()
{
    echo "deb: $*" >&2
    exit 1
}

version=$(sed -n 's/^project(trammel VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ "$(dpkg-parsechangelog -l cmake/debian/changelog -S Version)" = "$version" ] || fail "cmake/debian/changelog has another version than CMakeLists.txt, $version"
case $version in 0.*) soname=${version%.*} ;; *) soname=${version%%.*} ;; esac
grep -qx "Package: libtrammel$soname" cmake/debian/control || fail "cmake/debian/control has no package libtrammel$soname"

out=$PWD/out/deb
tree=$out/trammel-$version
rm -rf "$out"
mkdir -p "$tree"
git ls-files --cached --others --exclude-standard -z | tar --null --ignore-failed-read -cf - -T - 2>/dev/null | tar -xf - -C "$tree"
mv "$tree/cmake/debian" "$tree/debian"
[ ! -d viewer/node_modules ] || ln -s "$PWD/viewer/node_modules" "$tree/viewer/node_modules"

log=$out/build.log
(cd "$tree" && DEB_BUILD_OPTIONS="parallel=$jobs" dpkg-buildpackage -d -b -us -uc) >"$log" 2>&1 || { tail -n 40 "$log" >&2; fail "the build failed: $log"; }

commands=$tree/build/compile_commands.json
[ -s "$commands" ] || fail "no list of compile commands"
! grep -o -e ' -Werror ' -e ' -march=[^ ]*' "$commands" | sort | uniq -c | grep . || fail "these flags are for development only"
rm -rf "$tree"
ls "$out"/*.deb
