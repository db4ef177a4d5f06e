/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The rows of velocity-dependent forces in the velocity correction.
 *
 * For the time dt a row applies the impulse p = dt pull(J V), where V is the resulting velocity. For a single row
 * this has a closed form (trm_force_impulse). Rounds over rows and joints converge, but slowly where joints couple
 * stiff dampers. Then all rows are solved together. With S the rates along all rows that their impulses cause
 * through the joints, and D the slopes of the pulls,
 *
 *     (S + 1/(dt D)) dp = (dt pull - p) / (dt D) */

#include <string.h>

#include "linalg/dense.h"
#include "methods/maximal/maximal.h"

/* For a row without a slope, 1/(dt D) is this many times its S. A larger value makes the matrix singular in double
 * precision, a smaller one adds visible damping. Tests pass with a tenth and with ten times of it. */
static const double NO_SLOPE = 1e12;

/* Returns whether a row acts in the velocity correction. Impulses of an integrated spring act in the look-ahead and
 * at the end of the step instead. */
static bool takes_part(const trm_maximal *w, const trm_maximal_damper *d)
{
    return trm_maximal_force_of(w, d)->treatment != TRM_TREAT_INTEGRAL &&
           trm_force_acts(w->stepper->state, d->force) &&
           !trm_maximal_leaves_out_force(w, trm_maximal_force_of(w, d)->body, trm_maximal_force_of(w, d)->body_count);
}

double trm_maximal_rate_along(const trm_maximal *w, const trm_maximal_damper *d)
{
    const trm_spatial *V = w->stepper->state->velocity;
    const trm_force *force = trm_maximal_force_of(w, d);
    double rate = 0;
    for (int b = 0; b < force->body_count; b++) rate += trm_sp_dot(d->row.J[b], V[force->body[b]]);
    return rate;
}

void trm_maximal_apply_damper_impulse(trm_maximal *w, const trm_maximal_damper *d, double impulse)
{
    const trm_force *force = trm_maximal_force_of(w, d);
    for (int b = 0; b < force->body_count; b++) {
        const int body = force->body[b];
        trm_spatial *V = &w->stepper->state->velocity[body];
        *V = trm_sp_add_scaled(*V, impulse, d->W[b]);
        w->look.moved[body] = !w->held[body];
    }
}

/* Projects velocities onto the joints with all drives at rest. Returns whether the projection converged. */
static bool project_onto_joints(trm_maximal *w, const int *body)
{
    trm_maximal_worst worst = {w->solver->respond ? 0 : INFINITY, "", "", -1};
    memset(w->accelerations.gamma, 0, (size_t)w->stepper->model->row_count * sizeof *w->accelerations.gamma);
    w->required = w->accelerations.gamma;
    if (w->solver->respond) w->solver->respond(w, body);
    for (int round = 1; round <= w->solver->most_velocity_rounds && !(worst.residual < 1); round++) {
        worst = (trm_maximal_worst){0, "", "", -1};
        w->solver->velocity_round(w, round, &worst);
    }
    w->required = NULL;
    return worst.residual < 1;
}

/* Computes a column of S: applies the impulse that gives the row unit rate to the machine at rest. Returns whether
 * the joints could be satisfied. */
static bool find_response(trm_maximal *w, const trm_maximal_damper *d, double *column)
{
    trm_state *state = w->stepper->state;
    const size_t bytes = (size_t)state->model->body_count * sizeof *state->velocity;
    const trm_works work = state->clock->work;
    const double own = d->own > 0 ? d->own : 1;
    memcpy(w->accelerations.a, state->velocity, bytes);
    memset(state->velocity, 0, bytes);
    trm_maximal_apply_damper_impulse(w, d, 1 / own);
    const bool projected = project_onto_joints(w, trm_maximal_force_of(w, d)->body);
    for (int k = 0; k < w->dampers.count; k++) column[k] = own * trm_maximal_rate_along(w, &w->dampers.list[k]);
    memcpy(state->velocity, w->accelerations.a, bytes);
    state->clock->work = work;
    return projected;
}

bool trm_maximal_find_damper_responses(trm_maximal *w)
{
    const int n = w->dampers.count;
    double *S = w->dampers.responses;
    if (!S || w->dampers.responses_known) return S != NULL;
    for (int i = 0; i < n; i++)
        if (!find_response(w, &w->dampers.list[i], S + n * i)) return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) S[n * i + k] = S[n * k + i] = 0.5 * (S[n * i + k] + S[n * k + i]);
    w->dampers.responses_known = true;
    return true;
}

/* Returns the impulse that a row has still to apply, N s. */
static double missing(const trm_maximal *w, const trm_maximal_damper *d, double dt)
{
    if (!takes_part(w, d)) return 0;
    return dt * trm_force_pull(&d->row, trm_maximal_rate_along(w, d)) - d->impulse;
}

static double slope(const trm_maximal *w, const trm_maximal_damper *d)
{
    return trm_force_slope(&d->row, trm_maximal_rate_along(w, d));
}

bool trm_maximal_damp_together(trm_maximal *w, double dt, trm_maximal_worst *changed)
{
    const int n = w->dampers.count;
    double *M = w->dampers.matrix, *inverse = M + n * n, *right = w->dampers.residuals;
    memcpy(M, w->dampers.responses, (size_t)(n * n) * sizeof *M);
    for (int i = 0; i < n; i++) {
        const trm_maximal_damper *d = &w->dampers.list[i];
        const double steep = takes_part(w, d) ? dt * slope(w, d) : 0,
                     least = 1 / (NO_SLOPE * (d->own > 0 ? d->own : 1));
        M[n * i + i] += 1 / fmax(steep, least);
        right[i] = missing(w, d, dt) / fmax(steep, least);
    }
    if (!trm_dense_inverse_positive(M, n, inverse)) return false;
    for (int i = 0; i < n; i++) {
        trm_maximal_damper *d = &w->dampers.list[i];
        double change = 0;
        if (!takes_part(w, d)) continue;
        for (int k = 0; k < n; k++) change += inverse[n * i + k] * right[k];
        d->impulse += change;
        trm_maximal_apply_damper_impulse(w, d, change);
        trm_maximal_take_worse(changed, fabs(change) * d->own / w->stepper->options->velocity_tolerance, "force",
                               trm_maximal_force_of(w, d)->name);
    }
    return true;
}

void trm_maximal_damp_in_turn(trm_maximal *w, double dt, trm_maximal_worst *changed)
{
    for (int i = 0; i < w->dampers.count; i++) {
        trm_maximal_damper *d = &w->dampers.list[i];
        if (!takes_part(w, d)) continue;
        const double rate = trm_maximal_rate_along(w, d) - d->own * d->impulse;
        const double change = trm_force_impulse(&d->row, dt, rate, d->own) - d->impulse;
        d->impulse += change;
        trm_maximal_apply_damper_impulse(w, d, change);
        trm_maximal_take_worse(changed, fabs(change) * d->own / w->stepper->options->velocity_tolerance, "force",
                               trm_maximal_force_of(w, d)->name);
    }
}
