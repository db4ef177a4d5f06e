/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rows of the joints at the present pose, and impulses along them (Schmitt 2003, section 4; equations 4.5, 4.6).
 *
 *     W = M^-1 J^T,   A = J W,   an impulse lambda changes the velocities by  W lambda.
 * The work done from outside through a driven row or a moving body is lambda times the prescribed speed. */

#include <float.h>
#include <string.h>

#include "base/parallel.h"
#include "linalg/dense.h"
#include "methods/maximal/maximal.h"
#include "methods/ranks/rank_map.h"

/* A block that is singular by itself (a row between bodies that have no response along it) is inverted with this
 * fraction of its largest entry added to its diagonal. The impulse stays finite and small. A larger value softens
 * the other rows of the block, a smaller one lets the impulse grow by its inverse. No quick test has such a block. */
static const double SINGULAR_SHARE = 1e-12;

/* R diag(1/J) R^T; where two moments are equal, 1/J1 + (1/J3 - 1/J1) a a^T with the unit axis a. */
static void find_inverse_inertia(void *context, int index, int thread)
{
    trm_maximal *w = context;
    const int i = w->bodies[index];
    const trm_body *body = &w->stepper->model->bodies[i];
    const trm_quat q = w->stepper->state->pose[i].q;
    (void)thread;
    if (body->kind != TRM_BODY_RIGID || !w->turned[i]) return; /* unchanged; for a point it stays zero */
    if (body->symmetry_axis >= 0) {
        const double d[3] = {body->inverse_inertia.x, body->inverse_inertia.y, body->inverse_inertia.z};
        const double across = d[(body->symmetry_axis + 1) % 3], more = d[body->symmetry_axis] - across;
        const trm_vec3 a = trm_rotate(q, trm_axis(body->symmetry_axis)), b = trm_v3_scale(more, a);
        w->inverse_inertia[i] = trm_columns(trm_v3(across + a.x * b.x, a.y * b.x, a.z * b.x),
                                            trm_v3(a.x * b.y, across + a.y * b.y, a.z * b.y),
                                            trm_v3(a.x * b.z, a.y * b.z, across + a.z * b.z));
        return;
    }
    const trm_mat3 R = trm_quat_matrix(q);
    w->inverse_inertia[i] = trm_mat_mul(R, trm_mat_mul(trm_diag(body->inverse_inertia), trm_transpose(R)));
}

static void invert_block(trm_maximal_joint *j)
{
    const int m = j->joint->rows, n = j->joint->body_count;
    double A[TRM_JOINT_ROWS * TRM_JOINT_ROWS] = {0}, largest = 0;
    for (int r = 0; r < m; r++)
        for (int c = 0; c <= r; c++) {
            double sum = 0;
            for (int b = 0; b < n; b++) sum += trm_sp_dot(j->J[r * n + b], j->W[c * n + b]);
            A[r * m + c] = A[c * m + r] = sum;
        }
    if (trm_dense_inverse_positive(A, m, j->inverse)) return;
    for (int r = 0; r < m; r++) largest = fmax(largest, A[r * m + r]);
    for (int r = 0; r < m; r++) A[r * m + r] += fmax(SINGULAR_SHARE * largest, DBL_MIN);
    trm_dense_inverse(A, m, j->inverse);
}

/* Computes prescribed speeds of a driven joint. Velocities of moving bodies come from their motion, not from the
 * state: rows depend on pose and time only. */
static void find_prescribed_speeds(const trm_maximal *w, trm_maximal_joint *j)
{
    const int n = j->joint->body_count;
    const trm_joint_at at = trm_joint_now(w->stepper->state, j->index);
    trm_joint_rate(&at, j->c_t);
    for (int r = 0; r < j->joint->rows; r++) j->drive[r] = -j->c_t[r];
    for (int b = 0; b < n; b++) {
        const trm_motion *motion = w->stepper->model->bodies[j->joint->body[b]].motion;
        trm_pose pose;
        trm_spatial V;
        if (!motion) continue;
        trm_motion_at(motion, at.t, &pose, &V, NULL);
        for (int r = 0; r < j->joint->rows; r++) j->drive[r] -= trm_sp_dot(j->J[r * n + b], V);
    }
}

/* Clears the rows of a joint that does not act, so that solvers need no special case. */
static void clear_rows(trm_maximal_joint *j)
{
    const size_t m = (size_t)j->joint->rows, n = (size_t)j->joint->body_count;
    memset(j->J, 0, m * n * sizeof *j->J);
    memset(j->W, 0, m * n * sizeof *j->W);
    if (j->inverse) memset(j->inverse, 0, m * m * sizeof *j->inverse);
    if (j->driven) memset(j->drive, 0, m * sizeof *j->drive), memset(j->c_t, 0, m * sizeof *j->c_t);
}

