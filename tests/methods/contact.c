/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Single bodies and stacks on the ground: a sticking body does not creep, a sliding body stops where the closed form
 * says, and a standing stack stays, in every direction. */

#include "base/random.h"
#include "random_bodies.h"
#include "resuming.h"
#include "sanitized.h"
#include "scenes.h"

static const double STEP = 0.01;    /* s */
static const double CLOSED = 1e-10; /* m, m/s: distance from a closed form, by rounding of the steps */
static const double CREEP = 1e-12;  /* m, in ten seconds */

static const double headings[] = {0, 30 * 0.017453292519943295, 45 * 0.017453292519943295};
enum { HEADINGS = sizeof headings / sizeof *headings };

/* ---- Slopes ------------------------------------------------------------------------------- */

/* Returns a block of 0.4 x 0.4 x 0.2 m, rotated about the normal. */
static running block_on_slope(double slope, double heading, double friction, double speed)
{
    scene s;
    scene_init(&s, friction, 0);
    lean(&s, slope);
    trm_body_def *block = add_solid(&s, box_of(0.4, 0.4, 0.2), 1, trm_v3(0, 0, 0.1));
    block->orientation = trm_quat_exp(trm_v3(0, 0, heading));
    block->velocity = trm_v3(speed, 0, 0);
    add_floor(&s);
    return run_scene(&s, STEP);
}

static void assert_place(const running *r, const char *body, trm_vec3 expected, double tolerance)
{
    const trm_vec3 p = place_of(r, body);
    assert_near(p.x, expected.x, tolerance);
    assert_near(p.y, expected.y, tolerance);
    assert_near(p.z, expected.z, tolerance);
}

static double off(const running *r, const char *body, trm_vec3 expected)
{
    return trm_v3_length(trm_v3_sub(place_of(r, body), expected));
}

static void a_block_on_a_gentle_slope_does_not_creep(void **state)
{
    (void)state;
    double most = 0;
    for (int i = 0; i < HEADINGS; i++) {
        running r = block_on_slope(20 * DEG, headings[i], 0.5, 0);
        for (double t = 1; t <= 10; t++) {
            go(&r, t);
            assert_place(&r, "b1", trm_v3(0, 0, 0.1), CREEP);
            most = fmax(most, off(&r, "b1", trm_v3(0, 0, 0.1)));
        }
        stop(&r);
    }
    print_message("    creep in 10 s: %.1e m\n", most);
}

static void a_block_slides_down_a_steep_slope_as_the_closed_form_says(void **state)
{
    (void)state;
    const double a = G * (sin(35 * DEG) - 0.5 * cos(35 * DEG));
    for (int i = 0; i < HEADINGS; i++) {
        running r = block_on_slope(35 * DEG, headings[i], 0.5, 0);
        go(&r, 2);
        assert_place(&r, "b1", trm_v3(2 * a, 0, 0.1), CLOSED);
        assert_near(velocity_of(&r, "b1").x, 2 * a, CLOSED);
        print_message("    a slide of 2 s is off by %.1e m\n", off(&r, "b1", trm_v3(2 * a, 0, 0.1)));
        stop(&r);
    }
}

/* A thousandth of a degree on either side of the friction angle, where sweeps over contacts stall. */
static void a_thousandth_of_a_degree_decides(void **state)
{
    (void)state;
    const double angle = atan(0.5), off = 0.001 * DEG;
    running sticks = block_on_slope(angle - off, headings[2], 0.5, 0);
    running slides = block_on_slope(angle + off, headings[2], 0.5, 0);
    go(&sticks, 2);
    go(&slides, 2);
    assert_place(&sticks, "b1", trm_v3(0, 0, 0.1), CREEP);
    assert_place(&slides, "b1", trm_v3(2 * G * (sin(angle + off) - 0.5 * cos(angle + off)), 0, 0.1), CLOSED);
    stop(&sticks);
    stop(&slides);
}

