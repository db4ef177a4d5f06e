/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Forces on single joint coordinates: armature, springs, dampers, limits, drives, servos. Every method that can run
 * the machine is compared with an explicit rotor or a closed form. */

#include "check.h"
#include "choosing.h"

static const way SMOOTH[] = {
    {.choice = "impulse", .order = 6, .step = 0.01, .tolerance = 1e-14},
    {.choice = "lagrange:integrator=fehlberg8", .step = 0.005},
    {.choice = "subsystem:integrator=rk4", .step = 0.0005},
    {.choice = "minimal", .step = 0.005, .error = 1e-12},
};
enum { SMOOTH_COUNT = sizeof SMOOTH / sizeof *SMOOTH };

/* ---- Armature ----------------------------------------------------------------------------- */

#define ARM_BODIES                                                                                                   \
    "{ 'trammel': 1, 'gravity': [0, -9.81, 0], 'bodies': ["                                                          \
    "{ 'name': 'upper', 'mass': 2, 'inertia': [0.02, 0.06, 0.05], 'position': [0.5, 0, 0] },"                        \
    "{ 'name': 'lower', 'mass': 1, 'inertia': [0.01, 0.03, 0.035], 'position': [1.3, 0.1, 0] },"                     \
    "{ 'name': 'hand', 'mass': 0.5, 'inertia': [0.004, 0.003, 0.002], 'position': [1.6, 0.1, 0] }"

#define HIP "{ 'name': 'hip', 'type': 'hinge', 'bodies': ['ground', 'upper'], 'anchor': [0, 0, 0], 'axis': [0, 0, 1]"
#define KNEE                                                                                                         \
    "{ 'name': 'knee', 'type': 'hinge', 'bodies': ['upper', 'lower'], 'anchor': [1, 0, 0], 'axis': [0, 0.6, 0.8]"
#define WRIST                                                                                                        \
    "{ 'name': 'wrist', 'type': 'slider', 'bodies': ['lower', 'hand'], 'anchor': [1.5, 0.1, 0], 'axis': [1, 0, 0]"

static const char *const WITH_ARMATURE = ARM_BODIES "], 'joints': [" HIP ", 'armature': 0.32 }," KNEE
                                                    ", 'armature': 0.18 }," WRIST ", 'armature': 0.5 }]}";

/* Rotors that turn on the ground, each geared to a coordinate: J / ratio^2 are 0.32 and 0.18 kg m^2, and 0.5 kg. */
static const char *const WITH_ROTORS = ARM_BODIES
    ",{ 'name': 'r1', 'mass': 0.1, 'inertia': [0.05, 0.05, 0.08] },"
    "{ 'name': 'r2', 'mass': 0.1, 'inertia': [0.03, 0.03, 0.045], 'position': [0, 0, -2] },"
    "{ 'name': 'r3', 'mass': 0.1, 'inertia': [0.08, 0.08, 0.125], 'position': [0, 0, -3] }],"
    "'joints': [" HIP " }," KNEE " }," WRIST " },"
    "{ 'name': 'a1', 'type': 'hinge', 'bodies': ['ground', 'r1'], 'anchor': [0, 0, 0], 'axis': [0, 0, 1] },"
    "{ 'name': 'a2', 'type': 'hinge', 'bodies': ['ground', 'r2'], 'anchor': [0, 0, -2], 'axis': [0, 0, 1] },"
    "{ 'name': 'a3', 'type': 'hinge', 'bodies': ['ground', 'r3'], 'anchor': [0, 0, -3], 'axis': [0, 0, 1] },"
    "{ 'name': 'g1', 'type': 'gear', 'joints': ['hip', 'a1'], 'ratio': 0.5 },"
    "{ 'name': 'g2', 'type': 'gear', 'joints': ['knee', 'a2'], 'ratio': -0.5 },"
    "{ 'name': 'g3', 'type': 'gear', 'joints': ['wrist', 'a3'], 'ratio': 0.5 }]}";

