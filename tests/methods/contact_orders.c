/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Composed steps next to contacts have the requested order while all contacts keep their modes, and also where modes
 * change. */

#include "check.h"
#include "resuming.h"
#include "scenes.h"

static const double ABOUT = 0.15;    /* tolerance of an order observed between two long steps */
static const double EXACTLY = 1e-12; /* m, m/s: error that does not depend on the step */
static const double SPINNING_STEP =
    0.0375; /* s: short enough for the error of order 6 to rule, long enough to be seen */
static const double OF_BALANCE =
    1e-2; /* of the kinetic energy at the start: while corners come to rest steps are of order 2 */

static running run_order(trm_model *model, double order, double step)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.order = order;
    options.step = step;
    return run_model(model, &options);
}

/* A model that is run with steps of one order, and the expected final position of its body. */
typedef struct smooth {
    const char *text, *body;
    double order, until;
    trm_vec3 place;
} smooth;

static double off(double step, const void *context)
{
    const smooth *s = context;
    running r = run_order(model_of_text(s->text), s->order, step);
    go_every(&r, s->until, s->until);
    const double e = trm_v3_length(trm_v3_sub(place_of(&r, s->body), s->place));
    assert_int_equal(trm_sim_counters(r.sim)->plain, 0);
    stop(&r);
    return e;
}

/* Returns the position by steps of order 8 that are as short as useful. */
static trm_vec3 place_by_order_8(const char *text, const char *body, double until)
{
    running r = run_order(model_of_text(text), 8, 0.005);
    go_every(&r, until, until);
    const trm_vec3 place = place_of(&r, body);
    stop(&r);
    return place;
}

static void check_order(smooth *s, double order, double step)
{
    s->order = order;
    const double seen = order_between(off, s, step);
    print_message("    order %g: seen %.2f, off by %.1e m at h = %g s\n", order, seen, off(step, s), step);
    assert_near(seen, order, ABOUT);
}

/* Asserts the orders. step: that of order 6. */
static void check_orders_at(const char *text, const char *body, double until, double step)
{
    smooth s = {text, body, .until = until, .place = place_by_order_8(text, body, until)};
    check_order(&s, 4, 0.02);
    check_order(&s, 6, step);
}

static void check_orders(const char *text, const char *body, double until)
{
    check_orders_at(text, body, until, 0.05);
}

#define FLOOR                                                                                                        \
    "{ \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1], "            \
    "\"offset\": 0 }] }"

/* ---- R27 ---------------------------------------------------------------------------------- */

/* A block of 2 kg on a spring of 100 N/m, mu = 0.4: between reversals it oscillates freely about -c and c in turn, c
 * = mu m g / k. */
static const double OMEGA = 7.0710678118654752, CENTRE = 0.07848;
static const double TURNS[] = {1, -0.84304, 0.68608, -0.52912, 0.37216, -0.2152, 0.05824};
enum { TURNING_POINTS = sizeof TURNS / sizeof *TURNS };

static running spring_block(double order, double step)
{
    return run_order(model_of_file(TRM_EXAMPLES "/problems/r27-spring-block.json"), order, step);
}

static double turns_at(int k)
{
    return k * TRM_PI / OMEGA;
}

static double off_before_turning(double step, const void *order)
{
    const double t = 0.4;
    running r = spring_block(*(const double *)order, step);
    go_every(&r, t, t);
    const double e = place_of(&r, "block").x - (CENTRE + (1 - CENTRE) * cos(OMEGA * t));
    stop(&r);
    return fabs(e);
}

static void a_block_on_a_spring_slides_with_the_order_of_the_scheme(void **state)
{
    (void)state;
    static const double orders[] = {2, 4, 6}, steps[] = {0.01, 0.01, 0.02};
    for (int i = 0; i < 3; i++) {
        const double seen = order_between(off_before_turning, &orders[i], steps[i]);
        print_message("    order %g: seen %.2f, off by %.1e m at h = %g s\n", orders[i], seen,
                      off_before_turning(steps[i], &orders[i]), steps[i]);
        assert_near(seen, orders[i], ABOUT);
    }
}

/* Returns the position at a reversal, where the block does not move: the exact time of the row does not matter. */
static double turning_place(double order, double step, int k)
{
    running r = spring_block(order, step);
    go(&r, turns_at(k));
    const double x = place_of(&r, "block").x;
    assert_int_equal(trm_sim_counters(r.sim)->plain, 0);
    stop(&r);
    return x;
}

