/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Numeric phase of L D L^T, column by column. Pivot blocks far from singular are inverted directly. Others are first
 * made diagonal by a change of basis. In that basis rows can be dropped one by one, and the other rows lose no
 * digits. */

#include <math.h>

#include "linalg/block_inverse.h"
#include "linalg/block_kernels.h"
#include "linalg/block_ldlt.h"
#include "linalg/block_panel.h"

enum { SQUARE = TRM_BLOCK_ROWS * TRM_BLOCK_ROWS };

/* ---- Pivots --------------------------------------------------------------------------- */

/* Remainder of a row, as a fraction of its scale, that suffices to eliminate it without choosing the order of rows:
 * the square root of its reciprocal, times rounding, stays far below TRM_DROPPED. The limit for the last row of a
 * block is smaller because no rows follow it. */
static const double sufficient_remainder = 1e-6, sufficient_at_last = 1e-9;

/* Returns the row, of those not done, with the largest remainder relative to its scale, or -1 if all remainders are
 * below TRM_DROPPED. Rows with NaN are kept, so that NaN shows in the solution. */
TRM_KERNEL int largest_remainder(const double *a, const double *scale, const bool *done, int n)
{
    int best = -1;
    double best_share = 0;
    for (int r = 0; r < n; r++) {
        if (done[r] || a[r * n + r] <= TRM_DROPPED * scale[r]) continue;
        const double share = a[r * n + r] / scale[r];
        if (best < 0 || share > best_share) best = r, best_share = share;
    }
    return best;
}

/* Finds rows T and a diagonal matrix with T a T^T = inverse^-1, both zero at dropped rows: Gauss elimination of a,
 * which is destroyed, the largest remaining row first. This order keeps T well conditioned for every a. Returns the
 * number of dropped rows. */
TRM_KERNEL int find_basis(double *a, const double *scale, bool *dropped, double *T, double *inverse, int n)
{
    bool done[TRM_BLOCK_ROWS] = {false};
    int kept = 0;
    for (int i = 0; i < n * n; i++) T[i] = inverse[i] = 0;
    for (int i = 0; i < n; i++) T[i * n + i] = 1;
    for (int k; (k = largest_remainder(a, scale, done, n)) >= 0; kept++) {
        done[k] = true;
        inverse[k * n + k] = 1 / a[k * n + k];
        for (int i = 0; i < n; i++) {
            if (done[i]) continue;
            const double factor = a[i * n + k] * inverse[k * n + k];
            for (int j = 0; j < n; j++) {
                a[i * n + j] -= factor * a[k * n + j];
                T[i * n + j] -= factor * T[k * n + j];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        dropped[i] = !done[i];
        for (int j = 0; j < n && dropped[i]; j++) T[i * n + j] = 0;
    }
    return n - kept;
}

/* Does the same in the given order of rows, without dropping any. Returns false, without changes, if too little
 * remains of a row. The condition of T = L^-1, for a = L D L^T, is at most the root of the reciprocal of the smallest
 * remaining fraction. */
TRM_KERNEL bool find_basis_in_order(const double *a, const double *scale, bool *dropped, double *T, double *inverse,
                                    int n)
{
    double L[SQUARE], d[TRM_BLOCK_ROWS];
    bool enough = true;
    for (int i = 0; i < n; i++) {
        d[i] = a[i * n + i];
        for (int j = 0; j < i; j++) {
            double sum = a[i * n + j]; /* L_ij d_j */
            for (int k = 0; k < j; k++) sum -= L[i * n + k] * d[k] * L[j * n + k];
            L[i * n + j] = sum / d[j];
            d[i] -= sum * L[i * n + j];
        }
        enough &= d[i] > (i + 1 < n ? sufficient_remainder : sufficient_at_last) * scale[i];
    }
    if (!enough) return false;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = i == j; /* row i of L T = 1 */
            for (int k = j; k < i; k++) sum -= L[i * n + k] * T[k * n + j];
            T[i * n + j] = j <= i ? sum : 0;
            inverse[i * n + j] = i == j ? 1 / d[i] : 0;
        }
        dropped[i] = false;
    }
    return true;
}

/* ---- The elimination ---------------------------------------------------------------------- */

/* Subtracts A_ik L_jk^T from the blocks (i, j) of column j, for the entries i after j of column k. All rows of k
 * are rows of j, too, so one pass down column j finds them. */
TRM_KERNEL void update_below(const trm_block_symbolic *s, double *values, const double *L_jk, int k, int entry, int n)
{
    const int j = s->row[entry], p = s->size[j];
    int target = s->column[j];
    for (int e = entry + 1; e < s->column[k + 1]; e++) {
        const int i = s->row[e];
        while (s->row[target] != i) target++;
        if (s->size[i] == n && p == n)
            subtract_product(values + s->value[target], values + s->value[e], L_jk, n, n, n);
        else
            subtract_product(values + s->value[target], values + s->value[e], L_jk, s->size[i], p, n);
    }
}

