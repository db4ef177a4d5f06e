/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The impulse method in joint coordinates moves machines as in body coordinates. */

#include "check.h"
#include "choosing.h"
#include "resuming.h"

static const double ALIKE = 1e-9; /* m, rad: after 1 s at a tolerance of 1e-13 */

/* A free trunk with limbs on every type of joint that the recursion knows, in both directions. */
static const char *const TREE =
    "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
    "  { \"name\": \"trunk\", \"mass\": 5, \"inertia\": [0.2, 0.3, 0.4], \"angular_velocity\": [1, 2, -1] },"
    "  { \"name\": \"a\", \"mass\": 1, \"inertia\": [0.02, 0.05, 0.06], \"position\": [0.5, 0, 0] },"
    "  { \"name\": \"b\", \"mass\": 2, \"inertia\": [0.03, 0.08, 0.06], \"position\": [0.9, 0, 0.2] },"
    "  { \"name\": \"c\", \"mass\": 1, \"inertia\": [0.02, 0.02, 0.01], \"position\": [-0.5, 0.1, 0] },"
    "  { \"name\": \"d\", \"mass\": 1, \"inertia\": [0.03, 0.04, 0.05], \"position\": [-0.9, 0.3, 0] },"
    "  { \"name\": \"e\", \"mass\": 2, \"inertia\": [0.05, 0.04, 0.07], \"position\": [0, 0.6, 0.1] },"
    "  { \"name\": \"f\", \"mass\": 1, \"inertia\": [0.01, 0.02, 0.02], \"position\": [0, 1, 0.1] },"
    "  { \"name\": \"g\", \"mass\": 1, \"inertia\": [0.03, 0.02, 0.02], \"position\": [0, -0.6, 0.1] },"
    "  { \"name\": \"h\", \"mass\": 1, \"inertia\": [0.02, 0.02, 0.03], \"position\": [0.5, 1, 0.3] },"
    "  { \"name\": \"i\", \"mass\": 1, \"inertia\": [0.03, 0.01, 0.03], \"position\": [-0.5, 1, 0.2] },"
    "  { \"name\": \"k\", \"mass\": 1, \"inertia\": [0.02, 0.03, 0.04], \"position\": [1.2, 0.1, 0.2] }],"
    "\"joints\": ["
    "  { \"name\": \"hinge\", \"type\": \"hinge\", \"bodies\": [\"trunk\", \"a\"], \"anchor\": [0.3, 0, 0],"
    "    \"axis\": [0, 1, 1] },"
    "  { \"name\": \"ball\", \"type\": \"ball\", \"bodies\": [\"b\", \"a\"], \"anchor\": [0.7, 0, 0.1] },"
    "  { \"name\": \"slider\", \"type\": \"slider\", \"bodies\": [\"c\", \"trunk\"], \"anchor\": [-0.3, 0, 0],"
    "    \"axis\": [1, 0.3, 2] },"
    "  { \"name\": \"universal\", \"type\": \"universal\", \"bodies\": [\"c\", \"d\"], \"anchor\": [-0.7, 0.2, 0],"
    "    \"axis\": [0, 0, 1], \"axis2\": [0, 1, 0] },"
    "  { \"name\": \"cylinder\", \"type\": \"cylinder\", \"bodies\": [\"trunk\", \"e\"], \"anchor\": [0, 0.3, 0],"
    "    \"axis\": [1, 1, 0] },"
    "  { \"name\": \"fixed\", \"type\": \"fixed\", \"bodies\": [\"e\", \"f\"], \"anchor\": [0, 0.8, 0] },"
    "  { \"name\": \"gimbal\", \"type\": \"gimbal\", \"bodies\": [\"f\", \"h\"], \"anchor\": [0.2, 1, 0.2],"
    "    \"axis\": [0, 0, 1], \"axis2\": [0, 1, 0] },"
    "  { \"name\": \"rail\", \"type\": \"rail\", \"bodies\": [\"i\", \"f\"], \"anchor\": [-0.2, 1, 0.1],"
    "    \"axis\": [1, 0.2, 0] },"
    "  { \"name\": \"slot\", \"type\": \"slot\", \"bodies\": [\"b\", \"k\"], \"anchor\": [1, 0, 0.2],"
    "    \"axis\": [1, 0.2, 0.4] },"
    "  { \"name\": \"planar\", \"type\": \"planar\", \"bodies\": [\"g\", \"trunk\"], \"anchor\": [0, -0.3, 0],"
    "    \"axis\": [0, 1, 1] }] }";

