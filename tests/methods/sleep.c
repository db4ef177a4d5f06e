/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Bodies at rest fall asleep, moving bodies do not, and a body that is touched wakes before it could have moved. */

#include "resuming.h"
#include "scenes.h"

static const double STEP = 0.01;     /* s */
static const double LYING = 0.6;     /* s: after this time bodies that were at rest since the start sleep */
static const double BOX = 0.2;       /* m */
static const double ROUNDED = 1e-12; /* m, m/s: errors against closed forms after some hundred steps */

static const char *const modes[] = {"event", "window"};
/* N, of about 40 N: the effect, in a step of 0.01 s, of errors of the look-ahead, 1e-12 m and, in windows, 1e-7 m. */
static const double FORCE[] = {1e-6, 0.05};
enum { MODES = sizeof modes / sizeof *modes, MOST_BODIES = 256 };

static running run_asleep(scene *s, const char *impact, const char *sleep, double step)
{
    s->m.def->simulation.impact = impact;
    s->m.def->simulation.sleep = sleep;
    return run_scene(s, step);
}

static int asleep(const running *r)
{
    return trm_bodies_asleep(trm_sim_state(r->sim));
}

static int contacts_of(const running *r)
{
    return (int)trm_sim_counters(r->sim)->contacts;
}

/* Makes single steps without rows, because rows project velocities. */
static void steps(const running *r, int count, double step)
{
    for (int i = 0; i < count; i++) assert_good(trm_sim_step(r->sim, step));
}

typedef struct snapshot {
    trm_pose poses[MOST_BODIES];
    int count;
} snapshot;

static snapshot look_at(const running *r)
{
    snapshot now = {.count = trm_body_count(r->model)};
    assert_true(now.count <= MOST_BODIES);
    for (int i = 0; i < now.count; i++) now.poses[i] = trm_body_pose(trm_sim_state(r->sim), i);
    return now;
}

static void assert_same_poses(const snapshot *a, const snapshot *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->poses, b->poses, (size_t)a->count * sizeof *a->poses);
}

/* Returns the largest distance between a body's positions in both runs, m. */
static double farthest(const running *a, const running *b)
{
    const snapshot p = look_at(a), q = look_at(b);
    double most = 0;
    for (int i = 0; i < p.count; i++) most = fmax(most, trm_v3_length(trm_v3_sub(p.poses[i].p, q.poses[i].p)));
    return most;
}

/* ---- Scenes ------------------------------------------------------------------------------- */

/* Adds the floor b1, and boxes of 1 kg on top of each other. */
static void pile_up(scene *s, int boxes)
{
    scene_init(s, 0.5, 0);
    add_floor(s);
    for (int i = 0; i < boxes; i++) add_solid(s, box_of(BOX, BOX, BOX), 1, trm_v3(0, 0, (i + 0.5) * BOX));
}

static running stack_of(int boxes, const char *impact, const char *sleep)
{
    scene s;
    pile_up(&s, boxes);
    return run_asleep(&s, impact, sleep, STEP);
}

/* The same with a ball of 0.2 kg that falls on them from a given position relative to their middle. */
static running stack_and_ball(int boxes, trm_vec3 from, const char *impact, const char *sleep)
{
    scene s;
    pile_up(&s, boxes);
    add_solid(&s, sphere_of(0.05), 0.2, trm_v3_add(trm_v3(0, 0, boxes * BOX + 0.05), from));
    return run_asleep(&s, impact, sleep, STEP);
}

static const trm_vec3 ABOVE = {0.02, 0.01, 4.5}; /* m: it falls for 0.958 s */

/* ---- Falling asleep ----------------------------------------------------------------------- */

/* Returns the reported force of the floor on the stack, and the number of contacts. */
static double weighed(const running *r, int *contacts)
{
    trm_contact_row rows[100];
    double force = 0;
    const int floor = trm_find_body(r->model, "b1");
    *contacts = trm_sim_contacts(r->sim, rows, 100);
    for (int i = 0; i < *contacts; i++)
        if (rows[i].body[0] == floor || rows[i].body[1] == floor)
            force += (rows[i].body[0] == floor ? 1 : -1) * rows[i].force.z;
    return force;
}

