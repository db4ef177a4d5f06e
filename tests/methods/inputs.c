/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Inputs: named numbers that expressions refer to and that the caller sets between steps; efforts, servos and motors
 * that follow them. */

#include "check.h"
#include "choosing.h"

/* A wheel of 0.5 kg m^2, driven through a gear of ratio 3; a cart of 2 kg that a servo pushes according to an
 * input. */
#define MACHINE                                                                                                      \
    "{ \"trammel\": 1, \"inputs\": { \"u\": { \"range\": [-2, 2], \"start\": 0.5 }, \"w\": {} }, \"bodies\": ["      \
    "{ \"name\": \"wheel\", \"mass\": 2, \"inertia\": [0.6, 0.6, 0.5] },"                                            \
    "{ \"name\": \"cart\", \"mass\": 2, \"inertia\": [1, 1, 1], \"position\": [0, 3, 0] }], \"joints\": ["           \
    "{ \"name\": \"axle\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"wheel\"], \"anchor\": [0, 0, 0],"         \
    "  \"axis\": [0, 0, 1] },"                                                                                       \
    "{ \"name\": \"way\", \"type\": \"slider\", \"bodies\": [\"ground\", \"cart\"], \"anchor\": [0, 3, 0],"          \
    "  \"axis\": [1, 0, 0] }], \"forces\": ["                                                                        \
    "{ \"type\": \"effort\", \"joint\": \"axle\", \"value\": \"u + 0.25\", \"gear\": 3, \"range\": [-1.5, 1.5] },"   \
    "{ \"type\": \"servo\", \"joint\": \"way\", \"kd\": 4, \"velocity\": \"w\" }] }"

/* The wheel accelerates by 3 clamp(u + 0.25) / 0.5; the cart's rate approaches w with exp(-4 t / 2). */
static void efforts_and_servos_follow_inputs(void **state)
{
    (void)state;
    const double rounding = 1e-9; /* of motions that every method integrates closely */
    for (int i = 0; i < SMOOTH_WAYS; i++) {
        running r = run_chosen(model_of_text(MACHINE), SMOOTHLY[i]);
        assert_int_equal(trm_input_count(r.model), 2);
        assert_int_equal(trm_find_input(r.model, "w"), 1);
        assert_near(trm_input_info_of(r.model, 0).range[1], 2, 0);
        go(&r, 1);
        assert_near(rate_of(&r, "axle"), 3 * 0.75 / 0.5, rounding);
        assert_near(rate_of(&r, "way"), 0, rounding);
        assert_good(trm_sim_inputs(r.sim, (double[]){-0.75, 1}));
        go(&r, 2);
        assert_near(rate_of(&r, "axle"), 3 * (0.75 - 0.5) / 0.5, rounding);
        assert_near(rate_of(&r, "way"), 1 - exp(-2), rounding);
        assert_good(trm_sim_inputs(
            r.sim, (double[]){10, NAN})); /* clipped to 2 by the input, then to 1.5 by the range of the effort */
        assert_near(trm_input_value(trm_sim_state(r.sim), 0), 2, 0);
        assert_near(trm_input_value(trm_sim_state(r.sim), 1), 1, 0);
        go(&r, 2.5);
        assert_near(rate_of(&r, "axle"), 3 * (0.75 - 0.5 + 0.75) / 0.5, rounding);
        const double w = rate_of(&r, "axle");
        const trm_accuracy accuracy = trm_sim_accuracy(r.sim);
        assert_near(accuracy.energy_end, 0.25 * w * w + rate_of(&r, "way") * rate_of(&r, "way"), 1e-8);
        assert_near(accuracy.energy_error_max, 0, 1e-6);
        stop(&r);
    }
}

/* A motor's rate jumps with its input: an impulse does work on the machine. */
static void motors_follow_inputs(void **state)
{
    (void)state;
    static const char *const choices[] = {"impulse", "lagrange"};
    for (int i = 0; i < 2; i++) {
        running r = run_chosen(
            model_of_text(
                "{ \"trammel\": 1, \"inputs\": { \"v\": { \"start\": 1 } }, \"bodies\": [{ \"name\": \"wheel\","
                "\"mass\": 2, \"inertia\": [0.6, 0.6, 0.5], \"angular_velocity\": [0, 0, 1] }], \"joints\": ["
                "{ \"name\": \"axle\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"wheel\"],"
                " \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }],"
                "\"forces\": [{ \"type\": \"motor\", \"joint\": \"axle\", \"velocity\": \"v*2 - 1\" }] }"),
            (way){.choice = choices[i], .step = 0.01});
        go(&r, 1);
        assert_near(coordinate_of(&r, "axle"), 1, 1e-9);
        assert_good(trm_sim_inputs(r.sim, (double[]){2}));
        assert_near(rate_of(&r, "axle"), 3, 1e-9);
        go(&r, 2);
        assert_near(coordinate_of(&r, "axle"), 4, 1e-9);
        assert_near(trm_sim_accuracy(r.sim).work, 0.25 * (9 - 1), 1e-9);
        stop(&r);
    }
}

/* A state contains its inputs: a simulation that is saved and loaded continues in the same way. */
static void inputs_are_part_of_the_state(void **state)
{
    (void)state;
    running a = run_chosen(model_of_text(MACHINE), SMOOTHLY[0]);
    assert_good(trm_sim_inputs(a.sim, (double[]){-1, 2}));
    trm_state *copy = trm_state_create(a.model, NULL);
    assert_near(trm_input_value(copy, 0), 0.5, 0);
    trm_state_copy(copy, trm_sim_state(a.sim));
    assert_near(trm_input_value(copy, 0), -1, 0);
    assert_near(trm_input_value(copy, 1), 2, 0);
    trm_state_destroy(copy);
    stop(&a);
}

/* A position servo with a gear and an additional torque: I q'' = n (v + kp (f - n q) - kd n q'). */
static void a_geared_servo_is_a_damped_oscillator(void **state)
{
    (void)state;
    const double I = 0.5, n = 3, kp = 4, kd = 0.2, v = 0.3, f = 0.9;
    const double k = n * n * kp, d = n * n * kd, end = (v + kp * f) / (n * kp), decay = 0.5 * d / I,
                 w = sqrt(k / I - decay * decay), t = 1;
    for (int i = 0; i < SMOOTH_WAYS; i++) {
        way how = SMOOTHLY[i];
        how.step /= 4, how.order = how.order > 0 ? 6 : 0;
        running r = run_chosen(
            model_of_text(
                "{ \"trammel\": 1, \"inputs\": { \"f\": { \"start\": 0.9 } }, \"bodies\": [{ \"name\": \"wheel\","
                "\"mass\": 2, \"inertia\": [0.6, 0.6, 0.5] }], \"joints\": ["
                "{ \"name\": \"axle\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"wheel\"],"
                " \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }], \"forces\": [{ \"type\": \"servo\","
                "\"joint\": \"axle\", \"target\": \"f\", \"kp\": 4, \"kd\": 0.2, \"gear\": 3, \"value\": 0.3 }] }"),
            how);
        go(&r, t);
        assert_near(coordinate_of(&r, "axle"), end * (1 - exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t))),
                    1e-7);
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(efforts_and_servos_follow_inputs),
        cmocka_unit_test(motors_follow_inputs),
        cmocka_unit_test(inputs_are_part_of_the_state),
        cmocka_unit_test(a_geared_servo_is_a_damped_oscillator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
