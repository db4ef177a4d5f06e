/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "linalg/dantzig_state.h"

#include <float.h>
#include <string.h>

#include "linalg/lcp_parts.h"
#include "linalg/vectors.h"

/* Zero tolerance of w, relative to the largest b and x. It is some thousand roundings, because b of redundant rows
 * contains the rounding errors of its computation. A larger one leaves violations, a smaller one chases rounding.
 * Tests pass with a tenth and with ten times of it. */
static const double ZERO = 1e-12;

/* ---- Initialisation ------------------------------------------------------------------------- */

static bool make_room(trm_dantzig *s, trm_arena *scratch)
{
    const int n = s->n;
    double *vectors = TRM_NEW_ARRAY(scratch, double, 8 * (size_t)n);
    double *matrix = TRM_NEW_ROOM(scratch, double, (size_t)n *(size_t)n);
    s->rows = TRM_NEW_ARRAY(scratch, double *, n);
    s->at = TRM_NEW_ARRAY(scratch, trm_dantzig_place, n);
    s->where = TRM_NEW_ARRAY(scratch, int, n);
    s->order = TRM_NEW_ARRAY(scratch, int, n);
    const bool factor = trm_moving_factor_create(&s->factor, n, scratch);
    if (!vectors || !matrix || !s->rows || !s->at || !s->where || !s->order || !factor) return false;
    double **parts[] = {&s->x, &s->w, &s->b, &s->column, &s->other, &s->solved, &s->dx, &s->dw};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) *parts[k] = vectors + k * (size_t)n;
    for (int i = 0; i < n; i++) s->rows[i] = matrix + (size_t)i * (size_t)n;
    return true;
}

int trm_dantzig_rank(const trm_lcp *lcp, int row)
{
    return lcp_is_equation(lcp, row) ? 0 : lcp_is_friction(lcp, row) ? 2 : 1;
}

/* Assigns places to the rows in the order of trm_dantzig_rank. Friction rows start at zero. */
static void arrange(trm_dantzig *s)
{
    const trm_lcp *lcp = s->lcp;
    int p = 0;
    for (int rank = 0; rank < 3; rank++)
        for (int row = 0; row < s->n; row++) {
            if (trm_dantzig_rank(lcp, row) != rank) continue;
            const double scale = trm_lcp_scale(lcp->A[(size_t)row * (size_t)s->n + (size_t)row]);
            s->at[p] = (trm_dantzig_place){lcp->lo[row] / scale, lcp->hi[row] / scale, scale, row};
            s->b[p] = lcp->b[row] * scale;
            s->x[p] = rank == 2 ? 0 : lcp_clamp(0, s->at[p].lo, s->at[p].hi);
            s->where[row] = p;
            s->largest_b = fmax(s->largest_b, fabs(s->b[p]));
            p++;
        }
}

/* Copies A, scaled, in the order of the places. If the rows are in order already, no lookup per column is needed. */
static void copy_matrix(trm_dantzig *s)
{
    const int n = s->n;
    double *scales = s->dx; /* s->dx is not in use yet */
    bool in_order = true;
    for (int p = 0; p < n; p++) {
        scales[p] = s->at[p].scale;
        in_order &= s->at[p].row == p;
    }
    for (int p = 0; p < n; p++) {
        const double *from = s->lcp->A + (size_t)s->at[p].row * (size_t)n, scale = scales[p];
        double *restrict to = s->rows[p];
        if (in_order)
            for (int q = 0; q < n; q++) to[q] = from[q] * (scale * scales[q]);
        else
            for (int q = 0; q < n; q++) to[q] = from[s->at[q].row] * (scale * scales[q]);
    }
}

bool trm_dantzig_init(trm_dantzig *s, trm_arena *scratch)
{
    if (!make_room(s, scratch)) return false;
    arrange(s);
    copy_matrix(s);
    return true;
}

/* ---- Order and factor ------------------------------------------------------------------------ */

static void swap_numbers(double *v, int p, int q)
{
    const double kept = v[p];
    v[p] = v[q];
    v[q] = kept;
}