/* Eliminates column k, of n rows: every pair of its entries updates the rest, and A_jk becomes L_jk. */
TRM_KERNEL void update(const trm_block_symbolic *s, double *values, const double *inverse, int k, int n)
{
    double L_jk[SQUARE];
    for (int e = s->column[k]; e < s->column[k + 1]; e++) {
        const int j = s->row[e], p = s->size[j];
        double *A_jk = values + s->value[e], *A_jj = values + s->pivot[j];
        if (p == n) {
            times_symmetric(L_jk, A_jk, inverse, n, n);
            subtract_symmetric(A_jj, A_jk, L_jk, n, n);
        } else {
            times_symmetric(L_jk, A_jk, inverse, p, n);
            subtract_symmetric(A_jj, A_jk, L_jk, p, n);
        }
        update_below(s, values, L_jk, k, e, n);
        for (int i = 0; i < p * n; i++) A_jk[i] = L_jk[i];
    }
}

/* Multiplies all blocks below the pivot of column k by the n x n matrix whose entry (i, j) is at i * row + j *
 * column. */
TRM_KERNEL void multiply_column(const trm_block_symbolic *s, double *values, int k, const double *matrix, int row,
                                int column, int n)
{
    for (int e = s->column[k]; e < s->column[k + 1]; e++)
        for (int i = 0; i < s->size[s->row[e]]; i++) {
            double *line = values + s->value[e] + i * n, product[TRM_BLOCK_ROWS] = {0};
            for (int j = 0; j < n; j++)
                for (int c = 0; c < n; c++) product[j] += line[c] * matrix[c * row + j * column];
            for (int j = 0; j < n; j++) line[j] = product[j];
        }
}

/* Computes pivot = D^-1 = T^T inverse T, both triangles; triangular: T is lower triangular. */
TRM_KERNEL void compute_inverse(double *pivot, const double *T, const double *inverse, int n, bool triangular)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int c = triangular ? i : 0; c < n; c++) sum += T[c * n + i] * inverse[c * n + c] * T[c * n + j];
            pivot[i * n + j] = pivot[j * n + i] = sum;
        }
}

/* Eliminates column k in the basis in which its pivot is diagonal, and transforms back: D^-1 = T^T inverse T, L_jk =
 * (L_jk in that basis) T. Returns the number of dropped rows. */
TRM_KERNEL int eliminate_any(const trm_block_symbolic *s, double *values, const double *scale, bool *dropped, int k,
                             int n)
{
    double T[SQUARE], inverse[SQUARE];
    const int first = s->first_row[k];
    double *pivot = values + s->pivot[k];
    const bool simple = find_basis_in_order(pivot, scale + first, dropped + first, T, inverse, n);
    const int lost = simple ? 0 : find_basis(pivot, scale + first, dropped + first, T, inverse, n);
    multiply_column(s, values, k, T, 1, n, n);
    update(s, values, inverse, k, n);
    multiply_column(s, values, k, T, n, 1, n);
    if (simple)
        compute_inverse(pivot, T, inverse, n, true);
    else
        compute_inverse(pivot, T, inverse, n, false);
    return lost;
}

TRM_KERNEL int eliminate(const trm_block_symbolic *s, double *values, const double *scale, bool *dropped, int k,
                         int n)
{
    double inverse[SQUARE];
    const int first = s->first_row[k];
    double *pivot = values + s->pivot[k];
    if (!invert_regular(pivot, scale + first, inverse, n)) return eliminate_any(s, values, scale, dropped, k, n);
    for (int i = 0; i < n * n; i++) pivot[i] = inverse[i];
    for (int i = 0; i < n; i++) dropped[first + i] = false;
    update(s, values, inverse, k, n);
    return 0;
}

int trm_block_factorise_watched(const trm_block_symbolic *symbolic, double *values, const double *scale,
                                bool *dropped, const trm_block_watch *watch)
{
    const double WATCH_INTERVAL = 1e7;
    int lost = 0;
    double products = 0; /* since the last call of the watch: sum of the squared numbers of entries of columns */
    for (int k = 0; k < symbolic->blocks;) {
        const int next = k + trm_panel_step(symbolic, k);
        if (symbolic->panel[k] > 0)
            lost += trm_panel_eliminate(symbolic, values, scale, dropped, k);
        else
            TRM_WITH_CONSTANT(symbolic->size[k], N, lost += eliminate(symbolic, values, scale, dropped, k, N))
        for (; k < next; k++) {
            const double entries = (double)(symbolic->column[k + 1] - symbolic->column[k]) * symbolic->size[k];
            products += entries * entries;
        }
        if (!watch || products < WATCH_INTERVAL) continue;
        if (!watch->may_continue(watch->context)) return -1;
        products = 0;
    }
    return lost;
}

int trm_block_factorise(const trm_block_symbolic *symbolic, double *values, const double *scale, bool *dropped)
{
    return trm_block_factorise_watched(symbolic, values, scale, dropped, NULL);
}

/* Uses the diagonal of D_k^-1, which is the reciprocal of each row's remainder, and 0 if the row was dropped. */
double trm_block_weakest(const trm_block_symbolic *symbolic, const double *values, const double *scale)
{
    double most = 0;
    for (int k = 0; k < symbolic->blocks; k++)
        for (int r = 0, n = symbolic->size[k]; r < n; r++) {
            const double inverse = values[symbolic->pivot[k] + (size_t)(r * n + r)];
            most = fmax(most, inverse * scale[symbolic->first_row[k] + r]);
        }
    return 1 / most;
}
