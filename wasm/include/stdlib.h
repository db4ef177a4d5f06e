/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The C library's, and realpath, which it lacks: files in memory have no links, so a path is its own. */

#ifndef TRM_WASM_STDLIB_H
#define TRM_WASM_STDLIB_H

#include_next <stdlib.h>

static inline char *trm_wasm_realpath(const char *path, char *resolved)
{
    return __builtin_strcpy(resolved, __builtin_strlen(path) < 4096 ? path : "");
}
#define realpath trm_wasm_realpath

#endif
