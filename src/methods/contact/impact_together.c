/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Solves several impacts at once: the two phases of Poisson, each of which is a Coulomb problem in round cones,
 *
 *     u = u0 + W p,    p_n >= floor, u_n >= 0, (p_n - floor) u_n = 0,    |p_t| <= mu p_n, p_t opposite to slip
 *
 * with floor = 0 for compression, whose p_n are p_c, and floor = (1 + e) p_c for both phases together. It holds where
 *
 *     F_n = p_n - h = 0,    h = max(floor, p_n - u_n / K_n)
 *     F_t = p_t - (y cut to the length mu h) = 0,    y = p_t - u_t / K_t
 *
 * (Alart, Curnier 1991). K_n and K_t are the responses of W at the point itself. Newton's method solves this in a
 * few rounds. Points of one face are redundant and make W singular. Its diagonal is raised a little in the matrix
 * of Newton's method, but not in F, so that the solution does not change. The result is close to the impulses of
 * least norm, and a symmetric problem has a symmetric solution. Where Newton's method makes no progress, projected
 * Jacobi rounds provide another start. Neither depends on the order of the points.
 *
 * Compression takes energy: dE = p (u0 + u) / 2 = -p W p / 2 + p u, and p u <= 0. Restitution may return too much
 * energy where there is friction or several e; then all e are scaled by one factor. */

#include "linalg/dense.h"
#include "linalg/vectors.h"
#include "methods/contact/impact.h"
#include "trammel/elementary.h"

#include <math.h>
#include <string.h>

#define SOFT         1e-3  /* of the diagonal of W: p in the null space of W is rounding, 1e-16 over this */
#define SOFTEST      1e-10 /* if it takes many rounds */
#define CLOSE        1e-15 /* of the largest |u0|: target of Newton's method */
#define CLOSE_ENOUGH 1e-12 /* of the largest sum of terms of a u: accepted as a solution */
#define HALF         0.53  /* of the sum of |W| along a row; Jacobi rounds need more than 0.5 */
#define ROUNDING     1e-14 /* of the sum of all |p| |u|: smaller gains of energy are zero */

typedef struct problem {
    const trm_impact *impacts;
    int count, rows;
    const double *W, *u0;
    double size;                      /* m/s: largest |u0| */
    double noise;                     /* m/s: error of u0; redundant points may contradict each other by it */
    double *K_n, *K_t, *floor;        /* per point */
    double *D_n, *D_t;                /* per point: steps of Jacobi rounds are 1/D */
    double *p, *u, *F;                /* per row; F in m/s */
    double *next_p, *next_u, *next_F; /* of a trial step */
    double *walk, *best;              /* p of Jacobi rounds; the best p so far */
    double *compression;              /* p of the first phase */
    double soft;                      /* fraction added to the diagonal */
    double *step, *matrix;            /* of Newton's method */
} problem;

/* ---- Velocities and residuals ------------------------------------------------------------- */

static double velocity(const problem *c, int row, const double *p)
{
    double sum = c->u0[row];
    for (int k = 0; k < c->rows; k++) sum += c->W[row * c->rows + k] * p[k];
    return sum;
}

static void velocities(const problem *c, const double *p, double *u)
{
    for (int row = 0; row < c->rows; row++) u[row] = velocity(c, row, p);
}

/* Returns false where both bodies are fixed: no impulse changes u there, and none acts. */
static bool responds(const problem *c, int i)
{
    return c->W[3 * i * (c->rows + 1)] > 0;
}

/* State of a point at given p and u. */
typedef struct point_state {
    double h, y[2], size; /* size = |y| */
    bool held, sticks;    /* h is above the floor; y is not cut */
} point_state;

static point_state state_of(const problem *c, int i, const double *p, const double *u)
{
    point_state s;
    const double free = p[3 * i] - u[3 * i] / c->K_n[i];
    s.held = responds(c, i) && free > c->floor[i];
    s.h = s.held ? free : c->floor[i];
    for (int k = 0; k < 2; k++) s.y[k] = p[3 * i + 1 + k] - u[3 * i + 1 + k] / c->K_t[i];
    s.size = trm_hypot(s.y[0], s.y[1]);
    s.sticks = s.size <= c->impacts[i].friction * s.h;
    return s;
}

