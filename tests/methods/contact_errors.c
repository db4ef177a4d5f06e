/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Extrapolation and error control next to contacts: events delimit smooth pieces, in which steps are as long as the
 * error allows and have the requested order. */

#include "check.h"
#include "resuming.h"
#include "scenes.h"

static const double ABOUT = 0.3; /* tolerance of an order observed between two long steps */

static running run_with(trm_model *model, double order, double step, double error)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.order = order;
    options.step = step;
    options.error = error;
    return run_model(model, &options);
}

/* ---- Extrapolation ------------------------------------------------------------------------ */

/* A block of 2 kg on a spring of 100 N/m, mu = 0.4, pulled out by 1 m: between reversals it oscillates about c = mu m
 * g / k. */
static double extrapolated_off(double step, const void *order)
{
    const double t = 0.4, c = 0.07848, omega = sqrt(50);
    trm_model *model = model_of_file(TRM_EXAMPLES "/problems/r27-spring-block.json");
    trm_simulation_def options = *trm_model_simulation(model);
    options.scheme = "extrapolation";
    options.order = *(const double *)order;
    options.step = step;
    running r = run_model(model, &options);
    go_every(&r, t, t);
    const double e = fabs(place_of(&r, "block").x - (c + (1 - c) * cos(omega * t)));
    assert_int_equal(trm_sim_counters(r.sim)->plain, 0);
    stop(&r);
    return e;
}

static void a_block_slides_with_the_order_of_extrapolated_steps(void **state)
{
    (void)state;
    static const double orders[] = {4, 6}, steps[] = {0.02, 0.025};
    for (int i = 0; i < 2; i++) {
        const double seen = order_between(extrapolated_off, &orders[i], steps[i]);
        print_message("    order %g: seen %.2f, off by %.1e m at h = %g s\n", orders[i], seen,
                      extrapolated_off(steps[i], &orders[i]), steps[i]);
        assert_near(seen, orders[i], ABOUT);
    }
}

static void a_damper_next_to_contacts_is_of_order_2(void **state)
{
    (void)state;
    trm_model *model = model_of_text(
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"a\", \"shapes\": [{ \"type\": \"sphere\", \"radius\": 0.1,"
        "  \"density\": 500 }] }, { \"name\": \"b\", \"position\": [1, 0, 0], \"shapes\": [{ \"type\": \"sphere\","
        "  \"radius\": 0.1, \"density\": 500 }] }], \"forces\": [{ \"name\": \"damper\", \"type\": \"spring\","
        "  \"bodies\": [\"a\", \"b\"], \"anchors\": [[0, 0, 0], [0, 0, 0]], \"stiffness\": 1, \"damping\": 1 }] }");
    trm_simulation_def options = *trm_model_simulation(model);
    options.order = 4;
    assert_refused(model, &options, "force 'damper' depends on velocities, and shapes may collide");
}

/* ---- Steps by error ----------------------------------------------------------------------- */

/* The block reverses six times, each time at its own time, and stays where friction holds it. */
static void a_block_on_a_spring_comes_to_rest_where_it_should(void **state)
{
    (void)state;
    for (double order = 2; order <= 4; order += 2) {
        running r = run_with(model_of_file(TRM_EXAMPLES "/problems/r27-spring-block.json"), order, 0.01, 1e-7);
        go_every(&r, 4, 4);
        const double off = fabs(place_of(&r, "block").x - 0.05824);
        print_message("    order %g: %.1e m off after %lld steps, %lld refused\n", order, off,
                      trm_sim_counters(r.sim)->steps, trm_sim_counters(r.sim)->rejections);
        assert_true(off < 4e-7);
        stop(&r);
    }
}

