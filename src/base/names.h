/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A table from names to numbers: open addressing, sized once for the most names it will hold. */

#ifndef TRM_BASE_NAMES_H
#define TRM_BASE_NAMES_H

#include "base/arena.h"

typedef struct trm_names {
    int slot_count; /* a power of two, at least twice the names */
    const char **slot_name;
    int *slot_value;
} trm_names;

/* Room for so many names; false: out of memory. */
bool trm_names_init(trm_names *names, trm_arena *arena, int capacity);

/* Adds name -> value unless the name is there; returns the value that the name has now. The name is borrowed. */
int trm_names_add(trm_names *names, const char *name, int value);

/* -1: not there. */
int trm_names_find(const trm_names *names, const char *name);

#endif
