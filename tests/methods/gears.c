/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Gears in motion: trains of wheels, racks and planets against closed forms, over thousands of turns. */

#include "check.h"
#include "choosing.h"
#include "resuming.h"

static const way WAYS[] = {
    {.choice = "impulse", .order = 2, .step = 0.01, .tolerance = 1e-12},
    {.choice = "impulse", .order = 4, .step = 0.01, .tolerance = 1e-12},
    {.choice = "lagrange:integrator=fehlberg8", .step = 0.01, .tolerance = 1e-12},
};

/* The last method runs with the direct solver only. */
static int way_count(void)
{
    return sizeof WAYS / sizeof *WAYS - (strcmp(running_solver, "direct") != 0);
}

/* ---- Two wheels --------------------------------------------------------------------------- */

/* Moments 2 and 3 kg m^2; the second wheel turns half as fast, backwards. */
#define WHEELS(speed, torque, more)                                                                                  \
    "{ \"trammel\": 1, \"constants\": { \"w\": " speed " },"                                                         \
    "  \"bodies\": ["                                                                                                \
    "    { \"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 2], \"angular_velocity\": [0, 0, \"w\"] },"             \
    "    { \"name\": \"b\", \"mass\": 1, \"inertia\": [2, 2, 3], \"position\": [1, 0, 0],"                           \
    "      \"angular_velocity\": [0, 0, \"-w/2\"] }],"                                                               \
    "  \"joints\": ["                                                                                                \
    "    { \"name\": \"one\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0],"          \
    "      \"axis\": [0, 0, 1], \"q0\": 0.5 },"                                                                      \
    "    { \"name\": \"two\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"b\"], \"anchor\": [1, 0, 0],"          \
    "      \"axis\": [0, 0, 1] },"                                                                                   \
    "    { \"name\": \"gear\", \"type\": \"gear\", \"joints\": [\"one\", \"two\"], \"ratio\": -2 }],"                \
    "  \"forces\": [{ \"type\": \"torque\", \"body\": \"a\", \"value\": [0, 0, " torque "] }]" more " }"

static void a_train_has_the_inertia_of_its_wheels_over_the_squared_ratio(void **state)
{
    (void)state;
    const double t = 3, a = 5 / (2 + 3 / 4.0),
                 rounding = 1e-9; /* of a motion that every method integrates nearly exactly */
    for (int i = 0; i < way_count(); i++) {
        running r = run_chosen(model_of_text(WHEELS("6", "5", "")), WAYS[i]);
        go(&r, t);
        assert_near(coordinate_of(&r, "one"), 0.5 + 6 * t + 0.5 * a * t * t, rounding);
        assert_near(coordinate_of(&r, "two"), -(6 * t + 0.5 * a * t * t) / 2, rounding);
        assert_near(rate_of(&r, "one"), 6 + a * t, rounding);
        assert_near(rate_of(&r, "two"), -(6 + a * t) / 2, rounding);
        const trm_accuracy accuracy = trm_sim_accuracy(r.sim);
        assert_true(accuracy.gap.angle <= 1e-12 && accuracy.velocity_gap.angle <= 1e-11);
        assert_near(accuracy.energy_error_max, 0, 1e-9);
        /* the teeth transmit the torque that accelerates the second wheel */
        trm_sim_enable_reactions(r.sim, true);
        assert_good(trm_sim_observe(r.sim));
        assert_near(trm_joint_reaction(trm_sim_state(r.sim), trm_find_joint(r.model, "gear")).ang.z, 2 * a - 5, 1e-9);
        stop(&r);
    }
}

/* Up to 19 rad in a step: turns are counted with the help of the rates. */
static void thousands_of_turns_leave_no_gap(void **state)
{
    (void)state;
    static const double steps[] = {0.01, 0.1};
    for (int i = 0; i < 2; i++) {
        running r = run_chosen(model_of_text(WHEELS("190", "0", "")),
                               (way){.choice = "impulse", .step = steps[i], .tolerance = 1e-13});
        go(&r, 60);
        const double q1 = coordinate_of(&r, "one"), q2 = coordinate_of(&r, "two");
        assert_near(q1, 0.5 + 190 * 60, 1e-8);
        assert_near(q1 + 2 * q2, 0.5, 1e-11); /* a few roundings of 11400 rad */
        assert_true(trm_sim_accuracy(r.sim).gap.angle <= 1e-12);
        assert_true(trm_sim_accuracy(r.sim).energy_error_max <= 1e-7); /* of 50 kJ */
        stop(&r);
    }
}