static void a_stack_falls_asleep_and_stays_to_the_last_bit(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        int told, told_asleep;
        running r = stack_of(5, modes[m], "on");
        go(&r, 0.4);
        assert_int_equal(asleep(&r), 0);
        assert_near(weighed(&r, &told), 5 * G, FORCE[m]);
        go(&r, LYING);
        assert_int_equal(asleep(&r), 5);
        const snapshot before = look_at(&r);
        const int solved = contacts_of(&r);
        go(&r, 5);
        const snapshot behind = look_at(&r);
        assert_same_poses(&before, &behind);
        assert_int_equal(contacts_of(&r), solved);
        assert_near(weighed(&r, &told_asleep), 5 * G, FORCE[m]);
        assert_int_equal(told_asleep, told);
        assert_near(trm_v3_length(velocity_of(&r, "b4")), 0, 0);
        stop(&r);
    }
}

static void only_windows_sleep_by_default(void **state)
{
    (void)state;
    static const struct {
        const char *impact, *sleep;
        double order;
        int asleep;
    } cases[] = {{"event", "auto", 2, 0},
                 {"window", "auto", 2, 2},
                 {"event", "on", 2, 2},
                 {"window", "off", 2, 0},
                 {"event", "on", 4, 0}};
    assert_string_equal(trm_default_simulation_def().sleep, "auto");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene s;
        pile_up(&s, 2);
        s.m.def->simulation.order = cases[i].order;
        running r = run_asleep(&s, cases[i].impact, cases[i].sleep, STEP);
        go(&r, 1);
        assert_int_equal(asleep(&r), cases[i].asleep);
        stop(&r);
    }
}

static running block_on_slope(double slope, double friction, double speed, const char *impact)
{
    scene s;
    scene_init(&s, friction, 0);
    lean(&s, slope);
    add_solid(&s, box_of(0.4, 0.4, 0.2), 1, trm_v3(0, 0, 0.1))->velocity = trm_v3(speed, 0, 0);
    add_floor(&s);
    return run_asleep(&s, impact, "on", STEP);
}

static void a_block_that_friction_holds_on_a_slope_sleeps(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        running r = block_on_slope(20 * DEG, 0.5, 0, modes[m]);
        go(&r, LYING);
        assert_int_equal(asleep(&r), 1);
        stop(&r);
    }
}

/* ---- Bodies that stay awake --------------------------------------------------------------- */

static void a_body_that_slides_at_a_millimetre_per_second_does_not_fall_asleep(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        running r = block_on_slope(0, 0, 1e-3, modes[m]);
        for (double t = 1; t <= 5; t++) {
            go(&r, t);
            assert_int_equal(asleep(&r), 0);
        }
        assert_near(place_of(&r, "b1").x, 5e-3, ROUNDED);
        stop(&r);
    }
}

/* A ball rolls up a slope of 1/1000, stops for a moment at 1.43 s, and returns. */
static running ball_on_slope(const char *impact, const char *sleep)
{
    scene s;
    scene_init(&s, 0.5, 0);
    lean(&s, 1e-3);
    trm_body_def *ball = add_solid(&s, sphere_of(0.1), 1, trm_v3(0, 0, 0.1));
    ball->velocity = trm_v3(-0.01, 0, 0);
    ball->angular_velocity = trm_v3(0, -0.1, 0);
    add_floor(&s);
    return run_asleep(&s, impact, sleep, STEP);
}

static void a_body_that_stops_for_a_moment_does_not_fall_asleep(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        running r = ball_on_slope(modes[m], "on"), other = ball_on_slope(modes[m], "off");
        for (double t = 0.5; t <= 3; t += 0.1) {
            go(&r, t);
            go(&other, t);
            assert_int_equal(asleep(&r), 0);
        }
        assert_true(velocity_of(&r, "b1").x > 0.01);
        const snapshot mine = look_at(&r), its = look_at(&other);
        assert_same_poses(&mine, &its);
        stop(&r);
        stop(&other);
    }
}

/* One body hangs from a hinge and touches nothing, one is pushed too gently to slide. */
static void what_a_force_acts_on_or_what_touches_nothing_does_not_fall_asleep(void **state)
{
    (void)state;
    scene s;
    pile_up(&s, 1);
    add_solid(&s, box_of(BOX, BOX, BOX), 1, trm_v3(1, 0, 0.1));
    add_solid(&s, box_of(BOX, BOX, BOX), 1, trm_v3(2, 0, 1));
    add_hinge(&s.m, 0, 4, 2, 0, 1.5)->axis = trm_v3(0, 1, 0);
    trm_force_def push = trm_default_force_def();
    push.type = "force";
    push.body = "b3";
    push.value[0] = trm_expression_function("sin(t)");
    assert_int_equal(trm_add_force(s.m.def, &push), TRM_OK);
    running r = run_asleep(&s, "event", "on", STEP);
    go(&r, 2);
    assert_int_equal(asleep(&r), 1); /* the one that lies without forces */
    stop(&r);
}