/* Returns the time of a reversal, from position and speed a little later. */
static double turning_time(double order, double step, int k)
{
    const double side = k % 2 ? -1 : 1, later = step * ceil(turns_at(k) / step + 2);
    running r = spring_block(order, step);
    go(&r, later);
    const double x = place_of(&r, "block").x - side * CENTRE, v = velocity_of(&r, "block").x / OMEGA;
    stop(&r);
    return later - atan2(-side * v, side * x) / OMEGA;
}

static void check_turning_points(double order, double step, double place, double time)
{
    double x_off = 0, t_off = 0;
    for (int k = 1; k < TURNING_POINTS; k++) x_off = fmax(x_off, fabs(turning_place(order, step, k) - TURNS[k]));
    for (int k = 1; k < TURNING_POINTS - 1; k++) /* it stays at the last one */
        t_off = fmax(t_off, fabs(turning_time(order, step, k) - turns_at(k)));
    print_message("    order %g, h = %g s: turning points off by %.1e m, %.1e s\n", order, step, x_off, t_off);
    assert_true(x_off <= place);
    assert_true(t_off <= time);
}

/* Bounds of order 4: what a prototype of this method reached. */
static void a_block_on_a_spring_turns_where_and_when_it_should(void **state)
{
    (void)state;
    check_turning_points(2, 0.01, 2e-6, 6e-4);
    check_turning_points(4, 0.01, 2.5e-10, 6e-8);
    check_turning_points(4, 0.005, 7e-12, 4e-9);
    check_turning_points(4, 0.001, EXACTLY, 1e-11);
    check_turning_points(6, 0.01, 1e-12, 2e-10);
    check_turning_points(8, 0.01, EXACTLY, EXACTLY);
}

/* ---- Other slides ------------------------------------------------------------------------- */

/* The pendulum swings in all directions: the load of the block changes, and the block turns as it slides. */
static void a_sliding_block_with_a_pendulum_on_it_moves_with_the_order_of_the_scheme(void **state)
{
    (void)state;
    static const char *const text =
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": { \"friction\": 0.3 }, \"bodies\": ["
        "  { \"name\": \"block\", \"position\": [0, 0, 0.1], \"velocity\": [3, 0.5, 0],"
        "    \"shapes\": [{ \"type\": \"box\", \"size\": [0.8, 0.6, 0.2], \"density\": 100 }] },"
        "  { \"name\": \"bob\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01], \"position\": [0.3, 0.1, 0.6],"
        "    \"velocity\": [3, 0.5, 0] }, " FLOOR "],"
        "  \"joints\": [{ \"name\": \"j\", \"type\": \"ball\", \"bodies\": [\"block\", \"bob\"], \"anchor\": [0, 0, "
        "0.9] }] }";
    check_orders(text, "block", 0.3);
    check_orders(text, "bob", 0.3);
}

/* Each corner slips in its own direction, which changes; mu grows with the speed. */
static void a_block_that_turns_and_slides_moves_with_the_order_of_the_scheme(void **state)
{
    (void)state;
#define SPINNING(friction)                                                                                           \
    "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"block\", \"position\": [0, 0, 0.05],"  \
    "  \"velocity\": [2, 0, 0], \"angular_velocity\": [0, 0, 5],"                                                    \
    "  \"shapes\": [{ \"type\": \"box\", \"size\": [0.4, 0.3, 0.1], \"density\": 500 }] }, " FLOOR "],"              \
    "  \"contacts\": [{ \"bodies\": [\"block\", \"floor\"], \"friction\": " friction " }] }"
    check_orders_at(SPINNING("0.3"), "block", 0.3, SPINNING_STEP);
    check_orders_at(SPINNING("{ \"speed\": [0, 20], \"mu\": [0.1, 1.5] }"), "block", 0.3, SPINNING_STEP);
}

/* Two boxes slide and turn on the floor and on each other, their corners coming to rest one by one. In composed
 * steps, parts of which go back in time, friction would add energy where slip turns. */
