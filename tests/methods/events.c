/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One-sided joints: ropes and limits go taut and slack at the right times, bounce, and hold without creeping. */

#include "check.h"
#include "choosing.h"
#include "resuming.h"

static const double TIGHT = 1e-12;

/* Methods that support one-sided joints, with the requested order of each. */
static const way WAYS[] = {
    {.choice = "impulse", .order = 2, .step = 0.01, .tolerance = 1e-12},
    {.choice = "impulse", .order = 4, .step = 0.01, .tolerance = 1e-12},
    {.choice = "impulse", .order = 8, .step = 0.02, .tolerance = 1e-12},
    {.choice = "lagrange:integrator=rk4", .step = 0.01, .tolerance = 1e-12},
    {.choice = "lagrange:integrator=fehlberg8", .step = 0.02, .tolerance = 1e-12},
    {.choice = "lagrange:integrator=dopri5", .error = 1e-9, .step = 0.01},
    {.choice = "impulse", .order = 4, .error = 1e-8, .step = 0.01},
};
enum { WAY_COUNT = sizeof WAYS / sizeof *WAYS };

/* Returns the error of the steps of a run between its events: visible for order 2, nearly zero for higher ones. */
static double by_order(const running *r, double order_2, double higher)
{
    return trm_sim_options(r->sim)->order == 2 ? order_2 : higher;
}

/* ---- Ropes -------------------------------------------------------------------------------- */

#define ROPE(more)                                                                                                   \
    "{ \"trammel\": 1, \"gravity\": [0, -10, 0],"                                                                    \
    "  \"bodies\": [{ \"name\": \"p\", \"point\": true, \"mass\": 1, \"position\": [0.1, 0.9, 0] }],"                \
    "  \"joints\": [{ \"name\": \"rope\", \"type\": \"distance\", \"bodies\": [\"ground\", \"p\"],"                  \
    "    \"anchors\": [[0, 0, 0], [0, 0, 0]], \"length\": 1, \"rope\": true" more " }] }"

/* R26: the published times, velocities and positions of Chrono's unilateral distance. */
static void a_falling_mass_is_caught_by_its_rope_when_and_how_it_should(void **state)
{
    (void)state;
    const double taut = 0.61562771820421146, after = 0.25;
    for (int i = 0; i < WAY_COUNT; i++) {
        running r = run_chosen(model_of_text(ROPE("")), WAYS[i]);
        go_every(&r, taut, taut);
        /* just after the impact, whose time differs by rounding */
        assert_near(place_of(&r, "p").y, -0.99498743710661995, 1e-9);
        go_every(&r, taut + after, taut + after);
        const double order = trm_sim_options(r.sim)->order;
        const double off =
            trm_v3_length(trm_v3_sub(place_of(&r, "p"), trm_v3(-0.067841666091976853, -0.99769610019377379, 0)));
        print_message("    %-32s order %g: %.1e m off 0.25 s after the impact\n", WAYS[i].choice, order, off);
        assert_true(off <= by_order(&r, 1e-4, order <= 5 ? 1e-8 : 1e-11));
        assert_int_equal(trm_sim_counters(r.sim)->impacts, 1);
        assert_true(trm_sim_accuracy(r.sim).gap.position <= 1e-9);
        stop(&r);
    }
}

/* A run to the first event ends when the rope goes taut, with a row there; the next run continues to its end. */
static bool count_row(void *context, const trm_state *state)
{
    double *last = context;
    last[0]++, last[1] = trm_state_time(state);
    return true;
}

static void a_run_to_the_next_event_ends_at_its_time(void **state)
{
    (void)state;
    const double taut = 0.61562771820421146;
    for (int i = 0; i < WAY_COUNT; i++) {
        double rows[2] = {0, NAN};
        trm_run_def run = {.until = 0.8, .every = 0.1, .row = count_row, .context = rows, .to_event = true};
        running r = run_chosen(model_of_text(ROPE("")), WAYS[i]);
        assert_true(trm_sim_run(r.sim, &run).ok);
        assert_int_equal(rows[0], 8); /* at 0, 0.1, ... 0.6 s, and here */
        assert_near(rows[1], taut, 1e-9);
        assert_near(trm_state_time(trm_sim_state(r.sim)), rows[1], 0);
        assert_true(trm_sim_run(r.sim, &run).ok);
        assert_int_equal(rows[0], 10);
        assert_near(rows[1], 0.8, 1e-12);
        stop(&r);
    }
}