/* ---- Waking ------------------------------------------------------------------------------- */

static void a_body_that_is_struck_wakes_in_the_same_step(void **state)
{
    (void)state;
    const double met = sqrt(2 * ABOVE.z / G);
    for (int m = 0; m < MODES; m++) {
        running r = stack_and_ball(3, ABOVE, modes[m], "on");
        const int before = (int)floor(met / STEP);
        go(&r, LYING);
        const snapshot lying = look_at(&r);
        while (trm_state_time(trm_sim_state(r.sim)) < (before - 0.5) * STEP) {
            steps(&r, 1, STEP);
            assert_int_equal(asleep(&r), 3);
        }
        const snapshot now = look_at(&r);
        assert_memory_equal(lying.poses, now.poses, 5 * sizeof *now.poses); /* ground, floor and boxes */
        steps(&r, 1, STEP);
        assert_int_equal(asleep(&r), 0);
        stop(&r);
    }
}

/* An impact makes the boxes rock. Runs differ by how far the boxes had crept, 1e-13 m, and by the initial guess of
 * contact forces: the difference must not exceed much the largest one of runs without sleep whose balls start 1e-12 m
 * apart. In some directions the boxes rock alike: one alone does not show how sensitive they are. */
static void a_stack_that_is_struck_moves_as_if_it_had_not_slept(void **state)
{
    (void)state;
    static const double MUCH_MORE = 10;
    static const trm_vec3 beside[] = {{1e-12, 0, 0}, {-1e-12, 0, 0}, {0, 1e-12, 0}, {0, -1e-12, 0}};
    enum { BALLS = sizeof beside / sizeof *beside };
    for (int m = 0; m < MODES; m++) {
        running slept = stack_and_ball(3, ABOVE, modes[m], "on"), woke = stack_and_ball(3, ABOVE, modes[m], "off");
        running moved[BALLS];
        double by_sleep = 0, by_ball = 0;
        for (int k = 0; k < BALLS; k++) moved[k] = stack_and_ball(3, trm_v3_add(ABOVE, beside[k]), modes[m], "off");
        for (double t = 0.9; t < 1.3; t += 0.02) {
            go(&slept, t);
            go(&woke, t);
            by_sleep = fmax(by_sleep, farthest(&slept, &woke));
            for (int k = 0; k < BALLS; k++) {
                go(&moved[k], t);
                by_ball = fmax(by_ball, farthest(&moved[k], &woke));
            }
        }
        print_message("    %s: %.1e m apart, %.1e m by 1e-12 m\n", modes[m], by_sleep, by_ball);
        assert_true(by_sleep < MUCH_MORE * by_ball);
        stop(&slept);
        stop(&woke);
        for (int k = 0; k < BALLS; k++) stop(&moved[k]);
    }
}

/* The lowest box slides away below the others and takes them along. The effect of sleep must not exceed that of a
 * relative change of its speed by 1e-12: after 0.1 s the others tip over an edge, and with time-stepping the force at
 * each corner of a face jumps when a corner begins to lift. */
static void what_the_caller_moves_wakes_with_all_that_stands_on_it(void **state)
{
    (void)state;
    static const double MUCH_MORE = 10;
    static const double SAME = 1e-11; /* m: only the distance by which they had crept */
    static const char *const sleep[] = {"on", "off", "off"};
    static const double speed[] = {3, 3, 3 * (1 + 1e-12)}; /* m/s */
    for (int m = 0; m < MODES; m++) {
        running r[3];
        double by_sleep = 0, by_speed = 0;
        for (int i = 0; i < 3; i++) {
            r[i] = stack_of(3, modes[m], sleep[i]);
            go(&r[i], LYING);
            trm_set_body_velocity(trm_sim_state(r[i].sim), trm_find_body(r[i].model, "b2"),
                                  trm_sp(trm_v3(0, 0, 0), trm_v3(speed[i], 0, 0)));
            assert_int_equal(asleep(&r[i]), 0);
        }
        for (double t = LYING + 0.01; t < LYING + 0.085; t += 0.01) {
            for (int i = 0; i < 3; i++) go(&r[i], t);
            by_sleep = fmax(by_sleep, farthest(&r[0], &r[1]));
            by_speed = fmax(by_speed, farthest(&r[2], &r[1]));
        }
        assert_true(place_of(&r[0], "b2").x > 0.15 && place_of(&r[0], "b3").x > 0.01);
        print_message("    %s: %.1e m apart, %.1e m by 1e-12 of the speed\n", modes[m], by_sleep, by_speed);
        assert_true(by_sleep < fmax(SAME, MUCH_MORE * by_speed));
        for (int i = 0; i < 3; i++) stop(&r[i]);
    }
}

