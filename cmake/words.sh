#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Looks for the words of cmake/words.txt in the texts that users read: documents and public headers as a whole, and in other sources
# the string literals. Usage: words.sh [ROOT]. Exit status 0: none is there; 1: each is printed with file, line and what to write.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/..}"

# The changelog and the errata quote what others, or we ourselves, have written.
list()
{
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard -- "$@"
    else
        for kind in "$@"; do find . -path "./$kind" -type f; done | sed 's|^\./||'
    fi
}
{ list '*.md' | grep -v -x -e CHANGELOG.md -e docs/errata.md; list 'include/*.h'; } | LC_ALL=C sort -u | while IFS= read -r file; do
    [ ! -f "$file" ] || echo "whole $file"
done >"${TMPDIR:-/tmp}/words.$$"
trap 'rm -f "${TMPDIR:-/tmp}/words.$$"' EXIT
list 'cli/*.c' 'cli/*.h' 'src/*.c' 'fmi/*.c' 'viewer/server/*.c' 'viewer/page/*.ts' 'python/trammel/*.py' | while IFS= read -r file; do
    [ ! -f "$file" ] || echo "strings $file"
done >>"${TMPDIR:-/tmp}/words.$$"
[ -s "${TMPDIR:-/tmp}/words.$$" ] || { echo "words: no files found"; exit 1; }

awk -v words="$here/words.txt" '
BEGIN {
    while ((getline line <words) > 0)
        if (line !~ /^#/ && split(line, part, "\t") == 2) { pattern[++count] = tolower(part[1]); instead[count] = part[2] }
    if (count == 0) { print "words: " words " has no words"; exit 1 }
}
# Only what stands in quotes; escaped quotes are kept inside.
function literals(text,    all)
{
    all = ""
    gsub(/\\"/, "", text)
    while (match(text, /"[^"]*"|`[^`]*`/)) {
        all = all " " substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
    }
    return all
}
{
    kind = $1
    file = substr($0, length($1) + 2)
    number = 0
    before = ""
    while ((getline line <file) > 0) {
        number++
        text = tolower(kind == "whole" ? line : literals(line))
        joined = text
        sub(/^[ *\/"]+/, "", joined)
        joined = before joined
        for (i = 1; i <= count; i++) {
            # a sentence may go over the end of a line; it is then found with its second line
            if (text ~ pattern[i] || (before !~ pattern[i] && joined ~ pattern[i])) {
                printf "%s:%d: \"%s\": write: %s\n", file, number, pattern[i], instead[i]
                bad = 1
            }
        }
        before = text
        sub(/[ "\\]+$/, "", before)
        before = before " "
    }
    close(file)
}
END { exit bad }' "${TMPDIR:-/tmp}/words.$$"
