/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Impacts at the same instant: symmetric machines land symmetrically, and a scene that is rotated, displaced or
 * listed in another order moves in the same way. */

#include "random_bodies.h"
#include "scenes.h"

static const double STEP = 0.01; /* s */
static const uint64_t SEED = 22;
enum { COPIES = 6 };

/* Factors of a scene. */
typedef struct sizes {
    double length, mass, step; /* factors */
} sizes;

static const sizes AS_IT_IS = {1, 1, 1};

/* ---- Scenes ------------------------------------------------------------------------------- */

/* Builds a bar 0.85 m above two supports at its ends, or three, with a speed along the bar. */
static void bar_over_supports(scene *s, sizes k, int supports, double e, double speed)
{
    scene_init(s, 0.3, e);
    add_solid(s, box_of(2 * k.length, 0.1 * k.length, 0.1 * k.length), 10 * k.mass, trm_v3(0, 0, k.length))
        ->velocity = trm_v3(speed, 0, 0);
    for (int i = 0; i < supports; i++)
        add_wall(s, sphere_of(0.1 * k.length), trm_v3((-0.8 + 1.6 * i / (supports - 1)) * k.length, 0, 0));
}

static void bar(scene *s)
{
    bar_over_supports(s, AS_IT_IS, 2, 0.5, 0);
}

static void bar_on_three(scene *s)
{
    bar_over_supports(s, AS_IT_IS, 3, 0.5, 0.5);
}

/* The supports are balls that lie on the floor. */
static void bar_on_balls(scene *s)
{
    scene_init(s, 0.3, 0.5);
    add_solid(s, box_of(2, 0.1, 0.1), 10, trm_v3(0, 0, 1));
    add_solid(s, sphere_of(0.1), 4, trm_v3(-0.8, 0, 0.1));
    add_solid(s, sphere_of(0.1), 4, trm_v3(0.8, 0, 0.1));
    add_floor(s);
}

static void box_on_floor(scene *s)
{
    scene_init(s, 0.3, 0.5);
    add_solid(s, box_of(0.4, 0.3, 0.2), 12, trm_v3(0, 0, 1))->velocity = trm_v3(1, 0, 0);
    add_floor(s);
}

/* Builds a slab with legs on both sides, or at four corners, each a separate body. */
static void slab_with_legs(scene *s, sizes k, const char *joint, int legs, trm_vec3 velocity)
{
    const double l = k.length;
    scene_init(s, 0.8, 0.5);
    add_solid(s, box_of(1.2 * l, 0.8 * l, 0.1 * l), 4 * k.mass, trm_v3(0, 0, l))->velocity = velocity;
    for (int i = 0; i < legs; i++) {
        const double x = i % 2 ? 0.5 * l : -0.5 * l, y = legs < 4 ? 0 : i < 2 ? -0.3 * l : 0.3 * l;
        add_solid(s, round_of("capsule", 0.05 * l, 0.4 * l), k.mass, trm_v3(x, y, 0.7 * l))->velocity = velocity;
        add_joint_at(&s->m, joint, 1, 2 + i, x, y, 0.9 * l)->axis = trm_v3(0, 1, 0);
    }
    add_floor(s);
}

static void biped(scene *s)
{
    slab_with_legs(s, AS_IT_IS, "fixed", 2, trm_v3(0, 0, 0));
}

static void biped_with_hips(scene *s)
{
    slab_with_legs(s, AS_IT_IS, "hinge", 2, trm_v3(0, 0, 0));
}

static void table(scene *s)
{
    slab_with_legs(s, AS_IT_IS, "fixed", 4, trm_v3(0.3, 0.1, 0));
}

/* Builds five balls. The first arrives and, if requested, the last at the same time. */
static void row_of_balls(scene *s, bool from_both_sides)
{
    scene_init(s, 0.3, 0.9);
    s->m.def->gravity = trm_v3(0, 0, 0);
    for (int i = 0; i < 5; i++) {
        const double side = i == 0 ? -1 : i == 4 && from_both_sides ? 1 : 0;
        add_solid(s, sphere_of(0.1), 1, trm_v3(0.2 * (i - 2) + 0.3 * side, 0, 0))->velocity = trm_v3(-side, 0, 0);
    }
}

static void cradle(scene *s)
{
    row_of_balls(s, false);
}

static void cradle_from_both_sides(scene *s)
{
    row_of_balls(s, true);
}