/* b1: a plate held by a joint, 1 m above the ground; b2, b3 lie on it. */
static running plate_with_boxes(const char *impact)
{
    scene s;
    scene_init(&s, 0.5, 0);
    add_solid(&s, box_of(1, 1, 0.1), 2, trm_v3(0, 0, -0.05));
    for (int i = 0; i < 2; i++) add_solid(&s, box_of(BOX, BOX, BOX), 1, trm_v3(0, 0, (i + 0.5) * BOX));
    add_joint_at(&s.m, "fixed", 0, 1, 0, 0, -0.05);
    return run_asleep(&s, impact, "on", STEP);
}

static void what_holds_a_sleeping_pile_tells_its_weight_and_wakes_it_when_it_lets_go(void **state)
{
    (void)state;
    static const double FALL[] = {1e-10,
                                  2e-4}; /* m, of 0.2 m: in windows, contacts are solved to a thousandth of speeds */
    for (int m = 0; m < MODES; m++) {
        running r = plate_with_boxes(modes[m]);
        trm_sim_enable_reactions(r.sim, true);
        go(&r, LYING);
        assert_int_equal(asleep(&r), 3);
        assert_near(trm_joint_reaction(trm_sim_state(r.sim), 0).lin.z, 4 * G, FORCE[m]);
        trm_sim_detach(r.sim, 0);
        assert_int_equal(asleep(&r), 0);
        const double top = place_of(&r, "b3").z;
        go(&r, LYING + 0.2);
        assert_near(top - place_of(&r, "b3").z, 0.5 * G * 0.2 * 0.2, FALL[m]);
        stop(&r);
    }
}

/* A wall with prescribed motion arrives at 1 s. */
static void a_body_pushed_by_a_moving_body_wakes(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        scene s;
        pile_up(&s, 2);
        trm_body_def wall = trm_default_body_def();
        wall.kind = TRM_BODY_MOVING;
        wall.moving.position[0] = trm_expression_function("-0.4 + 0.2*t");
        wall.moving.position[2] = trm_constant_function(0.1);
        add_shaped(&s, wall, box_of(0.1, 0.3, 0.1));
        running r = run_asleep(&s, modes[m], "on", STEP);
        go(&r, 1);
        assert_int_equal(asleep(&r), 2);
        go(&r, 3);
        assert_int_equal(asleep(&r), 0);
        assert_near(place_of(&r, "b2").x, -0.4 + 0.2 * 3 + 0.05 + 0.1, 1e-3);
        assert_true(place_of(&r, "b3").x > 0.2); /* carried along by the box below */
        stop(&r);
    }
}

/* ---- Resuming ----------------------------------------------------------------------------- */

static void a_run_that_is_saved_asleep_resumes_bit_identically(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        running whole = stack_and_ball(3, ABOVE, modes[m], "on"), rest = stack_and_ball(3, ABOVE, modes[m], "on");
        trm_text *text = trm_text_create(NULL);
        go_every(&whole, 0.75, 0.125);
        assert_int_equal(asleep(&whole), 3);
        assert_int_equal(trm_sim_save(whole.sim, 1, trm_text_sink(text)), TRM_OK);
        assert_int_equal(load_saved(&rest, text), TRM_OK);
        assert_int_equal(asleep(&rest), 3);
        go_every(&whole, 1.5, 0.125);
        go_every(&rest, 1.5, 0.125);
        assert_true(trm_state_hash(trm_sim_state(whole.sim)) == trm_state_hash(trm_sim_state(rest.sim)));
        trm_text_destroy(text);
        stop(&whole);
        stop(&rest);
    }
}