static void boxes_that_slide_on_each_other_gain_no_energy_at_any_order(void **state)
{
    (void)state;
    static const double MASS[] = {1, 3, 1.0 / 3}, STEP[] = {0.01, 0.01 / 3, 0.01}, LENGTH[] = {1, 1, 3};
    for (int k = 0; k < 9; k++) {
        const double order = 4 + 2 * (k / 3), m = MASS[k % 3], l = LENGTH[k % 3];
        scene s;
        scene_init(&s, 0.7, 0);
        add_floor(&s);
        trm_body_def *low = add_solid(&s, box_of(0.36 * l, 0.55 * l, 0.3 * l), 6 * m, trm_v3(-0.03 * l, 0, 0.15 * l));
        low->orientation = trm_quat_exp(trm_v3(0, 0, -0.3));
        low->velocity = trm_v3(-0.3, 0, 0);
        trm_body_def *top = add_solid(&s, box_of(0.56 * l, 0.34 * l, 0.3 * l), 14 * m, trm_v3(0.02 * l, 0, 0.45 * l));
        top->orientation = trm_quat_exp(trm_v3(0, 0, -0.56));
        top->velocity = trm_v3(0.24, 0.02, 0);
        running r = run_order(machine_finish(&s.m), order, STEP[k % 3]);
        go_every(&r, 0.04, STEP[k % 3]);
        const trm_accuracy a = trm_sim_accuracy(r.sim);
        const double lost = a.energy_start - a.energy_end, scale = 0.5 * 6 * m * 0.09 + 0.5 * 14 * m * 0.058;
        print_message(
            "    order %g, masses x %.2g, lengths x %g: lost %.3g J of %.3g, balance off by %.1e J, %lld plain\n",
            order, m, l, lost, scale, a.energy_error_max, trm_sim_counters(r.sim)->plain);
        assert_true(lost > 0 && lost <= scale);
        assert_true(a.works.contact <= 0);
        assert_true(a.energy_error_max <= OF_BALANCE * scale);
        stop(&r);
    }
}

/* ---- Rolling ------------------------------------------------------------------------------ */

/* g sin(slope) 5/7 */
static void a_ball_rolls_down_a_slope_exactly(void **state)
{
    (void)state;
    const double slope = 15 * DEG, a = 5 * G * sin(slope) / 7, r = 0.05;
    for (double order = 4; order <= 8; order += 2) {
        scene s;
        scene_init(&s, 0.5, 0);
        lean(&s, slope);
        add_solid(&s, sphere_of(r), 0.1, trm_v3(0, 0, r));
        add_floor(&s);
        running run = run_order(machine_finish(&s.m), order, 0.01);
        go(&run, 1);
        assert_near(place_of(&run, "b1").x, 0.5 * a, EXACTLY);
        assert_near(velocity_of(&run, "b1").x, a, EXACTLY);
        assert_near(r * motion_of(&run, "b1").ang.y, a, EXACTLY);
        stop(&run);
    }
}

