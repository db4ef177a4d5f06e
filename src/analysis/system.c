/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "analysis/system.h"

#include <math.h>

#include "base/memory.h"
#include "base/message.h"
#include "math/rotation.h"
#include "motion/rank.h"

/* ---- Coordinates -------------------------------------------------------------------------- */

static bool number_coordinates(trm_system *s)
{
    s->first = TRM_NEW_ARRAY(&s->arena, int, s->model->body_count);
    if (!s->first) return false;
    for (int b = 0; b < s->model->body_count; b++) {
        const int freedoms = trm_body_freedoms(&s->model->bodies[b]);
        s->first[b] = freedoms > 0 ? s->n : -1;
        s->n += freedoms;
    }
    s->unit = TRM_NEW_ARRAY(&s->arena, double, s->n + 1);
    for (int b = 0; s->unit && b < s->model->body_count; b++) {
        const double per_radian = trm_per_radian(&s->model->bodies[b]);
        const bool rigid = s->model->bodies[b].kind == TRM_BODY_RIGID;
        for (int k = 0; s->first[b] >= 0 && k < (rigid ? 6 : 3); k++)
            s->unit[s->first[b] + k] = rigid && k < 3 ? (per_radian > 0 ? per_radian : 1) : 1;
    }
    return s->unit != NULL;
}

int trm_system_body(const trm_system *s, int coordinate)
{
    int body = 0;
    for (int b = 0; b < s->model->body_count; b++)
        if (s->first[b] >= 0 && s->first[b] <= coordinate) body = b;
    return body;
}

/* Returns how far bodies, and the points where joints and forces act, are from their centre, m. */
static double size_of(const trm_system *s)
{
    const trm_model *m = s->model;
    trm_vec3 middle = {0, 0, 0};
    double size = 0;
    int count = 0;
    for (int b = 1; b < m->shown_body_count; b++)
        if (s->first[b] >= 0) middle = trm_v3_add(middle, s->state->pose[b].p), count++;
    if (count > 0) middle = trm_v3_scale(1.0 / count, middle);
    for (int b = 1; b < m->shown_body_count; b++) {
        const double per_radian = trm_per_radian(&m->bodies[b]);
        if (s->first[b] < 0) continue;
        size = fmax(size, trm_v3_length(trm_v3_sub(s->state->pose[b].p, middle)));
        if (per_radian > 0) size = fmax(size, 1 / per_radian);
    }
    for (int j = 0; j < m->shown_joint_count; j++)
        for (int b = 0; b < m->joints[j].body_count && b < 2; b++)
            if (s->first[m->joints[j].body[b]] >= 0) size = fmax(size, trm_v3_length(m->joints[j].frame[b].p));
    return size > 0 ? size : 1;
}

trm_status trm_system_create(trm_system *s, const trm_state *state, const trm_allocator *allocator,
                             trm_messages *messages)
{
    const trm_allocator from = trm_allocator_or_default(allocator);
    *s = (trm_system){.model = state->model};
    trm_arena_init(&s->arena, &from);
    trm_arena_init(&s->lasting, &from);
    s->state = trm_state_create(state->model, &from);
    if (!s->state || !number_coordinates(s)) return TRM_OUT_OF_MEMORY;
    trm_state_copy(s->state, state);
    if (s->n > TRM_SYSTEM_LARGEST) {
        trm_add_error(messages, (trm_place){0},
                      "the model has %d coordinates of bodies; analyses with dense matrices take at most %d", s->n,
                      TRM_SYSTEM_LARGEST);
        return TRM_BAD_INPUT;
    }
    s->velocity = TRM_NEW_ARRAY(&s->arena, trm_spatial, s->model->body_count);
    s->pose = TRM_NEW_ARRAY(&s->arena, trm_pose, s->model->body_count);
    s->off = TRM_NEW_ARRAY(&s->arena, bool, s->model->joint_count + 1);
    s->sizes = TRM_NEW_ARRAY(&s->arena, double, s->n + 1);
    if (!s->velocity || !s->pose || !s->off || !s->sizes) return TRM_OUT_OF_MEMORY;
    s->size = size_of(s);
    if (!s->model->collisions.may_collide) return TRM_OK;
    s->collider = trm_collider_create(s->model, &s->lasting);
    if (!s->collider) return TRM_OUT_OF_MEMORY;
    if (trm_collider_is_empty(s->collider)) s->collider = NULL;
    return TRM_OK;
}

void trm_system_destroy(trm_system *s)
{
    trm_state_destroy(s->state);
    trm_arena_destroy(&s->arena);
    trm_arena_destroy(&s->lasting);
}

