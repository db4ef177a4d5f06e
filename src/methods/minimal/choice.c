/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Chooses the independent coordinates by the projection criterion.
 *
 * A coordinate is a good choice if its direction is close to the tangent space of the closure, in the metric of M
 * (Schirm, Blajer, Schiehlen 1993, (5), corrected by erratum 11 of docs/errata.md):
 *
 *     cos^2 alpha_i = P_ii / W_ii,     W = M^-1,   P = W - W G^T (G W G^T)^-1 G W
 *
 * It is 0 exactly where the coordinate cannot move. It depends neither on the chosen coordinates nor on their
 * scales. The quality of a choice I is det P_II over the product of its W_ii. With J = (E; X) of that choice P = J
 * (J^T M J)^-1 J^T, so that P_II is the inverse of J^T M J, whose determinant is det M det(G W G^T) / det(G_D)^2.
 * The quality is therefore
 *
 *     det(G_D)^2 prod_D W_ii     up to a factor that all choices share,
 *
 * and in the best choice the dependent columns of G sqrt(diag W) have the largest volume. Exchanging dependent
 * coordinate k for independent coordinate i multiplies the volume by |T_ki|, T_ki = X_ki sqrt(W_ii / W_kk).
 * Exchanges while some |T_ki| > 1 lead to a good choice (Goreinov et al., How to find a good submatrix, 2010), in
 * time linear in the number of coordinates. */

#include <math.h>
#include <string.h>

#include "linalg/block_ldlt.h"
#include "linalg/vectors.h"
#include "methods/minimal/loop.h"

/* An exchange must multiply the volume by more than this. A larger value, up to the ratio of the choice, changes
 * nothing; with a smaller one rounding exchanges equal coordinates to and fro. Tests pass with a tenth and with ten
 * times of it. */
static const double BETTER = 1 + 1e-9;

/* ---- Rows that do not depend on others ---------------------------------------------------- */

/* Independent rows of G, orthonormalised in the metric of W: Q G with Q G W G^T Q^T = 1. The next row is always the
 * one of which the largest fraction of its own value remains. */
typedef struct orthonormal_rows {
    int rank;
    double *rows, *moved; /* rank x n: Q G and Q G W */
} orthonormal_rows;

static void add_scaled(double *to, double s, const double *from, int n)
{
    for (int i = 0; i < n; i++) to[i] += s * from[i];
}

static void swap_rows(double *rows, int n, int a, int b)
{
    for (int i = 0; i < n && a != b; i++) {
        const double kept = rows[a * n + i];
        rows[a * n + i] = rows[b * n + i];
        rows[b * n + i] = kept;
    }
}

/* Orthonormalises the rows of G. free_values: per row of G, the value with which its remainder is compared. Returns
 * false when out of memory. */
static bool orthonormalise(const trm_loop *l, const double *free_values, orthonormal_rows *u, trm_arena *scratch)
{
    const int n = l->n, m = l->m;
    double *values = TRM_NEW_ARRAY(scratch, double, m);
    *u = (orthonormal_rows){0, TRM_NEW_ARRAY(scratch, double, m *n), TRM_NEW_ARRAY(scratch, double, m *n)};
    if (scratch->failed) return false;
    memcpy(values, free_values, (size_t)m * sizeof *values);
    memcpy(u->rows, l->G, (size_t)(m * n) * sizeof *u->rows);
    for (int r = 0; r < m; r++) trm_loop_respond(l, u->rows + r * n, u->moved + r * n);
    for (; u->rank < m; u->rank++) {
        int best = -1;
        double most = TRM_DROPPED;
        for (int r = u->rank; r < m; r++) {
            const double left =
                values[r] > 0 ? vectors_dot_in_order(u->rows + r * n, u->moved + r * n, n) / values[r] : 0;
            if (left > most) most = left, best = r;
        }
        if (best < 0) return true;
        swap_rows(u->rows, n, best, u->rank);
        swap_rows(u->moved, n, best, u->rank);
        values[best] = values[u->rank];
        double *g = u->rows + u->rank * n, *Wg = u->moved + u->rank * n;
        const double length = sqrt(vectors_dot_in_order(g, Wg, n));
        for (int i = 0; i < n; i++) g[i] /= length, Wg[i] /= length;
        for (int r = u->rank + 1; r < m; r++) {
            const double share = vectors_dot_in_order(u->rows + r * n, Wg, n);
            add_scaled(u->rows + r * n, -share, g, n);
            add_scaled(u->moved + r * n, -share, Wg, n);
        }
    }
    return true;
}

/* ---- Exchanges ---------------------------------------------------------------------------- */

/* T of a choice (dependent x independent), and the coordinates of the choice. */
typedef struct exchange {
    int d, f;
    double *T;
    int *dependent, *independent;
} exchange;

static double *entry(const exchange *e, int k, int i)
{
    return &e->T[k * e->f + i];
}

/* Returns the entry of the largest magnitude. */
static double largest(const exchange *e, int *k, int *i)
{
    double most = 0;
    for (int a = 0; a < e->d * e->f; a++)
        if (fabs(e->T[a]) > most) most = fabs(e->T[a]), *k = a / e->f, *i = a % e->f;
    return most;
}