static void residual(const problem *c, const double *p, const double *u, double *F)
{
    for (int i = 0; i < c->count; i++) {
        const point_state s = state_of(c, i, p, u);
        F[3 * i] = s.held ? u[3 * i] : c->K_n[i] * (p[3 * i] - s.h);
        for (int k = 1; k < 3; k++) {
            const double cut = s.sticks ? 0 : c->impacts[i].friction * s.h / s.size * s.y[k - 1];
            F[3 * i + k] = s.sticks ? u[3 * i + k] : c->K_t[i] * (p[3 * i + k] - cut);
        }
    }
}

static double square(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += x[i] * x[i];
    return sum;
}

/* ---- Newton's method ---------------------------------------------------------------------- */

/* row += scale du[from]/dp */
static void add_response(const problem *c, double *row, double scale, int from)
{
    const double *w = c->W + (size_t)from * (size_t)c->rows;
    for (int k = 0; k < c->rows; k++) row[k] += scale * w[k];
    row[from] += scale * c->soft * (from % 3 ? c->K_t[from / 3] : c->K_n[from / 3]);
}

/* Adds the row of F_t that is cut: K_t ((1 - cut P) dp_t - mu y/|y| dh) + cut P du_t, P = 1 - y y^T / |y|^2, cut = mu
 * h / |y|. */
static void add_slip(const problem *c, double *row, int i, int k, const point_state *s)
{
    const double mu = c->impacts[i].friction, cut = mu * s->h / s->size, K = c->K_t[i];
    const double side = mu * K * s->y[k] / s->size;
    for (int m = 0; m < 2; m++) {
        const double across = cut * ((m == k) - s->y[k] / s->size * (s->y[m] / s->size));
        row[3 * i + 1 + m] += K * ((m == k) - across);
        if (across != 0) add_response(c, row, across, 3 * i + 1 + m);
    }
    if (!s->held || side == 0) return;
    row[3 * i] -= side;
    add_response(c, row, side / c->K_n[i], 3 * i);
}

static void fill_matrix(const problem *c)
{
    memset(c->matrix, 0, (size_t)c->rows * (size_t)c->rows * sizeof *c->matrix);
    for (int i = 0; i < c->count; i++) {
        const point_state s = state_of(c, i, c->p, c->u);
        double *row = c->matrix + 3 * i * c->rows;
        if (s.held)
            add_response(c, row, 1, 3 * i);
        else
            row[3 * i] = c->K_n[i];
        for (int k = 0; k < 2; k++) {
            row += c->rows;
            if (s.sticks)
                add_response(c, row, 1, 3 * i + 1 + k);
            else
                add_slip(c, row, i, k, &s);
        }
    }
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b, *b = kept;
}

/* Makes the step, halved until F decreases. Returns false if F does not decrease. */
static bool search(problem *c)
{
    enum { HALVINGS = 10 };
    const double before = square(c->F, c->rows);
    double part = 1;
    for (int halving = 0; halving < HALVINGS; halving++, part /= 2) {
        for (int k = 0; k < c->rows; k++) c->next_p[k] = c->p[k] - part * c->step[k];
        velocities(c, c->next_p, c->next_u);
        residual(c, c->next_p, c->next_u, c->next_F);
        if (!(square(c->next_F, c->rows) < (1 - 1e-4 * part) * before)) continue;
        swap(&c->p, &c->next_p), swap(&c->u, &c->next_u), swap(&c->F, &c->next_F);
        return true;
    }
    return false;
}

static void update_residual(problem *c)
{
    velocities(c, c->p, c->u);
    residual(c, c->p, c->u, c->F);
}

