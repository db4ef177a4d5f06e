/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Hierarchical reduction: a machine is reduced, subsystem by subsystem, to what others notice of it (Kasper, Vlasenko,
 * section 2; docs/subsystem.md).
 *
 * A subsystem answers to forces lambda_o in the rows that are open, with Q = J_o^T lambda_o, by accelerations along them:
 *
 *     J_o a = E lambda_o + e,        E = J_o D J_o^T,  e = J_o R          of the paper's D and R, as seen by open rows
 *
 * Leaf:  E of a few bodies is J M^-1 J^T of all rows at them, e = 0: what bodies do by themselves is in the right side.
 * Node:  rows of both children are put together; those that are closed here are eliminated (linalg/front.h),
 *
 *     [ P  B^T ] [lambda_i]   [g_i]       lambda_i = S lambda_o + V,   S = -P^+ B^T,  V = P^+ g_i     (2), (5)
 *     [ B  C   ] [lambda_o] = [g_o]       E = C - B P^+ B^T                                          (3), (6)
 *
 * Up: E, then g_o - B P^+ g_i, from the leaves to the root, which has no open rows. Down: lambda. That is the
 * factorisation of the matrix of joints A = J M^-1 J^T by a tree, so that an impulse, a velocity, an acceleration and a
 * projection are solved for in the same way; where children are on another rank, E, g and lambda are messages.
 *
 * The paper keeps all coordinates of all bodies at the interface, and its (4) loses the coupling between these. Rows are
 * fewer than coordinates (3 of 6 at a ball), and their E is whole. */

#ifndef TRM_METHODS_HIERARCHY_HIERARCHY_H
#define TRM_METHODS_HIERARCHY_HIERARCHY_H

#include "linalg/front.h"
#include "methods/hierarchy/division.h"
#include "methods/maximal/direct.h"

/* A row of P is dropped when less than this is left of it, in units of what free bodies would give. */
#define TRM_HIERARCHY_NOTHING 1e-11

/* Options of the methods that know this solver. */
#define TRM_HIERARCHY_OPTIONS                                                                                        \
    {.name = "tree",                                                                                                 \
     .words = trm_division_names,                                                                                    \
     .word = "dissection",                                                                                           \
     .quiet = true,                                                                                                  \
     .says = "of solver hierarchy: how the machine is divided into subsystems"},                                     \
    {                                                                                                                \
        .name = "leaf", .number = 2, .whole = true, .positive = true,                                                \
        .says = "of solver hierarchy: bodies of the smallest subsystems, at most"                                    \
    }

/* A child of a subsystem: one of this rank's, or another's. */
typedef struct trm_child {
    int subsystem;   /* among this rank's; -1: it is not */
    int rank;        /* then whose */
    int n;           /* its open rows, */
    int *place;      /* and where they are in the front of its parent */
    double *message; /* what came from another rank: E as below, */
    double *g;       /* n */
} trm_child;

/* One node of the tree that this rank works on. */
typedef struct trm_subsystem {
    trm_front front;   /* F is work of the hierarchy while it is reduced, then U */
    double *U;         /* r x N */
    double *message;   /* for its parent: whether it is new (0 or 1), and E, the upper triangle row by row */
    double *z;         /* r: between the way up and the way down */
    bool *barred;      /* r: rows closed here that were to be dropped, */
    double softening;  /* and how soft the rows were, when it was last reduced */
    double *v;         /* N: right sides, then forces, of its rows: those closed here, then open ones */
    int home_count;    /* blocks that are closed here, */
    int *block;        /* which; of a leaf then those that are open */
    int block_count;   /* so many together */
    int child_count;   /* 0: it is a leaf, */
    int *element;      /* of these elements, */
    int element_count; /* so many */
    trm_child child[2];
    int parent_rank; /* whom it tells, of the others; -1: nobody, its parent is here or there is none */
    bool fresh;      /* reduced anew at the present pose */
} trm_subsystem;

/* The subsystems of one island that this rank works on, children before parents. */
typedef struct trm_hierarchy {
    trm_subsystem *subsystems;
    int count;
    trm_direct_elements elements; /* of leaves of this rank, numbered as theirs */
    double *diagonal;             /* room for the largest front, */
    double *work;                 /* N x N of the largest front, */
    double *scale;                /* for the largest front, */
    int *place;                   /* likewise */
    int *row_at;                  /* per block: its first row in the leaf that is being reduced */
    double *told, *collected;     /* where all rows are to be known: those of this rank, and all by rank, */
    size_t *sizes;                /* bytes of each, */
    int *row_of;                  /* and which row each is */
    int *closed_row;              /* rows that this rank closes, */
    int closed_count;
    bool begun; /* all have been reduced once */
} trm_hierarchy;

/* Bytes of a message with E of n rows. */
static inline size_t trm_interface_size(int n)
{
    return (1 + (size_t)n * ((size_t)n + 1) / 2) * sizeof(double);
}

extern const trm_direct_matrix trm_direct_hierarchy;

#endif
