/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Which rank works on what: made from the whole graph of each island, in the same way by every rank, before rows are.
 *
 * A node of an island's tree gets a range of ranks, all of them at the root. The first of them works on the node; the
 * range is divided between its children as their elements are. Below a node with one rank all is this rank's.
 *
 * An island with so few rows that it is solved with its exact matrix (maximal/direct.h), one with a body that is cut into
 * slices, and one to which something may happen, is `common`: its reduction is divided like any other, but all ranks know its bodies and joints. */

#ifndef TRM_METHODS_HIERARCHY_PLAN_H
#define TRM_METHODS_HIERARCHY_PLAN_H

#include "methods/hierarchy/hierarchy.h"
#include "methods/ranks/rank_map.h"

typedef struct trm_plan_island {
    trm_direct_island graph; /* joints and blocks of the whole island, without rows */
    trm_direct_elements elements;
    trm_division tree;
    int *owner;     /* per node: the rank that works on it */
    int *list_from; /* per node: its blocks are list[list_from[n]] .. list[list_from[n + 1] - 1], */
    int *list_open; /* those that are open from here on, */
    int *list;
    bool common;
} trm_plan_island;

typedef struct trm_plan {
    trm_arena arena; /* of all this, until the rows are made */
    trm_plan_island *islands;
} trm_plan;

/* Plans the islands of w, whose joints are listed but have no rows yet: w->plan, and where there are several ranks
 * w->rank_map. False: out of memory. */
bool trm_plan_make(trm_maximal *w);

/* Only who works on what, of so many ranks. */
bool trm_plan_divide(trm_maximal *w, int ranks);
void trm_plan_destroy(trm_maximal *w);

/* The subsystems of an island that are this rank's (trm_direct_matrix.make). */
bool trm_hierarchy_make(trm_maximal *w, int index, const trm_direct_elements *elements, trm_arena *scratch,
                        trm_direct_island *island);

#endif
