/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Eigenvalues of a general real matrix.
 *
 * 1. Householder similarities to upper Hessenberg form H = U^T A U
 * 2. Francis' implicit double shifts to real Schur form; blocks of one or two rows are eigenvalues
 * 3. eigenvectors of the Schur form by back substitution, turned back by U
 *
 * The caller scales the matrix where its rows have different units. */

#include <float.h>
#include <math.h>

#include "linalg/eigen.h"

enum { MOST_ITERATIONS = 100 };

#define H(i, j) h[(i)*n + (j)]
#define U(i, j) u[(i)*n + (j)]

/* ---- Hessenberg form ---------------------------------------------------------------------- */

/* Reflects column m - 1 to Hessenberg form: applies the reflection of its entries from row m on from both sides and
 * accumulates it in u. */
static void reflect_column(double *h, int n, int m, double *u, double *ort)
{
    double scale = 0, square = 0;
    for (int i = m; i < n; i++) scale += fabs(H(i, m - 1));
    if (scale == 0) return;
    for (int i = n - 1; i >= m; i--) ort[i] = H(i, m - 1) / scale, square += ort[i] * ort[i];
    const double g = ort[m] > 0 ? -sqrt(square) : sqrt(square);
    square -= ort[m] * g;
    ort[m] -= g;
    for (int j = 0; j < n; j++) {
        double f = 0;
        for (int i = n - 1; i >= m; i--) f += ort[i] * H(i, j);
        for (int i = m; i < n; i++) H(i, j) -= f / square * ort[i];
    }
    for (int i = 0; i < n; i++) {
        double f = 0;
        for (int j = n - 1; j >= m; j--) f += ort[j] * H(i, j);
        for (int j = m; j < n; j++) H(i, j) -= f / square * ort[j];
    }
    for (int i = 0; u && i < n; i++) {
        double f = 0;
        for (int j = n - 1; j >= m; j--) f += ort[j] * U(i, j);
        for (int j = m; j < n; j++) U(i, j) -= f / square * ort[j];
    }
    for (int i = m + 1; i < n; i++) H(i, m - 1) = 0;
}

static void make_hessenberg(double *h, int n, double *u, double *room)
{
    for (int i = 0; u && i < n; i++)
        for (int j = 0; j < n; j++) U(i, j) = i == j;
    for (int m = 1; m < n - 1; m++) reflect_column(h, n, m, u, room);
}

/* ---- Real Schur form ---------------------------------------------------------------------- */

/* The matrix being reduced and the accumulated similarities. */
typedef struct schur {
    double *h, *u;
    int n;
    double *re, *im;
    double norm, shifted;
} schur;

/* Finishes the block of rows last - 1 and last: splits it by a rotation if its eigenvalues are real, keeps it if
 * they are a pair. */
static void finish_block(schur *s, int last)
{
    double *h = s->h, *u = s->u;
    const int n = s->n, a = last - 1, b = last;
    const double w = H(b, a) * H(a, b);
    double p = (H(a, a) - H(b, b)) / 2, q = p * p + w, z = sqrt(fabs(q));
    H(a, a) += s->shifted, H(b, b) += s->shifted;
    const double x = H(b, b);
    s->re[a] = s->re[b] = x + p, s->im[a] = z, s->im[b] = -z;
    if (q < 0) return;
    z = p >= 0 ? p + z : p - z;
    s->re[a] = x + z, s->re[b] = z != 0 ? x - w / z : x + z;
    s->im[a] = s->im[b] = 0;
    const double y = H(b, a), sum = fabs(y) + fabs(z), r = sqrt(y / sum * (y / sum) + z / sum * (z / sum));
    p = y / sum / r, q = z / sum / r;
    for (int j = a; j < n; j++) {
        const double t = H(a, j);
        H(a, j) = q * t + p * H(b, j);
        H(b, j) = q * H(b, j) - p * t;
    }
    for (int i = 0; i <= b; i++) {
        const double t = H(i, a);
        H(i, a) = q * t + p * H(i, b);
        H(i, b) = q * H(i, b) - p * t;
    }
    for (int i = 0; u && i < n; i++) {
        const double t = U(i, a);
        U(i, a) = q * t + p * U(i, b);
        U(i, b) = q * U(i, b) - p * t;
    }
}

/* Computes the first column of the doubly shifted square, and returns the row m at which the step may begin. */
static int begin_step(const schur *s, int low, int last, double x, double y, double w, double f[3])
{
    const double *h = s->h;
    const int n = s->n;
    for (int m = last - 2;; m--) {
        const double z = H(m, m), r = x - z, t = y - z;
        f[0] = (r * t - w) / H(m + 1, m) + H(m, m + 1);
        f[1] = H(m + 1, m + 1) - z - r - t;
        f[2] = H(m + 2, m + 1);
        const double sum = fabs(f[0]) + fabs(f[1]) + fabs(f[2]);
        for (int i = 0; i < 3; i++) f[i] /= sum;
        if (m == low || fabs(H(m, m - 1)) * (fabs(f[1]) + fabs(f[2])) <
                            DBL_EPSILON * (fabs(f[0]) * (fabs(H(m - 1, m - 1)) + fabs(z) + fabs(H(m + 1, m + 1)))))
            return m;
    }
}

