/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Events that set the functions of time of drives and forces, against closed forms. */

#include "check.h"
#include "choosing.h"
#include "resuming.h"

static const double ROUNDING = 1e-12;

#define CART                                                                                                         \
    "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"cart\", \"mass\": 2, \"inertia\": [1, 1, 1] }],"                   \
    "  \"joints\": [{ \"name\": \"way\", \"type\": \"slider\", \"bodies\": [\"ground\", \"cart\"],"                  \
    "    \"anchor\": [0, 0, 0], \"axis\": [1, 0, 0] }],"

/* Pushed from the point (-1, 0, 0) by 4 N, from 0.5 s on by -4 N, from 1.5 s on by 0: accelerations of 2 and -2
 * m/s^2. */
static const char *const PUSHED =
    CART "  \"forces\": [{ \"name\": \"push\", \"type\": \"actuator\", \"bodies\": [\"ground\", \"cart\"],"
         "    \"anchors\": [[-1, 0, 0], [0, 0, 0]], \"value\": 4 }],"
         "  \"events\": [{ \"at\": 1.5, \"set\": { \"push.value\": 0 } }, { \"at\": 0.5, \"set\": { \"push.value\": "
         "-4 } }] }";

static double pushed_at(double t)
{
    const double a = 0.5 * 2 * 0.25, v = 1; /* at 0.5 s */
    if (t <= 0.5) return t * t;
    if (t <= 1.5) return a + v * (t - 0.5) - (t - 0.5) * (t - 0.5);
    return a - (t - 1.5);
}

static void a_push_changes_at_its_time_with_any_steps(void **state)
{
    (void)state;
    static const double steps[] = {0.01, 0.013, 0.3, 2};
    for (int i = 0; i < 4; i++) {
        running r = run_text(PUSHED, steps[i], ROUNDING);
        for (int k = 1; k <= 8; k++) {
            go_every(&r, 0.25 * k, 0.25);
            assert_near(place_of(&r, "cart").x, pushed_at(0.25 * k), ROUNDING);
        }
        assert_int_equal(trm_sim_event_count(r.sim), 2);
        assert_true(trm_sim_accuracy(r.sim).energy_error_max <= ROUNDING);
        stop(&r);
    }
}

static void every_method_that_has_events_sets(void **state)
{
    (void)state;
    static const char *const choices[] = {"impulse", "lagrange", "lagrange:stabilise=projection"};
    for (int i = 0; i < 3; i++) {
        running r = run_chosen(model_of_text(PUSHED), (way){.choice = choices[i], .step = 0.01});
        go_every(&r, 2, 0.25);
        assert_near(place_of(&r, "cart").x, pushed_at(2), 1e-9);
        stop(&r);
    }
}

static void settings_are_recorded_with_their_names(void **state)
{
    (void)state;
    trm_event_note note;
    running r = run_text(PUSHED, 0.01, ROUNDING);
    go_every(&r, 2, 0.25);
    assert_true(trm_sim_event(r.sim, 0, &note));
    assert_string_equal(note.what, "set");
    assert_string_equal(note.name, "push.value");
    assert_int_equal(note.joint, -1);
    assert_near(note.time, 0.5, 0);
    stop(&r);
}

static void a_resumed_run_keeps_its_settings(void **state)
{
    (void)state;
    assert_resumes_bit_identically(run_text(PUSHED, 0.01, ROUNDING), run_text(PUSHED, 0.01, ROUNDING));
}

/* A servo within the order of the method: its target jumps at 0.25 s, and its force with it. */
static const char *const SERVO =
    CART "  \"forces\": [{ \"name\": \"s\", \"type\": \"servo\", \"joint\": \"way\", \"target\": \"0.1*t\", \"kp\": "
         "50, \"kd\": 4 }],"
         "  \"events\": [{ \"at\": 0.25, \"set\": { \"s.target\": \"0.4 + 0.2*sin(t)\" } }] }";

static double servo_place(double step)
{
    running r = run_text(SERVO, step, ROUNDING);
    go_every(&r, 1, 1);
    const double x = place_of(&r, "cart").x;
    stop(&r);
    return x;
}

