/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* For every example that can be divided, several ranks get the results of one, bit for bit. */

#include <stdio.h>

#include "ranks.h"
#include "walking.h"

/* Asserts equal results if the example can be divided: it has no contacts. */
static bool example_is_the_same(const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, name);
    trm_model *model = model_of_file(path);
    trm_simulation_def options = by_hierarchy(model);
    trm_sim *sim = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    const double until = 4 * options.step;
    const bool runs = trm_sim_create(model, &options, NULL, messages, &sim) == TRM_OK &&
                      trm_sim_run(sim, &(trm_run_def){.until = until, .every = until}).ok;
    const bool collides = model->collisions.may_collide;
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

static bool example_is_the_same_by_subsystems(const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, name);
    trm_model *model = model_of_file(path);
    trm_simulation_def options = by_subsystem(model);
    trm_sim *sim = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    const bool accepted =
        trm_sim_create(model, &options, NULL, messages, &sim) == TRM_OK && !model->collisions.may_collide;
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    if (accepted) assert_ranks_agree(model, &options, 2 * options.step, name);
    trm_model_destroy(model);
    return accepted;
}

static void all_examples_are_the_same_by_subsystems(void **state)
{
    (void)state;
    const int count = walk_examples("", example_is_the_same_by_subsystems);
    print_message("%d examples on 1 to 4 ranks\n", count);
    assert_true(count >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_examples_are_the_same_on_any_number_of_ranks),
        cmocka_unit_test(all_examples_are_the_same_by_subsystems),
    };
    return RUN_TESTS(tests);
}
