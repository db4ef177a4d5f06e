/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Panels of a block LDL^T factorisation: columns of one row each that have the same rows below them, eliminated
 * together (supernodes; Ng and Peyton 1993). If blocks of one row fill in, as for the distances in a cloth of points,
 * successive columns get the same rows, and nearly all work is in products of dense matrices:
 *
 *     A_ij -= sum over the columns k of the panel of  A_ik L_jk     for all rows i >= j below the panel
 *
 * Indices are looked up once per panel instead of once per column. Panels use the storage of block_ldlt.h. */

#ifndef TRM_LINALG_BLOCK_PANEL_H
#define TRM_LINALG_BLOCK_PANEL_H

#include "linalg/block_ldlt.h"

/* Largest number of columns of a panel; longer runs are split. */
enum { TRM_PANEL_COLUMNS = 32 };

/* Returns the number of columns that are eliminated together from k on. k is not inside a panel. */
static inline int trm_panel_step(const trm_block_symbolic *s, int k)
{
    return s->panel[k] > 0 ? s->panel[k] : 1;
}

/* Perform the phases of block_ldlt.h for the panel that begins at k. The first function returns the number of dropped
 * rows. */
int trm_panel_eliminate(const trm_block_symbolic *s, double *values, const double *scale, bool *dropped, int k);
void trm_panel_forward(const trm_block_symbolic *s, const double *values, double *x, int k);
void trm_panel_backward(const trm_block_symbolic *s, const double *values, double *x, int k);

#endif
