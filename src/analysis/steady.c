/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "analysis/steady.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/moving.h"
#include "analysis/multipliers.h"
#include "base/message.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/vectors.h"

static const double AT[4] = {1, -1, 2, -2}, WEIGHT[4] = {8.0 / 12, -8.0 / 12, -1.0 / 12, 1.0 / 12};
/* Steps of differences: rad, or fraction of the machine's size, and per unit of the largest rate. A tenth of it
 * loses digits of the eigenvalues of the bicycle to rounding, ten times of it to the curvature of the motion (test
 * analysis_steady fails both ways). */
static const double STEP = 2e-3;

/* Independent coordinates of a null space: pivots of elimination on its basis. */
typedef struct chosen {
    int count;
    int *index; /* coordinates */
    int rank;
    int *rows; /* independent rows, among the chosen ones, that determine all other coordinates */
} chosen;

typedef struct motion {
    trm_moving w;
    trm_null_space *null;
    chosen p, v; /* for positions, for rates */
    double *q0, *qd0, *qdd0, *b;
    double *q, *qd, *qdd, *J, *square, *right, *values;
    double force;       /* N: size of the forces on bodies at the start */
    int *position_rows; /* among all rows */
    int position_count;
} motion;

/* ---- Independent coordinates -------------------------------------------------------------- */

/* Inserts a coordinate into an ascending list. */
static void insert(int *list, int count, int coordinate)
{
    for (; count > 0 && list[count - 1] > coordinate; count--) list[count] = list[count - 1];
    list[count] = coordinate;
}

/* Chooses the pivots of the null space's basis (n x f), eliminating one column after the other. They keep the order
 * of joint space. */
static bool choose(motion *m, const bool *which, chosen *c)
{
    trm_moving *w = &m->w;
    const int n = w->n;
    trm_moving_factor(w, m->null, which, NULL, m->J);
    const int rank = m->null->rank, f = n - rank;
    double *S = TRM_NEW_ARRAY(w->arena, double, (size_t)n *(size_t)f + 1);
    c->index = TRM_NEW_ARRAY(w->arena, int, f + 1), c->rows = TRM_NEW_ARRAY(w->arena, int, rank + 1);
    if (!S || !c->index || !c->rows) return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < f; k++) S[i * f + k] = m->null->Q[i * n + rank + k];
    c->count = f, c->rank = rank;
    for (int k = 0; k < rank; k++) c->rows[k] = m->null->order[k];
    for (int k = 0; k < f; k++) {
        int row = 0, column = k;
        for (int i = 0; i < n; i++)
            for (int j = k; j < f; j++)
                if (fabs(S[i * f + j]) > 1.0001 * fabs(S[row * f + column])) row = i, column = j;
        insert(c->index, k, row);
        const double pivot = S[row * f + column];
        for (int i = 0; i < n; i++) {
            const double swap = S[i * f + k];
            S[i * f + k] = S[i * f + column] / pivot, S[i * f + column] = column == k ? S[i * f + k] : swap;
        }
        for (int j = 0; j < f; j++) {
            const double share = S[row * f + j];
            for (int i = 0; j != k && i < n; i++) S[i * f + j] -= share * S[i * f + k];
        }
    }
    return true;
}

/* Solves rows x = right[0 .. rank), x at the chosen coordinates = right[rank ..), in place. `list` has the numbers
 * of the rows. */
static bool solve_square(motion *m, const chosen *c, const int *list)
{
    const int n = m->w.n;
    for (int k = 0; k < c->rank; k++)
        memcpy(m->square + (size_t)k * (size_t)n, m->w.R + (size_t)(list ? list[c->rows[k]] : c->rows[k]) * (size_t)n,
               (size_t)n * sizeof *m->square);
    for (int k = 0; k < c->count; k++) {
        double *row = m->square + (size_t)(c->rank + k) * (size_t)n;
        memset(row, 0, (size_t)n * sizeof *row);
        row[c->index[k]] = 1;
    }
    return trm_dense_solve(m->square, n, m->right, 1);
}

/* ---- The map that is differentiated -------------------------------------------------------- */

/* Computes q with q_p moved by eta and position rows closed, and q' with q'_v moved by zeta. The values are q'_p,
 * q''_v. */
