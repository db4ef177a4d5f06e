/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Tendons: elements on a sum of coordinates.
 *
 * Two wheels with moments I1, I2 and the tendon u = q1 + 2 q2: a force T along u is the torque T on the first and 2 T
 * on the second wheel, so u moves as a mass m with 1/m = 1/I1 + 4/I2, and
 *
 *     q1 = q1(0) + m/I1 (u - u(0)),   q2 = q2(0) + 2 m/I2 (u - u(0))
 *
 * as long as nothing else moves the wheels. */

#include "check.h"
#include "choosing.h"

static const double I1 = 2, I2 = 3, START = 0.3;
static const double MASS = 1 / (1 / 2.0 + 4 / 3.0);

#define WHEELS(velocities)                                                                                           \
    "{ 'trammel': 1, 'bodies': [{ 'name': 'a', 'mass': 1, 'inertia': [2, 2, 2]" velocities "},"                      \
    "{ 'name': 'b', 'mass': 1, 'inertia': [3, 3, 3], 'position': [3, 0, 0] }], 'joints': ["                          \
    "{ 'name': 'A', 'type': 'hinge', 'bodies': ['ground', 'a'], 'anchor': [0, 0, 0], 'axis': [0, 0, 1], 'q0': 0.3 "  \
    "},"                                                                                                             \
    "{ 'name': 'B', 'type': 'hinge', 'bodies': ['ground', 'b'], 'anchor': [3, 0, 0], 'axis': [0, 0, 1] },"           \
    "{ 'name': 'T', 'type': 'tendon', 'terms': [{ 'joint': 'A' }, { 'joint': 'B', 'factor': 2 }]"

/* Asserts that u, and with it the angles of both wheels, have moved from the start as the equations above say; spin:
 * rate of the first wheel at the start. */
static void assert_at(const running *r, double u, double spin, double within)
{
    const double t = trm_state_time(trm_sim_state(r->sim)), free = START + spin * t;
    assert_near(value_of_joint(r, "T", 0), u, within);
    assert_near(value_of_joint(r, "A", 0), free + MASS / I1 * (u - free), within);
    assert_near(value_of_joint(r, "B", 0), 2 * MASS / I2 * (u - free), within);
}

/* m u'' + d u' + k (u - r) = 0 from rest at START */
static double damped(double d, double k, double r, double t)
{
    const double decay = 0.5 * d / MASS, w = sqrt(k / MASS - decay * decay), x = START - r;
    return r + x * exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
}

/* ---- Smooth forces ------------------------------------------------------------------------ */

static void wheels_on_a_tendon_oscillate_at_their_eigenfrequency(void **state)
{
    (void)state;
    for (int i = 0; i < CLOSE_WAYS; i++) {
        running r = run_chosen(quoted(WHEELS("") ", 'stiffness': 7 }]}"), CLOSELY[i]);
        go(&r, 2);
        assert_at(&r, damped(0, 7, 0, 2), 0, 1e-9);
        assert_near(trm_sim_accuracy(r.sim).energy_error_max, 0, 1e-8);
        stop(&r);
    }
}

static void springs_dampers_and_servos_act_along_the_tendon(void **state)
{
    (void)state;
    for (int i = 0; i < CLOSE_WAYS; i++) {
        running spring = run_chosen(
            quoted(WHEELS("") ", 'stiffness': 7, 'damping': 0.8, 'spring_reference': -0.2 }]}"), CLOSELY[i]);
        running servo = run_chosen(quoted(WHEELS("") "}], 'forces': [{ 'type': 'servo', 'joint': 'T', 'target': 0.5,"
                                                     "'kp': 1.75, 'kd': 0.2, 'gear': 2 }]}"),
                                   CLOSELY[i]);
        go(&spring, 1.5);
        go(&servo, 1.5);
        assert_at(&spring, damped(0.8, 7, -0.2, 1.5), 0, 1e-9);
        assert_at(&servo, damped(0.8, 7, 0.25, 1.5), 0, 1e-9); /* on 2 u */
        stop(&spring);
        stop(&servo);
    }
}

static void efforts_and_drives_act_along_the_tendon(void **state)
{
    (void)state;
    for (int i = 0; i < CLOSE_WAYS; i++) {
        running effort =
            run_chosen(quoted(WHEELS("") "}], 'forces': [{ 'type': 'effort', 'joint': 'T', 'value': 2, 'gear': 3,"
                                         "'range': [-1, 1] }]}"),
                       CLOSELY[i]);
        running drive = run_chosen(quoted(WHEELS("") "}], 'forces': [{ 'type': 'drive', 'joint': 'T',"
                                                     "'motion': '0.3 + 40*t^2' }]}"),
                                   CLOSELY[i]);
        go(&effort, 1);
        go(&drive, 1);
        assert_at(&effort, START + 0.5 * 3 / MASS, 0, 1e-9);
        assert_at(&drive, START + 40, 0, 1e-9); /* several turns */
        stop(&effort);
        stop(&drive);
    }
}

