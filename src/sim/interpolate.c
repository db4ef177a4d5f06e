/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "sim/interpolate.h"

#include "math/rotation.h"

/* ---- One curve ---------------------------------------------------------------------------- */

/* Computes the coefficients of Newton's form of the Hermite interpolant through x, v at the times s, given twice each,
 * by divided differences. */
static void find_coefficients(const double *z, const double *x, const double *v, int n, double *f)
{
    for (int i = 0; i < n; i++) f[i] = x[i / 2];
    for (int k = 1; k < n; k++) /* doubled nodes take the derivative */
        for (int i = n - 1; i >= k; i--)
            f[i] = k == 1 && i % 2 == 1 ? v[i / 2] : (f[i] - f[i - 1]) / (z[i] - z[i - k]);
}

static void make_curve(const double *z, const trm_vec3 *x, const trm_vec3 *v, int n, trm_path_curve *c)
{
    double of_x[3][TRM_PATH_NODES], of_v[3][TRM_PATH_NODES];
    for (int i = 0; i < n / 2; i++) {
        of_x[0][i] = x[i].x, of_x[1][i] = x[i].y, of_x[2][i] = x[i].z;
        of_v[0][i] = v[i].x, of_v[1][i] = v[i].y, of_v[2][i] = v[i].z;
    }
    for (int k = 0; k < 3; k++) find_coefficients(z, of_x[k], of_v[k], n, c->f[k]);
}

/* Returns the value at t by Horner's scheme. */
static trm_vec3 curve_at(const trm_path_curve *c, const double *z, int n, double t)
{
    double value[3];
    for (int k = 0; k < 3; k++) {
        value[k] = c->f[k][n - 1];
        for (int i = n - 2; i >= 0; i--) value[k] = c->f[k][i] + (t - z[i]) * value[k];
    }
    return trm_v3(value[0], value[1], value[2]);
}

/* Returns the derivative at t, in the same way. */
static trm_vec3 slope_at(const trm_path_curve *c, const double *z, int n, double t)
{
    double slope[3];
    for (int k = 0; k < 3; k++) {
        double value = c->f[k][n - 1];
        slope[k] = 0;
        for (int i = n - 2; i >= 0; i--) {
            slope[k] = value + (t - z[i]) * slope[k];
            value = c->f[k][i] + (t - z[i]) * value;
        }
    }
    return trm_v3(slope[0], slope[1], slope[2]);
}

/* ---- One body ----------------------------------------------------------------------------- */

static void make_path(const trm_state *const *nodes, int count, int body, trm_path *path)
{
    const trm_body *of = &nodes[0]->model->bodies[body];
    trm_vec3 x[TRM_PATH_NODES], v[TRM_PATH_NODES], r[TRM_PATH_NODES], r_dot[TRM_PATH_NODES];
    path->motion = of->motion;
    path->moves = of->inverse_mass > 0;
    path->start = nodes[0]->pose[body];
    path->middle = nodes[count - 2]->pose[body].q;
    path->count = 2 * count;
    for (int i = 0; path->moves && i < count; i++) {
        path->z[2 * i] = path->z[2 * i + 1] = nodes[i]->clock->time;
        x[i] = nodes[i]->pose[body].p;
        v[i] = nodes[i]->velocity[body].lin;
        r[i] = trm_quat_log(trm_quat_mul(nodes[i]->pose[body].q, trm_quat_conj(path->middle)));
        r_dot[i] = trm_mat_vec(trm_exp_jacobian_inverse(r[i]), nodes[i]->velocity[body].ang);
    }
    if (!path->moves) return;
    make_curve(path->z, x, v, path->count, &path->place);
    make_curve(path->z, r, r_dot, path->count, &path->turn);
}

void trm_path_make(const trm_state *before, const trm_state *after, int body, trm_path *path)
{
    const trm_state *const nodes[] = {before, after};
    make_path(nodes, 2, body, path);
}

trm_pose trm_path_pose(const trm_path *path, double t)
{
    trm_pose X = path->start;
    trm_spatial V;
    if (path->motion) trm_motion_at(path->motion, t, &X, &V, NULL);
    if (!path->moves) return X;
    const trm_vec3 r = curve_at(&path->turn, path->z, path->count, t);
    X.p = curve_at(&path->place, path->z, path->count, t);
    X.q = trm_quat_unit(trm_quat_mul(trm_quat_exp(r), path->middle));
    return X;
}

/* Returns the velocity of a body that impulses move. */
static trm_spatial path_velocity(const trm_path *path, double t)
{
    const trm_vec3 r = curve_at(&path->turn, path->z, path->count, t);
    return trm_sp(trm_mat_vec(trm_exp_jacobian(r), slope_at(&path->turn, path->z, path->count, t)),
                  slope_at(&path->place, path->z, path->count, t));
}

/* ---- A whole state ------------------------------------------------------------------------ */

static void interpolate_body(const trm_state *const *nodes, int count, int body, double t, trm_pose *X,
                             trm_spatial *V)
{
    trm_path path;
    make_path(nodes, count, body, &path);
    *X = trm_path_pose(&path, t);
    *V = path_velocity(&path, t);
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
