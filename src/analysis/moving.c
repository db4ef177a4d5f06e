/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "analysis/moving.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "math/rotation.h"
#include "model/contact_law.h"

/* Fraction of the machine's size: contacts with a smaller gap are closed. A larger value includes open contacts, a
 * smaller one misses contacts of shapes that are placed with seven digits. */
static const double TOUCHING = 1e-6;
/* Rows shorter than this, per unit of coordinates and the machine's size, are rounding, for example rows of tilts
 * that joints of a planar loop repeat. A larger value drops rows of long machines, a smaller one keeps rows of
 * rounding, which then seem independent. */
static const double NO_ROW = 1e-11;

static int rows_of_contacts(const trm_moving *w)
{
    int rows = 0;
    for (int i = 0; i < w->contact_count; i++) rows += w->rolls[i] ? 3 : 1;
    return rows;
}

static bool take_contacts(trm_moving *w, trm_system *s)
{
    if (!trm_system_find_rows(s, TOUCHING * s->size)) return false;
    if (s->contacts.count > 0)
        w->contacts = trm_arena_copy(w->arena, s->contacts.items, (size_t)s->contacts.count, sizeof *w->contacts);
    w->rolls = TRM_NEW_ARRAY(w->arena, bool, s->contacts.count + 1);
    if ((s->contacts.count > 0 && !w->contacts) || !w->rolls) return false;
    for (int i = 0; i < s->contacts.count; i++) {
        const trm_contact *c = &s->contacts.items[i];
        const trm_contact_law law = trm_contact_law_of(s->model, c->body[0], c->shape[0], c->body[1], c->shape[1]);
        w->rolls[i] = trm_contact_friction(&law, 0) > 0;
    }
    w->contact_count = s->contacts.count;
    return true;
}

/* Lists the motors of limited force whose velocity is given: they are assumed to reach it. */
static bool take_motors(trm_moving *w)
{
    const trm_model *model = w->state->model;
    w->held = TRM_NEW_ARRAY(w->arena, int, model->joint_count + 1);
    for (int j = 0; w->held && j < model->joint_count; j++) {
        const trm_joint *joint = &model->joints[j];
        const bool limited = isfinite(joint->most) && !joint->one_sided && trm_joint_is_rheonomic(joint) &&
                             !trm_joint_is_friction(joint);
        if (w->state->attached[j] && limited) w->held[w->held_count++] = j;
    }
    return w->held;
}

static void count_rows(trm_moving *w)
{
    w->m = w->rows + rows_of_contacts(w) + w->held_count;
    for (int i = w->m - w->held_count; i < w->m; i++) w->position[i] = true;
}

void trm_moving_activate(trm_moving *w, int joint)
{
    w->held[w->held_count++] = joint;
    count_rows(w);
}

void trm_moving_release(trm_moving *w, int joint)
{
    int kept = 0;
    for (int i = 0; i < w->held_count; i++)
        if (w->held[i] != joint) w->held[kept++] = w->held[i];
    w->held_count = kept;
    count_rows(w);
}

trm_status trm_moving_create(trm_moving *w, trm_system *s)
{
    *w = (trm_moving){.arena = &s->arena, .time = s->state->clock->time, .size = s->size};
    w->state = trm_state_create(s->model, &s->arena.allocator);
    const trm_status status = trm_joint_space_create(s->model, &s->arena.allocator, &w->space);
    if (status != TRM_OK || !w->state || !take_contacts(w, s)) return status != TRM_OK ? status : TRM_OUT_OF_MEMORY;
    trm_state_copy(w->state, s->state);
    if (!take_motors(w)) return TRM_OUT_OF_MEMORY;
    w->n = trm_joint_space_size(w->space);
    w->rows = trm_joint_space_constraints(w->space);
    w->room = w->rows + rows_of_contacts(w) + s->model->joint_count;
    const size_t n = (size_t)w->n + 1, m = (size_t)w->room + 1;
    w->R = TRM_NEW_ARRAY(w->arena, double, m *n), w->other = TRM_NEW_ARRAY(w->arena, double, m *n);
    w->phi = TRM_NEW_ARRAY(w->arena, double, m), w->gamma = TRM_NEW_ARRAY(w->arena, double, m);
    w->M = TRM_NEW_ARRAY(w->arena, double, n *n), w->h = TRM_NEW_ARRAY(w->arena, double, 2 * n);
    w->body = TRM_NEW_ARRAY(w->arena, double, 6 * n), w->position = TRM_NEW_ARRAY(w->arena, bool, m);
    if (!w->R || !w->other || !w->phi || !w->gamma || !w->M || !w->h || !w->body || !w->position)
        return TRM_OUT_OF_MEMORY;
    for (int i = 0; i < w->rows; i++) w->position[i] = true;
    for (int i = 0, row = w->rows; i < w->contact_count; row += w->rolls[i++] ? 3 : 1) w->position[row] = true;
    count_rows(w);
    return TRM_OK;
}

