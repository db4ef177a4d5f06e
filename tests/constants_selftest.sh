#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# constants.sh accepts a threshold that says what fails both ways, and finds one that has no comment or names one direction only.
# Usage: constants_selftest.sh constants.sh
set -eu
script=${1:?usage: constants_selftest.sh constants.sh}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/src"

# expect STATUS TEXT: the exit status of constants.sh for a file with this text
expect()
{
    printf '%s\n' "$2" >"$work/src/a.c"
    status=0
    sh "$script" "$work" >"$work/said" || status=$?
    [ "$status" = "$1" ] || { echo "FAILED: status $status instead of $1 for: $2"; exit 1; }
}

expect 0 '/* m: a larger one hides gaps, a smaller one reports rounding. */
static const double NEAR = 1e-6;'
expect 0 'static const double NEAR = 1e-6; /* m. Tests pass with a tenth and with ten times of it. */'
expect 1 'static const double NEAR = 1e-6;'
expect 1 '/* m: smaller gaps are closed. */
static const double NEAR = 1e-6;'
expect 2 'int x;'
echo "ok"