/* Methods of order 1 and implicit springs: the error falls with the step. */
static double error_of(double step, const void *choice)
{
    const char *extra = strcmp(choice, "lcp") == 0 ? WHEELS("") ", 'stiffness': 7, 'damping': 0.8 }]}"
                                                   : WHEELS("") "}], 'forces': [{ 'type': 'torsion', 'joint': 'T',"
                                                                "'stiffness': 7, 'damping': 0.8, 'treatment':"
                                                                "'implicit' }]}";
    running r = run_chosen(quoted(extra), (way){.choice = choice, .step = step});
    go(&r, 1);
    const double error = fabs(value_of_joint(&r, "T", 0) - damped(0.8, 7, 0, 1));
    stop(&r);
    return error;
}

static void implicit_springs_and_lcp_converge_to_the_same_motion(void **state)
{
    (void)state;
    static const char *const choices[] = {"lcp", "impulse"};
    for (int i = 0; i < 2; i++) {
        const double order = order_between(error_of, choices[i], 0.002);
        print_message("    %s: order %.2f\n", choices[i], order);
        assert_near(order, 1, 0.1);
    }
}

/* ---- Methods against each other ----------------------------------------------------------- */

/* An arm of three links under gravity, in three dimensions; the tendon has a curved term and a limited servo. */
static const char *const ARM =
    "{ 'trammel': 1, 'gravity': [0, -9.81, 0], 'bodies': ["
    "{ 'name': 'a', 'mass': 2, 'inertia': [0.02, 0.06, 0.05], 'position': [0.5, 0, 0] },"
    "{ 'name': 'b', 'mass': 1, 'inertia': [0.01, 0.03, 0.035], 'position': [1.3, 0.1, 0] },"
    "{ 'name': 'c', 'mass': 0.5, 'inertia': [0.004, 0.003, 0.002], 'position': [1.6, 0.1, 0] }], 'joints': ["
    "{ 'name': 'hip', 'type': 'hinge', 'bodies': ['ground', 'a'], 'anchor': [0, 0, 0], 'axis': [0, 0, 1] },"
    "{ 'name': 'knee', 'type': 'universal', 'bodies': ['a', 'b'], 'anchor': [1, 0, 0], 'axis': [0, 0.6, 0.8],"
    "  'axis2': [1, 0, 0] },"
    "{ 'name': 'wrist', 'type': 'slider', 'bodies': ['b', 'c'], 'anchor': [1.5, 0.1, 0], 'axis': [1, 0, 0],"
    "  'stiffness': 200 },"
    "{ 'name': 'T', 'type': 'tendon', 'terms': [{ 'joint': 'hip', 'polynomial': [0.3, 0.1] },"
    "  { 'joint': 'knee', 'coordinate': 1 }, { 'joint': 'knee', 'coordinate': 2, 'factor': -0.5 },"
    "  { 'joint': 'wrist', 'factor': 3 }], 'stiffness': 25, 'damping': 0.6 }],"
    "'forces': [{ 'type': 'servo', 'joint': 'T', 'target': '0.4*sin(3*t)', 'kp': 6, 'kd': 0.5 }]}";

static void methods_agree_on_an_arm_with_a_tendon(void **state)
{
    (void)state;
    static const double SAME = 1e-8; /* m, rad: errors of steps */
    running first =
        run_chosen(quoted(ARM), (way){.choice = "impulse", .order = 8, .step = 0.005, .tolerance = 1e-14});
    go(&first, 1);
    for (int i = 1; i < CLOSE_WAYS; i++) {
        running r = run_chosen(quoted(ARM), (way){CLOSELY[i].choice, .step = 0.0005, .error = CLOSELY[i].error});
        go(&r, 1);
        print_message("    %s: %.2g\n", CLOSELY[i].choice, apart(&first, &r));
        assert_near(apart(&first, &r), 0, SAME);
        assert_near(value_of_joint(&r, "T", 0), value_of_joint(&first, "T", 0), SAME);
        stop(&r);
    }
    stop(&first);
}

/* ---- Limits and friction ------------------------------------------------------------------ */

static const char *const EVENTS[] = {"impulse", "lagrange", "subsystem"};

/* u starts at START with the rate 2, meets the limit 0.9 at 0.3 s, and returns with half of its rate. */
static void a_limit_throws_the_tendon_back(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        running r = run_chosen(
            quoted(WHEELS(", 'angular_velocity': [0, 0, 2]") ", 'limits': [-1, 0.9], 'limit_restitution': 0.5 }]}"),
            (way){.choice = EVENTS[i], .step = 0.01});
        go(&r, 0.8);
        assert_int_equal(trm_sim_counters(r.sim)->impacts, 1);
        assert_at(&r, 0.9 - 0.5, 2, 1e-9);
        stop(&r);
    }
}