/* Swaps dependent coordinate k and independent coordinate i: a Gauss-Jordan pivot. */
static void swap(exchange *e, int k, int i)
{
    const double pivot = *entry(e, k, i);
    const int kept = e->dependent[k];
    e->dependent[k] = e->independent[i];
    e->independent[i] = kept;
    for (int a = 0; a < e->d; a++) {
        const double share = *entry(e, a, i) / pivot;
        for (int b = 0; a != k && b < e->f; b++)
            if (b != i) *entry(e, a, b) -= share * *entry(e, k, b);
        if (a != k) *entry(e, a, i) = share;
    }
    for (int b = 0; b < e->f; b++)
        if (b != i) *entry(e, k, b) /= -pivot;
    *entry(e, k, i) = 1 / pivot;
}

/* Exchanges while the volume grows; the first exchange must multiply it by more than the ratio. Returns whether
 * any was made. */
static bool exchange_all(exchange *e, double ratio)
{
    int k = 0, i = 0, count = 0;
    for (const int most = 4 * (e->d + e->f); count < most; count++) {
        if (!(largest(e, &k, &i) > (count == 0 ? ratio : BETTER))) break;
        swap(e, k, i);
    }
    return count > 0;
}

static void sort(int *list, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && list[k - 1] > list[k]; k--) {
            const int other = list[k];
            list[k] = list[k - 1];
            list[k - 1] = other;
        }
}

bool trm_choice_improve(const trm_loop *l, double ratio, int *independent, bool *any, trm_arena *scratch)
{
    const int d = l->n - l->f, f = l->f;
    exchange e = {d, f, TRM_NEW_ARRAY(scratch, double, d *f), TRM_NEW_ARRAY(scratch, int, d), independent};
    *any = false;
    if (scratch->failed) return false;
    memcpy(e.dependent, l->dependent, (size_t)d * sizeof *e.dependent);
    memcpy(independent, l->independent, (size_t)f * sizeof *independent);
    for (int k = 0; k < d; k++)
        for (int i = 0; i < f; i++)
            e.T[k * f + i] = l->X[k * f + i] * l->weight[l->independent[i]] / l->weight[l->dependent[k]];
    *any = exchange_all(&e, fmax(sqrt(ratio), BETTER));
    sort(independent, f);
    return true;
}

/* ---- The first choice --------------------------------------------------------------------- */

/* Returns the longest of the remaining columns. */
static int longest_column(const orthonormal_rows *u, int n, int from, const int *order)
{
    int best = from;
    double most = -1;
    for (int c = from; c < n; c++) {
        double square = 0;
        for (int r = from; r < u->rank; r++) square += u->rows[r * n + order[c]] * u->rows[r * n + order[c]];
        if (square > most) most = square, best = c;
    }
    return best;
}

/* Gauss-Jordan elimination of the rows by the chosen columns, the longest first, with the best row. Then the
 * columns of the dependent coordinates are unit vectors and the others -T. order: the dependent ones first. */
static void eliminate(const orthonormal_rows *u, int n, int *order)
{
    for (int k = 0; k < u->rank; k++) {
        const int c = longest_column(u, n, k, order), column = order[c];
        int best = k;
        order[c] = order[k];
        order[k] = column;
        for (int r = k; r < u->rank; r++)
            if (fabs(u->rows[r * n + column]) > fabs(u->rows[best * n + column])) best = r;
        swap_rows(u->rows, n, best, k);
        const double pivot = u->rows[k * n + column];
        for (int i = 0; i < n; i++) u->rows[k * n + i] /= pivot;
        for (int r = 0; r < u->rank; r++)
            if (r != k) add_scaled(u->rows + r * n, -u->rows[r * n + column], u->rows + k * n, n);
    }
}

static bool choose(const trm_loop *l, const orthonormal_rows *u, int *independent, trm_arena *scratch)
{
    const int n = l->n, d = u->rank, f = n - d;
    exchange e = {d, f, TRM_NEW_ARRAY(scratch, double, d *f), TRM_NEW_ARRAY(scratch, int, n), independent};
    if (scratch->failed) return false;
    for (int r = 0; r < d; r++)
        for (int i = 0; i < n; i++) u->rows[r * n + i] *= l->weight[i];
    for (int i = 0; i < n; i++) e.dependent[i] = i;
    eliminate(u, n, e.dependent);
    for (int i = 0; i < f; i++) {
        independent[i] = e.dependent[d + i];
        for (int k = 0; k < d; k++) e.T[k * f + i] = -u->rows[k * n + independent[i]];
    }
    exchange_all(&e, BETTER);
    sort(independent, f);
    return true;
}

bool trm_choice_find(const trm_loop *l, const double *values, trm_loop_choice *choice, trm_arena *scratch)
{
    orthonormal_rows u;
    if (!orthonormalise(l, values, &u, scratch)) return false;
    *choice = (trm_loop_choice){u.rank, TRM_NEW_ARRAY(scratch, int, l->n), TRM_NEW_ARRAY(scratch, double, l->n)};
    if (scratch->failed) return false;
    for (int i = 0; i < l->n; i++) {
        double off = 0;
        for (int r = 0; r < u.rank; r++) off += u.moved[r * l->n + i] * u.moved[r * l->n + i];
        choice->criteria[i] = 1 - off / (l->weight[i] * l->weight[i]);
    }
    return choose(l, &u, choice->independent, scratch);
}
