/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A machine divided into subsystems, and these again: a binary tree (Kasper, Vlasenko, step 2).
 *
 * Elements are what has mass: bodies, or slices of one. Blocks are sets of rows that tie elements together: joints, and
 * the glue between slices. A leaf of the tree is a small subsystem of a few elements; a node holds all elements of its two
 * children. A block is closed at home: in the lowest node that holds all of its elements. At the nodes below it is open,
 * and so part of their interface. */

#ifndef TRM_METHODS_HIERARCHY_DIVISION_H
#define TRM_METHODS_HIERARCHY_DIVISION_H

#include "base/arena.h"

/* What is to be divided. The blocks of element e are block[first[e]] .. block[first[e + 1] - 1]. */
typedef struct trm_division_graph {
    int elements, blocks;
    const int *first, *block;
    const int *rows;  /* per block */
    const int *group; /* per element: of those that shall stay together; NULL: none shall */
} trm_division_graph;

typedef enum trm_division_shape {
    TRM_DIVIDE_BY_DISSECTION, /* by few rows into two equal parts */
    TRM_DIVIDE_BY_HALVES,     /* into the first and the second half, as they are numbered */
    TRM_DIVIDE_BY_LADDER,     /* one leaf after the other joins what came before */
} trm_division_shape;

extern const char *const trm_division_names[]; /* NULL behind the last */

typedef struct trm_division_node {
    int parent;      /* -1: the root */
    int child[2];    /* -1: it is a leaf */
    int first, last; /* its elements are order[first] .. order[last - 1] */
} trm_division_node;

typedef struct trm_division {
    trm_division_node *nodes; /* children before parents; the root is the last */
    int node_count;
    int *order; /* of the elements */
    int *home;  /* per block: the node that closes it; -1: it has no element */
    int levels;
} trm_division;

/* Leaves have at most so many elements. Lives in the arena; false: out of memory. */
bool trm_division_make(const trm_division_graph *graph, trm_division_shape shape, int leaf, trm_arena *arena,
                       trm_division *tree);

#endif
