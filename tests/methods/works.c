/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The parts of the work W: input of drives and moving bodies, and losses by friction, dampers, impacts and
 * contacts. */

#include "choosing.h"

static const double STEP = 0.002; /* s */

/* Returns the works at the end of a run with a method and a treatment of impacts (NULL: that of the model). */
static trm_works works_of(const char *text, const char *method, const char *impact, double until)
{
    trm_model *model = model_of_text(text);
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = method;
    options.step = STEP;
    if (impact) options.impact = impact;
    running r = run_model(model, &options);
    go(&r, until);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    const trm_works w = a.works;
    print_message("    %-10s put in %9.5f, friction %9.5f, damping %9.5f, impact %9.5f, contact %9.5f J\n", method,
                  w.input, w.friction, w.damping, w.impact, w.contact);
    assert_near(w.input + w.friction + w.damping + w.impact + w.contact, a.work, 1e-12 * fmax(1, fabs(a.work)));
    stop(&r);
    return w;
}

/* ---- Moving bodies ------------------------------------------------------------------------- */

/* A belt at 0.8 m/s accelerates a block of 16 kg to its speed: its input is m v^2, half of which is lost by slip. */
static void a_belt_puts_in_what_the_block_gains_and_what_slip_takes(void **state)
{
    (void)state;
    static const char belt[] =
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": { \"friction\": 0.5 }, \"bodies\": ["
        "  { \"name\": \"block\", \"position\": [0, 0, 0.1], \"shapes\": [{ \"type\": \"box\","
        "    \"size\": [0.4, 0.4, 0.2], \"density\": 500 }] },"
        "  { \"name\": \"belt\", \"moving\": { \"position\": [\"0.8*t\", 0, 0] }, \"shapes\": [{ \"type\": \"plane\","
        "    \"normal\": [0, 0, 1], \"offset\": 0 }] }] }";
    static const char *const ways[][2] = {{"impulse", "event"}, {"impulse", "window"}, {"lcp", NULL}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const trm_works w = works_of(belt, ways[i][0], ways[i][1], 0.5);
        const double slip = 0.5 * 16 * 0.64;
        assert_near(w.contact, -slip, 0.01 * slip); /* within the part of the slide in one step */
        assert_near(w.input + w.contact, slip, 1e-9);
        assert_near(w.friction + w.damping + w.impact, 0, 0);
    }
}

/* A spring of 1000 N holds a box on the floor, whether rows are states after each step or at the end only. */
static void a_floor_that_bears_a_spring_does_no_work(void **state)
{
    (void)state;
    static const char pressed[] =
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
        "  { \"name\": \"box\", \"position\": [0, 0, 0.1], \"mass\": 1, \"shapes\": [{ \"type\": \"box\","
        "    \"size\": [0.2, 0.2, 0.2] }] },"
        "  { \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1], "
        "\"offset\": 0 }] }],"
        "  \"forces\": [{ \"type\": \"spring\", \"bodies\": [\"ground\", \"box\"], \"anchors\": [[0, 0, 1.1], [0, 0, "
        "0]],"
        "    \"rest\": 1.5, \"stiffness\": 2000 }] }";
    static const char *const modes[] = {"event", "window"};
    for (int i = 0; i < 4; i++) {
        trm_model *model = model_of_text(pressed);
        trm_simulation_def options = *trm_model_simulation(model);
        options.impact = modes[i / 2];
        options.step = STEP;
        running r = run_model(model, &options);
        for (int k = 1; k <= 20; k++) go_every(&r, 0.01 * k, i % 2 == 0 ? STEP : 0.01);
        trm_verdict verdict;
        trm_sim_verdict(r.sim, &verdict);
        assert_near(trm_sim_accuracy(r.sim).works.contact, 0, 1e-9);
        assert_int_equal(verdict.grade, TRM_GOOD);
        stop(&r);
    }
}

/* A wall at 2 m/s strikes a ball of 1 kg at rest, e = 0.5: the ball leaves at 3 m/s. The impact dissipates m (1 -
 * e^2) 2^2/2 in the wall's frame, and the input of the wall is p v. */
static void a_wall_that_moves_puts_in_energy_and_its_impact_takes_some(void **state)
{
    (void)state;
    static const char wall[] =
        "{ \"trammel\": 1, \"gravity\": [0, 0, 0], \"defaults\": { \"restitution\": 0.5 }, \"bodies\": ["
        "  { \"name\": \"ball\", \"position\": [0.2, 0, 0], \"mass\": 1, \"inertia\": [0.004, 0.004, 0.004],"
        "    \"shapes\": [{ \"type\": \"sphere\", \"radius\": 0.1 }] },"
        "  { \"name\": \"wall\", \"moving\": { \"position\": [\"2*t\", 0, 0] }, \"shapes\": [{ \"type\": \"plane\","
        "    \"normal\": [1, 0, 0], \"offset\": 0 }] }] }";
    const trm_works w = works_of(wall, "impulse", "event", 0.2);
    assert_near(w.impact, -0.5 * (1 - 0.25) * 4, 1e-9);
    assert_near(w.input, 3.0 * 2, 1e-9);
}