static bool evaluate(motion *m, const double *eta, const double *zeta)
{
    trm_moving *w = &m->w;
    const int n = w->n;
    memcpy(m->q, m->q0, (size_t)n * sizeof *m->q);
    for (int k = 0; k < m->p.count; k++) m->q[m->p.index[k]] += eta[k];
    for (int round = 0; round < 12 && m->p.rank > 0; round++) {
        double worst = 0;
        trm_moving_rows(w, m->q);
        for (int k = 0; k < m->p.rank; k++) m->right[k] = -w->phi[m->position_rows[m->p.rows[k]]];
        for (int k = 0; k < m->p.count; k++) m->right[m->p.rank + k] = 0;
        if (!solve_square(m, &m->p, m->position_rows)) return false;
        for (int i = 0; i < n; i++) m->q[i] += m->right[i], worst = fmax(worst, fabs(m->right[i]));
        if (worst <= 1e-15 * fmax(1, w->size)) break;
    }
    trm_moving_rows(w, m->q);
    for (int k = 0; k < m->v.rank; k++) m->right[k] = m->b[m->v.rows[k]];
    for (int k = 0; k < m->v.count; k++) m->right[m->v.rank + k] = m->qd0[m->v.index[k]] + zeta[k];
    if (!solve_square(m, &m->v, NULL)) return false;
    memcpy(m->qd, m->right, (size_t)n * sizeof *m->qd);
    trm_moving_equations(w, m->q, m->qd);
    if (!trm_moving_accelerations(w, m->null, m->qdd)) return false;
    for (int k = 0; k < m->p.count; k++) m->values[k] = m->qd[m->p.index[k]];
    for (int k = 0; k < m->v.count; k++) m->values[m->p.count + k] = m->qdd[m->v.index[k]];
    return true;
}

static double step_of(const motion *m, int coordinate, bool rate)
{
    const bool angular = trm_joint_space_name_of(m->w.space, coordinate).angular;
    double fastest = 1e-2;
    for (int i = 0; rate && i < m->w.n; i++) fastest = fmax(fastest, fabs(m->qd0[i]));
    return STEP * (angular ? 1 : m->w.size) * (rate ? fastest : 1);
}

/* Computes A, column by column. */
static bool differentiate(motion *m, double *A)
{
    const int p = m->p.count, states = p + m->v.count;
    double *x = TRM_NEW_ARRAY(m->w.arena, double, states + 1);
    if (!x) return false;
    for (int k = 0; k < states; k++) {
        const double h = step_of(m, k < p ? m->p.index[k] : m->v.index[k - p], k >= p);
        for (int side = 0; side < 4; side++) {
            x[k] = AT[side] * h;
            if (!evaluate(m, x, x + p)) return false;
            for (int i = 0; i < states; i++) A[i * states + k] += WEIGHT[side] / h * m->values[i];
        }
        x[k] = 0;
    }
    return true;
}

/* ---- Making it ---------------------------------------------------------------------------- */

static bool make_room(motion *m)
{
    trm_arena *arena = m->w.arena;
    const size_t n = (size_t)m->w.n + 1, rows = (size_t)m->w.room + 1;
    m->null = trm_null_space_create(arena, m->w.room, m->w.n);
    double **vectors[] = {&m->q0, &m->qd0, &m->qdd0, &m->q, &m->qd, &m->qdd, &m->right};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!(*vectors[i] = TRM_NEW_ARRAY(arena, double, n + rows))) return false;
    m->b = TRM_NEW_ARRAY(arena, double, rows), m->J = TRM_NEW_ARRAY(arena, double, rows *n);
    m->square = TRM_NEW_ARRAY(arena, double, n *n), m->values = TRM_NEW_ARRAY(arena, double, 2 * n);
    m->position_rows = TRM_NEW_ARRAY(arena, int, rows);
    if (!m->null || !m->b || !m->J || !m->square || !m->values || !m->position_rows) return false;
    for (int i = 0; i < m->w.m; i++)
        if (m->w.position[i]) m->position_rows[m->position_count++] = i;
    return true;
}

static bool begin(motion *m, const trm_state *state)
{
    trm_moving *w = &m->w;
    if (!make_room(m)) return false;
    trm_joint_space_read(w->space, state, m->q0, m->qd0);
    trm_moving_rows(w, m->q0);
    for (int i = 0; i < w->m; i++)
        for (int j = 0; j < w->n; j++) m->b[i] += w->R[(size_t)i * (size_t)w->n + (size_t)j] * m->qd0[j];
    for (int i = w->rows; i < w->m; i++) m->b[i] = 0; /* contacts stay closed and do not slip */
    trm_moving_active_rates(w, m->b);
    return choose(m, w->position, &m->p) && choose(m, NULL, &m->v);
}

