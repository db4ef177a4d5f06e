/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Impacts of whole machines: their times, conserved quantities, and that none is missed. */

#include "random_bodies.h"
#include "scenes.h"

static const double STEP = 0.01;      /* s */
static const double RELATIVE = 1e-10; /* relative error of a height */
static const double DIGITS = 1e-12;   /* rounding of numbers of size one by about ten operations and a root */

/* ---- A ball that bounces ---------------------------------------------------------------------- */

static running bouncing_ball(double e, double height)
{
    scene s;
    scene_init(&s, 0, e);
    add_solid(&s, sphere_of(0.1), 1, trm_v3(0, 0, 0.1 + height));
    add_floor(&s);
    return run_scene(&s, STEP);
}

static void a_ball_bounces_as_high_as_it_should(void **state)
{
    (void)state;
    const double e = 0.8;
    running r = bouncing_ball(e, 1);
    double hit = sqrt(2 / G), v = G * hit, worst = 0;
    for (int apex = 1; apex <= 5; apex++) {
        v *= e;
        go_every(&r, hit + v / G, hit + v / G);
        const double height = v * v / (2 * G), off = fabs((place_of(&r, "b1").z - 0.1) / height - 1);
        worst = fmax(worst, off);
        assert_true(off <= RELATIVE);
        assert_near(velocity_of(&r, "b1").z, 0, 1e-9); /* g times a time with an error of 1e-10 s */
        assert_int_equal(trm_sim_counters(r.sim)->impacts, apex);
        hit += 2 * v / G;
    }
    print_message("    apexes 1 to 5 are off by %.1e of their height\n", worst);
    stop(&r);
}

static void an_elastic_ball_keeps_its_height_over_a_thousand_bounces(void **state)
{
    (void)state;
    running r = bouncing_ball(1, 1);
    const double thousand = 2000 * sqrt(2 / G);
    go_every(&r, thousand, thousand);
    print_message("    after %lld bounces it is off by %.1e m\n", trm_sim_counters(r.sim)->impacts,
                  fabs(place_of(&r, "b1").z - 1.1));
    assert_int_equal(trm_sim_counters(r.sim)->impacts, 1000);
    assert_near(place_of(&r, "b1").z, 1.1, RELATIVE);
    stop(&r);
}

/* ---- Nothing is missed -------------------------------------------------------------------- */

/* A sphere of 1 mm at 1000 m/s against a plate of 1 mm: 10 m in a step. */
static void a_fast_sphere_does_not_pass_a_thin_plate(void **state)
{
    (void)state;
    static const double steps[] = {0.01, 0.001, 0.1};
    for (int i = 0; i < 3; i++) {
        scene s;
        scene_init(&s, 0.3, 0.5);
        s.m.def->gravity = trm_v3(0, 0, 0);
        add_solid(&s, sphere_of(0.001), 0.001, trm_v3(0.01, 0.02, 1))->velocity = trm_v3(0, 0, -1000);
        add_wall(&s, box_of(1, 1, 0.001), trm_v3(0, 0, 0));
        running r = run_scene(&s, steps[i]);
        go_every(&r, 0.1, 0.1);
        const double hit = (1 - 0.0015) / 1000;
        assert_near(velocity_of(&r, "b1").z, 500, 1e-9);
        assert_near(place_of(&r, "b1").z, 0.0015 + 500 * (0.1 - hit), 1e-9);
        assert_int_equal(trm_sim_counters(r.sim)->impacts, 1);
        stop(&r);
    }
}

/* A box that is thrown at a wall with an edge ahead spins so fast afterwards that another edge hits the wall 29 us
 * later. It must not turn so far in a step that the path between the ends of the step misses that. */
