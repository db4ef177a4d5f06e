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

uint64_t trm_hash_text(uint64_t hash, const char *text)
{
    return trm_hash_bytes(hash, text, strlen(text) + 1);
}
