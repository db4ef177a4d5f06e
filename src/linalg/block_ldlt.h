/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Factorisation A = L D L^T of sparse symmetric positive semi-definite matrices of small dense blocks (0 to 6
 * rows; a joint that only measures, such as a span, has none).
 *
 * Three phases, three files, as in CSparse (Davis 2006):
 *
 *     symbolic   once per graph: elimination order, pattern of L                               block_symbolic.c
 *     numeric    per matrix: D_k^-1 and L, column by column, right-looking                     block_numeric.c
 *     solve      per right side                                                                block_solve.c
 *
 * Columns of one row each are eliminated several at once, in panels                            block_panel.c
 *
 * The caller numbers the blocks (one per joint); internally everything is in elimination order. The values of a
 * block are stored by rows. The lower block (i, j), with i after j in the elimination, holds A_ij, later L_ij. The
 * diagonal block k holds A_kk, later the inverse of the pivot D_k.
 *
 *     D_k = A_kk,   L_ik = A_ik D_k^-1,   A_ij -= A_ik L_jk^T   for i >= j > k
 *
 * Semi-definite matrices: the rows of a pivot block are eliminated one by one, the largest remaining pivot first.
 * Each pivot is compared with a scale that the caller gives. A row whose remaining pivot is below TRM_DROPPED
 * times its scale is dropped: its unknown is zero and its equation is ignored (it holds by itself if the right
 * side is consistent). Rows are chosen within their blocks only. If little remains of a kept row, the row dropped
 * after it may take little part in the dependency, or rounding may hide the dependency. trm_block_weakest detects
 * this case; the caller then names the rows to drop instead.
 *
 * The inverse of a pivot loses as many digits as the elimination cancels in its row. Refine the solution once: x
 * += A^-1 (b - A x). */

#ifndef TRM_LINALG_BLOCK_LDLT_H
#define TRM_LINALG_BLOCK_LDLT_H

#include "base/arena.h"

enum { TRM_BLOCK_ROWS = 6 };

/* Fraction of a row's scale below which its remaining pivot counts as zero (methods: 1e-11). */
#define TRM_DROPPED 1e-11

typedef struct trm_block_symbolic {
    int blocks;
    int rows;       /* number of rows of all blocks together */
    int *size;      /* per position in the elimination: rows of the block */
    int *first_row; /* per position: first row of its block in a vector in elimination order */
    int *position;  /* position of the caller's block b in the elimination */
    int *block;     /* the caller's block at a position */
    int *column;    /* blocks + 1: entries of column k are column[k] .. column[k+1] - 1 */
    int *row;       /* per entry: position of its row, increasing */
    size_t *value;  /* per entry: index of the first value of its block */
    size_t *pivot;  /* per position: index of the first value of its diagonal block */
    size_t values;  /* number of values in all blocks */
    int *panel;     /* per position: columns of the panel that begins here; 0: a block; -1: inside (block_panel.h) */
} trm_block_symbolic;

/* The graph of a matrix, from which the elimination order and the pattern of L are computed. The neighbours of block
 * b are neighbour[first[b]] .. neighbour[first[b+1] - 1]; both ends name each other, no block names itself, and a
 * neighbour may be named twice. order NULL: approximate minimum degree; else the caller's elimination order. */
typedef struct trm_block_graph {
    int blocks;
    const int *size;
    const int *first;
    const int *neighbour;
    const int *order;
} trm_block_graph;

/* Elements of a matrix, each of which connects all its blocks with each other: those of element e are block[first[e]]
 * .. block[first[e + 1] - 1]. A negative number is no block. */
typedef struct trm_block_elements {
    int count;
    int *first, *block;
} trm_block_elements;

/* Makes an empty list with room for `most` elements and `ends` blocks of all elements. Returns false if out of
 * memory. */
bool trm_block_elements_create(trm_block_elements *elements, int most, int ends, trm_arena *arena);

/* Adds an element that connects the blocks number[node[0]] .. number[node[count - 1]]. */
void trm_block_elements_add(trm_block_elements *elements, const int *number, const int *node, int count);

/* Makes the graph in which blocks are neighbours if they meet in an element. Returns false if out of memory. */
bool trm_block_graph_make(const trm_block_elements *elements, int blocks, const int *size, trm_arena *arena,
                          trm_block_graph *graph);

/* Computes the elimination order and the pattern of L of a graph. scratch: of the caller, for memory that is not needed
 * afterwards; may be the arena. Fails only when out of memory. */
bool trm_block_symbolic_find(const trm_block_graph *graph, trm_arena *arena, trm_arena *scratch,
                             trm_block_symbolic *symbolic);

/* Returns where block (a, b) of the caller starts in the values, and in *transposed whether it is stored
 * transposed, as block (b, a). a and b are equal or neighbours in the graph. */
size_t trm_block_place(const trm_block_symbolic *symbolic, int a, int b, bool *transposed);

/* Factorises in place; diagonal blocks are given with both triangles. scale has one value per row in elimination
 * order: the diagonal of a row of full weight. A row with an infinite scale is dropped. Sets dropped[row], in
 * elimination order, for every row. Returns the number of dropped rows. */
int trm_block_factorise(const trm_block_symbolic *symbolic, double *values, const double *scale, bool *dropped);

/* A function that decides whether a long factorisation continues. It is called after about every 1e7 products. */
typedef struct trm_block_watch {
    bool (*may_continue)(void *context);
    void *context;
} trm_block_watch;

/* Factorises like trm_block_factorise. Returns -1 if the watch ended it; the values are invalid then. watch may be
 * NULL. */
int trm_block_factorise_watched(const trm_block_symbolic *symbolic, double *values, const double *scale,
                                bool *dropped, const trm_block_watch *watch);

/* Returns the smallest pivot of a kept row of a factorised matrix, as a fraction of its scale. The pivot is the
 * remainder of that row after elimination of the other rows of its block and of all rows before it. Returns INFINITY
 * if no row was kept. */
double trm_block_weakest(const trm_block_symbolic *symbolic, const double *values, const double *scale);

/* Replaces the right side x by the solution; x is in elimination order. */
void trm_block_solve_where(const trm_block_symbolic *symbolic, const double *values, double *x, bool sparse);
static inline void trm_block_solve(const trm_block_symbolic *symbolic, const double *values, double *x)
{
    trm_block_solve_where(symbolic, values, x, false);
}
/* Does the same, faster if few entries of the right side are nonzero: blocks of zeros are skipped. */
static inline void trm_block_solve_sparse(const trm_block_symbolic *symbolic, const double *values, double *x)
{
    trm_block_solve_where(symbolic, values, x, true);
}

#endif
