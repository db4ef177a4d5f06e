#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Every named threshold of src (static const double NAME = number) has a comment: on its line, or above it or above the group of constants that
# it stands in. The comment should say what fails if the threshold is ten times larger or smaller; those that do are counted by the words
# larger, smaller, longer, higher and the like. Their share must not fall below SHARE percent (raise it as comments are completed).
# Usage: constants.sh ROOT SHARE. Exit status 0: all keep to it; 1: some do not, each printed; 2: nothing to read.
set -eu
cd "${1:?usage: constants.sh ROOT SHARE}"
share=${2:?usage: constants.sh ROOT SHARE}

find src -name '*.[ch]' ! -name '*_tables.h' ! -name 'number_powers.h' | LC_ALL=C sort | xargs awk -v share="$share" '
FNR == 1 { comment = ""; inside = 0 }
{ is_constant = /^ *static const double [A-Z][A-Z_0-9]* = / }
# a comment of its own lines
!is_constant && (inside || /^ *\/\*/) {
    if (!inside) comment = ""
    comment = comment " " $0
    inside = !/\*\//
    next
}
is_constant {
    count++
    text = comment
    if (match($0, /\/\*.*/)) text = text " " substr($0, RSTART)
    if (text !~ /[a-z]/) {
        printf "%s:%d: no comment: %s\n", FILENAME, FNR, $0
        wrong++
    }
    if (text ~ /larger|smaller|ten times|tenth|longer|shorter|higher|lower|coarser|finer|looser|tighter/) told++
    next
}
/^$/ || !/^ *(static const|enum)/ { comment = "" }
END {
    if (!count) exit 2
    printf "%d named thresholds, %d without a comment; %d of them (%d %%) say what happens if they are larger or smaller\n", count, wrong, told, 100 * told / count
    if (100 * told < share * count) { printf "fewer than %d %%\n", share; exit 1 }
    exit wrong > 0
}'
