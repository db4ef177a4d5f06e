#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# house.sh on small trees made for it: a good one passes, and each kind of mistake, put into the good one alone, is found at
# its file and line and nowhere else. Usage: house_selftest.sh HOUSE_SH
set -eu

house=$(realpath "${1:?usage: house_selftest.sh HOUSE_SH}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
failures=0

fail()
{
    echo "FAILED: $1"
    sed 's/^/    /' "$work/output"
    failures=$((failures + 1))
}

# lines COUNT TEXT: writes the text COUNT times, with # in it replaced by the number of the line
lines()
{
    awk -v count="$1" -v text="$2" 'BEGIN { for (i = 1; i <= count; i++) { line = text; gsub(/#/, i, line); print line } }'
}

# put FILE: a file of what is read, in the tree
put()
{
    mkdir -p "$tree/$(dirname "$1")"
    cat >"$tree/$1"
}

function_of() # LINES with its braces
{
    printf 'static void f(void)\n{\n'
    lines "$(($1 - 2))" '    g(#); /* { not counted } */'
    echo '}'
}

struct_of() # NAME FIELDS, the last two on one line
{
    printf 'typedef struct %s {\n' "$1"
    lines "$(($2 - 2))" '    double a#[2]; /* m, s; kg */'
    printf '    int *x, (*y)(int, int);\n} %s;\n' "$1"
}

good_tree()
{
    rm -rf "$tree"
    function_of 40 | put src/base/long.c
    struct_of trm_large 30 | put src/base/large.h
    struct_of local 3 | put src/base/one.c
    struct_of local 3 | put src/base/two.c # of one file alone, as a static function is
    struct_of trm_joint_def 50 | put include/trammel/model.h
    struct_of trm_joint 47 | put src/model/joint.h
    lines 800 '' | put src/base/file.c
}

check() # STATUS TEXT
{
    status=0
    sh "$house" "$tree" >"$work/output" || status=$?
    if [ "$status" -ne "$1" ]; then fail "status $status, expected $1, for: $2"
    elif ! grep -qF "$2" "$work/output"; then fail "not reported: $2"
    fi
}

good_tree
check 0 'house: 7 files'
good_tree
function_of 41 | put src/sim/f.c
check 1 'src/sim/f.c:2: a function of 41 lines'
good_tree
struct_of trm_larger 31 | put src/sim/s.h
check 1 'src/sim/s.h:1: struct trm_larger has 31 fields'
good_tree
struct_of local 31 | put src/sim/s.c
check 1 'src/sim/s.c:1: struct local has 31 fields'
good_tree
struct_of trm_large 3 | put src/sim/s.c
check 1 'src/sim/s.c:1: type trm_large is defined in src/base/large.h:1 too'
good_tree
struct_of other 3 | put src/sim/s.h
printf 'enum other {\n    ONE\n};\n' | put src/sim/t.h
check 1 'src/sim/t.h:1: type other is defined in src/sim/s.h:1 too'
good_tree
lines 801 '' | put src/sim/file.c
check 1 'src/sim/file.c:801: a file of 801 lines'
rm -rf "$tree" && mkdir "$tree"
check 2 'house: no source files here'

[ "$failures" -eq 0 ] || exit 1
echo "house_selftest: every mistake is found"