static void an_elastic_rope_gives_back_all_energy(void **state)
{
    (void)state;
    running r = run_chosen(model_of_text(ROPE(", \"limit_restitution\": 1")), WAYS[2]);
    go(&r, 3);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    assert_true(trm_sim_counters(r.sim)->impacts >= 2);
    assert_near(a.work, 0, 1e-10);
    assert_true(a.energy_error_max <= 1e-10);
    stop(&r);
}

/* A mass swings up on its rope and falls off the circle where the tension ends: v^2 = -g y at the height y. */
static void a_rope_goes_slack_where_its_tension_ends(void **state)
{
    (void)state;
    static const char *const swing =
        "{ \"trammel\": 1, \"gravity\": [0, -10, 0], \"bodies\": [{ \"name\": \"p\", \"point\": true, \"mass\": 1,"
        "  \"position\": [0, -1, 0], \"velocity\": [6, 0, 0] }], \"joints\": [{ \"name\": \"rope\","
        "  \"type\": \"distance\", \"bodies\": [\"ground\", \"p\"], \"anchors\": [[0, 0, 0], [0, 0, 0]],"
        "  \"length\": 1, \"rope\": true }] }";
    const double y = (36.0 - 20) / 30; /* v0^2 - 2 g (1 + y) = g y */
    for (int i = 0; i < WAY_COUNT; i++) {
        running r = run_chosen(model_of_text(swing), WAYS[i]);
        double height = NAN;
        while (trm_state_time(trm_sim_state(r.sim)) < 1 && isnan(height)) {
            assert_good(trm_sim_step(r.sim, 0.001));
            assert_good(trm_sim_observe(r.sim));
            const trm_vec3 p = place_of(&r, "p");
            if (trm_v3_length(p) < 1 - 1e-9) height = p.y;
        }
        assert_near(height, y, 3e-3); /* within the first millisecond after it */
        assert_true(trm_sim_accuracy(r.sim).energy_error_max <= by_order(&r, 1e-4, 1e-7));
        stop(&r);
    }
}

/* ---- Limits ------------------------------------------------------------------------------- */

#define STOPPED(e)                                                                                                   \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0],"                                                                  \
    "  \"bodies\": [{ \"name\": \"b\", \"mass\": 2, \"inertia\": [0.1, 0.2, 0.3], \"position\": [0, 1, 0] }],"       \
    "  \"joints\": [{ \"name\": \"s\", \"type\": \"slider\", \"bodies\": [\"ground\", \"b\"],"                       \
    "    \"anchor\": [0, 1, 0], \"axis\": [0, 1, 0], \"limits\": [-1, 2], \"limit_restitution\": " e " }] }"

/* The k-th flight is between the times of two hits, at v e^k. */
static double bouncing_height(double t, double e)
{
    const double g = 9.81;
    double hit = sqrt(2 / g), v = g * hit;
    if (t < hit) return 1 - 0.5 * g * t * t;
    for (;;) {
        v *= e;
        if (2 * v / g < 1e-9) return 0;
        if (t < hit + 2 * v / g) return v * (t - hit) - 0.5 * g * (t - hit) * (t - hit);
        hit += 2 * v / g;
    }
}

static void a_stop_bounces_with_its_restitution_at_the_right_times(void **state)
{
    (void)state;
    static const double HEIGHT = 1e-9; /* m: error of times of 1e-10 s; it hits at 4.4 m/s and leaves at 3.1 m/s */
    for (int i = 0; i < WAY_COUNT; i++) {
        running r = run_chosen(model_of_text(STOPPED("0.7")), WAYS[i]);
        for (double t = 0.125; t <= 2; t += 0.125) {
            go_every(&r, t, t);
            assert_near(place_of(&r, "b").y, bouncing_height(t, 0.7), HEIGHT);
        }
        assert_true(trm_sim_accuracy(r.sim).energy_error_max <= 1e-7);
        stop(&r);
    }
}

static void a_stop_holds_against_gravity_without_creeping(void **state)
{
    (void)state;
    running r = run_chosen(model_of_text(STOPPED("0.3")), (way){.choice = "impulse", .step = 0.005, .order = 2});
    trm_sim_enable_reactions(r.sim, true);
    go_every(&r, 4, 4);
    const double before = place_of(&r, "b").y;
    go_every(&r, 14, 1);
    assert_near(place_of(&r, "b").y, before, 1e-10);
    assert_near(coordinate_of(&r, "s"), -1, 1e-10);
    assert_near(trm_joint_reaction(trm_sim_state(r.sim), 0).lin.y, 2 * 9.81, 1e-9);
    stop(&r);
}

