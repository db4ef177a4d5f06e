/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Springs and dampers in the iteration of the look-ahead (Schmitt 2003, section 10). Their impulses depend on the
 * poses that the look-ahead reaches. With c the elongation now, c(s) that at the time s of the look-ahead and c1 that
 * at its end, a spring k with damping d has one of two laws.
 *
 *     implicit   its force at t + h acts at t for the time h:   p = -(h k c1 + d (c1 - c))
 *     integral   equation (9.1) there, the integral of its force along the free motion; each half of the step acts at
 *                its own end:
 *                    at t        p = -(k int_0^(h/2) c ds + d (c(h/2) - c))
 *                    at t + h    p = -(k int_(h/2)^h c ds + d (c1 - c(h/2)))
 *                by Simpson's rule. Only the first one is unknown. Along the row the motion is nearly straight, so
 *                that the impulses of two steps at one moment are h (k_(n-1) + 6 k_n + k_(n+1))/8 of the forces there.
 *
 * Implicit: order 1, stable for any k and d (L-stable). Integral: order 2 and symmetric in time; a mass on a spring is
 * stable for omega h < 2 sqrt(2), and its period is too long by the fraction (omega h)^2/48, where forces at the ends
 * of steps make it too short by twice as much.
 *
 * The paper solves the second law by applying the differences of the impulses in each round. Here Newton's method
 * solves both. Let -a be the derivative of the law by c1, exact or for a straight motion,
 *
 *     implicit  a = h k + d,     integral  a = h k/8 + d/2,     residual (p - law)/a, in metres or radians
 *
 * and S the velocities along the rows that their impulses cause through all joints. Then c1 changes by h S dp, so that
 * (h S + 1/a) dp = -residual.   After each update the joints are closed again. With too many springs for a dense S,
 * each spring uses its own response A = J W instead, and they are updated one by one.
 *
 * Velocities at the ends of steps contain half of an implicit force's impulse, as for other forces: the velocity
 * correction adds it, and the next look-ahead removes it before it applies the whole impulse. */

#include "linalg/dense.h"
#include "methods/maximal/maximal.h"

/* Springs that are updated one by one need some hundreds of rounds, together two or three. */
enum { MOST_ROUNDS = 2000 };

static bool takes_part(const trm_maximal *w, const trm_maximal_damper *d)
{
    return trm_maximal_force_of(w, d)->treatment != TRM_TREAT_EXPLICIT && trm_force_acts(w->stepper->state, d->force);
}

static bool is_integral(const trm_maximal *w, const trm_maximal_damper *d)
{
    return trm_maximal_force_of(w, d)->treatment == TRM_TREAT_INTEGRAL;
}

/* Returns 1/a. */
static double per_impulse(const trm_maximal *w, const trm_maximal_damper *d, double h)
{
    return is_integral(w, d) ? 1 / (h * d->row.stiffness / 8 + d->row.damping / 2)
                             : 1 / (h * d->row.stiffness + d->row.damping);
}

/* ---- Solving together --------------------------------------------------------------------- */

/* Computes (h S + 1/(h k + d))^-1. Returns false if there are too many springs or the inverse cannot be found. */
static bool find_inverse(trm_maximal *w, double h)
{
    const int n = w->dampers.spring_count, all = w->dampers.count;
    double *M = w->dampers.matrix, *inverse = M + all * all;
    if (!trm_maximal_find_damper_responses(w)) return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            M[n * i + k] = h * w->dampers.responses[all * w->dampers.springs[i] + w->dampers.springs[k]] +
                           (i == k ? per_impulse(w, &w->dampers.list[w->dampers.springs[i]], h) : 0);
    return trm_dense_inverse_positive(M, n, inverse);
}

/* ---- The look-ahead ----------------------------------------------------------------------- */

/* Removes the half impulses of implicit springs in the last velocity correction. All are computed before any velocity
 * changes. */
static void remove_half_impulses(trm_maximal *w)
{
    for (int i = 0; i < w->dampers.spring_count; i++) {
        trm_maximal_damper *d = &w->dampers.list[w->dampers.springs[i]];
        d->impulse = 0.5 * w->stepper->state->clock->step * trm_force_pull(&d->row, trm_maximal_rate_along(w, d));
    }
    for (int i = 0; i < w->dampers.spring_count; i++) {
        trm_maximal_damper *d = &w->dampers.list[w->dampers.springs[i]];
        if (takes_part(w, d) && !is_integral(w, d)) trm_maximal_apply_damper_impulse(w, d, -d->impulse);
        d->impulse = 0;
    }
}

static double elongation(const trm_maximal *w, const trm_maximal_damper *d, double t)
{
    trm_force_row rows[TRM_FORCE_ROWS];
    const trm_force_at at =
        trm_force_at_poses(trm_maximal_force_of(w, d), w->look.ahead, NULL, t, w->stepper->state->memory);
    at.force->type->rows(&at, rows);
    return rows[d->index].c;
}

static double elongation_ahead(trm_maximal *w, const trm_maximal_damper *d)
{
    const trm_force *force = trm_maximal_force_of(w, d);
    for (int b = 0; b < force->body_count; b++) trm_maximal_update_look_ahead(w, force->body[b]);
    return elongation(w, d, w->stepper->step.goal);
}

