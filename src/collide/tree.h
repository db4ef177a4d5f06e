/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A dynamic binary tree of axis-aligned boxes, which finds the boxes that overlap a given one.
 *
 * Every inner node bounds its two children. A leaf is inserted where it adds the least surface to the nodes above
 * it. After a change, on the path up to the root, a child is swapped with a grandchild wherever this shrinks a node
 * (Goldsmith and Salmon 1987; the rotations as in Kopta et al. 2012, "Fast, effective BVH updates for animated
 * scenes"). Such a tree stays shallow for any motion of the bodies. */

#ifndef TRM_COLLIDE_TREE_H
#define TRM_COLLIDE_TREE_H

#include "base/arena.h"
#include "collide/bounds.h"

typedef struct trm_tree_node {
    trm_bounds box;
    int parent;   /* -1: the root */
    int child[2]; /* -1, -1: a leaf */
    int item;     /* number given with a leaf */
} trm_tree_node;

typedef struct trm_bounds_tree {
    trm_tree_node *nodes; /* 2 * room - 1 */
    int *stack;           /* workspace of a query: nodes still to be visited */
    int room;             /* largest number of leaves */
    int root;             /* -1: empty */
    int unused;           /* first of a list of unused nodes, linked by parent; -1: none */
} trm_bounds_tree;

/* Makes an empty tree for at most `leaves` leaves. Fails only when out of memory. No later call allocates memory. */
bool trm_tree_init(trm_bounds_tree *tree, trm_arena *arena, int leaves);

int trm_tree_insert(trm_bounds_tree *tree, trm_bounds box, int item); /* returns the number of the leaf */
void trm_tree_remove(trm_bounds_tree *tree, int leaf);

/* Writes the items whose boxes overlap the given box to found, which has room for all leaves, in unspecified
 * order. Returns their number. */
int trm_tree_overlaps(const trm_bounds_tree *tree, const trm_bounds *box, int *found);

#endif
