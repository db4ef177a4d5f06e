/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Compares figures over a run with closed forms: a mass that oscillates as x = cos(2 t). */

#include <math.h>

#include "running.h"

#define OSCILLATOR                                                                                                   \
    "{ \"trammel\": 1, \"gravity\": [0, 0, 0], \"constants\": { \"k\": 4 }, \"bodies\": ["                           \
    "{ \"name\": \"m\", \"point\": true, \"mass\": 1, \"position\": [1, 0, 0] }], \"joints\": ["                     \
    "{ \"name\": \"s\", \"type\": \"rail\", \"bodies\": [\"ground\", \"m\"], \"axis\": [1, 0, 0], \"q0\": 1,"        \
    "\"stiffness\": \"k\" }] }"

/* Returns a figure of a run of this many seconds with rows every 0.01 s. */
static double figure(const char *text, double until)
{
    trm_model_def *def = read_model(OSCILLATOR);
    trm_messages *messages = trm_messages_create(NULL);
    trm_measure *measure = NULL;
    trm_model *model = build_model(def);
    trm_simulation_def options = *trm_model_simulation(model);
    options.step = 0.01, options.order = 6;
    running r = run_model(model, &options);
    const trm_status status =
        trm_measure_create(r.model, text, def->constants, def->constant_count, NULL, messages, &measure);
    print_messages(messages);
    assert_int_equal(status, TRM_OK);
    trm_sim_enable_reactions(r.sim, trm_measure_needs_reactions(measure));
    for (int i = 0; i <= (int)(until / 0.01 + 0.5); i++) {
        assert_true(trm_sim_observe(r.sim).ok);
        assert_true(trm_measure_add(measure, trm_sim_state(r.sim)));
        assert_true(trm_sim_step(r.sim, 0.01).ok);
    }
    const double value = trm_measure_value(measure);
    trm_measure_destroy(measure);
    trm_messages_destroy(messages);
    trm_model_def_destroy(def);
    stop(&r);
    return value;
}

static void figures_match_closed_forms(void **state)
{
    (void)state;
    assert_near(figure("max(m.x)", 4), 1, 1e-10);
    assert_near(figure("min(m.x) + k", 4), 3, 1e-4);
    assert_near(figure("initial(m.x) - final(m.x)", 1), 1 - cos(2), 1e-9);
    assert_near(figure("at(m.x, 0.705)", 1), cos(1.41), 1e-8);
    assert_near(figure("integral(m.x)", 1), sin(2) / 2, 1e-4);
    assert_near(figure("mean(m.x)", 2), sin(4) / 4, 1e-4);
    assert_near(figure("rms(m.x)", 2), sqrt((2 + sin(8) / 4) / 4), 1e-4);
    assert_near(figure("crossing(m.x, 0.5)", 4), TRM_PI / 6, 1e-8);
    assert_near(figure("crossing(m.x, 0.5, 2)", 4), 5 * TRM_PI / 6, 1e-8);
    assert_near(figure("settle(m.x, 1.5, -1)", 1), TRM_PI / 6, 1e-8);
    assert_near(figure("max(abs(m.x^2 + (m.vx/2)^2 - 1))", 3), 0, 1e-9);
    assert_near(figure("max(min(m.x, 0.25, k)) + 2*-3^2 + max(1, 2)", 1), 0.25 - 18 + 2, 1e-12);
    assert_near(figure("max(m.x - mean(m.x))", 1), 1 - sin(2) / 2, 1e-4);
    assert_near(figure("max(abs(\"s.q\")) * cos(0*deg)", 1), 1, 1e-10);
}

static void what_never_happens_is_not_a_number(void **state)
{
    (void)state;
    assert_true(isnan(figure("crossing(m.x, 2)", 1)));
    assert_true(isnan(figure("crossing(m.x, 0.5, 3)", 1)));
    assert_true(isnan(figure("settle(m.x, 0.01, 5)", 1)));
    assert_true(isnan(figure("at(m.x, 7)", 1)));
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"max(n.x)", "no column fits \"n.x\""},
        {"m.x", "max(..)"},
        {"max(m.x", "\")\" is missing"},
        {"maximum(m.x)", "no such function"},
        {"max(m.x) + ", "a number, a column or a function is expected"},
        {"rms(2)", "needs a column"},
        {"at(m.x, m.y)", "a number is required"},
        {"sin(1, 2)", "too few or too many"},
        {"max(m.x))", "does not belong"},
    };
    trm_model *model = model_of_text(OSCILLATOR);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        trm_messages *messages = trm_messages_create(NULL);
        trm_measure *measure;
        assert_int_equal(trm_measure_create(model, wrong[i][0], NULL, 0, NULL, messages, &measure), TRM_BAD_INPUT);
        assert_null(measure);
        assert_non_null(strstr(trm_message_at(messages, 0)->text, wrong[i][1]));
        trm_messages_destroy(messages);
    }
    trm_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_match_closed_forms),
        cmocka_unit_test(what_never_happens_is_not_a_number),
        cmocka_unit_test(mistakes_are_named),
    };
    return RUN_TESTS(tests);
}