static const char *name_of(trm_linear_work *l, const motion *m, int coordinate)
{
    static const char *const free[] = {"x", "y", "z", "turn_x", "turn_y", "turn_z"};
    const trm_joint_space_name name = trm_joint_space_name_of(m->w.space, coordinate);
    const trm_model *model = l->s.model;
    if (name.joint < 0)
        return trm_arena_format(l->result->arena, "%s.%s", model->bodies[name.body].name, free[name.coordinate % 6]);
    const trm_joint *joint = &model->joints[name.joint];
    if (joint->coordinates == 1) return trm_arena_format(l->result->arena, "%s.q", joint->name);
    return trm_arena_format(l->result->arena, "%s.q%d", joint->name, name.coordinate + 1);
}

/* Computes the twists of bodies per independent coordinate: point Jacobians at the centres of mass times the
 * motions of the null space. */
static bool find_shapes(trm_linear_work *l, motion *m)
{
    trm_linearisation *r = l->result;
    const int f = m->p.count, n = m->w.n, bodies = l->s.model->shown_body_count;
    double *motion_of = TRM_NEW_ARRAY(r->arena, double, 6 * (size_t)bodies * (size_t)f + 1);
    const char **names = TRM_NEW_ARRAY(r->arena, const char *, f + 1);
    if (!motion_of || !names) return false;
    trm_moving_rows(&m->w, m->q0);
    for (int k = 0; k < f; k++) {
        if (!(names[k] = name_of(l, m, m->p.index[k]))) return false;
        memset(m->right, 0, (size_t)n * sizeof *m->right);
        m->right[m->p.rank + k] = 1;
        if (!solve_square(m, &m->p, m->position_rows)) return false;
        for (int b = 1; b < bodies; b++) {
            if (l->s.first[b] < 0) continue;
            trm_point_jacobian(m->w.space, b, l->s.model->bodies[b].X_BP.p, m->w.body);
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < n; j++)
                    motion_of[(size_t)(6 * b + i) * (size_t)f + (size_t)k] += m->w.body[i * n + j] * m->right[j];
        }
    }
    r->motion = motion_of, r->names = names;
    return true;
}

static bool refuse_ports(trm_linear_work *l)
{
    if ((!l->def->inputs || !*l->def->inputs) && (!l->def->outputs || !*l->def->outputs)) return false;
    trm_add_error(l->messages, (trm_place){0},
                  "inputs and outputs are available at rest and without rolling contacts; this state moves or rolls");
    l->failed = true;
    return true;
}

bool trm_linearise_motion(trm_linear_work *l)
{
    motion m = {0};
    trm_linearisation *r = l->result;
    if (refuse_ports(l)) return false;
    bool good = trm_moving_create(&m.w, &l->s) == TRM_OK && begin(&m, l->s.state);
    const int states = m.p.count + m.v.count;
    double *A = good ? TRM_NEW_ARRAY(r->arena, double, (size_t)states *(size_t)states + 1) : NULL;
    r->moving = true, r->freedoms = m.p.count, r->state_count = states, r->A = A;
    good = good && A;
    if (good && (!differentiate(&m, A) || !find_shapes(l, &m))) {
        trm_add_error(l->messages, (trm_place){0},
                      "the motion cannot be linearised: rows or masses are singular at this state");
        l->failed = true, good = false;
    }
    trm_moving_destroy(&m.w);
    return good && trm_linear_modes(l);
}

/* ---- Relative equilibrium ------------------------------------------------------------------ */

bool trm_is_driven_now(const trm_state *state)
{
    const trm_model *model = state->model;
    for (int b = 0; b < model->body_count; b++)
        if (model->bodies[b].motion &&
            trm_v3_length(state->velocity[b].ang) + trm_v3_length(state->velocity[b].lin) > 1e-12)
            return true;
    for (int j = 0; j < model->joint_count; j++) {
        double rate[TRM_JOINT_ROWS];
        const trm_joint *joint = &model->joints[j];
        if (!state->attached[j] || !trm_joint_is_rheonomic(joint)) continue;
        const trm_joint_at at = trm_joint_now(state, j);
        trm_joint_rate(&at, rate);
        if (fabs(rate[0]) > 1e-12) return true;
    }
    return false;
}

