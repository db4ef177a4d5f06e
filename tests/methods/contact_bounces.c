/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Series of ever smaller bounces end, and the end is reported: T = t_1 (1 + 2 e/(1 - e)) for a body whose first fall
 * takes t_1. */

#include "check.h"
#include "resuming.h"
#include "scenes.h"

static const double RESTS = 1e-9; /* s: required accuracy of the end of bounces */
static const double R = 0.1;      /* m */

static double falls_for(double height, double g)
{
    return sqrt(2 * height / g);
}

static double ends_at(double first, double e)
{
    return first * (1 + 2 * e / (1 - e));
}

/* Returns the time of the only event, which is the end of bounces. */
static double told_end(const running *r, const char *pair)
{
    trm_event_note note;
    assert_int_equal(trm_sim_event_count(r->sim), 1);
    assert_true(trm_sim_event(r->sim, 0, &note));
    assert_string_equal(note.what, "bounces no more");
    assert_string_equal(note.name, pair);
    assert_int_equal(note.joint, -1);
    return note.time;
}

static void the_ball_of_siconos_comes_to_rest_at_its_time(void **state)
{
    (void)state;
    const double zeno = 8.5789491787288872; /* s, as published */
    running r = run_file(TRM_EXAMPLES "/problems/r19-bouncing-ball.json", 0.01, 1e-10);
    go(&r, 10);
    const double told = told_end(&r, "ball on floor");
    print_message("    comes to rest off by %.1e s\n", fabs(told - zeno));
    assert_near(told, zeno, RESTS);
    assert_near(place_of(&r, "ball").z, R, 1e-10);
    assert_near(velocity_of(&r, "ball").z, 0, 1e-10);
    stop(&r);
}

/* ---- Others ------------------------------------------------------------------------------- */

typedef struct fall {
    double e, g, slope, friction, step;
} fall;

static running drop(const fall *f, trm_shape_def shape, double half_height)
{
    scene s;
    scene_init(&s, f->friction, f->e);
    s.m.def->gravity = trm_v3(f->g * sin(f->slope), 0, -f->g * cos(f->slope));
    trm_body_def *body = add_solid(&s, shape, 1, trm_v3(0, 0, 1 + half_height));
    if (f->friction > 0) body->angular_velocity = trm_v3(0, 3, 0);
    add_floor(&s);
    return run_scene(&s, f->step);
}

static void check_drop(const fall *f, trm_shape_def shape, double half_height)
{
    const double ends = ends_at(falls_for(1, f->g * cos(f->slope)), f->e);
    running r = drop(f, shape, half_height);
    go_every(&r, ends + 0.5, ends + 0.5);
    const double off = fabs(told_end(&r, "b1 on b2") - ends);
    print_message("    %s, e = %g, g = %g m/s^2, slope %g, h = %g s: off by %.1e s\n", shape.type, f->e, f->g,
                  f->slope, f->step, off);
    assert_true(off <= RESTS);
    stop(&r);
}

/* The last one has more bounces in its last step than a step may have. */
static void balls_come_to_rest_at_their_time_with_any_restitution_gravity_step_and_slope(void **state)
{
    (void)state;
    static const fall falls[] = {
        {0.5, 9.81, 0, 0, 0.01},   {0.8, 9.81, 0, 0, 0.01},  {0.9, 9.81, 0, 0, 0.001},    {0.9, 9.81, 0, 0, 0.1},
        {0.9, 1.62, 0, 0, 0.01},   {0.8, 25, 0, 0, 0.01},    {0.8, 9.81, 0.3, 0.4, 0.01}, {0.9, 9.81, 0.3, 0, 0.01},
        {0.01, 9.81, 0, 0, 0.003}, {0.95, 9.81, 0, 0, 0.01},
    };
    for (size_t i = 0; i < sizeof falls / sizeof *falls; i++) check_drop(&falls[i], sphere_of(R), R);
}

/* All corners have their impacts together: one end is reported for the pair. */
static void a_box_that_falls_flat_comes_to_rest_at_its_time(void **state)
{
    (void)state;
    check_drop(&(fall){0.5, 9.81, 0, 0, 0.01}, box_of(0.4, 0.3, 0.2), 0.1);
}

static void each_of_three_balls_has_its_own_end(void **state)
{
    (void)state;
    enum { BALLS = 3 };
    const double e = 0.9;
    trm_event_note note;
    scene s;
    scene_init(&s, 0, e);
    for (int i = 0; i < BALLS; i++) add_solid(&s, sphere_of(R), 1, trm_v3(i, 0, R + 1 + 0.05 * i));
    add_floor(&s);
    running r = run_scene(&s, 0.01);
    go_every(&r, 10, 10);
    assert_int_equal(trm_sim_event_count(r.sim), BALLS);
    for (int i = 0; trm_sim_event(r.sim, i, &note); i++) {
        const int ball = note.name[1] - '1';
        assert_near(note.time, ends_at(falls_for(1 + 0.05 * ball, G), e), RESTS);
        assert_near(place_of(&r, note.name[1] == '1' ? "b1" : "b2").z, R, 1e-10);
    }
    stop(&r);
}

/* A run from a checkpoint in the middle of bounces reports the same end as a run without it, bit-identically. */
static double end_when_saved_at(const fall *f, double save, double until, double *without)
{
    running whole = drop(f, sphere_of(R), R), rest = drop(f, sphere_of(R), R);
    trm_text *text = trm_text_create(NULL);
    go_every(&whole, save, save);
    assert_int_equal(trm_sim_save(whole.sim, 1, trm_text_sink(text)), TRM_OK);
    assert_int_equal(load_saved(&rest, text), TRM_OK);
    go_every(&whole, until, save);
    go_every(&rest, until, save);
    *without = told_end(&whole, "b1 on b2");
    const double told = told_end(&rest, "b1 on b2");
    trm_text_destroy(text);
    stop(&whole);
    stop(&rest);
    return told;
}

static void bounces_are_kept_in_a_checkpoint(void **state)
{
    (void)state;
    const fall f = {.e = 0.6, .g = 9.81, .step = 0.01};
    const double ends = ends_at(falls_for(1, f.g), f.e);
    for (int k = 1; k <= 17; k++) {
        const double save = ends - 0.3 * pow(0.5, k);
        double without;
        const double told = end_when_saved_at(&f, save, 2 * save, &without);
        assert_true(told == without);
    }
}

static void contacts_without_bounce_and_endless_bounces_are_not_reported(void **state)
{
    (void)state;
    static const double restitutions[] = {0, 1};
    for (int i = 0; i < 2; i++) {
        running r = drop(&(fall){restitutions[i], 9.81, 0, 0, 0.01}, sphere_of(R), R);
        go_every(&r, 5, 5);
        assert_int_equal(trm_sim_event_count(r.sim), 0);
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ball_of_siconos_comes_to_rest_at_its_time),
        cmocka_unit_test(balls_come_to_rest_at_their_time_with_any_restitution_gravity_step_and_slope),
        cmocka_unit_test(a_box_that_falls_flat_comes_to_rest_at_its_time),
        cmocka_unit_test(each_of_three_balls_has_its_own_end),
        cmocka_unit_test(bounces_are_kept_in_a_checkpoint),
        cmocka_unit_test(contacts_without_bounce_and_endless_bounces_are_not_reported),
    };
    return RUN_TESTS(tests);
}
