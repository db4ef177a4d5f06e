/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Helpers of the tests of the method lcp. */

#ifndef TRM_TESTS_METHODS_LCP_RUNS_H
#define TRM_TESTS_METHODS_LCP_RUNS_H

#include "lagrange_models.h"

static inline running run_lcp(trm_model *model, const char *choice, double step)
{
    return run_chosen(model, (way){.choice = choice, .step = step});
}

static inline void make_steps(const running *r, int count, double step)
{
    for (int i = 0; i < count; i++) assert_good(trm_sim_step(r->sim, step));
}

/* Returns a new simulation after the given number of steps. Takes ownership of the model. */
static inline running stepped(trm_model *model, const char *choice, double step, int count)
{
    running r = run_lcp(model, choice, step);
    make_steps(&r, count, step);
    return r;
}

static inline void move_by(const running *r, const char *body, trm_vec3 by)
{
    const int index = trm_find_body(r->model, body);
    trm_pose pose = trm_body_pose(trm_sim_state(r->sim), index);
    pose.p = trm_v3_add(pose.p, by);
    trm_set_body_pose(trm_sim_state(r->sim), index, pose);
}

static inline trm_gap gap_of(const running *r, const char *joint)
{
    return trm_position_gap(trm_sim_state(r->sim), trm_find_joint(r->model, joint));
}

static inline double energy_of(const running *r)
{
    const trm_energy e = trm_state_energy(trm_sim_state(r->sim));
    return e.kinetic + e.potential;
}

#endif