/* Computes phi_t by differences in time. */
static void find_rates(motion *m, const double *q)
{
    trm_moving *w = &m->w;
    const double h = 1e-4;
    for (int i = 0; i < w->m; i++) m->b[i] = 0;
    trm_moving_active_rates(w, m->b);
    if (w->rows == 0) return;
    for (int side = 0; side < 4; side++) {
        trm_joint_space_set(w->space, w->time + AT[side] * h, q, NULL);
        trm_constraint_rows(w->space, w->phi, NULL, NULL);
        for (int i = 0; i < w->rows; i++) m->b[i] -= WEIGHT[side] / h * w->phi[i];
    }
}

/* Closes the rows at q and computes the f values S^T (M q'' + h) with the least rates. Returns false if the rows
 * cannot be closed. */
static bool find_imbalance(motion *m, double *q)
{
    trm_moving *w = &m->w;
    const int n = w->n;
    for (int round = 0; round < 20; round++) {
        double worst = 0;
        trm_moving_rows(w, q);
        for (int i = 0; i < w->m; i++) m->right[i] = -w->phi[i];
        trm_moving_factor(w, m->null, w->position, m->right, m->J);
        trm_null_space_solve(m->null, m->right, m->qdd);
        for (int i = 0; i < n; i++) q[i] += m->qdd[i], worst = fmax(worst, fabs(m->qdd[i]));
        if (!isfinite(worst) || worst > 3 * fmax(1, w->size)) return false;
        if (worst <= 1e-15 * fmax(1, w->size)) break;
    }
    find_rates(m, q);
    trm_moving_rows(w, q);
    trm_moving_factor(w, m->null, NULL, m->b, m->J);
    trm_null_space_solve(m->null, m->b, m->qd);
    trm_moving_equations(w, q, m->qd);
    for (int i = 0; i < w->m; i++) m->right[i] = w->gamma[i];
    trm_moving_factor(w, m->null, NULL, m->right, m->J);
    trm_null_space_solve(m->null, m->right, m->qdd);
    for (int i = 0; i < n; i++) {
        m->right[i] = w->h[i];
        for (int j = 0; j < n; j++) m->right[i] += w->M[i * n + j] * m->qdd[j];
    }
    trm_null_space_reduce(m->null, m->right, m->values);
    return true;
}

/* Computes the derivatives (f x f) of the imbalance along the null space S (n x f) at q. The bases S of neighbouring
 * poses differ, so that the full forces are compared, projected on S. */
static bool find_slopes(motion *m, const double *q, const double *S, int f, double *K)
{
    const int n = m->w.n;
    memset(K, 0, (size_t)f * (size_t)f * sizeof *K);
    for (int k = 0; k < f; k++)
        for (int side = 0; side < 4; side++) {
            for (int i = 0; i < n; i++) m->q[i] = q[i] + AT[side] * 1e-4 * S[i * f + k];
            if (!find_imbalance(m, m->q)) return false;
            const int g = n - m->null->rank;
            trm_null_space_expand(m->null, m->values, m->right); /* the part of the forces in the null space */
            for (int i = 0; g == f && i < f; i++)
                for (int j = 0; j < n; j++) K[i * f + k] += WEIGHT[side] / 1e-4 * S[j * f + i] * m->right[j];
        }
    return true;
}

/* Scratch of the search, for f free motions. */
typedef struct settling {
    int f;
    double *S, *K, *V; /* n x f: null space; f x f: stiffness, eigenvectors of its symmetric part as columns */
    double *w, *y, *room;
} settling;

static bool make_settling(motion *m, int f, settling *t)
{
    const size_t n = (size_t)m->w.n, k = (size_t)f;
    trm_arena *arena = m->w.arena;
    *t = (settling){.f = f, .S = TRM_NEW_ARRAY(arena, double, n *k + 1), .K = TRM_NEW_ARRAY(arena, double, k *k + 1)};
    t->V = TRM_NEW_ARRAY(arena, double, k *k + 1), t->w = TRM_NEW_ARRAY(arena, double, k + 1);
    t->y = TRM_NEW_ARRAY(arena, double, k + 1), t->room = TRM_NEW_ARRAY(arena, double, k + 1);
    return t->S && t->K && t->V && t->w && t->y && t->room;
}

