/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A = L D L^T for sparse symmetric matrices of small dense blocks (1 to 6 rows), positive semi-definite.
 *
 * Three phases, three files, in the manner of CSparse (Davis 2006):
 *
 *     symbolic   once per graph: elimination order, pattern of L                               block_symbolic.c
 *     numeric    per matrix: D_k^-1 and L, column by column, right-looking                     block_numeric.c
 *     solve      per right side                                                                block_solve.c
 *
 * Blocks of one row among themselves go in panels, several columns at once                     block_panel.c
 *
 * Blocks are numbered by the caller (one per joint); inside everything is in elimination order. The values of one
 * block are row after row. The lower block (i, j), i behind j in the elimination, is A_ij, later L_ij; the diagonal
 * block k is A_kk, later the inverse of the pivot D_k.
 *
 *     D_k = A_kk,   L_ik = A_ik D_k^-1,   A_ij -= A_ik L_jk^T   for i >= j > k
 *
 * Semi-definite: the rows of a pivot block are eliminated one by one, the largest left first, each compared with a
 * scale that the caller gives; a row of which less than TRM_DROPPED of its scale is left is dropped: its unknown is
 * zero, and its equation is not looked at (a consistent right side makes it hold by itself). Rows are chosen inside
 * their blocks only. Where little is left of a row that is kept, the row dropped after it carries little of the
 * dependency, or is hidden by rounding: trm_block_weakest tells, and the caller names the rows to be dropped instead.
 *
 * The inverses of pivots lose as many digits as little is left of a row: refine once (x += A^-1 (b - A x)). */

#ifndef TRM_LINALG_BLOCK_LDLT_H
#define TRM_LINALG_BLOCK_LDLT_H

#include "base/arena.h"

enum { TRM_BLOCK_ROWS = 6 };

/* Part of a row's scale below which what is left of its pivot counts as nothing (methods: 1e-11). */
#define TRM_DROPPED 1e-11

typedef struct trm_block_symbolic {
    int blocks;
    int rows;       /* of all blocks together */
    int *size;      /* per position in the elimination */
    int *first_row; /* of each position's block in a vector in elimination order */
    int *position;  /* of the caller's block b in the elimination */
    int *block;     /* the caller's block at a position */
    int *column;    /* blocks + 1: entries of column k are column[k] .. column[k+1] - 1 */
    int *row;       /* per entry: position of its row, increasing */
    size_t *value;  /* per entry: where its block starts */
    size_t *pivot;  /* per position: where its diagonal block starts */
    size_t values;  /* doubles in all blocks */
    int *panel; /* per position: columns eliminated together from here on (block_panel.h); 0: a block; -1: inside */
} trm_block_symbolic;

/* The graph: neighbours of block b are neighbour[first[b]] .. neighbour[first[b+1] - 1], both directions, no loops.
 * A neighbour may be named twice. order NULL: by approximate minimum degree; else the caller's elimination order.
 * False: out of memory. */
typedef struct trm_block_graph {
    int blocks;
    const int *size;
    const int *first;
    const int *neighbour;
    const int *order;
} trm_block_graph;

bool trm_block_symbolic_find(const trm_block_graph *graph, trm_arena *arena, trm_block_symbolic *symbolic);

/* Where block (a, b) of the caller starts in the values, and whether it is stored transposed (as block (b, a)). The
 * pair is equal or neighbours in the graph. */
size_t trm_block_place(const trm_block_symbolic *symbolic, int a, int b, bool *transposed);

/* Factorises in place; diagonal blocks are given whole, both triangles. scale: per row in elimination order, what a row
 * of full weight would have on its diagonal; a row with an infinite scale is dropped. dropped: per row in elimination order; set to whether it was dropped.
 * Returns how many. */
int trm_block_factorise(const trm_block_symbolic *symbolic, double *values, const double *scale, bool *dropped);

/* Whether a factorisation that takes long is to be completed. Asked after every 1e7 products or so. */
typedef struct trm_block_watch {
    bool (*goes_on)(void *context);
    void *context;
} trm_block_watch;

/* Factorises like trm_block_factorise. Returns -1 if the watch ended it; the values are void then. watch NULL: nobody is asked. */
int trm_block_factorise_watched(const trm_block_symbolic *symbolic, double *values, const double *scale,
                                bool *dropped, const trm_block_watch *watch);

/* The least that other rows of its block and those before it leave of a row that was kept, as a share of its scale; INFINITY: no row
 * was kept. Of the factorised matrix. */
double trm_block_weakest(const trm_block_symbolic *symbolic, const double *values, const double *scale);

/* x in elimination order: right side in, solution out. */
void trm_block_solve(const trm_block_symbolic *symbolic, const double *values, double *x);
/* The same, fast where b has few entries that are not 0. */
void trm_block_solve_sparse(const trm_block_symbolic *s, const double *values, double *x);

#endif
