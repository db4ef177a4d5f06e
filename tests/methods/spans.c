/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Spans: distances of two points on which drives, motors, limits and couplings act. A hoist is compared with the
 * solution of Lagrange's equation, pulleys with Atwood's closed form. */

#include "check.h"
#include "choosing.h"

static const double g = 9.81;

/* ---- A hoist ------------------------------------------------------------------------------ */

/* A load on a rope that is wound up, from 60 degrees off the vertical: theta'' = -(2 L' theta' + g sin theta) / L. */
static const char *const HOIST =
    "{ 'trammel': 1, 'gravity': [0, 0, -9.81], 'bodies': [{ 'name': 'load', 'point': true, 'mass': 3,"
    "'position': ['2*sin(pi/3)', 0, '-2*cos(pi/3)'], 'velocity': ['-0.1*sin(pi/3)', 0, '0.1*cos(pi/3)'] }],"
    "'joints': [{ 'name': 'rope', 'type': 'span', 'bodies': ['ground', 'load'], 'anchors': [[0, 0, 0], [0, 0, 0]] }],"
    "'forces': [{ 'type': 'drive', 'joint': 'rope', 'motion': '2 - 0.3*t + 0.1*sin(2*t)' }]}";

static double rope_length(double t)
{
    return 2 - 0.3 * t + 0.1 * sin(2 * t);
}

static double swing(double t, double theta, double rate)
{
    return -(2 * (-0.3 + 0.2 * cos(2 * t)) * rate + g * sin(theta)) / rope_length(t);
}

