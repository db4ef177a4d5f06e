#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# docs/site/headers.py finds what comments of public headers leave out. Usage: symbols_selftest.sh ROOT
set -eu
root=$(cd "${1:?usage: symbols_selftest.sh ROOT}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# finds WORDS: in a header that has one mistake
finds()
{
    mkdir -p "$work/include/trammel"
    cat >"$work/include/trammel/a.h"
    if python3 "$root/docs/site/headers.py" contracts "$work" >"$work/log" || ! grep -q -F -- "$1" "$work/log"; then
        cat "$work/log"
        echo "FAILED: not found: $1"
        exit 1
    fi
}

finds "trm_go: no comment" <<'H'
/* A header. */
TRM_API void trm_go(void);
H
finds "trm_twice: no comment" <<'H'
/* A header. */
static inline double trm_twice(double x)
{
    return 2 * x;
}
H
finds "trm_thing: no comment" <<'H'
/* A header. */
typedef struct trm_thing {
    double x; /* m */
} trm_thing;
H
finds "trm_add: the comment does not say when it fails" <<'H'
/* A header. */
/* Adds a thing. */
TRM_API trm_status trm_add(void);
H
finds "trm_run: the comment does not say when its outcome is not ok" <<'H'
/* A header. */
/* Runs. */
TRM_API trm_outcome trm_run(void);
H
finds "trm_is: the comment does not say what true and false mean" <<'H'
/* A header. */
/* Is it? */
TRM_API bool trm_is(void);
H
finds "trm_thing_create: the comment does not say that NULL means out of memory" <<'H'
/* A header. */
/* Creates a thing. */
TRM_API trm_thing *trm_thing_create(void);
H
finds "trm_thing: the comment does not say which threads may use it" <<'H'
/* A header. */
/* A thing. */
typedef struct trm_thing trm_thing;
H
finds 'no declaration follows the comment "Returns the first."' <<'H'
/* A header. */
/* Returns the first. */
/* Returns the second. */
TRM_API int trm_second(void);
H
finds 'no declaration follows the comment "Returns the first."' <<'H'
/* A header. */
/* Returns the first. */

TRM_API int trm_first(void); /* returns it */
H
echo "ok: 10 mistakes found"