/* A pendulum of two links that hits a wall several times. */
#define STRIKING                                                                                                     \
    "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": { \"restitution\": 0.6, \"friction\": 0 },"         \
    "  \"bodies\": [{ \"name\": \"a\", \"mass\": 1, \"inertia\": [0.02, 0.02, 0.02], \"position\": [0.5, 0, 0] },"   \
    "  { \"name\": \"b\", \"mass\": 0.5, \"inertia\": [0.01, 0.01, 0.01], \"position\": [1.3, 0, 0],"                \
    "    \"shapes\": [{ \"type\": \"sphere\", \"radius\": 0.1 }] }, { \"name\": \"wall\", \"fixed\": true,"          \
    "    \"shapes\": [{ \"type\": \"plane\", \"normal\": [1, 0, 0], \"offset\": -0.2 }] }], \"joints\": ["           \
    "  { \"name\": \"u\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0],"              \
    "    \"axis\": [0, 1, 0] }, { \"name\": \"v\", \"type\": \"hinge\", \"bodies\": [\"a\", \"b\"],"                 \
    "    \"anchor\": [1, 0, 0], \"axis\": [0, 1, 0] }] }"

static trm_vec3 struck_place(double order, double step, double error, trm_counters *counters)
{
    running r = run_with(model_of_text(STRIKING), order, step, error);
    go_every(&r, 1.2, 1.2);
    const trm_vec3 place = place_of(&r, "b");
    *counters = *trm_sim_counters(r.sim);
    assert_int_equal(trm_sim_event_count(r.sim) > 0 || counters->impacts > 0, 1);
    stop(&r);
    return place;
}

static void impacts_are_found_with_the_error_requested(void **state)
{
    (void)state;
    trm_counters counters;
    const trm_vec3 right = struck_place(4, 0.0005, NAN, &counters);
    const long long impacts = counters.impacts;
    long long steps = 0;
    for (double error = 1e-4; error > 1e-8; error /= 100) {
        const double off = trm_v3_length(trm_v3_sub(struck_place(2, 0.01, error, &counters), right));
        print_message("    error %g: %.1e m off after %lld steps and %lld impacts\n", error, off, counters.steps,
                      counters.impacts);
        assert_true(off < 30 * error);
        assert_int_equal(counters.impacts, impacts);
        assert_true(counters.steps > steps);
        steps = counters.steps;
    }
}

static void errors_of_time_stepping_impacts_are_not_known(void **state)
{
    (void)state;
    trm_model *model = model_of_text(STRIKING);
    trm_simulation_def options = *trm_model_simulation(model);
    options.error = 1e-6;
    options.impact = "window";
    assert_refused(model, &options, "the error of time-stepping impacts is not known");
}

/* ---- Steps that are too long -------------------------------------------------------------- */

/* A large box on a ball turns over in few steps. Without a shorter step it would gain 0.016 of the energy. */
static void a_step_in_which_a_contact_moves_too_far_is_shortened(void **state)
{
    (void)state;
    static const double SHARE =
        0.01; /* fraction of the energy, which one step alone exceeds; half the step gains 0.006 */
    running r = run_with(
        model_of_text(
            "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": { \"friction\": 0.311 }, "
            "\"bodies\": ["
            "  { \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1] }] "
            "},"
            "  { \"name\": \"ball\", \"position\": [-15.81, 33.51, 85.16], \"orientation\": [0.09765, -0.2566, "
            "0.3923, "
            "0.8779],"
            "  \"shapes\": [{ \"type\": \"sphere\", \"radius\": 40.88, \"density\": 1.293e-7 }] },"
            "  { \"name\": \"box\", \"position\": [-33.21, 18.51, 204.4], \"orientation\": [0.9479, -0.1038, "
            "-0.03336, -0.2993],"
            "  \"shapes\": [{ \"type\": \"box\", \"size\": [68.13, 85.16, 51.1], \"density\": 1.293e-7 }] }] }"),
        2, 0.738, NAN);
    go_every(&r, 14.76, 0.738);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    print_message("    %.3g J of %.3g J from nowhere, %lld halvings\n", a.energy_error_max, a.energy_scale,
                  trm_sim_counters(r.sim)->halvings);
    assert_true(a.energy_error_max <= SHARE * a.energy_scale);
    assert_true(trm_sim_counters(r.sim)->halvings > 0);
    stop(&r);
}

/* A fast hull rolls off the rim of a cylinder, 0.2 m in one step. The step ends where it leaves the rim: a contact that
 * stayed on it would gain 43 J of 497 J. */
static void a_hull_that_leaves_a_rim_within_a_step_gains_no_energy(void **state)
{
    (void)state;
    static const double SHARE = 0.01; /* fraction of the energy that this step gains; half the step gains 0.001 */
    running r = run_with(
        model_of_text("{ \"trammel\": 1, \"bodies\": [{ \"name\": \"a\", \"position\": [0.0271, -0.202, -0.155],"
                      "  \"orientation\": [0.929, 0.356, 0.0996, 0.0112], \"velocity\": [-1.65, 1.38, 1.33],"
                      "  \"angular_velocity\": [1.16, -0.156, -0.161], \"shapes\": [{ \"type\": \"cylinder\", "
                      "\"radius\": 0.272,"
                      "  \"length\": 0.181, \"density\": 3370, \"friction\": 0.697, \"restitution\": 0.0159 }] },"
                      "  { \"name\": \"b\", \"position\": [-0.143, -0.1567, 0.2099], \"orientation\": [0.228, "
                      "-0.876, 0.413, -0.0959],"
                      "  \"velocity\": [1.47, 1.59, 1.04], \"angular_velocity\": [-2.83, 19, -1.92], \"shapes\": [{ "
                      "\"type\": \"hull\","
                      "  \"points\": [[0.0559, -0.241, 0.0993], [0.153, -0.0203, 0.156], [0.248, 0.0923, -0.0042], "
                      "[-0.0459, -0.28,"
                      "  -0.0339], [-0.167, -0.138, 0.117], [-0.0429, 0.234, 0.109]], \"density\": 1480, "
                      "\"friction\": 0.61 }] }] }"),
        2, 0.01, NAN);
    go_every(&r, 0.06, 0.01);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    print_message("    %.3g J of %.3g J from nowhere\n", a.energy_error_max, a.energy_scale);
    assert_true(a.energy_error_max <= SHARE * a.energy_scale);
    stop(&r);
}

/* ---- Faces that slide off each other -------------------------------------------------------- */

/* Both bodies have inertias that their guides leave without effect. */
#define PRESSED                                                                                                      \
    "{ \"trammel\": 1, \"defaults\": { \"friction\": 0.5 }, \"bodies\": [{ \"name\": \"block\", \"mass\": 1,"        \
    "  \"inertia\": [1, 1, 1], \"velocity\": [2, 0, 0], \"shapes\": [{ \"type\": \"box\", \"size\": [0.1, 0.1, "     \
    "0.1] }]"                                                                                                        \
    "}, { \"name\": \"shoe\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0, 0, 0.075],"                     \
    "  \"shapes\": [{ \"type\": \"box\", \"size\": [0.2, 0.1, 0.05] }] }],"                                          \
    "  \"joints\": [{ \"name\": \"guide\", \"type\": \"slider\", \"bodies\": [\"ground\", \"block\"],"               \
    "  \"anchor\": [0, 0, 0], \"axis\": [1, 0, 0] }, { \"name\": \"press\", \"type\": \"slider\","                   \
    "  \"bodies\": [\"ground\", \"shoe\"], \"anchor\": [0, 0, 0.075], \"axis\": [0, 0, -1] }],"                      \
    "  \"forces\": [{ \"type\": \"effort\", \"joint\": \"press\", \"value\": 10 }] }"

/* A shoe of 0.2 m brakes a block of 0.1 m with 5 m/s^2, until the block has slid 0.15 m and leaves it. Accelerations
 * are constant, so every order is exact. The faces count as left when they are 2e-9 m apart, 1e-9 s later. */
static void a_block_leaves_the_shoe_that_brakes_it_at_the_exact_time(void **state)
{
    (void)state;
    static const double orders[] = {2, 4, 2}, errors[] = {NAN, NAN, 1e-6}, steps[] = {0.04, 0.01, 0.0025};
    const double v = sqrt(2 * 2 - 2 * 5 * 0.15), left = (2 - v) / 5, exact = 1e-7;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            running r = run_with(model_of_text(PRESSED), orders[i], steps[k], errors[i]);
            go_every(&r, 0.12, 0.12);
            assert_near(velocity_of(&r, "block").x, v, exact);
            assert_near(place_of(&r, "block").x, 0.15 + v * (0.12 - left), exact);
            stop(&r);
        }
}

#define FINGER(name, x)                                                                                              \
    "{ \"name\": \"" name "\", \"mass\": 0.3, \"inertia\": [1, 1, 1], \"position\": [" x ", 0, 0],"                  \
    "  \"shapes\": [{ \"type\": \"box\", \"size\": [0.02, 0.04, 0.06] }] }"
#define DROPPED                                                                                                      \
    "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": { \"friction\": 0.5 }, \"bodies\": ["               \
    "  { \"name\": \"block\", \"mass\": 0.4, \"shapes\": [{ \"type\": \"box\", \"size\": [0.08, 0.05, 0.05] }] "     \
    "}," FINGER("left", "-0.05") ", " FINGER(                                                                        \
        "right", "0.05") "], \"joints\": ["                                                                          \
                         "  { \"name\": \"l\", \"type\": \"slider\", \"bodies\": [\"ground\", \"left\"], "           \
                         "\"anchor\": [-0.05, 0, 0],"                                                                \
                         "    \"axis\": [1, 0, 0] }, { \"name\": \"r\", \"type\": \"slider\", \"bodies\": "          \
                         "[\"ground\", \"right\"],"                                                                  \
                         "    \"anchor\": [0.05, 0, 0], \"axis\": [-1, 0, 0] }], \"forces\": ["                      \
                         "  { \"type\": \"effort\", \"joint\": \"l\", \"value\": 3 }, { \"type\": \"effort\", "      \
                         "\"joint\": \"r\", \"value\": 3 }] }"

/* A block of 0.4 kg slips from two fingers that press it with 3 N, mu = 0.5, and falls freely 0.055 m lower. Corners
 * that are on a side of a face count as over it: the block is free only where none is. */
static void a_block_that_slips_from_two_fingers_falls_freely_from_there(void **state)
{
    (void)state;
    static const double orders[] = {2, 4}, steps[] = {0.02, 0.005, 0.002};
    const double a = G - 3 / 0.4, slips = sqrt(2 * 0.055 / a), v = a * slips, t = 0.3 - slips;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            running r = run_with(model_of_text(DROPPED), orders[i], steps[k], NAN);
            go_every(&r, 0.3, 0.3);
            assert_near(place_of(&r, "block").z, -0.055 - v * t - 0.5 * G * t * t, 1e-8);
            assert_int_equal(trm_sim_counters(r.sim)->dissipative, 0);
            assert_true(trm_sim_counters(r.sim)->steps < 0.3 / steps[k] + 10);
            stop(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides_with_the_order_of_extrapolated_steps),
        cmocka_unit_test(a_damper_next_to_contacts_is_of_order_2),
        cmocka_unit_test(a_block_on_a_spring_comes_to_rest_where_it_should),
        cmocka_unit_test(impacts_are_found_with_the_error_requested),
        cmocka_unit_test(errors_of_time_stepping_impacts_are_not_known),
        cmocka_unit_test(a_step_in_which_a_contact_moves_too_far_is_shortened),
        cmocka_unit_test(a_hull_that_leaves_a_rim_within_a_step_gains_no_energy),
        cmocka_unit_test(a_block_leaves_the_shoe_that_brakes_it_at_the_exact_time),
        cmocka_unit_test(a_block_that_slips_from_two_fingers_falls_freely_from_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
