#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Builds the machines of golden.c with several compilers, optimisations and processors, runs them, and prints a table of whose bits
# are those of hashes.txt. `make golden` runs this; builds are in out/golden.
# Usage: builds.sh [--accept] [JOBS]; --accept: first writes hashes.txt again from the first build
set -u
cd "$(dirname "$0")/../.." || exit 1
accept=
[ "${1:-}" = --accept ] && { accept=1; shift; }
jobs=${1:-$(nproc)}
hashes=tests/golden/hashes.txt
wrong=0

# name | compiler | build type and flags | -march
builds="gcc -O3, AVX2|gcc|-O3|x86-64-v3
gcc -O3, any x86-64|gcc|-O3|x86-64
gcc -O2, any x86-64|gcc|-O2|x86-64
gcc -O1, AVX2|gcc|-O1|x86-64-v3
gcc -O0, any x86-64|gcc|-O0|x86-64
clang -O3, AVX2|clang-14|-O3|x86-64-v3
clang -O3, any x86-64|clang-14|-O3|x86-64
clang -O0, any x86-64|clang-14|-O0|x86-64"

while IFS='|' read -r name compiler optimise arch; do
    folder=out/golden/$(echo "$name" | tr -c 'A-Za-z0-9\n' _)
    if ! { cmake -G Ninja -S . -B "$folder" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_FLAGS_RELEASE="$optimise" -DTRAMMEL_ARCH="$arch" -DTRAMMEL_MPI=OFF -DTRAMMEL_HARDEN=OFF &&
        cmake --build "$folder" -j "$jobs" --target golden; } >"$folder.log" 2>&1; then
        printf '%-24s does not build: %s\n' "$name" "$folder.log"
        wrong=$((wrong + 1))
        continue
    fi
    program=$folder/tests/golden/golden
    if [ -n "$accept" ]; then
        "$program" >"$hashes" || exit 1
        accept=
    fi
    start=$(date +%s%N)
    if "$program" "$hashes" >"$folder.txt" 2>"$folder.log"; then verdict="the same bits"; else
        verdict="OTHER BITS: $(grep -c 'not the bits' "$folder.log") of $(grep -c . "$folder.txt")"
        wrong=$((wrong + 1))
    fi
    printf '%-24s %s (%d ms)\n' "$name" "$verdict" $((($(date +%s%N) - start) / 1000000))
done <<<"$builds"

# a processor without AVX and FMA
if command -v qemu-x86_64 >/dev/null; then
    program=out/golden/gcc__O3__any_x86_64/tests/golden/golden
    if qemu-x86_64 -cpu Nehalem "$program" "$hashes" >/dev/null 2>&1; then verdict="the same bits"; else
        verdict="OTHER BITS"
        wrong=$((wrong + 1))
    fi
    printf '%-24s %s\n' "gcc -O3, emulated 2008" "$verdict"
fi
[ "$wrong" -eq 0 ]
