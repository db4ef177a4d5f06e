#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Formatting, static analysis and the words of our texts (words.txt), on all cores; changes nothing but what cppcheck keeps about files it has seen, fails on
# any finding.
set -eu
cd "$(dirname "$0")/.."

files=$(git ls-files --cached --others --exclude-standard '*.c' '*.h')
[ -n "$files" ] || { echo "lint: no files found"; exit 1; }
cores=$(nproc)
echo "$files" | xargs -n 40 -P "$cores" clang-format --dry-run --Werror

# What cppcheck has found in files that did not change is kept where the compiler cache is, so that new clones find it; one run at a time writes there.
seen=${XDG_CACHE_HOME:-${HOME:-build}/.cache}/trammel/cppcheck
mkdir -p "$seen" 2>/dev/null || { seen=build/lint && mkdir -p "$seen"; }
# base.h alone asks for the compiler: without it every file would be read twice
flock "$seen/lock" cppcheck -j "$cores" --force -D__GNUC__=12 --cppcheck-build-dir="$seen" --quiet --std=c11 --enable=warning,performance,portability \
    --inline-suppr --error-exitcode=1 --suppress=missingIncludeSystem -I include -I src -I . src cli paper viewer/server
cmake/words.sh
echo "lint: clean"