void trm_dantzig_swap(trm_dantzig *s, int p, int q)
{
    if (p == q) return;
    double *row = s->rows[p];
    const trm_dantzig_place at = s->at[p];
    s->rows[p] = s->rows[q];
    s->rows[q] = row;
    for (int r = 0; r < s->n; r++) swap_numbers(s->rows[r], p, q);
    s->at[p] = s->at[q];
    s->at[q] = at;
    s->where[s->at[p].row] = p;
    s->where[at.row] = q;
    swap_numbers(s->x, p, q);
    swap_numbers(s->w, p, q);
    swap_numbers(s->b, p, q);
}

double trm_dantzig_pivot(const trm_dantzig *s, int p, double *column)
{
    const double *row = s->rows[p];
    for (int k = 0; k < s->inside; k++) column[k] = row[s->order[k]];
    trm_moving_factor_forward(&s->factor, column);
    return row[p] - vectors_dot(column, column, s->inside);
}

/* z = A_CC^-1 A_Cp, in s->solved, holds the coefficients by which row p depends on C if it does. The pivot is u^T A u
 * with u = (z, -1), so its rounding error is that of A times |u|^2. */
bool trm_dantzig_is_rounding(const trm_dantzig *s, const double *column, double pivot)
{
    memcpy(s->solved, column, (size_t)s->inside * sizeof *s->solved);
    trm_moving_factor_backward(&s->factor, s->solved);
    const double square = 1 + vectors_dot(s->solved, s->solved, s->inside);
    return !(pivot > (s->inside + 10) * DBL_EPSILON * square);
}

void trm_dantzig_enter(trm_dantzig *s, int p, const double *column, double pivot)
{
    trm_moving_factor_append(&s->factor, column, pivot);
    trm_dantzig_swap(s, p, s->inside);
    s->order[s->inside] = s->inside;
    s->inside++;
}

void trm_dantzig_leave(trm_dantzig *s, int p)
{
    int k = 0;
    while (s->order[k] != p) k++;
    trm_moving_factor_remove(&s->factor, k);
    s->inside--;
    memmove(s->order + k, s->order + k + 1, (size_t)(s->inside - k) * sizeof *s->order);
    for (k = 0; k < s->inside; k++)
        if (s->order[k] == s->inside) s->order[k] = p;
    trm_dantzig_swap(s, p, s->inside);
}

/* ---- x and w ---------------------------------------------------------------------------------- */

void trm_dantzig_multiply(const trm_dantzig *s, int from, int end, const double *x, int columns, double *y)
{
    int p = from;
    for (; p + 4 <= end; p += 4) vectors_dot_four(y + p, (const double *const *)s->rows + p, x, columns);
    for (; p < end; p++) y[p] = vectors_dot(s->rows[p], x, columns);
}

double trm_dantzig_w(const trm_dantzig *s, int p)
{
    return vectors_dot(s->rows[p], s->x, s->n) + s->b[p];
}

double trm_dantzig_zero(const trm_dantzig *s)
{
    double largest = s->largest_b;
    for (int p = 0; p < s->n; p++) largest = fmax(largest, fabs(s->x[p]));
    return ZERO * largest;
}

bool trm_dantzig_is_satisfied(const trm_dantzig *s, int p, double zero)
{
    const double w = s->w[p];
    return fabs(w) <= zero || (w > 0 && s->x[p] <= s->at[p].lo) || (w < 0 && s->x[p] >= s->at[p].hi);
}

void trm_dantzig_solve_inside(trm_dantzig *s)
{
    trm_dantzig_multiply(s, 0, s->inside, s->x, s->n, s->w);
    for (int k = 0; k < s->inside; k++) s->column[k] = s->w[s->order[k]] + s->b[s->order[k]];
    trm_moving_factor_forward(&s->factor, s->column);
    trm_moving_factor_backward(&s->factor, s->column);
    for (int k = 0; k < s->inside; k++) s->x[s->order[k]] -= s->column[k];
}
