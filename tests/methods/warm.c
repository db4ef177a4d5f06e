/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Nothing is allocated once warm: each method simulates each example twice from the same start with one simulation. The
 * second time it makes the same steps, and calls the allocator for none of them. */

#include "failing_allocator.h"
#include "methods/method.h"
#include "running.h"
#include "walking.h"

enum { STEPS = 8 };

static const char *const METHODS[] = {
#define TRM_METHOD(name) #name,
#include "methods/list.h"
#undef TRM_METHOD
};

static const char *method; /* of the walk */

/* Makes some steps of the options. Returns whether all succeeded. */
static bool make_steps(trm_sim *sim)
{
    bool good = true;
    for (int i = 0; good && i < STEPS; i++) good = trm_sim_step(sim, trm_sim_options(sim)->step).ok;
    return good;
}

/* Returns whether the method simulates the example, in which case it asserts that no repeated step allocates. */
static bool example_allocates_nothing_once_warm(const char *name)
{
    if (strcmp(method, "lcp") == 0 && strcmp(name, "problems/s09-rssr") == 0)
        return false; /* its steps take minutes */
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, name);
    trm_model *model = model_of_file(path);
    trm_simulation_def options = *trm_model_simulation(model);
    trm_messages *messages = trm_messages_create(NULL);
    failing_allocator memory;
    failing_allocator_reset(&memory, 0, false);
    const trm_allocator counting = failing_allocator_hooks(&memory);
    trm_sim *sim = NULL;
    options.method = method;
    const bool created = trm_sim_create(model, &options, &counting, messages, &sim) == TRM_OK;
    trm_state *start = created ? trm_state_create(model, NULL) : NULL;
    if (created) trm_state_copy(start, trm_sim_state(sim));
    const bool runs = created && make_steps(sim);
    if (runs) {
        trm_state_copy(trm_sim_state(sim), start);
        const long before = memory.calls;
        make_steps(sim);
        if (memory.calls > before) print_error("%s, %s: %ld calls\n", name, method, memory.calls - before);
        assert_int_equal(memory.calls, before);
    }
    trm_sim_destroy(sim);
    trm_state_destroy(start);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
    return runs;
}

static void repeated_steps_of_all_examples_allocate_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        method = METHODS[i];
        const int count = walk_examples("", example_allocates_nothing_once_warm) +
                          walk_examples("problems/", example_allocates_nothing_once_warm);
        print_message("%s: %d examples\n", method, count);
        assert_true(count > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(repeated_steps_of_all_examples_allocate_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