/* Returns the remaining F, m/s. */
static double newton(problem *c)
{
    enum { ROUNDS = 30 };
    update_residual(c);
    for (int round = 0; round < ROUNDS && vectors_largest(c->F, c->rows) > CLOSE * c->size; round++) {
        c->soft = fmax(SOFTEST, SOFT * fmin(1, trm_pow(10, 8 - round)));
        fill_matrix(c);
        memcpy(c->step, c->F, (size_t)c->rows * sizeof *c->F);
        if (!trm_dense_solve(c->matrix, c->rows, c->step, 1) || !search(c)) break;
    }
    return vectors_largest(c->F, c->rows);
}

/* ---- Projected Jacobi rounds, and both methods together ----------------------------------- */

/* Computes the normal and friction impulses of one point from the impulses of all points before the round. Steps are
 * the inverse of D, slightly more than half of the sum of |W| along a row: 2 D - W is positive, so that all points
 * together do not overshoot. Both tangents have the same step, because two steps would give friction a wrong
 * direction. */
static void jacobi_at(const problem *c, int i, const double *p, double *next)
{
    const double *at = p + 3 * i;
    double y[2];
    next[3 * i] = fmax(c->floor[i], at[0] - velocity(c, 3 * i, p) / c->D_n[i]);
    for (int k = 0; k < 2; k++) y[k] = at[1 + k] - velocity(c, 3 * i + 1 + k, p) / c->D_t[i];
    const double size = trm_hypot(y[0], y[1]), most = c->impacts[i].friction * next[3 * i];
    for (int k = 0; k < 2; k++) next[3 * i + 1 + k] = size > most ? y[k] * (most / size) : y[k];
}

/* Makes rounds that do not depend on the order of the points. */
static void jacobi(problem *c, int rounds, double *p)
{
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < c->count; i++)
            if (responds(c, i)) jacobi_at(c, i, p, c->next_p);
        for (int i = 0; i < c->count; i++)
            if (responds(c, i)) memcpy(p + 3 * i, c->next_p + 3 * i, 3 * sizeof *p);
    }
}

static void copy(const problem *c, double *to, const double *from)
{
    memcpy(to, from, (size_t)c->rows * sizeof *to);
}

/* Returns the largest sum of the terms of a velocity: rounding is of its order. */
static double size_of_sums(const problem *c)
{
    double most = 0;
    for (int row = 0; row < c->rows; row++) {
        double sum = 0;
        for (int k = 0; k < c->rows; k++) sum += fabs(c->W[row * c->rows + k] * c->p[k]);
        most = fmax(most, sum);
    }
    return c->size + most;
}

/* Solves from p. Each time Newton's method fails, it restarts from the present result of Jacobi rounds. Keeps the
 * best p. */
static void solve(problem *c)
{
    enum { TRIES = 9, ROUNDS = 20 };
    double least = INFINITY;
    copy(c, c->walk, c->p);
    for (int attempt = 0; attempt < TRIES; attempt++) {
        const double left = newton(c);
        if (left < least) {
            least = left;
            copy(c, c->best, c->p);
        }
        if (least <= fmax(CLOSE_ENOUGH * size_of_sums(c), c->noise)) break;
        jacobi(c, ROUNDS << attempt, c->walk);
        copy(c, c->p, c->walk);
    }
    copy(c, c->p, c->best);
    update_residual(c);
}

/* ---- The two phases ----------------------------------------------------------------------- */

/* Returns dE = p (u0 + u) / 2, or zero if it is at most rounding. */
static double energy_gained(const problem *c)
{
    double gain = 0, size = 0;
    for (int k = 0; k < c->rows; k++) {
        gain += c->p[k] * (c->u0[k] + c->u[k]) / 2;
        size += fabs(c->p[k]) * (fabs(c->u0[k]) + fabs(c->u[k]));
    }
    return gain > ROUNDING * size ? gain : 0;
}

static void restitute(problem *c, double part)
{
    for (int i = 0; i < c->count; i++) {
        const double whole = 1 + part * c->impacts[i].restitution, *compression = c->compression + 3 * i;
        c->floor[i] = whole * fmax(0, compression[0]);
        for (int k = 0; k < 3; k++) c->p[3 * i + k] = whole * compression[k];
    }
    solve(c);
}

