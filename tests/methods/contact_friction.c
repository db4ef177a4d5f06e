/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Friction whose coefficient depends on the slip speed, and slip that turns: which bodies stick, and the order of the
 * motion. */

#include "scenes.h"

static const double STEP = 0.01; /* s */

/* Tolerance of an order that three halvings of a step show. */
static const double ORDER = 0.15;

static void check_order(const char *what, error_of_step error, const void *context, double step)
{
    double last = error(step, context);
    for (int i = 1; i <= 3; i++) {
        const double now = error(ldexp(step, -i), context), order = log2(last / now);
        print_message("    %s: step %g s off by %.1e, order %.2f\n", what, ldexp(step, -i), now, order);
        assert_true(order > 2 - ORDER && order < 2 + 2 * ORDER);
        last = now;
    }
}

/* ---- Sticking ----------------------------------------------------------------------------- */

/* A block at rest on a slope of tan 0.45, length and mass by factors, mu falls from 0.6 to 0.3 within a slip of 0.01
 * m/s. */
static const char SLOPE[] =
    "{ \"trammel\": 1, \"constants\": { \"l\": %g, \"m\": %g, \"a\": 24.2277 },"
    "  \"gravity\": [\"9.81*sin(a*deg)\", 0, \"-9.81*cos(a*deg)\"], \"bodies\": ["
    "  { \"name\": \"b\", \"position\": [0, 0, \"0.1*l\"], \"shapes\": [{ \"type\": \"box\","
    "    \"size\": [\"0.4*l\", \"0.4*l\", \"0.2*l\"], \"density\": \"500*m\" }] },"
    "  { \"name\": \"f\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1], \"offset\": 0 "
    "}] }],"
    "  \"contacts\": [{ \"bodies\": [\"b\", \"f\"], \"friction\": { \"speed\": [0, 0.01], \"mu\": [0.6, 0.3] } }],"
    "  \"simulation\": { \"impact\": \"%s\" } }";

static void check_sticks(double length, double mass, double step, const char *impact)
{
    char text[2000];
    snprintf(text, sizeof text, SLOPE, length, mass, impact);
    running r = run_text(text, step, 1e-10);
    go(&r, 2);
    assert_near(place_of(&r, "b").x, 0, 1e-9);
    stop(&r);
}

static void what_the_coefficient_at_rest_holds_stays_at_rest(void **state)
{
    (void)state;
    static const char *const impacts[] = {"event", "window"};
    for (int i = 0; i < 2; i++)
        for (int k = -1; k <= 1; k++) {
            check_sticks(pow(3, k), 1, STEP, impacts[i]);
            check_sticks(1, pow(3, k), STEP, impacts[i]);
            check_sticks(1, 1, STEP * pow(3, k), impacts[i]);
        }
}

/* A coefficient that means "never slips", as in many robot files. The box is tilted with its slope, so that rounding
 * of the poses matters. With 1e6 the solver made 1.4 million steps of Newton's method in these 40 steps. */
static void a_coefficient_without_bound_holds_and_is_solved_as_fast_as_others(void **state)
{
    (void)state;
    enum { MOST_NEWTON = 20000 };
    static const char *const impacts[] = {"event", "window", "auto"};
    for (int i = 0; i < 3; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"constants\": { \"a\": 0.4 }, \"defaults\":"
                 "  { \"friction\": 1e6 }, \"bodies\": [{ \"name\": \"b\", \"position\": [\"0.1*sin(a)\", 0,"
                 "  \"0.1*cos(a)\"], \"orientation\": [\"cos(a/2)\", 0, \"sin(a/2)\", 0], \"shapes\": [{ \"type\":"
                 "  \"box\", \"size\": [0.2, 0.2, 0.2], \"density\": 1000 }] }, { \"name\": \"f\", \"fixed\": true,"
                 "  \"orientation\": [\"cos(a/2)\", 0, \"sin(a/2)\", 0], \"shapes\": [{ \"type\": \"box\", \"size\":"
                 "  [20, 2, 0.2], \"position\": [0, 0, -0.1] }] }], \"simulation\": { \"impact\": \"%s\" } }",
                 impacts[i]);
        running r = run_text(text, 0.005, 1e-10);
        const trm_vec3 start = place_of(&r, "b");
        go(&r, 0.2);
        const double moved = trm_v3_length(trm_v3_sub(place_of(&r, "b"), start));
        print_message("    %s: moved by %.1e m, %lld steps of Newton's method\n", impacts[i], moved,
                      trm_sim_counters(r.sim)->newton);
        assert_true(moved <= 1e-9);
        assert_true(trm_sim_counters(r.sim)->newton < MOST_NEWTON);
        stop(&r);
    }
}