/* u slows down from 2 rad/s by 1/m and rests after 2 m seconds at m rad from the start; then it sticks. */
static void friction_brings_the_tendon_to_rest(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        running r = run_chosen(quoted(WHEELS(", 'angular_velocity': [0, 0, 2]") ", 'friction': 1 }]}"),
                               (way){.choice = EVENTS[i], .step = 0.01});
        go(&r, 2);
        assert_at(&r, START + 2 * MASS, 2, 1e-9);
        stop(&r);
    }
}

/* ---- Contacts and events ------------------------------------------------------------------ */

/* Two blocks on vertical sliders; a tendon adds their heights. The second one falls on the floor, while a damper on
 * the tendon lifts the first: both impact modes agree with steps ten times shorter. */
static const char *const BLOCKS =
    "{ 'trammel': 1, 'gravity': [0, 0, -10], 'bodies': [{ 'name': 'floor', 'fixed': true, 'shapes': ["
    "{ 'type': 'plane', 'normal': [0, 0, 1] }] },"
    "{ 'name': 'a', 'mass': 1, 'inertia': [1, 1, 1], 'position': [0, 0, 3] },"
    "{ 'name': 'b', 'mass': 2, 'inertia': [1, 1, 1], 'position': [2, 0, 0.3], 'shapes': ["
    "{ 'type': 'sphere', 'radius': 0.1 }] }], 'joints': ["
    "{ 'name': 'A', 'type': 'slider', 'bodies': ['ground', 'a'], 'anchor': [0, 0, 3], 'axis': [0, 0, 1] },"
    "{ 'name': 'B', 'type': 'slider', 'bodies': ['ground', 'b'], 'anchor': [2, 0, 0.3], 'axis': [0, 0, 1] },"
    "{ 'name': 'T', 'type': 'tendon', 'terms': [{ 'joint': 'A' }, { 'joint': 'B' }], 'damping': 3 }]}";

static void a_tendon_acts_on_bodies_in_contact(void **state)
{
    (void)state;
    running r = run_chosen(quoted(BLOCKS), (way){.choice = "impulse", .step = 0.001});
    go(&r, 1);
    /* b rests: the tension is 3 v with dv/dt = 10 - 3 v for the falling block */
    running fine = run_chosen(quoted(BLOCKS), (way){.choice = "impulse", .step = 0.0001});
    go(&fine, 1);
    assert_near(place_of(&r, "b").z, 0.1, 1e-9);
    assert_near(place_of(&r, "a").z, place_of(&fine, "a").z, 1e-5);
    const double a = velocity_of(&fine, "a").z;
    go(&fine, 1.5);
    assert_near(velocity_of(&fine, "a").z, -10 / 3.0 + (a + 10 / 3.0) * exp(-1.5), 1e-7);
    stop(&r);
    stop(&fine);
}

/* Without one of its joints the tendon does not act; attached again it does. */
static void a_tendon_comes_off_with_any_of_its_joints(void **state)
{
    (void)state;
    running r = run_chosen(quoted(WHEELS("") ", 'stiffness': 7, 'limits': [-0.31, 5] }], 'forces': ["
                                             "{ 'type': 'effort', 'joint': 'B', 'value': 1 }]}"),
                           (way){.choice = "impulse", .step = 0.01});
    trm_sim_detach(r.sim, trm_find_joint(r.model, "A"));
    assert_false(trm_joint_attached(trm_sim_state(r.sim), trm_find_joint(r.model, "T")));
    go(&r, 2);
    assert_near(value_of_joint(&r, "B", 0), 0.5 * 4 / I2, 1e-12);
    assert_good(trm_sim_attach(r.sim, trm_find_joint(r.model, "A")));
    assert_true(trm_joint_attached(trm_sim_state(r.sim), trm_find_joint(r.model, "T")));
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wheels_on_a_tendon_oscillate_at_their_eigenfrequency),
        cmocka_unit_test(springs_dampers_and_servos_act_along_the_tendon),
        cmocka_unit_test(efforts_and_drives_act_along_the_tendon),
        cmocka_unit_test(implicit_springs_and_lcp_converge_to_the_same_motion),
        cmocka_unit_test(methods_agree_on_an_arm_with_a_tendon),
        cmocka_unit_test(a_limit_throws_the_tendon_back),
        cmocka_unit_test(friction_brings_the_tendon_to_rest),
        cmocka_unit_test(a_tendon_acts_on_bodies_in_contact),
        cmocka_unit_test(a_tendon_comes_off_with_any_of_its_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