/* Applies one reflection of rows and columns k, k + 1 and, unless it is the last, k + 2. */
static void chase(schur *s, int k, int last, const double f[3], double length)
{
    double *h = s->h, *u = s->u;
    const int n = s->n;
    const bool three = k != last - 1;
    const double p = f[0] + length, q = f[1] / p, r = f[2] / p, x = p / length, y = f[1] / length, z = f[2] / length;
    for (int j = k; j < n; j++) {
        const double t = H(k, j) + q * H(k + 1, j) + (three ? r * H(k + 2, j) : 0);
        if (three) H(k + 2, j) -= t * z;
        H(k, j) -= t * x, H(k + 1, j) -= t * y;
    }
    const int end = last < k + 3 ? last : k + 3;
    for (int i = 0; i <= end; i++) {
        const double t = x * H(i, k) + y * H(i, k + 1) + (three ? z * H(i, k + 2) : 0);
        if (three) H(i, k + 2) -= t * r;
        H(i, k) -= t, H(i, k + 1) -= t * q;
    }
    for (int i = 0; u && i < n; i++) {
        const double t = x * U(i, k) + y * U(i, k + 1) + (three ? z * U(i, k + 2) : 0);
        if (three) U(i, k + 2) -= t * r;
        U(i, k) -= t, U(i, k + 1) -= t * q;
    }
}

static void double_step(schur *s, int low, int last, double x, double y, double w)
{
    double *h = s->h, f[3];
    const int n = s->n, m = begin_step(s, low, last, x, y, w, f);
    for (int i = m + 2; i <= last; i++) {
        H(i, i - 2) = 0;
        if (i > m + 2) H(i, i - 3) = 0;
    }
    for (int k = m; k < last; k++) {
        double scale = 1;
        if (k != m) {
            f[0] = H(k, k - 1), f[1] = H(k + 1, k - 1), f[2] = k != last - 1 ? H(k + 2, k - 1) : 0;
            scale = fabs(f[0]) + fabs(f[1]) + fabs(f[2]);
            if (scale == 0) return;
            for (int i = 0; i < 3; i++) f[i] /= scale;
        }
        double length = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
        if (f[0] < 0) length = -length;
        if (length == 0) continue;
        if (k != m)
            H(k, k - 1) = -length * scale;
        else if (low != m)
            H(k, k - 1) = -H(k, k - 1);
        chase(s, k, last, f, length);
    }
}

/* Applies an exceptional shift, chosen by Wilkinson for iterations that do not converge. */
static void exceptional_shift(schur *s, int last, double *x, double *y, double *w)
{
    double *h = s->h;
    const int n = s->n;
    s->shifted += *x;
    for (int i = 0; i <= last; i++) H(i, i) -= *x;
    const double sum = fabs(H(last, last - 1)) + fabs(H(last - 1, last - 2));
    *x = *y = 0.75 * sum;
    *w = -0.4375 * sum * sum;
}

static bool make_schur(schur *s)
{
    double *h = s->h;
    const int n = s->n;
    int last = n - 1, iterations = 0;
    while (last >= 0) {
        int low = last;
        for (; low > 0; low--) {
            double sum = fabs(H(low - 1, low - 1)) + fabs(H(low, low));
            if (sum == 0) sum = s->norm;
            if (fabs(H(low, low - 1)) <= DBL_EPSILON * sum) break;
        }
        if (low > 0) H(low, low - 1) = 0;
        if (low >= last - 1) {
            if (low == last)
                H(last, last) += s->shifted, s->re[last] = H(last, last), s->im[last] = 0;
            else
                finish_block(s, last);
            last = low - 1, iterations = 0;
            continue;
        }
        if (++iterations > MOST_ITERATIONS) return false;
        double x = H(last, last), y = H(last - 1, last - 1), w = H(last, last - 1) * H(last - 1, last);
        if (iterations % 10 == 0) exceptional_shift(s, last, &x, &y, &w);
        double_step(s, low, last, x, y, w);
    }
    return true;
}

/* ---- Eigenvectors of the Schur form ------------------------------------------------------- */

typedef struct complex_number {
    double re, im;
} complex_number;

static complex_number divide(double ar, double ai, double br, double bi)
{
    if (fabs(br) > fabs(bi)) {
        const double r = bi / br, d = br + r * bi;
        return (complex_number){(ar + r * ai) / d, (ai - r * ar) / d};
    }
    const double r = br / bi, d = bi + r * br;
    return (complex_number){(r * ar + ai) / d, (r * ai - ar) / d};
}

