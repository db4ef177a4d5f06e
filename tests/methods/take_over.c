/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A simulation that starts from the state of another one, and steps that are interrupted from outside. */

#include <string.h>

#include "check.h"
#include "running.h"
#include "trammel/trammel.h"

/* Runs an example with the options as given: a simulation may tighten its own. */
static running run_example(const char *name, const char *method, trm_simulation_def *options)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, name);
    trm_model *model = model_of_file(path);
    *options = *trm_model_simulation(model);
    options->method = method;
    return run_model(model, options);
}

static void steps(trm_sim *sim, int count)
{
    for (int i = 0; i < count; i++) {
        assert_good(trm_sim_step(sim, 0.005));
        assert_good(trm_sim_observe(sim));
    }
}

/* Returns another simulation of the same model. */
static trm_sim *another(const running *r, const trm_simulation_def *options)
{
    return run_model(r->model, options).sim;
}

/* With joints, ropes, events, sticking contacts: the state contains everything that a step needs. */
static void it_resumes_bit_identically_with_the_same_energy_balance(void **state)
{
    static const char *const models[] = {"eight-loop", "crane", "walker-on-ground", "gripper"};
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        trm_simulation_def options;
        running r = run_example(models[i], "impulse", &options);
        assert_good(trm_sim_observe(r.sim));
        steps(r.sim, 40);
        trm_sim *heir = another(&r, &options);
        trm_sim_take_over(heir, r.sim);
        if (!trm_state_equal(trm_sim_state(heir), trm_sim_state(r.sim))) fail_msg("%s: another state", models[i]);
        steps(r.sim, 20);
        steps(heir, 20);
        if (!trm_state_equal(trm_sim_state(heir), trm_sim_state(r.sim))) fail_msg("%s: another state", models[i]);
        const trm_accuracy a = trm_sim_accuracy(r.sim), b = trm_sim_accuracy(heir);
        assert_true(a.energy_error_max == b.energy_error_max && a.gap.position == b.gap.position);
        assert_int_equal(a.observed, b.observed);
        assert_int_equal(trm_sim_counters(r.sim)->steps, trm_sim_counters(heir)->steps);
        assert_int_equal(trm_sim_event_count(r.sim), trm_sim_event_count(heir));
        trm_sim_destroy(heir);
        stop(&r);
    }
}

static trm_spatial no_force(void *context, const trm_state *state)
{
    (void)context, (void)state;
    return (trm_spatial){{0, 0, 0}, {0, 0, 0}};
}

/* The purpose of it: to add a force during a run. A zero force changes nothing beyond rounding. */
static void a_force_may_be_added_so(void **state)
{
    static const char *const methods[] = {"impulse", "lagrange", "minimal", "lcp", "subsystem"};
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        trm_simulation_def options;
        running r = run_example("eight-loop", methods[i], &options);
        assert_good(trm_sim_observe(r.sim));
        steps(r.sim, 40);
        trm_sim *heir = another(&r, &options);
        assert_int_equal(trm_sim_add_force(heir, "nothing", 1, no_force, NULL), TRM_OK);
        trm_sim_take_over(heir, r.sim);
        steps(r.sim, 20);
        steps(heir, 20);
        for (int b = 1; b < trm_body_count(r.model); b++) {
            const trm_vec3 p = trm_body_pose(trm_sim_state(r.sim), b).p, q = trm_body_pose(trm_sim_state(heir), b).p;
            /* minimal restarts its history, which changes the result within the error of its integrator */
            assert_true(trm_v3_length(trm_v3_sub(p, q)) < (strcmp(methods[i], "minimal") == 0 ? 1e-5 : 1e-9));
        }
        trm_sim_destroy(heir);
        stop(&r);
    }
}

/* ---- Interrupting steps -------------------------------------------------------------------- */

typedef struct patience {
    int left;
} patience;

static bool a_while(void *context)
{
    patience *p = context;
    return p->left-- > 0;
}

/* Steps of an hour, each divided into many: as convergence requires, by error control, or by the method. */
static void a_step_that_takes_for_ever_can_be_ended(void **state)
{
    static const struct {
        const char *method;
        double error;
    } ways[] = {{"minimal", NAN}, {"impulse", 1e-6}};
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        trm_simulation_def options;
        running r = run_example("eight-loop", ways[i].method, &options);
        options.error = ways[i].error;
        trm_sim *sim = another(&r, &options);
        patience p = {50};
        trm_sim_set_watch(sim, a_while, &p);
        const trm_outcome outcome = trm_sim_step(sim, 3600);
        assert_false(outcome.ok);
        assert_non_null(strstr(outcome.why, "the caller ended"));
        assert_int_equal(p.left, -1);
        trm_sim_set_watch(sim, NULL, NULL);
        assert_good(trm_sim_step(sim, 0.01));
        assert_good(trm_sim_observe(sim));
        assert_true(trm_position_gap(trm_sim_state(sim), 0).position < 1e-8);
        trm_sim_destroy(sim);
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_resumes_bit_identically_with_the_same_energy_balance),
        cmocka_unit_test(a_force_may_be_added_so),
        cmocka_unit_test(a_step_that_takes_for_ever_can_be_ended),
    };
    return RUN_TESTS(tests);
}
