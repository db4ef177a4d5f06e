/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Planar loops in minimal form (Schirm, Blajer, Schiehlen 1993), self-contained: no model, no tree.
 *
 *     M(y) y'' + k(y, y') = q + G^T f,    Phi(y) = 0,    G = dPhi/dy,    G y'' + gamma = 0
 *
 * y holds absolute coordinates: (x, y) of a pendulum, angles of the bars of a four-bar, angles and position of a
 * slider crank. One of them, number I, is independent; all others follow by closed forms, on the branch nearest to a
 * prediction from the last accepted step. With y_D' = X y_I' and y_D'' = X y_I'' + xi on the loop, J = (1, X):
 *
 *     J^T M J y_I'' = J^T (q - k - M (0, xi))                                                                 (4)
 *     cos^2 alpha_i = J_i^2 / (J^T M J (M^-1)_ii)              suitability of coordinate i as independent     (5b)
 *     f = (G M^-1 G^T)^-1 G ((0, xi) + M^-1 (k - q))           reactions in the cut joint                     (7) */

#ifndef TRM_TESTS_PLANAR_LOOPS_H
#define TRM_TESTS_PLANAR_LOOPS_H

#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "trammel/vecmath.h"

enum { MOST = 3 };

static const double gravity = 9.81;

/* A candidate at this distance from the prediction (rad or m; half the length of a pendulum) is on another branch. */
static const double farthest_jump = 0.65;

typedef enum loop_kind { PENDULUM, FOUR_BAR, SLIDER_CRANK } loop_kind;

typedef struct loop {
    const char *name;
    loop_kind kind;
    int n;
    double a, b, c, d,
        m[3];              /* m, kg: lengths and masses of crank, coupler, rocker or slider; d: length of the base */
    double y[MOST], speed; /* y at the start; initial rate of the first coordinate */
    bool singular;         /* passes positions where no coordinate is suitable */
} loop;

/* ---- Small linear algebra ----------------------------------------------------------------- */

/* Solves A x = b by elimination with row pivots; returns false if A is singular. */
static bool solve(int n, double A[MOST][MOST], const double *b, double *x)
{
    double m[MOST][MOST + 1];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) m[i][j] = A[i][j];
        m[i][n] = b[i];
    }
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int i = c + 1; i < n; i++)
            if (fabs(m[i][c]) > fabs(m[pivot][c])) pivot = i;
        if (!(fabs(m[pivot][c]) > 0)) return false;
        for (int j = c; j <= n; j++) {
            const double held = m[c][j];
            m[c][j] = m[pivot][j], m[pivot][j] = held;
        }
        for (int i = c + 1; i < n; i++) {
            const double ratio = m[i][c] / m[c][c];
            for (int j = c; j <= n; j++) m[i][j] -= ratio * m[c][j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] = m[i][n];
        for (int j = i + 1; j < n; j++) x[i] -= m[i][j] * x[j];
        x[i] /= m[i][i];
    }
    return true;
}

/* ---- Equations of motion ------------------------------------------------------------------ */

typedef struct equations {
    double M[MOST][MOST], load[MOST]; /* load = q - k */
    double gap[2], G[2][MOST], gamma[2];
    double energy;
} equations;

static equations pendulum_equations(const double *y, const double *v)
{
    equations e = {.M = {{1, 0}, {0, 1}}, .load = {0, -gravity}, .G = {{y[0], y[1]}}};
    e.gap[0] = 0.5 * (y[0] * y[0] + y[1] * y[1] - 1);
    e.gamma[0] = v[0] * v[0] + v[1] * v[1];
    e.energy = 0.5 * e.gamma[0] + gravity * y[1];
    return e;
}

