/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* FNV-1a, 64 bits: fingerprints of states and models, and the name table. Not against an adversary. */

#ifndef TRM_BASE_HASH_H
#define TRM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define TRM_HASH_START UINT64_C(0xcbf29ce484222325)

/* Goes on from hash; begin with TRM_HASH_START. */
uint64_t trm_hash_bytes(uint64_t hash, const void *bytes, size_t count);
uint64_t trm_hash_text(uint64_t hash, const char *text); /* with its terminator: "ab","c" differs from "a","bc" */

#endif
