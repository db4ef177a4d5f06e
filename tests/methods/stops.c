/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Chains with stops at many joints, where events accumulate: every run ends, keeps its gaps closed and never gains
 * energy. */

#include <limits.h>
#include <stdarg.h>

#include "base/random.h"
#include "check.h"
#include "choosing.h"
#include "running.h"
#include "sanitized.h"
#include "sim/sim.h"

/* ---- Random chains ------------------------------------------------------------------------ */

/* Parameters of a chain of rods besides its seed. */
typedef struct recipe {
    int links;
    double restitution, friction; /* friction, N m: largest of all joints */
    double mass, length;          /* kg, m: of a rod; each is multiplied by a random factor near 1 */
} recipe;

enum { TEXT_ROOM = 20000 };

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *format, ...)
{
    va_list arguments;
    const size_t used = strlen(text);
    va_start(arguments, format);
    assert_in_range(vsnprintf(text + used, TEXT_ROOM - used, format, arguments), 0, TEXT_ROOM - used - 1);
    va_end(arguments);
}

/* Returns a straight chain of rods on hinges in any direction; some of its axes are perpendicular to the others. */
static trm_model *random_chain(uint64_t seed, recipe of)
{
    static char text[TEXT_ROOM], joints[TEXT_ROOM];
    trm_random random = trm_random_seed(seed);
    const double angle = trm_random_uniform(&random, -TRM_PI, TRM_PI);
    const trm_vec3 along = trm_v3(cos(angle), sin(angle), 0);
    trm_vec3 from = trm_v3(0, 0, 0);
    strcpy(text, "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [");
    strcpy(joints, "], \"joints\": [");
    for (int i = 0; i < of.links; i++) {
        const trm_vec3 to = trm_v3_add_scaled(from, of.length * trm_random_uniform(&random, 0.7, 1.3), along);
        const bool skew = trm_random_uniform(&random, 0, 1) < 0.2;
        add(text, "%s{ \"name\": \"r%d\", \"rod\": { \"from\": [%.17g, %.17g, 0], \"to\": [%.17g, %.17g, 0],",
            i ? ", " : "", i, from.x, from.y, to.x, to.y);
        add(text, " \"mass\": %.17g, \"radius\": %.17g } }", of.mass * trm_random_uniform(&random, 0.5, 2),
            0.02 * of.length);
        add(joints, "%s{ \"name\": \"j%d\", \"type\": \"hinge\", \"bodies\": [", i ? ", " : "", i);
        if (i == 0) add(joints, "\"ground\", \"r0\"],");
        if (i > 0) add(joints, "\"r%d\", \"r%d\"],", i - 1, i);
        add(joints, " \"anchor\": [%.17g, %.17g, 0], \"axis\": [%g, 0, 1],", from.x, from.y, skew ? 0.5 : 0.0);
        add(joints, " \"limits\": [%.17g, %.17g], \"limit_restitution\": %g, \"friction\": %.17g }",
            trm_random_uniform(&random, -1.2, -0.1), trm_random_uniform(&random, 0.1, 1.2), of.restitution,
            of.friction * trm_random_uniform(&random, 0, 1));
        from = to;
    }
    add(joints, "] }");
    add(text, "%s", joints);
    return model_of_text(text);
}

/* Returns a scale of the energy of the machine: kinetic, and potential over its whole length. */
static double scale_of(recipe of)
{
    return 9.81 * of.links * of.mass * of.links * of.length;
}

static void run_chain(uint64_t seed, recipe of, double order, double step, double balance)
{
    running r = run_chosen(random_chain(seed, of), (way){.choice = "impulse", .order = order, .step = step});
    go(&r, 2);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    const trm_counters *c = trm_sim_counters(r.sim);
    if (!(a.energy_error_max <= balance * scale_of(of)) || c->dissipative > 0)
        print_message("    seed %d, %d links: energy balance %.1e J of %.1e J, %lld impacts, %lld steps replaced\n",
                      (int)seed, of.links, a.energy_error_max, scale_of(of), c->impacts, c->dissipative);
    assert_true(a.work <= 1e-9 * scale_of(of));
    assert_true(a.energy_error_max <= balance * scale_of(of));
    assert_true(a.gap.position <= 1e-9 * fmax(of.length, 1) && a.gap.angle <= 1e-9);
    stop(&r);
}

