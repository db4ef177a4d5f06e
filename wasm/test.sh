#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# test.sh FILE: runs a test of the package, or says that there is none to test (wasm/build.sh was skipped).
set -eu
if [ ! -e "$(dirname "$0")/../build-wasm/package/trammel.wasm" ]; then
    echo "skipped: there is no module for WebAssembly; make wasm builds it" >&2
    exit 77
fi
exec node --test "$1"
