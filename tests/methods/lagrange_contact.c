/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts at acceleration level, without friction: what they support, and what requires contacts at velocity
 * level. */

#include "check.h"
#include "choosing.h"
#include "resuming.h"
#include "scenes.h"

static const double STEP = 0.005;

static running run_as(scene *s, const char *choice, double step)
{
    return run_chosen(machine_finish(&s->m), (way){.choice = choice, .step = step, .tolerance = 1e-12});
}

/* ---- Supported ---------------------------------------------------------------------------- */

static void a_box_at_rest_stays_and_the_floor_bears_it(void **state)
{
    (void)state;
    enum { MOST = 20 };
    trm_contact_row rows[MOST];
    scene s;
    scene_init(&s, 0, 0);
    add_solid(&s, box_of(0.4, 0.3, 0.2), 12, trm_v3(0, 0, 0.1))->name = "box";
    add_floor(&s);
    running r = run_as(&s, "lagrange", STEP);
    go_every(&r, 2, 2);
    const int count = trm_sim_contacts(r.sim, rows, MOST);
    double weight = 0;
    for (int i = 0; i < count; i++) weight += fabs(rows[i].force.z);
    print_message("    after 2 s: %.1e m lower, %d contacts bear %.12g N\n", place_of(&r, "box").z - 0.1, count,
                  weight);
    assert_near(place_of(&r, "box").z, 0.1, 1e-11);
    assert_near(weight, 12 * G, 1e-9);
    stop(&r);
}

static void a_block_slides_down_a_smooth_slope_as_the_fall_is_long(void **state)
{
    (void)state;
    scene s;
    scene_init(&s, 0, 0);
    lean(&s, 20 * DEG);
    add_solid(&s, box_of(0.4, 0.4, 0.2), 5, trm_v3(0, 0, 0.1))->name = "block";
    add_floor(&s);
    running r = run_as(&s, "lagrange", STEP);
    go_every(&r, 1, 1);
    assert_near(place_of(&r, "block").x, 0.5 * G * sin(20 * DEG), 1e-12);
    stop(&r);
}

/* A rod leans on a smooth wall and a smooth floor. It leaves the wall where sin(theta) = 2/3 sin(theta_0); afterwards
 * its speed along the floor is sqrt(g L) sin(theta_0)^(3/2) / 3. */
