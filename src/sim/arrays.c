/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* All bodies and all joint coordinates of a state as arrays, and steps that fill these arrays. */

#include "trammel/arrays.h"

#include "base/check.h"
#include "math/rotation.h"
#include "sim/sim.h"

/* ---- Joint coordinates -------------------------------------------------------------------- */

int trm_coordinate_count(const trm_model *model)
{
    int count = 0;
    for (int j = 0; j < model->shown_joint_count; j++) count += model->joints[j].coordinates;
    return count;
}

trm_coordinate_name trm_coordinate_at(const trm_model *model, int index)
{
    int joint = 0;
    TRM_ASSERT(index >= 0 && index < trm_coordinate_count(model));
    for (; index >= model->joints[joint].coordinates; joint++) index -= model->joints[joint].coordinates;
    return (trm_coordinate_name){joint, index};
}

const char *trm_coordinate_unit(const trm_model *model, int index)
{
    const trm_coordinate_name name = trm_coordinate_at(model, index);
    return model->joints[name.joint].type->kind[name.coordinate] == TRM_COORDINATE_LENGTH ? "m" : "rad";
}

/* ---- A state in arrays -------------------------------------------------------------------- */

void trm_get_coordinates(const trm_state *state, double *q, double *qd)
{
    const trm_model *model = state->model;
    for (int j = 0; j < model->shown_joint_count; j++) {
        const int count = model->joints[j].coordinates;
        if (count == 0) continue;
        trm_joint_values(state, j, q, qd);
        if (q) q += count;
        if (qd) qd += count;
    }
}

static void put_vector(double *to, trm_vec3 v)
{
    to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

void trm_get_poses(const trm_state *state, double *positions, double *orientations)
{
    for (int i = 0; i < state->model->shown_body_count; i++) {
        const trm_pose X = trm_body_pose(state, i);
        if (positions) put_vector(positions + 3 * i, X.p);
        if (!orientations) continue;
        double *wxyz = orientations + 4 * i;
        wxyz[0] = X.q.w, wxyz[1] = X.q.x, wxyz[2] = X.q.y, wxyz[3] = X.q.z;
    }
}

void trm_get_velocities(const trm_state *state, double *velocities, double *angular_velocities)
{
    for (int i = 0; i < state->model->shown_body_count; i++) {
        const trm_spatial V = trm_body_velocity(state, i);
        if (velocities) put_vector(velocities + 3 * i, V.lin);
        if (angular_velocities) put_vector(angular_velocities + 3 * i, V.ang);
    }
}

void trm_set_poses(trm_state *state, const double *positions, const double *orientations)
{
    for (int i = 0; i < state->model->shown_body_count; i++) {
        const double *wxyz = orientations + 4 * i;
        if (state->model->bodies[i].inverse_mass > 0)
            trm_set_body_pose(
                state, i, (trm_pose){.q = {wxyz[0], wxyz[1], wxyz[2], wxyz[3]}, .p = trm_v3_at(positions + 3 * i)});
    }
}

void trm_set_velocities(trm_state *state, const double *velocities, const double *angular_velocities)
{
    for (int i = 0; i < state->model->shown_body_count; i++)
        if (state->model->bodies[i].inverse_mass > 0)
            trm_set_body_velocity(state, i,
                                  trm_sp(trm_v3_at(angular_velocities + 3 * i), trm_v3_at(velocities + 3 * i)));
}

/* ---- Steps -------------------------------------------------------------------------------- */

void trm_get_arrays(const trm_state *state, const trm_arrays *arrays)
{
    if (arrays->q || arrays->qd) trm_get_coordinates(state, arrays->q, arrays->qd);
    if (arrays->positions || arrays->orientations) trm_get_poses(state, arrays->positions, arrays->orientations);
    if (arrays->velocities || arrays->angular_velocities)
        trm_get_velocities(state, arrays->velocities, arrays->angular_velocities);
}

bool trm_sim_steps(trm_sim *sim, double dt, int count, const trm_arrays *arrays, trm_outcome *outcome)
{
    bool ok = isfinite(dt) && dt != 0;
    if (!ok) *outcome = trm_bad_outcome(sim, "dt is not a finite time other than 0");
    if (ok && sim->monitor.result.observed == 0) { /* the balance of energy and work begins at the start */
        *outcome = trm_sim_observe(sim);
        ok = outcome->ok;
    }
    for (int i = 0; i < count && ok; i++) {
        *outcome = trm_sim_step(sim, dt);
        if (outcome->ok) *outcome = trm_sim_observe(sim);
        ok = outcome->ok;
    }
    if (arrays) trm_get_arrays(sim->state, arrays);
    return ok;
}

void trm_sim_restart_account(trm_sim *sim)
{
    sim->monitor = (trm_monitor){.acted_on = sim->monitor.acted_on}; /* the forces of the caller stay */
    trm_monitor_start(&sim->monitor);
    trm_sim_forget_growth(sim);
}
