/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Points guided by curves and surfaces: compared with closed forms and with other joints, and checked for
 * conservation. All tests run with both solvers. */

#include <stdio.h>

#include "running.h"

#define BEAD(position, velocity)                                                                                     \
    "\"bodies\": [{ \"name\": \"bead\", \"point\": true, \"mass\": 2, \"position\": " position                       \
    ", \"velocity\": " velocity " }]"
#define HELD(type, what)                                                                                             \
    "\"joints\": [{ \"name\": \"j\", \"type\": \"" type "\", \"bodies\": [\"ground\", \"bead\"], \"" type            \
    "\": " what " }]"

static const double TIGHT = 1e-12; /* tolerance of tests of the order, so that gaps do not hide it */

static trm_simulation_def with_order(const trm_model *model, double order, double step)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.order = order;
    options.step = step;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = TIGHT;
    return options;
}

static running run_text_of_order(const char *text, double order, double step)
{
    trm_model *model = model_of_text(text);
    const trm_simulation_def options = with_order(model, order, step);
    return run_model(model, &options);
}

static double energy_of(const running *r)
{
    const trm_energy energy = trm_state_energy(trm_sim_state(r->sim));
    return energy.kinetic + energy.potential;
}

/* ---- A bead on a cycloid (docs/problems.md, R15) ------------------------------------------- */

enum { CYCLOID_POINTS = 209 };
static const double CYCLOID_A = 0.25, CYCLOID_G = 9.81;

static trm_vec3 cycloid(double theta)
{
    return trm_v3(CYCLOID_A * (theta + sin(theta)), CYCLOID_A * (1 - cos(theta)), 0);
}

/* Releases a bead at rest at theta. */
static running bead_on_cycloid(double theta, double step)
{
    trm_vec3 points[CYCLOID_POINTS];
    trm_model_def *def = trm_model_def_create(NULL);
    trm_body_def bead = trm_default_body_def();
    trm_joint_def rail = trm_default_joint_def();
    for (int i = 0; i < CYCLOID_POINTS; i++) points[i] = cycloid(2.6 * (2.0 * i / (CYCLOID_POINTS - 1) - 1));
    def->gravity = trm_v3(0, -CYCLOID_G, 0);
    bead.name = "bead", bead.kind = TRM_BODY_POINT, bead.mass = 1, bead.position = cycloid(theta);
    rail.name = "rail", rail.type = "curve", rail.bodies[0] = "ground", rail.bodies[1] = "bead";
    rail.curve.points = points, rail.curve.point_count = CYCLOID_POINTS;
    trm_add_body(def, &bead);
    trm_add_joint(def, &rail);
    trm_model *model = build_model(def);
    trm_model_def_destroy(def);
    const trm_simulation_def options = with_order(model, 4, step);
    return run_model(model, &options);
}

/* m, m/s: the spline through points 0.0125 m apart differs from the cycloid by 1e-9 m, in its slope by 1e-7. */
static const double CYCLOID_TOLERANCE = 2e-7;

static void a_bead_on_a_cycloid_moves_as_the_closed_form_says(void **state)
{
    static const struct {
        double t, x, y, speed;
    } known[] = {{0.2, 0.62442068609815818, 0.23235943204990196, 1.5450916401445763},
                 {0.5, 0.0039972563998494006, 7.9890719132938447e-6, 2.6355347631311552},
                 {1.0, -0.72730383668707389, 0.35400475357024714, 0.025039333367416522}};
    (void)state;
    running r = bead_on_cycloid(2, 0.002);
    for (int i = 0; i < 3; i++) {
        go(&r, known[i].t);
        const trm_vec3 x = place_of(&r, "bead");
        assert_near(x.x, known[i].x, CYCLOID_TOLERANCE);
        assert_near(x.y, known[i].y, CYCLOID_TOLERANCE);
        assert_near(trm_v3_length(velocity_of(&r, "bead")), known[i].speed, CYCLOID_TOLERANCE);
    }
    stop(&r);
}

