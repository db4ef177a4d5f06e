/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rank of a sparse matrix, row by row: which rows depend on those before them.
 *
 * The rows seen so far are kept as an upper echelon form R, one sparse row per leading column. A new row a is
 * rotated against R (Givens), column by column: where R has a row that leads with that column, the pair is turned
 * so that a's entry vanishes; where it has none, what is left of a becomes that row of R. The rotations keep lengths,
 * so a row of unit length of which less than the tolerance is left at every column depends on those before it
 * (George, Heath 1980). Cost is linear for chains whose columns are numbered along the chain; fill grows with loops.
 *
 * Rows of a chain of N bodies with k entries each cost O(N k^2). */

#ifndef TRM_LINALG_ECHELON_H
#define TRM_LINALG_ECHELON_H

#include "base/arena.h"

typedef struct trm_echelon trm_echelon;

/* An empty form of so many columns; NULL: out of memory. Everything lives in the arena. */
trm_echelon *trm_echelon_create(trm_arena *arena, int columns);

typedef enum trm_echelon_result { TRM_ROW_INDEPENDENT, TRM_ROW_DEPENDENT, TRM_ROW_NO_MEMORY } trm_echelon_result;

/* Adds a row with the given entries (columns increasing). tolerance: length, relative to the row's own, below which
 * what is left counts as nothing. A zero row is dependent. */
trm_echelon_result trm_echelon_add(trm_echelon *echelon, const int *columns, const double *values, int count,
                                   double tolerance);

int trm_echelon_rank(const trm_echelon *echelon);

#endif
