/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Hierarchical reduction: a machine is reduced, subsystem by subsystem, to its behaviour at the interfaces
 * (Kasper, Vlasenko, section 2; docs/subsystem.md).
 *
 * A subsystem responds to forces lambda_o in its open rows, with Q = J_o^T lambda_o, by accelerations along them:
 *
 *     J_o a = E lambda_o + e,        E = J_o D J_o^T,  e = J_o R          with the paper's D and R, seen in open rows
 *
 * Leaf:  E of a few bodies is J M^-1 J^T of all rows at them, e = 0: the motion of free bodies is in the right
 * side.
 *
 * Node:  the rows of both children are assembled; those that are closed here are eliminated (linalg/front.h),
 *
 *     [ P  B^T ] [lambda_i]   [g_i]       lambda_i = S lambda_o + V,   S = -P^+ B^T,  V = P^+ g_i     (2), (5)
 *     [ B  C   ] [lambda_o] = [g_o]       E = C - B P^+ B^T                                          (3), (6)
 *
 * Upwards, from the leaves to the root, which has no open rows: E, then g_o - B P^+ g_i. Downwards: lambda. This
 * is a factorisation of the joint matrix A = J M^-1 J^T by a tree, so that impulses, velocities, accelerations and
 * projections are solved for in the same way. Where children are on another rank, E, g and lambda are messages.
 *
 * The paper keeps all coordinates of all bodies at the interface, and its (4) loses the coupling between them.
 * Rows are fewer than coordinates (3 of 6 at a ball joint), and their E is complete. */

#ifndef TRM_METHODS_HIERARCHY_HIERARCHY_H
#define TRM_METHODS_HIERARCHY_HIERARCHY_H

#include "linalg/front.h"
#include "methods/hierarchy/division.h"
#include "methods/maximal/direct.h"

/* A row of P is dropped when its pivot is below this, in units of its value for free bodies. */
#define TRM_HIERARCHY_NOTHING 1e-11

/* Options of the methods that know this solver. */
#define TRM_HIERARCHY_OPTIONS                                                                                        \
    {.name = "tree",                                                                                                 \
     .words = trm_division_names,                                                                                    \
     .word = "dissection",                                                                                           \
     .quiet = true,                                                                                                  \
     .description = "for solver hierarchy: division of the machine into subsystems"},                                \
    {                                                                                                                \
        .name = "leaf", .number = 2, .whole = true, .positive = true,                                                \
        .description = "for solver hierarchy: largest number of bodies in a leaf subsystem"                          \
    }

/* A child of a subsystem, on this rank or on another one. */
typedef struct trm_child {
    int subsystem;   /* index among the subsystems of this rank; -1: on another rank */
    int rank;        /* rank of the child */
    int n;           /* number of its open rows */
    int *place;      /* per open row: its position in the front of the parent */
    double *message; /* message of another rank: E, as in trm_subsystem */
    double *g;       /* n: message of another rank with g, or to it with lambda */
} trm_child;

/* A node of the tree that this rank works on. */
typedef struct trm_subsystem {
    /* During the reduction F is `work` of the hierarchy, afterwards U. */
    trm_front front;
    double *U; /* r x N */
    /* For its parent: whether it is new (0 or 1), then E, the upper triangle row by row. */
    double *message;
    double *z;         /* r: kept between the upward and the downward pass */
    bool *barred;      /* r: rows closed here that were barred at the last reduction */
    double softening;  /* softening at the last reduction */
    double *v;         /* N: right sides, then forces, first of rows closed here, then of open rows */
    int home_count;    /* number of blocks closed here */
    int *block;        /* the blocks closed here; in a leaf then the open ones */
    int block_count;   /* number of entries in block */
    int child_count;   /* 0: it is a leaf */
    int *element;      /* elements of a leaf */
    int element_count; /* number of elements of a leaf */
    trm_child child[2];
    int parent_rank; /* rank of its parent, if another one; -1: its parent is on this rank, or it is the root */
    bool fresh;      /* reduced again at the current pose */
} trm_subsystem;

/* The subsystems of one island that this rank works on, children before parents. */
typedef struct trm_hierarchy {
    trm_subsystem *subsystems;
    int count;
    trm_direct_elements elements; /* elements of this rank's leaves, with their numbers */
    double *diagonal;             /* scratch for the largest front */
    double *work;                 /* scratch, N x N for the largest front */
    double *scale;                /* scratch for the largest front */
    int *place;                   /* scratch for the largest front */
    int *row_at;                  /* per block: its first row in the leaf that is being reduced */
    double *sent, *collected;     /* if all ranks need all rows: those of this rank, and all rows by rank */
    size_t *sizes;                /* bytes of each rank */
    int *row_of;                  /* per collected row: its index in x */
    int *closed_row;              /* rows that this rank closes */
    int closed_count;
    bool begun; /* all subsystems have been reduced once */
} trm_hierarchy;

/* Returns the bytes of a message with E of n rows. */
static inline size_t trm_interface_size(int n)
{
    return (1 + (size_t)n * ((size_t)n + 1) / 2) * sizeof(double);
}

extern const trm_direct_matrix trm_direct_hierarchy;

#endif
