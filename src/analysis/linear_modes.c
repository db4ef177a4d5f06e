/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Eigenvalues and mode shapes.
 *
 * Without damping and with a symmetric K, M = L L^T makes L^-1 K L^-T symmetric. Its eigenvalues w are -lambda^2,
 * exact to rounding even where they vanish. Otherwise lambda are the eigenvalues of A. Zero eigenvalues are
 * removed first, because rounding would split a double zero into +-1e-8. With S the null space of A and Q its
 * complement, A is similar to (0 *; 0 Q^T A Q), and the same is repeated for Q^T A Q (the staircase form). An
 * eigenvector y of the remaining matrix belongs to x = A^k Q y / lambda^k, with k the number of stairs. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/linear.h"
#include "linalg/eigen.h"

/* Fractions of the largest one that count as zero: eigenvalues of K over M; entries of A; entries of A that is
 * computed by differences. Larger values count slow frequencies as free motion, or clear couplings. Smaller ones
 * report rounding as a slow mode (NO_STIFFNESS: test analysis_modes) or as a coupling (NO_ENTRY: test analysis_steady
 * fails at a tenth). */
static const double NO_STIFFNESS = 1e-11, NO_ENTRY = 1e-9, NO_ENTRY_IN_MOTION = 1e-7;

typedef struct mode_list {
    trm_mode *modes;
    double *shapes;
    int count;
} mode_list;

/* ---- Listing ------------------------------------------------------------------------------ */

/* Writes the twists of all bodies for coordinates q into the real or imaginary part of a shape. */
static void put_shape(const trm_linear_work *l, const double *q, int part, double *shape)
{
    const trm_linearisation *r = l->result;
    for (int i = 0; i < 6 * l->s.model->shown_body_count; i++) {
        double sum = 0;
        for (int k = 0; k < r->freedoms; k++) sum += r->motion[(size_t)i * (size_t)r->freedoms + (size_t)k] * q[k];
        shape[i / 6 * 12 + 6 * part + i % 6] = sum;
    }
}

/* Names the coordinate with the largest part. */
static void describe(const trm_linear_work *l, const double *re, const double *im, trm_mode *mode)
{
    int most = 0;
    double square = -1;
    for (int k = 0; k < l->result->freedoms; k++) {
        const double here = re[k] * re[k] + (im ? im[k] * im[k] : 0);
        if (here > square * (1 + 1e-9)) square = here, most = k;
    }
    const char *name = l->result->names ? l->result->names[most] : NULL;
    snprintf(mode->text, sizeof mode->text, "mostly %.100s", name ? name : "");
}

static void add_mode(const trm_linear_work *l, mode_list *list, double re, double im, const double *q_re,
                     const double *q_im)
{
    trm_mode *mode = &list->modes[list->count];
    double *shape = list->shapes + (size_t)list->count++ * 12 * (size_t)l->s.model->shown_body_count;
    const double size = sqrt(re * re + im * im);
    *mode = (trm_mode){.re = re, .im = im, .damping = re != 0 ? -re / size : 0};
    mode->frequency = im != 0 ? size / (2 * TRM_PI) : 0;
    mode->zero = size == 0;
    describe(l, q_re, q_im, mode);
    put_shape(l, q_re, 0, shape);
    if (q_im) put_shape(l, q_im, 1, shape);
}

/* ---- Without damping ---------------------------------------------------------------------- */

/* Factorises M = L L^T in the lower triangle. Returns false if M is not positive definite. */
static bool cholesky(double *a, int n)
{
    for (int j = 0; j < n; j++) {
        double d = a[j * n + j];
        for (int k = 0; k < j; k++) d -= a[j * n + k] * a[j * n + k];
        if (!(d > 0)) return false;
        a[j * n + j] = sqrt(d);
        for (int i = j + 1; i < n; i++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = sum / a[j * n + j];
        }
    }
    return true;
}

/* Columns of X <- L^-1 X. */
static void solve_lower(const double *L, int n, double *X, int columns)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            for (int c = 0; c < columns; c++) X[i * columns + c] -= L[i * n + k] * X[k * columns + c];
        for (int c = 0; c < columns; c++) X[i * columns + c] /= L[i * n + i];
    }
}

/* x <- L^-T x */
static void solve_upper(const double *L, int n, double *x)
{
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
}

static void transpose(double *a, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            const double swap = a[i * n + j];
            a[i * n + j] = a[j * n + i], a[j * n + i] = swap;
        }
}