static void a_target_that_jumps_leaves_the_order_two(void **state)
{
    (void)state;
    const double exact = servo_place(1.0 / 4096);
    const double order = log2(fabs(servo_place(1.0 / 128) - exact) / fabs(servo_place(1.0 / 256) - exact));
    print_message("servo whose target is set: order %.3f\n", order);
    assert_true(order > 1.9 && order < 2.1);
}

/* A drive continues from its present position: q = t/2, from 0.4 s on 0.2 + (t - 0.4)^2. */
static void a_drive_follows_the_motion_that_was_set(void **state)
{
    (void)state;
    running r = run_text(
        CART "  \"forces\": [{ \"name\": \"d\", \"type\": \"drive\", \"joint\": \"way\", \"motion\": \"t/2\" }],"
             "  \"events\": [{ \"at\": 0.4, \"set\": { \"d.motion\": \"0.2 + (t-0.4)^2\" } }] }",
        0.01, ROUNDING);
    double q, qd;
    for (int k = 1; k <= 20; k++) {
        const double t = 0.05 * k;
        go_every(&r, t, 0.05);
        trm_joint_values(trm_sim_state(r.sim), trm_find_joint(r.model, "way"), &q, &qd);
        assert_near(q, t <= 0.4 + 1e-9 ? t / 2 : 0.2 + (t - 0.4) * (t - 0.4), ROUNDING);
    }
    assert_near(qd, 1.2, 1e-9);
    assert_near(trm_sim_accuracy(r.sim).work, 0.5 * 2 * 1.2 * 1.2 - 0.5 * 2 * 0.25, 1e-9);
    stop(&r);
}

static void a_drive_that_is_set_too_far_away_is_named(void **state)
{
    (void)state;
    running r = run_text(
        CART "  \"forces\": [{ \"name\": \"d\", \"type\": \"drive\", \"joint\": \"way\", \"motion\": \"t/2\" }],"
             "  \"events\": [{ \"at\": 0.4, \"set\": { \"d.motion\": 3 } }] }",
        0.01, ROUNDING);
    const trm_run_def run = {.until = 1, .every = 0.1};
    const trm_outcome outcome = trm_sim_run(r.sim, &run);
    assert_false(outcome.ok);
    assert_string_equal(outcome.element, "joint 'd'");
    assert_near(outcome.time, 0.4, 1e-12);
    stop(&r);
}

/* A motor of 1 m/s is set to -1 m/s at 0.5 s and needs 1 s, with 4 N on 2 kg, to reach it. */
static void a_motor_turns_round_at_its_force(void **state)
{
    (void)state;
    running r = run_text(
        CART
        "  \"forces\": [{ \"name\": \"m\", \"type\": \"motor\", \"joint\": \"way\", \"velocity\": 1, \"max\": 4 }],"
        "  \"events\": [{ \"at\": 1, \"set\": { \"m.velocity\": -1 } }] }",
        0.01, ROUNDING);
    go_every(&r, 1, 0.1);
    assert_near(place_of(&r, "cart").x, 0.75, 1e-9); /* including 1/2 s of acceleration */
    go_every(&r, 1.7, 0.1);
    assert_near(velocity_of(&r, "cart").x, 1 - 2 * 0.7, 1e-9);
    go_every(&r, 3, 0.1);
    assert_near(velocity_of(&r, "cart").x, -1, 1e-9);
    assert_near(place_of(&r, "cart").x, 0.75 - 1, 1e-9);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_push_changes_at_its_time_with_any_steps),
        cmocka_unit_test(every_method_that_has_events_sets),
        cmocka_unit_test(settings_are_recorded_with_their_names),
        cmocka_unit_test(a_resumed_run_keeps_its_settings),
        cmocka_unit_test(a_target_that_jumps_leaves_the_order_two),
        cmocka_unit_test(a_drive_follows_the_motion_that_was_set),
        cmocka_unit_test(a_drive_that_is_set_too_far_away_is_named),
        cmocka_unit_test(a_motor_turns_round_at_its_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
