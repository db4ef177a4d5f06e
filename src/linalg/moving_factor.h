/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Cholesky factor U^T U, U upper triangular, of a symmetric matrix that gains rows at its end and loses any of its
 * rows.
 *
 * Each change costs O(n^2). U is stored by rows, so that all loops run along rows: the forward solve subtracts
 * rows, the backward solve multiplies by them. The rest of a removed row is rotated into the rows below it, two
 * rows at a time (Gill, Golub, Murray, Saunders 1974, methods C1 and C3). */

#ifndef TRM_LINALG_MOVING_FACTOR_H
#define TRM_LINALG_MOVING_FACTOR_H

#include "base/arena.h"

typedef struct trm_moving_factor {
    int n, room; /* number of rows, and the largest number, which is the stride of U */
    double *U;
    double *inverse; /* reciprocals of the diagonal */
} trm_moving_factor;

bool trm_moving_factor_create(trm_moving_factor *factor, int room, trm_arena *arena); /* empty; false: no memory */

/* Factorises a whole matrix, given by the rows of its upper triangle. Fails if a pivot is not larger than
 * least_pivot; the factor is then empty. */
bool trm_moving_factor_set(trm_moving_factor *factor, const double *const *rows, int n, double least_pivot);

void trm_moving_factor_forward(const trm_moving_factor *factor, double *v);  /* v <- U^-T v */
void trm_moving_factor_backward(const trm_moving_factor *factor, double *v); /* v <- U^-1 v */

/* Appends a row and column to the matrix. forward is U^-T times its off-diagonal part, the result of the forward
 * solve; its diagonal is pivot + |forward|^2, pivot > 0. */
void trm_moving_factor_append(trm_moving_factor *factor, const double *forward, double pivot);
void trm_moving_factor_remove(trm_moving_factor *factor, int row);

#endif