void trm_moving_destroy(trm_moving *w)
{
    trm_joint_space_destroy(w->space);
    trm_state_destroy(w->state);
}

/* Computes the rows of contacts at the current q, into R starting at row `rows`. */
static void contact_rows(trm_moving *w, double *R, double *phi)
{
    const size_t n = (size_t)w->n;
    int row = w->rows;
    if (w->contact_count == 0) return;
    trm_joint_space_write(w->space, w->state);
    for (int i = 0; i < w->contact_count; i++) {
        const trm_contact *c = &w->contacts[i];
        const trm_contact_at at = trm_contact_at_poses(c, w->state->pose[c->body[0]], w->state->pose[c->body[1]]);
        const trm_vec3 t = trm_perpendicular(at.normal), d[3] = {at.normal, t, trm_v3_cross(at.normal, t)};
        const int count = w->rolls[i] ? 3 : 1;
        for (int k = 0; k < count; k++) memset(R + (size_t)(row + k) * n, 0, n * sizeof *R);
        for (int b = 0; b < 2; b++) {
            const trm_body *body = &w->state->model->bodies[c->body[b]];
            if (trm_body_freedoms(body) == 0) continue;
            const trm_pose B = trm_pose_mul(w->state->pose[c->body[b]], trm_pose_inverse(body->X_BP));
            trm_point_jacobian(w->space, c->body[b], trm_pose_point_back(B, at.point[b]), w->body);
            for (int k = 0; k < count; k++)
                for (size_t j = 0; j < n; j++)
                    R[(size_t)(row + k) * n + j] +=
                        (b == 0 ? 1 : -1) *
                        (d[k].x * w->body[3 * n + j] + d[k].y * w->body[4 * n + j] + d[k].z * w->body[5 * n + j]);
        }
        if (phi) phi[row] = at.gap;
        for (int k = 1; phi && k < count; k++) phi[row + k] = 0;
        row += count;
    }
}

/* Computes the rows of held joints at the current q, the last of R. */
static void held_rows(trm_moving *w, double *R, double *phi)
{
    const size_t n = (size_t)w->n;
    if (w->held_count == 0) return;
    trm_joint_space_write(w->space, w->state);
    for (int i = 0, row = w->m - w->held_count; i < w->held_count; i++, row++) {
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
        const trm_joint_at at = trm_joint_now(w->state, w->held[i]);
        double c[TRM_JOINT_ROWS], *to = R + (size_t)row * n;
        trm_joint_jacobian(&at, J);
        trm_joint_residual(&at, c);
        if (phi) phi[row] = c[0];
        memset(to, 0, n * sizeof *to);
        for (int b = 0; b < at.joint->body_count; b++) {
            const trm_body *body = &w->state->model->bodies[at.joint->body[b]];
            if (trm_body_freedoms(body) == 0) continue;
            const double xi[6] = {J[b].ang.x, J[b].ang.y, J[b].ang.z, J[b].lin.x, J[b].lin.y, J[b].lin.z};
            trm_point_jacobian(w->space, at.joint->body[b], body->X_BP.p, w->body);
            for (size_t k = 0; k < 6; k++)
                for (size_t j = 0; j < n; j++) to[j] += xi[k] * w->body[k * n + j];
        }
    }
}

void trm_moving_active_rates(const trm_moving *w, double *b)
{
    for (int i = 0; i < w->held_count; i++) {
        double rate[TRM_JOINT_ROWS];
        const trm_joint_at at = trm_joint_now(w->state, w->held[i]);
        trm_joint_rate(&at, rate);
        b[w->m - w->held_count + i] = -rate[0];
    }
}

void trm_moving_rows(trm_moving *w, const double *q)
{
    trm_joint_space_set(w->space, w->time, q, NULL);
    if (w->rows > 0) trm_constraint_rows(w->space, w->phi, w->R, NULL);
    contact_rows(w, w->R, w->phi);
    held_rows(w, w->R, w->phi);
}

