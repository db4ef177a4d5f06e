/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The method lcp with bounded forces: stops, ropes, motors, joint friction; with joints that break, are attached or
 * are driven; and that all their work is counted. */

#include "lcp_runs.h"

static const double ROUNDING = 1e-12; /* of numbers near 1 after some hundred steps */

static const char *const SOLVERS[] = {"lcp", "lcp:solver=lemke", "lcp:solver=pgs:sor=1:iterations=100"};
enum { SOLVER_COUNT = sizeof SOLVERS / sizeof *SOLVERS };

/* A cart of 2 kg on a slider along x. */
#define CART(gravity, motion, way, more)                                                                             \
    "{ \"trammel\": 1, \"gravity\": [" gravity ", 0, 0], \"bodies\": [{ \"name\": \"cart\", \"mass\": 2,"            \
    "    \"inertia\": [1, 1, 1], \"velocity\": [" motion ", 0, 0] }],"                                               \
    "  \"joints\": [{ \"name\": \"way\", \"type\": \"slider\", \"bodies\": [\"ground\", \"cart\"],"                  \
    "    \"anchor\": [0, 0, 0], \"axis\": [1, 0, 0]" way " }]" more " }"

/* ---- Stops -------------------------------------------------------------------------------- */

static void a_stop_without_restitution_is_reached_and_never_passed(void **state)
{
    (void)state;
    for (int i = 0; i < SOLVER_COUNT; i++) {
        running r = run_lcp(model_of(CART("2", "0", ", \"limits\": [-1, 0.3]", "")), SOLVERS[i], 0.01);
        double most = 0;
        for (int k = 0; k < 200; k++) {
            make_steps(&r, 1, 0.01);
            most = fmax(most, coordinate_of(&r, "way"));
        }
        assert_near(most, 0.3, ROUNDING);
        assert_near(coordinate_of(&r, "way"), 0.3, ROUNDING);
        assert_near(rate_of(&r, "way"), 0, ROUNDING);
        stop(&r);
    }
}

static void a_stop_throws_back_at_its_restitution(void **state)
{
    (void)state;
    for (int i = 0; i < SOLVER_COUNT; i++) {
        running r = stepped(model_of(CART("0", "1.3", ", \"limits\": [-1, 0.3], \"limit_restitution\": 0.6", "")),
                            SOLVERS[i], 0.01, 50);
        assert_near(rate_of(&r, "way"), -0.6 * 1.3, ROUNDING);
        assert_true(coordinate_of(&r, "way") < 0.3);
        stop(&r);
    }
}

/* A cart falls on a stop, e = 0.7: error of its position after two bounces. */
static double bounce_error(double step, const void *solver)
{
    running r =
        run_lcp(model_of(CART("-9.81", "0", ", \"q0\": 0.5, \"limits\": [0, 1], \"limit_restitution\": 0.7", "")),
                solver, step);
    const double fall = sqrt(2 * 0.5 / 9.81), v = 9.81 * fall, e = 0.7, late = 0.9;
    const double t = late - fall - 2 * e * v / 9.81, u = e * e * v; /* time within the second flight */
    assert_true(t > 0 && t < 2 * u / 9.81);
    go_every(&r, late, late);
    const double error = fabs(coordinate_of(&r, "way") - (u * t - 0.5 * 9.81 * t * t));
    stop(&r);
    return error;
}

static void a_fall_on_a_stop_converges_with_the_step(void **state)
{
    (void)state;
    for (int i = 0; i < SOLVER_COUNT; i++) {
        double most = 0;
        for (double h = 0.004; h > 0.0004; h /= 2) most = fmax(most, bounce_error(h, SOLVERS[i]) / h);
        print_message("    %s: two bounces, off by at most %.2f m/s times h; %.1e m at h = 0.0001\n", SOLVERS[i],
                      most, bounce_error(0.0001, SOLVERS[i]));
        assert_true(
            most <
            2 * 3.2); /* m/s: twice the speed at the stop, for a timing error of a step at each of two bounces */
        assert_true(bounce_error(0.0001, SOLVERS[i]) < 0.0001 * 2 * 3.2);
    }
}