/* ---- The integral ------------------------------------------------------------------------- */

/* Returns the pose of a body in its free motion after this fraction of the step. */
static trm_pose pose_within_step(const trm_maximal *w, int body, double share)
{
    const trm_body *of = &w->stepper->model->bodies[body];
    const trm_state *state = w->stepper->state;
    const double passed = share * w->look.h;
    trm_pose pose = state->pose[body];
    trm_spatial V = state->velocity[body];
    if (of->motion)
        trm_motion_at(of->motion, state->clock->time + passed, &pose, &V, NULL);
    else if (!w->held[body])
        trm_free_motion(of, of->gravity, passed, w->look.taylor, &pose, &V);
    return pose;
}

static double elongation_within_step(trm_maximal *w, const trm_maximal_damper *d, double share)
{
    const int *body = trm_maximal_force_of(w, d)->body, count = trm_maximal_force_of(w, d)->body_count;
    trm_pose ahead[TRM_JOINT_BODIES];
    for (int b = 0; b < count; b++) ahead[b] = w->look.ahead[body[b]];
    for (int b = 0; b < count; b++) w->look.ahead[body[b]] = pose_within_step(w, body[b], share);
    const double c = elongation(w, d, w->stepper->state->clock->time + share * w->look.h);
    for (int b = 0; b < count; b++) w->look.ahead[body[b]] = ahead[b];
    return c;
}

/* Returns the impulse of a spring over half a step. The half begins after the fraction `start` of the step, with
 * the elongation c. */
static double integral(trm_maximal *w, const trm_maximal_damper *d, double start, double c)
{
    const double middle = elongation_within_step(w, d, start + 0.25), end = elongation_within_step(w, d, start + 0.5);
    return -(d->row.stiffness * w->look.h / 12 * (c + 4 * middle + end) + d->row.damping * (end - c));
}

void trm_maximal_integrate_springs(trm_maximal *w)
{
    for (int i = 0; i < w->dampers.spring_count; i++) {
        trm_maximal_damper *d = &w->dampers.list[w->dampers.springs[i]];
        if (!takes_part(w, d) || !is_integral(w, d)) continue;
        d->at_end = integral(w, d, 0.5, elongation_within_step(w, d, 0.5));
    }
}

void trm_maximal_kick_by_integrals(trm_maximal *w)
{
    for (int i = 0; i < w->dampers.spring_count; i++) {
        trm_maximal_damper *d = &w->dampers.list[w->dampers.springs[i]];
        if (takes_part(w, d) && is_integral(w, d)) trm_maximal_apply_damper_impulse(w, d, d->at_end);
    }
}

/* ---- Newton's method ---------------------------------------------------------------------- */

/* Returns the residual of a spring's law, m or rad. */
static double law_residual(trm_maximal *w, const trm_maximal_damper *d, double h)
{
    const double per = per_impulse(w, d, h);
    if (!takes_part(w, d) || !isfinite(per)) return 0; /* it has neither stiffness nor damping */
    if (is_integral(w, d)) return (d->impulse - integral(w, d, 0, d->row.c)) * per;
    return elongation_ahead(w, d) + (d->impulse - d->row.damping * d->row.c) * per;
}

static void change_impulse(trm_maximal *w, trm_maximal_damper *d, double by)
{
    if (!takes_part(w, d)) return;
    d->impulse += by;
    trm_maximal_apply_damper_impulse(w, d, by);
}

/* Updates the impulses of all springs once: together with the inverse matrix, or one by one if inverse is NULL.
 * residual: per spring. */
static void update_impulses(trm_maximal *w, double h, const double *inverse, const double *residual)
{
    const int n = w->dampers.spring_count;
    for (int i = 0; i < n; i++) {
        trm_maximal_damper *d = &w->dampers.list[w->dampers.springs[i]];
        double by = 0;
        for (int k = 0; inverse && k < n; k++) by -= inverse[n * i + k] * residual[k];
        if (!inverse) by = -law_residual(w, d, h) / (h * d->own + per_impulse(w, d, h));
        change_impulse(w, d, by);
    }
}

bool trm_maximal_close_with_springs(trm_maximal *w, double h, trm_outcome *outcome)
{
    const double *inverse = find_inverse(w, h) ? w->dampers.matrix + w->dampers.count * w->dampers.count : NULL;
    remove_half_impulses(w);
    for (int round = 1;;
         round++, w->look.span = 0) { /* only the first round starts with the forces of the last step */
        trm_maximal_worst worst = {0, "", "", -1};
        if (!w->solver->correct_joints(w, h, outcome)) return false;
        for (int i = 0; i < w->dampers.spring_count; i++) {
            const trm_maximal_damper *d = &w->dampers.list[w->dampers.springs[i]];
            w->dampers.residuals[i] = law_residual(w, d, h);
            trm_maximal_take_worse(&worst, fabs(w->dampers.residuals[i]) * w->per_tolerance.position, "force",
                                   trm_maximal_force_of(w, d)->name);
        }
        if (worst.residual < 1) return true;
        if (!(worst.residual < TRM_DIVERGENT_RESIDUAL) || round >= MOST_ROUNDS)
            return trm_maximal_diverged(outcome, &worst, "its length could not be found");
        update_impulses(w, h, inverse, w->dampers.residuals);
    }
}
