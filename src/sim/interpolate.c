/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "sim/interpolate.h"

#include "math/rotation.h"

enum { MOST_NODES = 3 };

/* One scalar curve: value and slope at t of the Hermite interpolant through x, v at the times s, given twice each. */
static void hermite(const double *s, const double *x, const double *v, int nodes, double t, double *value,
                    double *slope)
{
    const int n = 2 * nodes;
    double z[2 * MOST_NODES] = {0}, f[2 * MOST_NODES] = {0};
    for (int i = 0; i < nodes; i++) z[2 * i] = z[2 * i + 1] = s[i], f[2 * i] = f[2 * i + 1] = x[i];
    for (int k = 1; k < n; k++) /* divided differences; doubled nodes take the derivative */
        for (int i = n - 1; i >= k; i--)
            f[i] = k == 1 && i % 2 == 1 ? v[i / 2] : (f[i] - f[i - 1]) / (z[i] - z[i - k]);
    *value = f[n - 1];
    *slope = 0;
    for (int i = n - 2; i >= 0; i--) { /* Newton's form and its derivative, by Horner */
        *slope = *value + (t - z[i]) * *slope;
        *value = f[i] + (t - z[i]) * *value;
    }
}

typedef struct curve {
    double s[MOST_NODES];
    trm_vec3 x[MOST_NODES], v[MOST_NODES];
    int nodes;
} curve;

static void curve_at(const curve *c, double t, trm_vec3 *value, trm_vec3 *slope)
{
    double x[3][MOST_NODES], v[3][MOST_NODES], out[3], d[3];
    for (int i = 0; i < c->nodes; i++) {
        x[0][i] = c->x[i].x, x[1][i] = c->x[i].y, x[2][i] = c->x[i].z;
        v[0][i] = c->v[i].x, v[1][i] = c->v[i].y, v[2][i] = c->v[i].z;
    }
    for (int k = 0; k < 3; k++) hermite(c->s, x[k], v[k], c->nodes, t, &out[k], &d[k]);
    *value = trm_v3(out[0], out[1], out[2]);
    *slope = trm_v3(d[0], d[1], d[2]);
}

static void interpolate_body(const trm_state *const *nodes, int count, int body, double t, trm_pose *X,
                             trm_spatial *V)
{
    curve place = {.nodes = count}, turn = {.nodes = count};
    const trm_quat middle = nodes[count - 2]->pose[body].q;
    for (int i = 0; i < count; i++) {
        const trm_vec3 r = trm_quat_log(trm_quat_mul(nodes[i]->pose[body].q, trm_quat_conj(middle)));
        place.s[i] = turn.s[i] = nodes[i]->clock->time;
        place.x[i] = nodes[i]->pose[body].p;
        place.v[i] = nodes[i]->velocity[body].lin;
        turn.x[i] = r;
        turn.v[i] = trm_mat_vec(trm_exp_jacobian_inverse(r), nodes[i]->velocity[body].ang);
    }
    trm_vec3 r, r_dot;
    curve_at(&place, t, &X->p, &V->lin);
    curve_at(&turn, t, &r, &r_dot);
    X->q = trm_quat_unit(trm_quat_mul(trm_quat_exp(r), middle));
    V->ang = trm_mat_vec(trm_exp_jacobian(r), r_dot);
}

trm_pose trm_interpolate_pose(const trm_state *before, const trm_state *after, int body, double t)
{
    const trm_body *of = &before->model->bodies[body];
    const trm_state *const nodes[] = {before, after};
    trm_pose X = before->pose[body];
    trm_spatial V;
    if (of->motion) trm_motion_at(of->motion, t, &X, &V, NULL);
    if (of->inverse_mass > 0) interpolate_body(nodes, 2, body, t, &X, &V);
    return X;
}

void trm_interpolate(const trm_state *const *nodes, int count, double t, trm_state *to)
{
    const trm_state *before = nodes[count - 2], *after = nodes[count - 1];
    const trm_model *model = to->model;
    trm_state_copy(to, after);
    to->clock->time = t;
    for (int i = 0; i < model->body_count; i++) {
        if (model->bodies[i].motion) trm_motion_at(model->bodies[i].motion, t, &to->pose[i], &to->velocity[i], NULL);
        if (model->bodies[i].inverse_mass > 0) interpolate_body(nodes, count, i, t, &to->pose[i], &to->velocity[i]);
    }
    const double share = (t - before->clock->time) / (after->clock->time - before->clock->time);
    for (int r = 0; r < model->row_count; r++)
        to->reaction[r] = before->reaction[r] + share * (after->reaction[r] - before->reaction[r]);
    for (int i = 0; i < model->body_count; i++)
        to->acceleration[i] = trm_sp_add_scaled(
            before->acceleration[i], share, trm_sp_add_scaled(after->acceleration[i], -1, before->acceleration[i]));
    for (int i = 0; i < model->observed.sample_count; i++)
        to->sample[i] = before->sample[i]; /* held until the step ends */
    const trm_works done = trm_works_add_scaled(after->clock->work, -1, before->clock->work);
    to->clock->work = trm_works_add_scaled(before->clock->work, share, done);
}