static void a_rope_goes_taut_and_holds(void **state)
{
    (void)state;
    static const char rope[] =
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"p\", \"point\": true, \"mass\": 1,"
        "    \"position\": [0.6, 0.3, 0] }], \"joints\": [{ \"name\": \"rope\", \"type\": \"distance\","
        "    \"bodies\": [\"ground\", \"p\"], \"anchors\": [[0, 0, 0], [0, 0, 0]], \"length\": 1, \"rope\": true }] "
        "}";
    for (int i = 0; i < SOLVER_COUNT; i++) {
        running r = run_lcp(model_of(rope), SOLVERS[i], 0.001);
        double longest = 0, energy = energy_of(&r);
        bool was_slack = false;
        for (int k = 0; k < 3000; k++) {
            make_steps(&r, 1, 0.001);
            longest = fmax(longest, trm_v3_length(place_of(&r, "p")));
            was_slack = was_slack || trm_v3_length(place_of(&r, "p")) < 0.95;
        }
        print_message("    %s: rope of 1 m, at most %.2e m more; %.2f J lost when it went taut\n", SOLVERS[i],
                      longest - 1, energy - energy_of(&r));
        assert_true(was_slack && longest > 1);
        assert_true(longest - 1 < 1e-4); /* m: (h v)^2/2/ERP with v = 4 m/s is 4e-5 */
        stop(&r);
    }
}

/* A rope over a drum (0.1 kg m^2, radius 0.1 m) carries 5 kg in a movable pulley and 3 kg at its end: a rope that
 * acts on three bodies, connected by nothing else. The rope accelerates the drum by 0.1 T/I and both loads by g less
 * 2 T/m, T/m. */
static void a_rope_acts_on_all_bodies_over_whose_pulleys_it_runs(void **state)
{
    (void)state;
    static const char *const choices[] = {"lcp:rotation=finite", "lcp:solver=lemke:rotation=finite",
                                          "lcp:solver=pgs:rotation=finite:sor=1:iterations=100"};
    const double g = 9.81, T = (2 * g + g) / (2 * 2 / 5.0 + 1 / 3.0 + 0.1 * 0.1 / 0.1), t = 0.2;
    for (int i = 0; i < SOLVER_COUNT; i++) {
        running r = stepped(
            model_of("{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
                     "  { \"name\": \"drum\", \"mass\": 5, \"inertia\": [0.1, 0.1, 0.1] },"
                     "  { \"name\": \"p\", \"point\": true, \"mass\": 5, \"position\": [0, -3, 0] },"
                     "  { \"name\": \"w\", \"point\": true, \"mass\": 3, \"position\": [1, -4, 0] }],"
                     "  \"joints\": [{ \"name\": \"axle\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"drum\"],"
                     "    \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] },"
                     "  { \"name\": \"a\", \"type\": \"span\", \"bodies\": [\"ground\", \"p\"], \"anchors\": [[0, 0, "
                     "0], [0, 0, 0]] },"
                     "  { \"name\": \"b\", \"type\": \"span\", \"bodies\": [\"ground\", \"w\"], \"anchors\": [[1, 0, "
                     "0], [0, 0, 0]] },"
                     "  { \"name\": \"rope\", \"type\": \"coupling\", \"rope\": true, \"terms\": [{ \"joint\": "
                     "\"a\", \"factor\": 2 },"
                     "    { \"joint\": \"b\" }, { \"joint\": \"axle\", \"factor\": -0.1 }] }] }"),
            choices[i], 0.002, 100);
        assert_near(rate_of(&r, "axle"), 0.1 * T / 0.1 * t, 1e-9);
        assert_near(rate_of(&r, "a"), (g - 2 * T / 5) * t, 1e-9);
        assert_near(rate_of(&r, "b"), (g - T / 3) * t, 1e-9);
        stop(&r);
    }
}

