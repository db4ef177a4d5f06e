/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "sim/extrapolate.h"

#include "math/rotation.h"

int trm_extrapolation_results(double order)
{
    return order == 4 ? 2 : order == 6 ? 3 : order == 8 ? 4 : 0;
}

/* Returns the weight of the result of n = i + 1 steps among k. */
static double weight(int i, int k)
{
    const double n = i + 1;
    double w = 1;
    for (int j = 0; j < k; j++)
        if (j != i) w *= n * n / (n * n - (j + 1.0) * (j + 1.0));
    return w;
}

/* Computes fine + sum of w (coarse - fine): the weights add up to 1, and what all results share is not rounded
 * again. */
static void combine_body(trm_state *fine, trm_state *const *coarse, int k, const double *w, int body)
{
    trm_pose *X = &fine->pose[body];
    trm_spatial *V = &fine->velocity[body];
    const trm_pose finest = *X;
    const trm_spatial finest_velocity = *V;
    trm_vec3 turn = {0, 0, 0};
    for (int i = 0; i < k - 1; i++) {
        const trm_pose *Y = &coarse[i]->pose[body];
        const trm_spatial difference = trm_sp_add_scaled(coarse[i]->velocity[body], -1, finest_velocity);
        X->p = trm_v3_add_scaled(X->p, w[i], trm_v3_sub(Y->p, finest.p));
        turn = trm_v3_add_scaled(turn, w[i], trm_quat_log(trm_quat_mul(Y->q, trm_quat_conj(finest.q))));
        *V = trm_sp_add_scaled(*V, w[i], difference);
    }
    X->q = trm_quat_unit(trm_quat_mul(trm_quat_exp(turn), finest.q));
}

void trm_extrapolate(trm_state *fine, trm_state *const *coarse, int k)
{
    const trm_model *model = fine->model;
    const trm_works work = fine->clock->work;
    double w[TRM_MOST_SEQUENCES];
    for (int i = 0; i < k - 1; i++) {
        w[i] = weight(i, k);
        trm_add_work(fine, w[i], trm_works_add_scaled(coarse[i]->clock->work, -1, work));
    }
    for (int b = 0; b < model->body_count; b++)
        if (model->bodies[b].inverse_mass > 0) combine_body(fine, coarse, k, w, b);
    fine->clock->velocities_projected = 0;
}