/* A door swings to and fro between its stops; angles are counted beyond half a turn. */
static void a_hinge_stays_between_its_limits(void **state)
{
    (void)state;
    static const char *const door =
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"d\", \"rod\": { \"from\": [0, 0, 0], \"to\": [1, 0, 0], "
        "\"mass\": 1,"
        "  \"radius\": 0.05 }, \"velocity\": [0, 1, 0], \"angular_velocity\": [0, 0, 2] }], \"joints\": [{ \"name\": "
        "\"h\","
        "  \"type\": \"hinge\", \"bodies\": [\"ground\", \"d\"], \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1],"
        "  \"limits\": [\"-30*deg\", \"500*deg\"], \"limit_restitution\": 1 }] }";
    const double deg = acos(-1) / 180, whole = 530 * deg;
    for (int i = 0; i < WAY_COUNT; i++) {
        running r = run_chosen(model_of_text(door), WAYS[i]);
        for (double t = 0.5; t <= 12; t += 0.5) {
            go_every(&r, t, t);
            /* at 2 rad/s all the time: from 0 up to 500 degrees, down to -30, up again */
            const double s = fmod(2 * t + 30 * deg, 2 * whole);
            assert_near(coordinate_of(&r, "h"), (s < whole ? s : 2 * whole - s) - 30 * deg, by_order(&r, 2e-3, 1e-7));
        }
        assert_true(trm_sim_counters(r.sim)->impacts >= 2);
        assert_near(trm_state_energy(trm_sim_state(r.sim)).kinetic, trm_sim_accuracy(r.sim).energy_start,
                    by_order(&r, 1e-3, 1e-7));
        stop(&r);
    }
}

/* ---- Friction and motors -------------------------------------------------------------------- */

static const char *const BLOCK =
    "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\", \"mass\": 2, \"inertia\": [0.01, 0.02, 0.03],"
    "    \"position\": [1, 0, 0] }],"
    "  \"joints\": [{ \"name\": \"s\", \"type\": \"slider\", \"bodies\": [\"ground\", \"b\"], \"anchor\": [1, 0, 0],"
    "    \"axis\": [1, 0, 0], \"friction\": 7.848 }],"
    "  \"forces\": [{ \"name\": \"k\", \"type\": \"spring\", \"bodies\": [\"ground\", \"b\"],"
    "    \"anchors\": [[-10, 0, 0], [0, 0, 0]], \"rest\": 10, \"stiffness\": 100 }] }";

/* R27: a block of 2 kg on a spring of 100 N/m, mu = 0.4: it reverses every pi / sqrt(50) s, and finally stays. */
static void a_block_on_a_spring_turns_where_it_should_and_comes_to_rest(void **state)
{
    (void)state;
    static const double turns[] = {1, -0.84304, 0.68608, -0.52912, 0.37216, -0.2152, 0.05824};
    const double half = acos(-1) / sqrt(50);
    for (int i = 0; i < WAY_COUNT; i++) {
        running r = run_chosen(model_of_text(BLOCK), WAYS[i]);
        trm_sim_enable_reactions(r.sim, true);
        for (int k = 1; k < 7; k++) {
            go_every(&r, k * half, k * half);
            assert_near(place_of(&r, "b").x, turns[k], by_order(&r, 2e-4, 1e-6));
        }
        const double rest = place_of(&r, "b").x;
        go_every(&r, 14, 1);
        assert_near(place_of(&r, "b").x, rest, 1e-9); /* it does not creep in ten seconds */
        assert_near(trm_joint_reaction(trm_sim_state(r.sim), 0).lin.x, 100 * rest, 1e-6);
        stop(&r);
    }
}

static double balance_of_block(double step, const void *order)
{
    running r =
        run_chosen(model_of_text(BLOCK), (way){.choice = "impulse", .order = *(const double *)order, .step = step});
    go_every(&r, 3, 0.02);
    const double error = trm_sim_accuracy(r.sim).energy_error_max;
    stop(&r);
    return error;
}

static void the_energy_balance_of_friction_has_the_order_of_the_scheme(void **state)
{
    (void)state;
    static const double orders[] = {2, 4};
    for (int i = 0; i < 2; i++) assert_near(order_between(balance_of_block, &orders[i], 0.02), orders[i], 0.2);
}

