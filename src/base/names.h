/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A hash table from names to numbers: open addressing, with a fixed capacity; and short lists of words. */

#ifndef TRM_BASE_NAMES_H
#define TRM_BASE_NAMES_H

#include "base/arena.h"

typedef struct trm_names {
    int slot_count; /* a power of two, at least twice the capacity */
    const char **slot_name;
    int *slot_value;
} trm_names;

/* Allocates room for `capacity` names. Fails only when out of memory. */
bool trm_names_init(trm_names *names, trm_arena *arena, int capacity);

/* Adds name -> value unless the name exists. Returns the value that the name has now. The name is borrowed. */
int trm_names_add(trm_names *names, const char *name, int value);

/* Adds a name to a table that grows: *count is the number of its names, 0 in a table of zero bytes. Returns false if out
 * of memory. */
bool trm_names_append(trm_names *names, trm_arena *arena, int *count, const char *name);

/* Returns the value of a name, or -1 if it does not exist. */
int trm_names_find(const trm_names *names, const char *name);

/* Returns whether a word is one of a text, in which they are separated by single blanks. */
bool trm_has_word(const char *words, const char *word);

#endif