static const char *const LADDER =
    "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": { \"friction\": 0 },"
    "  \"constants\": { \"a\": \"70*deg\", \"c\": \"0.5*cos(a)\", \"s\": \"0.5*sin(a)\" }, \"bodies\": ["
    "  { \"name\": \"ladder\", \"rod\": { \"from\": [0, 0, \"2*s\"], \"to\": [\"2*c\", 0, 0], \"mass\": 3 },"
    "    \"shapes\": [{ \"type\": \"hull\", \"points\": [[-0.5, 0, 0], [0.5, 0, 0], [0, 0.001, 0], [0, -0.001, 0], "
    "[0, 0, 0.001]] }] },"
    "  { \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1], "
    "\"offset\": 0 }] },"
    "  { \"name\": \"wall\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [1, 0, 0], \"offset\": "
    "0 }] }]"
    "}";

static double ladder_error(double step, const void *context)
{
    running r = run_chosen(model_of_text(LADDER), (way){.choice = context, .step = step, .tolerance = 1e-12});
    go_every(&r, 0.56, 0.56); /* after it has left the wall, before it lies flat */
    const double error = fabs(velocity_of(&r, "ladder").x - sqrt(G) * pow(sin(70 * DEG), 1.5) / 3);
    stop(&r);
    return error;
}

static void a_ladder_leaves_the_wall_at_two_thirds_of_its_height(void **state)
{
    (void)state;
    const double coarse = ladder_error(0.004, "lagrange"), fine = ladder_error(0.001, "lagrange");
    print_message("    speed of a ladder that has left the wall: %.1e, %.1e m/s off at h = 0.004, 0.001 s\n", coarse,
                  fine);
    assert_true(coarse < 0.01);     /* of about 1 m/s */
    assert_true(fine < coarse / 4); /* at least first order: it leaves the wall somewhere within a step */
}

static void contacts_hold_through_joints(void **state)
{
    (void)state;
    /* gravity pulls a pendulum against a wall that it touches: it stays at rest, and the hinge bears the rest of the
     * load */
    scene s;
    scene_init(&s, 0, 0);
    s.m.def->gravity = trm_v3(-3, 0, -G);
    add_solid(&s, sphere_of(0.1), 2, trm_v3(0.1, 0, -1));
    trm_shape_def plane = shape_of("plane");
    plane.normal = trm_v3(1, 0, 0);
    plane.offset = 0;
    add_wall(&s, plane, trm_v3(0, 0, 0));
    add_joint_at(&s.m, "ball", 0, 1, 0.1, 0, 0);
    running r = run_as(&s, "lagrange", STEP);
    trm_sim_enable_reactions(r.sim, true);
    go_every(&r, 1, 1);
    const trm_spatial F = trm_joint_reaction(trm_sim_state(r.sim), 0);
    assert_near(place_of(&r, "b1").x, 0.1, 1e-10);
    assert_near(F.lin.z, 2 * G, 1e-8);
    assert_near(F.lin.x, 0, 1e-8); /* the wall touches at the height of the centre and bears the horizontal force */
    stop(&r);
}

/* ---- Not supported ------------------------------------------------------------------------ */

static running drop(const char *choice, double height)
{
    scene s;
    scene_init(&s, 0, 0);
    add_solid(&s, box_of(0.2, 0.2, 0.2), 4, trm_v3(0, 0, 0.1 + height))->name = "box";
    add_floor(&s)->name = "floor";
    return run_as(&s, choice, STEP);
}

static void an_impact_ends_the_run_with_a_message(void **state)
{
    (void)state;
    running r = drop("lagrange", 0.2);
    const trm_run_def run = {.until = 1, .every = 0.01};
    const trm_outcome outcome = trm_sim_run(r.sim, &run);
    assert_false(outcome.ok);
    assert_non_null(strstr(outcome.element, "'box', 'floor'"));
    assert_non_null(strstr(outcome.why, "collide at"));
    assert_near(outcome.time, sqrt(2 * 0.2 / G), 2 * STEP);
    stop(&r);
}

/* c'' + 2 b c' + b^2 c = 0 from c = 0, c' = -v: deepest at t = 1/b, v / (e b) deep. */
static void stabilised_it_sinks_as_deep_as_its_equation_says(void **state)
{
    (void)state;
    static const struct {
        double beta;
        const char *choice;
    } cases[] = {{20, "lagrange:stabilise=baumgarte:beta=20"}, {80, "lagrange:stabilise=baumgarte:beta=80"}};
    for (int i = 0; i < 2; i++) {
        running r = drop(cases[i].choice, 0.2);
        const double v = sqrt(2 * G * 0.2), theory = v / (exp(1) * cases[i].beta);
        double deepest = 0;
        for (int k = 0; k < 800; k++) {
            assert_good(trm_sim_step(r.sim, STEP / 16));
            deepest = fmax(deepest, 0.1 - place_of(&r, "box").z);
        }
        print_message("    beta = %g: %.4f m deep, %.4f m by its equation\n", cases[i].beta, deepest, theory);
        assert_near(deepest, theory, 0.02 * theory); /* contact begins somewhere within a step */
        stop(&r);
    }
    running good = drop("lcp", 0.2); /* at velocity level the body is stopped at the surface */
    for (int k = 0; k < 200; k++) {
        assert_good(trm_sim_step(good.sim, STEP / 4));
        assert_true(place_of(&good, "box").z > 0.1 - 1e-12);
    }
    stop(&good);
}

static void friction_rebound_and_penalty_are_refused_by_name(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        scene s;
        scene_init(&s, i == 0 ? 0.3 : 0, i == 0 ? 0 : 0.5);
        add_solid(&s, box_of(0.2, 0.2, 0.2), 4, trm_v3(0, 0, 0.1))->name = "box";
        add_floor(&s);
        trm_simulation_def options = trm_default_simulation_def();
        options.method = "lagrange";
        assert_refused(machine_finish(&s.m), &options, "body 'box' has contacts with friction or restitution");
    }
    running r = drop("lagrange:stabilise=penalty", 0);
    const trm_outcome outcome = trm_sim_step(r.sim, STEP);
    assert_false(outcome.ok);
    assert_non_null(strstr(outcome.why, "is penalty, which does not support contacts"));
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_at_rest_stays_and_the_floor_bears_it),
        cmocka_unit_test(a_block_slides_down_a_smooth_slope_as_the_fall_is_long),
        cmocka_unit_test(a_ladder_leaves_the_wall_at_two_thirds_of_its_height),
        cmocka_unit_test(contacts_hold_through_joints),
        cmocka_unit_test(an_impact_ends_the_run_with_a_message),
        cmocka_unit_test(stabilised_it_sinks_as_deep_as_its_equation_says),
        cmocka_unit_test(friction_rebound_and_penalty_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
