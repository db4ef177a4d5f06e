/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Couplings: sums of coordinates and of their powers. A differential, a lever of several sliders and a cam are
 * compared with Lagrange's equations of their free coordinates, whose integrals are known. */

#include "check.h"
#include "choosing.h"

#define WHEEL(name, x, inertia)                                                                                      \
    "{ 'name': '" name "', 'mass': 1, 'inertia': [" inertia ", " inertia ", " inertia "], 'position': [" x ", 0, "   \
    "0] }"
#define AXLE(name, body, x)                                                                                          \
    "{ 'name': '" name "', 'type': 'hinge', 'bodies': ['ground', '" body "'], 'anchor': [" x                         \
    ", 0, 0], 'axis': [0, 0, 1] }"

/* A differential: the cage turns at the mean of the two wheels, q1 + q2 - 2 q3 = 0. The torque T on the cage
 * accelerates it by T / (I3 + 4 / (1/I1 + 1/I2)), wheel i by 2 (T - I3 a3)/2 ... by the multiplier l: a_i = -l/I_i,
 * a3 = (T + 2 l)/I3. */
static void a_differential_divides_a_torque(void **state)
{
    (void)state;
    const double T = 3, I1 = 0.5, I2 = 0.25, I3 = 2;
    const double l = -2 * T / I3 / (1 / I1 + 1 / I2 + 4 / I3); /* q1'' + q2'' - 2 q3'' = 0 */
    for (int i = 0; i < CLOSE_WAYS; i++) {
        running r = run_chosen(
            quoted("{ 'trammel': 1, 'bodies': [" WHEEL("left", "0", "0.5") "," WHEEL("right", "1", "0.25") "," WHEEL(
                "cage", "2",
                "2") "], 'joints': [" AXLE("q1", "left",
                                           "0") "," AXLE("q2", "right",
                                                         "1") "," AXLE("q3", "cage",
                                                                       "2") ", { 'name': 'bevel', 'type': "
                                                                            "'coupling', 'terms': [{ 'joint': 'q1' },"
                                                                            "{ 'joint': 'q2' }, { 'joint': 'q3', "
                                                                            "'factor': -2 }] }],"
                                                                            "'forces': [{ 'type': 'effort', 'joint': "
                                                                            "'q3', 'value': 3 }]}"),
            CLOSELY[i]);
        go(&r, 4);
        assert_near(coordinate_of(&r, "q1"), -8 * l / I1, 1e-8);
        assert_near(coordinate_of(&r, "q2"), -8 * l / I2, 1e-8);
        assert_near(coordinate_of(&r, "q3"), 8 * (T + 2 * l) / I3, 1e-8);
        stop(&r);
    }
}

/* A cam: the slider is at x = 0.5 q^2 - 0.125 q^3 of the wheel's angle q. Energy: (I + m x'^2) dq^2/2 + m g x =
 * const. */
static const char *const CAM = "{ 'trammel': 1, 'gravity': [0, -9.81, 0], 'bodies': [" WHEEL(
    "wheel", "0", "0.5") ","
                         "{ 'name': 'follower', 'mass': 2, 'inertia': [1, 1, 1], 'position': [3, 0, 0] }],"
                         "'joints': [{ 'name': 'q', 'type': 'hinge', 'bodies': ['ground', 'wheel'], 'anchor': [0, 0, "
                         "0], 'axis': [0, 0, 1], 'q0': 1 },"
                         "{ 'name': 'x', 'type': 'slider', 'bodies': ['ground', 'follower'], 'anchor': [3, 0, 0], "
                         "'axis': [0, 1, 0], 'q0': 0.375 },"
                         "{ 'name': 'cam', 'type': 'coupling', 'offset': 0, 'terms': [{ 'joint': 'x' },"
                         "{ 'joint': 'q', 'polynomial': [0, -0.5, 0.125] }] }]}";

static double lift(double q)
{
    return 0.5 * q * q - 0.125 * q * q * q;
}

/* Newton: (I + m x'^2) q'' + m x' x'' q'^2 + m g x' = 0 by Runge-Kutta in small steps. */
static double cam_acceleration(double q, double v)
{
    const double I = 0.5, m = 2, g = 9.81, d = q - 0.375 * q * q, dd = 1 - 0.75 * q;
    return -(m * d * dd * v * v + m * g * d) / (I + m * d * d);
}

