/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "sim/extrapolate.h"

#include "math/rotation.h"

static trm_vec3 beyond(trm_vec3 fine, trm_vec3 coarse)
{
    return trm_add_scaled(fine, 1.0 / 3, trm_sub(fine, coarse));
}

void trm_extrapolate(trm_state *fine, const trm_state *coarse)
{
    const trm_model *model = fine->model;
    for (int i = 0; i < model->body_count; i++) {
        if (model->bodies[i].inverse_mass == 0) continue;
        trm_pose *X = &fine->pose[i];
        trm_spatial *V = &fine->velocity[i];
        const trm_vec3 turn = trm_quat_log(trm_quat_mul(X->q, trm_quat_conj(coarse->pose[i].q)));
        X->p = beyond(X->p, coarse->pose[i].p);
        X->q = trm_quat_unit(trm_quat_mul(trm_quat_exp(trm_scale(1.0 / 3, turn)), X->q));
        V->ang = beyond(V->ang, coarse->velocity[i].ang);
        V->lin = beyond(V->lin, coarse->velocity[i].lin);
    }
    trm_add_work(fine, 1.0 / 3, trm_works_add_scaled(fine->clock->work, -1, coarse->clock->work));
    fine->clock->velocities_fit = 0;
}
