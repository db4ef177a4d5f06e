/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The Cholesky factor of a symmetric matrix that gains rows at its end and loses any: U^T U, U upper triangular.
 *
 * Each costs O(n^2). U is kept row after row, so that all loops run along rows: the forward solve subtracts rows, the
 * backward one multiplies by them, and what a lost row leaves is rotated into the rows below it, two rows at a time
 * (Gill, Golub, Murray, Saunders 1974, methods C1 and C3). */

#ifndef TRM_LINALG_MOVING_FACTOR_H
#define TRM_LINALG_MOVING_FACTOR_H

#include "base/arena.h"

typedef struct trm_moving_factor {
    int n, room; /* rows now and at most, which is the stride of U */
    double *U;
    double *inverse; /* of the diagonal */
} trm_moving_factor;

bool trm_moving_factor_create(trm_moving_factor *factor, int room, trm_arena *arena); /* empty; false: no memory */

/* All of a matrix at once, its rows of the upper triangle; false: some pivot is not larger than the least, and the factor is empty. */
bool trm_moving_factor_set(trm_moving_factor *factor, const double *const *rows, int n, double least_pivot);

void trm_moving_factor_forward(const trm_moving_factor *factor, double *v);  /* v <- U^-T v */
void trm_moving_factor_backward(const trm_moving_factor *factor, double *v); /* v <- U^-1 v */

/* One more row and column of the matrix: off the diagonal U^-T of it, the forward solve; on it pivot + |forward|^2,
 * pivot > 0. */
void trm_moving_factor_append(trm_moving_factor *factor, const double *forward, double pivot);
void trm_moving_factor_remove(trm_moving_factor *factor, int row);

#endif
