/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts at acceleration level, without friction (Hishinuma 2018, (7), with +J^T lambda: erratum 9 of
 * docs/errata.md). For all closed contacts that do not separate
 *
 *     gap'' = J a - gamma >= 0,   lambda >= 0,   lambda gap'' = 0
 *
 * a are the accelerations under all forces, J^T lambda and the joints. gap'' does not depend on speeds: a body that
 * approaches another keeps its speed and penetrates it. Impacts are therefore errors, unless gaps are stabilised
 * like those of joints,
 *
 *     gap'' + damping gap' + stiffness gap >= 0
 *
 * Bodies then stop gradually and penetrate deeply. Besides, with friction accelerations may not exist (Painleve).
 * Complementarity of velocities avoids both: methods/lcp. */

#include <string.h>

#include "linalg/lcp.h"
#include "math/rotation.h"
#include "methods/lagrange/lagrange.h"

/* s: gamma is computed from a motion of this length, for bodies that turn at 1 rad/s. A larger value shows
 * curvature, a smaller one loses gamma to rounding. Tests pass with a tenth and with ten times of it. */
static const double MOMENT = 1e-5;

/* ---- Rows --------------------------------------------------------------------------------- */

static trm_pose moved(trm_pose X, trm_spatial V, double t)
{
    return (trm_pose){trm_quat_unit(trm_quat_mul(trm_quat_exp(trm_v3_scale(t, V.ang)), X.q)),
                      trm_v3_add_scaled(X.p, t, V.lin)};
}

/* Returns gap' at the poses that both bodies reach after time t with constant velocities. */
static double rate_at(const trm_state *state, const trm_contact *contact, double t)
{
    const int a = contact->body[0], b = contact->body[1];
    const trm_spatial Va = state->velocity[a], Vb = state->velocity[b];
    const trm_pose Xa = moved(state->pose[a], Va, t), Xb = moved(state->pose[b], Vb, t);
    const trm_contact_at at = trm_contact_at_poses(contact, Xa, Xb);
    const trm_vec3 va = trm_v3_add(Va.lin, trm_v3_cross(Va.ang, trm_v3_sub(at.point[0], Xa.p)));
    const trm_vec3 vb = trm_v3_add(Vb.lin, trm_v3_cross(Vb.ang, trm_v3_sub(at.point[1], Xb.p)));
    return trm_v3_dot(at.normal, trm_v3_sub(va, vb));
}

/* Returns gap'' without accelerations, by a difference of two exact rates. */
static double bias_of(const trm_state *state, const trm_contact *contact)
{
    double turn = 1;
    for (int k = 0; k < 2; k++) turn = fmax(turn, trm_v3_length(state->velocity[contact->body[k]].ang));
    const double t = MOMENT / turn;
    return (rate_at(state, contact, t) - rate_at(state, contact, -t)) / (2 * t);
}

static double along(const trm_step_contact *contact, const trm_spatial *a)
{
    return trm_sp_dot(contact->J[0], a[contact->features.body[0]]) +
           trm_sp_dot(contact->J[1], a[contact->features.body[1]]);
}

/* ---- Errors ------------------------------------------------------------------------------- */

static bool name_pair(const trm_lagrange *w, const trm_step_contact *contact, trm_outcome *outcome)
{
    const trm_body *bodies = w->stepper->model->bodies;
    return trm_name_pair(outcome, &bodies[contact->features.body[0]], &bodies[contact->features.body[1]]);
}

static bool has_no_impact(const trm_lagrange *w, trm_outcome *outcome)
{
    const trm_contact_set *t = w->machine->contact_set;
    const double slow =
        fmax(TRM_STILL, 2 * trm_v3_length(w->stepper->model->gravity) * fabs(w->stepper->options->step));
    for (int i = 0; i < t->count; i++) {
        if (t->contacts[i].u[0] >= -slow) continue;
        trm_fail(outcome, NAN, "", NULL,
                 "collide at %.3g m/s, but this method has no impacts; use lagrange:stabilise=baumgarte, which "
                 "stops them gradually, or the method impulse or lcp",
                 -t->contacts[i].u[0]);
        return name_pair(w, &t->contacts[i], outcome);
    }
    return true;
}

/* ---- The problem -------------------------------------------------------------------------- */

/* Fills the columns of A: the response of all contacts to each contact, with the joints closed. */
static void fill_matrix(trm_lagrange *w, double *A)
{
    trm_maximal *m = w->machine;
    const trm_contact_set *t = m->contact_set;
    const int n = t->count;
    trm_maximal_clear_accelerations(m);
    for (int k = 0; k < n; k++) {
        const trm_step_contact *contact = &t->contacts[k];
        trm_maximal_apply_unit_impulse(m, contact->features.body, 2, contact->W);
        for (int i = 0; i < n; i++) A[i * n + k] = along(&t->contacts[i], m->accelerations.a);
        trm_maximal_clear_response(m, contact->features.body, 2);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) A[i * n + k] = A[k * n + i] = 0.5 * (A[i * n + k] + A[k * n + i]);
}

