/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A binary tree of axis-aligned boxes: who overlaps this one?
 *
 * Every inner node bounds its two children. A leaf goes where it adds least surface to the nodes above it, and on
 * the way up from a change a child is swapped with a grandchild wherever that shrinks a node (Goldsmith and Salmon
 * 1987; the rotations as in Kopta et al. 2012, "Fast, effective BVH updates for animated scenes"). Such a tree stays
 * shallow however bodies move. */

#ifndef TRM_COLLIDE_TREE_H
#define TRM_COLLIDE_TREE_H

#include "base/arena.h"
#include "collide/bounds.h"

typedef struct trm_tree_node {
    trm_bounds box;
    int parent;   /* -1: the root */
    int child[2]; /* leaves have -1 twice */
    int item;     /* of a leaf */
} trm_tree_node;

typedef struct trm_tree {
    trm_tree_node *nodes; /* 2 * room - 1 of them */
    int *stack;           /* of a question: nodes that wait */
    int room;             /* leaves that it can hold */
    int root;             /* -1: empty */
    int unused;           /* nodes not in use, a chain by parent; -1: none */
} trm_tree;

/* An empty tree for so many leaves. False: out of memory. Nothing is allocated afterwards. */
bool trm_tree_init(trm_tree *tree, trm_arena *arena, int leaves);

int trm_tree_insert(trm_tree *tree, trm_bounds box, int item); /* the leaf */
void trm_tree_remove(trm_tree *tree, int leaf);

/* Items whose boxes overlap the given one, to found (room for all leaves), in no order that means anything; how
 * many. */
int trm_tree_overlaps(const trm_tree *tree, const trm_bounds *box, int *found);

#endif
