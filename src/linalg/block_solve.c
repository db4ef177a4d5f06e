/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* L D L^T x = b: forward, pivots, backward. */

#include "linalg/block_kernels.h"
#include "linalg/block_ldlt.h"
#include "linalg/block_panel.h"

/* Computes x_i -= L_ik x_k for all blocks i below block k, which has n rows. Besides blocks of n rows, those of six
 * have loops of constant length: the glue of hubs, below the rows of joints. */
TRM_KERNEL void forward(const trm_block_symbolic *s, const double *values, double *x, int k, int n)
{
    const double *x_k = x + s->first_row[k];
    for (int e = s->column[k]; e < s->column[k + 1]; e++) {
        const int i = s->row[e], m = s->size[i];
        double *x_i = x + s->first_row[i];
        if (m == n)
            subtract_times(x_i, values + s->value[e], x_k, n, n);
        else if (m == TRM_BLOCK_ROWS)
            subtract_times(x_i, values + s->value[e], x_k, TRM_BLOCK_ROWS, n);
        else
            subtract_times(x_i, values + s->value[e], x_k, m, n);
    }
}

/* Computes x_k = D_k^-1 x_k - sum of L_ik^T x_i. */
TRM_KERNEL void backward(const trm_block_symbolic *s, const double *values, double *x, int k, int n)
{
    double *x_k = x + s->first_row[k];
    multiply_in_place(x_k, values + s->pivot[k], n);
    for (int e = s->column[k]; e < s->column[k + 1]; e++) {
        const int i = s->row[e], m = s->size[i];
        const double *x_i = x + s->first_row[i];
        if (m == n)
            subtract_transposed_times(x_k, values + s->value[e], x_i, n, n);
        else if (m == TRM_BLOCK_ROWS)
            subtract_transposed_times(x_k, values + s->value[e], x_i, TRM_BLOCK_ROWS, n);
        else if (m > 0)
            subtract_transposed_times(x_k, values + s->value[e], x_i, m, n);
    }
}

static bool is_zero(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0) return false;
    return true;
}

void trm_block_solve_where(const trm_block_symbolic *s, const double *values, double *x, bool sparse)
{
    for (int k = 0; k < s->blocks; k += trm_panel_step(s, k)) {
        if (s->panel[k] > 0)
            trm_panel_forward(s, values, x, k);
        else if (!sparse || !is_zero(x + s->first_row[k], s->size[k]))
            TRM_WITH_CONSTANT(s->size[k], N, forward(s, values, x, k, N))
    }
    for (int k = s->blocks - 1; k >= 0; k--)
        if (s->panel[k] > 0)
            trm_panel_backward(s, values, x, k);
        else if (s->panel[k] == 0)
            TRM_WITH_CONSTANT(s->size[k], N, backward(s, values, x, k, N))
}
