#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# The packages of `make deb` in a bare Debian 12 tree: each is installed with its dependencies, used, and removed, after which no file of
# it remains. Binaries are hardened, and lintian reports nothing. Part of the checklist before a release (CONTRIBUTING.md). Needs root,
# debootstrap and a network.
#
# Usage: tests/packages.sh [FOLDER]
#   FOLDER  where the tree is made, 1 GB (default: a new folder under /tmp, removed afterwards; one that is given is kept and reused)
set -eu
cd "$(dirname "$0")/.."
debs=$PWD/out/deb
ls "$debs"/libtrammel*.deb >/dev/null 2>&1 || { echo "packages: none in out/deb; run make deb first" >&2; exit 2; }
version=$(sed -n 's/^project(trammel VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
library=$(basename "$(ls "$debs"/libtrammel[0-9]*.deb)")
library=${library%%_*}

fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

# ---- What is in the packages ------------------------------------------------------------------

bare=$(mktemp -d)
for deb in "$debs"/*.deb; do dpkg-deb -x "$deb" "$bare"; done
files="usr/bin/trammel usr/bin/trammel-paper usr/bin/trammel-view usr/bin/trammel-mpi $(cd "$bare" && find usr/lib -name 'libtrammel.so.*' -type f)"
for file in $files; do ln -sf "$bare/$file" "$bare/$(echo "$file" | tr / _)"; done
bash tests/hardening.sh "$bare" "$PWD" "$version" "${CC:-cc}" $(echo "$files" | tr / _) || fail "not hardened"
rm -rf "$bare"

# Warnings and errors of lintian. The fictitious address is intended, and a private package closes no bug.
lintian --tag-display-limit 0 --fail-on error,warning --suppress-tags bogus-mail-host,initial-upload-closes-no-bugs --allow-root "$debs"/*.changes ||
    fail "lintian"
echo "ok: lintian"

# ---- A tree, and what is in it before -----------------------------------------------------------

. tests/debian_tree.sh
debian_tree packages "${1:-}" ca-certificates
# Files, without those that apt and its scripts write on every run.
files_of_tree()
{
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./sys -o -path ./tmp -o -path ./packages -o -path ./var/cache -o -path ./var/log \
        -o -path ./var/lib/apt -o -path ./var/lib/dpkg \) -prune -o ! -type d -print | sort)
}
inside apt-get -qq update
rm -rf "$root/packages"
mkdir "$root/packages"
cp "$debs"/*.deb "$root/packages"
# packages installed only for the tests, and dependencies of others: not removed here
inside apt-get -qq -y install --no-install-recommends gcc libc6-dev pkg-config cmake make python3-numpy python3-cffi-backend libwebsockets17  \
    openmpi-bin man-db >/dev/null 2>&1 || fail "the tree has no compiler"
# a reused tree may have them from a run that failed
inside sh -c "apt-get -qq -y purge '*trammel*'" >/dev/null 2>&1 || true
files_of_tree >"$root/packages/before"
! grep -q -i trammel "$root/packages/before" || fail "the tree has files of trammel before anything is installed"

# ---- Install and use ----------------------------------------------------------------------------

# installs PACKAGE: with its dependencies, our own from the folder
installs()
{
    inside sh -c "cd /packages && apt-get -qq -y install --no-install-recommends $(for name in "$@"; do printf './%s ' "$(cd "$debs" && ls "${name}"_*.deb)"; done)" \
        >"$root/packages/log" 2>&1 || { cat "$root/packages/log" >&2; fail "$* cannot be installed"; }
}

# prints WORDS COMMAND...
prints()
{
    local words=$1
    shift
    inside "$@" >"$root/packages/log" 2>&1 || { cat "$root/packages/log" >&2; fail "$*"; }
    [ -z "$words" ] || grep -q -e "$words" "$root/packages/log" || { cat "$root/packages/log" >&2; fail "$*: no '$words'"; }
    echo "ok: $*"
}

example=/usr/share/doc/trammel/examples/eight-loop.json
installs "$library"
prints "libtrammel.so" ldconfig -p
installs "$library" trammel
prints "$version" trammel --version
prints "$version" trammel-view --version
prints "the period of a pendulum" trammel paper
prints "verdict  *good" trammel run $example --order 8 --time 1 --out /tmp/8.csv --report /tmp/8.html
prints "TRAMMEL" man trammel
prints "TRAMMEL" man trammel-view
# the library for AVX2, and the one for every processor, give the same bits
loader=/lib64/ld-linux-x86-64.so.2
if [ -e "$root/$loader" ] && inside "$loader" --help | grep -q 'x86-64-v3 (supported'; then
    prints "glibc-hwcaps/x86-64-v3/libtrammel" "$loader" --list /usr/bin/trammel
    cp "$root/tmp/8.csv" "$root/tmp/fast.csv"
    prints "gnu/libtrammel" "$loader" --glibc-hwcaps-mask none --list /usr/bin/trammel
    prints "verdict" "$loader" --glibc-hwcaps-mask none /usr/bin/trammel run $example --order 8 --time 1 --out /tmp/8.csv
    cmp "$root/tmp/8.csv" "$root/tmp/fast.csv" || fail "the two libraries differ in their results"
fi
installs "$library" trammel-mpi
prints "$version" env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpiexec --oversubscribe -n 2 trammel-mpi --version
installs "$library" libtrammel-dev
cp examples/pendulum.c "$root/packages"
prints "^$version" pkg-config --modversion trammel
prints "" sh -c 'cd /packages && gcc -std=c17 -Wall -Wextra -Werror pendulum.c $(pkg-config --cflags --libs trammel) -o pendulum'
prints "the energy is off by" /packages/pendulum
cp tests/install/main.c "$root/packages"
cat >"$root/packages/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(uses_trammel C)
find_package(trammel 0.2 REQUIRED)
add_executable(shared main.c)
target_link_libraries(shared PRIVATE trammel::trammel)
add_executable(static main.c)
target_link_libraries(static PRIVATE trammel::trammel_static)
CMAKE
prints "" sh -c 'cd /packages && cmake -S . -B made && cmake --build made'
prints "^$version" /packages/made/shared
prints "^$version" /packages/made/static
installs "$library" python3-trammel
prints "good" python3 -c "import trammel; print(trammel.load('$example').run(order=8, time=1).report)"
installs trammel-doc
prints "Trammel" cat /usr/share/doc/trammel/html/index.html

# ---- Remove -------------------------------------------------------------------------------------

inside apt-get -qq -y purge "$library" trammel trammel-mpi libtrammel-dev python3-trammel trammel-doc >"$root/packages/log" 2>&1 ||
    { cat "$root/packages/log" >&2; fail "cannot be removed"; }
rm -rf "$root/tmp/"*
files_of_tree >"$root/packages/after"
diff "$root/packages/before" "$root/packages/after" >"$root/packages/left" || { cat "$root/packages/left" >&2; fail "these files differ after removing"; }
! grep -i -q warning "$root/packages/log" || { cat "$root/packages/log" >&2; fail "removing warns"; }
echo "ok: removed, $(wc -l <"$root/packages/after") files as before"