static void a_sliding_block_stops_where_it_should_and_stays(void **state)
{
    (void)state;
    static const double slopes[] = {0, -10 * 0.017453292519943295,
                                    20 * 0.017453292519943295}; /* flat, upwards, down */
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < HEADINGS; i++) {
            const double slowing = G * (0.5 * cos(slopes[k]) - sin(slopes[k])), v = 1;
            running r = block_on_slope(slopes[k], headings[i], 0.5, v);
            go(&r, v / slowing);
            assert_place(&r, "b1", trm_v3(v * v / (2 * slowing), 0, 0.1), CLOSED);
            const trm_vec3 there = place_of(&r, "b1");
            print_message("    a stop is off by %.1e m\n", off(&r, "b1", trm_v3(v * v / (2 * slowing), 0, 0.1)));
            go(&r, 10);
            assert_place(&r, "b1", there, CREEP);
            stop(&r);
        }
}

/* The work of friction is the lost energy. Velocities are solved for; impulses follow from them to about 1e-8 of
 * their size. */
static void what_friction_takes_is_counted(void **state)
{
    (void)state;
    static const double WORK = 1e-7; /* J, of 2 J */
    running r = block_on_slope(0, headings[1], 0.5, 2);
    go_every(&r, 1, STEP);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    assert_near(a.work, -2, WORK);
    assert_true(a.energy_error_max <= WORK);
    stop(&r);
}

/* R16: a box of 0.2 x 0.5 m tips if the slope is steeper than 0.2 / 0.5. */
static void a_tall_box_tips_beyond_its_angle_only(void **state)
{
    (void)state;
    static const double slopes[] = {20, 23};
    for (int i = 0; i < 2; i++) {
        scene s;
        scene_init(&s, 1, 0);
        lean(&s, slopes[i] * DEG);
        add_solid(&s, box_of(0.2, 0.3, 0.5), 1, trm_v3(0, 0, 0.25));
        add_floor(&s);
        running r = run_scene(&s, STEP);
        go(&r, 0.5);
        if (i == 0) assert_place(&r, "b1", trm_v3(0, 0, 0.25), CREEP);
        if (i == 1) assert_true(motion_of(&r, "b1").ang.y > 0.1);
        stop(&r);
    }
}

/* Beyond that angle it turns about its lower edge: energy is conserved until it lies. */
static void a_tipping_box_turns_about_its_edge(void **state)
{
    (void)state;
    scene s;
    scene_init(&s, 1, 0);
    lean(&s, 23 * DEG);
    add_solid(&s, box_of(0.2, 0.3, 0.5), 1, trm_v3(0, 0, 0.25));
    add_floor(&s);
    running r = run_scene(&s, 0.001);
    go_every(&r, 0.4, 0.001);
    const trm_vec3 edge = trm_point_position(trm_sim_state(r.sim), 1, trm_v3(0.1, 0, -0.25));
    assert_near(edge.x, 0.1, 1e-9); /* rounds of the look-ahead end within 1e-13 m, 400 steps */
    assert_near(edge.z, 0, 1e-9);
    assert_true(trm_sim_accuracy(r.sim).energy_error_max <=
                1e-6); /* of order two: four times less at half the step */
    stop(&r);
}

/* ---- Stacks ------------------------------------------------------------------------------- */

/* Stacks of cubes of 0.2 m and 8 kg. */
static running stack_in_mode(int count, double step, const char *impact)
{
    scene s;
    scene_init(&s, 0.5, 0);
    for (int i = 0; i < count; i++) add_solid(&s, box_of(0.2, 0.2, 0.2), 8, trm_v3(0, 0, 0.2 * i + 0.1));
    add_floor(&s);
    s.m.def->simulation.impact = impact;
    s.m.def->simulation.sleep = "off";
    return run_scene(&s, step);
}

static running stack_of(int count, double step)
{
    return stack_in_mode(count, step, "event");
}

static double moved_at_top(const running *r, int count)
{
    char name[16];
    snprintf(name, sizeof name, "b%d", count);
    return trm_v3_length(trm_v3_sub(place_of(r, name), trm_v3(0, 0, 0.2 * count - 0.1)));
}

