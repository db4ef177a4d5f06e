/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Unsupported elements are refused by name, changes by the caller between steps are noticed, and the order of
 * elements in a file does not matter. */

#include "motion/state.h"
#include "running.h"

#define SWING(joint, rest)                                                                                           \
    "{\"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{\"name\": \"rod\", \"rod\": {\"from\": [0,0,0], "    \
    "\"to\": [1,0,0], \"mass\": 1, \"radius\": 0.01}}], \"joints\": [{\"name\": \"pin\", \"type\": \"hinge\", "      \
    "\"bodies\": [\"ground\", \"rod\"], \"anchor\": [0,0,0], \"axis\": [0,0,1]" joint "}]" rest "}"

/* Asserts the first message of a simulation that is refused, or warned about. */
static void expect_message(const char *text, trm_status expected, const char *fragment)
{
    trm_model *model = model_of_text(text);
    trm_messages *messages = trm_messages_create(NULL);
    trm_sim *sim = NULL;
    assert_int_equal(trm_sim_create(model, NULL, NULL, messages, &sim), expected);
    assert_true(trm_message_count(messages) > 0);
    const char *said = trm_message_at(messages, 0)->text;
    if (!strstr(said, fragment)) print_error("said: %s\n", said);
    assert_non_null(strstr(said, fragment));
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
}

static void unsupported_elements_are_refused_by_name(void **state)
{
    (void)state;
    expect_message(SWING("", ", \"simulation\": {\"impulse\": {\"series\": 3}}"), TRM_BAD_INPUT,
                   "no option \"series\"");
    expect_message(SWING("", ", \"simulation\": {\"method\": \"lagrange\", \"solver\": \"hierarchy\"}"),
                   TRM_BAD_INPUT, "no solver \"hierarchy\"");
}

static void a_joint_that_is_a_spring_is_refused_by_what_keeps_joints_closed(void **state)
{
    (void)state;
    expect_message(SWING(", \"spring\": {\"k\": 100}", ""), TRM_BAD_INPUT,
                   "joint 'pin' is a spring (\"spring\"), not rigid");
    expect_message(SWING("", ", \"forces\": [{\"name\": \"d\", \"type\": \"drive\", \"joint\": \"pin\", "
                             "\"motion\": \"1 - cos(t)\", \"spring\": {\"k\": 5, \"d\": 1}}]"),
                   TRM_BAD_INPUT, "joint 'd' is a spring (\"spring\"), not rigid");
}

static void the_method_lcp_alone_has_joints_that_are_springs(void **state)
{
    (void)state;
    trm_model *model = model_of_text(
        "{\"trammel\": 1, \"bodies\": [{\"name\": \"p\", \"point\": true, \"mass\": 1, \"position\": [1, 0, 0]}], "
        "\"joints\": [{\"name\": \"bar\", \"type\": \"distance\", \"bodies\": [\"ground\", \"p\"], "
        "\"anchors\": [[0, 0, 0], [0, 0, 0]], \"spring\": {\"k\": 5}}]}");
    trm_state *start = trm_state_create(model, NULL);
    trm_analysis *analysis = trm_analyse(start, NULL);
    char why[200];
    trm_method_verdict verdict;
    int methods = 0;
    for (; trm_judge_method(start, analysis, methods, why, sizeof why, &verdict); methods++) {
        const bool lcp = strcmp(verdict.name, "lcp") == 0;
        assert_int_equal(verdict.could_run, lcp);
        assert_string_equal(why, lcp ? "" : "joint 'bar' is a spring (\"spring\"), not rigid");
    }
    assert_true(methods >= 6);
    trm_analysis_destroy(analysis);
    trm_state_destroy(start);
    trm_model_destroy(model);
}

static void options_of_lcp_without_effect_elsewhere_are_warned_of(void **state)
{
    (void)state;
    expect_message(SWING(", \"erp\": 0.2, \"cfm\": 0", ""), TRM_OK,
                   "has \"erp\" and \"cfm\", which belong to the method lcp; impulse keeps it closed without them");
    expect_message(SWING(", \"cfm\": 1e-5", ", \"simulation\": {\"method\": \"lagrange\"}"), TRM_OK,
                   "has \"cfm\", which belongs to the method lcp; lagrange keeps it closed without it");
}

