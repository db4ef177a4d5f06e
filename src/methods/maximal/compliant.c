/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Implicit integration of stiff springs and dampers, as compliant rows in the look-ahead (Schmitt 2003, section
 * 10, whose iteration of impulse differences has the same solution).
 *
 * With c the elongation now and c1 the elongation in the look-ahead, a spring k with damping d applies at t the
 * impulse that its force at t + h gives in the time h,
 *
 *     p = -h (k c1 + d (c1 - c)/h),     that is   c1 + (p - d c)/(h k + d) = 0
 *
 * Newton's method solves for these residuals. Let S be the velocities along the rows that their impulses cause
 * through all joints. Then c1 changes by h S dp, so that   (h S + 1/(h k + d)) dp = -residual.   After each update
 * the joints are closed again. With too many springs for a dense S, each spring uses its own response A = J W
 * instead, and they are updated one by one. The scheme has first order and is stable for any k and d (L-stable).
 *
 * Velocities at the ends of steps contain half of the force's impulse, as for other forces: the velocity
 * correction adds it, and the next look-ahead removes it before it applies the whole impulse. */

#include "linalg/dense.h"
#include "methods/maximal/maximal.h"

/* Springs that are updated one by one need some hundreds of rounds, together two or three. */
enum { MOST_ROUNDS = 2000 };

static const trm_force *force_of(const trm_maximal *w, const trm_maximal_damper *d)
{
    return &w->stepper->model->forces[d->force];
}

static bool takes_part(const trm_maximal *w, const trm_maximal_damper *d)
{
    return force_of(w, d)->implicit && trm_force_acts(w->stepper->state, d->force);
}

static double per_impulse(const trm_maximal_damper *d, double h)
{
    return 1 / (h * d->row.stiffness + d->row.damping);
}

/* ---- Solving together --------------------------------------------------------------------- */

/* Computes (h S + 1/(h k + d))^-1. Returns false if there are too many springs or the inverse cannot be found. */
static bool find_inverse(trm_maximal *w, double h)
{
    const int n = w->dampers.spring_count, all = w->dampers.count;
    double *M = w->dampers.matrix, *inverse = M + all * all;
    if (!trm_maximal_find_answers(w)) return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            M[n * i + k] = h * w->dampers.responses[all * w->dampers.springs[i] + w->dampers.springs[k]] +
                           (i == k ? per_impulse(&w->dampers.list[w->dampers.springs[i]], h) : 0);
    return trm_dense_inverse_positive(M, n, inverse);
}

/* ---- The look-ahead ----------------------------------------------------------------------- */

/* Removes the half impulses of the last velocity correction. All are computed before any velocity changes. */
static void take_halves_out(trm_maximal *w)
{
    for (int i = 0; i < w->dampers.spring_count; i++) {
        trm_maximal_damper *d = &w->dampers.list[w->dampers.springs[i]];
        d->impulse = 0.5 * w->stepper->state->clock->step * trm_force_pull(&d->row, trm_maximal_rate_along(w, d));
    }
    for (int i = 0; i < w->dampers.spring_count; i++) {
        trm_maximal_damper *d = &w->dampers.list[w->dampers.springs[i]];
        if (takes_part(w, d)) trm_maximal_give(w, d, -d->impulse);
        d->impulse = 0;
    }
}

static double elongation_ahead(trm_maximal *w, const trm_maximal_damper *d)
{
    const trm_force *force = force_of(w, d);
    trm_force_row rows[TRM_FORCE_ROWS];
    for (int b = 0; b < 2; b++) trm_maximal_look_again(w, force->body[b]);
    const trm_force_at at =
        trm_force_at_poses(force, w->look.ahead, NULL, w->stepper->goal, w->stepper->state->memory);
    force->type->rows(&at, rows);
    return rows[d->index].c;
}

/* Returns the residual of a spring's law, m or rad. */
static double missed(trm_maximal *w, const trm_maximal_damper *d, double h)
{
    const double per = per_impulse(d, h);
    if (!takes_part(w, d) || !isfinite(per)) return 0; /* it has neither stiffness nor damping */
    return elongation_ahead(w, d) + (d->impulse - d->row.damping * d->row.c) * per;
}

static void change(trm_maximal *w, trm_maximal_damper *d, double by)
{
    if (!takes_part(w, d)) return;
    d->impulse += by;
    trm_maximal_give(w, d, by);
}

/* Does one round over all springs. inverse NULL: one by one. residual: per spring. */
static void yield(trm_maximal *w, double h, const double *inverse, const double *residual)
{
    const int n = w->dampers.spring_count;
    for (int i = 0; i < n; i++) {
        trm_maximal_damper *d = &w->dampers.list[w->dampers.springs[i]];
        double by = 0;
        for (int k = 0; inverse && k < n; k++) by -= inverse[n * i + k] * residual[k];
        if (!inverse) by = -missed(w, d, h) / (h * d->own + per_impulse(d, h));
        change(w, d, by);
    }
}

bool trm_maximal_close_with_springs(trm_maximal *w, double h, trm_outcome *outcome)
{
    const double *inverse = find_inverse(w, h) ? w->dampers.matrix + w->dampers.count * w->dampers.count : NULL;
    take_halves_out(w);
    for (int round = 1;;
         round++, w->look.span = 0) { /* only the first round starts with the forces of the last step */
        trm_maximal_worst worst = {0, "", "", -1};
        if (!w->solver->correct_joints(w, h, outcome)) return false;
        for (int i = 0; i < w->dampers.spring_count; i++) {
            const trm_maximal_damper *d = &w->dampers.list[w->dampers.springs[i]];
            w->dampers.missed[i] = missed(w, d, h);
            trm_maximal_take_worse(&worst, fabs(w->dampers.missed[i]) * w->per_tolerance.position, "force",
                                   force_of(w, d)->name);
        }
        if (worst.residual < 1) return true;
        if (!(worst.residual < TRM_BEYOND_HOPE) || round >= MOST_ROUNDS)
            return trm_maximal_diverged(outcome, &worst, "its length could not be found");
        yield(w, h, inverse, w->dampers.missed);
    }
}