/* Finds the largest factor of all e that adds no energy. */
static void restitute_less(problem *c)
{
    enum { HALVINGS = 30 };
    double lo = 0, hi = 1;
    for (int halving = 0; halving < HALVINGS; halving++) {
        const double part = (lo + hi) / 2;
        restitute(c, part);
        if (energy_gained(c) > 0)
            hi = part;
        else
            lo = part;
    }
    restitute(c, lo);
}

/* Used if no solution was found: scales p by the factor that takes the most energy. */
static void scale_down(problem *c)
{
    double work = 0, rise = 0;
    for (int k = 0; k < c->rows; k++) {
        work += c->p[k] * c->u0[k];
        rise += c->p[k] * (c->u[k] - c->u0[k]);
    }
    const double part = work < 0 && rise > 0 ? -work / rise : 0;
    for (int k = 0; k < c->rows; k++) c->p[k] *= part;
    update_residual(c);
}

static bool bounces(const problem *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->impacts[i].restitution > 0) return true;
    return false;
}

static bool collide(problem *c)
{
    solve(c);
    copy(c, c->compression, c->p);
    if (bounces(c)) restitute(c, 1);
    const bool too_much = energy_gained(c) > 0;
    if (too_much) restitute_less(c);
    if (too_much && energy_gained(c) > 0) scale_down(c);
    return too_much;
}

static double sum_along(const problem *c, int row)
{
    double sum = 0;
    for (int k = 0; k < c->rows; k++) sum += fabs(c->W[row * c->rows + k]);
    return sum;
}

/* Finds the response of W at each point, for tangents the largest one; 1 where there is none, so that divisions are
 * safe. */
static void find_responses(problem *c)
{
    for (int i = 0; i < c->count; i++) {
        const double *w = c->W + 3 * i * (c->rows + 1), *t1 = w + c->rows + 1, *t2 = t1 + c->rows + 1;
        const double mean = (*t1 + *t2) / 2, half = (*t1 - *t2) / 2;
        const double most = mean + trm_hypot(half, t1[1]);
        c->K_n[i] = responds(c, i) ? *w : 1;
        c->K_t[i] = most > 0 ? most : c->K_n[i];
        c->D_n[i] = fmax(c->K_n[i], HALF * sum_along(c, 3 * i));
        c->D_t[i] = fmax(c->K_t[i], HALF * fmax(sum_along(c, 3 * i + 1), sum_along(c, 3 * i + 2)));
    }
    c->size = vectors_largest(c->u0, c->rows);
}

static double *numbers(trm_arena *arena, int count, bool *enough)
{
    double *x = TRM_NEW_ARRAY(arena, double, count);
    if (!x) *enough = false;
    return x;
}

static bool make_workspace(problem *c, trm_arena *arena)
{
    bool enough = true;
    double **const per_point[] = {&c->K_n, &c->K_t, &c->D_n, &c->D_t, &c->floor};
    double **const per_row[] = {&c->p,      &c->u,    &c->F,    &c->next_p,      &c->next_u,
                                &c->next_F, &c->walk, &c->best, &c->compression, &c->step};
    for (size_t k = 0; k < sizeof per_point / sizeof *per_point; k++)
        *per_point[k] = numbers(arena, c->count, &enough);
    for (size_t k = 0; k < sizeof per_row / sizeof *per_row; k++) *per_row[k] = numbers(arena, c->rows, &enough);
    c->matrix = trm_arena_array(arena, (size_t)c->rows * (size_t)c->rows, sizeof *c->matrix);
    return enough && c->matrix;
}

bool trm_impact_together(const trm_impact_points *points, double *u, double *p, trm_arena *arena, bool *guarded)
{
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    problem c = {.impacts = points->impacts,
                 .count = points->count,
                 .rows = 3 * points->count,
                 .W = points->W,
                 .u0 = u,
                 .noise = points->noise};
    const bool enough = make_workspace(&c, arena);
    if (enough) {
        find_responses(&c);
        *guarded = collide(&c);
        copy(&c, p, c.p);
        copy(&c, u, c.u);
    }
    trm_arena_reset(arena, mark);
    return enough;
}