static void chains_with_stops_run_to_their_end(void **state)
{
    (void)state;
    for (int links = 2; links <= (SANITIZED ? 6 : 12); links += 2)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            const recipe of = {.links = links, .mass = 1, .length = 1};
            run_chain(seed, of, 2, 0.005, 3e-3);
            run_chain(seed, of, 4, 0.005, 1e-4);
        }
}

static void chains_that_bounce_and_rub_run_to_their_end(void **state)
{
    (void)state;
    for (int links = 3; links <= (SANITIZED ? 5 : 9); links += 2)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            run_chain(seed, (recipe){.links = links, .mass = 1, .length = 1, .restitution = 0.4}, 2, 0.005, 3e-3);
            run_chain(seed, (recipe){.links = links, .mass = 1, .length = 1, .friction = 3}, 2, 0.005, 3e-3);
        }
}

static void chains_of_other_sizes_run_to_their_end(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        run_chain(seed, (recipe){.links = 5, .mass = 1.0 / 3, .length = 3}, 2, 0.005, 3e-3);
        run_chain(seed, (recipe){.links = 5, .mass = 3, .length = 1.0 / 3}, 2, 0.005 / 3, 3e-3);
    }
}

/* ---- Stops next to contacts ---------------------------------------------------------------- */

/* Adds one capsule of a doll, along z of the doll, at `at` relative to its middle; the doll is turned by q and lifted
 * to `high`. */
static void add_limb(char *text, const char *name, trm_quat q, double high, trm_vec3 at, const char *size)
{
    const trm_vec3 p = trm_rotate(q, at);
    add(text, ", { \"name\": \"%s\", \"position\": [%.17g, %.17g, %.17g],", name, p.x, p.y, p.z + high);
    add(text, " \"orientation\": [%.17g, %.17g, %.17g, %.17g], \"shapes\": [{ \"type\": \"capsule\",", q.w, q.x, q.y,
        q.z);
    add(text, " \"density\": 1000, %s }] }", size);
}

static void add_hinge(char *text, const char *limb, trm_quat q, double high, trm_vec3 at, trm_vec3 axis)
{
    const trm_vec3 p = trm_rotate(q, at), d = trm_rotate(q, axis);
    add(text, "%s{ \"name\": \"%s\", \"type\": \"hinge\", \"bodies\": [\"torso\", \"%s\"],",
        text[strlen(text) - 1] == '}' ? ", " : "", limb, limb);
    add(text, " \"anchor\": [%.17g, %.17g, %.17g], \"axis\": [%.17g, %.17g, %.17g], \"limits\": [-0.6, 0.4] }", p.x,
        p.y, p.z + high, d.x, d.y, d.z);
}