static void a_stack_of_twenty_stands_for_ten_seconds(void **state)
{
    (void)state;
    running r = stack_of(20, 1.0 / 240);
    go_every(&r, 10, 1);
    print_message("    the top of 20 moved by %.1e m\n", moved_at_top(&r, 20));
    assert_true(moved_at_top(&r, 20) <= 1e-8);
    stop(&r);
}

/* The matrix of a stack of any height has no fill, and Newton's method solves it. With sweeps it would fall. */
static void a_stack_of_a_hundred_stands_in_both_modes(void **state)
{
    (void)state;
    static const char *const modes[] = {"event", "window"};
    for (int i = 0; i < 2; i++) {
        running r = stack_in_mode(100, 1.0 / 240, modes[i]);
        go_every(&r, SANITIZED ? 0.1 : 1, 0.1);
        print_message("    the top of 100 moved by %.1e m (%s)\n", moved_at_top(&r, 100), modes[i]);
        assert_true(moved_at_top(&r, 100) <= 1e-9);
        stop(&r);
    }
}

/* Bricks in a running bond, each on two others and next to two: an island of 80 bodies with more than a hundred
 * loops. The speeds that sweeps would leave cause impacts of all contacts, which take minutes. */
static void a_wall_of_eighty_bricks_stands(void **state)
{
    (void)state;
    enum { ROWS = 8, LONG = 10 };
    scene s;
    scene_init(&s, 0.5, 0);
    for (int i = 0; i < ROWS * LONG; i++)
        add_solid(&s, box_of(0.25, 0.12, 0.1), 8,
                  trm_v3(0.25 * (i % LONG) + (i / LONG % 2 ? 0.125 : 0), 0, 0.1 * (i / LONG) + 0.05));
    add_floor(&s);
    running r = run_scene(&s, 1.0 / 240);
    go_every(&r, SANITIZED ? 0.01 : 0.1, 0.01);
    const trm_vec3 top = {0.25 * (LONG - 1) + 0.125, 0, 0.1 * ROWS - 0.05};
    const double moved = trm_v3_length(trm_v3_sub(place_of(&r, "b80"), top));
    print_message("    the top of 80 bricks moved by %.1e m\n", moved);
    assert_true(moved <= 1e-9);
    stop(&r);
}

/* A gram under a ton. */
/* A dense block: neighbours are in contact along edges and in corners, too, where rounding must not choose the
 * normal. Its side faces carry no load, so that their slip is the error of the solver. Once solved, the block stays
 * solved. */
static void a_block_of_sixty_four_boxes_rests(void **state)
{
    (void)state;
    enum { SIDE = 4, STEPS = 8, MOST_ITERATIONS = 400 }; /* 3000 if normals or slips come from rounding */
    scene s;
    scene_init(&s, 0.5, 0);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++)
        add_solid(&s, box_of(0.2, 0.2, 0.2), 4,
                  trm_v3(0.2 * (i % SIDE), 0.2 * (i / SIDE % SIDE), 0.2 * (i / SIDE / SIDE) + 0.1));
    add_floor(&s);
    running r = run_scene(&s, 0.005);
    go_every(&r, 0.005 * STEPS, 0.005);
    const trm_vec3 top = {0.2 * (SIDE - 1), 0.2 * (SIDE - 1), 0.2 * SIDE - 0.1};
    const double moved = trm_v3_length(trm_v3_sub(place_of(&r, "b64"), top));
    const long long iterations = trm_sim_counters(r.sim)->newton;
    print_message("    the top of 64 boxes moved by %.1e m; %lld iterations\n", moved, iterations);
    assert_true(moved <= 1e-10);
    assert_true(iterations <= MOST_ITERATIONS);
    stop(&r);
}

/* A ball hits a wall. Each of its events takes as long as hundreds elsewhere, and they follow each other endlessly:
 * time-stepping replaces them, and the report counts it. */
