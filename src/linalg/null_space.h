/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The motions that rows leave free: Householder QR with column pivoting of J^T (Golub, Van Loan 5.4),
 *
 *     J^T P = Q (R11 R12; 0 0),    Q = (Q1 S),    J S = 0,    S^T S = 1
 *
 * with R11 of the rank found. Rows of unit length make the pivots comparable: a row of which less than the tolerance is left
 * depends on the others. */

#ifndef TRM_LINALG_NULL_SPACE_H
#define TRM_LINALG_NULL_SPACE_H

#include "base/arena.h"

typedef struct trm_null_space {
    int n, m;     /* columns and rows of J */
    int rank;     /* independent rows */
    int *order;   /* m: rows in the order of the pivots; the first `rank` are independent */
    double *Q;    /* n x n, row after row */
    double *R;    /* m x n: R transposed, row after row: row k holds R(0..k, k) of the k-th pivot */
    double *room; /* n */
} trm_null_space;

/* Room for J of so many rows and columns, in the arena. NULL: out of memory. */
trm_null_space *trm_null_space_create(trm_arena *arena, int m, int n);

/* J: m x n, row after row, m at most that of the creation; not changed. */
void trm_null_space_find(trm_null_space *s, const double *J, int m, double tolerance);

/* y = S^T x (n - rank numbers) and x = S y. */
void trm_null_space_reduce(const trm_null_space *s, const double *x, double *y);
void trm_null_space_expand(const trm_null_space *s, const double *y, double *x);

/* The shortest x with J x = b along the independent rows. */
void trm_null_space_solve(const trm_null_space *s, const double *b, double *x);

#endif
