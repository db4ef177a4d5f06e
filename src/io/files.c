/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "io/files.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_PIECE = 1 << 16 };

/* Reads to the end in pieces that double: works for pipes too. */
static bool read_all(trm_arena *arena, FILE *file, char **text, size_t *length)
{
    size_t capacity = FIRST_PIECE, used = 0;
    char *buffer = trm_arena_array(arena, capacity, 1);
    while (buffer) {
        used += fread(buffer + used, 1, capacity - 1 - used, file);
        if (used < capacity - 1) break;
        char *larger = trm_arena_array(arena, 2 * capacity, 1);
        if (larger) memcpy(larger, buffer, used);
        buffer = larger;
        capacity *= 2;
    }
    *text = buffer;
    *length = used;
    return buffer && !ferror(file);
}

bool trm_read_whole_file(trm_arena *arena, const char *path, char **text, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    const bool good = read_all(arena, file, text, length);
    fclose(file);
    return good;
}