static void a_wall_that_collapses_takes_a_bounded_effort(void **state)
{
    (void)state;
    enum { ROWS = SANITIZED ? 2 : 5, LONG = SANITIZED ? 3 : 4, MOST_ITERATIONS = 120000 };
    scene s;
    scene_init(&s, 0.5, 0);
    for (int i = 0; i < ROWS * LONG; i++)
        add_solid(&s, box_of(0.2, 0.4, 0.2), 16,
                  trm_v3(0.1, 0.4 * (i % LONG) + (i / LONG % 2 ? 0.2 : 0), 0.2 * (i / LONG) + 0.1));
    trm_body_def *ball = add_solid(&s, sphere_of(0.3), 200, trm_v3(-0.31, 0.7, SANITIZED ? 0.3 : 0.5));
    ball->velocity = trm_v3(6, 0, 0);
    add_floor(&s);
    running r = run_scene(&s, 0.005);
    go_every(&r, SANITIZED ? 0.005 : 0.05, SANITIZED ? 0.005 : 0.01);
    const trm_counters counters = *trm_sim_counters(r.sim);
    print_message("    %lld iterations, %lld dissipative steps\n", counters.newton, counters.dissipative);
    assert_true(counters.newton <= MOST_ITERATIONS);
    assert_true(counters.dissipative > 0);
    stop(&r);
}

static void a_light_box_bears_a_heavy_one(void **state)
{
    (void)state;
    scene s;
    scene_init(&s, 0.5, 0);
    add_solid(&s, box_of(0.2, 0.2, 0.2), 1e-3, trm_v3(0, 0, 0.1));
    add_solid(&s, box_of(0.2, 0.2, 0.2), 1e3, trm_v3(0, 0, 0.3));
    add_floor(&s);
    running r = run_scene(&s, 1.0 / 240);
    go_every(&r, 10, 1);
    const double sunk = fmax(fabs(place_of(&r, "b1").z - 0.1), fabs(place_of(&r, "b2").z - 0.3));
    print_message("    a gram under a ton sinks by %.1e m\n", sunk);
    assert_true(sunk <= 1e-9);
    stop(&r);
}

/* ---- Seen from elsewhere, broken off, felt --------------------------------------------------- */

/* A tall box that slides, tips over and falls on its side; gravity is not along an axis. */
static running tumbling_box(trm_quat seen)
{
    scene s;
    scene_init(&s, 0.6, 0.3);
    trm_body_def *box = add_solid(&s, box_of(0.2, 0.3, 0.5), 2, trm_v3(0, 0, 0.6));
    box->orientation = trm_quat_exp(trm_v3(0.4, 0.3, 0.2));
    box->velocity = trm_v3(1, 0.5, 0);
    add_floor(&s);
    turn_scene(&s, seen);
    return run_scene(&s, STEP);
}

static void a_scene_that_is_turned_goes_the_same_way(void **state)
{
    (void)state;
    static const double SAME = 1e-12; /* m, after three impacts */
    trm_random random = trm_random_seed(81);
    running r = tumbling_box(trm_quat_exp(trm_v3(0, 0, 0)));
    go(&r, 0.5);
    for (int i = 0; i < 5; i++) {
        const trm_quat seen = random_rotation(&random);
        running turned = tumbling_box(seen);
        go(&turned, 0.5);
        const trm_vec3 p = trm_rotate(seen, place_of(&r, "b1"));
        assert_place(&turned, "b1", p, SAME);
        assert_int_equal(trm_sim_counters(r.sim)->impacts, trm_sim_counters(turned.sim)->impacts);
        stop(&turned);
    }
    assert_true(trm_sim_counters(r.sim)->impacts >= 3);
    stop(&r);
}