/* Returns the equations of two uniform bars in a chain: a, b at angles y_0, y_1. */
static equations two_bars(const loop *l, const double *y, const double *v)
{
    const double a = l->a, b = l->b, m1 = l->m[0], m2 = l->m[1];
    const double c1 = cos(y[0]), s1 = sin(y[0]), c2 = cos(y[1]), s2 = sin(y[1]);
    const double coupling = 0.5 * m2 * a * b, between = sin(y[0] - y[1]);
    equations e = {0};
    e.M[0][0] = (m1 / 3 + m2) * a * a;
    e.M[1][1] = m2 / 3 * b * b;
    e.M[0][1] = e.M[1][0] = coupling * cos(y[0] - y[1]);
    e.load[0] = -coupling * between * v[1] * v[1] - gravity * (0.5 * m1 + m2) * a * c1;
    e.load[1] = coupling * between * v[0] * v[0] - gravity * 0.5 * m2 * b * c2;
    e.energy = 0.5 * (e.M[0][0] * v[0] * v[0] + e.M[1][1] * v[1] * v[1]) + e.M[0][1] * v[0] * v[1] +
               gravity * ((0.5 * m1 + m2) * a * s1 + 0.5 * m2 * b * s2);
    e.gap[0] = a * c1 + b * c2, e.gap[1] = a * s1 + b * s2;
    e.G[0][0] = -a * s1, e.G[0][1] = -b * s2;
    e.G[1][0] = a * c1, e.G[1][1] = b * c2;
    e.gamma[0] = -a * c1 * v[0] * v[0] - b * c2 * v[1] * v[1];
    e.gamma[1] = -a * s1 * v[0] * v[0] - b * s2 * v[1] * v[1];
    return e;
}

static equations four_bar_equations(const loop *l, const double *y, const double *v)
{
    const double c = l->c, m3 = l->m[2], c3 = cos(y[2]), s3 = sin(y[2]);
    equations e = two_bars(l, y, v);
    e.M[2][2] = m3 / 3 * c * c;
    e.load[2] = -gravity * 0.5 * m3 * c * c3;
    e.energy += 0.5 * e.M[2][2] * v[2] * v[2] + gravity * 0.5 * m3 * c * s3;
    e.gap[0] -= l->d + c * c3, e.gap[1] -= c * s3;
    e.G[0][2] = c * s3, e.G[1][2] = -c * c3;
    e.gamma[0] += c * c3 * v[2] * v[2], e.gamma[1] += c * s3 * v[2] * v[2];
    return e;
}

static equations slider_equations(const loop *l, const double *y, const double *v)
{
    equations e = two_bars(l, y, v);
    e.M[2][2] = l->m[2];
    e.energy += 0.5 * l->m[2] * v[2] * v[2];
    e.gap[0] -= y[2];
    e.G[0][2] = -1;
    return e;
}

static equations equations_of(const loop *l, const double *y, const double *v)
{
    switch (l->kind) {
    case PENDULUM: return pendulum_equations(y, v);
    case FOUR_BAR: return four_bar_equations(l, y, v);
    default: return slider_equations(l, y, v);
    }
}

static int rows_of(const loop *l)
{
    return l->n - 1;
}

/* Computes M^-1. */
static void invert_mass(const loop *l, equations *e, double inverse[MOST][MOST])
{
    for (int j = 0; j < l->n; j++) {
        const double unit[MOST] = {j == 0, j == 1, j == 2};
        double column[MOST];
        assert_true(solve(l->n, e->M, unit, column));
        for (int i = 0; i < l->n; i++) inverse[i][j] = column[i];
    }
}

/* Computes f of (7); G (0, xi) = -gamma with any independent coordinate. */
static bool reactions(const loop *l, equations *e, double *f)
{
    double inverse[MOST][MOST], P[MOST][MOST] = {{0}}, right[2] = {0};
    invert_mass(l, e, inverse);
    for (int r = 0; r < rows_of(l); r++) {
        right[r] = -e->gamma[r];
        for (int i = 0; i < l->n; i++)
            for (int j = 0; j < l->n; j++) {
                right[r] -= e->G[r][i] * inverse[i][j] * e->load[j];
                for (int s = 0; s < rows_of(l); s++) P[r][s] += e->G[r][i] * inverse[i][j] * e->G[s][j];
            }
    }
    return solve(rows_of(l), P, right, f);
}

/* ---- Closing the loop --------------------------------------------------------------------- */

/* The best candidate so far, that nearest to the prediction. */
typedef struct choice {
    const double *prediction;
    double y[MOST], distance;
} choice;

static double nearest_turn(double angle, double prediction)
{
    return angle + 2 * TRM_PI * round((prediction - angle) / (2 * TRM_PI));
}