static void a_bead_on_a_cycloid_is_isochronous(void **state)
{
    const double quarter = TRM_PI * sqrt(CYCLOID_A / CYCLOID_G);
    (void)state;
    for (double theta = 0.25; theta < 2.3; theta += 0.5) {
        running r = bead_on_cycloid(theta, quarter / 250);
        go(&r, quarter);
        assert_near(place_of(&r, "bead").x, 0, CYCLOID_TOLERANCE);
        stop(&r);
    }
}

/* ---- Closed forms -------------------------------------------------------------------------- */

#define HELIX                                                                                                        \
    "{\"trammel\": 1, \"gravity\": [0, 0, -9.81], " BEAD("[0.5, 0, 0]", "[0, 0, 0]") ", " HELD(                      \
        "curve",                                                                                                     \
        "{ \"helix\": { \"origin\": [0, 0, 0], \"axis\": [0, 0, 1], \"radius\": 0.5, \"pitch\": 0.6 } }") "}"

/* Returns the error of a bead on a helix, which accelerates by g sin^2 of the slope and turns with the helix. */
static double helix_error(double step, const void *order)
{
    const double rise = 0.6 / (2 * TRM_PI), sin2 = rise * rise / (rise * rise + 0.25), t = 1.5;
    const double z = -9.81 * sin2 * t * t / 2, angle = z / rise;
    running r = run_text_of_order(HELIX, *(const double *)order, step);
    go(&r, t);
    const trm_vec3 off = trm_v3_sub(place_of(&r, "bead"), trm_v3(0.5 * cos(angle), 0.5 * sin(angle), z));
    stop(&r);
    return trm_v3_length(off);
}

/* At any position at the radius the bead is on the helix, about any axis: its phase does not depend on the world's
 * axes. */
static void a_helix_goes_through_its_rider(void **state)
{
    (void)state;
    static const char *const places[] = {"\"axis\": [0, 0, 1], \"radius\": 0.5, \"pitch\": 0.6",  "0.3, 0.4, 0.17",
                                         "\"axis\": [0, 0, 1], \"radius\": 0.5, \"pitch\": -0.2", "-0.4, 0.3, -3",
                                         "\"axis\": [0, 1, 0], \"radius\": 0.5, \"pitch\": 0.6",  "0.3, 2, 0.4"};
    for (int i = 0; i < 6; i += 2) {
        char text[800];
        snprintf(text, sizeof text,
                 "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"bead\", \"point\": true,"
                 " \"mass\": 1, \"position\": [%s] }], \"joints\": [{ \"name\": \"j\", \"type\": \"curve\","
                 " \"bodies\": [\"ground\", \"bead\"], \"curve\": { \"helix\": { \"origin\": [0, 0, 0], %s } } }] }",
                 places[i + 1], places[i]);
        running r = run_text(text, 0.01, 1e-10);
        assert_near(trm_sim_assembly(r.sim).position, 0, 1e-12);
        stop(&r);
    }
}

static void a_bead_on_a_helix_falls_uniformly_faster(void **state)
{
    const double two = 2, four = 4;
    (void)state;
    assert_near(helix_error(0.005, &four), 0, 1e-7);
    assert_near(order_between(helix_error, &two, 0.02), 2, 0.1);
    assert_near(order_between(helix_error, &four, 0.02), 4, 0.3);
}

