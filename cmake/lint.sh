#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Formatting and static analysis; changes nothing, fails on any finding.
set -eu
cd "$(dirname "$0")/.."

files=$(git ls-files --cached --others --exclude-standard '*.c' '*.h')
[ -n "$files" ] || { echo "lint: no files found"; exit 1; }
echo "$files" | xargs clang-format --dry-run --Werror

cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
    --suppress=missingIncludeSystem -I include -I src src cli
echo "lint: clean"