/* ---- Motors and friction ------------------------------------------------------------------ */

static void a_motor_speeds_up_at_its_torque_and_then_keeps_its_speed(void **state)
{
    (void)state;
    static const char motor[] =
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\", \"mass\": 2, \"inertia\": [0.1, 0.2, 0.15] }],"
        "  \"joints\": [{ \"name\": \"j\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"b\"],"
        "    \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }],"
        "  \"forces\": [{ \"name\": \"m\", \"type\": \"motor\", \"joint\": \"j\", \"velocity\": 2.1, \"max\": 3 }] }";
    for (int i = 0; i < SOLVER_COUNT; i++) {
        running r = run_lcp(model_of(motor), SOLVERS[i], 0.01);
        for (int k = 1; k <= 100; k++) {
            make_steps(&r, 1, 0.01);
            assert_near(rate_of(&r, "j"), fmin(3 / 0.15 * 0.01 * k, 2.1), ROUNDING);
        }
        stop(&r);
    }
}

#define PUSHED(newton)                                                                                               \
    CART("0", "0", ", \"friction\": 5",                                                                              \
         ", \"forces\": [{ \"type\": \"force\", \"body\": \"cart\", \"value\": [" newton ", 0, 0] }]")

static void friction_in_a_joint_holds_below_its_force_and_slips_at_it_above(void **state)
{
    (void)state;
    for (int i = 0; i < SOLVER_COUNT; i++) {
        running held = stepped(model_of(PUSHED("4.9")), SOLVERS[i], 0.01, 100);
        assert_near(coordinate_of(&held, "way"), 0, ROUNDING);
        stop(&held);
        running slips = stepped(model_of(PUSHED("7")), SOLVERS[i], 0.01, 100);
        assert_near(rate_of(&slips, "way"), (7 - 5) / 2.0, ROUNDING);
        stop(&slips);
        running stops = stepped(model_of(CART("0", "1", ", \"friction\": 5", "")), SOLVERS[i], 0.01, 20);
        assert_near(rate_of(&stops, "way"), 1 - 2.5 * 0.2, ROUNDING);
        make_steps(&stops, 60, 0.01);
        assert_near(rate_of(&stops, "way"), 0, ROUNDING);
        stop(&stops);
    }
}

/* ---- Joints that break or are attached ---------------------------------------------------- */

static trm_event_note note_of(const running *r, int index)
{
    trm_event_note note = {0};
    assert_true(trm_sim_event(r->sim, index, &note));
    return note;
}

/* With a load of 10 t N in addition to its weight of 9.81 N, the bar bears up to 15 N, until 0.519 s. */
static void a_bar_breaks_at_the_end_of_the_step_that_was_too_much(void **state)
{
    (void)state;
    static const char bar[] =
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"p\", \"point\": true, \"mass\": 1,"
        "    \"position\": [0, -1, 0] }], \"joints\": [{ \"name\": \"bar\", \"type\": \"distance\","
        "    \"bodies\": [\"ground\", \"p\"], \"anchors\": [[0, 0, 0], [0, 0, 0]], \"break\": { \"force\": 15 } }],"
        "  \"forces\": [{ \"type\": \"force\", \"body\": \"p\", \"value\": [0, \"-10*t\", 0] }] }";
    for (int i = 0; i < SOLVER_COUNT; i++) {
        running r = run_lcp(model_of(bar), SOLVERS[i], 0.01);
        trm_sim_enable_reactions(r.sim, true);
        go(&r, 1);
        assert_int_equal(trm_sim_event_count(r.sim), 1);
        assert_string_equal(note_of(&r, 0).what, "broke");
        print_message("    %s: broke at %.4f s\n", SOLVERS[i], note_of(&r, 0).time);
        assert_near(note_of(&r, 0).time, 0.53, 1e-9); /* the force of the step from 0.52 s on is 15.01 N */
        assert_true(place_of(&r, "p").y < -2);
        assert_near(trm_v3_length(trm_joint_reaction(trm_sim_state(r.sim), 0).lin), 0,
                    0); /* a broken joint bears nothing */
        stop(&r);
    }
}

