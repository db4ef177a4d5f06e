/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Inputs: forces along joint coordinates, set by the caller between steps.
 *
 * With dq/dt = G V the coordinate's rate, a force tau along it is the wrench F_b = G_b tau on each body b of the
 * joint: its power is tau dq/dt. It is applied as two forces of the caller (trm_sim_add_force), one per body that
 * can move. */

#include "base/check.h"
#include "sim/sim.h"
#include "trammel/arrays.h"

/* The force of an input on one body of the joint. */
typedef struct joint_force {
    const trm_sim *sim;
    int input; /* number of the input */
    int joint, coordinate;
    int side; /* which body of the joint */
} joint_force;

static trm_spatial wrench(void *context, const trm_state *state)
{
    const joint_force *f = context;
    const double tau = f->sim->caller.joint_forces[f->input];
    trm_spatial G[2 * TRM_JOINT_COORDINATES];
    if (!state->attached[f->joint]) return trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
    const trm_joint_at at = trm_joint_now(state, f->joint);
    trm_joint_coordinate_rows(&at, G);
    const trm_spatial row = G[at.joint->body_count * f->coordinate + f->side];
    return trm_sp_scale(tau, row);
}

static trm_status add_side(trm_sim *sim, joint_force side)
{
    const trm_joint *joint = &sim->state->model->joints[side.joint];
    const int body = joint->body[side.side];
    if (sim->state->model->bodies[body].inverse_mass == 0) return TRM_OK;
    joint_force *own = TRM_NEW(&sim->arena, joint_force);
    if (!own) return TRM_OUT_OF_MEMORY;
    *own = side;
    return trm_sim_add_force(sim, joint->name, body, wrench, own);
}

trm_status trm_sim_add_joint_force(trm_sim *sim, int joint, int coordinate)
{
    TRM_ASSERT(joint >= 0 && joint < sim->state->model->shown_joint_count && coordinate >= 0 &&
               coordinate < sim->state->model->joints[joint].coordinates);
    double *list = trm_arena_grow(&sim->arena, sim->caller.joint_forces, sim->caller.joint_force_count, sizeof *list);
    if (!list) return TRM_OUT_OF_MEMORY;
    sim->caller.joint_forces = list;
    list[sim->caller.joint_force_count] = 0;
    joint_force side = {sim, sim->caller.joint_force_count, joint, coordinate, 0};
    trm_status status = TRM_OK;
    for (; side.side < sim->state->model->joints[joint].body_count && status == TRM_OK; side.side++)
        status = add_side(sim, side);
    if (status == TRM_OK) sim->caller.joint_force_count++;
    return status;
}

int trm_sim_joint_force_count(const trm_sim *sim)
{
    return sim->caller.joint_force_count;
}

double *trm_sim_joint_forces(trm_sim *sim)
{
    return sim->caller.joint_forces;
}
