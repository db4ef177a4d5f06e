/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "base/names.h"

#include <string.h>

#include "base/hash.h"

bool trm_names_init(trm_names *names, trm_arena *arena, int capacity)
{
    names->slot_count = 8;
    while (names->slot_count < 2 * capacity) names->slot_count *= 2;
    names->slot_name = TRM_NEW_ARRAY(arena, const char *, names->slot_count);
    names->slot_value = TRM_NEW_ARRAY(arena, int, names->slot_count);
    return names->slot_name && names->slot_value;
}

/* Returns the slot of the name, or the free slot where it belongs. */
static int slot_of(const trm_names *names, const char *name)
{
    const uint64_t mask = (uint64_t)names->slot_count - 1;
    uint64_t slot = trm_hash_text(TRM_HASH_START, name) & mask;
    while (names->slot_name[slot] && strcmp(names->slot_name[slot], name) != 0) slot = (slot + 1) & mask;
    return (int)slot;
}

int trm_names_add(trm_names *names, const char *name, int value)
{
    const int slot = slot_of(names, name);
    if (!names->slot_name[slot]) {
        names->slot_name[slot] = name;
        names->slot_value[slot] = value;
    }
    return names->slot_value[slot];
}

bool trm_names_append(trm_names *names, trm_arena *arena, int *count, const char *name)
{
    if (2 * (*count + 1) > names->slot_count) {
        const trm_names before = *names;
        if (!trm_names_init(names, arena, 2 * *count + 4)) return false;
        for (int i = 0; i < before.slot_count; i++)
            if (before.slot_name[i]) trm_names_add(names, before.slot_name[i], before.slot_value[i]);
    }
    trm_names_add(names, name, *count);
    (*count)++;
    return true;
}

int trm_names_find(const trm_names *names, const char *name)
{
    const int slot = slot_of(names, name);
    return names->slot_name[slot] ? names->slot_value[slot] : -1;
}

bool trm_has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    if (length == 0 || strchr(word, ' ')) return false;
    for (const char *at = strstr(words, word); at; at = strstr(at + 1, word))
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}
