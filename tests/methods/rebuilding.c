/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Machines that change during the run: joints attached and detached by events of the file and by the caller. */

#include "base/random.h"
#include "check.h"
#include "choosing.h"
#include "resuming.h"

/* ---- By events of the file ---------------------------------------------------------------- */

/* Two carts of 1 kg and 3 kg on one axis; the first moves at 4 m/s, and they are coupled when they meet after 1/4
 * s. */
static const char *const CARTS =
    "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1], \"velocity\": [4, 0, 0] "
    "},"
    "    { \"name\": \"b\", \"mass\": 3, \"inertia\": [1, 1, 1], \"position\": [1, 0, 0] }],"
    "  \"joints\": [{ \"name\": \"grip\", \"type\": \"fixed\", \"bodies\": [\"a\", \"b\"],"
    "    \"anchors\": [[0, 0, 0], [0, 0, 0]], \"attached\": false }],"
    "  \"events\": [{ \"at\": 1.25, \"detach\": \"grip\" }, { \"at\": 0.25, \"attach\": \"grip\" }] }";

static void a_coupling_is_a_plastic_impact_and_letting_go_is_nothing(void **state)
{
    (void)state;
    trm_event_note note;
    running r = run_text(CARTS, 0.01, 1e-12);
    go_every(&r, 0.5, 0.25);
    assert_near(velocity_of(&r, "a").x, 1, 1e-12); /* momentum 4 on 4 kg */
    assert_near(velocity_of(&r, "b").x, 1, 1e-12);
    assert_true(trm_sim_event(r.sim, 0, &note));
    assert_string_equal(note.what, "attached");
    assert_near(note.time, 0.25, 0);
    assert_near(note.energy_before, 8, 1e-12);
    assert_near(note.energy_after, 2, 1e-12);
    go_every(&r, 2, 0.25);
    assert_true(trm_sim_event(r.sim, 1, &note));
    assert_string_equal(note.what, "detached");
    assert_near(note.energy_after, note.energy_before, 0);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    assert_near(a.work, -6, 1e-12);
    assert_true(a.linear_error <= 1e-12 && a.energy_error_max <= 1e-12);
    stop(&r);
}

/* Including methods that let velocities drift. */
static void every_method_captures(void **state)
{
    (void)state;
    static const char *const choices[] = {"impulse", "lagrange", "lagrange:stabilise=none",
                                          "lagrange:stabilise=penalty"};
    for (int i = 0; i < 4; i++) {
        running r = run_chosen(model_of_text(CARTS), (way){.choice = choices[i], .step = 0.01});
        go_every(&r, 0.5, 0.25);
        assert_near(velocity_of(&r, "a").x, 1, 1e-6);
        assert_near(velocity_of(&r, "b").x, 1, 1e-6);
        assert_near(trm_sim_accuracy(r.sim).work, -6, 1e-6);
        stop(&r);
    }
}

static void a_motor_is_not_attached_without_its_joint(void **state)
{
    (void)state;
    running r =
        run_text("{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1] }],"
                 "  \"joints\": [{ \"name\": \"h\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"b\"],"
                 "    \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1], \"attached\": false }],"
                 "  \"forces\": [{ \"name\": \"m\", \"type\": \"motor\", \"joint\": \"h\", \"velocity\": 1 }] }",
                 0.01, 1e-10);
    const trm_outcome outcome = trm_sim_attach(r.sim, trm_find_joint(r.model, "m"));
    assert_false(outcome.ok);
    assert_string_equal(outcome.element, "joint 'm'");
    assert_good(trm_sim_attach(r.sim, trm_find_joint(r.model, "h"))); /* attaches the motor, too */
    assert_true(trm_joint_attached(trm_sim_state(r.sim), trm_find_joint(r.model, "m")));
    stop(&r);
}

static void events_happen_at_their_times_with_any_steps(void **state)
{
    (void)state;
    static const double steps[] = {0.001, 0.013, 0.3, 2};
    for (int i = 0; i < 4; i++) {
        running r = run_text(CARTS, steps[i], 1e-12);
        go_every(&r, 2, 2);
        assert_int_equal(trm_sim_event_count(r.sim), 2);
        assert_near(place_of(&r, "b").x, 2.75, 1e-11); /* 1 m, and 1 m/s from 0.25 s on */
        stop(&r);
    }
}

static void a_run_with_timed_events_resumes_bit_identically(void **state)
{
    (void)state;
    assert_resumes_bit_identically(run_text(CARTS, 0.01, 1e-12), run_text(CARTS, 0.01, 1e-12));
}

static void a_joint_that_is_open_too_far_is_not_attached(void **state)
{
    (void)state;
    running r = run_text(CARTS, 0.01, 1e-12);
    const trm_outcome outcome = trm_sim_attach(r.sim, 0); /* a metre apart */
    assert_false(outcome.ok);
    assert_string_equal(outcome.element, "joint 'grip'");
    assert_false(trm_joint_attached(trm_sim_state(r.sim), 0));
    go_every(&r, 2, 2); /* and the run continues undisturbed */
    stop(&r);
}