static void a_bead_on_a_circle_is_a_pendulum(void **state)
{
    const char *circle = "{\"trammel\": 1, \"gravity\": [0, -9.81, 0], " BEAD("[1, 0, 0]", "[0, 0, 0]") ", " HELD(
        "curve", "{ \"circle\": { \"origin\": [0, 0, 0], \"axis\": [0, 0, 1], \"radius\": 1 } }") "}";
    const char *bar = "{\"trammel\": 1, \"gravity\": [0, -9.81, 0], " BEAD(
        "[1, 0, 0]",
        "[0, 0, 0]") ", \"joints\": [{ \"name\": \"j\", \"type\": \"distance\", \"bodies\": [\"ground\", "
                     "\"bead\"], \"anchors\": [[0, 0, 0], [0, 0, 0]] }]}";
    (void)state;
    for (double order = 2; order <= 4; order += 2) {
        running a = run_text_of_order(circle, order, 0.01), b = run_text_of_order(bar, order, 0.01);
        for (double t = 0.5; t <= 3; t += 0.5) {
            go(&a, t);
            go(&b, t);
            assert_near(trm_v3_length(trm_v3_sub(place_of(&a, "bead"), place_of(&b, "bead"))), 0, 1e-9);
        }
        stop(&a);
        stop(&b);
    }
}

/* On a hoop that turns, gravity and the centrifugal force balance at cos(phi) = g / (W^2 R) from the lowest point;
 * with g = 9.8, W = 7, R = 0.4: cos(phi) = 1/2. */
static void a_bead_rests_where_it_should_on_a_hoop_that_is_turned(void **state)
{
    const double sine = sqrt(3) / 2, speed = 7 * 0.4 * sine;
    char text[1000];
    (void)state;
    snprintf(text, sizeof text,
             "{\"trammel\": 1, \"gravity\": [0, 0, -9.8], \"bodies\": [{\"name\": \"hoop\", \"moving\": {\"angle\": "
             "\"7*t\", \"axis\": [0, 0, 1]}}, {\"name\": \"bead\", \"point\": true, \"mass\": 1, \"position\": "
             "[%.17g, 0, -0.2], \"velocity\": [0, %.17g, 0]}], \"joints\": [{\"name\": \"j\", \"type\": \"curve\", "
             "\"bodies\": [\"hoop\", \"bead\"], \"curve\": {\"circle\": {\"origin\": [0, 0, 0], \"axis\": [0, 1, 0], "
             "\"radius\": 0.4}}}]}",
             0.4 * sine, speed);
    running r = run_text_of_order(text, 4, 0.002);
    go(&r, 3);
    const trm_vec3 x = place_of(&r, "bead");
    assert_near(x.x, 0.4 * sine * cos(21), 1e-7);
    assert_near(x.y, 0.4 * sine * sin(21), 1e-7);
    assert_near(x.z, -0.2, 1e-7);
    stop(&r);
}

static void a_bead_leaves_an_open_curve_straight_on(void **state)
{
    const char *text = "{\"trammel\": 1, " BEAD("[0.2, 0, 0]", "[3, 0, 0]") ", " HELD(
        "curve", "{ \"points\": [[0, 0, 0], [1, 0, 0], [2, 0, 0]] }") "}";
    (void)state;
    running r = run_text(text, 0.01, TIGHT);
    go(&r, 2);
    assert_near(trm_v3_length(trm_v3_sub(place_of(&r, "bead"), trm_v3(6.2, 0, 0))), 0, 1e-11);
    stop(&r);
}

/* ---- Conservation ------------------------------------------------------------------------- */

#define ON(shape, position, velocity, what)                                                                          \
    "{\"trammel\": 1, \"gravity\": [0, 0, -9.81], " BEAD(position, velocity) ", " HELD(shape, what) "}"

/* Surfaces with the axis z, along which gravity points, too. */
static const char *const SYMMETRIC[] = {
    ON("surface", "[1, 0, 0]", "[0, 2, 1]", "{ \"sphere\": { \"origin\": [0, 0, 0], \"radius\": 1 } }"),
    ON("surface", "[0.5, 0, 0]", "[0, 2, 1]",
       "{ \"cylinder\": { \"origin\": [0, 0, 3], \"axis\": [0, 0, 2], \"radius\": 0.5 } }"),
    ON("surface", "[1, 0, 0.4]", "[-1, 2, 0]",
       "{ \"torus\": { \"origin\": [0, 0, 0], \"axis\": [0, 0, 1], \"major\": 1, \"minor\": 0.4 } }"),
};
enum { SYMMETRIC_COUNT = sizeof SYMMETRIC / sizeof SYMMETRIC[0] };

