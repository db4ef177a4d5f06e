#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Every named threshold of src (static const double NAME = number) has a comment that says what fails if it is larger and if it is smaller: on its
# line, or above it or above the group of constants that it stands in. Thresholds of several files are in src/base/tolerance.h or in the header that
# these files share. "Tests pass with a tenth and with ten times of it" is what bench/thresholds.py found.
# Usage: constants.sh ROOT. Exit status 0: all keep to it; 1: some do not, each printed; 2: nothing to read.
set -eu
cd "${1:?usage: constants.sh ROOT}"

files=$(find src -name '*.[ch]' ! -name '*_tables.h' ! -name 'number_powers.h' | LC_ALL=C sort)
awk '
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
    text = tolower(text)
    if ((text !~ /larger|longer|higher/ || text !~ /smaller|shorter|lower|a tenth/) && text !~ /ten times/) {
        printf "%s:%d: the comment does not say what fails if it is larger and if it is smaller: %s\n", FILENAME, FNR, $0
        wrong++
    }
    next
}
/^$/ || !/^ *(static const|enum)/ { comment = "" }
END {
    if (!count) exit 2
    printf "%d named thresholds, %d of them without what fails if they are larger or smaller\n", count, wrong
    exit wrong > 0
}' $files
