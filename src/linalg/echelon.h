/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rank of a sparse matrix, row by row: finds the rows that depend on the rows before them.
 *
 * The rows added so far are kept as an upper echelon form R, one sparse row per leading column. A new row a is
 * rotated against R (Givens), column by column. If R has a row that leads with the column, the rotation makes the
 * entry of a vanish. If R has none, the remainder of a becomes that row of R. The rotations keep lengths: a row of
 * unit length depends on the rows before it if its rest is shorter than the tolerance at every column (George, Heath
 * 1980).
 *
 * A chain of N bodies with k entries per row costs O(N k^2) if columns are numbered along the chain. Loops cause
 * fill. */

#ifndef TRM_LINALG_ECHELON_H
#define TRM_LINALG_ECHELON_H

#include "base/arena.h"

typedef struct trm_echelon trm_echelon;

/* Creates an empty form with the given number of columns. Returns NULL when out of memory. All memory is from the
 * arena. */
trm_echelon *trm_echelon_create(trm_arena *arena, int columns);

typedef enum trm_echelon_result { TRM_ROW_INDEPENDENT, TRM_ROW_DEPENDENT, TRM_ROW_NO_MEMORY } trm_echelon_result;

/* Adds a row with the given entries, columns increasing. The row is dependent if its rest is shorter than
 * tolerance times its own length. A zero row is dependent. */
trm_echelon_result trm_echelon_add(trm_echelon *echelon, const int *columns, const double *values, int count,
                                   double tolerance);

int trm_echelon_rank(const trm_echelon *echelon);

#endif
