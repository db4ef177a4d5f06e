/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Balance of forces at a pose, and the stiffness in the null space of the active rows (equations:
 * analysis/system.h). */

#include <math.h>
#include <string.h>

#include "analysis/equilibrium.h"
#include "analysis/multipliers.h"
#include "linalg/eigen.h"
#include "motion/rank.h"

enum { MOST_PROJECTIONS = 60 };
/* In units of the machine's size: residual of a closed row. A larger value leaves residuals that show in the balance
 * of forces. A smaller one is below rounding, and closures end only when the residual stops falling. Tests pass with
 * a tenth and with ten times of it. */
static const double CLOSED = 1e-15;

/* Copies a row of the system, scaled to unit length; *length is its length before. */
static void copy_unit_row(const trm_system *s, int row, double *to, double *length)
{
    const double *J = s->J + (size_t)row * (size_t)s->n;
    double square = 0;
    for (int k = 0; k < s->n; k++) square += J[k] * J[k];
    *length = sqrt(square);
    for (int k = 0; k < s->n; k++) to[k] = *length > 0 ? J[k] / *length : 0;
}

static bool is_kept_in_projection(const trm_system *s, int row)
{
    return !s->rows[row].one_sided ? s->rows[row].joint >= 0 : s->c[row] > 0;
}

bool trm_balance_project(trm_balance *b)
{
    trm_system *s = b->s;
    const trm_arena_mark mark = trm_arena_get_mark(&s->arena);
    double *J = TRM_NEW_ROOM(&s->arena, double, (size_t)(s->row_count + 1) * (size_t)(s->n + 1));
    double *c = TRM_NEW_ROOM(&s->arena, double, s->row_count + 1), *y = TRM_NEW_ROOM(&s->arena, double, s->n + 1);
    trm_null_space *null = trm_null_space_create(&s->arena, s->row_count, s->n);
    if (!J || !c || !y || !null) s->failed = true;
    double before = INFINITY;
    bool closed = false;
    for (int round = 0; !s->failed && !closed && round < MOST_PROJECTIONS; round++) {
        double worst = 0, length;
        int count = 0;
        trm_system_residuals(s);
        trm_system_jacobian(s);
        for (int i = 0; i < s->row_count; i++) {
            if (!is_kept_in_projection(s, i)) continue;
            copy_unit_row(s, i, J + (size_t)count * (size_t)s->n, &length);
            c[count] = length > 0 ? -s->c[i] / length : 0;
            worst = fmax(worst, fabs(c[count++]));
        }
        closed = worst <= CLOSED * s->size || (worst <= 1e-12 * s->size && worst >= 0.5 * before);
        before = worst;
        if (closed || !isfinite(worst)) break;
        trm_null_space_find(null, J, count, TRM_DEPENDENT);
        trm_null_space_solve(null, c, y);
        double far = 0;
        for (int i = 0; i < s->n; i++) far = fmax(far, fabs(y[i]));
        trm_system_move(s, far > s->size ? s->size / far : 1, y);
    }
    trm_arena_reset(&s->arena, mark);
    return closed || before <= 1e-9 * s->size;
}

static void choose_candidates(trm_balance *b)
{
    trm_system *s = b->s;
    b->candidate_count = 0;
    for (int i = 0; i < s->row_count; i++) {
        if (s->rows[i].one_sided && !(s->c[i] > -TRM_AT_BOUND * s->size)) continue;
        if (s->rows[i].joint < 0 && s->rows[i].row > 0) continue;
        memcpy(b->J + (size_t)b->candidate_count * (size_t)s->n, s->J + (size_t)i * (size_t)s->n,
               (size_t)s->n * sizeof *s->J);
        b->one_sided[b->candidate_count] = s->rows[i].one_sided;
        b->candidates[b->candidate_count++] = i;
    }
}

