/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts next to joints, drives, sensors and events. */

#include "random_bodies.h"
#include "resuming.h"
#include "scenes.h"

static const double STEP = 0.005;
static const double DIGITS = 1e-12; /* rounding of numbers of size one */
static const double OPEN = 1e-10;   /* m: D_max */
static const double DEEP = 1e-6;    /* m */

/* ---- Stops and ropes ----------------------------------------------------------------------------- */

#define STRUCK(joint)                                                                                                \
    "{ \"trammel\": 1, \"defaults\": { \"friction\": 0 }, \"bodies\": ["                                             \
    "  { \"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1], \"shapes\": [{ \"type\": \"sphere\", \"radius\": "    \
    "0.1 }] },"                                                                                                      \
    "  { \"name\": \"ball\", \"mass\": 3, \"inertia\": [1, 1, 1], \"position\": [1, 0, 0], \"velocity\": [-2, 0, "   \
    "0],"                                                                                                            \
    "    \"shapes\": [{ \"type\": \"sphere\", \"radius\": 0.1 }] }],"                                                \
    "  \"joints\": [" joint "],"                                                                                     \
    "  \"forces\": [{ \"type\": \"force\", \"body\": \"b\", \"value\": [%s, 0, 0] }] }"

/* A ball of 3 kg at 2 m/s hits 1 kg that a force presses against a stop or keeps a rope taut with. Hit away from the
 * stop, towards the anchor of the rope, both go on with 1.5 m/s; otherwise the ball stops. */