/* A driven crank moves a slider against its stop: the input of the drive is the loss of the impact plus the gain of
 * the slider. */
static void a_stop_on_a_driven_arm_only_takes(void **state)
{
    (void)state;
    static const char arm[] =
        "{ \"trammel\": 1, \"gravity\": [0, 0, 0], \"bodies\": ["
        "  { \"name\": \"arm\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1] },"
        "  { \"name\": \"bob\", \"mass\": 2, \"inertia\": [0.01, 0.01, 0.01], \"position\": [1, 0, 0] }],"
        "  \"joints\": ["
        "  { \"name\": \"a\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"arm\"], \"axis\": [0, 0, 1],"
        "    \"anchor\": [0, 0, 0] },"
        "  { \"name\": \"b\", \"type\": \"hinge\", \"bodies\": [\"arm\", \"bob\"], \"axis\": [0, 0, 1],"
        "    \"anchor\": [0.5, 0, 0], \"limits\": [-0.5, 0.5], \"limit_restitution\": 0.5 }],"
        "  \"forces\": [{ \"name\": \"d\", \"type\": \"drive\", \"joint\": \"a\", \"motion\": \"3*t\" }] }";
    const trm_works w = works_of(arm, "impulse", NULL, 1);
    assert_true(w.impact < -0.01);
    assert_near(w.friction + w.damping + w.contact, 0, 0);
}

/* ---- Passive elements ---------------------------------------------------------------------- */

/* A flywheel of 0.5 kg m^2 at 2 rad/s comes to rest by the friction of its bearing, which dissipates its 1 J. */
static void friction_in_a_joint_takes_all_that_a_flywheel_has(void **state)
{
    (void)state;
    static const char wheel[] =
        "{ \"trammel\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{ \"name\": \"w\", \"mass\": 1,"
        "  \"inertia\": [0.3, 0.3, 0.5], \"angular_velocity\": [0, 0, 2] }], \"joints\": [{ \"name\": \"a\","
        "  \"type\": \"hinge\", \"bodies\": [\"ground\", \"w\"], \"axis\": [0, 0, 1], \"anchor\": [0, 0, 0],"
        "  \"friction\": 1 }] }";
    static const char *const methods[] = {"impulse", "lcp"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const trm_works w = works_of(wheel, methods[i], NULL, 1.5);
        assert_near(w.friction, -1, 1e-9);
        assert_near(w.input + w.damping + w.impact + w.contact, 0, 0);
    }
}

/* A mass on a spring with a damper and a servo: works of each element, with each method. */
static void dampers_take_and_servos_put_in_with_every_method(void **state)
{
    (void)state;
    static const char damped[] =
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"m\", \"mass\": 2,"
        "  \"inertia\": [0.1, 0.1, 0.1], \"position\": [0.5, 0, 0] }], \"joints\": [{ \"name\": \"a\","
        "  \"type\": \"hinge\", \"bodies\": [\"ground\", \"m\"], \"axis\": [0, 0, 1], \"anchor\": [0, 0, 0] }],"
        "  \"forces\": [{ \"name\": \"t\", \"type\": \"torsion\", \"joint\": \"a\", \"stiffness\": 5, \"damping\": "
        "0.5 },"
        "  { \"name\": \"s\", \"type\": \"servo\", \"joint\": \"a\", \"target\": \"2*t\", \"kp\": 20, \"kd\": 1 },"
        "  { \"name\": \"air\", \"type\": \"drag\", \"body\": \"m\", \"linear\": 0.3, \"angular\": 0.1 }] }";
    const trm_works reference = works_of(damped, "minimal", NULL, 1);
    static const char *const methods[] = {"impulse", "lagrange", "lcp"};
    assert_true(reference.damping < -0.1 && reference.input > 0.1);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const double digits =
            strcmp(methods[i], "lcp") == 0 ? 0.01 * fabs(reference.input) : 1e-3; /* lcp is of order 1 */
        const trm_works w = works_of(damped, methods[i], NULL, 1);
        assert_near(w.damping, reference.damping, digits);
        assert_near(w.input, reference.input, digits);
        assert_near(w.friction + w.impact + w.contact, 0, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_belt_puts_in_what_the_block_gains_and_what_slip_takes),
        cmocka_unit_test(a_floor_that_bears_a_spring_does_no_work),
        cmocka_unit_test(a_wall_that_moves_puts_in_energy_and_its_impact_takes_some),
        cmocka_unit_test(a_stop_on_a_driven_arm_only_takes),
        cmocka_unit_test(friction_in_a_joint_takes_all_that_a_flywheel_has),
        cmocka_unit_test(dampers_take_and_servos_put_in_with_every_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
