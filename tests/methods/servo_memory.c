/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Servos with memory: the integral of the error and a lag of the force. A carriage on a slider is compared with the
 * solution of its linear equations by the Runge-Kutta method. */

#include "check.h"
#include "choosing.h"

#define CARRIAGE(servo)                                                                                              \
    "{ 'trammel': 1, 'gravity': [-3, 0, 0], 'bodies': [{ 'name': 'cart', 'mass': 2, 'inertia': [1, 1, 1] }],"        \
    "'joints': [{ 'name': 'x', 'type': 'slider', 'bodies': ['ground', 'cart'], 'anchor': [0, 0, 0], 'axis': [1, 0, " \
    "0] }],"                                                                                                         \
    "'forces': [{ 'name': 's', 'type': 'servo', 'joint': 'x', 'target': 0.5, 'kp': 40, 'kd': 12" servo " }]}"

/* x, v, the integral of the error, and the lagged force. */
typedef struct control {
    double x, v, I, w;
} control;

static control slope(control c, double ki, double lag, double most)
{
    const double e = 0.5 - c.x, u = fmax(-most, fmin(most, 40 * e - 12 * c.v + ki * c.I));
    const bool held = fabs(40 * e - 12 * c.v + ki * c.I) >= most && e * u > 0;
    const double force = lag > 0 ? c.w : u;
    return (control){c.v, force / 2 - 3, held ? 0 : e, lag > 0 ? (u - c.w) / lag : 0};
}

static control plus(control c, double h, control d)
{
    return (control){c.x + h * d.x, c.v + h * d.v, c.I + h * d.I, c.w + h * d.w};
}

static double exact(double until, double ki, double lag, double most)
{
    enum { STEPS = 20000 };
    const double h = until / STEPS;
    control c = {0, 0, 0, 0};
    for (int i = 0; i < STEPS; i++) {
        const control a = slope(c, ki, lag, most), b = slope(plus(c, 0.5 * h, a), ki, lag, most);
        const control d = slope(plus(c, 0.5 * h, b), ki, lag, most), e = slope(plus(c, h, d), ki, lag, most);
        c = plus(plus(plus(plus(c, h / 6, a), h / 3, b), h / 3, d), h / 6, e);
    }
    return c.x;
}

static const char *const METHODS[] = {"impulse", "lagrange", "subsystem", "minimal"};

static double where(const char *text, const char *method, double step, double until)
{
    running r = run_chosen(quoted(text), (way){.choice = method, .step = step});
    go(&r, until);
    const double x = coordinate_of(&r, "x");
    stop(&r);
    return x;
}

/* For the methods from the given one on. */
static void assert_second_order(const char *text, int first, double until, double expected)
{
    for (int i = first; i < 4; i++) {
        const double coarse = fabs(where(text, METHODS[i], 0.004, until) - expected);
        const double fine = fabs(where(text, METHODS[i], 0.002, until) - expected);
        print_message("%s: %.2g m, %.2g m\n", METHODS[i], coarse, fine);
        assert_true(fine < 1e-5 && fine < coarse / 3);
    }
}

static void an_integral_part_is_of_second_order(void **state)
{
    (void)state;
    assert_second_order(CARRIAGE(", 'ki': 60"), 0, 1, exact(1, 60, 0, INFINITY));
}

static void a_lag_is_of_second_order(void **state)
{
    (void)state;
    assert_second_order(CARRIAGE(", 'lag': 0.05"), 0, 1, exact(1, 0, 0.05, INFINITY));
}

/* The load of 6 N displaces the carriage by 0.15 m without the integral, and not at all with it, though the force is
 * limited and lags. */
static void an_integral_part_leaves_no_error(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_near(where(CARRIAGE(""), METHODS[i], 0.005, 20), 0.5 - 6.0 / 40, 1e-6);
        assert_near(where(CARRIAGE(", 'ki': 30, 'max': 12, 'lag': 0.02"), METHODS[i], 0.005, 20), 0.5, 1e-5);
    }
}

/* ---- Variable limits and brakes ----------------------------------------------------------- */

#define WHEEL(keys, more)                                                                                            \
    "{ 'trammel': 1, 'bodies': [{ 'name': 'wheel', 'mass': 2, 'inertia': [0.5, 0.5, 0.5], 'angular_velocity': [0, "  \
    "0, 2] }],"                                                                                                      \
    "'joints': [{ 'name': 'x', 'type': 'hinge', 'bodies': ['ground', 'wheel'], 'anchor': [0, 0, 0], 'axis': [0, 0, " \
    "1] }],"                                                                                                         \
    "'forces': [{ 'name': 's', 'type': 'servo', 'joint': 'x', " keys " }]" more "}"

