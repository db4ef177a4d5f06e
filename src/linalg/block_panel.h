/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Panels of a block LDLT: columns of one row each that have the same rows below them, eliminated together (supernodes;
 * Ng and Peyton 1993). Where blocks of one row fill in, as the distances in a cloth of points do, columns behind each
 * other come to have the same rows, and nearly all of the work is in products of dense matrices:
 *
 *     A_ij -= sum over the columns k of the panel of  A_ik L_jk     for all rows i >= j below the panel
 *
 * Indices are looked up once per panel and not once per column. The values stay where block_ldlt.h has them. */

#ifndef TRM_LINALG_BLOCK_PANEL_H
#define TRM_LINALG_BLOCK_PANEL_H

#include "linalg/block_ldlt.h"

/* Columns of a panel at most; longer runs are cut. */
enum { TRM_PANEL_COLUMNS = 32 };

/* Fills symbolic->panel from its columns and sizes. */
void trm_panels_find(trm_block_symbolic *symbolic);

/* How many columns go together from k on, which is not inside a panel. */
static inline int trm_panel_step(const trm_block_symbolic *s, int k)
{
    return s->panel[k] > 0 ? s->panel[k] : 1;
}

/* The panel that begins at k, by the phases of block_ldlt.h. The first returns how many rows were dropped. */
int trm_panel_eliminate(const trm_block_symbolic *s, double *values, const double *scale, bool *dropped, int k);
void trm_panel_forward(const trm_block_symbolic *s, const double *values, double *x, int k);
void trm_panel_backward(const trm_block_symbolic *s, const double *values, double *x, int k);

#endif