#define PENDULUM(more, events)                                                                                       \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"b\", \"rod\": { \"from\": [0, 0, 0],"  \
    "    \"to\": [1, 0, 0], \"mass\": 1, \"radius\": 0.02 } }],"                                                     \
    "  \"joints\": [{ \"name\": \"h\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"b\"], \"anchor\": [0, 0, 0]," \
    "    \"axis\": [0, 0, 1]" more " }], \"events\": [" events "] }"

static trm_vec3 place_at_1_s(const char *text, double order, double step)
{
    trm_model *model = model_of_text(text);
    trm_simulation_def options = *trm_model_simulation(model);
    options.order = order;
    options.step = step;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = 1e-13;
    running r = run_model(model, &options);
    go_every(&r, 1, 1);
    const trm_vec3 place = place_of(&r, "b");
    stop(&r);
    return place;
}

/* Velocities that no row has projected before must satisfy the joint that is detached. */
static void letting_go_has_the_order_of_the_scheme(void **state)
{
    (void)state;
    static const char *const text = PENDULUM("", "{ \"at\": 0.5, \"detach\": \"h\" }");
    const trm_vec3 fine = place_at_1_s(text, 8, 0.0025);
    assert_near(trm_v3_length(trm_v3_sub(place_at_1_s(text, 8, 0.01), fine)), 0, 1e-9);
    const double far = trm_v3_length(trm_v3_sub(place_at_1_s(text, 2, 0.01), fine));
    const double near = trm_v3_length(trm_v3_sub(place_at_1_s(text, 2, 0.005), fine));
    assert_near(log2(far / near), 2, 0.2);
}

/* Friction of 0.001 N m does not stop a turning wheel when it is attached again with its joint. */
static void friction_comes_back_slipping(void **state)
{
    (void)state;
    static const char *const text =
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1],"
        "    \"angular_velocity\": [0, 0, 5] }],"
        "  \"joints\": [{ \"name\": \"h\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"b\"], \"anchor\": [0, 0, "
        "0],"
        "    \"axis\": [0, 0, 1], \"friction\": 0.001 }],"
        "  \"events\": [{ \"at\": 0.1, \"detach\": \"h\" }, { \"at\": 0.3, \"attach\": \"h\" },"
        "    { \"at\": 0.4, \"attach\": \"h\" }] }"; /* at the last one it is already attached */
    running r = run_text(text, 0.01, 1e-12);
    go_every(&r, 1, 0.5);
    assert_near(coordinate_of(&r, "h"), 5 - 0.5e-3 * 0.64, 1e-3);
    assert_near(trm_body_velocity(trm_sim_state(r.sim), 1).ang.z, 5 - 0.8e-3,
                1e-9); /* it has not acted during 0.2 s */
    assert_int_equal(trm_sim_event_count(r.sim), 2);
    stop(&r);
}

/* ---- By the caller ------------------------------------------------------------------------ */

/* A rod that lies on its lower stop gets an upward velocity from the caller; one that friction holds gets another
 * pose. */
static void changes_by_the_caller_persist(void **state)
{
    (void)state;
    running r = run_text(PENDULUM(", \"limits\": [0, 3]", ""), 0.01, 1e-10);
    go_every(&r, 0.5, 0.5);
    assert_near(coordinate_of(&r, "h"), 0, 1e-9);
    trm_set_body_velocity(trm_sim_state(r.sim), 1, trm_sp(trm_v3(0, 0, 3), trm_v3(0, 1.5, 0)));
    go_every(&r, 0.6, 0.1);
    assert_true(coordinate_of(&r, "h") > 0.15);
    stop(&r);

    r = run_text(PENDULUM(", \"friction\": 100", ""), 0.01, 1e-10);
    go_every(&r, 0.1, 0.1);
    const trm_pose pose = {{cos(0.25), 0, 0, sin(0.25)}, {0.5 * cos(0.5), 0.5 * sin(0.5), 0}};
    trm_set_body_pose(trm_sim_state(r.sim), 1, pose);
    go_every(&r, 0.5, 0.1);
    assert_near(coordinate_of(&r, "h"), 0.5, 1e-9);
    stop(&r);
}

enum { BODIES = 30, REBUILDINGS = 1000 };