static void events_happen_at_their_times_with_any_steps(void **state)
{
    (void)state;
    static const char eventful[] = CART(
        "0", "0", "",
        ", \"forces\": [{ \"name\": \"m\", \"type\": \"motor\", \"joint\": \"way\", \"velocity\": 1, \"max\": 1e9 }],"
        "  \"events\": [{ \"at\": 0.255, \"set\": { \"m.velocity\": -2 } }, { \"at\": 0.505, \"detach\": \"way\" },"
        "    { \"at\": 0.755, \"attach\": \"way\" }]");
    static const double steps[] = {0.01, 0.013, 0.004};
    for (int i = 0; i < 3 * SOLVER_COUNT; i++) {
        running r = run_lcp(model_of(eventful), SOLVERS[i % SOLVER_COUNT], steps[i / SOLVER_COUNT]);
        go(&r, 1);
        assert_int_equal(trm_sim_event_count(r.sim), 3);
        assert_near(note_of(&r, 0).time, 0.255, ROUNDING);
        assert_near(note_of(&r, 1).time, 0.505, ROUNDING);
        assert_near(note_of(&r, 2).time, 0.755, ROUNDING);
        assert_near(place_of(&r, "cart").x, 0.255 - 2 * (1 - 0.255), 1e-9);
        stop(&r);
    }
}

/* A door swings against a bolt that is attached while it moves: velocities become equal, and energy is lost. */
static void attaching_a_moving_joint_is_a_plastic_impact(void **state)
{
    (void)state;
    static const char bolt[] =
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1], \"velocity\": [2, 0, "
        "0] },"
        "    { \"name\": \"b\", \"mass\": 3, \"inertia\": [1, 1, 1], \"position\": [1.05, 0, 0] }],"
        "  \"joints\": [{ \"name\": \"weld\", \"type\": \"fixed\", \"bodies\": [\"a\", \"b\"],"
        "    \"anchors\": [[0, 0, 0], [0, 0, 0]], \"attached\": false }],"
        "  \"events\": [{ \"at\": 0.5, \"attach\": \"weld\" }] }";
    for (int i = 0; i < SOLVER_COUNT; i++) {
        running r = run_lcp(model_of(bolt), SOLVERS[i], 0.01);
        go(&r, 1);
        assert_near(velocity_of(&r, "a").x, 0.5, 1e-9);
        assert_near(velocity_of(&r, "b").x, 0.5, 1e-9);
        assert_near(gap_of(&r, "weld").position, 0, 1e-9);
        stop(&r);
    }
}

/* ---- Drives ------------------------------------------------------------------------------- */

static double farthest_from_drive(double step, const void *solver)
{
    running r = run_lcp(model_of(DRIVEN), solver, step);
    double most = 0;
    for (int k = 1; k <= 100; k++) {
        const double t = 0.01 * k;
        go_every(&r, t, t);
        most = fmax(most, fabs(coordinate_of(&r, "j1") - 0.3 * (1 - cos(3 * t))));
    }
    stop(&r);
    return most;
}

static void a_drive_follows_its_function_in_the_limit(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double order = order_between(farthest_from_drive, SOLVERS[i], 0.001);
        print_message("    %s: %.1e rad from the drive at h = 0.001, order %.2f\n", SOLVERS[i],
                      farthest_from_drive(0.001, SOLVERS[i]), order);
        assert_true(order > 0.9);
    }
}

/* ---- Work --------------------------------------------------------------------------------- */