/* Computes lambda of all contacts from gap'' without them in b. Returns false, with the reason in outcome, if
 * there is none or when out of memory. */
static bool solve(trm_lagrange *w, double *b, trm_arena *scratch, trm_outcome *outcome)
{
    const trm_contact_set *t = w->machine->contact_set;
    const int n = t->count;
    double *A = TRM_NEW_ROOM(scratch, double, (size_t)n *(size_t)n), *lo = TRM_NEW_ARRAY(scratch, double, 3 * n);
    if (!A || !lo) return trm_fail_memory(outcome, "contacts");
    double *hi = lo + n, *x = hi + n;
    for (int i = 0; i < n; i++) hi[i] = INFINITY;
    fill_matrix(w, A);
    const trm_lcp lcp = {.n = n, .A = A, .b = b, .lo = lo, .hi = hi, .x = x};
    const trm_lcp_result result = trm_lcp_dantzig(&lcp, scratch);
    if (result.status == TRM_LCP_NO_MEMORY) return trm_fail_memory(outcome, "contacts");
    if (result.status != TRM_LCP_SOLVED) {
        trm_fail(outcome, NAN, "", NULL, "have no forces that keep them apart");
        return name_pair(w, &t->contacts[result.row >= 0 ? result.row : 0], outcome);
    }
    for (int i = 0; i < n; i++) t->contacts[i].lambda[0] = x[i];
    return true;
}

/* Computes accelerations from those without joints and the current contact forces. */
static void accelerate(trm_lagrange *w)
{
    trm_maximal *m = w->machine;
    const trm_model *model = w->stepper->model;
    memcpy(m->accelerations.a, w->loose, (size_t)model->body_count * sizeof *m->accelerations.a);
    memcpy(m->accelerations.gamma, w->gamma, (size_t)model->row_count * sizeof *m->accelerations.gamma);
    memset(m->accelerations.lambda, 0, (size_t)model->row_count * sizeof *m->accelerations.lambda);
    for (int i = 0; i < m->contact_set->count; i++) {
        const trm_step_contact *contact = &m->contact_set->contacts[i];
        for (int k = 0; k < 2; k++) {
            trm_spatial *a = &m->accelerations.a[contact->features.body[k]];
            *a = trm_sp_add_scaled(*a, contact->lambda[0], contact->W[k]);
        }
    }
    trm_maximal_solve_accelerations(m);
}

/* Sets b to gap'' of all contacts under the current accelerations, stabilised. Returns whether one of them needs a
 * force. */
static bool find_row_accelerations(const trm_lagrange *w, double *b)
{
    const trm_contact_set *t = w->machine->contact_set;
    bool any = false;
    for (int i = 0; i < t->count; i++) {
        const trm_step_contact *contact = &t->contacts[i];
        b[i] = along(contact, w->machine->accelerations.a) + bias_of(w->stepper->state, &contact->features) +
               w->damping * contact->u[0] + w->stiffness * contact->at.gap;
        any = any || b[i] < 0;
    }
    return any;
}

bool trm_lagrange_solve_contacts(trm_lagrange *w, trm_outcome *outcome)
{
    trm_maximal *m = w->machine;
    const trm_model *model = w->stepper->model;
    const bool soft = w->damping > 0 || w->stiffness > 0;
    memcpy(w->loose, m->accelerations.a, (size_t)model->body_count * sizeof *w->loose);
    memcpy(w->gamma, m->accelerations.gamma, (size_t)model->row_count * sizeof *w->gamma);
    if (!trm_contact_set_find(m, -INFINITY, soft ? INFINITY : TRM_STILL) || !trm_contact_set_make_rows(m, true))
        return trm_fail_memory(outcome, "contacts");
    if (!soft && !has_no_impact(w, outcome)) return false;

    /* a <- joints;  lambda <- gap'';  a <- joints and contacts */
    const trm_arena_mark mark = trm_arena_get_mark(w->stepper->arena);
    double *b = TRM_NEW_ARRAY(w->stepper->arena, double, m->contact_set->count);
    bool good = b || trm_fail_memory(outcome, "contacts");
    for (int i = 0; i < m->contact_set->count; i++) m->contact_set->contacts[i].lambda[0] = 0;
    accelerate(w);
    if (good && find_row_accelerations(w, b)) {
        good = solve(w, b, w->stepper->arena, outcome);
        if (good) accelerate(w);
    }
    trm_arena_reset(w->stepper->arena, mark);
    if (good) trm_contact_set_remember(m, 1);
    return good;
}

trm_works trm_lagrange_contact_power(const trm_lagrange *w)
{
    const trm_contact_set *t = w->machine->contact_set;
    trm_works power = {0};
    for (int i = 0; t && i < t->count; i++) {
        const trm_step_contact *contact = &t->contacts[i];
        const double free = trm_v3_dot(contact->frame.d[0], contact->free);
        power.contact += contact->lambda[0] * contact->u[0];
        power.input += contact->lambda[0] * (free - contact->u[0]); /* done by bodies with prescribed motion */
    }
    return power;
}
