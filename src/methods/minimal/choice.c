/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Which coordinates are independent: the projection criterion.
 *
 * The nearer the direction of a coordinate lies to the tangent space of the closure, in the metric of M, the better it serves
 * (Schirm, Blajer, Schiehlen 1993, (5), which must read, erratum 11 of docs/errata.md):
 *
 *     cos^2 alpha_i = P_ii / (M^-1)_ii,     P = J M_1^-1 J^T                                        in the tangent space
 *                                             = M^-1 - M^-1 G^T (G M^-1 G^T)^-1 G M^-1              in the space of constraints
 *
 * It is 0 just where the coordinate cannot move, and depends neither on the coordinates chosen nor on their scales. Of several
 * degrees of freedom each pivot of the elimination of C_ij = P_ij / sqrt((M^-1)_ii (M^-1)_jj) is the criterion of a coordinate when
 * those before it are taken, and their product, det C_II, the quality of the choice. */

#include <math.h>

#include "linalg/dense.h"
#include "methods/minimal/loop.h"

/* Of a row's own value: what is left of it beside others when it depends on them. */
static const double DEPENDENT = 1e-11;

/* C <- P scaled by the diagonal of M^-1. */
static void scale(double *P, int n, const double *inverse)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) P[i * n + k] /= sqrt(inverse[i * n + i] * inverse[k * n + k]);
}

/* A row of J: of coordinate i along independent coordinate k. */
static void fill_tangent(const trm_loop *l, double *J)
{
    for (int i = 0; i < l->n * l->f; i++) J[i] = 0;
    for (int k = 0; k < l->f; k++) J[l->independent[k] * l->f + k] = 1;
    for (int i = 0; i < l->n - l->f; i++)
        for (int k = 0; k < l->f; k++) J[l->dependent[i] * l->f + k] = l->X[i * l->f + k];
}

bool trm_choice_by_tangent(const trm_loop *l, double *C, trm_arena *scratch)
{
    const int n = l->n, f = l->f;
    double *inverse = TRM_NEW_ARRAY(scratch, double, n *n), *J = TRM_NEW_ARRAY(scratch, double, n *f);
    if (!inverse || !J || !trm_dense_inverse_positive(l->M, n, inverse)) return false;
    fill_tangent(l, J);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double sum = 0;
            for (int a = 0; a < f; a++)
                for (int b = 0; b < f; b++) sum += J[i * f + a] * l->inverse[a * f + b] * J[k * f + b];
            C[i * n + k] = sum;
        }
    scale(C, n, inverse);
    return true;
}

/* Takes a row g of G off the metric: P <- P - (P g)(P g)^T / (g . P g); false: it was off already. */
static bool take_off(double *P, int n, const double *g, double whole, double *Pg)
{
    double own = 0;
    for (int i = 0; i < n; i++) {
        Pg[i] = 0;
        for (int k = 0; k < n; k++) Pg[i] += P[i * n + k] * g[k];
        own += Pg[i] * g[i];
    }
    if (!(own > DEPENDENT * whole)) return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) P[i * n + k] -= Pg[i] * Pg[k] / own;
    return true;
}

/* g . P g */
static double own_value(const double *P, int n, const double *g)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) sum += g[i] * P[i * n + k] * g[k];
    return sum;
}

/* Row after row, those that have most left first. */
bool trm_choice_by_constraints(const trm_loop *l, const double *values, double *C, int *rank, trm_arena *scratch)
{
    const int n = l->n, m = l->m;
    double *inverse = TRM_NEW_ARRAY(scratch, double, n *n), *Pg = TRM_NEW_ARRAY(scratch, double, n);
    bool *done = TRM_NEW_ARRAY(scratch, bool, m);
    if (!inverse || !Pg || !done || !trm_dense_inverse_positive(l->M, n, inverse)) return false;
    for (int i = 0; i < n * n; i++) C[i] = inverse[i];
    for (*rank = 0; *rank < m; ++*rank) {
        int best = -1;
        double most = 0;
        for (int r = 0; r < m; r++) {
            const double left = done[r] || !(values[r] > 0) ? 0 : own_value(C, n, l->G + r * n) / values[r];
            if (left > most) most = left, best = r;
        }
        if (best < 0 || !take_off(C, n, l->G + best * n, values[best], Pg)) break;
        done[best] = true;
    }
    scale(C, n, inverse);
    return true;
}

/* ---- Sets --------------------------------------------------------------------------------- */

/* Eliminates one coordinate from what is left of C. */
static void eliminate(double *C, int n, int pivot)
{
    const double own = C[pivot * n + pivot];
    for (int i = 0; i < n; i++) {
        const double share = C[i * n + pivot] / own;
        for (int k = 0; i != pivot && k < n; k++)
            if (k != pivot) C[i * n + k] -= share * C[pivot * n + k];
    }
    for (int i = 0; i < n; i++) C[i * n + pivot] = C[pivot * n + i] = 0;
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

double trm_choice_best(double *C, int n, int f, int *chosen)
{
    double quality = 1;
    for (int k = 0; k < f; k++) {
        int best = 0;
        for (int i = 1; i < n; i++)
            if (C[i * n + i] > C[best * n + best]) best = i;
        chosen[k] = best;
        quality *= C[best * n + best];
        eliminate(C, n, best);
    }
    sort(chosen, f);
    return quality;
}

double trm_choice_quality(const double *C, int n, int f, const int *chosen, trm_arena *scratch)
{
    double *left = TRM_NEW_ARRAY(scratch, double, n *n), quality = 1;
    if (!left) return NAN;
    for (int i = 0; i < n * n; i++) left[i] = C[i];
    for (int k = 0; k < f; k++) {
        const double own = left[chosen[k] * n + chosen[k]];
        if (!(own > 0)) return 0;
        quality *= own;
        eliminate(left, n, chosen[k]);
    }
    return quality;
}
