/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Impact without a collision: a sliding rod that no force can hold (R23). */

#include "running.h"

/* The rod of Stewart and of Drake: m = 2 kg, J = 1 kg m^2, its end 1 m from its middle, at 45 degrees, sliding with 1
 * m/s away from its middle. */
static running sliding_rod(double friction, double heading, double step)
{
    char text[2000];
    const double slip = heading < 0 ? 1 : -1;
    snprintf(
        text, sizeof text,
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"defaults\": { \"friction\": %g }, \"bodies\": ["
        "{ \"name\": \"rod\", \"mass\": 2, \"inertia\": [1e-3, 1, 1], \"position\": [\"cos(45*deg)\", "
        "\"sin(45*deg)\", 0],"
        "  \"orientation\": { \"axis\": [0, 0, 1], \"angle\": \"45*deg\" }, \"velocity\": [%g, 0, 0],"
        "  \"shapes\": [{ \"type\": \"hull\", \"points\": [[-1, 0, 0], [0, 0.001, 0], [0, 0, 0.001], [0, 0, -0.001]] "
        "}] },"
        "{ \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 1, 0] }] } ] }",
        friction, slip);
    return run_text(text, step, 1e-10);
}

static double energy_and_work(const running *r)
{
    trm_sim_observe(r->sim);
    const trm_accuracy a = trm_sim_accuracy(r->sim);
    assert_true(a.work < -0.5); /* the slip has ended */
    return a.energy_end - a.energy_start - a.work;
}

/* The impulse on the rod is (4/3, 2/3) N s for any step. */
static void a_rod_that_no_force_can_hold_is_struck(void **state)
{
    (void)state;
    static const double steps[] = {0.01, 0.001, 0.0001};
    for (int i = 0; i < 3; i++) {
        running r = sliding_rod(1000, 1, steps[i]);
        trm_contact_row row;
        go_every(&r, steps[i], steps[i]);
        assert_true(trm_sim_contacts(r.sim, &row, 1) >= 1);
        assert_true(row.impact);
        assert_true(row.time == 0);
        assert_near(-row.force.x, 4.0 / 3, 1e-12); /* the row has the impulse on the second body, the floor */
        assert_near(-row.force.y, 2.0 / 3, 1e-12);
        assert_near(energy_and_work(&r), 0, 20 * steps[i] * steps[i]); /* order 2; accelerations are about ten */
        stop(&r);
    }
}

/* In a very short step the look-ahead does not detect the impact, and velocities are projected at its end: the
 * impulse and its loss of energy are the same. */
static void a_rod_that_is_struck_at_the_end_of_a_short_step_loses_as_much_energy(void **state)
{
    (void)state;
    const double step = 1e-7, little = 1e-8; /* J: of 2/3 J */
    running r = sliding_rod(1000, 1, step);
    go(&r, 10 * step);
    assert_near(energy_and_work(&r), 0, little);
    stop(&r);
}

/* With friction below 5/3 at this angle, or slip in the other direction, a force can hold the rod. */
static void a_rod_that_a_force_can_hold_slides_on(void **state)
{
    (void)state;
    static const struct {
        double friction, heading;
    } cases[] = {{1.6, 1}, {0.5, 1}, {1000, -1}};
    for (int i = 0; i < 3; i++) {
        running r = sliding_rod(cases[i].friction, cases[i].heading, 0.001);
        trm_contact_row row;
        go_every(&r, 0.001, 0.001);
        if (trm_sim_contacts(r.sim, &row, 1) > 0) assert_false(row.impact);
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_that_no_force_can_hold_is_struck),
        cmocka_unit_test(a_rod_that_is_struck_at_the_end_of_a_short_step_loses_as_much_energy),
        cmocka_unit_test(a_rod_that_a_force_can_hold_slides_on),
    };
    return RUN_TESTS(tests);
}
