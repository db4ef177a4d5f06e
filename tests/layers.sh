#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# A folder is a layer and may include only itself and the layers before it:
#   include/trammel base math linalg model motion collide methods sim io analysis | cli fmi paper viewer examples
# Further rules:
#   - in src an include reads "layer/file.h" or "trammel/file.h"; in include/trammel only "trammel/file.h"
#   - cli, paper, viewer and examples see "trammel/file.h" and the files of their own folder; paper and viewer, whose programs are the one of
#     cli with the tables and with a server in it, see "cli/file.h" too; fmi, which shares options and the list of variables with cli, too, and cli "fmi/file.h"
#   - a method methods/X does not see a method methods/Y; what they share lies directly in methods/, whose
#     headers see no method either (its .c files do: the list of methods), and in the folders methods/ranks, spanning, maximal,
#     hierarchy and contact, each of which sees only itself and those named before it
#   - mpi.h is seen by src/methods/ranks/exchange_mpi.c alone
#   - no header includes itself by way of others
# Usage: layers.sh ROOT. Exit status 0: all keep to it; 1: some do not, each printed; 2: nothing to read.
set -eu

cd "${1:?usage: layers.sh ROOT}"

list_files()
{
    for folder in include/trammel src cli fmi paper viewer; do
        [ ! -d "$folder" ] || find "$folder" -name node_modules -prune -o -type f \
            \( -name '*.c' -o -name '*.h' -o -name '*.inc' -o -name '*.def' \) -print
    done
    [ ! -d examples ] || find examples -name '*.c' ! -path 'examples/*/*' -print
}

list_files | LC_ALL=C sort | awk '
BEGIN {
    count = split("include/trammel src/base src/math src/linalg src/model src/motion src/collide src/methods " \
                  "src/sim src/io src/analysis cli fmi paper viewer examples", layers, " ")
    for (i = 1; i <= count; i++) rank[layers[i]] = i
    shared_count = split("ranks spanning maximal hierarchy contact", shared, " ")
    for (i = 1; i <= shared_count; i++) shared_rank[shared[i]] = i
    may_see_mpi = "src/methods/ranks/exchange_mpi.c"
}

function wrong(text)
{
    printf "%s:%d: %s\n", file, line_number, text
    mistakes++
}

# "src/model/joints/hinge.c" -> "src/model"; "" for a file in no layer
function layer_of(path,    part, n, layer)
{
    n = split(path, part, "/")
    layer = part[1] == "src" || part[1] == "include" ? (n > 2 ? part[1] "/" part[2] : "") : part[1]
    return layer in rank ? layer : ""
}

# "src/methods/lcp/pivot.c" -> "lcp"; "" for a file directly in methods
function method_of(path,    part)
{
    return split(path, part, "/") > 3 ? part[3] : ""
}

function folder_of(path)
{
    sub(/\/[^\/]*$/, "", path)
    return path
}

function exists(path,    line, found)
{
    found = (getline line < path) >= 0
    close(path)
    return found
}

# Where the compiler finds name when it is one of our own headers: "trammel/x.h", "layer/x.h"; else "".
function own_header(name)
{
    if (name ~ /^trammel\//) return "include/" name
    return layer_of("src/" name) ? "src/" name : ""
}

function check_methods(target,    from, to)
{
    from = method_of(file)
    to = method_of(target)
    if (to == "" || from == to || (from == "" && file ~ /\.c$/)) return
    if (to in shared_rank && !(from in shared_rank && shared_rank[to] > shared_rank[from])) return
    if (from in shared_rank && to in shared_rank) {
        wrong("upward include: src/methods/" from " sees src/methods/" to ", which comes after it: \"" name "\"")
        return
    }
    if (from == "") wrong("sideways include: a header of layer src/methods sees the method " to ": \"" name "\"")
    else wrong("sideways include: the method src/methods/" from " sees the method src/methods/" to ": \"" name "\"")
}

function check_src(    target, to)
{
    target = own_header(name)
    if (target == "") {
        wrong("layer " layer ": \"" name "\" is neither \"trammel/file.h\" nor \"layer/file.h\"")
        return
    }
    to = layer_of(target)
    if (rank[to] > rank[layer]) wrong("upward include: layer " layer " sees layer " to ": \"" name "\"")
    else if (layer == "src/methods" && to == layer) check_methods(target)
}

function check_program(    target)
{
    if (name ~ /^trammel\// || index(name, layer "/") == 1 || ((layer == "viewer" || layer == "paper" || layer == "fmi") && name ~ /^cli\//) ||
        (layer == "cli" && name ~ /^fmi\//)) return
    if (exists(folder_of(file) "/" name) || exists(layer "/" name)) return
    target = own_header(name)
    if (target != "") wrong("layer " layer " sees layer " layer_of(target) ", not public headers only: \"" name "\"")
    else wrong("layer " layer ": \"" name "\" is neither \"trammel/file.h\" nor a file of " layer "/")
}

function check_quoted()
{
    if (name ~ /^\// || name ~ /(^|\/)\.\.?(\/|$)/)
        wrong("layer " layer ": a path with . or .. or from the root: \"" name "\"")
    else if (layer == "") wrong("this folder is no layer; known: src/base to src/analysis")
    else if (layer == "include/trammel" && name !~ /^trammel\//)
        wrong("layer include/trammel sees layer " (own_header(name) ? layer_of(own_header(name)) : "unknown") \
              ", not \"trammel/file.h\": \"" name "\"")
    else if (layer ~ /^src\//) check_src()
    else if (layer != "include/trammel") check_program()
}

# Remembers that file includes one of our own headers, for the search for cycles.
function remember(target)
{
    if (target != "") sees[file] = sees[file] " " target
}

# Reports the first way from a header back to itself: `way` are the files from the start of the search to this one.
function find_cycle(from, way,    target, n, i)
{
    state[from] = "open"
    n = split(sees[from], target, " ")
    for (i = 1; i <= n; i++) {
        if (!(target[i] in state)) find_cycle(target[i], way " " target[i])
        else if (state[target[i]] == "open") {
            file = from
            line_number = 1
            wrong("include cycle:" substr(way " " target[i], index(way " ", " " target[i] " ")))
        }
    }
    state[from] = "done"
}

function check_include(rest)
{
    includes++
    name = rest
    sub(/^[<"]/, "", name)
    sub(/[>"].*$/, "", name)
    if (name ~ /(^|\/)mpi\.h$/ && name != "trammel/mpi.h") {
        if (file != may_see_mpi) wrong("mpi.h is for " may_see_mpi " alone")
    } else if (rest ~ /^"[^"]+"/) {
        check_quoted()
        remember(own_header(name))
    }
    else if (rest !~ /^<[^>]+>/) wrong("layer " layer ": neither \"...\" nor <...>: #include " rest)
    else if (own_header(name) != "") wrong("layer " layer ": our own headers are written in quotes: <" name ">")
}

{
    file = $0
    layer = layer_of(file)
    files++
    line_number = 0
    while ((getline line < file) > 0) {
        line_number++
        if (line ~ /^[ \t]*#[ \t]*include/) {
            sub(/^[ \t]*#[ \t]*include(_next)?[ \t]*/, "", line)
            check_include(line)
        }
    }
    close(file)
}

END {
    if (!files) {
        print "layers: no source files here"
        exit 2
    }
    for (start in sees)
        if (!(start in state)) find_cycle(start, " " start)
    printf "layers: %d files, %d includes, %d wrong\n", files, includes, mistakes
    exit (mistakes > 0)
}'