/* A flywheel of 2 kg m^2 and a motor of 3 N m: it accelerates at 1.5 rad/s^2 to 1 rad/s, and keeps that rate. */
static void a_motor_speeds_up_at_its_torque_and_then_keeps_its_speed(void **state)
{
    (void)state;
    static const char *const wheel =
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"w\", \"mass\": 1, \"inertia\": [1, 1, 2] }],"
        "  \"joints\": [{ \"name\": \"h\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"w\"], \"anchor\": [0, 0, "
        "0],"
        "    \"axis\": [0, 0, 1] }],"
        "  \"forces\": [{ \"name\": \"m\", \"type\": \"motor\", \"joint\": \"h\", \"velocity\": 1, \"max\": 3 }] }";
    for (int i = 0; i < WAY_COUNT; i++) {
        running r = run_chosen(model_of_text(wheel), WAYS[i]);
        go_every(&r, 0.5, 0.5);
        assert_near(coordinate_of(&r, "h"), 0.75 * 0.25, 1e-9);
        go_every(&r, 20, 0.5); /* three turns and more */
        assert_near(coordinate_of(&r, "h"), 20 - 1.0 / 3, 1e-7);
        assert_near(trm_sim_accuracy(r.sim).work, 1, 1e-8); /* its energy in the end, 1/2 I w^2 */
        stop(&r);
    }
}

/* ---- Breaking ----------------------------------------------------------------------------- */

/* A mass on a bar of 1 m, released horizontally: the force is 3 m g sin(phi) at the angle phi below the horizontal;
 * half of 3 m g at 30 degrees. */
static void a_bar_breaks_where_its_force_is_reached(void **state)
{
    (void)state;
    static const char *const swing =
        "{ \"trammel\": 1, \"gravity\": [0, -10, 0], \"bodies\": [{ \"name\": \"p\", \"point\": true, \"mass\": 1,"
        "    \"position\": [1, 0, 0] }],"
        "  \"joints\": [{ \"name\": \"bar\", \"type\": \"distance\", \"bodies\": [\"ground\", \"p\"],"
        "    \"anchors\": [[0, 0, 0], [0, 0, 0]], \"length\": 1, \"break\": { \"force\": 15 } }] }";
    for (int i = 0; i < WAY_COUNT; i++) {
        running r = run_chosen(model_of_text(swing), WAYS[i]);
        trm_event_note note;
        go_every(&r, 1.5, 0.25);
        assert_int_equal(trm_sim_event_count(r.sim), 1);
        assert_true(trm_sim_event(r.sim, 0, &note));
        assert_string_equal(note.what, "broke");
        assert_false(trm_joint_attached(trm_sim_state(r.sim), 0));
        /* a parabola from there: at (cos 30, -1/2), with sqrt(10) m/s across the bar */
        const double t = trm_state_time(trm_sim_state(r.sim)) - note.time, v = sqrt(10);
        const trm_vec3 wanted = {sqrt(0.75) - 0.5 * v * t, -0.5 - sqrt(0.75) * v * t - 5 * t * t, 0};
        assert_near(trm_v3_length(trm_v3_sub(place_of(&r, "p"), wanted)), 0, by_order(&r, 1e-3, 1e-6));
        stop(&r);
    }
}

/* A rope that is pulled more and more strongly reports its force from the first row on, and breaks at 12 N. */
static void a_taut_rope_breaks_too(void **state)
{
    (void)state;
    static const char *const pulled =
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"p\", \"point\": true, \"mass\": 1,"
        "    \"position\": [0, 0, -1] }],"
        "  \"joints\": [{ \"name\": \"rope\", \"type\": \"distance\", \"bodies\": [\"ground\", \"p\"],"
        "    \"anchors\": [[0, 0, 0], [0, 0, 0]], \"length\": 1, \"rope\": true, \"break\": { \"force\": 12 } }],"
        "  \"forces\": [{ \"type\": \"force\", \"body\": \"p\", \"value\": [0, 0, \"-t\"] }] }";
    trm_event_note note;
    running r = run_chosen(model_of_text(pulled), WAYS[0]);
    trm_sim_enable_reactions(r.sim, true);
    assert_good(trm_sim_observe(r.sim));
    assert_near(trm_joint_reaction(trm_sim_state(r.sim), 0).lin.z, 9.81, 1e-9);
    go_every(&r, 3, 0.5);
    assert_true(trm_sim_event(r.sim, 0, &note));
    assert_string_equal(note.what, "broke");
    assert_near(note.time, 12 - 9.81, 1e-6);
    stop(&r);
}

/* ---- Going on ----------------------------------------------------------------------------- */

static void a_run_with_events_resumes_bit_identically(void **state)
{
    (void)state;
    for (int i = 0; i < WAY_COUNT; i++) {
        assert_resumes_bit_identically(run_chosen(model_of_text(STOPPED("0.5")), WAYS[i]),
                                       run_chosen(model_of_text(STOPPED("0.5")), WAYS[i]));
        assert_resumes_bit_identically(run_chosen(model_of_text(ROPE("")), WAYS[i]),
                                       run_chosen(model_of_text(ROPE("")), WAYS[i]));
        assert_resumes_bit_identically(run_chosen(model_of_text(BLOCK), WAYS[i]),
                                       run_chosen(model_of_text(BLOCK), WAYS[i]));
    }
}

