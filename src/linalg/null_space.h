/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Null space of constraint rows, the motions that they leave free: Householder QR with column pivoting of J^T
 * (Golub, Van Loan 5.4),
 *
 *     J^T P = Q (R11 R12; 0 0),    Q = (Q1 S),    J S = 0,    S^T S = 1
 *
 * where R11 has the rank found. If the rows have unit length, their pivots are comparable: a row depends on the
 * others if its remainder is shorter than the tolerance. */

#ifndef TRM_LINALG_NULL_SPACE_H
#define TRM_LINALG_NULL_SPACE_H

#include "base/arena.h"

typedef struct trm_null_space {
    int n, m;     /* columns and rows of J */
    int rank;     /* number of independent rows */
    int *order;   /* m: rows in the order of the pivots; the first `rank` are independent */
    double *Q;    /* n x n, stored by rows */
    double *R;    /* m x n: R transposed, stored by rows: row k holds R(0..k, k) of the k-th pivot */
    double *room; /* workspace of n */
} trm_null_space;

/* Allocates room in the arena for a J of m rows and n columns. Returns NULL when out of memory. */
trm_null_space *trm_null_space_create(trm_arena *arena, int m, int n);

/* Computes the null space of J: m x n, stored by rows, not changed. m is at most the m given at creation. */
void trm_null_space_find(trm_null_space *s, const double *J, int m, double tolerance);

/* Compute y = S^T x (n - rank numbers) and x = S y. */
void trm_null_space_reduce(const trm_null_space *s, const double *x, double *y);
void trm_null_space_expand(const trm_null_space *s, const double *y, double *x);

/* Computes the shortest x with J x = b in the independent rows. */
void trm_null_space_solve(const trm_null_space *s, const double *b, double *x);

#endif