static void find_joint_rows(void *context, int index, int thread)
{
    trm_maximal *w = context;
    trm_maximal_joint *j = &w->joints[index];
    (void)thread;
    const int m = j->joint->rows, n = j->joint->body_count;
    const trm_state *state = w->stepper->state;
    if (!j->fresh) return;
    j->on = w->rows_at.on[j->index];
    if (!j->on) {
        clear_rows(j);
        return;
    }
    trm_joint_jacobian_at(j->joint, state->pose, state->clock->time, state->memory, j->J);
    for (int r = 0; r < m; r++)
        for (int b = 0; b < n; b++) j->W[r * n + b] = trm_maximal_response(w, j->joint->body[b], j->J[r * n + b]);
    if (j->driven) find_prescribed_speeds(w, j);
    if (j->inverse) invert_block(j);
}

static void find_damper_rows(trm_maximal *w, trm_maximal_damper *d)
{
    trm_force_at at;
    trm_force_place_now(w->stepper->state, d->force, &at);
    trm_force_row rows[TRM_FORCE_ROWS];
    at.force->type->rows(&at, rows);
    d->row = rows[d->index];
    d->own = 0;
    for (int b = 0; b < at.force->body_count; b++) {
        d->W[b] = trm_maximal_response(w, at.force->body[b], d->row.J[b]);
        d->own += trm_sp_dot(d->row.J[b], d->W[b]);
    }
}

/* Marks the bodies that have turned or moved since the rows were computed, and the joints whose rows must be computed
 * again: one of their bodies is marked, the joint was switched on or off, or it is driven and time has passed. all: mark
 * all joints, because functions of time have changed. Returns whether any body or joint is marked. */
static bool mark_changes(trm_maximal *w, bool all)
{
    const trm_state *state = w->stepper->state;
    bool any = false;
    for (int k = 0; k < w->body_count; k++) {
        const int i = w->bodies[k];
        w->held[i] = state->model->bodies[i].inverse_mass == 0 || trm_body_sleeps(state, i);
        w->turned[i] =
            isnan(w->rows_at.time) || memcmp(&w->rows_at.pose[i], &state->pose[i], sizeof *state->pose) != 0;
        any |= w->turned[i];
    }
    for (int i = 0; i < w->joint_count; i++) {
        trm_maximal_joint *j = &w->joints[i];
        const bool engaged = w->exempt.engaged && w->exempt.engaged[i];
        const bool on = (engaged || trm_joint_acts(state, j->index)) && !trm_joint_sleeps(state, j->index);
        j->fresh = all || on != w->rows_at.on[j->index] || (j->driven && w->rows_at.time != state->clock->time);
        for (int b = 0; b < j->joint->body_count; b++) j->fresh |= w->turned[j->joint->body[b]];
        w->rows_at.on[j->index] = on;
        any |= j->fresh;
    }
    return any;
}

void trm_maximal_rows(trm_maximal *w)
{
    const trm_state *state = w->stepper->state;
    const double *choice = state->memory + state->model->choice_start;
    const size_t choices = (size_t)(state->model->memory_count - state->model->choice_start) * sizeof *choice;
    const size_t inputs = (size_t)state->model->input_count * sizeof *state->memory;
    const bool chosen = isnan(w->rows_at.time) || memcmp(w->rows_at.choice, choice, choices) != 0 ||
                        memcmp(w->rows_at.inputs, state->memory, inputs) != 0;
    double changed = mark_changes(w, chosen) || chosen || w->rows_at.time != state->clock->time;
    if (w->rank.stale && !w->rank.held) changed = 1;
    trm_rank_map_largest(w->rank_map, &changed, NULL);
    if (changed == 0) return;
    w->dampers.responses_known = false;
    w->rows_at.number++;
    trm_for_each(w->body_count, w->threads, find_inverse_inertia, w);
    trm_for_each(w->joint_count, w->threads, find_joint_rows, w);
    for (int i = 0; i < w->dampers.count; i++) find_damper_rows(w, &w->dampers.list[i]);
    if (w->solver->prepare) w->solver->prepare(w);
    for (int k = 0; k < w->body_count; k++) w->rows_at.pose[w->bodies[k]] = state->pose[w->bodies[k]];
    memcpy(w->rows_at.choice, choice, choices);
    memcpy(w->rows_at.inputs, state->memory, inputs);
    w->rows_at.time = w->stepper->is_ended ? NAN : state->clock->time; /* invalid in a step that was cancelled */
}

void trm_maximal_apply_impulse(trm_maximal *w, int body, trm_spatial impulse)
{
    trm_spatial *V = &w->stepper->state->velocity[body];
    *V = trm_sp_add_scaled(*V, 1, trm_maximal_response(w, body, impulse));
}

static inline void solve(const double *inverse, double s, const double *c, double *lambda, int m)
{
    for (int r = 0; r < m; r++) {
        double sum = 0;
        for (int k = 0; k < m; k++) sum += inverse[r * m + k] * c[k];
        lambda[r] = s * sum;
    }
}

void trm_maximal_solve(const trm_maximal_joint *j, double s, const double *c, double *lambda)
{
    const int m = j->joint->rows;
    if (m == 3)
        solve(j->inverse, s, c, lambda, 3);
    else if (m == 5)
        solve(j->inverse, s, c, lambda, 5);
    else
        solve(j->inverse, s, c, lambda, m);
}
