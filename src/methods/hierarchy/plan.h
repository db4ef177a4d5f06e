/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Divides the work among ranks. Every rank makes the same plan from the whole graph of each island, before rows
 * exist.
 *
 * A node of an island's tree gets a range of ranks, the root all of them. The first rank of the range works on the
 * node. The range is divided between its children in proportion to their elements. Below a node with one rank
 * everything belongs to this rank.
 *
 * An island is `common` if it has so few rows that it is solved with its exact matrix (maximal/direct.h), if one
 * of its bodies is cut into slices, or if events or sensors need it on all ranks. Its reduction is divided like
 * any other, but its bodies and joints are replicated. */

#ifndef TRM_METHODS_HIERARCHY_PLAN_H
#define TRM_METHODS_HIERARCHY_PLAN_H

#include "methods/hierarchy/hierarchy.h"
#include "methods/ranks/rank_map.h"

typedef struct trm_plan_island {
    trm_direct_island graph; /* joints and blocks of the whole island, without rows */
    trm_direct_elements elements;
    trm_division tree;
    int *owner;     /* per node: the rank that works on it */
    int *list_from; /* per node: its blocks are list[list_from[n]] .. list[list_from[n + 1] - 1] */
    int *list_open; /* per node: the open blocks begin at list[list_open[n]] */
    int *list;
    bool common;
} trm_plan_island;

typedef struct trm_plan {
    trm_arena arena; /* memory of the plan, freed when the rows have been made */
    trm_plan_island *islands;
} trm_plan;

/* Plans the islands of w, whose joints are listed but have no rows yet: sets w->plan and, with several ranks,
 * w->rank_map. Returns false when out of memory. */
bool trm_plan_make(trm_maximal *w);

/* Makes only the division among `ranks` ranks. Returns false when out of memory. */
bool trm_plan_divide(trm_maximal *w, int ranks);
void trm_plan_destroy(trm_maximal *w);

/* Makes the subsystems of an island on this rank (trm_direct_matrix.make). Returns false when out of memory. */
bool trm_hierarchy_make(trm_maximal *w, int index, const trm_direct_elements *elements, trm_arena *scratch,
                        trm_direct_island *island);

#endif
