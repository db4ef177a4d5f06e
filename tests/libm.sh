#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Results may not depend on the C library: of libm the library calls only functions whose results IEEE arithmetic or ISO C fixes to
# the bit. Everything else is in trammel/elementary.h.
# Usage: libm.sh LIBTRAMMEL_A [CC]. Exit status 0: nothing else is called; 1: each such function is printed; 2: nothing to read.
set -eu

archive=${1:?usage: libm.sh LIBTRAMMEL_A [CC]}
exact="sqrt fabs fmin fmax copysign floor ceil trunc rint fminf fmaxf nearbyint round lround llround lrint llrint
frexp ldexp scalbn modf fmod remainder nextafter logb ilogb sqrtf fabsf floorf ceilf"

libm=$("${2:-cc}" -print-file-name=libm.so.6)
offered=$(nm -D --defined-only "$libm" | sed 's/.* //; s/@.*//' | LC_ALL=C sort -u)
called=$(nm -u "$archive" | sed -n 's/^ *U //p' | LC_ALL=C sort -u)
if [ -z "$offered" ] || [ -z "$called" ]; then
    echo "libm: no symbols in $libm or $archive"
    exit 2
fi

wrong=0
for name in $called; do
    echo "$offered" | grep -qx "$name" || continue
    if ! echo $exact | tr ' ' '\n' | grep -qx "$name"; then
        echo "libm: $name is called; its bits differ between C libraries: use trm_$name of trammel/elementary.h"
        nm -A -u "$archive" | grep " U $name\$" | sed 's/^[^:]*:/    /; s/:.*//'
        wrong=$((wrong + 1))
    fi
done
echo "libm: $wrong functions whose bits may differ"
[ "$wrong" -eq 0 ]