/* Returns a torso with four limbs on hinges with stops, above the ground, with a random orientation. */
static trm_model *random_doll(uint64_t seed)
{
    static const struct {
        const char *name;
        trm_vec3 at, hinge, axis;
    } limbs[] = {{"arm1", {0.3, 0, 0.05}, {0.3, 0, 0.25}, {1, 0, 0}},
                 {"arm2", {-0.3, 0, 0.05}, {-0.3, 0, 0.25}, {0, 1, 0}},
                 {"leg1", {0.1, 0, -0.6}, {0.1, 0, -0.4}, {0, 1, 0}},
                 {"leg2", {-0.1, 0, -0.6}, {-0.1, 0, -0.4}, {0, 1, 0}}};
    static char text[TEXT_ROOM];
    trm_random random = trm_random_seed(seed);
    trm_quat q = {trm_random_uniform(&random, -1, 1), trm_random_uniform(&random, -1, 1),
                  trm_random_uniform(&random, -1, 1), trm_random_uniform(&random, -1, 1)};
    q = trm_quat_unit(q);
    strcpy(text,
           "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": { \"friction\": 0.6, \"restitution\": 0 },"
           " \"bodies\": [{ \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\","
           " \"normal\": [0, 0, 1], \"offset\": 0 }] }");
    add_limb(text, "torso", q, 1, trm_v3(0, 0, 0), "\"radius\": 0.12, \"length\": 0.5");
    for (int i = 0; i < 4; i++) add_limb(text, limbs[i].name, q, 1, limbs[i].at, "\"radius\": 0.05, \"length\": 0.3");
    add(text, "], \"joints\": [");
    for (int i = 0; i < 4; i++) add_hinge(text, limbs[i].name, q, 1, limbs[i].hinge, limbs[i].axis);
    add(text, "] }");
    return model_of_text(text);
}

/* Whether a joint leaves its stop depends on contacts, which are not part of the problem of the stops. */
static void dolls_with_stops_fall_on_the_ground_and_come_to_rest(void **state)
{
    (void)state;
    for (uint64_t seed = 2; seed <= 3; seed++) {
        running r = run_chosen(random_doll(seed), (way){.choice = "impulse", .order = 2, .step = 0.005});
        go(&r, 1);
        const trm_accuracy a = trm_sim_accuracy(r.sim);
        const trm_counters *c = trm_sim_counters(r.sim);
        print_message("    %lld steps, %lld impacts, %lld steps replaced, energy balance %.1e J\n", c->steps,
                      c->impacts, c->dissipative, a.energy_error_max);
        assert_true(a.work < 0);
        assert_true(a.energy_error_max <= 0.5);
        assert_true(a.gap.position <= 1e-9 && a.gap.angle <= 1e-9);
        assert_true(c->steps < 3000);
        stop(&r);
    }
}

/* ---- Cost of an event --------------------------------------------------------------------- */

/* A step of order 8 has fifteen stages, and each trial of an event is such a step. The cubic through both ends of the
 * step nearly gives the time of the event. So only three are needed: the step that passes the event, one trial, and
 * the step that ends at the event. */
static void an_impact_at_a_stop_takes_few_trials(void **state)
{
    (void)state;
    const double stages = 15, most_trials = 3;
    const recipe of = {.links = 3, .mass = 1, .length = 1, .restitution = 0.6};
    for (uint64_t seed = 1; seed <= 4; seed++) {
        running r = run_chosen(random_chain(seed, of), (way){.choice = "impulse", .order = 8, .step = 0.005});
        go(&r, 2);
        const trm_counters *c = trm_sim_counters(r.sim);
        const double trials = ((double)c->factorisations / stages - (double)c->steps) / (double)c->impacts;
        print_message("    %lld steps, %lld impacts, %lld factorisations: %.1f further trials for each impact\n",
                      c->steps, c->impacts, c->factorisations, trials);
        assert_true(c->impacts >= 10);
        assert_true(trials <= most_trials);
        stop(&r);
    }
}

/* ---- Steps over all events ---------------------------------------------------------------- */

/* Makes all following steps time-stepping ones, as they are used when there are too many events. */
static void leave_out_events(const running *r)
{
    r->sim->memory.busy = INT_MAX / 2;
}

/* Returns how far the worst joint is beyond a stop, rad. */
static double beyond_stops(const trm_sim *sim)
{
    double most = 0;
    for (int i = 0; i < sim->events.watched_count; i++) {
        double c[TRM_JOINT_ROWS];
        const trm_joint_at at = trm_joint_now(sim->state, sim->events.watched[i]);
        trm_joint_residual(&at, c);
        if (at.joint->one_sided) most = fmax(most, c[0]);
    }
    return most;
}

static double energy_of(const trm_sim *sim)
{
    const trm_energy e = trm_state_energy(sim->state);
    return e.kinetic + e.potential;
}

/* Makes two hundred steps without locating events, and asserts that the energy grows by the error of steps only. */
static void assert_takes_energy(running r, double error)
{
    const double beyond = 1e-9; /* rad: due to the tolerance of joints */
    double last = energy_of(r.sim), rise = 0;
    leave_out_events(&r);
    for (int i = 1; i <= 200; i++) {
        go(&r, 0.005 * i);
        rise = fmax(rise, energy_of(r.sim) - last);
        last = fmin(last, energy_of(r.sim));
        assert_true(beyond_stops(r.sim) <= beyond);
    }
    assert_int_equal(trm_sim_counters(r.sim)->dissipative, 200);
    if (!(rise <= error)) print_message("    energy rises by %.1e J, of %.1e J\n", rise, error);
    assert_true(rise <= error);
    stop(&r);
}

static void steps_over_all_events_take_energy_and_hold_stops(void **state)
{
    (void)state;
    for (int links = 2; links <= (SANITIZED ? 4 : 8); links += 2)
        for (uint64_t seed = 1; seed <= 3; seed++)
            for (int order = 2; order <= 4; order += 2) {
                const recipe of = {.links = links, .mass = 1, .length = 1, .friction = seed == 2 ? 3 : 0};
                const way how = {.choice = "impulse", .order = order, .step = 0.005};
                assert_takes_energy(run_chosen(random_chain(seed, of), how), 3e-3 * scale_of(of));
            }
}

/* ---- Leaving a stop ----------------------------------------------------------------------- */

/* Two links swing to their stops; the upper one leaves its stop at 1.3887 s, where the force of the stop becomes
 * zero. */
static trm_model *two_links(void)
{
    return model_of_text(
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
        "  { \"name\": \"r0\", \"rod\": { \"from\": [0, 0, 0], \"to\": [0.376, -0.927, 0], \"mass\": 1,"
        "    \"radius\": 0.02 } },"
        "  { \"name\": \"r1\", \"rod\": { \"from\": [0.376, -0.927, 0], \"to\": [0.752, -1.854, 0], \"mass\": 1,"
        "    \"radius\": 0.02 } }], \"joints\": ["
        "  { \"name\": \"j0\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"r0\"], \"anchor\": [0, 0, 0],"
        "    \"axis\": [0, 0, 1], \"limits\": [-0.2164, 0.2164] },"
        "  { \"name\": \"j1\", \"type\": \"hinge\", \"bodies\": [\"r0\", \"r1\"], \"anchor\": [0.376, -0.927, 0],"
        "    \"axis\": [0, 0, 1], \"limits\": [-0.5494, 0.5494] }] }");
}

/* At order 2 a step crosses the time at which the link leaves the stop, and the order is kept. */
static void a_stop_lets_go_where_its_force_ends_at_any_order(void **state)
{
    (void)state;
    running exact =
        run_chosen(two_links(), (way){.choice = "impulse", .order = 8, .step = 0.005, .tolerance = 1e-13});
    double off[3];
    go_every(&exact, 4, 4);
    for (int i = 0; i < 3; i++) {
        running r = run_chosen(two_links(), (way){.choice = "impulse", .order = 2, .step = ldexp(0.01, -i)});
        go(&r, 4);
        off[i] = apart(&exact, &r);
        const trm_accuracy a = trm_sim_accuracy(r.sim);
        assert_true(a.gap.angle <= 1e-10 && a.gap.position <= 1e-10);
        assert_int_equal(trm_sim_counters(r.sim)->dissipative, 0);
        stop(&r);
    }
    print_message("    steps of 10, 5, 2.5 ms are off by %.1e, %.1e, %.1e\n", off[0], off[1], off[2]);
    assert_true(off[0] <= 1e-2);
    assert_true(log2(off[0] / off[2]) >= 3.4);
    stop(&exact);
}

/* Both stops of this chain are in contact, and each impact opens the other one: bounces below the tolerance are
 * treated as contact. */
static void bounces_too_low_to_be_seen_are_held(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        running r = run_chosen(random_chain(seed, (recipe){.links = 6, .mass = 1, .length = 1}),
                               (way){.choice = "impulse", .order = 2, .step = 0.005});
        go(&r, 2);
        const trm_counters *c = trm_sim_counters(r.sim);
        assert_int_equal(c->dissipative, 0);
        assert_true(c->impacts < 200);
        stop(&r);
    }
}