static double momentum_about_z(const running *r)
{
    return trm_v3_cross(place_of(r, "bead"), velocity_of(r, "bead")).z;
}

static void momentum_about_the_axis_of_a_surface_is_kept(void **state)
{
    const double rounding = 1e-12; /* rounding of numbers of size one, in a thousand steps */
    (void)state;
    for (int i = 0; i < SYMMETRIC_COUNT; i++) {
        running r = run_text(SYMMETRIC[i], 0.005, 1e-10);
        const double before = momentum_about_z(&r);
        go(&r, 5);
        assert_true(fabs(before) > 0.5);
        assert_near(momentum_about_z(&r), before, rounding);
        stop(&r);
    }
}

/* A model and an order. */
typedef struct conservation {
    const char *text;
    double order;
} conservation;

/* Returns the largest change of the energy at 20 times in a second. */
static double energy_error(double step, const void *context)
{
    const conservation *c = context;
    running r = run_text_of_order(c->text, c->order, step);
    const double before = energy_of(&r);
    double worst = 0;
    for (int k = 1; k <= 20; k++) {
        go(&r, 0.05 * k);
        worst = fmax(worst, fabs(energy_of(&r) - before));
    }
    stop(&r);
    return worst;
}

/* A ring that turns freely, with a bar that is guided by its end; a closed spline of a free body, with another body
 * on it that turns. */
static const char TURNING_RING[] =
    "{\"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"ring\", \"mass\": 2, \"inertia\": [0.3, "
    "0.3, "
    "0.5], \"angular_velocity\": [0, 0, 2]}, {\"name\": \"bar\", \"mass\": 1, \"inertia\": [0.1, 0.02, 0.1], "
    "\"position\": [0.8, 0.3, 0], \"velocity\": [0, 1.6, 0], \"angular_velocity\": [0, 0, 0]}], "
    "\"joints\": [{\"name\": \"axle\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"ring\"], \"anchor\": [0, 0, "
    "0], "
    "\"axis\": [0, 0, 1]}, {\"name\": \"j\", \"type\": \"curve\", \"bodies\": [\"ring\", \"bar\"], \"anchor\": [0.8, "
    "0, 0], "
    "\"curve\": {\"circle\": {\"origin\": [0, 0, 0], \"axis\": [0, 1, 0], \"radius\": 0.8}}}]}";

static const char FREE_PAIR[] =
    "{\"trammel\": 1, \"bodies\": [{\"name\": \"track\", \"mass\": 2, \"inertia\": [0.5, 0.6, 0.7], \"position\": "
    "[0.1, 0.2, "
    "0.3], \"orientation\": {\"axis\": [1, 1, 0], \"angle\": 0.5}, \"angular_velocity\": [0.3, -0.2, 0.5]}, "
    "{\"name\": \"car\", \"mass\": 1, \"inertia\": [0.1, 0.15, 0.2], \"position\": [1.2, 0.3, -0.2], "
    "\"velocity\": [0.3, 1.5, 0.2], \"angular_velocity\": [0.5, 1, -1]}], "
    "\"joints\": [{\"name\": \"j\", \"type\": \"curve\", \"bodies\": [\"track\", \"car\"], "
    "\"anchors\": [[0, 0, 0], [-0.1, 0, 0]], \"curve\": {\"closed\": true, \"points\": [[1, 0, 0], [0.7, 0.8, 0.3], "
    "[0, 1.1, 0], [-0.8, 0.7, -0.3], [-1, 0, 0], [-0.7, -0.8, 0.3], [0, -1, 0], [0.7, -0.7, -0.3]]}}]}";