static void armature_equals_an_explicit_geared_rotor(void **state)
{
    (void)state;
    const double same = 1e-10; /* m: difference by steps, tolerances and rounding */
    for (int i = 0; i < SMOOTH_COUNT; i++) {
        running a = run_chosen(quoted(WITH_ARMATURE), SMOOTH[i]), b = run_chosen(quoted(WITH_ROTORS), SMOOTH[i]);
        go(&a, 1);
        go(&b, 1);
        const trm_vec3 difference = trm_v3_sub(place_of(&a, "hand"), place_of(&b, "hand"));
        print_message("%s: %.2g m\n", SMOOTH[i].choice, trm_v3_length(difference));
        assert_near(trm_v3_length(difference), 0, same);
        assert_near(trm_sim_accuracy(a.sim).energy_end, trm_sim_accuracy(b.sim).energy_end, 1e-9);
        assert_int_equal(trm_body_count(a.model), 4); /* rotors are not among the user's bodies */
        assert_int_equal(trm_joint_count(a.model), 3);
        stop(&a);
        stop(&b);
    }
}

/* Joints with rotors, springs, dampers and servos have the same reactions whether forces act along coordinates or as
 * wrenches. */
static void forces_along_coordinates_leave_the_reactions_alone(void **state)
{
    (void)state;
    static const char *const text =
        ARM_BODIES "], 'joints': [" HIP ", 'armature': 0.32, 'stiffness': 3, 'damping': 0.7 }," KNEE
                   ", 'armature': 0.18, 'damping': 0.2 }," WRIST ", 'armature': 0.5, 'stiffness': 40 }],"
                   "'forces': [{ 'type': 'servo', 'joint': 'knee', 'target': 0.4, 'kp': 5, 'kd': 1 },"
                   "{ 'type': 'effort', 'joint': 'wrist', 'value': 3, 'gear': 2 }]}";
    running a = run_chosen(quoted(text), (way){.choice = "minimal", .step = 0.005, .error = 1e-12});
    running b = run_chosen(quoted(text), (way){.choice = "lagrange:integrator=fehlberg8", .step = 0.005});
    for (int i = 0; i < 2; i++) trm_sim_enable_reactions(i ? a.sim : b.sim, true);
    go(&a, 0.5);
    go(&b, 0.5);
    assert_good(trm_sim_observe(a.sim));
    assert_good(trm_sim_observe(b.sim));
    for (int j = 0; j < 3; j++) {
        const trm_spatial F = trm_joint_reaction(trm_sim_state(a.sim), j);
        const trm_spatial G = trm_joint_reaction(trm_sim_state(b.sim), j);
        assert_near(trm_v3_length(trm_v3_sub(F.lin, G.lin)), 0, 1e-7);
        assert_near(trm_v3_length(trm_v3_sub(F.ang, G.ang)), 0, 1e-7);
    }
    stop(&a);
    stop(&b);
}

/* The rotors on the ground turn in the plane, so that lcp and plain impulses follow them exactly, too. */
static void armature_equals_a_rotor_step_by_step(void **state)
{
    (void)state;
    static const char *const choices[] = {"impulse", "lcp:erp=0", "lagrange", "subsystem"};
    for (int i = 0; i < 4; i++) {
        const way how = {.choice = choices[i], .step = 0.01, .tolerance = 1e-13};
        running a = run_chosen(quoted("{ 'trammel': 1, 'gravity': [0, -9.81, 0], 'bodies': [{ 'name': 'upper',"
                                      " 'mass': 2, 'inertia': [0.02, 0.06, 0.05], 'position': [0.5, 0, 0] }],"
                                      "'joints': [" HIP ", 'armature': 0.32 }]}"),
                               how);
        running b = run_chosen(
            quoted(
                "{ 'trammel': 1, 'gravity': [0, -9.81, 0], 'bodies': [{ 'name': 'upper',"
                " 'mass': 2, 'inertia': [0.02, 0.06, 0.05], 'position': [0.5, 0, 0] },"
                "{ 'name': 'point', 'point': true, 'mass': 0.32, 'gravity_factor': 0, 'position': [3, 0, 0] }],"
                "'joints': [" HIP " }, { 'name': 'rail', 'type': 'rail', 'bodies': ['ground', 'point'],"
                "'axis': [0, 0, 1] }, { 'name': 'teeth', 'type': 'gear', 'joints': ['hip', 'rail'], 'ratio': 1 }]}"),
            how);
        go(&a, 1);
        go(&b, 1);
        assert_near(value_of_joint(&a, "hip", 0), value_of_joint(&b, "hip", 0), 1e-10);
        stop(&a);
        stop(&b);
    }
}

/* ---- Springs and dampers ------------------------------------------------------------------ */

