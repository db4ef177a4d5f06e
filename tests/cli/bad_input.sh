#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# bad_input.sh TRAMMEL FOLDER: broken models are refused with exit code 3 and exactly the expected messages.
#
# Each FOLDER/*.json begins with what `trammel check` must print on stderr, one comment per line, without the name of
# the file:    // expect: 7:12: error: joint 'j1': ...
# Input that cannot be a file of that kind (no file, a folder, a million brackets, --set) is made here.
set -u
[ $# -eq 2 ] || { echo "usage: $0 TRAMMEL FOLDER" >&2; exit 2; }
trammel=$1
folder=$2
work=$(mktemp -d)
trap 'chmod -R u+rw "$work"; rm -rf "$work"' EXIT
count=0
failures=0

# fail WHAT [FILE...]: reports a failure and shows the files
fail() {
    failures=$((failures + 1))
    echo "FAILED: $1"
    shift
    [ $# -eq 0 ] || sed 's/^/    /' "$@"
}

# check FILE [ARGUMENT...]: runs trammel check; writes stderr, without the name of the file and the folder of its meshes, to $work/said
check() {
    count=$((count + 1))
    "$trammel" check "$@" >"$work/out" 2>"$work/err"
    code=$?
    sed "s|^$1: \{0,1\}||; s|^$(dirname "$1")/||" "$work/err" >"$work/said"
}

# The start may be wrong although the model is right: then it is analysed, and the analysis says that it is not sound.
looks_fine() {
    [ -s "$work/out" ] && ! grep -q '^sound      no: [1-9]' "$work/out"
}

# refused WHAT: checks the last check; its expected messages are in $work/wanted
refused() {
    [ "$code" -eq 3 ] || fail "$1: exit code $code instead of 3" "$work/err"
    cmp -s "$work/wanted" "$work/said" || {
        diff "$work/wanted" "$work/said" >"$work/diff"
        fail "$1: < is expected, > was said" "$work/diff"
    }
    ! looks_fine || fail "$1: looks as if it were fine" "$work/out"
}

# --json gives the same messages, as JSON, on stdout
refused_as_json() {
    "$trammel" check --json "$1" >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" -eq 3 ] || fail "$1 --json: exit code $code instead of 3"
    grep -Eq '"status": "(bad input|a file could not be read or written)"' "$work/out" ||
        fail "$1 --json: no status of a bad input" "$work/out"
    errors=$(grep -c '"severity": "error"' "$work/out")
    [ "$errors" -eq "$(grep -c 'error: ' "$work/wanted")" ] || fail "$1 --json: $errors errors listed" "$work/out"
}

# other commands refuse the model, too
not_converted() {
    case $1 in
    */start_*) return ;; # the definition is right, only its start is not
    esac
    "$trammel" convert "$1" "$work/converted.json" >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" -eq 3 ] || fail "$1: convert ends with $code instead of 3"
    [ ! -e "$work/converted.json" ] && [ ! -s "$work/out" ] || fail "$1: convert left something"
}

for file in "$folder"/*.json; do
    sed -n 's|^// expect: ||p' "$file" >"$work/wanted"
    [ -s "$work/wanted" ] || fail "$file: nothing is expected of it"
    check "$file"
    refused "$file"
    refused_as_json "$file"
    not_converted "$file"
done
[ $count -ge 70 ] || fail "only $count broken models found in $folder"

# expect FILE LINE: asserts that this is the only message about the file
expect() {
    printf '%s\n' "$2" >"$work/wanted"
    check "$1"
    refused "$1"
    refused_as_json "$1"
}

: >"$work/empty.json"
expect "$work/empty.json" "1:1: error: the file is empty; a document is at least {}"

printf ' // nothing but a comment\n' >"$work/comment.json"
expect "$work/comment.json" "2:1: error: the file holds no value; a document is at least {}"

printf '\001\377\000binary\032' >"$work/binary.json"
expect "$work/binary.json" \
    '1:1: error: the byte 0x01 begins no value; a value is a number, "text", true, false, null, [...] or {...}'

printf '\377\376{\000' >"$work/utf16.json"
expect "$work/utf16.json" "1:1: error: the file is UTF-16; save it in the encoding UTF-8"

head -c 1000000 /dev/zero | tr '\000' '[' >"$work/deep.json"
expect "$work/deep.json" "1:101: error: arrays and objects are nested deeper than the limit of 100"

expect "$work/missing.json" "error: cannot read the model file: No such file or directory"
expect "$work" "error: cannot read the model file: Is a directory"
if [ "$(id -u)" -ne 0 ]; then
    echo '{"trammel": 1}' >"$work/secret.json"
    chmod a-r "$work/secret.json"
    expect "$work/secret.json" "error: cannot read the model file: Permission denied"
fi

# More errors than are stored: the first ones are shown, the others are counted.
{
    echo '{ "trammel": 1, "bodies": ['
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
        printf '  "b", "b", "b", "b", "b", "b", "b", "b", "b", "b",\n'
    done
    echo '] }'
} >"$work/many.json"
check "$work/many.json"
[ "$code" -eq 3 ] || fail "many errors: exit code $code"
[ "$(wc -l <"$work/said")" -eq 101 ] || fail "many errors: not 100 and a count" "$work/said"
[ "$(tail -n 1 "$work/said")" = "... and 30 more errors" ] || fail "many errors: the rest is not counted" "$work/said"

# --set
echo '{ "trammel": 1, "constants": { "length": 1, "twice": "2*length" }, "gravity": ["twice", 0, 0] }' >"$work/set.json"
# set_wrong TEXT LINE
set_wrong() {
    printf '%s\n' "$2" >"$work/wanted"
    check "$work/set.json" --set "$1"
    refused "--set $1"
}
set_wrong lenght=2 'error: the model has no constant "lenght" to set; did you mean "length"?'
set_wrong mass=2 'error: the model has no constant "mass" to set; it must be listed under "constants"'
set_wrong length 'trammel: --set takes NAME=VALUE, not "length"'
set_wrong =2 'trammel: --set takes NAME=VALUE, not "=2"'
set_wrong length= "trammel: --set length=: the expression is empty; write a number or a formula"
set_wrong length=2x "trammel: --set length=2x: an operator is missing before 'x'; a product is written with *"
set_wrong length=1/0 "trammel: --set length=1/0: division by zero; the divisor must not be 0"
check "$work/set.json" --set length=3
[ "$code" -eq 0 ] && grep -q 'gravity    \[6, 0, 0\]' "$work/out" || fail "--set length=3 is not followed" "$work/out"

echo "$count broken inputs, $failures failures"
[ $failures -eq 0 ]