/* ---- Stops that are passed within a step -------------------------------------------------- */

/* A body thrown upwards returns below its stop within one step: at both ends of the step it is 12 mm below. */
static void a_stop_is_met_that_a_body_passes_and_leaves_in_one_step(void **state)
{
    (void)state;
    static const char *const text =
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"a\", \"mass\": 1,"
        "  \"inertia\": [1, 1, 1], \"velocity\": [0, 0.4905, 0] }], \"joints\": [{ \"name\": \"j\", \"type\": "
        "\"slider\","
        "  \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0], \"axis\": [0, 1, 0], \"limits\": [-1, 0.012],"
        "  \"limit_restitution\": 0.5 }] }";
    static const way ways[] = {{.choice = "impulse", .order = 2, .step = 0.1},
                               {.choice = "impulse", .order = 8, .step = 0.1},
                               {.choice = "lagrange:integrator=rk4", .order = 4, .step = 0.1}};
    const double g = 9.81, v = 0.4905, u = sqrt(v * v - 2 * g * 0.012), left = 0.1 - (v - u) / g;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        running r = run_chosen(model_of_text(text), ways[i]);
        go(&r, 0.1);
        assert_int_equal(trm_sim_counters(r.sim)->impacts, 1);
        assert_near(place_of(&r, "a").y, 0.012 - 0.5 * u * left - 0.5 * g * left * left, 1e-9);
        stop(&r);
    }
}

