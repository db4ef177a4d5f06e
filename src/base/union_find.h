/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Union-find: sets of numbers as trees, parent[i] = i at the root of each. Searches halve the paths (Tarjan, van
 * Leeuwen 1984). */

#ifndef TRM_BASE_UNION_FIND_H
#define TRM_BASE_UNION_FIND_H

/* Makes a set of each number. */
static inline void trm_sets_clear(int *parent, int count)
{
    for (int i = 0; i < count; i++) parent[i] = i;
}

/* Returns the representative of the set of i. */
static inline int trm_set_of(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

#endif
