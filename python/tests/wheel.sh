#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# wheel.sh STAGE PYTHON EXAMPLES: the wheel is made and installed into a new virtual environment without a network, and works there
# from its own files, also where the user has the package already: the shared library and the declarations are in it.
set -eu
stage=$1 python=$2 examples=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH
cp -r "$stage" "$work/stage"
"$python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --no-index -w "$work/dist" "$work/stage"
"$python" -m venv --system-site-packages --without-pip "$work/venv"
"$python" -m pip --python "$work/venv/bin/python" install --quiet --disable-pip-version-check --ignore-installed --no-deps --no-index "$work"/dist/*.whl
rm -rf "$work/stage"
cd "$work"
"$work/venv/bin/python" - "$examples" "$work/venv" <<'PY'
import sys, pathlib, trammel
place = pathlib.Path(trammel.__file__).parent
assert str(place).startswith(sys.argv[2]), place
assert all((place / name).exists() for name in ("libtrammel.so", "_declarations.py", "py.typed", "__init__.pyi")), list(place.iterdir())
print(trammel.load(sys.argv[1] + "/8-loop.json").run(time=1).report)
PY
