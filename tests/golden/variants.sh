#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# One build gives the same bits with any number of threads, at fixed and random addresses, in a locale with a decimal comma, on a
# processor on which glibc sees no AVX2 and FMA, and with another libm.
# Usage: variants.sh GOLDEN OTHER_LIBM_SO
set -u
golden=$1 other_libm=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0

"$golden" >"$work/first" 2>"$work/messages" || { cat "$work/messages"; exit 1; }

same() { # same NAME COMMAND...: the program run by the command prints the first hashes again
    local name=$1
    shift
    if "$@" "$golden" >"$work/now" 2>&1 && diff "$work/first" <(grep -v '^golden:' "$work/now") >"$work/difference"; then
        echo "$name: the same bits"
    else
        echo "$name: OTHER BITS"
        cat "$work/difference"
        wrong=$((wrong + 1))
    fi
}

same "1 thread" env OMP_NUM_THREADS=1
same "2 threads" env OMP_NUM_THREADS=2
same "5 threads" env OMP_NUM_THREADS=5
same "no AVX2 or FMA in libm" env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F,-AVX
if setarch -R true 2>/dev/null; then same "fixed addresses" setarch -R; fi
if localedef -i de_DE -f UTF-8 "$work/de_DE.utf8" >/dev/null 2>&1; then
    same "decimal comma" env LOCPATH="$work" LC_ALL=de_DE.utf8
fi
if [ -n "$other_libm" ]; then
    # the other libm must be there for a program that uses one
    [ "$(LD_PRELOAD=$other_libm awk 'BEGIN { print (sin(1) > 1000) }')" != 0 ] || echo "awk does not use libm here"
    same "another libm" env LD_PRELOAD="$other_libm"
fi
[ "$wrong" -eq 0 ]
