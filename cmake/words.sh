#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Looks for the words and sentences of cmake/words.txt in all texts of the tree: documents, sources with their comments and messages, scripts,
# models. Usage: words.sh [ROOT]. Exit status 0: none is there; 1: each is printed with file, line and what to write.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/..}"
files=$(mktemp)
trap 'rm -f "$files"' EXIT

# The list itself and its test quote what we do not write.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then git ls-files --cached --others --exclude-standard; else find . -type f | sed 's|^\./||'; fi |
    grep -E '(\.(md|c|h|cpp|hpp|ts|mjs|py|pyi|sh|cmake|txt|json|html|css|yml|cff|in)|Makefile)$' |
    grep -v -x -e cmake/words.txt -e tests/words_selftest.sh -e 'viewer/package-lock.json' | LC_ALL=C sort -u >"$files"
[ -s "$files" ] || { echo "words: no files found"; exit 1; }

awk -v words="$here/words.txt" '
BEGIN {
    while ((getline line <words) > 0)
        if (line !~ /^#/ && (parts = split(line, part, "\t")) >= 2) {
            pattern[++count] = tolower(part[1])
            instead[count] = part[2]
            where[count] = parts > 2 ? part[3] : "."
            any = any (count > 1 ? "|" : "") "(" pattern[count] ")"
        }
    if (count == 0) { print "words: " words " has no words"; exit 1 }
}
# Of a sentence that goes over the end of a line: it is found with its second line.
function report(file, number, text, before, joined,    i)
{
    for (i = 1; i <= count; i++)
        if (file ~ where[i] && (text ~ pattern[i] || (before !~ pattern[i] && joined ~ pattern[i]))) {
            printf "%s:%d: \"%s\": write: %s\n", file, number, pattern[i], instead[i]
            bad = 1
        }
}
{
    file = $0
    number = 0
    before = ""
    while ((getline line <file) > 0) {
        number++
        text = tolower(line)
        joined = text
        sub(/^[ *\/"#]+/, "", joined)
        joined = before joined
        if (joined ~ any) report(file, number, text, before, joined)
        before = text
        sub(/[ "\\]+$/, "", before)
        before = before " "
    }
    close(file)
}
END { exit bad }' "$files"
