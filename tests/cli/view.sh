#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# view.sh TRAMMEL JSON_GET EXAMPLES: trammel view starts trammel-view, which reports errors before it serves, and ends on a signal. The
# served pages are tested in viewer/tests.
. "$(dirname "$0")/claims.sh"
always=view

pendulum=$examples/pendulum.json
ends 0 --help
says out 'usage: trammel view MODEL'

# ---- Errors --------------------------------------------------------------------------------------

ends 2
ends 2 "$pendulum" --fly
says err 'there is no option --fly'
ends 3 "$work/missing.json" --no-open
says err "^$work/missing.json: error: cannot read"
ends 3 "$pendulum" --no-open --step -1
says err '^trammel view: step is -1; it must be positive'
ends 3 "$pendulum" --no-open --method nix
says err '^trammel view: there is no method "nix"'
ends 2 "$pendulum" --no-open --speed 0
says err 'it must be a number from 0.001 to 1000'
ends 2 "$pendulum" --no-open --port 80.5
says err 'it must be a whole number'
for address in ::1 lo 300.1.1.1; do
    ends 3 "$pendulum" --no-open --listen $address
    says err "\"$address\" is not an address to listen on"
done
ends 3 "$pendulum" --no-open --listen 192.0.2.1
says err 'cannot listen on 192.0.2.1'

# A program without trammel-view next to it reports that it is missing.
cp "$trammel" "$work/trammel"
PATH=$work "$work/trammel" view "$pendulum" 2>"$work/err"
is "exit code without trammel-view" 2 $?
says err 'cannot start trammel-view'
PATH=$work "$work/trammel" paper 9.1 2>"$work/err"
is "exit code without trammel-paper" 2 $?
says err 'cannot start trammel-paper'

# ---- Serving, until a signal ---------------------------------------------------------------------

# serves SIGNAL OPTION...: asserts that the address, $url, is printed, and that the signal ends the program with exit code 0
serves() {
    local signal=$1 child waited=0
    shift
    rm -f "$work/out"
    "$trammel" view "$pendulum" --no-open "$@" >"$work/out" 2>"$work/err" &
    child=$!
    while [ ! -s "$work/out" ] && [ $waited -lt 3000 ]; do
        sleep 0.1
        waited=$((waited + 1))
    done
    url=$(head -1 "$work/out")
    kill -"$signal" $child
    wait $child
    is "exit code of trammel view after SIG$signal" 0 $?
}

serves INT
says out '^http://127\.0\.0\.1:[0-9]*/[0-9a-f]\{32\}/$'
says err 'Ctrl-C ends'
is "warnings" 0 "$(grep -c warning "$work/err")"
first=$url
serves TERM --paused --speed 2 --step 0.001
count=$((count + 1))
[ "$first" != "$url" ] || fail "the same token twice: $url"
serves INT --listen 0.0.0.0
says err 'warning: listening at 0.0.0.0'

echo "$count claims about trammel view, $failures failures"
[ $failures -eq 0 ]
