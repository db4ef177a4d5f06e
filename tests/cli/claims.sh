# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Sourced by the tests of the program, which are called with TRAMMEL JSON_GET EXAMPLES: assertions, and helpers. $always, if set, is the
# command that `ends` runs; $trammel is the program, $work a folder that is deleted at the end.
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

# within COMMAND...: waits until the command succeeds; fails after minutes, longer than any test takes on a busy machine
within() {
    local tries=9000
    until "$@"; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.02
    done
}

has_terminal() { script -qec true /dev/null >/dev/null 2>&1 </dev/null; }

# shows_on_terminal WHAT PATTERN COMMAND...: waits until the output of the command on a terminal matches the pattern, and ends the command
shows_on_terminal() {
    local what=$1 pattern=$2
    shift 2
    rm -f "$work/typescript"
    script -qefc "exec $(printf '%q ' "$@")" "$work/typescript" >/dev/null 2>&1 </dev/null &
    count=$((count + 1))
    within grep -qs "$pattern" "$work/typescript" || fail "$what: $(tail -c 300 "$work/typescript")"
    kill $!
    wait $!
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