/* ---- Coefficients that depend on slip ----------------------------------------------------- */

/* Runs a block with an initial speed; mu is linear from one slip speed to another. */
static running run_block(const char *gravity, double v, const double speed[2], const double mu[2], double step)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{ \"trammel\": 1, \"gravity\": %s, \"bodies\": ["
             "  { \"name\": \"b\", \"position\": [0, 0, 0.1], \"velocity\": [%.17g, 0, 0], \"shapes\": [{ \"type\": "
             "\"box\","
             "    \"size\": [0.4, 0.4, 0.2], \"density\": 500 }] },"
             "  { \"name\": \"f\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1],"
             "    \"offset\": 0 }] }],"
             "  \"contacts\": [{ \"bodies\": [\"b\", \"f\"],"
             "    \"friction\": { \"speed\": [%.17g, %.17g], \"mu\": [%.17g, %.17g] } }] }",
             gravity, v, speed[0], speed[1], mu[0], mu[1]);
    return run_text(text, step, 1e-12);
}

typedef struct line {
    double p, q; /* mu = p - q v; q < 0: mu grows with slip */
} line;

/* On a level plane: v' = -g (p - q v). */
static double error_of_braking(double step, const void *context)
{
    const line *mu = context;
    const double v = 0.9, t = 0.15, k = G * mu->q, rest = mu->p / mu->q;
    running r = run_block("[0, 0, -9.81]", v, (const double[]){0, 1}, (const double[]){mu->p, mu->p - mu->q}, step);
    go(&r, t);
    const double speed = rest + (v - rest) * exp(k * t), place = rest * t + (v - rest) * expm1(k * t) / k;
    const double off = fmax(fabs(velocity_of(&r, "b").x - speed), fabs(place_of(&r, "b").x - place));
    stop(&r);
    return off;
}

static void a_coefficient_that_falls_with_slip_is_of_order_two(void **state)
{
    (void)state;
    check_order("mu = 0.5 - 0.2 v", error_of_braking, &(line){0.5, 0.2}, 0.015);
}

static void a_coefficient_that_grows_with_slip_is_of_order_two(void **state)
{
    (void)state;
    check_order("mu = 0.1 + 0.4 v", error_of_braking, &(line){0.1, -0.4}, 0.015);
}

/* The coefficient is so steep that mu of the slip before the step would reverse the slip. The block reaches the speed
 * at which friction balances the slope, tan 30 = 0.1 + 100 v, and keeps it. */
static void a_steep_coefficient_holds_the_speed_of_balance(void **state)
{
    (void)state;
    static const double steps[] = {0.03, 0.01, 0.003};
    for (int i = 0; i < 3; i++) {
        running r =
            run_block("[5, 0, -8.6603]", 0.05, (const double[]){0, 0.01}, (const double[]){0.1, 1.1}, steps[i]);
        go(&r, 6); /* the midpoint rule converges slowly with a long step */
        assert_near(velocity_of(&r, "b").x, (5 / 8.6603 - 0.1) / 100, 1e-9);
        stop(&r);
    }
}

/* A block on a belt, held by a spring: it sticks until the spring pulls with mu(0) N, slips back, and sticks again.
 * The times of three slips change with the step as order 2 allows. */
static const char BELT[] =
    "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
    "  { \"name\": \"b\", \"position\": [0, 0, 0.1], \"shapes\": [{ \"type\": \"box\","
    "    \"size\": [0.4, 0.4, 0.2], \"density\": 500 }] },"
    "  { \"name\": \"f\", \"moving\": { \"position\": [\"0.1*t\", 0, 0] }, \"shapes\": [{ \"type\": \"plane\","
    "    \"normal\": [0, 0, 1], \"offset\": 0 }] }],"
    "  \"forces\": [{ \"type\": \"spring\", \"name\": \"s\", \"bodies\": [\"ground\", \"b\"],"
    "    \"anchors\": [[-1, 0, 0.05], [0, 0, -0.05]], \"stiffness\": 2000 }],"
    "  \"contacts\": [{ \"bodies\": [\"b\", \"f\"], \"friction\": { \"speed\": [0, 0.05], \"mu\": [0.5, 0.3] } }] }";

