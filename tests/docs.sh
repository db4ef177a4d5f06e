#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# What the documents print is tried. In every *.md of the tree but those in out/, block by block in the order of the file:
#   ```json         holding "trammel": 1 is a model that `trammel check` accepts, and that `trammel run` runs for a tenth of a
#                   second or refuses as one that this version cannot run (exit 3)
#   ```json FILE    is kept under that name for the commands after it; ```jsonc FILE too, without being checked
#   ```sh           its lines that begin with `trammel `, `build/trammel ` or `awk ` are run and exit with 0, or with N where
#                   the line ends in `# exit N`
#   ```c            with `int main` is compiled against the public headers, and runs and exits with 0
#   ```text         after one of these two: its lines come in this order in what was printed; `...` stands for lines
#                   left out
#   ```c FILE.c     is a source of the library that compiles against src/ (it is neither linked nor run)
# In a file with the line <!-- figures as in the blocks --> every figure of the prose, a number with a decimal point, an exponent or a unit, is,
# rounded, a number in one of its blocks: the prose says nothing that the program does not print.
# Every block that is opened is closed, and every relative link leads to a file and, after #, to a heading of it; what is in
# out/ need not be there, for it is made.
#
# Commands run in a folder of links to the files of the tree, so none of them can leave anything behind.
# Usage: docs.sh ROOT BUILD; the compiler is $CC, or cc. Exit status 0: all as printed; 1: some is not, each said with
# its file and line; 2: nothing to read.
set -eu