static void the_warning_is_given_once_for_the_first_joint(void **state)
{
    (void)state;
    trm_model *model = model_of_text(SWING(", \"erp\": 0", ", \"forces\": [{\"type\": \"motor\", \"joint\": \"pin\", "
                                                           "\"velocity\": 0, \"erp\": 1}]"));
    trm_messages *messages = trm_messages_create(NULL);
    trm_sim *sim = NULL;
    assert_int_equal(trm_sim_create(model, NULL, NULL, messages, &sim), TRM_OK);
    assert_int_equal(trm_message_count(messages), 1);
    assert_int_equal(trm_message_at(messages, 0)->severity, TRM_WARNING);
    assert_string_equal(trm_message_at(messages, 0)->element, "joint 'pin'");
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
}

static void a_drive_on_a_detached_joint_drives_nothing(void **state)
{
    (void)state;
    running r = run_text(
        SWING(", \"attached\": false",
              ", \"forces\": [{\"name\": \"d\", \"type\": \"drive\", \"joint\": \"pin\", \"motion\": \"t\"}]"),
        0.01, 1e-9);
    go(&r, 0.1);
    const trm_spatial V = trm_body_velocity(trm_sim_state(r.sim), 1);
    assert_near(V.ang.z, 0, 0);
    assert_near(V.lin.y, -0.981, 1e-14);
    assert_near(trm_sim_accuracy(r.sim).work, 0, 0);
    stop(&r);
}

/* A start at rest against a drive that moves at once: projecting the velocities is not counted as work. */
static void projecting_the_start_is_not_counted_as_work(void **state)
{
    (void)state;
    running r = run_text(
        SWING("", ", \"forces\": [{\"name\": \"d\", \"type\": \"drive\", \"joint\": \"pin\", \"motion\": \"2*t\"}]"),
        0.001, 1e-10);
    go(&r, 0.2);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    assert_near(a.energy_start, 0.5 * (1.0 / 3 + 0.01 * 0.01 / 4) * 4, 1e-6);
    assert_true(a.energy_error_max < 1e-5);
    stop(&r);
}

static void velocities_set_by_the_caller_are_projected(void **state)
{
    (void)state;
    running r = run_text(SWING("", ""), 0.01, 1e-10);
    go(&r, 0.1);
    trm_state *now = trm_sim_state(r.sim);
    assert_int_equal(now->clock->velocities_projected, 1);
    trm_set_body_velocity(now, 1, (trm_spatial){{0, 0, 0}, {0, 0, 3}});
    assert_int_equal(now->clock->velocities_projected, 0);
    assert_good(trm_sim_observe(r.sim));
    const trm_gap gap = trm_velocity_gap(now, 0);
    assert_true(gap.position < 1e-10 && gap.angle < 1e-10);
    stop(&r);
}

/* ---- Forces that do not depend on each other ------------------------------------------------- */

#define SPRINGS(first, second)                                                                                       \
    "{\"trammel\": 1, \"gravity\": [0, 0, -10], \"bodies\": [{\"name\": \"m\", \"point\": true, \"mass\": 3, "       \
    "\"position\": [0, 0, 0.8]}, {\"name\": \"w\", \"point\": true, \"mass\": 1, \"position\": [0, 0, 0.3]}], "      \
    "\"forces\": [" first ", " second "]}"
#define TYRE                                                                                                         \
    "{\"type\": \"spring\", \"bodies\": [\"ground\", \"w\"], \"anchors\": [[0,0,0],[0,0,0]], \"rest\": 0.34, "       \
    "\"stiffness\": 1000}"
#define STRUT                                                                                                        \
    "{\"type\": \"spring\", \"bodies\": [\"w\", \"m\"], \"anchors\": [[0,0,0],[0,0,0]], \"rest\": 0.6, "             \
    "\"stiffness\": 300, \"damping\": 50}"

/* The machine starts in static equilibrium, in any order of elements in the file: the strut carries 30 N, the tyre 40
 * N. */
