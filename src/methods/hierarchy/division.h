/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Divides a machine recursively into subsystems: a binary tree (Kasper, Vlasenko, step 2).
 *
 * Elements have mass: bodies, or slices of one. Blocks are sets of rows that connect elements: joints, and the
 * glue between slices. A leaf of the tree is a small subsystem of a few elements; a node holds all elements of its
 * two children. The home of a block is the lowest node that holds all of its elements: there the block is closed.
 * At the nodes below it is open, and so part of their interface. */

#ifndef TRM_METHODS_HIERARCHY_DIVISION_H
#define TRM_METHODS_HIERARCHY_DIVISION_H

#include "base/arena.h"

/* The graph to divide. The blocks of element e are block[first[e]] .. block[first[e + 1] - 1]. */
typedef struct trm_division_graph {
    int elements, blocks;
    const int *first, *block;
    const int *rows;  /* per block */
    const int *group; /* per element: groups stay together if possible; negative: no group; NULL: no groups */
} trm_division_graph;

typedef enum trm_division_shape {
    TRM_DIVIDE_BY_DISSECTION, /* into two equal parts with few rows between them */
    TRM_DIVIDE_BY_HALVES,     /* into the first and the second half in the order of their numbers */
    TRM_DIVIDE_BY_LADDER,     /* leaves are added one after the other */
} trm_division_shape;

extern const char *const trm_division_names[]; /* NULL-terminated */

typedef struct trm_division_node {
    int parent;      /* -1: the root */
    int child[2];    /* -1: this is a leaf */
    int first, last; /* its elements are order[first] .. order[last - 1] */
} trm_division_node;

typedef struct trm_division {
    trm_division_node *nodes; /* children before parents; the root is the last */
    int node_count;
    int *order; /* of the elements */
    int *home;  /* per block: the node that closes it; -1: the block has no element */
    int levels;
} trm_division;

/* Makes the tree in the arena. Leaves have at most `leaf` elements. Returns false when out of memory. */
bool trm_division_make(const trm_division_graph *graph, trm_division_shape shape, int leaf, trm_arena *arena,
                       trm_division *tree);

#endif