/* A free-floating, tumbling chain, so that errors of momentum show. */
static trm_model *floating_chain(void)
{
    char names[BODIES][16], joints[BODIES][16];
    trm_model_def *def = trm_model_def_create(NULL);
    for (int i = 0; i < BODIES; i++) {
        trm_body_def body = trm_default_body_def();
        snprintf(names[i], sizeof names[i], "b%d", i);
        body.name = names[i];
        body.kind = TRM_BODY_ROD;
        body.rod = (trm_rod_def){{0.2 * i, i % 2 * 0.1, 0}, {0.2 * (i + 1), (i + 1) % 2 * 0.1, 0}, 1 + 0.1 * i, 0.02};
        body.velocity = trm_v3(0, 0.1 * (i % 5), 0.3 * (i % 3));
        body.angular_velocity = trm_v3(0.2, 0.1 * (i % 4), -0.3);
        assert_int_equal(trm_add_body(def, &body), TRM_OK);
    }
    for (int i = 0; i + 1 < BODIES; i++) {
        trm_joint_def joint = trm_default_joint_def();
        snprintf(joints[i], sizeof joints[i], "j%d", i);
        joint.name = joints[i];
        joint.type = i % 3 == 0 ? "hinge" : "ball";
        joint.bodies[0] = names[i], joint.bodies[1] = names[i + 1];
        joint.anchor = trm_v3(0.2 * (i + 1), (i + 1) % 2 * 0.1, 0);
        if (i % 3 == 0) joint.axis = trm_v3(0, 0.2, 1);
        assert_int_equal(trm_add_joint(def, &joint), TRM_OK);
    }
    trm_model *model = build_model(def);
    trm_model_def_destroy(def);
    return model;
}

static void a_thousand_random_rebuildings_keep_momentum_and_make_no_energy(void **state)
{
    (void)state;
    const uint64_t seed = 7;
    const double tolerance = 1e-10;
    trm_random random = trm_random_seed(seed);
    running r = run_model_at(floating_chain(), 0.002, tolerance);
    assert_good(trm_sim_observe(r.sim));
    int done = 0;
    for (int i = 0; done < REBUILDINGS && i < 20 * REBUILDINGS; i++) {
        const int joint = (int)trm_random_uniform(&random, 0, BODIES - 1);
        const double work = trm_sim_accuracy(r.sim).work;
        if (trm_joint_attached(trm_sim_state(r.sim), joint)) {
            trm_sim_detach(r.sim, joint);
            done++;
        } else {
            const trm_gap gap = trm_position_gap(trm_sim_state(r.sim), joint);
            if (gap.position > 0.01 || gap.angle > 0.01) continue;
            assert_good(trm_sim_attach(r.sim, joint));
            done++;
        }
        assert_good(trm_sim_step(r.sim, 0.002));
        assert_good(trm_sim_observe(r.sim));
        if (!trm_joint_attached(trm_sim_state(r.sim), joint) && done % 2) { /* while the gap is still small enough */
            assert_good(trm_sim_attach(r.sim, joint));
            done++;
        }
        assert_true(trm_sim_accuracy(r.sim).work <= work + 1e-9);
    }
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    print_message("    seed %llu: %lld events, momentum changed by %.1e kg m/s and %.1e kg m^2/s, gap %.1e m\n",
                  (unsigned long long)seed, trm_sim_event_count(r.sim), a.linear_error, a.angular_error,
                  a.gap.position);
    assert_int_equal(trm_sim_event_count(r.sim), done);
    assert_true(done >= REBUILDINGS);
    assert_true(a.gap.position <= tolerance && a.gap.angle <= tolerance);
    assert_true(a.linear_error <= 1e-12);
    assert_true(a.angular_error <= 1e-4); /* moving bodies to close a gap of about 0.1 mm changes r x p */
    assert_true(a.energy_error_max <= 1e-4);
    stop(&r);
}

/* A method that is built for the joints of the start reports an error instead of ignoring the request. */
static void changes_that_a_method_does_not_support_are_refused(void **state)
{
    (void)state;
    for (int attach = 0; attach < 2; attach++) {
        trm_model *model = model_of_file(TRM_EXAMPLES "/four-bar.json");
        trm_simulation_def options = *trm_model_simulation(model);
        options.method = "minimal";
        running r = run_model(model, &options);
        assert_good(trm_sim_step(r.sim, 0.01));
        trm_sim_detach(r.sim, 0);
        if (attach) assert_good(trm_sim_attach(r.sim, 0)); /* it was never detached */
        const trm_outcome outcome = trm_sim_step(r.sim, 0.01);
        assert_false(outcome.ok);
        assert_non_null(strstr(outcome.why, "cannot be attached or detached by the method minimal"));
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coupling_is_a_plastic_impact_and_letting_go_is_nothing),
        cmocka_unit_test(every_method_captures),
        cmocka_unit_test(a_motor_is_not_attached_without_its_joint),
        cmocka_unit_test(events_happen_at_their_times_with_any_steps),
        cmocka_unit_test(a_run_with_timed_events_resumes_bit_identically),
        cmocka_unit_test(a_joint_that_is_open_too_far_is_not_attached),
        cmocka_unit_test(letting_go_has_the_order_of_the_scheme),
        cmocka_unit_test(friction_comes_back_slipping),
        cmocka_unit_test(changes_that_a_method_does_not_support_are_refused),
        cmocka_unit_test(changes_by_the_caller_persist),
        cmocka_unit_test(a_thousand_random_rebuildings_keep_momentum_and_make_no_energy),
    };
    return RUN_TESTS(tests);
}
