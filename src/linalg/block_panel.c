/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A panel of w columns is a trapezoid: column t consists of its pivot, the w - 1 - t rows of the panel after it,
 * and the rows below, which are the same for all columns. All are single rows, so a column is one run of numbers.
 *
 * Inside the panel columns are eliminated one after another; each subtracts the contributions of those before it.
 * Below the panel, contributions to TARGETS columns at a time are summed over CHUNK rows and then subtracted from
 * those columns. */

#include "linalg/block_panel.h"

#include <string.h>

#include "linalg/block_kernels.h"

enum { TARGETS = 4, LANES = 4, CHUNK = 64 };

/* A panel and its trapezoid. */
typedef struct panel {
    int first, columns;
    const int *rows; /* rows below it */
    int row_count;
    const double *below[TRM_PANEL_COLUMNS]; /* column t at the first of these rows */
} panel;

static panel get_panel(const trm_block_symbolic *s, const double *values, int k)
{
    panel p = {.first = k, .columns = s->panel[k]};
    const int last = k + p.columns - 1;
    p.rows = s->row + s->column[last];
    p.row_count = s->column[last + 1] - s->column[last];
    for (int t = 0; t < p.columns; t++) p.below[t] = values + s->pivot[k + t] + (p.columns - t);
    return p;
}

/* ---- Inside the panel --------------------------------------------------------------------- */

/* Computes a -= f b for four pairs of f and b. */
static void subtract_four(double *restrict a, const double *const b[4], const double f[4], int count)
{
    const double *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
    for (int i = 0; i < count; i++) a[i] -= (f[0] * b0[i] + f[1] * b1[i]) + (f[2] * b2[i] + f[3] * b3[i]);
}

/* Subtracts the contributions of the columns before column t: A_it -= A_is L_ts. */
static void subtract_before(const panel *p, double *column, int t, const double *inverse)
{
    const int count = p->columns - t + p->row_count;
    const double *from[4];
    double factor[4];
    for (int s = 0; s < t; s += 4) {
        for (int n = 0; n < 4; n++) {
            const int c = s + n < t ? s + n : s;
            from[n] = p->below[c] - (p->columns - t); /* at row t */
            factor[n] = s + n < t ? from[n][0] * inverse[c] : 0;
        }
        subtract_four(column, from, factor, count);
    }
}

/* Computes the remainder of each column after eliminating those before it, and the inverses of the pivots, 0 for
 * dropped rows. Rows with NaN are kept, so that NaN shows in the solution. Returns the number of dropped rows. */
static int eliminate_inside(const trm_block_symbolic *s, double *values, const double *scale, bool *dropped,
                            const panel *p, double *inverse)
{
    int lost = 0;
    for (int t = 0; t < p->columns; t++) {
        const int row = s->first_row[p->first + t];
        double *column = values + s->pivot[p->first + t];
        subtract_before(p, column, t, inverse);
        dropped[row] = column[0] <= TRM_DROPPED * scale[row];
        inverse[t] = dropped[row] ? 0 : 1 / column[0];
        lost += dropped[row];
    }
    return lost;
}

/* Replaces A_it by L_it, and pivots by their inverses. */
static void scale_columns(const trm_block_symbolic *s, double *values, const panel *p, const double *inverse)
{
    for (int t = 0; t < p->columns; t++) {
        double *column = values + s->pivot[p->first + t];
        for (int i = 1; i < p->columns - t + p->row_count; i++) column[i] *= inverse[t];
        column[0] = inverse[t];
    }
}

/* ---- Below the panel ---------------------------------------------------------------------- */

/* A vector of LANES numbers; without it the compiler does not keep all sums in registers. */
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* Computes sum[c][i] = sum over t of below[t][i] factor[t][c], for the LANES rows (or 2 LANES rows) that begin at
 * i. */
TRM_KERNEL void multiply_lanes(const panel *p, const double (*factor)[TARGETS], int row, double (*sum)[CHUNK], int i,
                               int groups)
{
    lanes total[TARGETS][2] = {{{0}}};
    for (int t = 0; t < p->columns; t++)
        for (int g = 0; g < groups; g++) {
            lanes a;
            memcpy(&a, p->below[t] + row + i + g * LANES, sizeof a);
            for (int c = 0; c < TARGETS; c++) total[c][g] += a * factor[t][c];
        }
    for (int c = 0; c < TARGETS; c++) memcpy(sum[c] + i, total[c], (size_t)groups * sizeof(lanes));
}