/* ---- Times -------------------------------------------------------------------------------- */

/* 0.3 + 54 steps of 1 ms differs from 0.354 in floating-point arithmetic. */
static void no_step_is_shorter_than_rounding_of_time_explains(void **state)
{
    (void)state;
    static const char *const text =
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"a\", \"mass\": 1,"
        "  \"inertia\": [1, 1, 1] }], \"joints\": [{ \"name\": \"j\", \"type\": \"ball\", \"bodies\": [\"ground\","
        "  \"a\"], \"anchor\": [0, 0, 0] }], \"events\": [{ \"at\": 0.354, \"detach\": \"j\" }] }";
    static const char *const choices[] = {"impulse", "lcp", "lagrange"};
    for (int i = 0; i < 3; i++) {
        running r = run_chosen(model_of_text(text), (way){.choice = choices[i], .step = 0.001});
        go_every(&r, 0.6, 0.1);
        assert_int_equal(trm_sim_counters(r.sim)->steps, 600);
        assert_near(place_of(&r, "a").y, -0.5 * 9.81 * 0.246 * 0.246, i == 0 ? 1e-12 : 2e-3);
        stop(&r);
    }
}

/* ---- Elements of a detached joint --------------------------------------------------------- */

/* A torsion spring is detached with its joint: its potential energy is counted as work of the event. */
static void a_spring_that_goes_with_its_joint_takes_its_energy_as_work(void **state)
{
    (void)state;
    static const char *const text =
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1],"
        "  \"angular_velocity\": [0, 0, 2] }], \"joints\": [{ \"name\": \"j\", \"type\": \"hinge\","
        "  \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }],"
        "  \"forces\": [{ \"type\": \"torsion\", \"joint\": \"j\", \"stiffness\": 10, \"rest\": 1 }],"
        "  \"events\": [{ \"at\": 0.2, \"detach\": \"j\" }] }";
    static const char *const choices[] = {"impulse", "lagrange:integrator=rk4", "lcp"};
    const double w = sqrt(10.0), q = 1 - cos(0.2 * w) + 2 / w * sin(0.2 * w); /* I q'' = 10 (1 - q) */
    for (int i = 0; i < 3; i++) {
        running r = run_chosen(model_of_text(text), (way){.choice = choices[i], .step = 1e-4});
        go(&r, 1);
        const trm_accuracy a = trm_sim_accuracy(r.sim);
        assert_near(a.work, -5 * (1 - q) * (1 - q), i == 2 ? 1e-2 : 1e-6);
        assert_true(a.energy_error_max <= (i == 2 ? 1e-2 : 1e-6));
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_with_stops_run_to_their_end),
        cmocka_unit_test(chains_that_bounce_and_rub_run_to_their_end),
        cmocka_unit_test(chains_of_other_sizes_run_to_their_end),
        cmocka_unit_test(dolls_with_stops_fall_on_the_ground_and_come_to_rest),
        cmocka_unit_test(an_impact_at_a_stop_takes_few_trials),
        cmocka_unit_test(steps_over_all_events_take_energy_and_hold_stops),
        cmocka_unit_test(a_stop_lets_go_where_its_force_ends_at_any_order),
        cmocka_unit_test(bounces_too_low_to_be_seen_are_held),
        cmocka_unit_test(a_stop_is_met_that_a_body_passes_and_leaves_in_one_step),
        cmocka_unit_test(no_step_is_shorter_than_rounding_of_time_explains),
        cmocka_unit_test(a_spring_that_goes_with_its_joint_takes_its_energy_as_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
