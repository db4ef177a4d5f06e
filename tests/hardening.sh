#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# What a release build must be: position independent, relocations read-only and bound at the start, no executable stack, stack
# protector, FORTIFY, CET where the compiler marks it; no path of the machine that built it; a SONAME of its own per minor version.
# Usage: hardening.sh BUILD SOURCE VERSION CC [FILES]; FILES of the folder BUILD, the last one a shared library (default: trammel libtrammel.so)
set -u
build=$1 source=$2 version=$3 cc=$4
shift 4
[ $# -gt 0 ] || set -- trammel libtrammel.so
wrong=0

need() { # need FILE WORDS COMMAND...: the command prints a line with these words
    local file=$1 words=$2
    shift 2
    "$@" "$build/$file" 2>/dev/null | grep -q -e "$words" || { echo "$file: no $words in: $*"; wrong=$((wrong + 1)); }
}

for file in "$@"; do
    need "$file" 'DYN' readelf -h
    need "$file" 'GNU_RELRO' readelf -lW
    need "$file" 'NOW' readelf -dW
    need "$file" '__stack_chk_fail' nm -D
    need "$file" '_chk@\|_chk$' nm -D
    readelf -lW "$build/$file" | grep GNU_STACK | grep -q 'RWE' && { echo "$file: executable stack"; wrong=$((wrong + 1)); }
    if "$cc" -fcf-protection -x c -c /dev/null -o /dev/null 2>/dev/null && [ "$(uname -m)" = x86_64 ]; then
        need "$file" 'endbr64' objdump -d # the mark in the header also needs a C library built so
    fi
    for path in "$source" "$build"; do
        if grep -q -a -F "$path" "$build/$file"; then
            echo "$file: names $path, where it was built: $(strings "$build/$file" | grep -F "$path" | head -3 | tr '\n' ' ')"
            wrong=$((wrong + 1))
        fi
    done
done

case $version in 0.*) soname=$(echo "$version" | cut -d. -f1,2) ;; *) soname=${version%%.*} ;; esac
need "$file" "SONAME.*libtrammel.so.$soname\]" readelf -dW
echo "hardening: $# files, $wrong wrong"
[ "$wrong" -eq 0 ]
