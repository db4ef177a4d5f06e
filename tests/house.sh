#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# How large the parts of src are, and that names are unique:
#   - a function has at most 40 lines, from its opening to its closing brace
#   - a struct has at most 30 fields; exempt are definitions in include/trammel and the elements built from them: their
#     fields are the keys of the model file
#   - a type that headers show, or whose name begins with trm_, is defined once
#   - a file has at most 800 lines
# Code is read as clang-format writes it: what is defined at file level begins and ends at the first column.
# Usage: house.sh ROOT. Exit status 0: all keep to it; 1: some do not, each printed; 2: nothing to read.
set -eu

cd "${1:?usage: house.sh ROOT}"
[ -d src ] || { echo "house: no source files here"; exit 2; }
folders=src
[ ! -d include/trammel ] || folders="include/trammel src"
# shellcheck disable=SC2086 # the folders are words
find $folders -type f \( -name '*.c' -o -name '*.h' \) -print | LC_ALL=C sort | awk '
BEGIN {
    split("src/model/joint.h:trm_joint src/model/force.h:trm_force src/model/model.h:trm_body", list, " ")
    for (i in list) element[list[i]] = 1
}

function wrong(line, text)
{
    printf "%s:%d: %s\n", file, line, text
    mistakes++
}

# Removes comments and texts in quotes from a line; in_comment lasts from line to line.
function code_of(line,    out, at)
{
    out = ""
    gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
    while (line != "") {
        if (in_comment) {
            at = index(line, "*/")
            if (!at) return out
            line = substr(line, at + 2)
            in_comment = 0
        } else {
            at = index(line, "/*")
            if (!at) return out line
            out = out substr(line, 1, at - 1)
            line = substr(line, at + 2)
            in_comment = 1
        }
    }
    return out
}

# The number of members declared in a body without its braces: those of structs inside count as one.
function members(body,    i, c, depth, n)
{
    for (i = 1; i <= length(body); i++) {
        c = substr(body, i, 1)
        if (c ~ /[{(\[]/) depth++
        else if (c ~ /[})\]]/) depth--
        else if (depth == 0 && c ~ /[,;]/) n++
    }
    return n + 0
}

function define(name, line)
{
    if (name == "" || (file ~ /\.c$/ && name !~ /^trm_/)) return
    types++
    if (name in defined) wrong(line, "type " name " is defined in " defined[name] " too")
    else defined[name] = file ":" line
}

function end_type(line,    n)
{
    if (kind == "struct") {
        n = members(body)
        if (n > largest) largest = n
        if (n > 30 && file !~ /^include/ && !((file ":" tag) in element))
            wrong(type_line, "struct " tag " has " n " fields, more than 30: group those that belong together")
    }
    define(tag, type_line)
    in_type = 0
}

function begin_type(line,    words)
{
    split(line, words, " ")
    in_type = 1
    type_line = number
    body = ""
    kind = words[1] == "typedef" ? words[2] : words[1]
    tag = words[1] == "typedef" ? words[3] : words[2]
    if (tag == "{") tag = ""
}

{
    file = $0
    files++
    number = in_comment = in_type = in_function = 0
    while ((getline line < file) > 0) {
        number++
        line = code_of(line)
        if (in_type && line ~ /^}/) {
            if (tag == "") { tag = line; gsub(/[};]| /, "", tag) }
            end_type(line)
        } else if (in_type) body = body line
        else if (line ~ /^(typedef )?(struct|union|enum)( [a-z_0-9A-Z]+)? {$/) begin_type(line)
        else if (line ~ /^{/) in_function = number
        else if (line ~ /^}/ && in_function) {
            functions++
            if (number - in_function + 1 > 40) wrong(in_function, "a function of " number - in_function + 1 " lines, more than 40")
            in_function = 0
        }
    }
    close(file)
    if (number > 800) wrong(number, "a file of " number " lines, more than 800")
    lines += number
}

END {
    printf "house: %d files, %d lines, %d functions, %d types, %d wrong\n", files, lines, functions, types, mistakes
    exit !files ? 2 : mistakes > 0
}'