/* Rows finer than steps are not interpolated across an impact. */
static void rows_between_steps_see_the_impact_at_its_time(void **state)
{
    (void)state;
    running r = run_chosen(model_of_text(STOPPED("0.7")), (way){.choice = "impulse", .order = 4, .step = 0.1});
    for (double t = 0.0625; t <= 2; t += 0.0625) {
        go_every(&r, t, 0.015625);
        assert_near(place_of(&r, "b").y, bouncing_height(t, 0.7), 1e-7);
    }
    stop(&r);
}

static void time_does_not_run_back_through_events(void **state)
{
    (void)state;
    running r = run_chosen(model_of_text(STOPPED("0.7")), WAYS[0]);
    const trm_outcome outcome = trm_sim_step(r.sim, -0.01);
    assert_false(outcome.ok);
    assert_non_null(strstr(outcome.why, "backwards in time"));
    stop(&r);
}

/* A chain of ropes, jerked taut again and again: gaps stay closed, energy is never made. */
static void ropes_that_hang_on_each_other_never_make_energy(void **state)
{
    (void)state;
    static const char *const chain =
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
        "  { \"name\": \"a\", \"point\": true, \"mass\": 1, \"position\": [0.6, 0.3, 0] },"
        "  { \"name\": \"b\", \"point\": true, \"mass\": 0.5, \"position\": [1.1, 0.2, 0.3] },"
        "  { \"name\": \"c\", \"point\": true, \"mass\": 2, \"position\": [1.3, 0.7, 0.1] }], \"joints\": ["
        "  { \"name\": \"r1\", \"type\": \"distance\", \"bodies\": [\"ground\", \"a\"],"
        "    \"anchors\": [[0, 0, 0], [0, 0, 0]], \"length\": 1, \"rope\": true },"
        "  { \"name\": \"r2\", \"type\": \"distance\", \"bodies\": [\"a\", \"b\"], \"length\": 1, \"rope\": true },"
        "  { \"name\": \"r3\", \"type\": \"distance\", \"bodies\": [\"b\", \"c\"], \"length\": 1, \"rope\": true }] "
        "}";
    running r =
        run_chosen(model_of_text(chain), (way){.choice = "impulse", .order = 4, .step = 0.005, .tolerance = TIGHT});
    double work = 0;
    for (int i = 1; i <= 100; i++) {
        go_every(&r, 0.1 * i, 0.1);
        const trm_accuracy a = trm_sim_accuracy(r.sim);
        assert_true(a.work <= work + 1e-9);
        work = a.work;
    }
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    print_message("    %lld impacts, energy balance %.1e J, gap %.1e m\n", trm_sim_counters(r.sim)->impacts,
                  a.energy_error_max, a.gap.position);
    assert_true(trm_sim_counters(r.sim)->impacts >= 5);
    assert_true(a.gap.position <= 1e-11);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_falling_mass_is_caught_by_its_rope_when_and_how_it_should),
        cmocka_unit_test(a_run_to_the_next_event_ends_at_its_time),
        cmocka_unit_test(an_elastic_rope_gives_back_all_energy),
        cmocka_unit_test(a_rope_goes_slack_where_its_tension_ends),
        cmocka_unit_test(a_stop_bounces_with_its_restitution_at_the_right_times),
        cmocka_unit_test(a_stop_holds_against_gravity_without_creeping),
        cmocka_unit_test(a_hinge_stays_between_its_limits),
        cmocka_unit_test(a_block_on_a_spring_turns_where_it_should_and_comes_to_rest),
        cmocka_unit_test(the_energy_balance_of_friction_has_the_order_of_the_scheme),
        cmocka_unit_test(a_motor_speeds_up_at_its_torque_and_then_keeps_its_speed),
        cmocka_unit_test(a_bar_breaks_where_its_force_is_reached),
        cmocka_unit_test(a_taut_rope_breaks_too),
        cmocka_unit_test(a_run_with_events_resumes_bit_identically),
        cmocka_unit_test(rows_between_steps_see_the_impact_at_its_time),
        cmocka_unit_test(time_does_not_run_back_through_events),
        cmocka_unit_test(ropes_that_hang_on_each_other_never_make_energy),
    };
    return RUN_TESTS(tests);
}