static double speed(const char *text, const char *method, double until)
{
    running r = run_chosen(quoted(text), (way){.choice = method, .step = 0.001});
    go(&r, until);
    const double omega = trm_body_velocity(trm_sim_state(r.sim), 1).ang.z;
    stop(&r);
    return omega;
}

/* A brake of 0.5 t: omega = 2 exp(-t^2/2) with I = 0.5; and a brake that an event applies after a second. */
static void a_brake_is_a_function_of_time_and_set_by_events(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) { /* minimal does not support events */
        assert_near(speed(WHEEL("'kd': 1e-9, 'brake': '0.5*t'", ""), METHODS[i], 1), 2 * exp(-0.5), 2e-6);
        const char *parking = WHEEL("'kd': 1e-9", ", 'events': [{ 'at': 1, 'set': { 's.brake': 0.5 } }]");
        assert_near(speed(parking, METHODS[i], 2), 2 * exp(-1), 2e-6);
    }
}

/* kp is so large that the force is at its limit throughout: I domega/dt = max(t), until an event sets the limit to
 * zero. */
static void a_limit_is_a_function_of_time_and_set_by_events(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) { /* minimal does not support events */
        const char *text =
            WHEEL("'kp': 1e6, 'target': 1e6, 'max': '0.5*t'", ", 'events': [{ 'at': 1, 'set': { 's.max': 0 } }]");
        assert_near(speed(text, METHODS[i], 1.5), 2 + 0.5, 1e-6);
    }
}

/* A servo with ki and lag drives a wheel to 1 rad; x(0.4 s) = 1.1205571 and x(1 s) = 1.0665535 rad
 * by Runge-Kutta. */
static const char *const SLOW_SERVO =
    "{ 'trammel': 1, 'bodies': [{ 'name': 'wheel', 'mass': 1, 'inertia': [0.5, 0.5, 0.5] }],"
    "'joints': [{ 'name': 'x', 'type': 'hinge', 'bodies': ['ground', 'wheel'], 'anchor': [0, 0, 0], 'axis': [0, 0, "
    "1] "
    "}], 'forces': [{ 'type': 'servo', 'joint': 'x', 'target': 1, 'kp': 20, 'kd': 4, 'ki': 15, 'lag': 0.05 }],"
    "'simulation': { 'every': 0.2 }}";

/* The rows of a run may be far apart: the memory of a servo must not get their spacing as its step. */
static void auto_keeps_the_requested_error_with_a_lag(void **state)
{
    (void)state;
    running r = run_chosen(quoted(SLOW_SERVO), (way){.choice = "auto", .step = 0.01});
    assert_string_equal(trm_sim_options(r.sim)->method, "impulse");
    assert_true(trm_sim_run(r.sim, &(const trm_run_def){.until = 1, .every = 0.2}).ok);
    assert_near(coordinate_of(&r, "x"), 1.0665535, 1e-3);
    stop(&r);
}

/* Returns the grade and sets *error. The method follows the joints with order 12, but the memory with order 2. */
static trm_grade grade_of(double step, double *error)
{
    running r = run_chosen(quoted(SLOW_SERVO), (way){.choice = "minimal", .step = step});
    trm_verdict verdict;
    assert_true(trm_sim_run(r.sim, &(const trm_run_def){.until = 0.4, .every = step}).ok);
    *error = fabs(coordinate_of(&r, "x") - 1.1205571);
    trm_sim_verdict(r.sim, &verdict);
    stop(&r);
    return verdict.grade;
}

static void a_verdict_sees_steps_that_are_long_for_a_lag(void **state)
{
    (void)state;
    double error;
    assert_int_equal(grade_of(0.2, &error), TRM_CHECK);
    assert_true(error > 0.1);
    assert_int_equal(grade_of(0.01, &error), TRM_GOOD);
    assert_true(error < 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_integral_part_is_of_second_order),
        cmocka_unit_test(a_lag_is_of_second_order),
        cmocka_unit_test(an_integral_part_leaves_no_error),
        cmocka_unit_test(a_brake_is_a_function_of_time_and_set_by_events),
        cmocka_unit_test(a_limit_is_a_function_of_time_and_set_by_events),
        cmocka_unit_test(auto_keeps_the_requested_error_with_a_lag),
        cmocka_unit_test(a_verdict_sees_steps_that_are_long_for_a_lag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