static void offer(const loop *l, choice *best, int independent, const double *candidate)
{
    double y[MOST], distance = 0;
    for (int i = 0; i < l->n; i++) {
        const bool is_length = l->kind == PENDULUM || (l->kind == SLIDER_CRANK && i == 2);
        y[i] = is_length || i == independent ? candidate[i] : nearest_turn(candidate[i], best->prediction[i]);
        if (i != independent) distance = fmax(distance, fabs(y[i] - best->prediction[i]));
    }
    if (!(distance < best->distance)) return; /* also not a number */
    memcpy(best->y, y, sizeof y);
    best->distance = distance;
}

static void offer_pendulum(const loop *l, choice *best, int independent, double known)
{
    const double other = sqrt((1 - known) * (1 + known));
    for (int sign = -1; sign <= 1; sign += 2) {
        double y[MOST];
        y[independent] = known;
        y[1 - independent] = sign * other;
        offer(l, best, independent, y);
    }
}

/* Returns 16 (area)^2 of a triangle with the sides p, q and |(d, 0) + s u(angle)|, from half of the angle:
 *
 *     ((p + q)^2 - (d + |s|)^2 + 4 d |s| far^2) ((d - |s|)^2 - (p - q)^2 + 4 d |s| near^2),
 *
 * near, far = sine and cosine, or the reverse if s > 0. Computing from the third side is equivalent but for
 * rounding, which is 1 / (distance to it) times as large near a position in line. */
static double triangle(double p, double q, double d, double s, double angle)
{
    const double size = fabs(s), sine = sin(0.5 * angle), cosine = cos(0.5 * angle);
    const double near_half = s < 0 ? sine : cosine, far_half = s < 0 ? cosine : sine;
    const double sum = p + q, difference = p - q;
    return ((sum - d - size) * (sum + d + size) + 4 * d * size * far_half * far_half) *
           ((d - size - difference) * (d - size + difference) + 4 * d * size * near_half * near_half);
}

/* Solves p u(x) + q u(z) = w for known w, by the cosine rule. */
static void offer_four_bar(const loop *l, choice *best, int independent, double known)
{
    const double a = l->a, b = l->b, c = l->c;
    const double p = independent == 0 ? b : a, q = independent == 2 ? b : -c;
    const int x = independent == 0 ? 1 : 0, z = independent == 2 ? 1 : 2;
    const double away = independent == 0 ? -a : independent == 1 ? -b : c;
    const double wx = l->d + away * cos(known), wy = away * sin(known), r = hypot(wx, wy);
    const double cosine = (r * r + p * p - q * q) / (2 * p * r);
    const double sine = sqrt(triangle(fabs(p), fabs(q), l->d, away, known)) / (2 * fabs(p) * r);
    for (int sign = -1; sign <= 1; sign += 2) {
        double y[MOST];
        y[independent] = known;
        y[x] = atan2(wy, wx) + sign * atan2(sine, cosine);
        y[z] = atan2((wy - p * sin(y[x])) / q, (wx - p * cos(y[x])) / q);
        offer(l, best, independent, y);
    }
}

/* Solves a u(y_0) + b u(y_1) = (y_2, 0). */
static void offer_slider_crank(const loop *l, choice *best, int independent, double known)
{
    const double a = l->a, b = l->b;
    for (int sign = -1; sign <= 1; sign += 2) {
        double y[MOST];
        y[independent] = known;
        if (independent == 2) {
            y[0] = sign * acos((known * known + a * a - b * b) / (2 * known * a));
            y[1] = atan2(-a * sin(y[0]), known - a * cos(y[0]));
        } else {
            const double here = independent == 0 ? a : b, other = independent == 0 ? b : a;
            const double sine = -here * sin(known) / other, cosine = sign * sqrt((1 - sine) * (1 + sine));
            y[1 - independent] = atan2(sine, cosine);
            y[2] = here * cos(known) + other * cosine;
        }
        offer(l, best, independent, y);
    }
}

static bool close_loop(const loop *l, int independent, double known, const double *prediction, double *y)
{
    choice best = {.prediction = prediction, .distance = l->kind == PENDULUM ? 0.5 : farthest_jump};
    const double limit = best.distance;
    if (l->kind == PENDULUM) offer_pendulum(l, &best, independent, known);
    if (l->kind == FOUR_BAR) offer_four_bar(l, &best, independent, known);
    if (l->kind == SLIDER_CRANK) offer_slider_crank(l, &best, independent, known);
    if (!(best.distance < limit)) return false;
    memcpy(y, best.y, sizeof best.y);
    return true;
}

