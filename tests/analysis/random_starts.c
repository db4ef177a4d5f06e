/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Equilibria of twenty machines, each from five random starts, and of sixty random chains with limits, ropes,
 * springs and contacts.
 *
 * A start adds random numbers to all joint coordinates of the model's start and closes the loops again. The search
 * must converge in at least 95 of the 100 cases. Each result is judged independently of the search: if it reports an
 * equilibrium, the method of Lagrange multipliers must find no acceleration there; if it reports none, it must say
 * why. The chains hang from the ground and lie on a floor, so that each has an equilibrium; many of their limits,
 * ropes and contacts are active. */

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

/* rad, m: largest difference of the coordinates of a start from those of the model. */
static const double SPREAD = 1;

/* m/s^2: smaller accelerations count as zero; the search ends at 1e-9 of the largest force. */
static const double NO_ACCELERATION = 1e-6;

/* Computes a state with random joint coordinates and closed loops, at rest. Returns false if no attempt could be
 * closed. */
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

/* Returns the largest acceleration of a body at the state, m/s^2, by the method of Lagrange multipliers. */
static double largest_acceleration(const trm_model *model, const trm_state *state)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_simulation_def options = trm_default_simulation_def();
    trm_sim *sim;
    options.method = "lagrange";
    assert_int_equal(trm_sim_create(model, &options, NULL, messages, &sim), TRM_OK);
    trm_state_copy(trm_sim_state(sim), state);
    trm_sim_enable_reactions(sim, true);
    assert_true(trm_sim_observe(sim).ok);
    double largest = 0;
    for (int i = 1; i < model->body_count; i++) {
        const trm_spatial a = trm_body_acceleration(trm_sim_state(sim), i);
        largest = fmax(largest, fmax(trm_v3_length(a.lin), trm_v3_length(a.ang)));
    }
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    return largest;
}

/* Returns whether an equilibrium is found from a random start. Fails the test if the result is wrong. */
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

/* ---- Chains --------------------------------------------------------------------------------- */

enum { CHAINS = 60, MOST_RODS = 5 };

static trm_vec3 random_unit(trm_random *random)
{
    for (;;) {
        const trm_vec3 v = trm_v3(trm_random_uniform(random, -1, 1), trm_random_uniform(random, -1, 1),
                                  trm_random_uniform(random, -1, 1));
        const double length = trm_v3_length(v);
        if (length > 0.1 && length < 1) return trm_v3_scale(1 / length, v);
    }
}

static void put_joint(written *w, trm_random *random, int i, trm_vec3 p)
{
    const double kind = trm_random_uniform(random, 0, 3);
    const trm_vec3 axis = random_unit(random), across = trm_v3_unit(trm_v3_cross(axis, random_unit(random)));
    double limit[4];
    for (int k = 0; k < 4; k++) limit[k] = trm_random_uniform(random, 0.1, 1);
    put(w, "%s{ \"name\": \"j%d\", \"bodies\": [\"%s%.0d\", \"b%d\"], \"anchor\": [%.17g, %.17g, %.17g], ",
        i > 0 ? ", " : "", i, i > 0 ? "b" : "ground", i, i + 1, XYZ(p));
    if (kind < 1)
        put(w, "\"type\": \"ball\" }");
    else if (kind < 2)
        put(w, "\"type\": \"hinge\", \"axis\": [%.17g, %.17g, %.17g], \"limits\": [%.17g, %.17g] }", XYZ(axis),
            -limit[0], limit[1]);
    else
        put(w,
            "\"type\": \"universal\", \"axis\": [%.17g, %.17g, %.17g], \"axis2\": [%.17g, %.17g, %.17g], "
            "\"coordinates\": [{ "
            "\"limits\": [%.17g, %.17g] }, { \"limits\": [%.17g, %.17g] }] }",
            XYZ(axis), XYZ(across), -limit[0], limit[1], -limit[2], limit[3]);
}

/* Builds rods of half a metre in random directions. The last has a ball around its middle that meets the floor and is
 * tied to the ground by a rope and a spring. A brick falls on the floor. */
static trm_model *random_chain(trm_random *random)
{
    static written w;
    trm_vec3 p[MOST_RODS + 1] = {{0, 0, 0}};
    const int n = 2 + (int)trm_random_uniform(random, 0, MOST_RODS - 1);
    const double stiffness[] = {1, 30, 1000}, masses[] = {0.1, 1, 5};
    w.length = 0;
    put(&w, "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [");
    for (int i = 0; i < n; i++) {
        p[i + 1] = trm_v3_add_scaled(p[i], 0.5, random_unit(random));
        put(&w,
            "{ \"name\": \"b%d\", \"rod\": { \"from\": [%.17g, %.17g, %.17g], \"to\": [%.17g, %.17g, %.17g], "
            "\"mass\": %g }%s }, ",
            i + 1, XYZ(p[i]), XYZ(p[i + 1]), masses[(int)trm_random_uniform(random, 0, 3)],
            i == n - 1 ? ", \"shapes\": [{ \"type\": \"sphere\", \"radius\": 0.1 }]" : "");
    }
    const trm_vec3 axis = random_unit(random);
    put(&w,
        "{ \"name\": \"brick\", \"position\": [0, 9, 1], \"orientation\": { \"axis\": [%.17g, %.17g, %.17g], "
        "\"angle\": 1 }, "
        "\"shapes\": [{ \"type\": \"box\", \"size\": [0.5, 0.3, 0.2], \"density\": 100 }] }, { \"name\": \"floor\", "
        "\"fixed\": "
        "true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1], \"offset\": %.17g }] }], \"joints\": [",
        XYZ(axis), fmin(p[n - 1].z, p[n].z) - trm_random_uniform(random, 0.15, 1));
    for (int i = 0; i < n; i++) put_joint(&w, random, i, p[i]);
    put(&w,
        ", { \"name\": \"rope\", \"type\": \"distance\", \"rope\": true, \"bodies\": [\"ground\", \"b%d\"], "
        "\"anchors\": [[%.17g, "
        "%.17g, 1], [0, 0, 0]], \"length\": 3 }], \"forces\": [{ \"name\": \"s\", \"type\": \"spring\", \"bodies\": "
        "[\"ground\", "
        "\"b%d\"], \"anchors\": [[%.17g, 2, 1], [0, 0, 0]], \"stiffness\": %g, \"rest\": 0.5 }] }",
        n, trm_random_uniform(random, -1, 1), trm_random_uniform(random, -1, 1), n, trm_random_uniform(random, -2, 2),
        stiffness[(int)trm_random_uniform(random, 0, 3)]);
    return model_of_text(w.text);
}

static void random_chains_with_limits_ropes_and_contacts_come_to_rest(void **state)
{
    trm_random random = trm_random_seed(7);
    int found = 0, active = 0, contacts = 0;
    (void)state;
    for (int i = 0; i < CHAINS; i++) {
        resting r = rest_model(random_chain(&random), false);
        found += r.result->found, active += r.result->active_count, contacts += r.result->contact_count;
        if (!r.result->found) print_message("chain %d: %s %s\n", i, r.result->element, r.result->why);
        assert_true(r.result->found || r.result->why[0]);
        end_resting(&r);
    }
    print_message("equilibria of %d of %d chains, with %d active limits and ropes and %d contacts\n", found, CHAINS,
                  active, contacts);
    assert_true(20 * found >= 19 * CHAINS && active > CHAINS / 2 && contacts > CHAINS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_starts_of_twenty_machines_come_to_rest_and_tell_the_truth),
        cmocka_unit_test(random_chains_with_limits_ropes_and_contacts_come_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
