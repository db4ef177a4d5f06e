#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# public_functions.sh FOLDER: prints a C header that counts calls of every public function declared in the headers of a folder.
# FOLDER/mpi.h is left out: it belongs to another library. So is FOLDER/elementary.h, whose functions are of numbers alone.
set -eu
headers=$(ls "$1"/*.h | grep -v -e '/mpi\.h$' -e '/elementary\.h$')
exported=$(cat $headers | sed -n 's/^TRM_API .*[ *]\(trm_[a-z0-9_]*\)(.*/\1/p' | sort -u)
# Inline functions that call an exported one, and the exported one: programs call the former.
wrapped=$(cat $headers | awk -v list="$exported" '
    BEGIN { split(list, names, "\n"); for (i in names) is[names[i]] = 1 }
    /^static inline/ { match($0, /trm_[a-z0-9_]*\(/); name = substr($0, RSTART, RLENGTH - 1) }
    /^}/ { name = "" }
    name && /^    / {
        while (match($0, /trm_[a-z0-9_]+\(/)) {
            called = substr($0, RSTART, RLENGTH - 1)
            $0 = substr($0, RSTART + RLENGTH)
            if (is[called]) print name, called
        }
    }')
names=$( (echo "$wrapped" | cut -d' ' -f1; echo "$exported" | grep -vxF "$(echo "$wrapped" | cut -d' ' -f2)") | sort -u)
echo "/* Made by public_functions.sh. */"
echo "static const char *const public_functions[] = {"
for name in $names; do echo "    \"$name\","; done
echo "};"
echo "enum { PUBLIC_FUNCTIONS = sizeof public_functions / sizeof *public_functions };"
echo "static long calls_of[PUBLIC_FUNCTIONS];"
number=0
for name in $names; do
    echo "#define $name(...) (calls_of[$number]++, ($name)(__VA_ARGS__))"
    number=$((number + 1))
done