static double hoist_angle(double until)
{
    enum { STEPS = 20000 };
    double q = acos(0.5), v = 0;
    const double h = until / STEPS;
    for (int i = 0; i < STEPS; i++) {
        const double t = i * h, a1 = swing(t, q, v), v2 = v + 0.5 * h * a1;
        const double a2 = swing(t + 0.5 * h, q + 0.5 * h * v, v2), v3 = v + 0.5 * h * a2;
        const double a3 = swing(t + 0.5 * h, q + 0.5 * h * v2, v3), v4 = v + h * a3;
        const double a4 = swing(t + h, q + h * v3, v4);
        q += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return q;
}

static void a_driven_span_is_a_hoist(void **state)
{
    (void)state;
    const double same = 1e-8; /* m */
    const double theta = hoist_angle(2), length = rope_length(2);
    for (int i = 0; i < CLOSE_WAYS; i++) {
        running r = run_chosen(quoted(HOIST), CLOSELY[i]);
        go(&r, 2);
        const trm_vec3 p = place_of(&r, "load");
        print_message("%s: off by %.2g m, %.2g m\n", CLOSELY[i].choice, p.x - length * sin(theta),
                      p.z + length * cos(theta));
        assert_near(p.x, length * sin(theta), same);
        assert_near(p.z, -length * cos(theta), same);
        assert_near(coordinate_of(&r, "rope"), length, 1e-10);
        stop(&r);
    }
}

/* ---- A winch of limited force ------------------------------------------------------------- */

/* The motor pulls with 30 N at most: 2 kg accelerate at 15 m/s^2 - g up to 0.5 m/s, and keep this speed. */
static void a_motor_on_a_span_is_a_winch(void **state)
{
    (void)state;
    static const char *const choices[] = {"impulse", "lagrange"};
    const double a = 15 - g, t = 0.5 / a, expected = 3 - 0.5 * a * t * t - 0.5 * (1 - t);
    for (int i = 0; i < 2; i++) {
        running r = run_chosen(
            quoted("{ 'trammel': 1, 'gravity': [0, 0, -9.81], 'bodies': [{ 'name': 'load', 'point': true, 'mass': 2,"
                   "'position': [0, 0, -3] }], 'joints': [{ 'name': 'rope', 'type': 'span', 'bodies': ['ground', "
                   "'load'],"
                   "'anchors': [[0, 0, 0], [0, 0, 0]] }],"
                   "'forces': [{ 'type': 'motor', 'joint': 'rope', 'velocity': '-0.5', 'max': 30 }]}"),
            (way){.choice = choices[i], .step = 0.01});
        go(&r, 1);
        print_message("%s: %.12g, expected %.12g\n", choices[i], coordinate_of(&r, "rope"), expected);
        assert_near(coordinate_of(&r, "rope"), expected, 1e-8);
        stop(&r);
    }
}

/* ---- Pulleys ------------------------------------------------------------------------------ */

/* Two weights on a rope that runs over two pulleys. */
#define WEIGHTS(m1, m2, tackle)                                                                                      \
    "{ 'trammel': 1, 'gravity': [0, 0, -9.81], 'bodies': ["                                                          \
    "{ 'name': 'a', 'point': true, 'mass': " m1 ", 'position': [0, 0, -5] },"                                        \
    "{ 'name': 'b', 'point': true, 'mass': " m2 ", 'position': [1, 0, -5] }], 'joints': ["                           \
    "{ 'name': 'left', 'type': 'span', 'bodies': ['ground', 'a'], 'anchors': [[0, 0, 0], [0, 0, 0]] },"              \
    "{ 'name': 'right', 'type': 'span', 'bodies': ['ground', 'b'], 'anchors': [[1, 0, 0], [0, 0, 0]] },"             \
    "{ 'name': 'rope', 'type': 'coupling', " tackle " }]}"

static void pulleys_follow_atwood(void **state)
{
    (void)state;
    const double a = g * (3 - 2) / (3 + 2.0), tackle = g * (3 - 2 * 2) / (3 + 4 * 2.0);
    for (int i = 0; i < CLOSE_WAYS; i++) {
        running r =
            run_chosen(quoted(WEIGHTS("3", "2", "'terms': [{ 'joint': 'left' }, { 'joint': 'right' }]")), CLOSELY[i]);
        go(&r, 1);
        assert_near(coordinate_of(&r, "left"), 5 + 0.5 * a, 1e-10);
        assert_near(coordinate_of(&r, "right"), 5 - 0.5 * a, 1e-10);
        stop(&r);
        r = run_chosen(quoted(WEIGHTS("3", "2", "'terms': [{ 'joint': 'left', 'factor': 2 }, { 'joint': 'right' }]")),
                       CLOSELY[i]);
        go(&r, 1);
        assert_near(coordinate_of(&r, "left"), 5 + 0.5 * tackle, 1e-10);
        stop(&r);
    }
}

/* A rope that is 0.1 m longer: both weights fall until it is taut, then continue without a bounce as Atwood's. */
static void a_slack_rope_over_pulleys_goes_taut(void **state)
{
    (void)state;
    static const char *const choices[] = {"impulse", "lagrange"};
    const double taut = sqrt(0.1 / g), v = g * taut, impulse = 2 * v / (1 / 3.0 + 1 / 2.0), rest = 1 - taut;
    const double expected = 5 + 0.05 + (v - impulse / 3) * rest + 0.5 * g / 5 * rest * rest;
    for (int i = 0; i < 2; i++) {
        running r = run_chosen(
            quoted(WEIGHTS("3", "2",
                           "'rope': true, 'offset': 10.1, 'terms': [{ 'joint': 'left' }, { 'joint': 'right' }]")),
            (way){.choice = choices[i], .step = 0.01});
        go(&r, 1);
        print_message("%s: %.12g, expected %.12g\n", choices[i], coordinate_of(&r, "left"), expected);
        assert_near(coordinate_of(&r, "left"), expected, 1e-8);
        assert_near(coordinate_of(&r, "left") + coordinate_of(&r, "right"), 10.1, 1e-9);
        stop(&r);
    }
}

/* Limits of a span act as a rope and a strut: a ball thrown up falls until the rope of 3 m is taut. */
static void limits_of_a_span_hold(void **state)
{
    (void)state;
    running r = run_chosen(
        quoted("{ 'trammel': 1, 'gravity': [0, 0, -9.81], 'bodies': [{ 'name': 'load', 'point': true, 'mass': 2,"
               "'position': [0, 0, -1] }], 'joints': [{ 'name': 'rope', 'type': 'span', 'bodies': ['ground', 'load'],"
               "'anchors': [[0, 0, 0], [0, 0, 0]], 'limits': [0.5, 3] }]}"),
        (way){.choice = "impulse", .step = 0.01});
    go(&r, 2);
    assert_near(coordinate_of(&r, "rope"), 3, 1e-9);
    assert_near(place_of(&r, "load").z, -3, 1e-9);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driven_span_is_a_hoist), cmocka_unit_test(a_motor_on_a_span_is_a_winch),
        cmocka_unit_test(pulleys_follow_atwood),    cmocka_unit_test(a_slack_rope_over_pulleys_goes_taut),
        cmocka_unit_test(limits_of_a_span_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
