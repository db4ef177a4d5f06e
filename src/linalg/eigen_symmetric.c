/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include <float.h>
#include <math.h>

#include "linalg/eigen.h"

enum { MOST_SWEEPS = 60 };

#define V(i, j) v[(i)*n + (j)]

static bool is_finite_matrix(const double *a, int n)
{
    for (int i = 0; i < n * n; i++)
        if (!isfinite(a[i])) return false;
    return true;
}

/* Applies one Householder similarity to the leading i x i block: e = (V d)/h minus the term that keeps the matrix
 * symmetric. */
static void reflect_block(double *v, int n, int i, double h, double *d, double *e)
{
    for (int j = 0; j < i; j++) e[j] = 0;
    for (int j = 0; j < i; j++) {
        double f = d[j], g;
        V(j, i) = f;
        g = e[j] + V(j, j) * f;
        for (int k = j + 1; k < i; k++) {
            g += V(k, j) * d[k];
            e[k] += V(k, j) * f;
        }
        e[j] = g;
    }
    double f = 0;
    for (int j = 0; j < i; j++) e[j] /= h, f += e[j] * d[j];
    const double hh = f / (h + h);
    for (int j = 0; j < i; j++) e[j] -= hh * d[j];
    for (int j = 0; j < i; j++) {
        const double fj = d[j], gj = e[j];
        for (int k = j; k < i; k++) V(k, j) -= fj * e[k] + gj * d[k];
        d[j] = V(i - 1, j);
        V(i, j) = 0;
    }
}

/* Replaces V by the product of the reflections. */
static void gather(double *v, int n, double *d)
{
    for (int i = 0; i < n - 1; i++) {
        V(n - 1, i) = V(i, i);
        V(i, i) = 1;
        const double h = d[i + 1];
        if (h != 0) {
            for (int k = 0; k <= i; k++) d[k] = V(k, i + 1) / h;
            for (int j = 0; j <= i; j++) {
                double g = 0;
                for (int k = 0; k <= i; k++) g += V(k, i + 1) * V(k, j);
                for (int k = 0; k <= i; k++) V(k, j) -= g * d[k];
            }
        }
        for (int k = 0; k <= i; k++) V(k, i + 1) = 0;
    }
    for (int j = 0; j < n; j++) d[j] = V(n - 1, j), V(n - 1, j) = 0;
    V(n - 1, n - 1) = 1;
}

/* Reduces V to tridiagonal form. d: the diagonal; e: the superdiagonal, from e[1] on. */
static void tridiagonalise(double *v, int n, double *d, double *e)
{
    for (int j = 0; j < n; j++) d[j] = V(n - 1, j);
    for (int i = n - 1; i > 0; i--) {
        double scale = 0, h = 0;
        for (int k = 0; k < i; k++) scale += fabs(d[k]);
        if (scale == 0) {
            e[i] = d[i - 1];
            for (int j = 0; j < i; j++) d[j] = V(i - 1, j), V(i, j) = 0, V(j, i) = 0;
        } else {
            for (int k = 0; k < i; k++) d[k] /= scale, h += d[k] * d[k];
            const double f = d[i - 1], g = f > 0 ? -sqrt(h) : sqrt(h);
            e[i] = scale * g;
            h -= f * g;
            d[i - 1] = f - g;
            const double kept = e[i];
            reflect_block(v, n, i, h, d, e);
            e[i] = kept;
        }
        d[i] = h;
    }
    gather(v, n, d);
    e[0] = 0;
}

/* Performs one implicit QL step with Wilkinson's shift on rows l .. m. */
static void ql_step(double *v, int n, int l, int m, double *d, double *e, double *shifted)
{
    double g = d[l], p = (d[l + 1] - g) / (2 * e[l]), r = sqrt(p * p + 1);
    if (p < 0) r = -r;
    d[l] = e[l] / (p + r);
    d[l + 1] = e[l] * (p + r);
    const double dl1 = d[l + 1], h = g - d[l], el1 = e[l + 1];
    for (int i = l + 2; i < n; i++) d[i] -= h;
    *shifted += h;
    p = d[m];
    double c = 1, c2 = 1, c3 = 1, s = 0, s2 = 0;
    for (int i = m - 1; i >= l; i--) {
        c3 = c2, c2 = c, s2 = s;
        g = c * e[i];
        const double hi = c * p;
        r = sqrt(p * p + e[i] * e[i]);
        e[i + 1] = s * r;
        s = e[i] / r, c = p / r;
        p = c * d[i] - s * g;
        d[i + 1] = hi + s * (c * g + s * d[i]);
        for (int k = 0; k < n; k++) {
            const double x = V(k, i + 1);
            V(k, i + 1) = s * V(k, i) + c * x;
            V(k, i) = c * V(k, i) - s * x;
        }
    }
    p = -s * s2 * c3 * el1 * e[l] / dl1;
    e[l] = s * p;
    d[l] = c * p;
}

static bool diagonalise(double *v, int n, double *d, double *e)
{
    double shifted = 0, largest = 0;
    for (int i = 1; i < n; i++) e[i - 1] = e[i];
    e[n - 1] = 0;
    for (int l = 0; l < n; l++) {
        int m = l, sweeps = 0;
        largest = fmax(largest, fabs(d[l]) + fabs(e[l]));
        while (m < n - 1 && fabs(e[m]) > DBL_EPSILON * largest) m++;
        if (m > l) do {
                if (++sweeps > MOST_SWEEPS) return false;
                ql_step(v, n, l, m, d, e, &shifted);
            } while (fabs(e[l]) > DBL_EPSILON * largest);
        d[l] += shifted;
        e[l] = 0;
    }
    return true;
}

static void sort(double *v, int n, double *d)
{
    for (int i = 0; i < n - 1; i++) {
        int least = i;
        for (int j = i + 1; j < n; j++)
            if (d[j] < d[least]) least = j;
        if (least == i) continue;
        const double swap = d[i];
        d[i] = d[least], d[least] = swap;
        for (int k = 0; k < n; k++) {
            const double x = V(k, i);
            V(k, i) = V(k, least), V(k, least) = x;
        }
    }
}

bool trm_eigen_symmetric(double *a, int n, double *w, double *room)
{
    if (n == 0) return true;
    if (!is_finite_matrix(a, n)) return false;
    tridiagonalise(a, n, w, room);
    if (!diagonalise(a, n, w, room)) return false;
    sort(a, n, w);
    return true;
}