static running start(trm_model *model, const char *method, double order, double step)
{
    return run_chosen(model, (way){.choice = method, .order = order, .step = step, .tolerance = 1e-13});
}

static const trm_counters *counters_of(const running *r)
{
    return trm_sim_counters(r->sim);
}

static void a_tree_moves_as_in_body_coordinates_at_every_order(void **unused)
{
    (void)unused;
    for (double order = 2; order <= 8; order += 2) {
        running body = start(model_of_text(TREE), "impulse", order, 0.005);
        running joint = start(model_of_text(TREE), "impulse:coordinates=joint", order, 0.005);
        go_every(&body, 1, 1);
        go_every(&joint, 1, 1);
        print_message("    order %g: %.1e apart, %lld and %lld rounds\n", order, apart(&body, &joint),
                      counters_of(&body)->newton, counters_of(&joint)->newton);
        assert_true(apart(&body, &joint) < ALIKE);
        assert_int_equal(counters_of(&body)->in_body, 0);
        assert_int_equal(counters_of(&joint)->in_body, 0);
        assert_true(counters_of(&joint)->newton < counters_of(&body)->newton);
        stop(&body);
        stop(&joint);
    }
}

/* Forces, momentum and energy are those of body coordinates. */
static void forces_and_balances_are_those_of_body_coordinates(void **unused)
{
    (void)unused;
    static const double of_force = 1e-7; /* N, N m: forces are as accurate as the state, 1e-9 times their stiffness */
    running body = start(model_of_text(TREE), "impulse", 4, 0.005);
    running joint = start(model_of_text(TREE), "impulse:coordinates=joint", 4, 0.005);
    trm_sim_enable_reactions(body.sim, true);
    trm_sim_enable_reactions(joint.sim, true);
    go_every(&body, 0.5, 0.5);
    go_every(&joint, 0.5, 0.5);
    for (int j = 0; j < trm_joint_count(body.model); j++) {
        const trm_spatial F = trm_joint_reaction(trm_sim_state(body.sim), j);
        const trm_spatial G = trm_joint_reaction(trm_sim_state(joint.sim), j);
        assert_true(trm_v3_length(F.lin) + trm_v3_length(F.ang) > 0);
        assert_true(trm_v3_length(trm_v3_sub(F.lin, G.lin)) < of_force);
        assert_true(trm_v3_length(trm_v3_sub(F.ang, G.ang)) < of_force);
    }
    const trm_accuracy a = trm_sim_accuracy(body.sim), b = trm_sim_accuracy(joint.sim);
    assert_near(a.energy_error_max, b.energy_error_max, ALIKE);
    stop(&body);
    stop(&joint);
}

static void a_step_and_a_step_back_return_to_the_start(void **unused)
{
    (void)unused;
    static const double back = 1e-11; /* m, rad: 100 times the tolerance */
    const double h = 0.005;
    running moved = start(model_of_text(TREE), "impulse:coordinates=joint", 2, h);
    running still = start(model_of_text(TREE), "impulse:coordinates=joint", 2, h);
    for (int i = 0; i < 20; i++) assert_good(trm_sim_step(moved.sim, h));
    assert_true(apart(&moved, &still) > 1e-2);
    for (int i = 0; i < 20; i++) assert_good(trm_sim_step(moved.sim, -h));
    assert_true(apart(&moved, &still) < back);
    stop(&moved);
    stop(&still);
}