/* ---- Minimal form ------------------------------------------------------------------------- */

typedef struct instant {
    double t, y[MOST], v[MOST], a[MOST];
} instant;

/* Solves D_i x_i = right for the dependent columns of G; the given x of the independent one stays. */
static bool solve_dependent(const loop *l, const equations *e, int independent, const double *right, double *x)
{
    double D[MOST][MOST], part[MOST];
    for (int r = 0; r < rows_of(l); r++)
        for (int i = 0, column = 0; i < l->n; i++)
            if (i != independent) D[r][column++] = e->G[r][i];
    if (!solve(rows_of(l), D, right, part)) return false;
    for (int i = 0, column = 0; i < l->n; i++)
        if (i != independent) x[i] = part[column++];
    return true;
}

/* The directions of motion: J, and xi with 0 for the independent coordinate. */
typedef struct tangent {
    double J[MOST], xi[MOST];
} tangent;

static bool find_J(const loop *l, const equations *e, int independent, double *J)
{
    double right[2] = {0};
    for (int r = 0; r < rows_of(l); r++) right[r] = -e->G[r][independent];
    J[independent] = 1;
    return solve_dependent(l, e, independent, right, J);
}

static bool find_xi(const loop *l, const equations *e, int independent, double *xi)
{
    double right[2] = {0};
    for (int r = 0; r < rows_of(l); r++) right[r] = -e->gamma[r];
    xi[independent] = 0;
    return solve_dependent(l, e, independent, right, xi);
}

static double reduced_mass(const loop *l, const equations *e, const double *J)
{
    double sum = 0;
    for (int i = 0; i < l->n; i++)
        for (int j = 0; j < l->n; j++) sum += J[i] * e->M[i][j] * J[j];
    return sum;
}

/* Returns the acceleration of the independent coordinate by (4). */
static double acceleration(const loop *l, const equations *e, const tangent *t)
{
    double right = 0;
    for (int i = 0; i < l->n; i++) {
        double rest = e->load[i];
        for (int j = 0; j < l->n; j++) rest -= e->M[i][j] * t->xi[j];
        right += t->J[i] * rest;
    }
    return right / reduced_mass(l, e, t->J);
}

/* Completes p, whose y is known, from the velocity, and if given the acceleration, of the independent coordinate. */
static bool complete_rates(const loop *l, int independent, double velocity, const double *given, instant *p)
{
    tangent t;
    const double none[MOST] = {0};
    equations e = equations_of(l, p->y, none);
    if (!find_J(l, &e, independent, t.J)) return false;
    for (int i = 0; i < l->n; i++) p->v[i] = t.J[i] * velocity;
    e = equations_of(l, p->y, p->v);
    if (!find_xi(l, &e, independent, t.xi)) return false;
    const double value = given ? *given : acceleration(l, &e, &t);
    for (int i = 0; i < l->n; i++) p->a[i] = t.J[i] * value + t.xi[i];
    return true;
}

/* Completes the motion at t from y_I, y_I' (and y_I''); base: the instant from which the prediction starts. */
static bool complete(const loop *l, int independent, const instant *base, double t, const double *state,
                     const double *given, instant *p)
{
    const double dt = t - base->t;
    double prediction[MOST];
    for (int i = 0; i < l->n; i++) prediction[i] = base->y[i] + dt * base->v[i] + 0.5 * dt * dt * base->a[i];
    p->t = t;
    return close_loop(l, independent, state[0], prediction, p->y) &&
           complete_rates(l, independent, state[1], given, p);
}

/* Computes (5b) for all coordinates; J may be computed with any possible independent coordinate. */
static bool criterion(const loop *l, int independent, const instant *p, double *cos2)
{
    equations e = equations_of(l, p->y, p->v);
    double J[MOST], inverse[MOST][MOST];
    if (!find_J(l, &e, independent, J)) return false;
    const double mass = reduced_mass(l, &e, J);
    invert_mass(l, &e, inverse);
    for (int i = 0; i < l->n; i++) cos2[i] = J[i] * J[i] / (mass * inverse[i][i]);
    return true;
}

#endif