root=$(cd "${1:?usage: docs.sh ROOT BUILD}" && pwd)
build=$(cd "${2:?usage: docs.sh ROOT BUILD}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strict="-std=c17 -Wall -Wextra -Werror"
mistakes=0 models=0 commands=0 outputs=0 programs=0 links=0 figures=0

list_documents()
{
    (cd "$root" && find . \( -name '.?*' -o -name 'build*' -o -name node_modules -o -path ./out \) -prune -o -type f -name '*.md' \
        -print) | sed 's|^\./||' | LC_ALL=C sort
}

# The tree as commands see it: links to all its files, and the program where the documents say it is.
make_place()
{
    mkdir "$work/place" "$work/bin"
    for entry in "$root"/*; do
        name=$(basename "$entry")
        case $name in build*) ;; *) ln -s "$entry" "$work/place/$name" ;; esac
    done
    ln -s "$build" "$work/place/build"
    ln -s "$build/trammel" "$work/bin/trammel"
    PATH=$work/bin:$PATH
    export PATH
}

# split FILE: its blocks into $work/blocks/NUMBER with an index line "NUMBER LINE LANGUAGE NAME" each, its links into
# $work/links as "LINE TARGET"
split()
{
    rm -rf "$work/blocks" "$work/links" "$work/index"
    mkdir "$work/blocks"
    : >"$work/links"
    : >"$work/index"
    awk -v blocks="$work/blocks" -v links="$work/links" -v list="$work/index" '
    function find_links(text,    target)
    {
        gsub(/`[^`]*`/, "", text)
        while (match(text, /\]\([^) ]+\)|(src|href)="[^"]+"/)) {
            target = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            sub(/^(\]\(|src="|href=")/, "", target)
            sub(/[)"]$/, "", target)
            print NR, target >links
        }
    }
    /^```/ && !open {
        open = 1
        file = sprintf("%s/%d", blocks, ++count)
        printf "" >file
        language = $1
        sub(/^```/, "", language)
        print count, NR, language == "" ? "-" : language, $2 == "" ? "-" : $2 >list
        next
    }
    /^```/ { open = 0; close(file); next }
    open { print >file; next }
    { find_links($0) }
    END { if (open) print count, NR, "unclosed", "-" >list }' "$root/$1"
}

# wrong TEXT [FILE]: reports a mistake in the present block, with the contents of the file
wrong()
{
    echo "$document:$line: $1"
    [ $# -lt 2 ] || sed 's/^/    /' "$2"
    mistakes=$((mistakes + 1))
}

try_model()
{
    [ "$name" = - ] || cp "$block" "$work/place/$name"
    { [ "$language" = json ] && grep -q '"trammel" *: *1' "$block"; } || return 0
    models=$((models + 1))
    cp "$block" "$work/place/model-of-the-block.json"
    (cd "$work/place" && trammel check model-of-the-block.json) >"$work/said" 2>&1 </dev/null || {
        wrong "trammel check refuses the model:" "$work/said"
        return 0
    }
    status=0
    (cd "$work/place" && trammel run model-of-the-block.json --time 0.1) >"$work/said" 2>&1 </dev/null || status=$?
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || wrong "trammel run ends with $status:" "$work/said"
}

# Stdout first, then stderr, as a reader sees them.
try_commands()
{
    : >"$work/output"
    grep -E '^((build/)?trammel|awk)( |$)' "$block" >"$work/lines" || return 0
    while IFS= read -r command_line; do
        commands=$((commands + 1))
        expected=$(printf '%s\n' "$command_line" | sed -n 's/.*# exit \([0-9][0-9]*\) *$/\1/p')
        status=0
        (cd "$work/place" && sh -c "$command_line") >"$work/stdout" 2>"$work/stderr" </dev/null || status=$?
        cat "$work/stdout" "$work/stderr" >"$work/said"
        cat "$work/said" >>"$work/output"
        [ "$status" -eq "${expected:-0}" ] ||
            wrong "exit status $status, not ${expected:-0}, of: $command_line" "$work/said"
    done <"$work/lines"
}

try_output()
{
    case $before in sh | c) ;; *) return 0 ;; esac
    outputs=$((outputs + 1))
    awk 'NR == FNR { printed[++count] = $0; next }
         $0 == "..." || $0 == "" { next }
         { while (at < count && printed[at + 1] != $0) at++
           if (at++ >= count) { print "not printed here: " $0; exit 1 } }' \
        "$work/output" "$block" >"$work/said" || wrong "what is printed is something else:" "$work/said"
}

try_program()
{
    case $name in
    *.c)
        programs=$((programs + 1))
        # shellcheck disable=SC2086 # $strict is several words
        ${CC:-cc} $strict -fsyntax-only -x c -I "$root/src" -I "$root/include" "$block" >"$work/said" 2>&1 ||
            wrong "does not compile:" "$work/said"
        return 0
        ;;
    esac
    grep -q 'int main' "$block" || return 0
    programs=$((programs + 1))
    # shellcheck disable=SC2086
    ${CC:-cc} $strict -x c -I "$root/include" "$block" -x none -o "$work/program" -L "$build" -ltrammel \
        -Wl,-rpath,"$build" -lm >"$work/said" 2>&1 || {
        wrong "does not compile:" "$work/said"
        return 0
    }
    (cd "$work/place" && "$work/program") >"$work/output" 2>&1 </dev/null || wrong "the program fails:" "$work/output"
}

try_blocks()
{
    before=-
    while read -r number line language name; do
        block=$work/blocks/$number
        case $language in
        json | jsonc) try_model ;;
        sh) try_commands ;;
        text) try_output ;;
        c) try_program ;;
        unclosed) wrong "the last block is never closed" ;;
        esac
        before=$language
    done <"$work/index"
}

try_figures()
{
    grep -q -x -e '<!-- figures as in the blocks -->' "$root/$document" || return 0
    cat "$work/blocks"/* >"$work/blocks-of-it"
    awk '
    # next_number(): the next number of rest: sets token, and rest to what follows it
    function next_number()
    {
        if (!match(rest, /[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/)) return 0
        token = substr(rest, RSTART, RLENGTH)
        before = RSTART > 1 ? substr(rest, RSTART - 1, 1) : " "
        rest = substr(rest, RSTART + RLENGTH)
        return 1
    }
    # half of the unit of the last digit
    function half_digit(number,    parts, digits)
    {
        split(number, parts, "e")
        digits = match(parts[1], /\./) ? length(parts[1]) - RSTART : 0
        return 0.5 * 10 ^ ((parts[2] == "" ? 0 : parts[2]) - digits)
    }
    FNR == 1 { file++ }
    file == 1 { rest = $0; while (next_number()) known[token] = token + 0; next }
    /^```/ { code = !code; next }
    code || /^    / { next }
    {
        rest = $0
        gsub(/`[^`]*`/, "", rest)
        gsub(/\([^ )]*\)/, "", rest)
        while (next_number()) {
            if (before ~ /[A-Za-z_.]/ || (token !~ /[.e]/ && rest !~ /^ (N|N m|rad|degrees|Hz|J|s|m|kg)([^A-Za-z0-9]|$)/)) continue
            found = 0
            for (k in known) if ((d = known[k] - token) <= 1.000001 * half_digit(token) && -d <= 1.000001 * half_digit(token)) { found = 1; break }
            if (!found) { printf "The figure %s is in no block: line %d\n", token, FNR; bad = 1 }
            count++
        }
    }
    END { print count + 0 " figures"; exit bad }' "$work/blocks-of-it" "$root/$document" >"$work/said" || { line=1; wrong "the prose has figures that no block shows:" "$work/said"; }
    figures=$((figures + $(sed -n 's/ figures$//p' "$work/said")))
}

# has_heading FILE ANCHOR: whether the file has a heading with the anchor that GitHub makes of it
has_heading()
{
    awk -v anchor="$2" '
    /^```/ { code = !code }
    /^#+ / && !code {
        sub(/^#+ */, "")
        text = tolower($0)
        gsub(/[^a-z0-9 _-]/, "", text)
        gsub(/ /, "-", text)
        if (text == anchor) found = 1
    }
    END { exit !found }' "$1"
}

try_links()
{
    while read -r line target; do
        case $target in
        http://* | https://* | mailto:* | out/* | ../out/* | ../../out/*) continue ;;
        esac
        links=$((links + 1))
        file=$root/$(dirname "$document")/${target%%#*}
        case $target in '#'*) file=$root/$document ;; esac
        [ -e "$file" ] || {
            wrong "the link leads nowhere: $target"
            continue
        }
        case $target in
        *'#'*) has_heading "$file" "${target#*#}" || wrong "the file has no such heading: $target" ;;
        esac
    done <"$work/links"
}

make_place
list_documents >"$work/documents"
[ -s "$work/documents" ] || { echo "docs: no *.md here"; exit 2; }
while IFS= read -r document; do
    split "$document"
    try_blocks
    try_figures
    try_links
done <"$work/documents"

echo "docs: $(grep -c . "$work/documents") files, $models models, $commands commands, $outputs outputs," \
    "$programs programs, $figures figures, $links links; $mistakes wrong"
[ "$mistakes" -eq 0 ]