static void multiply(const panel *p, const double (*factor)[TARGETS], int row, int count, double (*sum)[CHUNK])
{
    int i = 0;
    for (; i + 2 * LANES <= count; i += 2 * LANES) multiply_lanes(p, factor, row, sum, i, 2);
    for (; i + LANES <= count; i += LANES) multiply_lanes(p, factor, row, sum, i, 1);
    for (; i < count; i++)
        for (int c = 0; c < TARGETS; c++) {
            sum[c][i] = 0;
            for (int t = 0; t < p->columns; t++) sum[c][i] += p->below[t][row + i] * factor[t][c];
        }
}

/* Subtracts the sums of rows from .. to - 1 from a column, whose entries are searched from the given one on. The
 * column has all these rows, so one pass finds them. Returns the entry after the last one found. Other rows of that
 * column may be larger blocks. */
static int subtract_sums(const trm_block_symbolic *s, double *values, const panel *p, int from, int to,
                         const double *sum, int entry)
{
    for (int r = from; r < to; r++, sum++) {
        while (s->row[entry] != p->rows[r]) entry++;
        values[s->value[entry]] -= *sum;
    }
    return entry;
}

/* Updates TARGETS columns from that of row first below the panel on: A_ij -= A_it L_jt. */
static void update_columns(const trm_block_symbolic *s, double *values, const panel *p, const double *inverse,
                           int first)
{
    const int left = p->row_count - first, columns = left < TARGETS ? left : TARGETS;
    double factor[TRM_PANEL_COLUMNS][TARGETS], sum[TARGETS][CHUNK];
    int entry[TARGETS];
    for (int t = 0; t < p->columns; t++)
        for (int c = 0; c < TARGETS; c++) factor[t][c] = c < columns ? p->below[t][first + c] * inverse[t] : 0;
    for (int c = 0; c < columns; c++) entry[c] = s->column[p->rows[first + c]];
    for (int row = first; row < p->row_count; row += CHUNK) {
        const int count = p->row_count - row < CHUNK ? p->row_count - row : CHUNK;
        multiply(p, (const double(*)[TARGETS])factor, row, count, sum);
        for (int c = 0; c < columns; c++) {
            const int skip = row == first ? c + 1 : 0; /* the rows above, and the pivot */
            if (row == first) values[s->pivot[p->rows[first + c]]] -= sum[c][c];
            entry[c] = subtract_sums(s, values, p, row + skip, row + count, sum[c] + skip, entry[c]);
        }
    }
}

int trm_panel_eliminate(const trm_block_symbolic *s, double *values, const double *scale, bool *dropped, int k)
{
    double inverse[TRM_PANEL_COLUMNS];
    const panel p = get_panel(s, values, k);
    const int lost = eliminate_inside(s, values, scale, dropped, &p, inverse);
    for (int first = 0; first < p.row_count; first += TARGETS) update_columns(s, values, &p, inverse, first);
    scale_columns(s, values, &p, inverse);
    return lost;
}

/* ---- Solving ------------------------------------------------------------------------------ */

/* Solves for x_k inside the panel and computes x_i -= sum of L_ik x_k below it. */
void trm_panel_forward(const trm_block_symbolic *s, const double *values, double *x, int k)
{
    const panel p = get_panel(s, values, k);
    double *own = x + s->first_row[k];
    for (int t = 0; t < p.columns; t++) {
        const double *column = p.below[t] - (p.columns - t);
        for (int i = 1; i < p.columns - t; i++) own[t + i] -= column[i] * own[t];
    }
    for (int r = 0; r < p.row_count; r++) {
        double sum = 0;
        for (int t = 0; t < p.columns; t++) sum += p.below[t][r] * own[t];
        x[s->first_row[p.rows[r]]] -= sum;
    }
}

/* Computes x_k = x_k / d_k - sum of L_ik x_i, from the last column to the first. */
void trm_panel_backward(const trm_block_symbolic *s, const double *values, double *x, int k)
{
    const panel p = get_panel(s, values, k);
    double *own = x + s->first_row[k];
    for (int t = 0; t < p.columns; t++) own[t] *= values[s->pivot[k + t]];
    for (int r = 0; r < p.row_count; r++) {
        const double x_i = x[s->first_row[p.rows[r]]];
        for (int t = 0; t < p.columns; t++) own[t] -= p.below[t][r] * x_i;
    }
    for (int t = p.columns - 1; t >= 0; t--) {
        const double *column = p.below[t] - (p.columns - t);
        for (int i = 1; i < p.columns - t; i++) own[t] -= column[i] * own[t + i];
    }
}