static void real_vector(const schur *s, int c)
{
    double *h = s->h, z = 0, t = 0;
    const int n = s->n;
    const double p = s->re[c];
    int l = c;
    H(c, c) = 1;
    for (int i = c - 1; i >= 0; i--) {
        const double w = H(i, i) - p;
        double r = 0;
        for (int j = l; j <= c; j++) r += H(i, j) * H(j, c);
        if (s->im[i] < 0) { /* the second row of a pair is solved together with the first */
            z = w, t = r;
            continue;
        }
        l = i;
        if (s->im[i] == 0) {
            H(i, c) = -r / (w != 0 ? w : DBL_EPSILON * s->norm);
        } else {
            const double x = H(i, i + 1), y = H(i + 1, i), d = s->re[i] - p;
            const double v = (x * t - z * r) / (d * d + s->im[i] * s->im[i]);
            H(i, c) = v;
            H(i + 1, c) = fabs(x) > fabs(z) ? (-r - w * v) / x : (-t - y * v) / z;
        }
        const double size = fabs(H(i, c));
        if (DBL_EPSILON * size * size > 1)
            for (int j = i; j <= c; j++) H(j, c) /= size;
    }
}

static void put_complex(const schur *s, int row, int c, complex_number z)
{
    double *h = s->h;
    const int n = s->n;
    H(row, c - 1) = z.re, H(row, c) = z.im;
}

/* Solves row i, and i + 1 if they are a pair, of the vector in columns c - 1 and c; z, r, t: remainders of row i +
 * 1. */
static void complex_row(const schur *s, int c, int i, complex_number a, double z, complex_number b)
{
    double *h = s->h;
    const int n = s->n;
    const double p = s->re[c], q = s->im[c], w = H(i, i) - p;
    if (s->im[i] == 0) {
        put_complex(s, i, c, divide(-a.re, -a.im, w, q));
        return;
    }
    const double x = H(i, i + 1), y = H(i + 1, i), d = s->re[i] - p;
    double vr = d * d + s->im[i] * s->im[i] - q * q;
    const double vi = d * 2 * q;
    if (vr == 0 && vi == 0) vr = DBL_EPSILON * s->norm * (fabs(w) + fabs(q) + fabs(x) + fabs(y) + fabs(z));
    put_complex(s, i, c, divide(x * b.re - z * a.re + q * a.im, x * b.im - z * a.im - q * a.re, vr, vi));
    const double u1 = H(i, c - 1), u2 = H(i, c);
    if (fabs(x) > fabs(z) + fabs(q))
        put_complex(s, i + 1, c, (complex_number){(-a.re - w * u1 + q * u2) / x, (-a.im - w * u2 - q * u1) / x});
    else
        put_complex(s, i + 1, c, divide(-b.re - y * u1, -b.im - y * u2, z, q));
}

static void complex_vector(const schur *s, int c)
{
    double *h = s->h, z = 0;
    const int n = s->n;
    const double p = s->re[c], q = s->im[c];
    complex_number below = {0, 0};
    int l = c - 1;
    if (fabs(H(c, c - 1)) > fabs(H(c - 1, c)))
        put_complex(s, c - 1, c, (complex_number){q / H(c, c - 1), -(H(c, c) - p) / H(c, c - 1)});
    else
        put_complex(s, c - 1, c, divide(0, -H(c - 1, c), H(c - 1, c - 1) - p, q));
    put_complex(s, c, c, (complex_number){0, 1});
    for (int i = c - 2; i >= 0; i--) {
        complex_number a = {0, 0};
        for (int j = l; j <= c; j++) a.re += H(i, j) * H(j, c - 1), a.im += H(i, j) * H(j, c);
        if (s->im[i] < 0) {
            z = H(i, i) - p, below = a;
            continue;
        }
        l = i;
        complex_row(s, c, i, a, z, below);
        const double size = fmax(fabs(H(i, c - 1)), fabs(H(i, c)));
        if (DBL_EPSILON * size * size > 1)
            for (int j = i; j <= c; j++) H(j, c - 1) /= size, H(j, c) /= size;
    }
}

static void find_vectors(const schur *s)
{
    double *h = s->h, *u = s->u;
    const int n = s->n;
    for (int c = n - 1; c >= 0; c--)
        if (s->im[c] == 0)
            real_vector(s, c);
        else if (s->im[c] < 0)
            complex_vector(s, c);
    for (int j = n - 1; j >= 0; j--)
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = 0; k <= j; k++) sum += U(i, k) * H(k, j);
            U(i, j) = sum;
        }
}

bool trm_eigen_general(double *a, int n, double *re, double *im, double *v, double *room)
{
    schur s = {.h = a, .u = v, .n = n, .re = re, .im = im};
    for (int i = 0; i < n * n; i++)
        if (!isfinite(a[i])) return false;
    if (n == 0) return true;
    make_hessenberg(a, n, v, room);
    for (int i = 0; i < n; i++)
        for (int j = i > 0 ? i - 1 : 0; j < n; j++) s.norm += fabs(a[i * n + j]);
    if (!make_schur(&s)) return false;
    if (v && s.norm > 0) find_vectors(&s);
    return true;
}