/* I q'' + d q' + k (q - r) = 0 from rest at q0, underdamped. */
static double damped(double I, double d, double k, double r, double q0, double t)
{
    const double decay = 0.5 * d / I, w = sqrt(k / I - decay * decay), x = q0 - r;
    return r + x * exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
}

static void a_spring_with_a_damper_and_a_rotor_is_a_damped_oscillator(void **state)
{
    (void)state;
    for (int i = 0; i < SMOOTH_COUNT; i++) {
        running r = run_chosen(
            quoted("{ 'trammel': 1, 'bodies': [{ 'name': 'wheel', 'mass': 2, 'inertia': [0.6, 0.6, 0.5] },"
                   "{ 'name': 'cart', 'mass': 2, 'inertia': [1, 1, 1], 'position': [0, 3, 0] }], 'joints': ["
                   "{ 'name': 'axle', 'type': 'hinge', 'bodies': ['ground', 'wheel'], 'anchor': [0, 0, 0],"
                   "  'axis': [0, 0, 1], 'q0': 0.4, 'stiffness': 20, 'spring_reference': -0.5, 'damping': 1.5,"
                   "  'armature': 0.3 },"
                   "{ 'name': 'way', 'type': 'slider', 'bodies': ['ground', 'cart'], 'anchor': [0, 3, 0],"
                   "  'axis': [1, 0, 0], 'q0': 0.1, 'stiffness': 50, 'damping': 2, 'armature': 1.5 }]}"),
            SMOOTH[i]);
        go(&r, 1);
        assert_near(value_of_joint(&r, "axle", 0), damped(0.8, 1.5, 20, -0.5, 0.4, 1), 1e-9);
        assert_near(value_of_joint(&r, "way", 0), damped(3.5, 2, 50, 0, 0.1, 1), 1e-9);
        stop(&r);
    }
}

/* ---- Joints with several coordinates ------------------------------------------------------ */

/* A body on a cylinder: a spring and a damper act on its rotation, and a drive along the axis. */
static void each_coordinate_of_a_cylinder_has_its_own_law(void **state)
{
    (void)state;
    for (int i = 0; i < SMOOTH_COUNT; i++) {
        running r = run_chosen(
            quoted("{ 'trammel': 1, 'bodies': [{ 'name': 'nut', 'mass': 2, 'inertia': [0.6, 0.6, 0.5] }], 'joints': ["
                   "{ 'name': 'rod', 'type': 'cylinder', 'bodies': ['ground', 'nut'], 'anchor': [0, 0, 0],"
                   "  'axis': [0, 0, 1], 'q0': [0.4, 0.1], 'coordinates': ["
                   "  { 'stiffness': 20, 'spring_reference': -0.5, 'damping': 1.5, 'armature': 0.3 }, {}] }],"
                   "'forces': [{ 'type': 'drive', 'joint': 'rod', 'coordinate': 2, 'motion': '0.1 + 0.2*t^2' }],"
                   "'sensors': [{ 'name': 'z', 'type': 'angle', 'joint': 'rod', 'coordinate': 2 }]}"),
            SMOOTH[i]);
        double z;
        go(&r, 1);
        assert_near(value_of_joint(&r, "rod", 0), damped(0.8, 1.5, 20, -0.5, 0.4, 1), 1e-9);
        assert_near(value_of_joint(&r, "rod", 1), 0.3, 1e-10);
        trm_sim_sensor(r.sim, trm_find_sensor(r.model, "z"), &z);
        assert_near(z, 0.3, 1e-10);
        stop(&r);
    }
}

/* Rotors on both coordinates of a cylinder, one of which turns. */
static void each_coordinate_of_a_cylinder_has_its_own_rotor(void **state)
{
    (void)state;
    for (int i = 0; i < SMOOTH_COUNT; i++) {
        running r =
            run_chosen(quoted("{ 'trammel': 1, 'gravity': [0, 0, -9], 'bodies': [{ 'name': 'nut', 'mass': 2,"
                              " 'inertia': [0.6, 0.6, 0.5], 'angular_velocity': [0, 0, 5] }], 'joints': ["
                              "{ 'name': 'rod', 'type': 'cylinder', 'bodies': ['ground', 'nut'], 'anchor': [0, 0, 0],"
                              "  'axis': [0, 0, 1], 'coordinates': [{ 'armature': 0.3 }, { 'armature': 1 }] }]}"),
                       SMOOTH[i]);
        go(&r, 2);
        assert_near(value_of_joint(&r, "rod", 0), 10, 1e-9); /* more than a turn */
        assert_near(value_of_joint(&r, "rod", 1), -0.5 * 9 * 2.0 / 3 * 4, 1e-9);
        stop(&r);
    }
}