static const struct {
    const char *name, *model;
    trm_model *(*make)(void);
} WORKING[] = {
    {"free fall on joints", UNDRIVEN, NULL},
    {"damper", DAMPED, NULL},
    {"drive", DRIVEN, NULL},
    {"moving body", MOVED, NULL},
    {"driven slider crank", NULL, driven_crank},
    {"stop", CART("2", "0", ", \"limits\": [-1, 0.3]", ""), NULL},
    {"stop that throws back", CART("2", "0", ", \"limits\": [-1, 0.3], \"limit_restitution\": 0.6", ""), NULL},
    {"friction", PUSHED("7"), NULL},
    {"motor",
     CART("2", "0", "",
          ", \"forces\": [{ \"type\": \"motor\", \"joint\": \"way\", \"velocity\": \"sin(3*t)\", \"max\": 3 }]"),
     NULL},
    {"servo",
     CART("2", "0", "",
          ", \"forces\": [{ \"type\": \"servo\", \"joint\": \"way\", \"target\": \"sin(3*t)\", \"kp\": 90, \"kd\": "
          "9, \"max\": 30 }]"),
     NULL},
    {"stiff servo",
     CART("2", "0", "",
          ", \"forces\": [{ \"type\": \"servo\", \"joint\": \"way\", \"target\": \"sin(3*t)\", \"kp\": 9000, \"kd\": "
          "9000 }]"),
     NULL},
    {"brake",
     CART("2", "0", "",
          ", \"forces\": [{ \"type\": \"servo\", \"joint\": \"way\", \"target\": 0, \"kp\": 9, \"brake\": 9 }]"),
     NULL},
};

typedef struct working_run {
    int index;
    const char *solver;
} working_run;

static double balance_error(double step, const void *context)
{
    const working_run *run = context;
    running r = run_lcp(WORKING[run->index].make ? WORKING[run->index].make() : model_of(WORKING[run->index].model),
                        run->solver, step);
    go_every(&r, 1, 0.02);
    const double error = trm_sim_accuracy(r.sim).energy_error_max;
    stop(&r);
    return error;
}

/* The error decreases with the step, unevenly where there are impacts; so four halvings are evaluated together. */
static void the_work_of_all_that_acts_is_counted(void **state)
{
    (void)state;
    for (int i = 0; i < (int)(sizeof WORKING / sizeof *WORKING); i++) {
        const working_run run = {i, SOLVERS[0]};
        const double coarse = balance_error(0.002, &run), fine = balance_error(0.000125, &run);
        print_message("    %s: balance off by %.1e J at h = 0.002, order %.2f\n", WORKING[i].name, coarse,
                      log2(coarse / fine) / 4);
        assert_true(coarse <= ROUNDING || log2(coarse / fine) / 4 > 0.85); /* the work of a constant force is exact */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_without_restitution_is_reached_and_never_passed),
        cmocka_unit_test(a_stop_throws_back_at_its_restitution),
        cmocka_unit_test(a_fall_on_a_stop_converges_with_the_step),
        cmocka_unit_test(a_rope_goes_taut_and_holds),
        cmocka_unit_test(a_rope_acts_on_all_bodies_over_whose_pulleys_it_runs),
        cmocka_unit_test(a_motor_speeds_up_at_its_torque_and_then_keeps_its_speed),
        cmocka_unit_test(friction_in_a_joint_holds_below_its_force_and_slips_at_it_above),
        cmocka_unit_test(a_bar_breaks_at_the_end_of_the_step_that_was_too_much),
        cmocka_unit_test(events_happen_at_their_times_with_any_steps),
        cmocka_unit_test(attaching_a_moving_joint_is_a_plastic_impact),
        cmocka_unit_test(a_drive_follows_its_function_in_the_limit),
        cmocka_unit_test(the_work_of_all_that_acts_is_counted),
    };
    return RUN_TESTS(tests);
}