/* Computes S, K and its symmetric part's eigenvectors at q, where the imbalance was evaluated last. */
static bool find_stiffness(motion *m, const double *q, settling *t)
{
    const int n = m->w.n, f = t->f;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < f; k++) t->S[i * f + k] = m->null->Q[i * n + m->null->rank + k];
    memcpy(t->y, m->values, (size_t)f * sizeof *t->y);
    if (!find_slopes(m, q, t->S, f, t->K)) return false;
    for (int i = 0; i < f; i++)
        for (int k = 0; k <= i; k++) t->V[i * f + k] = t->V[k * f + i] = 0.5 * (t->K[i * f + k] + t->K[k * f + i]);
    return trm_eigen_symmetric(t->V, f, t->w, t->room);
}

/* Returns the stiffness below which a direction is neutral. */
static double neutral_stiffness(const settling *t)
{
    return t->f > 0 ? 1e-9 * fmax(fabs(t->w[0]), fabs(t->w[t->f - 1])) : 0;
}

/* Replaces the imbalance in y by a step downhill: along each eigenvector the imbalance over |stiffness|. Returns the
 * slope of the effective potential along it. */
static double step_downhill(settling *t)
{
    const int f = t->f;
    double slope = 0;
    memset(t->room, 0, (size_t)f * sizeof *t->room);
    for (int i = 0; i < f; i++) {
        double part = 0;
        for (int k = 0; k < f; k++) part += t->V[k * f + i] * t->y[k];
        const double p = -part / fmax(fabs(t->w[i]), neutral_stiffness(t) + 1e-300);
        slope += part * p;
        for (int k = 0; k < f; k++) t->room[k] += t->V[k * f + i] * p;
    }
    memcpy(t->y, t->room, (size_t)f * sizeof *t->y);
    return slope;
}

/* Computes q + share S y into `to` and evaluates the imbalance there. */
static bool move_by(motion *m, const double *q, const settling *t, double share, double *to)
{
    const int n = m->w.n, f = t->f;
    memcpy(to, q, (size_t)n * sizeof *q);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < f; k++) to[j] += share * t->S[j * f + k] * t->y[k];
    return find_imbalance(m, to);
}

/* J: potential energy minus the kinetic energy of the least rates, at the q evaluated last. */
static double effective_potential(motion *m)
{
    trm_joint_space_set(m->w.space, m->w.time, m->q, m->qd);
    trm_joint_space_write(m->w.space, m->w.state);
    const trm_energy e = trm_state_energy(m->w.state);
    return e.potential - e.kinetic;
}

/* Makes a step away from a maximum of the effective potential, by a line search on it. Returns the new size of the
 * imbalance; NAN if the potential does not decrease, as for forces without a potential. */
static double descend(motion *m, double *q, settling *t)
{
    const int n = m->w.n;
    memcpy(m->q, q, (size_t)n * sizeof *q);
    if (!find_imbalance(m, m->q)) return NAN;
    const double before = effective_potential(m), slope = step_downhill(t);
    double share = fmin(1, 0.3 / fmax(vectors_largest(t->y, t->f), 1e-300));
    for (int i = 0; i < 40; i++, share *= 0.5) {
        if (!move_by(m, q, t, share, m->q) || effective_potential(m) > before + 1e-4 * share * slope) continue;
        memcpy(q, m->q, (size_t)n * sizeof *q);
        return vectors_largest(m->values, t->f);
    }
    return NAN;
}

/* Makes one step of Newton's method with a line search on the size of the imbalance. Where a direction is unstable
 * and forces are not balanced yet, makes a step downhill instead. Returns the new size of the imbalance; NAN if there
 * is no such step. */
static double newton_step(motion *m, double *q, double before, bool balanced, settling *t)
{
    const int n = m->w.n, f = t->f;
    if (!find_stiffness(m, q, t)) return NAN;
    if (!balanced && f > 0 && t->w[0] < -neutral_stiffness(t)) {
        const double now = descend(m, q, t);
        if (!isnan(now)) return now;
        if (!find_imbalance(m, q) || !find_stiffness(m, q, t)) return NAN;
    }
    for (int k = 0; k < f; k++) t->y[k] = -t->y[k];
    if (!trm_dense_solve(t->K, f, t->y, 1)) return NAN;
    double share = fmin(1, 0.3 / fmax(vectors_largest(t->y, f), 1e-300));
    for (int i = 0; i < 40; i++, share *= 0.5) {
        if (!move_by(m, q, t, share, m->qdd0)) continue;
        const double now = vectors_largest(m->values, f);
        if (now < before * (1 - 1e-4 * share) || now < 1e-14 * before) {
            memcpy(q, m->qdd0, (size_t)n * sizeof *q);
            return now;
        }
    }
    return NAN;
}