/* Names the motions with zero eigenvalue, each moving as few bodies as possible. V: eigenvectors as columns,
 * already multiplied by L^-T. */
static bool name_zero_modes(trm_linear_work *l, mode_list *list, const double *V, int first, int count)
{
    const int f = l->f, n = l->s.n;
    trm_motion_note *notes = TRM_NEW_ARRAY(&l->s.arena, trm_motion_note, count + 1);
    double *basis = TRM_NEW_ARRAY(&l->s.arena, double, (size_t)(count + 1) * (size_t)n);
    double *q = TRM_NEW_ARRAY(&l->s.arena, double, f + 1);
    if (!notes || !basis || !q) return false;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < f; j++)
                basis[(size_t)k * (size_t)n + (size_t)i] +=
                    l->S[(size_t)i * (size_t)f + (size_t)j] * V[(size_t)j * (size_t)f + (size_t)(first + k)];
    if (!trm_name_motions(&l->s, basis, count, notes, &l->s.arena)) return false;
    for (int k = 0; k < count; k++) {
        double *shape = list->shapes + (size_t)list->count * 12 * (size_t)l->s.model->shown_body_count;
        for (int j = 0; j < f; j++) q[j] = V[(size_t)j * (size_t)f + (size_t)(first + k)];
        add_mode(l, list, 0, 0, q, NULL);
        trm_system_twists(&l->s, basis + (size_t)k * (size_t)n, l->s.velocity);
        for (int b = 0; b < l->s.model->shown_body_count; b++) {
            const trm_spatial v = l->s.velocity[b];
            const double xi[6] = {v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z};
            memcpy(shape + (size_t)b * 12, xi, sizeof xi);
        }
        snprintf(list->modes[list->count - 1].text, sizeof list->modes->text, "%s", notes[k].text);
    }
    return true;
}

/* Returns false when out of memory, or if M is not positive definite. */
static bool undamped_modes(trm_linear_work *l, mode_list *list)
{
    const int f = l->f;
    const size_t square = (size_t)f * (size_t)f;
    trm_arena *arena = &l->s.arena;
    double *L = trm_arena_copy(arena, l->M, square, sizeof *L), *H = trm_arena_copy(arena, l->K, square, sizeof *H);
    double *w = TRM_NEW_ARRAY(arena, double, f + 1), *room = TRM_NEW_ARRAY(arena, double, f + 1);
    double *q = TRM_NEW_ARRAY(arena, double, f + 1);
    if (!L || !H || !w || !room || !q || !cholesky(L, f)) return false;
    solve_lower(L, f, H, f);
    transpose(H, f);
    solve_lower(L, f, H, f);
    if (!trm_eigen_symmetric(H, f, w, room)) return false;
    double most = 0;
    int first = -1, zeros = 0;
    for (int i = 0; i < f; i++) most = fmax(most, fabs(w[i]));
    for (int i = 0; i < f; i++) {
        for (int k = 0; k < f; k++) q[k] = H[k * f + i];
        solve_upper(L, f, q);
        for (int k = 0; k < f; k++) H[k * f + i] = q[k];
        if (fabs(w[i]) > NO_STIFFNESS * most) continue;
        if (zeros++ == 0) first = i;
    }
    if (zeros > 0 && !name_zero_modes(l, list, H, first, zeros)) return false;
    l->result->zero_count = zeros;
    for (int i = 0; i < f; i++) {
        if (fabs(w[i]) <= NO_STIFFNESS * most) continue;
        for (int k = 0; k < f; k++) q[k] = H[k * f + i];
        if (w[i] > 0) add_mode(l, list, 0, sqrt(w[i]), q, NULL);
        if (w[i] < 0) add_mode(l, list, sqrt(-w[i]), 0, q, NULL), add_mode(l, list, -sqrt(-w[i]), 0, q, NULL);
    }
    return true;
}

/* ---- Any A -------------------------------------------------------------------------------- */