static running thrown_box(double step)
{
    trm_model *model = model_of_text(
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": { \"friction\": 0.3, \"restitution\": 0.5 }, "
        "\"bodies\": ["
        "{ \"name\": \"b1\", \"position\": [-1.013, 0.02, 1], \"velocity\": [300, 0, 0], \"angular_velocity\": "
        "[-102.21, -143.68, 19.93], \"shapes\": [{ \"type\": \"box\", \"size\": "
        "[0.1, 0.06, 0.04], "
        "\"density\": 1000 }] }, { \"name\": \"wall\", \"fixed\": true, \"position\": [0.5, 0, 1], \"shapes\": [{ "
        "\"type\": "
        "\"box\", \"size\": [1, 4, 4] }] }] }");
    trm_simulation_def options = *trm_model_simulation(model);
    options.step = step;
    return run_model(model, &options);
}

static void a_box_that_spins_off_a_wall_meets_it_again_at_any_step(void **state)
{
    (void)state;
    static const double steps[] = {0.0005, 0.001, 0.002, 0.005, 0.01};
    trm_vec3 first = {0, 0, 0};
    for (int i = 0; i < 5; i++) {
        running r = thrown_box(steps[i]);
        go_every(&r, 0.05, 0.05);
        const trm_vec3 at = place_of(&r, "b1");
        if (i == 0) first = at;
        print_message("    h = %g s: %lld impacts, %.1e m off\n", steps[i], trm_sim_counters(r.sim)->impacts,
                      trm_v3_length(trm_v3_sub(at, first)));
        assert_true(trm_sim_counters(r.sim)->impacts >= 2);
        assert_true(trm_v3_length(trm_v3_sub(at, first)) <= RELATIVE);
        stop(&r);
    }
}

/* A blade of 1 mm that turns by 5 rad in a step hits a small ball next to it. */
static void a_spinning_blade_does_not_pass_a_ball(void **state)
{
    (void)state;
    scene s;
    scene_init(&s, 0, 1);
    s.m.def->gravity = trm_v3(0, 0, 0);
    add_solid(&s, sphere_of(0.005), 0.1, trm_v3(0.4, 0.3, 0));
    add_solid(&s, box_of(1.2, 0.001, 0.1), 1, trm_v3(0, 0, 0))->angular_velocity = trm_v3(0, 0, 500);
    running r = run_scene(&s, STEP);
    const trm_momentum before = trm_state_momentum(trm_sim_state(r.sim));
    const double energy = trm_state_energy(trm_sim_state(r.sim)).kinetic;
    go_every(&r, 0.005, 0.005);
    const trm_momentum after = trm_state_momentum(trm_sim_state(r.sim));
    assert_int_equal(trm_sim_counters(r.sim)->impacts, 1);
    assert_true(velocity_of(&r, "b1").x < -50 && velocity_of(&r, "b1").y > 50); /* across the blade at 37 degrees */
    assert_near(after.angular.z / before.angular.z, 1, DIGITS);
    assert_near(trm_state_energy(trm_sim_state(r.sim)).kinetic / energy, 1, DIGITS);
    stop(&r);
}

/* ---- Balls on balls ----------------------------------------------------------------------- */

/* Two equal balls, one at rest, without friction, elastic: the component along the line of centres is transferred,
 * the rest stays. */
static void an_oblique_elastic_impact_parts_at_right_angles(void **state)
{
    (void)state;
    const double r = 0.1, b = 0.12, c = b / (2 * r), n = sqrt(1 - c * c);
    scene s;
    scene_init(&s, 0, 1);
    s.m.def->gravity = trm_v3(0, 0, 0);
    add_solid(&s, sphere_of(r), 1, trm_v3(-1, b, 0))->velocity = trm_v3(2, 0, 0);
    add_solid(&s, sphere_of(r), 1, trm_v3(0, 0, 0));
    running run = run_scene(&s, STEP);
    go(&run, 1);
    const trm_vec3 v1 = velocity_of(&run, "b1"), v2 = velocity_of(&run, "b2");
    assert_near(v2.x, 2 * n * n, DIGITS);
    assert_near(v2.y, -2 * n * c, DIGITS);
    assert_near(v1.x, 2 - 2 * n * n, DIGITS);
    assert_near(v1.y, 2 * n * c, DIGITS);
    stop(&run);
}