static void stick_and_slip_converge(void **state)
{
    (void)state;
    double place[3];
    for (int i = 0; i < 3; i++) {
        running r = run_text(BELT, 0.01 * pow(0.25, i), 1e-12);
        go(&r, 1.5);
        place[i] = place_of(&r, "b").x;
        stop(&r);
    }
    print_message("    steps of 10, 2.5 and 0.625 ms differ by %.1e m, then %.1e m\n", fabs(place[1] - place[0]),
                  fabs(place[2] - place[1]));
    assert_true(fabs(place[1] - place[0]) < 2e-4);
    assert_true(fabs(place[2] - place[1]) < 2e-5);
}

/* ---- Slip that turns ---------------------------------------------------------------------- */

/* A block that starts across a slope of its friction angle: v + v_x is constant, with v_x the speed down the
 * slope. */
static double error_across(double step, const void *context)
{
    const double angle = *(const double *)context, speed = 1.5;
    scene s;
    scene_init(&s, tan(angle), 0);
    lean(&s, angle);
    s.m.def->simulation.position_tolerance = s.m.def->simulation.velocity_tolerance = 1e-12;
    add_solid(&s, box_of(0.4, 0.4, 0.2), 16, trm_v3(0, 0, 0.1))->velocity = trm_v3(0, speed, 0);
    add_floor(&s);
    running r = run_scene(&s, step);
    go(&r, 0.3);
    const trm_vec3 v = velocity_of(&r, "b1");
    const double off = fabs(trm_v3_length(v) + v.x - speed);
    stop(&r);
    return off;
}

static void a_block_that_slides_across_a_slope_is_of_order_two(void **state)
{
    (void)state;
    check_order("across a slope of 20 degrees", error_across, &(double){20 * DEG}, 0.02);
}

/* Results at one time with several steps, compared with the extrapolation from a quarter of the shortest. */
typedef struct seen {
    const char *text;
    double until;
    trm_vec3 place;
} seen;

static trm_vec3 see(const seen *s, double step)
{
    running r = run_text(s->text, step, 1e-12);
    go(&r, s->until);
    const trm_vec3 place = place_of(&r, "b");
    stop(&r);
    return place;
}

static double error_seen(double step, const void *context)
{
    const seen *s = context;
    return trm_v3_length(trm_v3_sub(see(s, step), s->place));
}

static void check_order_seen(const char *what, const char *text, double until, double step)
{
    seen s = {text, until, {0, 0, 0}};
    const trm_vec3 a = see(&s, step / 32), b = see(&s, step / 64);
    s.place = trm_v3_add_scaled(b, 1. / 3, trm_v3_sub(b, a));
    check_order(what, error_seen, &s, step);
}

#define ON_FLOOR(gravity, body, law)                                                                                 \
    "{ \"trammel\": 1, \"gravity\": " gravity ", \"bodies\": [{ \"name\": \"b\", " body " },"                        \
    "  { \"name\": \"f\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1], \"offset\": "  \
    "0 }] }],"                                                                                                       \
    "  \"contacts\": [{ \"bodies\": [\"b\", \"f\"], " law " }] }"

static void a_disc_that_wobbles_is_of_order_two(void **state)
{
    (void)state;
    check_order_seen(
        "a disc",
        ON_FLOOR("[0, 0, -9.81]",
                 "\"position\": [0, 0, \"0.2*sin(60*deg)+0.01*cos(60*deg)\"], \"velocity\": [0.5, 0.2, 0],"
                 " \"orientation\": { \"axis\": [1, 0, 0], \"angle\": \"60*deg\" },"
                 " \"angular_velocity\": [0, 3, 7], \"shapes\": [{ \"type\": \"cylinder\","
                 " \"radius\": 0.2, \"length\": 0.02, \"density\": 2000 }]",
                 "\"friction\": 0.3, \"restitution\": 0"),
        0.1, 0.002);
}