/* Balances a by a diagonal similarity with powers of two: a <- d^-1 a d. */
static void balance(double *a, int n, double *d)
{
    bool changed = true;
    for (int i = 0; i < n; i++) d[i] = 1;
    for (int round = 0; changed && round < 100; round++) {
        changed = false;
        for (int i = 0; i < n; i++) {
            double row = 0, column = 0, f = 1;
            for (int j = 0; j < n; j++)
                if (j != i) column += fabs(a[j * n + i]), row += fabs(a[i * n + j]);
            if (column == 0 || row == 0) continue;
            const double sum = column + row;
            while (column < row / 2) f *= 2, column *= 4;
            while (column >= row * 2) f /= 2, column /= 4;
            if (f == 1 || (column + row) / f >= 0.95 * sum) continue;
            changed = true;
            d[i] *= f;
            for (int j = 0; j < n; j++) a[i * n + j] /= f;
            for (int j = 0; j < n; j++) a[j * n + i] *= f;
        }
    }
}

typedef struct staircase {
    int n, left; /* number of states; number of remaining states */
    double *Q;   /* n x left: basis of the remaining balanced states */
    double *A;   /* left x left */
    int stairs;
} staircase;

static double largest_row(const double *a, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        double square = 0;
        for (int j = 0; j < n; j++) square += a[i * n + j] * a[i * n + j];
        most = fmax(most, square);
    }
    return sqrt(most);
}

/* Makes one stair: splits off the null space of A. Returns false when out of memory. */
static bool descend_stair(staircase *c, trm_arena *arena, double nothing, bool *changed)
{
    const int n = c->left;
    trm_null_space *null = trm_null_space_create(arena, n, n);
    if (!null) return false;
    trm_null_space_find(null, c->A, n, nothing);
    const int kept = null->rank;
    *changed = kept < n;
    if (!*changed) return true;
    double *A = TRM_NEW_ARRAY(arena, double, (size_t)kept *(size_t)kept + 1);
    double *AQ = TRM_NEW_ARRAY(arena, double, (size_t)n *(size_t)kept + 1);
    double *Q = TRM_NEW_ARRAY(arena, double, (size_t)c->n *(size_t)kept + 1);
    if (!A || !AQ || !Q) return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < kept; k++)
            for (int j = 0; j < n; j++) AQ[i * kept + k] += c->A[i * n + j] * null->Q[j * n + k];
    for (int i = 0; i < kept; i++)
        for (int k = 0; k < kept; k++)
            for (int j = 0; j < n; j++) A[i * kept + k] += null->Q[j * n + i] * AQ[j * kept + k];
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < kept; k++)
            for (int j = 0; j < n; j++) Q[i * kept + k] += c->Q[i * n + j] * null->Q[j * n + k];
    c->A = A, c->Q = Q, c->left = kept, c->stairs++;
    return true;
}

/* x = A^k Q y / lambda^k, real and imaginary part. */
static void full_vector(const staircase *c, const double *A, double re, double im, const double *y_re,
                        const double *y_im, double *x)
{
    const int n = c->n;
    double *xr = x, *xi = x + n, *t = x + 2 * n;
    for (int i = 0; i < n; i++) {
        xr[i] = xi[i] = 0;
        for (int k = 0; k < c->left; k++) {
            xr[i] += c->Q[i * c->left + k] * y_re[k * c->left];
            if (y_im) xi[i] += c->Q[i * c->left + k] * y_im[k * c->left];
        }
    }
    const double square = re * re + im * im;
    for (int stair = 0; stair < c->stairs; stair++) {
        for (int i = 0; i < 2 * n; i++) {
            t[i] = 0;
            for (int j = 0; j < n; j++) t[i] += A[(i % n) * n + j] * x[(i < n ? 0 : n) + j];
        }
        for (int i = 0; i < n; i++) {
            xr[i] = (t[i] * re + t[n + i] * im) / square;
            xi[i] = (t[n + i] * re - t[i] * im) / square;
        }
    }
}

static bool list_eigenvalues(trm_linear_work *l, const staircase *c, const double *A, const double *d,
                             mode_list *list)
{
    const int n = c->left;
    trm_arena *arena = &l->s.arena;
    double *re = TRM_NEW_ARRAY(arena, double, n + 1), *im = TRM_NEW_ARRAY(arena, double, n + 1);
    double *v = TRM_NEW_ARRAY(arena, double, (size_t)n *(size_t)n + 1), *room = TRM_NEW_ARRAY(arena, double, n + 1);
    double *x = TRM_NEW_ARRAY(arena, double, 4 * (size_t)c->n + 1);
    if (!re || !im || !v || !room || !x || !trm_eigen_general(c->A, n, re, im, v, room)) return false;
    for (int k = 0; k < n; k++) {
        if (im[k] < 0) continue;
        full_vector(c, A, re[k], im[k], v + k, im[k] > 0 ? v + k + 1 : NULL, x);
        for (int i = 0; i < c->n; i++) x[i] *= d[i], x[c->n + i] *= d[i];
        add_mode(l, list, re[k], im[k], x, im[k] > 0 ? x + c->n : NULL);
    }
    return true;
}