/* R22: five equal balls in contact, the first arrives at 1 m/s. */
static void check_cradle(double e, bool simultaneous, const double expected[5])
{
    scene s;
    scene_init(&s, 0, e);
    s.m.def->gravity = trm_v3(0, 0, 0);
    s.m.def->simulation.simultaneous = simultaneous;
    for (int i = 0; i < 5; i++) add_solid(&s, sphere_of(0.1), 1, trm_v3(i == 0 ? -0.35 : 0.2 * i, 0, 0));
    s.m.def->bodies[0].velocity = trm_v3(1, 0, 0);
    running r = run_scene(&s, STEP);
    go(&r, 0.4);
    for (int i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i + 1);
        assert_near(velocity_of(&r, name).x, expected[i],
                    1e-9); /* a distance of 1e-16 m between balls affects the result */
        assert_near(velocity_of(&r, name).y, 0, DIGITS);
    }
    stop(&r);
}

static void a_cradle_swings_as_published(void **state)
{
    (void)state;
    check_cradle(1, false, (const double[]){0, 0, 0, 0, 1});
    check_cradle(0.9, false,
                 (const double[]){0.04352508203125, 0.04537296484375, 0.047296640625, 0.0492990625, 0.81450625});
    check_cradle(0.5, false,
                 (const double[]){0.15386962890625, 0.16717529296875, 0.177978515625, 0.1845703125, 0.31640625});
}

static void a_cradle_struck_at_once_moves_off_as_one(void **state)
{
    (void)state;
    check_cradle(1, true, (const double[]){-0.6, 0.4, 0.4, 0.4, 0.4});
}

/* ---- Poisson and Stronge ------------------------------------------------------------------ */

/* A rod of 1 kg and 1 m, inclined by 45 degrees, lands on one end at (0.6, 0, -1) m/s, mu = 0.3, e = 0.5. With W_nn =
 * W_tt = 5/2 and W_nt = -3/2 the end slips forwards until p = 0.6 / 2.25, with u_n growing by 2.95 p, and then
 * backwards, with u_n growing by 2.05 p: sticking would need a friction of 0.6. */
static running falling_rod(const char *entry)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "{ \"trammel\": 1, \"gravity\": [0, 0, 0], \"bodies\": ["
        "  { \"name\": \"rod\", \"mass\": 1, \"inertia\": [\"1/12\", \"1/12\", \"1/12\"], \"position\": [0, 0, 0.4],"
        "    \"velocity\": [0.6, 0, -1], \"shapes\": [{ \"type\": \"sphere\", \"radius\": 0.01,"
        "    \"position\": [\"-sqrt(1/8)\", 0, \"0.01-sqrt(1/8)\"] }] },"
        "  { \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1],"
        "    \"offset\": 0 }] }],"
        "  \"contacts\": [{ \"bodies\": [\"rod\", \"floor\"], \"friction\": 0.3, \"restitution\": 0.5%s }] }",
        entry);
    return run_text(text, STEP, 1e-12);
}

/* p: normal impulse of the whole impact, N s. */
static void check_rod(const char *entry, double p)
{
    const double turns = 0.6 / 2.25, along = 0.3 * (p - turns) - 0.3 * turns, arm = sqrt(0.125);
    running r = falling_rod(entry);
    go(&r, 0.1);
    const trm_spatial V = motion_of(&r, "rod");
    assert_near(V.lin.z, -1 + p, DIGITS);
    assert_near(V.lin.x, 0.6 + along, DIGITS);
    assert_near(V.ang.y, 12 * arm * (p - along), DIGITS);
    stop(&r);
}

/* Poisson returns e times the impulse of compression, Stronge e^2 times its work; both agree where slip does not
 * turn. */