/* A servo on the second coordinate of a universal joint, a torsion spring on the first; both axes of one wheel with
 * equal moments. */
static void forces_act_on_the_coordinate_that_they_name(void **state)
{
    (void)state;
    running r = run_chosen(
        quoted("{ 'trammel': 1, 'bodies': [{ 'name': 'cross', 'mass': 1, 'inertia': [0.5, 0.5, 0.5] }], 'joints': ["
               "{ 'name': 'u', 'type': 'universal', 'bodies': ['ground', 'cross'], 'anchor': [0, 0, 0],"
               "  'axis': [0, 0, 1], 'axis2': [1, 0, 0] }],"
               "'forces': [{ 'type': 'servo', 'joint': 'u', 'coordinate': 2, 'target': 0.6, 'kp': 30, 'kd': 2 }]}"),
        SMOOTH[0]);
    go(&r, 1);
    assert_near(value_of_joint(&r, "u", 0), 0, 1e-12);
    assert_near(value_of_joint(&r, "u", 1), damped(0.5, 2, 30, 0.6, 0, 1), 1e-9);
    stop(&r);
}

/* The body falls on a stop of its second coordinate and rests there. */
static void a_limit_stops_the_coordinate_that_has_it(void **state)
{
    (void)state;
    static const char *const choices[] = {"impulse", "lcp"};
    for (int i = 0; i < 2; i++) {
        running r =
            run_chosen(quoted("{ 'trammel': 1, 'gravity': [0, 0, -10], 'bodies': [{ 'name': 'nut', 'mass': 2,"
                              " 'inertia': [0.6, 0.6, 0.5], 'angular_velocity': [0, 0, 2] }], 'joints': ["
                              "{ 'name': 'rod', 'type': 'cylinder', 'bodies': ['ground', 'nut'], 'anchor': [0, 0, 0],"
                              "  'axis': [0, 0, 1], 'coordinates': [{}, { 'limits': [-0.5, 1] }] }]}"),
                       (way){.choice = choices[i], .step = 0.005});
        go(&r, 1);
        assert_near(value_of_joint(&r, "rod", 1), -0.5, 1e-6);
        assert_near(value_of_joint(&r, "rod", 0), 2,
                    i == 0 ? 1e-8 : 1e-4); /* lcp integrates rotations with order 1 */
        stop(&r);
    }
}

/* ---- Weight, momentum, changes by the caller ---------------------------------------------- */

static void a_gravity_factor_scales_the_weight(void **state)
{
    (void)state;
    static const char *const choices[] = {"impulse", "lagrange", "lcp", "minimal", "subsystem"};
    for (int i = 0; i < 5; i++) {
        running r = run_chosen(quoted("{ 'trammel': 1, 'gravity': [0, 0, -8], 'bodies': ["
                                      "{ 'name': 'a', 'mass': 2, 'inertia': [1, 1, 1], 'gravity_factor': 0.25 },"
                                      "{ 'name': 'b', 'mass': 2, 'inertia': [1, 2, 2.5], 'gravity_factor': 0 }]}"),
                               (way){.choice = choices[i], .step = 0.01});
        go(&r, 1);
        assert_near(place_of(&r, "a").z, strcmp(choices[i], "lcp") == 0 ? -1.01 : -1, 1e-10);
        assert_near(place_of(&r, "b").z, 0, 1e-14);
        assert_false(trm_sim_accuracy(r.sim).is_free);
        stop(&r);
    }
}

