#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# libm.sh on small archives made for it: exact functions pass, one that is not is found. Usage: libm_selftest.sh LIBM_SH CC
set -eu

libm=$1
cc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# archive_of FUNCTION: an archive that calls it
archive_of()
{
    rm -f "$work/x.a"
    printf 'double %s(double); double f(double x); double f(double x) { return %s(x); }\n' "$1" "$1" >"$work/x.c"
    "$cc" -O0 -fno-builtin -c "$work/x.c" -o "$work/x.o"
    ar rc "$work/x.a" "$work/x.o"
}

archive_of floor
sh "$libm" "$work/x.a" "$cc" >/dev/null || { echo "floor is refused"; exit 1; }
for name in sin log1p cbrt lgamma; do
    archive_of "$name"
    if sh "$libm" "$work/x.a" "$cc" >"$work/output"; then echo "$name passes"; exit 1; fi
    grep -q "libm: $name is called" "$work/output" || { echo "$name is not named"; exit 1; }
done
echo "libm_selftest: every verdict as expected"