/* ---- Moving ------------------------------------------------------------------------------- */

/* Returns xi of a body at y. */
static trm_spatial twist_of(const trm_system *s, int body, const double *y)
{
    const int i = s->first[body];
    const double *d = s->unit;
    if (s->model->bodies[body].kind != TRM_BODY_RIGID)
        return trm_sp(trm_v3(0, 0, 0), trm_v3(y[i], y[i + 1], y[i + 2]));
    return trm_sp(trm_v3(d[i] * y[i], d[i + 1] * y[i + 1], d[i + 2] * y[i + 2]),
                  trm_v3(y[i + 3], y[i + 4], y[i + 5]));
}

void trm_system_twists(const trm_system *s, const double *y, trm_spatial *V)
{
    for (int b = 0; b < s->model->body_count; b++)
        V[b] = s->first[b] >= 0 ? twist_of(s, b, y) : trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
}

void trm_system_move(trm_system *s, double scale, const double *y)
{
    for (int b = 0; b < s->model->body_count; b++) {
        if (s->first[b] < 0) continue;
        const trm_spatial xi = twist_of(s, b, y);
        trm_pose *X = &s->state->pose[b];
        X->p = trm_v3_add_scaled(X->p, scale, xi.lin);
        if (s->model->bodies[b].kind != TRM_BODY_RIGID) continue;
        X->q = trm_quat_unit(trm_quat_mul(trm_quat_exp(trm_v3_scale(scale, xi.ang)), X->q));
    }
    trm_remember_turns(s->state, 0, NULL);
}

void trm_system_displacement(const trm_system *s, const trm_pose *from, double *y)
{
    for (int b = 0; b < s->model->body_count; b++) {
        const int i = s->first[b];
        if (i < 0) continue;
        const bool rigid = s->model->bodies[b].kind == TRM_BODY_RIGID;
        const trm_vec3 x = trm_v3_sub(s->state->pose[b].p, from[b].p);
        const trm_vec3 r =
            rigid ? trm_quat_log(trm_quat_mul(s->state->pose[b].q, trm_quat_conj(from[b].q))) : trm_v3(0, 0, 0);
        const double xi[6] = {r.x, r.y, r.z, x.x, x.y, x.z};
        for (int k = 0; k < (rigid ? 6 : 3); k++) y[i + k] = xi[rigid ? k : k + 3] / s->unit[i + k];
    }
}

void trm_system_times_mass(const trm_system *s, const double *y, double *My)
{
    for (int b = 0; b < s->model->body_count; b++) {
        const trm_body *body = &s->model->bodies[b];
        const int i = s->first[b];
        if (i < 0) continue;
        const bool rigid = body->kind == TRM_BODY_RIGID;
        const trm_spatial V = twist_of(s, b, y);
        if (rigid) {
            const trm_quat q = s->state->pose[b].q;
            const trm_vec3 w = trm_rotate(trm_quat_conj(q), V.ang), I = body->inertia;
            const trm_vec3 L = trm_rotate(q, trm_v3(I.x * w.x, I.y * w.y, I.z * w.z));
            My[i] = s->unit[i] * L.x, My[i + 1] = s->unit[i + 1] * L.y, My[i + 2] = s->unit[i + 2] * L.z;
        }
        const int k = i + (rigid ? 3 : 0);
        My[k] = body->mass * V.lin.x, My[k + 1] = body->mass * V.lin.y, My[k + 2] = body->mass * V.lin.z;
    }
}

void trm_system_subtract_inertia(const trm_system *s, double *g)
{
    for (int b = 0; b < s->model->body_count; b++) {
        const trm_body *body = &s->model->bodies[b];
        const trm_spatial V = s->state->velocity[b], A = s->state->acceleration[b];
        trm_vec3 torque = {0, 0, 0};
        if (s->first[b] < 0) continue;
        if (body->kind == TRM_BODY_RIGID) {
            const trm_quat q = s->state->pose[b].q;
            const trm_vec3 w = trm_rotate_back(q, V.ang), a = trm_rotate_back(q, A.ang), I = body->inertia;
            const trm_vec3 L = trm_v3(I.x * w.x, I.y * w.y, I.z * w.z), Ia = trm_v3(I.x * a.x, I.y * a.y, I.z * a.z);
            torque = trm_rotate(q, trm_v3_add(Ia, trm_v3_cross(w, L)));
        }
        trm_system_add_row(s, b, trm_sp(trm_v3_neg(torque), trm_v3_scale(-body->mass, A.lin)), g);
    }
}