static double cam_angle(double until)
{
    enum { STEPS = 20000 };
    double q = 1, v = 0;
    const double h = until / STEPS;
    for (int i = 0; i < STEPS; i++) {
        const double a1 = cam_acceleration(q, v), v2 = v + 0.5 * h * a1, a2 = cam_acceleration(q + 0.5 * h * v, v2);
        const double v3 = v + 0.5 * h * a2, a3 = cam_acceleration(q + 0.5 * h * v2, v3);
        const double v4 = v + h * a3, a4 = cam_acceleration(q + h * v3, v4);
        q += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return q;
}

static void a_polynomial_is_a_cam(void **state)
{
    (void)state;
    const double expected = cam_angle(2);
    for (int i = 0; i < CLOSE_WAYS; i++) {
        running r = run_chosen(quoted(CAM), CLOSELY[i]);
        go(&r, 2);
        const double q = coordinate_of(&r, "q");
        print_message("%s: %.12g, off by %.2g\n", CLOSELY[i].choice, q, q - expected);
        assert_near(q, expected, 1e-7);
        assert_near(coordinate_of(&r, "x"), lift(q), 1e-10);
        stop(&r);
    }
}

/* Four sliders on a rigid beam: linear in all, and one joint may be named by its coordinate. */
static void four_coordinates_add_up(void **state)
{
    (void)state;
    for (int i = 0; i < CLOSE_WAYS; i++) {
        running r = run_chosen(
            quoted("{ 'trammel': 1, 'gravity': [0, 0, -9.81], 'bodies': [" WHEEL("a", "0", "1") "," WHEEL(
                "b", "1", "1") "," WHEEL("c", "2", "1") "], 'joints': ["
                                                        "{ 'name': 'pa', 'type': 'cylinder', 'bodies': ['ground', "
                                                        "'a'], 'anchor': [0, 0, 0], 'axis': [0, 0, 1] },"
                                                        "{ 'name': 'pb', 'type': 'slider', 'bodies': ['ground', "
                                                        "'b'], 'anchor': [1, 0, 0], 'axis': [0, 0, 1] },"
                                                        "{ 'name': 'pc', 'type': 'slider', 'bodies': ['ground', "
                                                        "'c'], 'anchor': [2, 0, 0], 'axis': [0, 0, 1] },"
                                                        "{ 'name': 'beam', 'type': 'coupling', 'terms': [{ 'joint': "
                                                        "'pa', 'coordinate': 1, 'factor': 3 },"
                                                        "{ 'joint': 'pa', 'coordinate': 2 }, { 'joint': 'pb', "
                                                        "'factor': 2 }, { 'joint': 'pc', 'factor': -1 }] }]}"),
            CLOSELY[i]);
        /* all fall with g; the row's multiplier l = -J g / J M^-1 J^T, J = (3, 1, 2, -1), free falls (0, -g, -g, -g) */
        const double l = 2 * 9.81 / (9 + 1 + 4 + 1);
        go(&r, 1);
        double q[TRM_JOINT_COORDINATES];
        trm_joint_values(trm_sim_state(r.sim), trm_find_joint(r.model, "pa"), q, NULL);
        assert_near(q[0], 0.5 * 3 * l, 1e-9);
        assert_near(q[1], 0.5 * (-9.81 + l), 1e-9);
        assert_near(coordinate_of(&r, "pb"), 0.5 * (-9.81 + 2 * l), 1e-9);
        assert_near(coordinate_of(&r, "pc"), 0.5 * (-9.81 - l), 1e-9);
        stop(&r);
    }
}

/* lcp follows the cam to its own order, and releases it when its slider is detached. */
static void a_coupling_goes_with_its_hosts(void **state)
{
    (void)state;
    running r = run_chosen(quoted(CAM), (way){.choice = "lcp", .step = 1e-4});
    go(&r, 0.5);
    assert_near(coordinate_of(&r, "q"), cam_angle(0.5), 2e-3);
    trm_sim_detach(r.sim, trm_find_joint(r.model, "x"));
    assert_false(trm_joint_attached(trm_sim_state(r.sim), trm_find_joint(r.model, "cam")));
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_differential_divides_a_torque),
        cmocka_unit_test(a_polynomial_is_a_cam),
        cmocka_unit_test(four_coordinates_add_up),
        cmocka_unit_test(a_coupling_goes_with_its_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