static void measure(trm_balance *b)
{
    const int n = b->s->n;
    b->scale = b->s->strength, b->residual = 0;
    for (int i = 0; i < n; i++) b->residual = fmax(b->residual, fabs(b->r[i]));
    for (int k = 0; k < b->candidate_count; k++)
        for (int i = 0; i < n; i++)
            b->scale = fmax(b->scale, fabs(b->lambda[k] * b->J[(size_t)k * (size_t)n + (size_t)i]));
}

bool trm_balance_forces(trm_balance *b)
{
    trm_system *s = b->s;
    const size_t rows = (size_t)s->row_count + 1, n = (size_t)s->n + 1;
    b->J = TRM_NEW_ROOM(&s->arena, double, rows *n);
    b->candidates = TRM_NEW_ROOM(&s->arena, int, rows);
    b->working = TRM_NEW_ROOM(&s->arena, int, rows);
    b->one_sided = TRM_NEW_ROOM(&s->arena, bool, rows);
    b->lambda = TRM_NEW_ROOM(&s->arena, double, rows);
    if (!b->J || !b->candidates || !b->working || !b->one_sided || !b->lambda) return false;
    trm_system_residuals(s);
    trm_system_jacobian(s);
    choose_candidates(b);
    trm_system_forces(s, b->g);
    if (b->moving) trm_system_subtract_inertia(s, b->g);
    if (!trm_find_multipliers(&s->arena, b->J, b->candidate_count, s->n, b->one_sided, b->g, b->lambda, b->r))
        return false;
    measure(b);
    return true;
}

/* Computes S^T K S. */
static void reduce(trm_balance *b)
{
    const int n = b->s->n, f = b->freedoms;
    double *column = b->room, *Kx = b->room + n, *y = b->room + 2 * n;
    for (int k = 0; k < f; k++) {
        for (int i = 0; i < n; i++) column[i] = b->null->Q[(size_t)i * (size_t)n + (size_t)(b->null->rank + k)];
        for (int i = 0; i < n; i++) {
            const double *row = b->K + (size_t)i * (size_t)n;
            double sum = 0;
            for (int j = 0; j < n; j++) sum += row[j] * column[j];
            Kx[i] = sum;
        }
        trm_null_space_reduce(b->null, Kx, y);
        for (int i = 0; i < f; i++) b->reduced[(size_t)i * (size_t)f + (size_t)k] = y[i];
    }
    for (int i = 0; i < f; i++)
        for (int j = 0; j < i; j++) {
            double *a = &b->reduced[(size_t)i * (size_t)f + (size_t)j],
                   *c = &b->reduced[(size_t)j * (size_t)f + (size_t)i];
            *a = *c = 0.5 * (*a + *c);
        }
}

bool trm_balance_stiffness(trm_balance *b, const bool *also)
{
    trm_system *s = b->s;
    const size_t n = (size_t)s->n;
    const trm_arena_mark mark = trm_arena_get_mark(&s->arena);
    double *J = TRM_NEW_ROOM(&s->arena, double, ((size_t)b->candidate_count + 1) * (n + 1));
    double *lambda = TRM_NEW_ARRAY(&s->arena, double, s->row_count + 1), ignored;
    const bool room = J && lambda;
    if (!room) s->failed = true;
    b->working_count = 0;
    for (int k = 0; room && k < b->candidate_count; k++) {
        lambda[b->candidates[k]] = b->lambda[k];
        if (b->one_sided[k] && !(b->lambda[k] < -1e-9 * b->scale) && !(also && also[k])) continue;
        copy_unit_row(s, b->candidates[k], J + (size_t)b->working_count * n, &ignored);
        b->working[b->working_count++] = k;
    }
    if (room) {
        trm_null_space_find(b->null, J, b->working_count, TRM_DEPENDENT);
        b->freedoms = s->n - b->null->rank;
        memset(b->K, 0, n * n * sizeof *b->K);
        trm_system_add_stiffness(s, b->K);
        trm_system_add_curvature(s, lambda, -1, b->K);
        reduce(b);
    }
    trm_arena_reset(&s->arena, mark);
    return room && !s->failed && trm_eigen_symmetric(b->reduced, b->freedoms, b->w, b->room);
}
