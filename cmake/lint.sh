#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Formatting, static analysis and the words of our texts (words.txt), on all cores; changes nothing but what cppcheck keeps in build/lint about files it
# has seen, fails on any finding.
set -eu
cd "$(dirname "$0")/.."

files=$(git ls-files --cached --others --exclude-standard '*.c' '*.h')
[ -n "$files" ] || { echo "lint: no files found"; exit 1; }
cores=$(nproc)
echo "$files" | xargs -n 40 -P "$cores" clang-format --dry-run --Werror

mkdir -p build/lint
# base.h alone asks for the compiler: without it every file would be read twice
cppcheck -j "$cores" --force -D__GNUC__=12 --cppcheck-build-dir=build/lint --quiet --std=c11 --enable=warning,performance,portability \
    --inline-suppr --error-exitcode=1 --suppress=missingIncludeSystem -I include -I src -I . src cli paper viewer/server
cmake/words.sh
echo "lint: clean"
