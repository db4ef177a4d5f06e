#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Installs the Debian packages that are missing; silent and quick when none is.
set -eu

packages="gcc g++ cmake ninja-build pkg-config git clang-14 libclang-rt-14-dev clang-format cppcheck
libqhull-dev libcmocka-dev libjansson-dev python3-jsonschema"

missing=""
for package in $packages; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

echo "installing:$missing"
run=""
[ "$(id -u)" -eq 0 ] || run="sudo"
$run apt-get update -qq
DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq --no-install-recommends $missing >/dev/null
