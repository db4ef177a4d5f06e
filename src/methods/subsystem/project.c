/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Stabilisation through the same tree as accelerations (instead of Kasper and Vlasenko's step 7, which needs one
 * matrix of the whole machine). The smallest corrections in the mass metric satisfy
 *
 *     J dX = -c(X),          X <- exp(dX) X          a pass over poses
 *     J dV = -(J V + c_t),   V <- V + dV             a pass over velocities
 *
 * TRM_PROJECT_IN_TURN: passes over poses, then one over velocities at the corrected pose. TRM_PROJECT_AT_ONCE, as
 * in the paper: both at the same pose, repeated, which leaves J V of the size of the last dX. */

#include "math/rotation.h"
#include "methods/ranks/rank_map.h"
#include "methods/subsystem/subsystem.h"

/* Writes the required change of each row into gamma, because the solvers treat it as an acceleration. */
static void require_closed_joints(trm_maximal *m)
{
    trm_maximal_clear_accelerations(m);
    for (int j = 0; j < m->joint_count; j++) {
        const trm_state *state = m->stepper->state;
        double c[TRM_JOINT_ROWS];
        trm_maximal_residual_at(m, &m->joints[j], state->pose, state->clock->time, c);
        for (int r = 0; r < m->joints[j].joint->rows; r++)
            m->accelerations.gamma[m->joints[j].joint->row_offset + r] = -c[r];
    }
}

static void require_zero_rates(trm_maximal *m)
{
    trm_maximal_clear_accelerations(m);
    for (int j = 0; j < m->joint_count; j++) {
        double c_dot[TRM_JOINT_ROWS];
        trm_maximal_check_velocity(m, &m->joints[j], c_dot);
        for (int r = 0; r < m->joints[j].joint->rows; r++)
            m->accelerations.gamma[m->joints[j].joint->row_offset + r] = -c_dot[r];
    }
}

static void apply_displacements(trm_maximal *m)
{
    for (int k = 0; k < m->body_count; k++) {
        const int i = m->bodies[k];
        trm_pose *X = &m->stepper->state->pose[i];
        if (m->held[i]) continue;
        X->p = trm_v3_add(X->p, m->accelerations.a[i].lin);
        X->q = trm_quat_unit(trm_quat_mul(trm_quat_exp(m->accelerations.a[i].ang), X->q));
    }
}

static void apply_velocity_changes(trm_maximal *m)
{
    for (int k = 0; k < m->body_count; k++) {
        const int i = m->bodies[k];
        trm_spatial *V = &m->stepper->state->velocity[i];
        if (!m->held[i]) *V = trm_sp_add_scaled(*V, 1, m->accelerations.a[i]);
    }
}

static void correct_velocities(trm_maximal *m)
{
    require_zero_rates(m);
    m->solver->acceleration_round(m);
    apply_velocity_changes(m);
}

static void correct_poses(trm_maximal *m)
{
    require_closed_joints(m);
    m->solver->acceleration_round(m);
    apply_displacements(m);
}

bool trm_subsystems_project(trm_subsystems *w, trm_outcome *outcome)
{
    trm_maximal *m = w->machine;
    for (int pass = 0; w->projection != TRM_PROJECT_NOT && pass < w->passes; pass++) {
        trm_maximal_rows(m);
        if (w->projection == TRM_PROJECT_AT_ONCE) correct_velocities(m); /* before the pose changes */
        correct_poses(m);
    }
    if (w->projection == TRM_PROJECT_IN_TURN) {
        trm_maximal_rows(m);
        correct_velocities(m);
    }
    w->stepper->state->clock->velocities_projected = w->projection == TRM_PROJECT_IN_TURN;
    return !trm_rank_map_is_lost(m->rank_map) || trm_maximal_lost(m, outcome);
}
