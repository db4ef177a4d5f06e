#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Texts of the library have a decimal point in every locale: a number goes through trm_print, trm_add_message or trm_format_number, never
# through printf itself. Usage: decimal_point.sh ROOT. Exit status 0: so it is; 1: the statements that break the rule are printed.
set -eu
cd "${1:?usage: decimal_point.sh ROOT}"

# number.c and result_csv.c handle the decimal point of printf themselves
find src -name '*.[ch]' ! -path src/base/number.c ! -path src/io/result_csv.c -print | LC_ALL=C sort | xargs awk '
BEGIN { RS = ";" }
/(^|[^a-z_])v?(sn|s|f|d)?printf\(/ && /%[-+ #0-9.*]*[aefgAEFG]/ {
    text = $0
    gsub(/[ \n]+/, " ", text)
    printf "%s:%s\n", FILENAME, text
    wrong++
}
END {
    printf "decimal_point: %d statements print a number by the locale\n", wrong
    exit wrong > 0
}'