static void a_damped_rest_stays_at_rest_in_any_order_of_forces(void **state)
{
    (void)state;
    static const double REST = 1e-12; /* rounding of the rest lengths, m */
    static const char *const orders[] = {SPRINGS(TYRE, STRUT), SPRINGS(STRUT, TYRE)};
    for (int i = 0; i < 2; i++) {
        running r = run_text(orders[i], 0.002, 1e-12);
        go(&r, 2);
        assert_near(place_of(&r, "m").z, 0.8, REST);
        assert_near(place_of(&r, "w").z, 0.3, REST);
        stop(&r);
    }
}

/* ---- States of other machines -------------------------------------------------------------- */

#define SPRING(k, g, x, f)                                                                                           \
    "{\"trammel\": 1, \"gravity\": [0, " g ", 0], \"bodies\": [{\"name\": \"p\", \"point\": true, \"mass\": 1, "     \
    "\"position\": [1, 0, 0]}], \"forces\": [{\"type\": \"spring\", \"bodies\": [\"ground\", \"p\"], \"anchors\": "  \
    "[[" x ",0,0],[0,0,0]], \"stiffness\": " k                                                                       \
    ", \"rest\": 1}, {\"type\": \"force\", \"body\": \"p\", \"value\": [\"" f "\", 0, 0]}]}"

static void a_state_fits_only_a_machine_that_moves_alike(void **state)
{
    (void)state;
    static const char *const machines[] = {
        SPRING("10", "-9.81", "0", "sin(t)"), SPRING("11", "-9.81", "0", "sin(t)"),
        SPRING("10", "-9.8", "0", "sin(t)"),  SPRING("10", "-9.81", "0.1", "sin(t)"),
        SPRING("10", "-9.81", "0", "cos(t)"),
    };
    trm_model *first = model_of_text(machines[0]);
    trm_state *saved = trm_state_create(first, NULL);
    trm_text *text = trm_text_create(NULL);
    assert_int_equal(trm_state_save(saved, trm_text_sink(text)), TRM_OK);
    for (int i = 0; i < 5; i++) {
        trm_model *model = model_of_text(machines[i]);
        trm_state *other = trm_state_create(model, NULL);
        trm_messages *messages = trm_messages_create(NULL);
        const trm_status status = trm_state_load(other, trm_text_get(text), trm_text_length(text), "s", messages);
        assert_int_equal(status, i == 0 ? TRM_OK : TRM_BAD_INPUT);
        trm_messages_destroy(messages);
        trm_state_destroy(other);
        trm_model_destroy(model);
    }
    trm_text_destroy(text);
    trm_state_destroy(saved);
    trm_model_destroy(first);
}

/* ---- The iterative solver at coarse tolerances ----------------------------------------------- */

static void no_gap_exceeds_the_tolerance_however_coarse_it_is(void **state)
{
    (void)state;
    static const char *const examples[] = {"trammel", "four-bar", "eight-loop", "double-pendulum"};
    static const double tolerances[] = {1e-3, 1e-5, 1e-8};
    running_solver = "iterative";
    for (int e = 0; e < 4; e++)
        for (int t = 0; t < 3; t++) {
            char path[300];
            snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, examples[e]);
            running r = run_file(path, 0.005, tolerances[t]);
            go(&r, 2);
            const trm_gap gap = trm_sim_accuracy(r.sim).gap;
            assert_true(gap.position <= tolerances[t] && gap.angle <= tolerances[t]);
            stop(&r);
        }
    running_solver = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsupported_elements_are_refused_by_name),
        cmocka_unit_test(a_joint_that_is_a_spring_is_refused_by_what_keeps_joints_closed),
        cmocka_unit_test(the_method_lcp_alone_has_joints_that_are_springs),
        cmocka_unit_test(the_warning_is_given_once_for_the_first_joint),
        cmocka_unit_test(options_of_lcp_without_effect_elsewhere_are_warned_of),
        cmocka_unit_test(a_drive_on_a_detached_joint_drives_nothing),
        cmocka_unit_test(projecting_the_start_is_not_counted_as_work),
        cmocka_unit_test(velocities_set_by_the_caller_are_projected),
        cmocka_unit_test(a_damped_rest_stays_at_rest_in_any_order_of_forces),
        cmocka_unit_test(a_state_fits_only_a_machine_that_moves_alike),
        cmocka_unit_test(no_gap_exceeds_the_tolerance_however_coarse_it_is),
    };
    return RUN_TESTS(tests);
}
