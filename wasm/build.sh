#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# build.sh [JOBS]: the module for WebAssembly at build-wasm/wasm/trammel.wasm and the package for JavaScript at build-wasm/package.
# Ends with code 77 where the compiler for it, its C library, or the tools for TypeScript are missing.
set -eu
cd "$(dirname "$0")/.."

missing=""
command -v clang-19 >/dev/null && command -v wasm-ld-19 >/dev/null || missing="$missing clang-19 lld-19"
[ -e /usr/lib/wasm32-wasi/libc.a ] || missing="$missing wasi-libc"
[ -e /usr/lib/llvm-19/lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a ] || missing="$missing libclang-rt-19-dev-wasm32"
[ -d viewer/node_modules/typescript ] || missing="$missing (npm ci in viewer/)"
if [ -n "$missing" ]; then
    echo "skipped: no toolchain for WebAssembly here; missing:$missing; make wasm installs it" >&2
    exit 77
fi

cmake --preset wasm >/dev/null
cmake --build --preset wasm -j "${1:-2}"
version=$(sed -n 's/^project(trammel VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
node wasm/build.mjs build-wasm/wasm/trammel.wasm build-wasm/package "$version"