/* A wall, a tumbling body and a ball that bounces, with time-stepping impacts. */
static running crowd_in_window(int boxes, bool simultaneous)
{
    scene s;
    scene_init(&s, 0.6, 0.3);
    add_floor(&s);
    for (int i = 0; i < boxes; i++)
        add_solid(&s, box_of(0.2, 0.2, 0.2), 8, trm_v3(0.2 * (i / 3) + 0.1 * (i % 3 == 1), 0, 0.2 * (i % 3) + 0.1));
    trm_body_def *box = add_solid(&s, box_of(0.2, 0.3, 0.5), 2, trm_v3(1, 0.5, 1));
    box->orientation = trm_quat_exp(trm_v3(0.4, 0.3, 0.2));
    box->velocity = trm_v3(-1, -0.5, 0);
    add_solid(&s, sphere_of(0.1), 1, trm_v3(-1, 0, 0.5))->velocity = trm_v3(1, 0, 0);
    s.m.def->simulation.impact = "window";
    s.m.def->simulation.simultaneous = simultaneous;
    return run_scene(&s, STEP);
}

/* A few bodies, whose islands Newton's method solves, and a pile that is swept. */
static void a_run_with_impacts_in_windows_resumes_bit_identically(void **state)
{
    (void)state;
    assert_resumes_bit_identically(crowd_in_window(4, false), crowd_in_window(4, false));
    assert_resumes_bit_identically(crowd_in_window(70, false), crowd_in_window(70, false));
}

static void a_run_resumes_with_the_same_kind_of_impacts_only(void **state)
{
    (void)state;
    running window = crowd_in_window(1, false), at_once = crowd_in_window(1, true);
    trm_simulation_def options = *trm_model_simulation(window.model);
    options.impact = "event";
    running events = crowd_in_window(1, false);
    trm_sim_destroy(events.sim);
    events = run_model(events.model, &options);
    trm_text *text = trm_text_create(NULL);
    go(&window, 0.1);
    assert_int_equal(trm_sim_save(window.sim, 1, trm_text_sink(text)), TRM_OK);
    assert_int_equal(load_saved(&window, text), TRM_OK);
    assert_int_equal(load_saved(&at_once, text), TRM_BAD_INPUT);
    assert_int_equal(load_saved(&events, text), TRM_BAD_INPUT);
    trm_text_destroy(text);
    stop(&window);
    stop(&at_once);
    stop(&events);
}

static void a_run_with_contacts_resumes_bit_identically(void **state)
{
    (void)state;
    const trm_quat as_it_is = trm_quat_exp(trm_v3(0, 0, 0));
    assert_resumes_bit_identically(block_on_slope(0, headings[1], 0.5, 2), block_on_slope(0, headings[1], 0.5, 2));
    assert_resumes_bit_identically(stack_of(5, 0.01), stack_of(5, 0.01));
    assert_resumes_bit_identically(tumbling_box(as_it_is), tumbling_box(as_it_is));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_on_a_gentle_slope_does_not_creep),
        cmocka_unit_test(a_block_slides_down_a_steep_slope_as_the_closed_form_says),
        cmocka_unit_test(a_thousandth_of_a_degree_decides),
        cmocka_unit_test(a_sliding_block_stops_where_it_should_and_stays),
        cmocka_unit_test(what_friction_takes_is_counted),
        cmocka_unit_test(a_tall_box_tips_beyond_its_angle_only),
        cmocka_unit_test(a_tipping_box_turns_about_its_edge),
        cmocka_unit_test(a_stack_of_twenty_stands_for_ten_seconds),
        cmocka_unit_test(a_stack_of_a_hundred_stands_in_both_modes),
        cmocka_unit_test(a_wall_of_eighty_bricks_stands),
        cmocka_unit_test(a_block_of_sixty_four_boxes_rests),
        cmocka_unit_test(a_wall_that_collapses_takes_a_bounded_effort),
        cmocka_unit_test(a_light_box_bears_a_heavy_one),
        cmocka_unit_test(a_scene_that_is_turned_goes_the_same_way),
        cmocka_unit_test(a_run_with_contacts_resumes_bit_identically),
        cmocka_unit_test(a_run_with_impacts_in_windows_resumes_bit_identically),
        cmocka_unit_test(a_run_resumes_with_the_same_kind_of_impacts_only),
    };
    return RUN_TESTS(tests);
}
