/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Helpers of tests with several ranks: machines that are too large to be known to all ranks, and the assertion that
 * several ranks get the results of one, bit for bit. */

#ifndef TRM_TESTS_METHODS_RANKS_H
#define TRM_TESTS_METHODS_RANKS_H

#include "machines.h"
#include "model/model.h"
#include "teams.h"

/* Rods joined by balls in a folded chain, the first one held. Too long to be known to all ranks. */
static inline trm_model *long_chain(int rods)
{
    machine m;
    machine_init(&m);
    int before = 0;
    for (int i = 0; i < rods; i++) {
        const int here = add_ball(&m, i + 0.5, 0.1 * (i % 3), 0.05 * (i % 7));
        add_joint_at(&m, "ball", before, here, i, 0.1 * (i % 2), 0.02 * (i % 5));
        before = here;
    }
    m.def->gravity = trm_v3(0, -2, -9.81);
    return machine_finish(&m);
}

/* Adds a net of crosses whose arms meet, which is not flat. */
static inline void add_net(machine *m, int side)
{
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++) add_ball(m, i, 0.2 * sin(i + 2 * j), -j);
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++) {
            const int here = 1 + i * side + j;
            if (i + 1 < side) add_joint_at(m, "ball", here, here + side, i + 0.5, 0.3 * cos(i + 3 * j), -j);
            if (j + 1 < side) add_joint_at(m, "ball", here, here + 1, i, 0.3 * cos(2 * i + j), -j - 0.5);
        }
}

/* Reports must not depend on the ranks either. */
static inline bool same_report(const trm_sim *a, const trm_sim *b)
{
    const trm_accuracy p = trm_sim_accuracy(a), q = trm_sim_accuracy(b);
    return p.energy_start == q.energy_start && p.energy_end == q.energy_end && p.work == q.work &&
           p.energy_error_max == q.energy_error_max && p.gap.position == q.gap.position &&
           p.gap.angle == q.gap.angle && p.gap_joint == q.gap_joint &&
           p.velocity_gap.position == q.velocity_gap.position && p.velocity_gap.angle == q.velocity_gap.angle &&
           trm_sim_counters(a)->steps == trm_sim_counters(b)->steps &&
           trm_sim_counters(a)->impacts == trm_sim_counters(b)->impacts;
}

static inline bool same_reactions(const trm_state *a, const trm_state *b)
{
    const size_t rows = (size_t)a->model->row_count, bodies = (size_t)a->model->body_count;
    return memcmp(a->reaction, b->reaction, rows * sizeof *a->reaction) == 0 &&
           memcmp(a->acceleration, b->acceleration, bodies * sizeof *a->acceleration) == 0;
}

static inline void want_reactions(member *m)
{
    trm_sim_enable_reactions(m->sim, true);
}

/* Asserts that the machine moves: a machine at rest would give equal results in any case. */
static inline void assert_moves(const trm_state *state, const char *name)
{
    double fastest = 0;
    for (int i = 0; i < state->model->body_count; i++)
        fastest = fmax(fastest, trm_v3_length(state->velocity[i].lin) + trm_v3_length(state->velocity[i].ang));
    if (!(fastest > 0)) fail_msg("%s is at rest", name);
}

static inline void assert_ranks_agree(const trm_model *model, const trm_simulation_def *options, double until,
                                      const char *name)
{
    team alone, together;
    team_run(&alone, model, options, 1, until, until / 3, want_reactions);
    assert_team_good(&alone);
    trm_sim *one = alone.members[0].sim;
    assert_moves(trm_sim_state(one), name);
    for (int count = 2; count <= 4; count++) {
        team_run(&together, model, options, count, until, until / 3, want_reactions);
        assert_team_good(&together);
        for (int r = 0; r < count; r++) {
            trm_sim *other = together.members[r].sim;
            if (!same_bits(trm_sim_state(one), trm_sim_state(other)))
                fail_msg("%s: rank %d of %d has another state", name, r, count);
            if (!same_reactions(trm_sim_state(one), trm_sim_state(other)))
                fail_msg("%s: rank %d of %d has other reactions", name, r, count);
            if (!same_report(one, other)) fail_msg("%s: rank %d of %d has another report", name, r, count);
        }
        team_disband(&together);
    }
    team_disband(&alone);
}

static inline trm_simulation_def by_hierarchy(const trm_model *model)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = "impulse";
    options.solver = "hierarchy";
    return options;
}

static inline trm_simulation_def by_subsystem(const trm_model *model)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = "subsystem";
    options.order = 2;
    return options;
}

#endif