/* Loops are closed in body coordinates, and counted. */
static void every_smooth_example_moves_as_in_body_coordinates(void **unused)
{
    (void)unused;
    static const char *const names[] = {"double-pendulum", "pendulum",   "two-link-arm",  "two-ball-hinge",
                                        "cardan",          "eight-loop", "8-loop",        "four-bar",
                                        "slider-crank",    "bricard",    "parallelogram", "free-body",
                                        "unequal-loop",    "tensegrity", "engine",        "eight-loop-hinges"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, names[i]);
        running body = start(model_of_file(path), "impulse", 8, 0.01);
        running joint = start(model_of_file(path), "impulse:coordinates=joint", 8, 0.01);
        go_every(&body, 1, 1);
        go_every(&joint, 1, 1);
        print_message("    %s: %.1e apart, %lld of %lld look-aheads in body coordinates\n", names[i],
                      apart(&body, &joint), counters_of(&joint)->in_body, counters_of(&joint)->steps);
        assert_true(apart(&body, &joint) < ALIKE);
        stop(&body);
        stop(&joint);
    }
}

/* Limits, friction, motors, ropes and contacts use the mechanisms of body coordinates. */
static void examples_with_bounds_and_contacts_run_in_joint_coordinates(void **unused)
{
    (void)unused;
    static const double short_time = 0.2, close = 1e-6; /* s; m, rad: contacts magnify what is left open */
    static const char *const names[] = {
        "arm",   "gripper",       "walker",     "walker-on-ground", "crane",     "incline",       "newtons-cradle",
        "stack", "rimless-wheel", "suspension", "ball-in-bowl",     "cart-pole", "bouncing-ball", "jansen"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, names[i]);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        fclose(file);
        running body = run_chosen(model_of_file(path), (way){.choice = "impulse", .step = 0.002});
        running joint = run_chosen(model_of_file(path), (way){.choice = "impulse:coordinates=joint", .step = 0.002});
        go_every(&body, short_time, short_time);
        go_every(&joint, short_time, short_time);
        print_message("    %s: %.1e apart, %lld look-aheads in body coordinates\n", names[i], apart(&body, &joint),
                      counters_of(&joint)->in_body);
        assert_true(apart(&body, &joint) < close);
        stop(&body);
        stop(&joint);
    }
}

/* A double pendulum that swings into a stop. While the stop acts, body coordinates are used. */
static void a_limit_is_kept_in_body_coordinates_while_it_acts(void **unused)
{
    (void)unused;
    static const char *const stopped =
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
        "    { \"name\": \"a\", \"rod\": { \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"mass\": 1, \"radius\": 0.1 } },"
        "    { \"name\": \"b\", \"rod\": { \"from\": [1, 0, 0], \"to\": [2, 0, 0], \"mass\": 1, \"radius\": 0.1 } }],"
        "  \"joints\": ["
        "    { \"name\": \"j1\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0],"
        "      \"axis\": [0, 0, 1] },"
        "    { \"name\": \"j2\", \"type\": \"hinge\", \"bodies\": [\"a\", \"b\"], \"anchor\": [1, 0, 0],"
        "      \"axis\": [0, 0, 1], \"limits\": [-0.3, 0.3], \"limit_restitution\": 0 }] }";
    running body = run_chosen(model_of_text(stopped), (way){.choice = "impulse", .step = 0.002});
    running joint = run_chosen(model_of_text(stopped), (way){.choice = "impulse:coordinates=joint", .step = 0.002});
    go_every(&body, 1, 1);
    go_every(&joint, 1, 1);
    const trm_counters *c = counters_of(&joint);
    print_message("    %.1e apart, %lld of %lld look-aheads in body coordinates\n", apart(&body, &joint), c->in_body,
                  c->steps);
    assert_true(apart(&body, &joint) < 1e-7);
    assert_true(c->in_body > 0 && c->in_body < c->steps);
    stop(&body);
    stop(&joint);
}

/* The part that the arm will grip hangs on a joint that is not attached yet. */
static void a_detached_joint_does_not_hinder_the_tree(void **unused)
{
    (void)unused;
    running r = run_chosen(model_of_file(TRM_EXAMPLES "/arm.json"),
                           (way){.choice = "impulse:coordinates=joint", .step = 0.002});
    go_every(&r, 0.2, 0.2);
    assert_int_equal(counters_of(&r)->in_body, 0);
    stop(&r);
}

