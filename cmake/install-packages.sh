#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Installs the Debian packages that are missing; silent and quick when none is.
# Usage: cmake/install-packages.sh [wasm|bench-quick|bench|docs|deb]; wasm: the compiler for WebAssembly (300 MB) as well; bench-quick: valgrind as well;
# bench: the engines to compare with as well; docs: only what builds the site; deb: what builds and checks packages as well.
set -eu

# Recommended packages are not installed, so libc6-dev, which gcc only recommends, is named here.
packages="gcc g++ libc6-dev binutils make cmake ninja-build pkg-config git clang-14 libclang-rt-14-dev clang-format
cppcheck libsuitesparse-dev libcmocka-dev liblapacke-dev libjansson-dev libmpfr-dev python3-jsonschema
libexpat1-dev openmpi-bin libopenmpi-dev libwebsockets-dev python3 python3-cffi python3-numpy python3-pytest python3-scipy
python3-matplotlib python3-pandas python3-pip python3-venv python3-setuptools python3-wheel"
# Of any origin: who has node need not have Debian's.
command -v node >/dev/null && command -v npm >/dev/null || packages="$packages nodejs npm"
command -v chromium >/dev/null || packages="$packages chromium"
case "${1:-}" in
wasm) packages="$packages clang-19 lld-19 libclang-rt-19-dev-wasm32 wasi-libc" ;;
bench) packages="$packages libode-dev libbullet-dev libsimbody-dev libdart-dev libmujoco-dev" ;;
bench-quick) packages="$packages valgrind" ;;
docs) packages="python3 mkdocs mkdocs-material" ;;
deb) packages="$packages debhelper dh-python fakeroot lintian mkdocs mkdocs-material" ;;
esac

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "not a Debian system: nothing installed; the build needs what these packages hold:" $packages >&2
    exit 0
fi

missing=""
for package in $packages; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "run as root, for want of sudo: apt-get install$missing" >&2
        exit 1
    fi
    as_root="sudo"
fi

# sudo drops the environment, so env sets it behind sudo. A fresh machine may be upgrading itself: wait for its locks. apt-get
# itself waits for that of dpkg only, not for those of its lists and archives. What apt says is shown only if it fails.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt()
{
    tries=60
    while ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" </dev/null >"$log" 2>&1; do
        tries=$((tries - 1))
        if [ $tries -eq 0 ] || ! grep -q -i -e 'could not get lock' -e 'unable to lock' "$log"; then
            cat "$log" >&2
            echo "apt-get $* failed" >&2
            exit 1
        fi
        sleep 5
    done
}

echo "installing:$missing" >&2
apt update
apt install -y --no-install-recommends $missing