/* The remaining kinetic energy of bodies that fall asleep is counted, as is the energy of a body that wakes in a
 * window during its fall. */
static void energy_is_kept_to_account_through_sleep(void **state)
{
    (void)state;
    static const double BALANCE[] = {1e-7, 1e-7}; /* J, of 50 J */
    for (int m = 0; m < MODES; m++) {
        scene s;
        pile_up(&s, 3);
        add_solid(&s, box_of(0.1, 0.1, 0.1), 0.2, trm_v3(0, 0, 3 * BOX + 0.05 + 4.5));
        running r = run_asleep(&s, modes[m], "on", STEP);
        steps(&r, 80, STEP);
        assert_int_equal(asleep(&r), 3);
        go_every(&r, 2.5, 0.1);
        assert_int_equal(asleep(&r), 4);
        print_message("    %s: %.1e J\n", modes[m], trm_sim_accuracy(r.sim).energy_error_max);
        assert_true(trm_sim_accuracy(r.sim).energy_error_max < BALANCE[m]);
        stop(&r);
    }
}

/* ---- Many bodies -------------------------------------------------------------------------- */

static void a_heap_of_two_hundred_boxes_sleeps_and_then_asks_for_no_contact(void **state)
{
    (void)state;
    enum { LAYERS = 8, SIDE = 5, PER_SECOND = 240 };
    scene s;
    scene_init(&s, 0.5, 0);
    add_floor(&s);
    for (int i = 0; i < LAYERS * SIDE * SIDE; i++) {
        const int layer = i / (SIDE * SIDE), row = i / SIDE % SIDE, place = i % SIDE;
        trm_body_def *box =
            add_solid(&s, box_of(BOX, BOX, BOX), 1,
                      trm_v3(0.3 * place + 0.13 * (layer % 2), 0.3 * row + 0.11 * (layer % 2), 0.2 + 0.3 * layer));
        box->orientation = trm_quat_exp(trm_v3_scale(0.3, trm_v3(sin(i), cos(3 * i), sin(7 * i))));
    }
    running r = run_asleep(&s, "window", "auto", 1.0 / PER_SECOND);
    steps(&r, PER_SECOND, 1.0 / PER_SECOND);
    const int falling = contacts_of(&r);
    for (int t = 1; t < 20 && asleep(&r) < LAYERS * SIDE * SIDE; t++) steps(&r, PER_SECOND, 1.0 / PER_SECOND);
    print_message("    all asleep behind %.0f s\n", trm_state_time(trm_sim_state(r.sim)));
    assert_int_equal(asleep(&r), LAYERS * SIDE * SIDE);
    const int before = contacts_of(&r);
    const snapshot lying = look_at(&r);
    steps(&r, PER_SECOND, 1.0 / PER_SECOND);
    const snapshot now = look_at(&r);
    assert_true(falling > 500 * PER_SECOND / 2);
    assert_int_equal(contacts_of(&r), before);
    assert_same_poses(&lying, &now);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_falls_asleep_and_stays_to_the_last_bit),
        cmocka_unit_test(only_windows_sleep_by_default),
        cmocka_unit_test(a_block_that_friction_holds_on_a_slope_sleeps),
        cmocka_unit_test(a_body_that_slides_at_a_millimetre_per_second_does_not_fall_asleep),
        cmocka_unit_test(a_body_that_stops_for_a_moment_does_not_fall_asleep),
        cmocka_unit_test(what_a_force_acts_on_or_what_touches_nothing_does_not_fall_asleep),
        cmocka_unit_test(a_body_that_is_struck_wakes_in_the_same_step),
        cmocka_unit_test(a_stack_that_is_struck_moves_as_if_it_had_not_slept),
        cmocka_unit_test(what_the_caller_moves_wakes_with_all_that_stands_on_it),
        cmocka_unit_test(what_holds_a_sleeping_pile_tells_its_weight_and_wakes_it_when_it_lets_go),
        cmocka_unit_test(a_body_pushed_by_a_moving_body_wakes),
        cmocka_unit_test(a_run_that_is_saved_asleep_resumes_bit_identically),
        cmocka_unit_test(energy_is_kept_to_account_through_sleep),
        cmocka_unit_test(a_heap_of_two_hundred_boxes_sleeps_and_then_asks_for_no_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