static void a_ball_that_rolls_across_a_slope_against_rolling_friction_is_of_order_two(void **state)
{
    (void)state;
    check_order_seen("a ball",
                     ON_FLOOR("[0.855, 0, -9.773]",
                              "\"position\": [0, 0, 0.1], \"velocity\": [0, 1.5, 0],"
                              " \"angular_velocity\": [-15, 0, 3], \"shapes\": [{ \"type\": \"sphere\","
                              " \"radius\": 0.1, \"density\": 500 }]",
                              "\"friction\": 0.5, \"rolling\": 0.004"),
                     0.4, 0.02);
}

/* Spin about the normal and rolling decay at the same time, on a slope. */
static void a_ball_that_spins_and_rolls_against_both_frictions_is_of_order_two(void **state)
{
    (void)state;
    check_order_seen("a ball with torsional friction",
                     ON_FLOOR("[0.855, 0, -9.773]",
                              "\"position\": [0, 0, 0.1], \"velocity\": [0, 1.5, 0],"
                              " \"angular_velocity\": [-15, 0, 30], \"shapes\": [{ \"type\": \"sphere\","
                              " \"radius\": 0.1, \"density\": 500 }]",
                              "\"friction\": 0.5, \"rolling\": 0.004, \"torsional\": 0.006"),
                     0.4, 0.02);
}

/* The coefficient falls while slip turns. */
static void both_together_are_of_order_two(void **state)
{
    (void)state;
    check_order_seen("a block across a slope, mu = 0.6 - 0.4/3 v",
                     ON_FLOOR("[3.355, 0, -9.218]",
                              "\"position\": [0, 0, 0.1], \"velocity\": [0, 1.5, 0], \"shapes\": [{"
                              " \"type\": \"box\", \"size\": [0.4, 0.4, 0.2], \"density\": 500 }]",
                              "\"friction\": { \"speed\": [0, 3], \"mu\": [0.6, 0.2] }"),
                     0.25, 0.02);
}

/* ---- Distribution of loads ---------------------------------------------------------------- */

/* Friction at each corner of a block that turns has its own direction, and the distribution of the weight over four
 * corners determines its path: orders 2 and 4 use the same distribution. */
static const char TURNING[] = ON_FLOOR("[3.355, 0, -9.218]",
                                       "\"position\": [0, 0, 0.1], \"velocity\": [0, 1.5, 0],"
                                       " \"angular_velocity\": [0, 0, 1], \"shapes\": [{"
                                       " \"type\": \"box\", \"size\": [0.4, 0.3, 0.2], \"density\": 500 }]",
                                       "\"friction\": 0.5");

static double error_of_turning(double step, const void *context)
{
    const trm_spatial *V = context;
    running r = run_text(TURNING, step, 1e-12);
    go(&r, 0.25);
    const trm_spatial W = motion_of(&r, "b");
    stop(&r);
    return fmax(trm_v3_length(trm_v3_sub(W.lin, V->lin)), trm_v3_length(trm_v3_sub(W.ang, V->ang)));
}

static void a_block_that_turns_while_it_slides_is_of_order_two(void **state)
{
    (void)state;
    trm_model *model = model_of_text(TURNING);
    trm_simulation_def options = *trm_model_simulation(model);
    options.order = 4;
    options.step = 0.005;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = 1e-12;
    running r = run_model(model, &options);
    go(&r, 0.25);
    const trm_spatial V = motion_of(&r, "b");
    stop(&r);
    check_order("a block that turns, against order 4", error_of_turning, &V, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_coefficient_at_rest_holds_stays_at_rest),
        cmocka_unit_test(a_coefficient_without_bound_holds_and_is_solved_as_fast_as_others),
        cmocka_unit_test(a_coefficient_that_falls_with_slip_is_of_order_two),
        cmocka_unit_test(a_coefficient_that_grows_with_slip_is_of_order_two),
        cmocka_unit_test(a_steep_coefficient_holds_the_speed_of_balance),
        cmocka_unit_test(stick_and_slip_converge),
        cmocka_unit_test(a_block_that_slides_across_a_slope_is_of_order_two),
        cmocka_unit_test(a_disc_that_wobbles_is_of_order_two),
        cmocka_unit_test(a_ball_that_rolls_across_a_slope_against_rolling_friction_is_of_order_two),
        cmocka_unit_test(a_ball_that_spins_and_rolls_against_both_frictions_is_of_order_two),
        cmocka_unit_test(both_together_are_of_order_two),
        cmocka_unit_test(a_block_that_turns_while_it_slides_is_of_order_two),
    };
    return RUN_TESTS(tests);
}
