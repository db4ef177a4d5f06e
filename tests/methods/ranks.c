/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Several ranks move a machine as one does, bit for bit: subsystems are reduced in the same way wherever they are, and the
 * state that rank 0 writes is whole. */

#include <stdio.h>

#include "machines.h"
#include "methods/walking.h"
#include "reading.h"
#include "teams.h"

/* Rods on balls, one behind the other, folded; the first one held. Too long to be known to all ranks. */
static trm_model *long_chain(int rods)
{
    machine m;
    machine_init(&m);
    int before = 0;
    for (int i = 0; i < rods; i++) {
        const int here = add_ball(&m, i + 0.5, 0.1 * (i % 3), 0.05 * (i % 7));
        add_joint_at(&m, "ball", before, here, i, 0.1 * (i % 2), 0.02 * (i % 5));
        before = here;
    }
    return machine_finish(&m);
}

static void assert_ranks_agree(const trm_model *model, const trm_simulation_def *options, double until,
                               const char *name)
{
    team alone, together;
    team_run(&alone, model, options, 1, until, until / 3, NULL);
    assert_team_good(&alone);
    for (int count = 2; count <= 4; count++) {
        team_run(&together, model, options, count, until, until / 3, NULL);
        assert_team_good(&together);
        for (int r = 0; r < count; r++)
            if (!same_bits(trm_sim_state(alone.members[0].sim), trm_sim_state(together.members[r].sim)))
                fail_msg("%s: rank %d of %d has another state", name, r, count);
        team_disband(&together);
    }
    team_disband(&alone);
}

static trm_simulation_def by_hierarchy(const trm_model *model)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = "impulse";
    options.solver = "hierarchy";
    return options;
}

static void a_long_chain_is_the_same_on_any_number_of_ranks(void **state)
{
    trm_model *model = long_chain(400);
    trm_simulation_def options = by_hierarchy(model);
    (void)state;
    options.step = 0.005;
    assert_ranks_agree(model, &options, 0.06, "chain of 400");
    options.order = 4;
    assert_ranks_agree(model, &options, 0.03, "chain of 400, order 4");
    trm_model_destroy(model);
}

/* All that can be divided: no contacts. */
static bool example_is_the_same(const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, name);
    trm_model *model = model_of_file(path);
    trm_simulation_def options = by_hierarchy(model);
    trm_sim *sim = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    const double until = 20 * options.step;
    const bool runs = trm_sim_create(model, &options, NULL, messages, &sim) == TRM_OK &&
                      trm_sim_run(sim, &(trm_run_def){.until = until, .every = until}).ok;
    const bool collides = model->may_collide;
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    if (runs && !collides) assert_ranks_agree(model, &options, until, name);
    trm_model_destroy(model);
    return runs && !collides;
}

static void all_examples_are_the_same_on_any_number_of_ranks(void **state)
{
    (void)state;
    const int count = walk_examples("", example_is_the_same);
    print_message("%d examples on 1 to 4 ranks\n", count);
    assert_true(count >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_chain_is_the_same_on_any_number_of_ranks),
        cmocka_unit_test(all_examples_are_the_same_on_any_number_of_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
