/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "analysis/curve.h"

#include <math.h>
#include <string.h>

#include "motion/rank.h"

enum { MOST_ROUNDS = 25 };

bool trm_curve_create(trm_curve *c, trm_system *s, bool with_time, double weight)
{
    const size_t n = (size_t)s->n + 1, m = (size_t)s->row_count + 1;
    *c = (trm_curve){.s = s, .with_time = with_time, .weight = weight};
    c->tangent = TRM_NEW_ARRAY(&s->arena, double, n), c->kept_tangent = TRM_NEW_ARRAY(&s->arena, double, n);
    c->z = TRM_NEW_ARRAY(&s->arena, double, n), c->room = TRM_NEW_ARRAY(&s->arena, double, n);
    c->c = TRM_NEW_ARRAY(&s->arena, double, m), c->J = TRM_NEW_ARRAY(&s->arena, double, m *n);
    c->null = trm_null_space_create(&s->arena, s->row_count, s->n + with_time);
    c->kept = trm_state_create(s->model, &s->arena.allocator);
    return c->tangent && c->kept_tangent && c->z && c->room && c->c && c->J && c->null && c->kept;
}

void trm_curve_destroy(trm_curve *c)
{
    trm_state_destroy(c->kept);
}

static int size_of(const trm_curve *c)
{
    return c->s->n + c->with_time;
}

/* Computes rows of unit length at the current point, and c scaled with them. Returns the largest c. */
static double find_rows(trm_curve *c)
{
    trm_system *s = c->s;
    const int n = s->n, wide = size_of(c);
    double worst = 0;
    trm_system_residuals(s);
    trm_system_jacobian(s);
    if (c->with_time) trm_system_rates(s, c->c);
    for (int i = 0; i < s->row_count; i++) {
        double *row = c->J + (size_t)i * (size_t)wide, square = 0;
        memcpy(row, s->J + (size_t)i * (size_t)n, (size_t)n * sizeof *row);
        if (c->with_time) row[n] = c->c[i] / c->weight;
        for (int k = 0; k < wide; k++) square += row[k] * row[k];
        const double scale = square > 0 ? 1 / sqrt(square) : 0;
        for (int k = 0; k < wide; k++) row[k] *= scale;
        c->c[i] = -s->c[i] * scale;
        worst = fmax(worst, fabs(c->c[i]));
    }
    trm_null_space_find(c->null, c->J, s->row_count, TRM_DEPENDENT);
    return worst;
}

static void move(trm_curve *c, double h, const double *z)
{
    trm_system *s = c->s;
    if (c->with_time) trm_set_state_time(s->state, s->state->clock->time + h * z[s->n] / c->weight);
    trm_system_move(s, h, z);
}

bool trm_curve_find_tangent(trm_curve *c)
{
    const int wide = size_of(c);
    double square = 0;
    find_rows(c);
    trm_null_space_reduce(c->null, c->tangent, c->room);
    trm_null_space_expand(c->null, c->room, c->z);
    for (int i = 0; i < wide; i++) square += c->z[i] * c->z[i];
    if (!(square > 1e-20)) return false;
    for (int i = 0; i < wide; i++) c->tangent[i] = c->z[i] / sqrt(square);
    return true;
}

void trm_curve_store(trm_curve *c)
{
    trm_state_copy(c->kept, c->s->state);
    memcpy(c->kept_tangent, c->tangent, (size_t)size_of(c) * sizeof *c->tangent);
}

void trm_curve_restore(trm_curve *c)
{
    trm_state_copy(c->s->state, c->kept);
    memcpy(c->tangent, c->kept_tangent, (size_t)size_of(c) * sizeof *c->tangent);
}

/* Returns to the rows, at right angles to the tangent at the start of the step. */
static bool close_rows(trm_curve *c, double h)
{
    double before = INFINITY, way = 0;
    const int wide = size_of(c);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const double worst = find_rows(c);
        if (!isfinite(worst)) return false;
        if (worst <= 1e-15 * c->s->size || (worst <= 1e-12 * c->s->size && worst >= 0.5 * before)) return true;
        if (round > 3 && worst > 0.9 * before) return worst <= 1e-11 * c->s->size;
        before = worst;
        trm_null_space_solve(c->null, c->c, c->z);
        for (int i = 0; i < wide; i++) way += c->z[i] * c->z[i];
        if (sqrt(way) > 0.5 * h) return false; /* this may be another branch */
        move(c, 1, c->z);
    }
    return false;
}

bool trm_curve_step(trm_curve *c, double h)
{
    trm_curve_store(c);
    move(c, h, c->tangent);
    if (close_rows(c, fabs(h)) && trm_curve_find_tangent(c)) {
        double dot = 0; /* limits the bend of the curve in a step */
        for (int i = 0; i < size_of(c); i++) dot += c->tangent[i] * c->kept_tangent[i];
        if (dot > 0.95) return true;
    }
    trm_curve_restore(c);
    return false;
}

double trm_curve_rate(const trm_curve *c, trm_coordinate_name name)
{
    const trm_system *s = c->s;
    const trm_joint_at at = trm_joint_now(s->state, name.joint);
    trm_spatial G[TRM_JOINT_BODIES];
    trm_system_twists(s, c->tangent, s->velocity);
    trm_joint_coordinate_row(&at, name.coordinate, G);
    double rate = 0;
    for (int b = 0; b < at.joint->body_count; b++) rate += trm_sp_dot(G[b], s->velocity[at.joint->body[b]]);
    return rate;
}

static double speed_of(const trm_system *s, int body, const double *y)
{
    double most = 0;
    for (int k = 0; s->first[body] >= 0 && k < trm_body_freedoms(&s->model->bodies[body]); k++)
        most = fmax(most, fabs(y[s->first[body] + k]));
    return most;
}

int trm_curve_joint(const trm_curve *c)
{
    const trm_system *s = c->s;
    int best = -1;
    double most = 0;
    for (int j = 0; j < s->model->shown_joint_count; j++) {
        const trm_joint *joint = &s->model->joints[j];
        if (!joint->type->place || joint->coordinates == 0 || !s->state->attached[j]) continue;
        double rate = 0;
        for (int k = 0; k < joint->coordinates; k++) {
            const double one = fabs(trm_curve_rate(c, (trm_coordinate_name){j, k}));
            rate = fmax(rate, joint->type->kind[k] == TRM_COORDINATE_LENGTH ? one / s->size : one);
        }
        const bool both =
            speed_of(s, joint->body[0], c->tangent) > 1e-6 && speed_of(s, joint->body[1], c->tangent) > 1e-6;
        rate *= both ? 1000 : 1;
        if (rate > most) most = rate, best = j;
    }
    return best;
}