/* Searches for a steady motion near q. Returns the size of the remaining imbalance; *scale: size of all forces. */
static double approach(motion *m, double *q, const trm_equilibrium_def *def, settling *t, int *iterations,
                       double *scale)
{
    const int n = m->w.n;
    double left = vectors_largest(m->values, t->f);
    int stalls = 0;
    *scale = fmax(vectors_largest(m->w.h, n), m->force * fmin(1, m->w.size));
    for (; *iterations < def->most_iterations && left > 1e-15 * *scale && stalls < 2; ++*iterations) {
        const double now = newton_step(m, q, left, left <= def->tolerance * *scale, t);
        find_imbalance(m, q);
        if (isnan(now)) break;
        stalls = now > 0.5 * left && now < def->tolerance * *scale ? stalls + 1 : 0;
        left = now;
        *scale = fmax(*scale, vectors_largest(m->w.h, n));
    }
    return left;
}

/* Leaves an unstable steady motion along its least stiff direction. */
static bool leave(motion *m, double *q, settling *t)
{
    for (int k = 0; k < t->f; k++) t->y[k] = t->V[k * t->f];
    if (!move_by(m, q, t, 1e-3 / vectors_largest(t->y, t->f), m->q)) return false;
    memcpy(q, m->q, (size_t)m->w.n * sizeof *q);
    return true;
}

static bool settle(motion *m, double *q, const trm_equilibrium_def *def, trm_equilibrium_result *result)
{
    settling t;
    double scale, left = 0;
    if (!find_imbalance(m, q) || !make_settling(m, m->w.n - m->null->rank, &t)) return false;
    for (int round = 0; round < 20; round++) {
        left = approach(m, q, def, &t, &result->iterations, &scale);
        result->found = left <= def->tolerance * scale;
        if (result->found && !find_stiffness(m, q, &t)) return false;
        const bool stable = t.f == 0 || t.w[0] >= -neutral_stiffness(&t);
        if (!find_imbalance(m, q)) return false;
        if (!result->found || !def->relaxed || stable) break;
        if (!leave(m, q, &t)) break;
    }
    result->freedoms = t.f, result->residual = left, result->relative = scale > 0 ? left / scale : 0;
    for (int i = 0; result->found && i < t.f; i++) result->unstable += t.w[i] < -neutral_stiffness(&t);
    return find_imbalance(m, q);
}

/* ---- Limits and ropes in steady motion ------------------------------------------------------ */

static bool is_held(const trm_moving *w, int joint)
{
    for (int i = 0; i < w->held_count; i++)
        if (w->held[i] == joint) return true;
    return false;
}

/* Returns the limit or rope that the pose q violates most; -1 if there is none. */
static int find_violated(motion *m)
{
    trm_moving *w = &m->w;
    const trm_model *model = w->state->model;
    int worst = -1;
    double most = 1e-9 * w->size;
    trm_joint_space_write(w->space, w->state);
    for (int j = 0; j < model->joint_count; j++) {
        double c[TRM_JOINT_ROWS];
        if (!model->joints[j].one_sided || !w->state->attached[j] || is_held(w, j)) continue;
        const trm_joint_at at = trm_joint_now(w->state, j);
        trm_joint_residual(&at, c);
        if (c[0] > most) most = c[0], worst = j;
    }
    return worst;
}

/* Finds a held limit or rope whose force has the wrong sign, *joint; -1 if there is none. The forces M q'' + h are
 * those of the rows. Returns false when out of memory. */