/* A rotor acts on one body and with the opposite torque on the other. */
static void rotors_keep_the_momentum_of_a_free_machine(void **state)
{
    (void)state;
    running r = run_chosen(
        quoted(
            "{ 'trammel': 1, 'bodies': [{ 'name': 'a', 'mass': 2, 'inertia': [0.3, 0.4, 0.5], 'velocity': [1, 0, 0],"
            "'angular_velocity': [0, 1, 2] }, { 'name': 'b', 'mass': 1, 'inertia': [0.1, 0.1, 0.1],"
            "'position': [1, 0, 0], 'velocity': [1, 2, -1], 'angular_velocity': [0, 1, 5] }], 'joints': ["
            "{ 'name': 'j', 'type': 'hinge', 'bodies': ['a', 'b'], 'anchor': [1, 0, 0], 'axis': [0, 0, 1],"
            "  'armature': 0.7 }]}"),
        (way){.choice = "impulse", .order = 4, .step = 0.01});
    go(&r, 2);
    const trm_accuracy accuracy = trm_sim_accuracy(r.sim);
    assert_true(accuracy.is_free);
    assert_near(accuracy.linear_error, 0, 1e-11);
    assert_near(accuracy.angular_error, 0, 1e-11);
    assert_near(accuracy.energy_error_max, 0, 1e-5);
    stop(&r);
}

/* A velocity that the caller sets applies to the rotor, too; and a joint that is attached again keeps its rotor. */
static void a_rotor_follows_its_joint_when_the_caller_changes_it(void **state)
{
    (void)state;
    running r = run_chosen(
        quoted("{ 'trammel': 1, 'bodies': [{ 'name': 'wheel', 'mass': 2, 'inertia': [0.6, 0.6, 0.5] }], 'joints': ["
               "{ 'name': 'axle', 'type': 'hinge', 'bodies': ['ground', 'wheel'], 'anchor': [0, 0, 0],"
               "  'axis': [0, 0, 1], 'armature': 0.3 }]}"),
        (way){.choice = "impulse", .step = 0.01});
    trm_state *now = trm_sim_state(r.sim);
    trm_set_body_velocity(now, 1, trm_sp(trm_v3(0, 0, 3), trm_v3(0, 0, 0)));
    assert_near(trm_state_energy(now).kinetic, 0.5 * 0.8 * 9, 1e-14);
    go(&r, 0.5);
    assert_near(value_of_joint(&r, "axle", 0), 1.5, 1e-12);
    trm_sim_detach(r.sim, 0);
    go(&r, 1);
    assert_good(trm_sim_attach(r.sim, 0));
    go(&r, 1.5);
    assert_near(value_of_joint(&r, "axle", 0), 4.5, 1e-12);
    stop(&r);
}

/* ---- Ball joints -------------------------------------------------------------------------- */

/* A ball in a socket at its centre: I domega/dt = -d omega, about every axis. */
static void a_ball_joint_is_damped(void **state)
{
    (void)state;
    const double decay = exp(-0.3 / 0.5 * 2);
    for (int i = 0; i < SMOOTH_COUNT; i++) {
        running r =
            run_chosen(quoted("{ 'trammel': 1, 'bodies': [{ 'name': 'b', 'mass': 2, 'inertia': [0.5, 0.5, 0.5],"
                              "'angular_velocity': [1, 2, 3] }], 'joints': [{ 'name': 'socket', 'type': 'ball',"
                              "'bodies': ['ground', 'b'], 'anchor': [0, 0, 0], 'damping': 0.3 }]}"),
                       SMOOTH[i]);
        go(&r, 2);
        const trm_vec3 omega = trm_body_velocity(trm_sim_state(r.sim), 1).ang;
        assert_near(trm_v3_length(trm_v3_sub(omega, trm_v3(decay, 2 * decay, 3 * decay))), 0, 1e-9);
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(armature_equals_an_explicit_geared_rotor),
        cmocka_unit_test(forces_along_coordinates_leave_the_reactions_alone),
        cmocka_unit_test(armature_equals_a_rotor_step_by_step),
        cmocka_unit_test(a_spring_with_a_damper_and_a_rotor_is_a_damped_oscillator),
        cmocka_unit_test(each_coordinate_of_a_cylinder_has_its_own_law),
        cmocka_unit_test(each_coordinate_of_a_cylinder_has_its_own_rotor),
        cmocka_unit_test(forces_act_on_the_coordinate_that_they_name),
        cmocka_unit_test(a_limit_stops_the_coordinate_that_has_it),
        cmocka_unit_test(a_gravity_factor_scales_the_weight),
        cmocka_unit_test(rotors_keep_the_momentum_of_a_free_machine),
        cmocka_unit_test(a_rotor_follows_its_joint_when_the_caller_changes_it),
        cmocka_unit_test(a_ball_joint_is_damped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
