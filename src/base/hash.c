/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "base/hash.h"

#include <string.h>

uint64_t trm_hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The high half of a product depends on all bits of a number, the low half on its low bits only. Both halves are
 * mixed. */
uint64_t trm_hash_numbers(uint64_t hash, const void *numbers, size_t bytes)
{
    const unsigned char *at = numbers;
    for (size_t i = 0; i + sizeof hash <= bytes; i += sizeof hash) {
        uint64_t word;
        memcpy(&word, at + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

uint64_t trm_hash_text(uint64_t hash, const char *text)
{
    return trm_hash_bytes(hash, text, strlen(text) + 1);
}