/* Sets entries of A that are rounding errors of differences to zero. Otherwise balancing 1e-9 against 1 would raise
 * both to 3e-5. */
static void drop_rounding(double *A, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(A[i]));
    for (int i = 0; i < count; i++)
        if (fabs(A[i]) < NO_ENTRY * most) A[i] = 0;
}

static bool general_modes(trm_linear_work *l, mode_list *list)
{
    trm_linearisation *r = l->result;
    const int n = r->state_count;
    trm_arena *arena = &l->s.arena;
    double *A = trm_arena_copy(arena, r->A, (size_t)n * (size_t)n, sizeof *A),
           *d = TRM_NEW_ARRAY(arena, double, n + 1);
    staircase c = {.n = n, .left = n, .Q = TRM_NEW_ARRAY(arena, double, (size_t)n *(size_t)n + 1)};
    if (!A || !d || !c.Q) return false;
    if (r->moving) drop_rounding(A, n * n);
    balance(A, n, d);
    c.A = trm_arena_copy(arena, A, (size_t)n * (size_t)n, sizeof *A);
    if (!c.A) return false;
    for (int i = 0; i < n; i++) c.Q[i * n + i] = 1;
    const double nothing = (r->moving ? NO_ENTRY_IN_MOTION : NO_ENTRY) * largest_row(A, n);
    bool changed = true;
    while (changed && c.left > 0)
        if (!descend_stair(&c, arena, nothing, &changed)) return false;
    double *none = TRM_NEW_ARRAY(arena, double, r->freedoms + 1);
    if (!none) return false;
    for (int k = 0; k < n - c.left; k++) {
        add_mode(l, list, 0, 0, none, NULL);
        snprintf(list->modes[list->count - 1].text, sizeof list->modes->text, "steady motion");
    }
    r->zero_count = n - c.left;
    return list_eigenvalues(l, &c, A, d, list);
}

/* ---- Both --------------------------------------------------------------------------------- */

static bool is_undamped(const trm_linear_work *l)
{
    double D = 0, K = 0, skew = 0, M = 0;
    for (int i = 0; i < l->f * l->f; i++) {
        const int mirror = i % l->f * l->f + i / l->f;
        D = fmax(D, fabs(l->D[i])), K = fmax(K, fabs(l->K[i])), M = fmax(M, fabs(l->M[i]));
        skew = fmax(skew, fabs(l->K[i] - l->K[mirror]));
    }
    return D <= 1e-14 * sqrt(K * M) && skew <= 1e-8 * K;
}

/* Keeps zero modes first; sorts the others by ascending size, then damping. */
static void sort_modes(const trm_linear_work *l, mode_list *list)
{
    const size_t shape = 12 * (size_t)l->s.model->shown_body_count;
    for (int i = l->result->zero_count + 1; i < list->count; i++)
        for (int k = i; k > l->result->zero_count; k--) {
            trm_mode *a = &list->modes[k - 1], *b = &list->modes[k];
            const double x = a->re * a->re + a->im * a->im, y = b->re * b->re + b->im * b->im;
            if (x <= y) break;
            const trm_mode swap = *a;
            *a = *b, *b = swap;
            for (size_t j = 0; j < shape; j++) {
                double *p = list->shapes + (size_t)(k - 1) * shape + j, *q = p + shape;
                const double number = *p;
                *p = *q, *q = number;
            }
        }
}

bool trm_linear_modes(trm_linear_work *l)
{
    trm_linearisation *r = l->result;
    const size_t most = (size_t)r->state_count + 1;
    mode_list list = {.modes = TRM_NEW_ARRAY(r->arena, trm_mode, most),
                      .shapes = TRM_NEW_ARRAY(r->arena, double, most * 12 * (size_t)l->s.model->shown_body_count)};
    if (!list.modes || !list.shapes) return false;
    const bool good = !r->moving && is_undamped(l) ? undamped_modes(l, &list) : general_modes(l, &list);
    sort_modes(l, &list);
    r->modes = list.modes, r->shapes = list.shapes, r->mode_count = list.count;
    return good;
}