/* Computes -(dR/dt) q' of contacts and held joints by differences of order 4 along q'. */
static void added_gammas(trm_moving *w, const double *q, const double *qd)
{
    static const double at[4] = {1, -1, 2, -2}, weight[4] = {8.0 / 12, -8.0 / 12, -1.0 / 12, 1.0 / 12};
    const int n = w->n;
    double fastest = 0, *moved = w->h + n;
    for (int i = w->rows; i < w->m; i++) w->gamma[i] = 0;
    for (int j = 0; j < n; j++) {
        const bool angular = trm_joint_space_name_of(w->space, j).angular;
        fastest = fmax(fastest, fabs(qd[j]) / (angular ? 1 : w->size));
    }
    if (fastest == 0 || w->m == w->rows) return;
    const double s = 2e-3 / fastest;
    for (int k = 0; k < 4; k++) {
        for (int j = 0; j < n; j++) moved[j] = q[j] + at[k] * s * qd[j];
        trm_joint_space_set(w->space, w->time, moved, NULL);
        contact_rows(w, w->other, NULL);
        held_rows(w, w->other, NULL);
        for (int i = w->rows; i < w->m; i++)
            for (int j = 0; j < n; j++)
                w->gamma[i] -= weight[k] / s * w->other[(size_t)i * (size_t)n + (size_t)j] * qd[j];
    }
}

void trm_moving_equations(trm_moving *w, const double *q, const double *qd)
{
    added_gammas(w, q, qd);
    trm_joint_space_set(w->space, w->time, q, qd);
    if (w->rows > 0) trm_constraint_rows(w->space, w->phi, w->R, w->gamma);
    contact_rows(w, w->R, w->phi);
    held_rows(w, w->R, w->phi);
    trm_mass_matrix(w->space, w->M);
    trm_inverse_dynamics(w->space, NULL, w->h);
}

void trm_moving_factor(trm_moving *w, trm_null_space *null, const bool *which, double *b, double *J)
{
    const size_t n = (size_t)w->n;
    const double nothing = NO_ROW * fmin(1, w->size);
    int count = 0;
    for (int i = 0; i < w->m; i++) {
        const double *row = w->R + (size_t)i * n;
        double square = 0;
        if (which && !which[i]) continue;
        for (size_t j = 0; j < n; j++) square += row[j] * row[j];
        const double length = sqrt(square), scale = length > nothing ? 1 / length : 0;
        for (size_t j = 0; j < n; j++) J[(size_t)count * n + j] = scale * row[j];
        if (b) b[count] = scale * b[i];
        count++;
    }
    trm_null_space_find(null, J, count, 1e-7);
}

bool trm_moving_accelerations(trm_moving *w, trm_null_space *null, double *qdd)
{
    const int n = w->n;
    const trm_arena_mark mark = trm_arena_get_mark(w->arena);
    double *gamma = trm_arena_copy(w->arena, w->gamma, (size_t)w->m + 1, sizeof *gamma);
    trm_moving_factor(w, null, NULL, gamma, w->other);
    const int f = n - null->rank;
    double *T = TRM_NEW_ARRAY(w->arena, double, (size_t)f *(size_t)f + 1),
           *r = TRM_NEW_ARRAY(w->arena, double, n + 1);
    double *a = TRM_NEW_ARRAY(w->arena, double, n + 1), *MS = TRM_NEW_ARRAY(w->arena, double, (size_t)n + 1);
    bool good = gamma && T && r && a && MS;
    if (good) {
        trm_null_space_solve(null, gamma, qdd);
        for (int i = 0; i < n; i++) {
            r[i] = -w->h[i];
            for (int j = 0; j < n; j++) r[i] -= w->M[i * n + j] * qdd[j];
        }
        trm_null_space_reduce(null, r, a);
        for (int k = 0; k < f; k++) {
            for (int i = 0; i < n; i++) {
                MS[i] = 0;
                for (int j = 0; j < n; j++) MS[i] += w->M[i * n + j] * null->Q[j * n + null->rank + k];
            }
            trm_null_space_reduce(null, MS, r);
            for (int i = 0; i < f; i++) T[i * f + k] = r[i];
        }
        good = trm_dense_solve(T, f, a, 1);
        trm_null_space_expand(null, a, r);
        for (int i = 0; i < n; i++) qdd[i] += r[i];
    }
    trm_arena_reset(w->arena, mark);
    return good;
}