static void three_balls(scene *s)
{
    scene_init(s, 0.3, 0.7);
    s->m.def->gravity = trm_v3(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        const trm_vec3 from = trm_v3(cos(2 * TRM_PI * i / 3), sin(2 * TRM_PI * i / 3), 0);
        add_solid(s, sphere_of(0.1), 1, from)->velocity = trm_v3_scale(-2, from);
    }
}

/* ---- Copies ------------------------------------------------------------------------------- */

static void move_scene(scene *s, trm_vec3 by)
{
    for (int i = 0; i < s->m.def->body_count; i++)
        s->m.def->bodies[i].position = trm_v3_add(s->m.def->bodies[i].position, by);
    for (int i = 0; i < s->m.def->joint_count; i++)
        s->m.def->joints[i].anchor = trm_v3_add(s->m.def->joints[i].anchor, by);
}

static int random_below(trm_random *random, int count)
{
    return (int)trm_random_uniform(random, 0, count);
}

static void shuffle_scene(scene *s, trm_random *random)
{
    trm_model_def *def = s->m.def;
    for (int i = def->body_count - 1; i > 0; i--) {
        const int k = random_below(random, i + 1);
        const trm_body_def kept = def->bodies[i];
        def->bodies[i] = def->bodies[k], def->bodies[k] = kept;
    }
    for (int i = def->joint_count - 1; i > 0; i--) {
        const int k = random_below(random, i + 1);
        const trm_joint_def kept = def->joints[i];
        def->joints[i] = def->joints[k], def->joints[k] = kept;
    }
}

static double distance(trm_vec3 a, trm_vec3 b)
{
    return trm_v3_length(trm_v3_sub(a, b));
}

/* Returns how far a copy that is rotated by q and displaced is from the scene itself, m, m/s, rad/s. */
static double difference(const running *r, const running *copy, trm_quat q, trm_vec3 moved)
{
    double most = 0;
    for (int i = 1; i <= trm_body_count(r->model); i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        if (trm_find_body(r->model, name) < 0) continue;
        const trm_spatial V = motion_of(r, name), W = motion_of(copy, name);
        const trm_vec3 place = trm_v3_add(trm_rotate(q, place_of(r, name)), moved);
        most = fmax(most, distance(place, place_of(copy, name)));
        most = fmax(most, distance(trm_rotate(q, V.lin), W.lin));
        most = fmax(most, distance(trm_rotate(q, V.ang), W.ang));
    }
    return most;
}

/* Asserts the largest difference of COPIES copies, some metres away, at a time after the first impacts. */
static void check_copies(const char *what, void (*make)(scene *s), double until, double allowed)
{
    trm_random random = trm_random_seed(SEED);
    scene s;
    make(&s);
    running r = run_scene(&s, STEP);
    go(&r, until);
    assert_true(trm_sim_counters(r.sim)->impacts > 0);
    double most = 0;
    for (int i = 0; i < COPIES; i++) {
        const trm_quat q = i == 0 ? trm_quat_exp(trm_v3(0, 0, 0)) : random_rotation(&random);
        const trm_vec3 by = i == 1 ? trm_v3(0, 0, 0) : random_vector(&random, 10);
        make(&s);
        turn_scene(&s, q);
        move_scene(&s, by);
        shuffle_scene(&s, &random);
        running copy = run_scene(&s, STEP);
        go(&copy, until);
        most = fmax(most, difference(&r, &copy, q, by));
        assert_int_equal(trm_sim_counters(copy.sim)->impacts, trm_sim_counters(r.sim)->impacts);
        stop(&copy);
    }
    print_message("    %s: copies differ by %.1e\n", what, most);
    assert_true(most <= allowed);
    stop(&r);
}

/* Coordinates of 10 m are rounded to 1e-15 m. An error of 1e-14 m at an impact of 4 m/s leaves an error of that size,
 * and where slip is slow a larger error of its direction. */
static void copies_land_alike(void **state)
{
    (void)state;
    check_copies("a bar on two supports", bar, 0.8, 1e-9);
    check_copies("a bar on three supports", bar_on_three, 0.8, 1e-9);
    check_copies("a bar on two balls", bar_on_balls, 0.7, 1e-9);
    check_copies("a box", box_on_floor, 1, 1e-9);
    check_copies("a rigid biped", biped, 0.8, 1e-9);
    check_copies("a biped with hips", biped_with_hips, 0.6, 1e-9);
    check_copies("a table of four legs", table, 0.8, 1e-9);
}