/* The matrix differs from the derivative by O(h^2), that of body coordinates by O(h). */
static void rounds_gain_more_than_in_body_coordinates(void **unused)
{
    (void)unused;
    static const double tolerances[] = {1e-6, 1e-12};
    double rounds[2][2];
    for (int t = 0; t < 2; t++)
        for (int joint = 0; joint < 2; joint++) {
            running r =
                run_chosen(model_of_text(TREE), (way){.choice = joint ? "impulse:coordinates=joint" : "impulse",
                                                      .step = 0.01,
                                                      .tolerance = tolerances[t]});
            go_every(&r, 1, 1);
            rounds[t][joint] = (double)counters_of(&r)->newton / (double)counters_of(&r)->steps;
            stop(&r);
        }
    print_message("    six more digits: %.1f rounds, %.1f in body coordinates\n", rounds[1][1] - rounds[0][1],
                  rounds[1][0] - rounds[0][0]);
    assert_true(rounds[1][1] - rounds[0][1] < 0.75 * (rounds[1][0] - rounds[0][0]));
}

/* Balls have cheap rows and many motions, hinges the reverse. */
static void the_choice_by_operations_takes_hinges_but_not_balls(void **unused)
{
    (void)unused;
    static const char *const pendulum =
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
        "    { \"name\": \"a\", \"rod\": { \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"mass\": 1, \"radius\": 0.1 } }],"
        "  \"joints\": ["
        "    { \"name\": \"j1\", \"type\": \"%s\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0]%s }] }";
    char text[600];
    for (int hinge = 0; hinge < 2; hinge++) {
        snprintf(text, sizeof text, pendulum, hinge ? "hinge" : "ball", hinge ? ", \"axis\": [0, 0, 1]" : "");
        running r = run_chosen(model_of_text(text), (way){.choice = "impulse:coordinates=auto", .step = 0.01});
        go_every(&r, 1, 1);
        assert_int_equal(counters_of(&r)->in_body == 0, hinge);
        stop(&r);
    }
}

static void options_without_effect_are_told(void **unused)
{
    (void)unused;
    static const char *const choices[] = {"impulse:newton=exact:coordinates=joint",
                                          "impulse:rounds=1:coordinates=joint"};
    for (int i = 0; i < 2; i++) {
        trm_model *model = model_of_text(TREE);
        trm_messages *messages = trm_messages_create(NULL);
        trm_simulation_def options;
        trm_sim *sim = NULL;
        chosen c;
        options_of(model, &(way){.choice = choices[i]}, &c, &options);
        assert_int_equal(trm_sim_create(model, &options, NULL, messages, &sim), TRM_OK);
        int told = 0;
        for (int k = 0; k < trm_message_count(messages); k++)
            told += strstr(trm_message_at(messages, k)->text, "impulse.coordinates has no effect") != NULL;
        assert_int_equal(told, 1);
        trm_sim_destroy(sim);
        trm_messages_destroy(messages);
        trm_model_destroy(model);
    }
}

static void a_run_resumed_from_a_checkpoint_is_bit_identical(void **unused)
{
    (void)unused;
    assert_resumes_bit_identically(start(model_of_text(TREE), "impulse:coordinates=joint", 4, 0.01),
                                   start(model_of_text(TREE), "impulse:coordinates=joint", 4, 0.01));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_moves_as_in_body_coordinates_at_every_order),
        cmocka_unit_test(forces_and_balances_are_those_of_body_coordinates),
        cmocka_unit_test(a_step_and_a_step_back_return_to_the_start),
        cmocka_unit_test(every_smooth_example_moves_as_in_body_coordinates),
        cmocka_unit_test(examples_with_bounds_and_contacts_run_in_joint_coordinates),
        cmocka_unit_test(a_limit_is_kept_in_body_coordinates_while_it_acts),
        cmocka_unit_test(a_detached_joint_does_not_hinder_the_tree),
        cmocka_unit_test(rounds_gain_more_than_in_body_coordinates),
        cmocka_unit_test(the_choice_by_operations_takes_hinges_but_not_balls),
        cmocka_unit_test(a_run_resumed_from_a_checkpoint_is_bit_identical),
        cmocka_unit_test(options_without_effect_are_told),
    };
    return RUN_TESTS(tests);
}