static void restitution_is_of_impulse_or_of_work(void **state)
{
    (void)state;
    const double e = 0.5, turns = 0.6 / 2.25, at_turn = -1 + 2.95 * turns, compressed = turns - at_turn / 2.05;
    const double work = 0.5 * (-1 + at_turn) * turns - 0.5 * at_turn * at_turn / 2.05;
    const double stronge = compressed + e * sqrt(-2 * work / 2.05);
    assert_true(stronge - (1 + e) * compressed > 0.01); /* they differ */
    check_rod("", (1 + e) * compressed);
    check_rod(", \"law\": \"poisson\"", (1 + e) * compressed);
    check_rod(", \"law\": \"stronge\"", stronge);
}

/* ---- Whatever happens --------------------------------------------------------------------- */

enum { FALLS = 1000, SWARMS = 60 };
static const uint64_t SEED = 8;
static const double GAINED =
    1e-9; /* fraction of the initial energy: steps between impacts conserve it to 1e-12 each */

static trm_shape_def random_shape(trm_random *random, int kind)
{
    const double a = trm_random_uniform(random, 0.1, 0.4), b = trm_random_uniform(random, 0.1, 0.6),
                 c = trm_random_uniform(random, 0.1, 0.6);
    switch (kind) {
    case 0: return sphere_of(a);
    case 1: return box_of(a, b, c);
    case 2: return round_of("capsule", a, b);
    default: return round_of("cylinder", a, b);
    }
}

static double energy_of(const running *r)
{
    const trm_energy e = trm_state_energy(trm_sim_state(r->sim));
    return e.kinetic + e.potential;
}

/* Steps until some time. Returns the largest gain of a step. */
static double most_gained(const running *r, double until)
{
    double before = energy_of(r), most = 0;
    for (double t = STEP; t < until; t += STEP) {
        go(r, t);
        const double now = energy_of(r);
        most = fmax(most, now - before);
        before = now;
    }
    return most;
}

static void no_elastic_body_that_falls_gains_energy(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(SEED);
    long long impacts = 0;
    double most = 0;
    for (int i = 0; i < FALLS; i++) {
        scene s;
        scene_init(&s, trm_random_uniform(&random, 0, 1.5), 1);
        trm_body_def *body = add_solid(&s, random_shape(&random, i % 3), 1, trm_v3(0, 0, 0.8));
        body->orientation = random_rotation(&random);
        body->velocity = random_vector(&random, 3);
        body->angular_velocity = random_vector(&random, 10);
        add_floor(&s);
        running r = run_scene(&s, STEP);
        const double start = energy_of(&r), gained = most_gained(&r, 1) / start;
        if (gained > GAINED) print_error("fall %d of seed %llu gains %.2g\n", i, (unsigned long long)SEED, gained);
        most = fmax(most, gained);
        impacts += trm_sim_counters(r.sim)->impacts;
        stop(&r);
    }
    print_message("    seed %llu: %lld impacts, the most that one gained is %.1e\n", (unsigned long long)SEED,
                  impacts, most);
    assert_true(impacts > FALLS);
    assert_true(most <= GAINED);
}

/* Eight bodies fly from the corners of a cube towards its middle. */
static running swarm(trm_random *random, int kinds)
{
    scene s;
    scene_init(&s, trm_random_uniform(random, 0, 1), trm_random_uniform(random, 0, 1));
    s.m.def->gravity = trm_v3(0, 0, 0);
    for (int i = 0; i < 8; i++) {
        const trm_vec3 corner = trm_v3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
        const trm_shape_def shape = random_shape(random, i % kinds);
        trm_body_def *body = add_solid(&s, shape, trm_random_uniform(random, 0.2, 2), corner);
        body->orientation = random_rotation(random);
        body->velocity = trm_v3_add(trm_v3_scale(-2, corner), random_vector(random, 0.5));
        body->angular_velocity = random_vector(random, 3);
    }
    return run_scene(&s, STEP);
}