static void wheels_resume_from_a_saved_state_bit_for_bit(void **state)
{
    (void)state;
    const way how = {.choice = "impulse", .step = 0.01, .tolerance = 1e-12};
    assert_resumes_bit_identically(run_chosen(model_of_text(WHEELS("90", "5", "")), how),
                                   run_chosen(model_of_text(WHEELS("90", "5", "")), how));
}

/* From one second on the torque acts on the first wheel alone. */
static void a_gear_that_is_detached_or_loses_a_joint_holds_no_more(void **state)
{
    (void)state;
    static const char *const events[] = {
        WHEELS("6", "5", ", \"events\": [{ \"at\": 1, \"detach\": \"gear\" }]"),
        WHEELS("6", "5", ", \"events\": [{ \"at\": 1, \"detach\": \"two\" }]"),
    };
    const double a = 5 / (2 + 3 / 4.0);
    for (int i = 0; i < 2; i++) {
        running r = run_chosen(model_of_text(events[i]), WAYS[0]);
        go(&r, 2);
        assert_near(rate_of(&r, "one"), 6 + a + 5 / 2.0, 1e-10);
        assert_near(trm_body_velocity(trm_sim_state(r.sim), 2).ang.z, -(6 + a) / 2, 1e-10);
        stop(&r);
    }
}

static void a_gear_with_an_offset_is_assembled(void **state)
{
    (void)state;
    running r =
        run_text("{ \"trammel\": 1, \"bodies\": [{ \"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1] },"
                 "  { \"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [1, 0, 0] }], \"joints\": ["
                 "  { \"name\": \"one\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0],"
                 "    \"axis\": [0, 0, 1] },"
                 "  { \"name\": \"two\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"b\"], \"anchor\": [1, 0, 0],"
                 "    \"axis\": [0, 0, 1] },"
                 "  { \"name\": \"gear\", \"type\": \"gear\", \"joints\": [\"one\", \"two\"], \"ratio\": 3, "
                 "\"offset\": 0.2 }] }",
                 0.01, 1e-12);
    go(&r, 0.1);
    const double q1 = coordinate_of(&r, "one"), q2 = coordinate_of(&r, "two");
    assert_near(q1 - 3 * q2, 0.2, 1e-11);
    assert_near(q1, 0.02, 1e-9); /* the least change: along (1, -3) */
    assert_near(q2, -0.06, 1e-9);
    stop(&r);
}

/* ---- Rack and planets --------------------------------------------------------------------- */

/* x' = 0.2 w; a rack of 3 kg falls and turns a pinion of 0.5 kg m^2. */
static void a_rack_falls_with_the_inertia_of_its_pinion(void **state)
{
    (void)state;
    const double t = 1.5, a = 3 * 9.81 / (3 + 0.5 / (0.2 * 0.2));
    for (int i = 0; i < way_count(); i++) {
        running r = run_chosen(
            model_of_text(
                "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
                "  { \"name\": \"rack\", \"mass\": 3, \"inertia\": [1, 1, 1] },"
                "  { \"name\": \"pinion\", \"mass\": 1, \"inertia\": [1, 1, 0.5], \"position\": [0.2, 0, 0] }],"
                "  \"joints\": [{ \"name\": \"way\", \"type\": \"slider\", \"bodies\": [\"ground\", \"rack\"],"
                "    \"anchor\": [0, 0, 0], \"axis\": [0, 1, 0] },"
                "  { \"name\": \"axle\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"pinion\"],"
                "    \"anchor\": [0.2, 0, 0], \"axis\": [0, 0, 1] },"
                "  { \"name\": \"teeth\", \"type\": \"gear\", \"joints\": [\"way\", \"axle\"],"
                "    \"ratio\": 0.2 }] }"),
            WAYS[i]);
        go(&r, t);
        assert_near(coordinate_of(&r, "way"), -0.5 * a * t * t, 1e-9);
        assert_near(coordinate_of(&r, "axle"), -0.5 * a * t * t / 0.2, 1e-9);
        assert_near(trm_sim_accuracy(r.sim).energy_error_max, 0, 1e-9);
        assert_true(trm_sim_accuracy(r.sim).gap.position <= 1e-12);
        stop(&r);
    }
}

