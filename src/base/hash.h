/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* FNV-1a hash, 64 bits: fingerprints of states and models, and the table of names. It does not resist attacks. */

#ifndef TRM_BASE_HASH_H
#define TRM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define TRM_HASH_START UINT64_C(0xcbf29ce484222325)

/* Return the hash of a longer sequence, from the hash of its beginning; TRM_HASH_START is that of the empty
 * sequence. */
uint64_t trm_hash_bytes(uint64_t hash, const void *bytes, size_t count);
uint64_t trm_hash_numbers(uint64_t hash, const void *numbers, size_t bytes); /* doubles, each of them at once */
uint64_t trm_hash_text(uint64_t hash, const char *text); /* includes the terminator: "ab","c" differs from "a","bc" */

#endif
