#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# gltf.sh TRAMMEL EXAMPLES VIEWER: a short animation of every example, for none of which the Khronos validator reports an issue. The
# validator is installed by npm into VIEWER/node_modules, once. First a test that it can fail.
set -eu
trammel=$1 examples=$2 viewer=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
validate() { node "$(dirname "$0")/gltf_validate.mjs" "$viewer" "$@"; }

[ -d "$viewer/node_modules/gltf-validator" ] || (cd "$viewer" && npm ci --silent --no-audit --no-fund)

"$trammel" run "$examples/pendulum.json" --time 0.05 --out "$work/broken.glb" >/dev/null
sed -i 's/"version": "2.0"/"version": "0.2"/' "$work/broken.glb"
if validate "$work/broken.glb" >/dev/null; then
    echo "the validator accepts a file of version 0.2"
    exit 1
fi
rm "$work/broken.glb"

# The published problems have much shorter steps.
for model in "$examples"/*.json; do
    "$trammel" run "$model" --time 0.05 --out "$work/$(basename "$model" .json).glb" >/dev/null
done
for model in "$examples"/problems/*.json; do
    "$trammel" run "$model" --time 0.001 --out "$work/$(basename "$model" .json).glb" >/dev/null
done
validate "$work"/*.glb
