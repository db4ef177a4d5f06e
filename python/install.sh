#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# install.sh STAGE: makes a wheel of the staged package and installs it for the python3 of this shell: into its virtual
# environment if it is one, else for this user. Needs no network where that Python has cffi and numpy, as Debian's does.
set -eu
stage=${1:?usage: install.sh STAGE}

has() { "$1" -c "import cffi, numpy" 2>/dev/null; }
in_environment() { "$1" -c "import sys; sys.exit(sys.prefix == sys.base_prefix)"; }

# Debian guards its Python against pip; this installs for the user alone.
for_user() { in_environment "$1" || echo "--user $("$1" -m pip install --help | grep -o -e --break-system-packages | head -n 1)"; }

builder=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c "import setuptools, wheel" 2>/dev/null; then
        builder=$candidate
        break
    fi
done
[ -n "$builder" ] || { echo "install.sh: no python3 has setuptools and wheel" >&2; exit 1; }
rm -rf "$stage/dist" "$stage/build"
"$builder" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --no-index -w "$stage/dist" "$stage"

# A python3 of another origin gets cffi and numpy from the network, or, where it has the same ABI, uses Debian's.
abi() { "$1" -c "import sysconfig; print(sysconfig.get_config_var('SOABI'))"; }
fetch() { python3 -m pip install --quiet --disable-pip-version-check $(for_user python3) cffi numpy 2>/dev/null && has python3; }
borrow() {
    has /usr/bin/python3 && [ "$(abi python3)" = "$(abi /usr/bin/python3)" ] || return 1
    site=$(python3 -c "import site, sysconfig, sys
print(site.getusersitepackages() if sys.prefix == sys.base_prefix else sysconfig.get_path('purelib'))")
    mkdir -p "$site" && echo /usr/lib/python3/dist-packages >"$site/trammel-debian-packages.pth" && has python3 || return 1
    echo "$(command -v python3) uses Debian's cffi and numpy ($site/trammel-debian-packages.pth)" >&2
}

python=python3
if ! has python3 && ! fetch && ! borrow; then
    python=/usr/bin/python3
    echo "$(command -v python3) has no cffi and numpy, and they could not be fetched: installing for $python" >&2
fi
"$python" -m pip install --quiet --disable-pip-version-check --root-user-action=ignore $(for_user "$python") --no-deps \
    --no-index --force-reinstall "$stage"/dist/*.whl
"$python" -c "import trammel; print('installed for', '$python:', 'trammel', trammel.__version__)"