static void energy_is_kept_to_the_order(void **state)
{
    const char *const all[] = {SYMMETRIC[0], SYMMETRIC[1], SYMMETRIC[2], TURNING_RING};
    (void)state;
    for (int i = 0; i < 4; i++) {
        const conservation two = {all[i], 2}, four = {all[i], 4};
        if (i != 1) assert_near(order_between(energy_error, &two, 0.01), 2, 0.15);
        if (i != 1) assert_near(order_between(energy_error, &four, 0.01), 4, 0.4);
        if (i == 1)
            assert_near(energy_error(0.01, &two), 0, 1e-10); /* free motion on a circle: only the error of TIGHT */
        assert_near(energy_error(0.0025, &four), 0, 1e-5);
    }
}

static void a_free_pair_keeps_its_momentum(void **state)
{
    const double kept = 1e-12;
    (void)state;
    running r = run_text(FREE_PAIR, 0.005, 1e-10);
    const trm_momentum before = trm_state_momentum(trm_sim_state(r.sim));
    go(&r, 10);
    const trm_momentum after = trm_state_momentum(trm_sim_state(r.sim));
    assert_near(trm_v3_length(trm_v3_sub(after.linear, before.linear)), 0, kept);
    assert_near(trm_v3_length(trm_v3_sub(after.angular, before.angular)), 0, kept);
    assert_true(trm_position_gap(trm_sim_state(r.sim), trm_find_joint(r.model, "j")).position <= 1e-10);
    stop(&r);
}

/* A start away from the curve is moved onto it, to the nearest point. */
static void a_start_off_the_curve_is_assembled(void **state)
{
    const char *text = "{\"trammel\": 1, " BEAD("[1.3, 1.3, 0.2]", "[0, 0, 0]") ", " HELD(
        "curve", "{ \"circle\": { \"origin\": [0, 0, 0], \"axis\": [0, 0, 1], \"radius\": 1 } }") "}";
    (void)state;
    running r = run_text(text, 0.01, 1e-10);
    const double half = sqrt(0.5);
    assert_near(trm_v3_length(trm_v3_sub(place_of(&r, "bead"), trm_v3(half, half, 0))), 0, 1e-9);
    stop(&r);
}

/* Another method, which uses the accelerations from gamma, agrees. */
static void lagrange_agrees(void **state)
{
    const char *const all[] = {SYMMETRIC[0], SYMMETRIC[2], HELIX, TURNING_RING, FREE_PAIR};
    const char *const bodies[] = {"bead", "bead", "bead", "bar", "car"};
    (void)state;
    for (int i = 0; i < 5; i++) {
        trm_model *model = model_of_text(all[i]);
        trm_simulation_def options = with_order(model, 2, 0.0005);
        options.method = "lagrange";
        options.solver = "direct";
        const char *solver = running_solver;
        running_solver = NULL;
        running a = run_model(model, &options);
        running_solver = solver;
        running b = run_text_of_order(all[i], 4, 0.002);
        go(&a, 1);
        go(&b, 1);
        assert_near(trm_v3_length(trm_v3_sub(place_of(&a, bodies[i]), place_of(&b, bodies[i]))), 0, 1e-6);
        stop(&a);
        stop(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bead_on_a_cycloid_moves_as_the_closed_form_says),
        cmocka_unit_test(a_bead_on_a_cycloid_is_isochronous),
        cmocka_unit_test(a_helix_goes_through_its_rider),
        cmocka_unit_test(a_bead_on_a_helix_falls_uniformly_faster),
        cmocka_unit_test(a_bead_on_a_circle_is_a_pendulum),
        cmocka_unit_test(a_bead_rests_where_it_should_on_a_hoop_that_is_turned),
        cmocka_unit_test(a_bead_leaves_an_open_curve_straight_on),
        cmocka_unit_test(momentum_about_the_axis_of_a_surface_is_kept),
        cmocka_unit_test(energy_is_kept_to_the_order),
        cmocka_unit_test(a_free_pair_keeps_its_momentum),
        cmocka_unit_test(a_start_off_the_curve_is_assembled),
        cmocka_unit_test(lagrange_agrees),
    };
    return RUN_WITH_ALL_SOLVERS(tests);
}
