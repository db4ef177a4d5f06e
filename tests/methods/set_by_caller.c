/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Settings: the caller replaces functions of time of servos, motors and efforts by numbers, and reverts to the
 * functions. */

#include "check.h"
#include "choosing.h"
#include "model/model.h"
#include "motion/state.h"
#include "resuming.h"

/* A wheel of 0.5 kg m^2 with an effort of 1 N m, and a cart of 2 kg that a servo holds. target: of the servo, in
 * quotes if it is a text. */
#define MACHINE_WITHIN(limits, target)                                                                               \
    "{ \"trammel\": 1, \"inputs\": { \"u\": { \"start\": 0.2 } }, \"bodies\": ["                                     \
    "{ \"name\": \"wheel\", \"mass\": 2, \"inertia\": [0.6, 0.6, 0.5] },"                                            \
    "{ \"name\": \"cart\", \"mass\": 2, \"inertia\": [1, 1, 1], \"position\": [0, 3, 0] }], \"joints\": ["           \
    "{ \"name\": \"axle\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"wheel\"], \"anchor\": [0, 0, 0],"         \
    "  \"axis\": [0, 0, 1], \"effort\": 12 },"                                                                       \
    "{ \"name\": \"way\", \"type\": \"slider\", \"bodies\": [\"ground\", \"cart\"], \"anchor\": [0, 3, 0],"          \
    "  \"axis\": [1, 0, 0]" limits "}], \"forces\": ["                                                               \
    "{ \"name\": \"e\", \"type\": \"effort\", \"joint\": \"axle\", \"value\": \"(1 + 0*t)/3\", \"gear\": 3 },"       \
    "{ \"name\": \"s\", \"type\": \"servo\", \"joint\": \"way\", \"kp\": 50, \"kd\": 4, \"target\": " target "}] }"

#define MACHINE(target) MACHINE_WITHIN("", target)

static void set(const running *r, const char *name, double value)
{
    const int setting = trm_find_setting(r->model, name);
    assert_true(setting >= 0);
    assert_string_equal(trm_setting_info_of(r->model, setting).name, name);
    assert_good(trm_sim_set(r->sim, setting, value));
}

static void efforts_are_set_and_given_back(void **state)
{
    (void)state;
    for (int i = 0; i < SMOOTH_WAYS; i++) {
        running r = run_chosen(model_of_text(MACHINE("0")), SMOOTHLY[i]);
        assert_int_equal(trm_setting_count(r.model), 2);
        assert_int_equal(trm_find_setting(r.model, "way.target"), -1);
        go(&r, 1);
        set(&r, "e.value", -1);
        assert_near(trm_setting_value(trm_sim_state(r.sim), trm_find_setting(r.model, "e.value")), -1, 0);
        go(&r, 1.5);
        set(&r, "e.value", NAN);
        assert_near(trm_setting_value(trm_sim_state(r.sim), trm_find_setting(r.model, "e.value")), 1.0 / 3, 0);
        go(&r, 2);
        assert_near(rate_of(&r, "axle"), (1 - 1.5 + 0.5) / 0.5, 1e-9);
        assert_near(trm_sim_accuracy(r.sim).energy_error_max, 0, 1e-6);
        stop(&r);
    }
}

static void ranges_are_what_the_joint_allows(void **state)
{
    (void)state;
    trm_model *model = model_of_text(MACHINE_WITHIN(", \"limits\": [-2, 3]", "0"));
    const trm_setting_info effort = trm_setting_info_of(model, 0), servo = trm_setting_info_of(model, 1);
    assert_string_equal(effort.unit, "N m");
    assert_near(effort.range[0], -4, 0); /* 12 N m at the joint, through a gear of ratio 3 */
    assert_near(effort.range[1], 4, 0);
    assert_string_equal(servo.unit, "m");
    assert_near(servo.range[0], -2, 0);
    assert_near(servo.range[1], 3, 0);
    trm_model_destroy(model);
}

/* A servo whose target is set moves, bit for bit, like one whose target is an input. */
static void a_servo_that_is_set_moves_as_one_that_follows_an_input(void **state)
{
    (void)state;
    for (int i = 0; i < SMOOTH_WAYS; i++) {
        running named = run_chosen(model_of_text(MACHINE("\"u\"")), SMOOTHLY[i]);
        running set_by_caller = run_chosen(model_of_text(MACHINE("0.2")), SMOOTHLY[i]);
        go(&named, 0.5), go(&set_by_caller, 0.5);
        assert_good(trm_sim_inputs(named.sim, (double[]){-0.4}));
        set(&set_by_caller, "s.target", -0.4);
        go(&named, 1), go(&set_by_caller, 1);
        assert_true(coordinate_of(&named, "way") == coordinate_of(&set_by_caller, "way"));
        assert_true(fabs(coordinate_of(&named, "way")) > 0.1);
        stop(&named), stop(&set_by_caller);
    }
}

/* Its rate jumps: an impulse, whose work is counted. */
static void a_motor_is_set(void **state)
{
    (void)state;
    static const char *const choices[] = {"impulse", "lagrange"};
    for (int i = 0; i < 2; i++) {
        running r = run_chosen(
            model_of_text(
                "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"wheel\", \"mass\": 2, \"inertia\": [0.6, 0.6, 0.5],"
                "\"angular_velocity\": [0, 0, 1] }], \"joints\": [{ \"name\": \"axle\", \"type\": \"hinge\","
                "\"bodies\": [\"ground\", \"wheel\"], \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }], \"forces\": ["
                "{ \"name\": \"m\", \"type\": \"motor\", \"joint\": \"axle\", \"velocity\": 1 }] }"),
            (way){.choice = choices[i], .step = 0.01});
        go(&r, 1);
        set(&r, "m.velocity", 3);
        assert_near(rate_of(&r, "axle"), 3, 1e-9);
        go(&r, 2);
        assert_near(coordinate_of(&r, "axle"), 4, 1e-9);
        assert_near(trm_sim_accuracy(r.sim).work, 0.25 * (9 - 1), 1e-9);
        stop(&r);
    }
}

/* Settings are saved with the state; a value for an element that the model does not have is refused. */
static void settings_are_part_of_the_state(void **state)
{
    (void)state;
    running a = run_chosen(model_of_text(MACHINE("0")), SMOOTHLY[0]),
            b = run_chosen(model_of_text(MACHINE("0")), SMOOTHLY[0]);
    const int e = trm_find_setting(a.model, "e.value");
    const double wrong[] = {2, -2, 0.5, NAN};
    trm_text *text = trm_text_create(NULL);
    set(&a, "e.value", 7);
    assert_int_equal(trm_sim_save(a.sim, 1, trm_text_sink(text)), TRM_OK);
    assert_int_equal(load_saved(&b, text), TRM_OK);
    assert_near(trm_setting_value(trm_sim_state(b.sim), e), 7, 0);
    trm_text_destroy(text);
    const trm_setting_place *place = &a.model->settings[e];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        text = trm_text_create(NULL);
        trm_sim_state(a.sim)->memory[place->memory_offset + place->chosen->memory] = wrong[i];
        assert_int_equal(trm_sim_save(a.sim, 1, trm_text_sink(text)), TRM_OK);
        assert_int_equal(load_saved(&b, text), TRM_BAD_INPUT);
        trm_text_destroy(text);
    }
    stop(&a), stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(efforts_are_set_and_given_back),
        cmocka_unit_test(ranges_are_what_the_joint_allows),
        cmocka_unit_test(a_servo_that_is_set_moves_as_one_that_follows_an_input),
        cmocka_unit_test(a_motor_is_set),
        cmocka_unit_test(settings_are_part_of_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