static void check_swarms(int kinds, const char *what)
{
    trm_random random = trm_random_seed(SEED);
    long long impacts = 0;
    double linear = 0, angular = 0, gained = 0;
    for (int i = 0; i < SWARMS; i++) {
        running r = swarm(&random, kinds);
        const double start = energy_of(&r);
        gained = fmax(gained, most_gained(&r, 1) / start);
        const trm_accuracy a = trm_sim_accuracy(r.sim);
        assert_true(a.is_free);
        if (a.angular_error > DIGITS)
            print_error("swarm %d of %s: angular momentum off by %.1e\n", i, what, a.angular_error);
        linear = fmax(linear, a.linear_error);
        angular = fmax(angular, a.angular_error);
        impacts += trm_sim_counters(r.sim)->impacts;
        stop(&r);
    }
    print_message("    seed %llu: %lld impacts of %s, momentum changed by %.1e and %.1e, energy grew by %.1e\n",
                  (unsigned long long)SEED, impacts, what, linear, angular, gained);
    assert_true(impacts > 3 * SWARMS);
    assert_true(linear <= DIGITS);
    assert_true(angular <= DIGITS);
    assert_true(gained <= GAINED);
}

static void free_spheres_keep_their_momentum(void **state)
{
    (void)state;
    check_swarms(1, "spheres");
}

/* Two layers of boxes side by side, each of the upper layer on four others, fall by 5 mm. The contacts between the
 * layers are one group of more than a hundred. Their impact ends, adds no energy, and the lost rebound is counted. */
static void the_impact_of_a_pallet_ends_and_tells_of_lost_rebounds(void **state)
{
    (void)state;
    enum { SIDE = 4 };
    scene s;
    scene_init(&s, 0.5, 0.3);
    for (int i = 0; i < 2 * SIDE * SIDE; i++) {
        const int layer = i / (SIDE * SIDE);
        const double shift = 0.1 * layer;
        add_solid(&s, box_of(0.2, 0.2, 0.2), 8,
                  trm_v3(0.2 * (i % SIDE) + shift, 0.2 * (i / SIDE % SIDE) + shift, 0.2 * layer + 0.105));
    }
    add_floor(&s);
    running r = run_scene(&s, STEP);
    go_every(&r, 0.05, 0.05); /* 32 ms to the floor */
    const trm_counters *c = trm_sim_counters(r.sim);
    print_message("    %lld impacts, restitution reduced %lld times, energy off by %.1e J\n", c->impacts, c->guarded,
                  trm_sim_accuracy(r.sim).energy_error_max);
    assert_true(c->guarded > 0);
    assert_true(place_of(&r, "b1").z > 0.1 - 1e-6);
    assert_true(trm_sim_accuracy(r.sim).energy_error_max <= 1e-6); /* J, of 400 J */
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_bounces_as_high_as_it_should),
        cmocka_unit_test(an_elastic_ball_keeps_its_height_over_a_thousand_bounces),
        cmocka_unit_test(a_fast_sphere_does_not_pass_a_thin_plate),
        cmocka_unit_test(a_box_that_spins_off_a_wall_meets_it_again_at_any_step),
        cmocka_unit_test(a_spinning_blade_does_not_pass_a_ball),
        cmocka_unit_test(an_oblique_elastic_impact_parts_at_right_angles),
        cmocka_unit_test(a_cradle_swings_as_published),
        cmocka_unit_test(a_cradle_struck_at_once_moves_off_as_one),
        cmocka_unit_test(restitution_is_of_impulse_or_of_work),
        cmocka_unit_test(no_elastic_body_that_falls_gains_energy),
        cmocka_unit_test(free_spheres_keep_their_momentum),
        cmocka_unit_test(the_impact_of_a_pallet_ends_and_tells_of_lost_rebounds),
    };
    return RUN_TESTS(tests);
}