/* Sun, ring and two planets with 20, 60 and 20 teeth; the ring is fixed and the sun is driven. Relative to the
 * carrier, planets turn -3 times and the sun 3 times as fast as the carrier turns, so that the sun makes four turns
 * per turn of the carrier. */
#define PLANET(name, x)                                                                                              \
    "{ \"name\": \"" name "\", \"mass\": 0.5, \"inertia\": [1, 1, 0.25], \"position\": [" x ", 0, 0] }"
#define AXLE(name, of, body, x)                                                                                      \
    "{ \"name\": \"" name "\", \"type\": \"hinge\", \"bodies\": [\"" of "\", \"" body "\"],"                         \
    "  \"anchor\": [" x ", 0, 0], \"axis\": [0, 0, 1] }"
#define TEETH(name, one, two, ratio)                                                                                 \
    "{ \"name\": \"" name "\", \"type\": \"gear\", \"joints\": [\"" one "\", \"" two "\"], \"ratio\": " ratio " }"

#define BODIES PLANET("left", "-0.4") ", " PLANET("right", "0.4")
#define CORE   AXLE("arm", "ground", "carrier", "0") ", " AXLE("core", "carrier", "sun", "0")
#define AXLES  AXLE("l", "carrier", "left", "-0.4") ", " AXLE("r", "carrier", "right", "0.4")
#define INNER  TEETH("inner left", "core", "l", "-1") ", " TEETH("inner right", "core", "r", "-1")
#define RING   TEETH("ring", "l", "arm", "-3")

static const char *const PLANETS =
    "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"carrier\", \"mass\": 1, \"inertia\": [1, 1, 0.6] },"
    "  { \"name\": \"sun\", \"mass\": 1, \"inertia\": [1, 1, 0.3] }, " BODIES "],"
    "  \"joints\": [" CORE ", " AXLES ", " INNER ", " RING "],"
    "  \"forces\": [{ \"type\": \"torque\", \"body\": \"sun\", \"value\": [0, 0, 2] }] }";

static double planets_off(double step, const void *context)
{
    const way *how = context;
    const double inertia = 0.6 + 16 * 0.3 + 2 * (4 * 0.25 + 0.5 * 0.4 * 0.4), t = 2, w = 4 * 2 / inertia * t;
    running r = run_chosen(model_of_text(PLANETS), (way){how->choice, step, 1e-13, 0, how->order});
    go(&r, t);
    const double off = fabs(rate_of(&r, "arm") - w);
    assert_near(trm_body_velocity(trm_sim_state(r.sim), trm_find_body(r.model, "sun")).ang.z, 4 * rate_of(&r, "arm"),
                1e-11);
    assert_near(coordinate_of(&r, "core"), 3 * coordinate_of(&r, "arm"), 1e-11);
    assert_near(rate_of(&r, "r"), -3 * rate_of(&r, "arm"), 1e-11);
    assert_true(trm_sim_accuracy(r.sim).gap.angle <= 1e-12);
    stop(&r);
    return off;
}

static void planets_turn_by_the_ratio_of_teeth_with_the_total_inertia(void **state)
{
    (void)state;
    for (int i = 0; i < way_count(); i++) {
        const double coarse = planets_off(0.02, &WAYS[i]), fine = planets_off(0.01, &WAYS[i]);
        print_message("    %-26s order %g: %.1e, %.1e rad/s off\n", WAYS[i].choice, WAYS[i].order, coarse, fine);
        assert_true(fine <= 1e-3);
        assert_true(fine <= 0.3 * coarse || fine <= 1e-10); /* at least second order, or rounding */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_train_has_the_inertia_of_its_wheels_over_the_squared_ratio),
        cmocka_unit_test(thousands_of_turns_leave_no_gap),
        cmocka_unit_test(wheels_resume_from_a_saved_state_bit_for_bit),
        cmocka_unit_test(a_gear_that_is_detached_or_loses_a_joint_holds_no_more),
        cmocka_unit_test(a_gear_with_an_offset_is_assembled),
        cmocka_unit_test(a_rack_falls_with_the_inertia_of_its_pinion),
        cmocka_unit_test(planets_turn_by_the_ratio_of_teeth_with_the_total_inertia),
    };
    return RUN_WITH_ALL_SOLVERS(tests);
}