static void a_hit_opens_stops_and_ropes_that_it_does_not_press(void **state)
{
    (void)state;
    static const char stops[] =
        STRUCK("{ \"name\": \"j\", \"type\": \"slider\", \"bodies\": [\"ground\", \"b\"], \"anchor\": [0, 0, 0],"
               "  \"axis\": [1, 0, 0], \"limits\": %s }");
    static const char ropes[] =
        STRUCK("{ \"name\": \"s\", \"type\": \"slider\", \"bodies\": [\"ground\", \"b\"], \"anchor\": [0, 0, 0],"
               "  \"axis\": [1, 0, 0] }, { \"name\": \"j\", \"type\": \"distance\", \"bodies\": [\"ground\", \"b\"],"
               "  \"anchors\": [%s, [0, 0, 0]], \"rope\": true }");
    static const struct {
        const char *text, *bound, *force;
        double speed;
    } cases[] = {{stops, "[-1, 0]", "1", -1.5},
                 {stops, "[0, 1]", "-1", 0},
                 {ropes, "[-5, 0, 0]", "1", -1.5},
                 {ropes, "[5, 0, 0]", "-1", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        snprintf(text, sizeof text, cases[i].text, cases[i].bound, cases[i].force);
        running r = run_text(text, STEP, OPEN);
        go(&r, 0.405);
        print_message("%zu: %.9g, %.9g m/s\n", i, velocity_of(&r, "b").x, velocity_of(&r, "ball").x);
        assert_near(velocity_of(&r, "b").x, cases[i].speed, 0.01); /* the force acts on */
        assert_near(velocity_of(&r, "ball").x, cases[i].speed, 0.01);
        stop(&r);
    }
}

/* ---- Machines that strike --------------------------------------------------------------------- */

/* A rod on a hinge hits a post when it hangs straight: with e = 1 it swings back, and after half its period it is
 * back at its start. */
static void a_pendulum_that_strikes_a_post_swings_on_one_side(void **state)
{
    (void)state;
    scene s;
    scene_init(&s, 0, 1);
    const double start = 0.1, r = 0.02;
    trm_body_def *bob = add_solid(&s, sphere_of(r), 1, trm_v3(sin(start), 0, -cos(start)));
    bob->orientation = trm_quat_exp(trm_v3(0, -start, 0));
    add_wall(&s, box_of(0.1, 1, 1), trm_v3(-r - 0.05, 0, -1));
    trm_joint_def *pin = add_joint_at(&s.m, "hinge", 0, 1, 0, 0, 0);
    pin->axis = trm_v3(0, 1, 0);
    running run = run_scene(&s, 0.001);
    /* quarter period of a pendulum: K(sin(start/2)) sqrt(J / (m g l)) */
    const double J = 1 + 0.4 * r * r, k = sin(start / 2),
                 quarter = (TRM_PI / 2) * sqrt(J / G) * (1 + k * k / 4 + 9 * k * k * k * k / 64);
    go_every(&run, 2 * quarter, 2 * quarter);
    assert_int_equal(trm_sim_counters(run.sim)->impacts, 1);
    assert_near(place_of(&run, "b1").x, sin(start), 1e-6); /* steps of order two, h = 0.001 */
    assert_true(trm_sim_accuracy(run.sim).gap.position <= OPEN);
    stop(&run);
}

/* Links of 0.2 m, joined by balls, fall on the floor from a slant. */
static running falling_chain(int links, double e, double step)
{
    scene s;
    scene_init(&s, 0.5, e);
    const double l = 0.2, slant = 0.4;
    for (int i = 0; i < links; i++) {
        const double along = l * (i + 0.5);
        add_solid(&s, round_of("capsule", 0.03, l - 0.08), 0.5,
                  trm_v3(along * cos(slant), 0, 0.3 + along * sin(slant)))
            ->orientation = trm_quat_exp(trm_v3(0, TRM_PI / 2 - slant, 0));
    }
    add_floor(&s);
    for (int i = 1; i < links; i++)
        add_joint_at(&s.m, "ball", i, i + 1, l * i * cos(slant), 0, 0.3 + l * i * sin(slant));
    return run_scene(&s, step);
}

/* Returns how far the lowest link is below the floor; ends are balls of 0.03 m. */
static double depth_of(const running *r, int links)
{
    double deepest = 0;
    for (int i = 1; i <= links; i++)
        for (int end = -1; end <= 1; end += 2) {
            const trm_vec3 p = trm_point_position(trm_sim_state(r->sim), i, trm_v3(0, 0, 0.06 * end));
            deepest = fmax(deepest, 0.03 - p.z);
        }
    return deepest;
}

static void a_chain_falls_on_the_floor_and_stays_together_and_above_it(void **state)
{
    (void)state;
    enum { LINKS = 3 };
    running r = falling_chain(LINKS, 0, STEP);
    double deepest = 0;
    for (double t = 0.01; t < 1; t += 0.01) {
        go(&r, t);
        deepest = fmax(deepest, depth_of(&r, LINKS));
    }
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    print_message("    joints open by %.1e m, links sink by %.1e m\n", a.gap.position, deepest);
    assert_true(a.gap.position <= OPEN);
    assert_true(deepest <= DEEP);
    assert_true(trm_sim_counters(r.sim)->impacts >= LINKS);
    stop(&r);
}

static double energy_of(const running *r)
{
    const trm_energy e = trm_state_energy(trm_sim_state(r->sim));
    return e.kinetic + e.potential;
}

/* Two boxes on a ball joint fly against a third one. */
static void linked_bodies_that_collide_keep_momentum_and_gain_no_energy(void **state)
{
    (void)state;
    enum { FLIGHTS = 100 };
    static const uint64_t SEED = 88;
    trm_random random = trm_random_seed(SEED);
    double linear = 0, angular = 0, gained = 0;
    long long impacts = 0;
    for (int i = 0; i < FLIGHTS; i++) {
        scene s;
        scene_init(&s, trm_random_uniform(&random, 0, 1), trm_random_uniform(&random, 0.3, 1));
        s.m.def->gravity = trm_v3(0, 0, 0);
        const trm_vec3 spin = random_vector(&random, 1);
        const trm_vec3 places[2] = {trm_v3(-1, 0, 0), trm_v3(-1.4, 0, 0)};
        for (int k = 0; k < 2; k++) {
            trm_body_def *b = add_solid(&s, sphere_of(0.15), trm_random_uniform(&random, 0.5, 2), places[k]);
            b->angular_velocity = spin;
            b->velocity = trm_v3_add(trm_v3(2, 0, 0), trm_v3_cross(spin, trm_v3_sub(places[k], trm_v3(-1.2, 0, 0))));
        }
        add_solid(&s, sphere_of(0.3), 1, trm_v3(0, trm_random_uniform(&random, -0.2, 0.2), 0));
        add_joint_at(&s.m, "ball", 1, 2, -1.2, 0, 0);
        running r = run_scene(&s, STEP);
        double before = energy_of(&r);
        const double start = before;
        for (double t = STEP; t < 1; t += STEP) {
            go(&r, t);
            gained = fmax(gained, (energy_of(&r) - before) / start);
            before = energy_of(&r);
        }
        const trm_accuracy a = trm_sim_accuracy(r.sim);
        linear = fmax(linear, a.linear_error);
        angular = fmax(angular, a.angular_error);
        impacts += trm_sim_counters(r.sim)->impacts;
        stop(&r);
    }
    print_message("    seed %llu: %lld impacts, momentum changed by %.1e and %.1e, energy grew by %.1e of itself\n",
                  (unsigned long long)SEED, impacts, linear, angular, gained);
    assert_true(impacts >= FLIGHTS);
    assert_true(linear <= DIGITS);
    assert_true(angular <= 1e-9); /* joints are closed to 1e-10 m, and forces act on both sides of that gap */
    assert_true(gained <= 1e-6);  /* error of steps of order 2 of a joint between impacts */
}

/* ---- Driven things ------------------------------------------------------------------------ */

/* A box is put on a belt: friction accelerates it until it moves with the belt. */
static void a_belt_takes_a_box_along(void **state)
{
    (void)state;
    running r =
        run_text("{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": { \"friction\": 0.3 }, \"bodies\": ["
                 "  { \"name\": \"box\", \"position\": [0, 0, 0.1], \"shapes\": [{ \"type\": \"box\", \"size\": "
                 "[0.2, 0.2, 0.2],"
                 "    \"density\": 100 }] },"
                 "  { \"name\": \"belt\", \"moving\": { \"position\": [\"2*t\", 0, 0], \"angle\": 0 }, \"shapes\": "
                 "[{ \"type\": \"box\","
                 "    \"size\": [50, 1, 0.1], \"position\": [0, 0, -0.05] }] }] }",
                 0.01, 1e-10);
    const double a = 0.3 * G, along = 2 / a;
    go(&r, along / 2);
    assert_near(velocity_of(&r, "box").x, 1, 1e-9);
    go(&r, 2);
    assert_near(velocity_of(&r, "box").x, 2, 1e-9);
    assert_near(place_of(&r, "box").x, a * along * along / 2 + 2 * (2 - along), 1e-9);
    stop(&r);
}

/* ---- Sensors and events --------------------------------------------------------------------- */

static double read_sensor(const running *r, const char *name, int part)
{
    double values[TRM_SENSOR_NUMBERS] = {0};
    assert_true(trm_sim_sensor(r->sim, trm_find_sensor(r->model, name), values) > part);
    return values[part];
}

static void a_box_at_rest_feels_its_weight(void **state)
{
    (void)state;
    running r =
        run_text("{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
                 "  { \"name\": \"box\", \"mass\": 3, \"inertia\": [0.02, 0.02, 0.02], \"position\": [0, 0, 0.1],"
                 "    \"shapes\": [{ \"type\": \"box\", \"size\": [0.2, 0.2, 0.2] }] },"
                 "  { \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, "
                 "1], \"offset\": 0 }] }],"
                 "  \"sensors\": [{ \"name\": \"imu\", \"type\": \"accelerometer\", \"body\": \"box\" },"
                 "    { \"name\": \"foot\", \"type\": \"contact\", \"bodies\": [\"box\", \"floor\"] }] }",
                 0.01, 1e-10);
    go(&r, 1);
    assert_near(read_sensor(&r, "imu", 0), 0, 1e-6);
    assert_near(read_sensor(&r, "imu", 2), G, 1e-6);
    assert_near(read_sensor(&r, "foot", 0), 3 * G, 1e-6); /* N: impulses have relative errors of about 1e-8 */
    stop(&r);
}

static void a_hand_grips_what_it_touches(void **state)
{
    (void)state;
    running r = run_text(
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
        "  { \"name\": \"part\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01], \"position\": [0, 0, 1.2],"
        "    \"shapes\": [{ \"type\": \"sphere\", \"radius\": 0.1 }] },"
        "  { \"name\": \"hand\", \"mass\": 2, \"inertia\": [0.01, 0.01, 0.01], \"shapes\": [{ \"type\": \"sphere\", "
        "\"radius\": 0.1 }] }],"
        "  \"joints\": [{ \"name\": \"hold\", \"type\": \"fixed\", \"bodies\": [\"ground\", \"hand\"], \"anchor\": "
        "[0, 0, 0] },"
        "    { \"name\": \"grip\", \"type\": \"fixed\", \"bodies\": [\"hand\", \"part\"], \"anchors\": [[0, 0, 0.1], "
        "[0, 0, -0.1]],"
        "      \"attached\": false }],"
        "  \"events\": [{ \"when\": \"contact\", \"bodies\": [\"hand\", \"part\"], \"attach\": \"grip\" }] }",
        0.01, 1e-10);
    go(&r, 2);
    trm_event_note note;
    assert_true(trm_joint_attached(trm_sim_state(r.sim), trm_find_joint(r.model, "grip")));
    assert_true(trm_sim_event(r.sim, 0, &note));
    assert_near(note.time, sqrt(2 / G), 1e-10);
    assert_near(place_of(&r, "part").z, 0.2, 1e-9);
    stop(&r);
}

static void a_chain_on_the_floor_resumes_bit_identically(void **state)
{
    (void)state;
    assert_resumes_bit_identically(falling_chain(3, 0, STEP), falling_chain(3, 0, STEP));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_opens_stops_and_ropes_that_it_does_not_press),
        cmocka_unit_test(a_pendulum_that_strikes_a_post_swings_on_one_side),
        cmocka_unit_test(a_chain_falls_on_the_floor_and_stays_together_and_above_it),
        cmocka_unit_test(linked_bodies_that_collide_keep_momentum_and_gain_no_energy),
        cmocka_unit_test(a_belt_takes_a_box_along),
        cmocka_unit_test(a_box_at_rest_feels_its_weight),
        cmocka_unit_test(a_hand_grips_what_it_touches),
        cmocka_unit_test(a_chain_on_the_floor_resumes_bit_identically),
    };
    return RUN_TESTS(tests);
}