/* A ball on a fixed ball is pulled aside by a spring. */
static void a_ball_rolls_over_another_with_the_order_of_the_scheme(void **state)
{
    (void)state;
    check_orders("{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": { \"friction\": 0.8 }, \"bodies\": ["
                 "  { \"name\": \"ball\", \"position\": [0.3, 0, 1.0583005244258363],"
                 "    \"shapes\": [{ \"type\": \"sphere\", \"radius\": 0.1, \"density\": 500 }] },"
                 "  { \"name\": \"hill\", \"fixed\": true, \"shapes\": [{ \"type\": \"sphere\", \"radius\": 1 }] }],"
                 "  \"forces\": [{ \"name\": \"s\", \"type\": \"spring\", \"bodies\": [\"ground\", \"ball\"],"
                 "    \"anchors\": [[0, 1, 1], [0, 0, 0]], \"stiffness\": 2, \"rest\": 0.3 }] }",
                 "ball", 0.3);
}

/* ---- Where modes change ------------------------------------------------------------------- */

/* 1 kg, mu m g = 4.905 N, pulled by 8 sin 3t N: it sticks until the pull reaches that at t_0, and then v = int (8 sin
 * 3t - 4.905). */
static void a_block_begins_to_slide_with_the_order_of_the_scheme(void **state)
{
    (void)state;
    const double F = 8, w = 3, most = 4.905, t = 1, start = asin(most / F) / w, since = t - start;
    const double x =
        F / (w * w) * (sin(w * start) - sin(w * t)) + F / w * cos(w * start) * since - 0.5 * most * since * since;
    smooth s = {
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": { \"friction\": 0.5 }, \"bodies\": ["
        "  { \"name\": \"block\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [0, 0, 0.05],"
        "    \"shapes\": [{ \"type\": \"box\", \"size\": [0.4, 0.3, 0.1] }] }, " FLOOR "], \"forces\": ["
        "  { \"name\": \"f\", \"type\": \"force\", \"body\": \"block\", \"value\": [\"8*sin(3*t)\", 0, 0] }] }",
        "block", .until = t, .place = {x, 0, 0.05}};
    check_order(&s, 4, 0.02);
}

/* The ball leaves a fixed one where the normal force vanishes: v^2 = g L cos, L = R + r, and energy gives v^2 = 2 g L
 * (cos start - cos). From then on its speed along x stays v cos. */
static double off_when_leaving(double step, const void *context)
{
    const double R = 1, r = 0.1, L = R + r, start = 0.5, cosine = 2 * cos(start) / 3;
    (void)context;
    scene s;
    scene_init(&s, 0, 0);
    add_solid(&s, sphere_of(r), 1, trm_v3(L * sin(start), 0, L * cos(start)));
    add_wall(&s, sphere_of(R), trm_v3(0, 0, 0));
    running run = run_order(machine_finish(&s.m), 4, step);
    go(&run, 0.8);
    assert_true(place_of(&run, "b1").z < 0);
    const double speed = velocity_of(&run, "b1").x;
    stop(&run);
    return fabs(speed - sqrt(G * L * cosine) * cosine);
}

static void a_ball_leaves_a_sphere_with_the_order_of_the_scheme(void **state)
{
    (void)state;
    const double seen = order_between(off_when_leaving, NULL, 0.01);
    print_message("    order 4: seen %.2f, off by %.1e m/s at h = 0.01 s\n", seen, off_when_leaving(0.01, NULL));
    assert_near(seen, 4, 0.5); /* the place in the step where it leaves matters, too */
}

/* A pendulum hits a wall: it starts level, so that v^2 = 2 g L at the lowest point, and reaches e^2 of the height
 * afterwards. */
static double off_after_striking(double step, const void *context)
{
    static const char *const text =
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": { \"friction\": 0, \"restitution\": 0.8 },"
        "  \"bodies\": [{ \"name\": \"bob\", \"mass\": 1, \"inertia\": [0.004, 0.004, 0.004], \"position\": [1, 0, "
        "0],"
        "    \"shapes\": [{ \"type\": \"sphere\", \"radius\": 0.1 }] }, { \"name\": \"wall\", \"fixed\": true,"
        "    \"shapes\": [{ \"type\": \"plane\", \"normal\": [1, 0, 0], \"offset\": -0.1 }] }],"
        "  \"joints\": [{ \"name\": \"j\", \"type\": \"ball\", \"bodies\": [\"ground\", \"bob\"], \"anchor\": [0, 0, "
        "0] }] }";
    (void)context;
    running r = run_order(model_of_text(text), 4, step);
    go_every(&r, 0.9, 0.9);
    const double m = 1, J = m + 0.004, z = place_of(&r, "bob").z, v = trm_v3_length(velocity_of(&r, "bob"));
    const double energy = 0.5 * J * v * v + m * G * (z + 1);
    assert_true(place_of(&r, "bob").x > 0.1);
    stop(&r);
    return fabs(energy - 0.64 * m * G);
}

static void a_pendulum_strikes_a_wall_with_the_order_of_the_scheme(void **state)
{
    (void)state;
    const double seen = order_between(off_after_striking, NULL, 0.02);
    print_message("    order 4: seen %.2f, off by %.1e J at h = 0.02 s\n", seen, off_after_striking(0.02, NULL));
    assert_near(seen, 4, 0.5); /* the place in the step where it hits matters, too */
}

/* ---- What else ---------------------------------------------------------------------------- */

static void a_resumed_run_is_bit_identical(void **state)
{
    (void)state;
    assert_resumes_bit_identically(spring_block(4, 0.01), spring_block(4, 0.01));
}

static void refuse(const char *impact, const char *scheme, const char *said)
{
    trm_model *model = model_of_file(TRM_EXAMPLES "/problems/r27-spring-block.json");
    trm_simulation_def options = *trm_model_simulation(model);
    options.impact = impact;
    options.scheme = scheme;
    assert_refused(model, &options, said);
}

static void options_that_higher_orders_exclude_are_named(void **state)
{
    (void)state;
    refuse("window", "composition", "body 'block' may collide, and time-stepping contacts are of order 2");
    refuse("window", "extrapolation", "body 'block' may collide, and time-stepping contacts are of order 2");
}

/* Returns where a box that slides and spins comes to rest. */
static trm_vec3 rest_of_spinning_box(double density)
{
    char text[900];
    snprintf(text, sizeof text,
             "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"floor\", \"fixed\": true, "
             "\"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1], \"friction\": 0.44436844278354515 }] }, "
             "{ \"name\": \"box\", \"position\": [1.2, 0, 0.0820735362667453], \"orientation\": [0.7637362372052108, "
             "0, 0, 0.6455284346793919], \"velocity\": [-0.8172426166234361, 0.48935235695770896, 0], "
             "\"angular_velocity\": [0, 0, 1.490341482826489], \"shapes\": [{ \"type\": \"box\", \"size\": "
             "[0.49360861315051163, 0.4417891527327995, 0.1641470725334906], \"density\": %.17g, \"friction\": "
             "0.4799609035798381 }] }] }",
             density);
    running r = run_order(model_of_text(text), 4, 0.01);
    go_every(&r, 1, 1);
    const trm_vec3 place = place_of(&r, "box");
    stop(&r);
    return place;
}

/* Directions of slip and impulses are found together. Their units make the result independent of the unit of mass. */
static void copies_of_other_masses_slide_alike(void **state)
{
    (void)state;
    const trm_vec3 place = rest_of_spinning_box(14.6);
    assert_true(trm_v3_length(trm_v3_sub(place, rest_of_spinning_box(3 * 14.6))) < 1e-10);
    assert_true(trm_v3_length(trm_v3_sub(place, rest_of_spinning_box(1e3 * 14.6))) < 1e-10);
}

/* A block with welded balls slides: v t - mu g t^2/2, although the welds have more rows than contacts may have. */
static void rows_of_joints_are_no_rows_of_contacts(void **state)
{
    (void)state;
    enum { BALLS = 40 }; /* each weld has six rows */
    const double mu = 0.3, v = 2, until = 0.25;
    scene s;
    scene_init(&s, mu, 0);
    add_solid(&s, box_of(1, 1, 0.2), 5, trm_v3(0, 0, 0.1))->velocity = trm_v3(v, 0, 0);
    for (int i = 0; i < BALLS; i++) {
        const int ball = add_ball(&s.m, 0, 0, 0.1);
        s.m.def->bodies[ball - 1].velocity = trm_v3(v, 0, 0);
        add_joint_at(&s.m, "fixed", 1, ball, 0, 0, 0.1);
    }
    add_floor(&s);
    running run = run_order(machine_finish(&s.m), 4, 0.05);
    go_every(&run, until, until);
    assert_near(place_of(&run, "b1").x, v * until - 0.5 * mu * 9.81 * until * until, 1e-9);
    assert_int_equal(trm_sim_counters(run.sim)->plain, 0);
    stop(&run);
}

static void more_contacts_than_higher_orders_are_for_are_named(void **state)
{
    (void)state;
    enum { BOXES = 20 }; /* each box has four corners */
    scene s;
    scene_init(&s, 0.5, 0);
    for (int i = 0; i < BOXES; i++) add_solid(&s, box_of(0.2, 0.2, 0.2), 1, trm_v3(i, 0, 0.1));
    add_floor(&s);
    running run = run_order(machine_finish(&s.m), 4, 0.01);
    const trm_run_def for_a_while = {.until = 0.1, .every = 0.1};
    const trm_outcome outcome = trm_sim_run(run.sim, &for_a_while);
    assert_false(outcome.ok);
    assert_non_null(strstr(outcome.why, "order 4 supports at most 66 contacts"));
    stop(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_on_a_spring_slides_with_the_order_of_the_scheme),
        cmocka_unit_test(a_block_on_a_spring_turns_where_and_when_it_should),
        cmocka_unit_test(a_sliding_block_with_a_pendulum_on_it_moves_with_the_order_of_the_scheme),
        cmocka_unit_test(a_block_that_turns_and_slides_moves_with_the_order_of_the_scheme),
        cmocka_unit_test(boxes_that_slide_on_each_other_gain_no_energy_at_any_order),
        cmocka_unit_test(a_ball_rolls_down_a_slope_exactly),
        cmocka_unit_test(a_ball_rolls_over_another_with_the_order_of_the_scheme),
        cmocka_unit_test(a_block_begins_to_slide_with_the_order_of_the_scheme),
        cmocka_unit_test(a_ball_leaves_a_sphere_with_the_order_of_the_scheme),
        cmocka_unit_test(a_pendulum_strikes_a_wall_with_the_order_of_the_scheme),
        cmocka_unit_test(a_resumed_run_is_bit_identical),
        cmocka_unit_test(options_that_higher_orders_exclude_are_named),
        cmocka_unit_test(copies_of_other_masses_slide_alike),
        cmocka_unit_test(rows_of_joints_are_no_rows_of_contacts),
        cmocka_unit_test(more_contacts_than_higher_orders_are_for_are_named),
    };
    return RUN_TESTS(tests);
}