static void copies_of_balls_collide_alike(void **state)
{
    (void)state;
    check_copies("a cradle", cradle, 0.5, 1e-9);
    check_copies("a cradle that is hit from both sides", cradle_from_both_sides, 0.5, 1e-9);
    check_copies("three balls", three_balls, 0.7, 1e-9);
}

/* ---- Symmetric landings ------------------------------------------------------------------- */

static const sizes FACTORS[] = {{1, 1, 1},      {3, 1, 1}, {1. / 3, 1, 1}, {1, 3, 1},
                                {1, 1. / 3, 1}, {1, 1, 3}, {1, 1, 1. / 3}};
enum { FACTOR_COUNT = sizeof FACTORS / sizeof *FACTORS };

/* Asserts how high a body of a scene rises after its first impact, and that it does not turn. drop: height of its
 * fall, m. */
static void check_rebound(scene *s, sizes k, double drop, double e)
{
    const double height = s->m.def->bodies[0].position.z, hit = sqrt(2 * drop / G);
    running r = run_scene(s, STEP * k.step);
    go(&r, hit * (1 + e));
    const trm_spatial V = motion_of(&r, "b1");
    assert_int_equal(trm_sim_counters(r.sim)->impacts, 1);
    assert_near(place_of(&r, "b1").z, height - drop * (1 - e * e), 1e-9 * drop);
    assert_near(trm_v3_length(V.ang), 0, 1e-9);
    assert_near(trm_v3_length(V.lin), 0, 1e-8); /* at the top */
    stop(&r);
}

static void a_bar_that_falls_flat_does_not_turn(void **state)
{
    (void)state;
    for (int i = 0; i < FACTOR_COUNT; i++)
        for (int supports = 2; supports <= 5; supports++) {
            const sizes k = FACTORS[i];
            scene s;
            bar_over_supports(&s, k, supports, 0.5, 0);
            check_rebound(&s, k, 0.85 * k.length, 0.5);
        }
}

static void legs_land_together(void **state)
{
    (void)state;
    for (int i = 0; i < FACTOR_COUNT; i++)
        for (int legs = 2; legs <= 4; legs += 2) {
            const sizes k = FACTORS[i];
            scene s;
            slab_with_legs(&s, k, "fixed", legs, trm_v3(0, 0, 0));
            check_rebound(&s, k, 0.45 * k.length, 0.5);
        }
}

/* Supports whose heights differ by less than the tolerance are hit at the same instant, others one after another. */
static void the_same_instant_has_a_width(void **state)
{
    (void)state;
    static const double higher[] = {0, 1e-13, 1e-11, 5e-10, 1e-6};
    for (int i = 0; i < 5; i++) {
        scene s;
        bar_over_supports(&s, AS_IT_IS, 2, 0.5, 0);
        s.m.def->bodies[2].position.z += higher[i];
        running r = run_scene(&s, STEP);
        go(&r, 0.45);
        const double turns = trm_v3_length(motion_of(&r, "b1").ang);
        print_message("    supports that differ by %.0e m: %lld impacts, %.1e rad/s\n", higher[i],
                      trm_sim_counters(r.sim)->impacts, turns);
        assert_true(higher[i] < 1e-9 ? turns < 1e-8 : turns > 1);
        stop(&r);
    }
}

/* A ball between two that arrive at the same time stays at rest; the two balls in between transmit the shock
 * first. */
static void a_shock_from_both_sides_leaves_the_middle_at_rest(void **state)
{
    (void)state;
    scene s;
    row_of_balls(&s, true);
    running r = run_scene(&s, STEP);
    go(&r, 0.5);
    assert_near(trm_v3_length(velocity_of(&r, "b3")), 0, 1e-12);
    for (int i = 0; i < 2; i++)
        assert_near(velocity_of(&r, i ? "b4" : "b5").x, -velocity_of(&r, i ? "b2" : "b1").x, 1e-12);
    assert_true(velocity_of(&r, "b5").x > 0.8);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_land_alike),
        cmocka_unit_test(copies_of_balls_collide_alike),
        cmocka_unit_test(a_bar_that_falls_flat_does_not_turn),
        cmocka_unit_test(legs_land_together),
        cmocka_unit_test(the_same_instant_has_a_width),
        cmocka_unit_test(a_shock_from_both_sides_leaves_the_middle_at_rest),
    };
    return RUN_TESTS(tests);
}
