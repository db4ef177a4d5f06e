# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Sourced by the tests of the program, which are called with TRAMMEL JSON_GET EXAMPLES: counting claims, and what they are
# made with. $always, if set, is the command that `ends` runs; $trammel is the program, $work a folder that goes away.
set -u
export LC_ALL=C
[ $# -eq 3 ] || { echo "usage: $0 TRAMMEL JSON_GET EXAMPLES" >&2; exit 2; }
trammel=$1
json_get=$2
examples=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}

# is WHAT EXPECTED FOUND
is() {
    count=$((count + 1))
    [ "$2" = "$3" ] || fail "$1: expected '$2', found '$3'"
}

# ends CODE ARGUMENT...: the program ends with the code; its output is in $work/out and $work/err
ends() {
    local wanted=$1
    shift
    "$trammel" ${always:-} "$@" >"$work/out" 2>"$work/err" </dev/null
    is "exit code of trammel ${always:-} $*" "$wanted" $?
}

# says FILE PATTERN: the output has a line that matches
says() {
    count=$((count + 1))
    grep -q -e "$2" "$work/$1" || fail "no line like '$2' in: $(cat "$work/$1")"
}

# silent FILE
silent() {
    count=$((count + 1))
    [ ! -s "$work/$1" ] || fail "something on std$1: $(cat "$work/$1")"
}
