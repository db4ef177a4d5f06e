/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Equilibria of twenty machines, each from five random starts.
 *
 * A start adds random numbers to all joint coordinates of the model's start and closes the loops again. The search must converge in
 * at least 95 of the 100 cases. Each result is judged without the search: where it reports an equilibrium, the method of Lagrange
 * multipliers must find no acceleration there; where it reports none, it must say why. */

#include "base/random.h"
#include "motion/state.h"
#include "resting.h"
#include "trammel/arrays.h"

enum { STARTS = 5, MOST_TRIES = 50, ENOUGH = 95 };

/* Half of the machines have closed loops; six have redundant rows; springs and servos hold some of them. */
static const char *const MACHINES[] = {
    "pendulum",       "double-pendulum",   "four-bar", "slider-crank",      "8-loop",
    "eight-loop",     "eight-loop-hinges", "bricard",  "unequal-loop",      "truss-bridge",
    "spring-mass",    "trammel",           "arm",      "two-link-arm",      "tensegrity",
    "two-ball-hinge", "parallelogram",     "rhombus",  "eight-loop-folded", "paper-four-bar",
};
enum { MACHINE_COUNT = sizeof MACHINES / sizeof *MACHINES };

/* rad, m: coordinates of a start differ by up to this from those of the model. */
static const double SPREAD = 1;

/* m/s^2: accelerations below this are none; the search ends at 1e-9 of the largest force. */
static const double NO_ACCELERATION = 1e-6;

/* A state with random joint coordinates whose loops are closed, at rest. Returns false if no try could be closed. */
static bool random_start(const trm_model *model, trm_random *random, trm_state *state)
{
    const int count = trm_coordinate_count(model);
    double *q = calloc((size_t)count + 1, sizeof *q), *qd = calloc((size_t)count + 1, sizeof *qd);
    trm_state *first = trm_state_create(model, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    bool closed = false;
    for (int try = 0; try < MOST_TRIES && !closed; try++) {
        trm_state_copy(state, first);
        trm_get_coordinates(first, q, qd);
        for (int i = 0; i < count; i++) q[i] += trm_random_uniform(random, -SPREAD, SPREAD), qd[i] = 0;
        assert_int_equal(trm_set_coordinates(state, q, qd), TRM_OK);
        closed = trm_assemble(state, NULL, messages, NULL) == TRM_OK;
    }
    trm_messages_destroy(messages);
    trm_state_destroy(first);
    free(qd);
    free(q);
    return closed;
}

/* m/s^2: the largest acceleration of a body at the state, by the method of Lagrange multipliers. */
static double largest_acceleration(const trm_model *model, const trm_state *state)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_simulation_def options = trm_default_simulation_def();
    trm_sim *sim;
    options.method = "lagrange";
    assert_int_equal(trm_sim_create(model, &options, NULL, messages, &sim), TRM_OK);
    trm_state_copy(trm_sim_state(sim), state);
    trm_sim_want_reactions(sim, true);
    assert_true(trm_sim_observe(sim).ok);
    double largest = 0;
    for (int i = 1; i < model->body_count; i++) {
        const trm_spatial a = trm_body_acceleration(trm_sim_state(sim), i);
        largest = fmax(largest, fmax(trm_length(a.lin), trm_length(a.ang)));
    }
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    return largest;
}

/* Whether an equilibrium is found from a random start. Fails the test if the result is not true. */
static bool rests(const trm_model *model, trm_random *random, const char *name)
{
    trm_state *state = trm_state_create(model, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    trm_equilibrium_result *result = NULL;
    if (!random_start(model, random, state)) fail_msg("%s: no random start can be closed", name);
    assert_int_equal(trm_equilibrium(state, NULL, NULL, messages, &result), TRM_OK);
    const bool found = result->found;
    const double left = found ? largest_acceleration(model, state) : 0;
    if (!found) print_message("%-18s %s %s\n", name, result->element, result->why);
    if (left > NO_ACCELERATION) fail_msg("%s: an equilibrium that accelerates by %g m/s^2", name, left);
    if (!found && !result->why[0]) fail_msg("%s: no equilibrium, and no reason", name);
    trm_equilibrium_destroy(result);
    trm_messages_destroy(messages);
    trm_state_destroy(state);
    return found;
}

static void random_starts_of_twenty_machines_come_to_rest_and_tell_the_truth(void **state)
{
    trm_random random = trm_random_seed(29);
    int found = 0;
    (void)state;
    for (int m = 0; m < MACHINE_COUNT; m++) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, MACHINES[m]);
        trm_model *model = model_of_file(path);
        for (int k = 0; k < STARTS; k++) found += rests(model, &random, MACHINES[m]);
        trm_model_destroy(model);
    }
    print_message("equilibria found from %d of %d random starts\n", found, MACHINE_COUNT * STARTS);
    assert_true(found >= ENOUGH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_starts_of_twenty_machines_come_to_rest_and_tell_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