static bool find_pulling(motion *m, int *joint)
{
    trm_moving *w = &m->w;
    const int n = w->n;
    double *lambda = TRM_NEW_ARRAY(w->arena, double, w->m + 1), *r = TRM_NEW_ARRAY(w->arena, double, n + 1);
    bool *one_sided = TRM_NEW_ARRAY(w->arena, bool, w->m + 1);
    *joint = -1;
    if (!lambda || !r || !one_sided) return false;
    for (int i = 0; i < n; i++) {
        m->right[i] = -w->h[i];
        for (int j = 0; j < n; j++) m->right[i] -= w->M[i * n + j] * m->qdd[j];
    }
    if (!trm_find_multipliers(w->arena, w->R, w->m, n, one_sided, m->right, lambda, r)) return false;
    double most = 1e-9 * vectors_largest(lambda, w->m);
    for (int i = 0; i < w->held_count; i++) {
        const double pull = lambda[w->m - w->held_count + i];
        if (w->state->model->joints[w->held[i]].one_sided && pull > most) most = pull, *joint = w->held[i];
    }
    return true;
}

/* Searches with more and more limits and ropes held, until none is violated and none pulls. Each is released at most
 * once. Returns false if rows cannot be closed or when out of memory. */
static bool settle_within_limits(motion *m, double *q, const trm_equilibrium_def *def, trm_equilibrium_result *result)
{
    bool *released = TRM_NEW_ARRAY(m->w.arena, bool, m->w.state->model->joint_count + 1);
    double *start = trm_arena_copy(m->w.arena, q, (size_t)m->w.n + 1, sizeof *q);
    if (!released || !start) return false;
    for (;;) {
        int joint;
        result->unstable = 0;
        if (!settle(m, q, def, result)) return false;
        if (!result->found || !find_pulling(m, &joint)) return !result->found;
        if (joint >= 0 && !released[joint]) {
            released[joint] = true;
            trm_moving_release(&m->w, joint);
            continue;
        }
        joint = find_violated(m);
        if (joint < 0) return true;
        trm_moving_activate(&m->w, joint);
        memcpy(q, start, (size_t)m->w.n * sizeof *q);
    }
}

/* Writes pose, velocities and accelerations of the motion to the state. */
static void write_motion(motion *m, trm_state *state)
{
    const size_t n = (size_t)m->w.n;
    trm_joint_space_set(m->w.space, m->w.time, m->q0, m->qd);
    trm_joint_space_write(m->w.space, state);
    for (int b = 0; b < state->model->body_count; b++) {
        const trm_body *body = &state->model->bodies[b];
        if (trm_body_freedoms(body) == 0) continue;
        const trm_spatial A = trm_point_bias(m->w.space, b, body->X_BP.p);
        double a[6] = {A.ang.x, A.ang.y, A.ang.z, A.lin.x, A.lin.y, A.lin.z};
        trm_point_jacobian(m->w.space, b, body->X_BP.p, m->w.body);
        for (size_t k = 0; k < 6; k++)
            for (size_t j = 0; j < n; j++) a[k] += m->w.body[k * n + j] * m->qdd[j];
        state->acceleration[b] = trm_sp(trm_v3(a[0], a[1], a[2]), trm_v3(a[3], a[4], a[5]));
    }
}

trm_status trm_find_steady(trm_state *state, const trm_equilibrium_def *def, trm_equilibrium_result *result,
                           const trm_allocator *allocator, trm_messages *messages)
{
    trm_system s;
    motion m = {0};
    trm_status status = trm_system_create(&s, state, allocator, messages);
    if (status == TRM_OK) s.collider = NULL;
    if (status == TRM_OK) status = trm_moving_create(&m.w, &s);
    double *g = status == TRM_OK ? TRM_NEW_ARRAY(&s.arena, double, s.n + 1) : NULL;
    if (status == TRM_OK && (!make_room(&m) || !g)) status = TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) {
        trm_system_forces(&s, g);
        m.force = s.strength;
        trm_joint_space_read(m.w.space, state, m.q0, m.qd0);
        result->steady = true;
        if (!settle_within_limits(&m, m.q0, def, result)) {
            status = s.arena.failed ? TRM_OUT_OF_MEMORY : TRM_BAD_INPUT;
            if (status == TRM_BAD_INPUT)
                trm_add_error(messages, (trm_place){0}, "loops and drives cannot be closed near this state");
        }
    }
    if (status == TRM_OK) {
        write_motion(&m, state);
        result->potential = trm_state_energy(state).potential;
        if (!result->found)
            snprintf(result->why, sizeof result->why,
                     "the search ended without a steady motion; start nearer to it, or with slower drives");
    }
    trm_moving_destroy(&m.w);
    trm_system_destroy(&s);
    return status;
}
