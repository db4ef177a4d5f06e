/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The direct solver and composed steps: order, energy, singular and redundant machines, long chains. */

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "choosing.h"
#include "failing_allocator.h"
#include "running.h"
#include "sim/compose.h"
#include "sim/sim.h"

/* Under sanitisers, which are ten times slower, there are fewer cases. */
#if defined(__SANITIZE_ADDRESS__)
enum { SLOW = 1 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { SLOW = 1 };
#else
enum { SLOW = 0 };
#endif
#else
enum { SLOW = 0 };
#endif

/* Joints are closed so well that only the error of the step remains. */
static const double TIGHTEST = 1e-14;
static const double TIGHT = 1e-12;

enum { MOST_BODIES = 16 };

static double distance(trm_vec3 a, trm_vec3 b)
{
    return trm_v3_length(trm_v3_sub(a, b));
}

static trm_model *example(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, TRM_EXAMPLES "/%s.json", name);
    return model_of_file(path);
}

/* Runs a model, which is destroyed with the run. */
static running run_order(trm_model *model, double order, double step, double tolerance)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.order = order;
    options.step = step;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = tolerance;
    return run_model(model, &options);
}

/* Positions of all bodies. */
typedef struct places {
    int count;
    trm_vec3 p[MOST_BODIES];
} places;

static places places_of(const running *r)
{
    places all = {.count = trm_body_count(r->model)};
    assert_true(all.count <= MOST_BODIES);
    for (int i = 0; i < all.count; i++) all.p[i] = trm_body_pose(trm_sim_state(r->sim), i).p;
    return all;
}

static double farthest(const places *a, const places *b)
{
    double most = 0;
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) most = fmax(most, distance(a->p[i], b->p[i]));
    return most;
}

static places places_at(trm_model *model, double order, double step, double time)
{
    running r = run_order(model, order, step, TIGHTEST);
    go_every(&r, time, time);
    assert_int_equal(trm_sim_counters(r.sim)->halvings, 0);
    const places all = places_of(&r);
    stop(&r);
    return all;
}

/* ---- Composition -------------------------------------------------------------------------- */

static double sum_of_powers(const trm_composition *c, double power)
{
    double sum = 0;
    for (int i = 0; i < c->stages; i++) sum += pow(c->g[i], power);
    return sum;
}

/* Sums of odd powers vanish up to the order. This is necessary, and sensitive to each digit of the coefficients. */
static void the_stages_add_up_and_cancel_odd_powers_below_the_order(void **unused)
{
    (void)unused;
    const double rounding = 1e-14;
    static const int stages[] = {1, 5, 9, 15};
    for (int order = 2; order <= 8; order += 2) {
        const trm_composition c = trm_composition_of(order);
        assert_int_equal(c.stages, stages[order / 2 - 1]);
        assert_near(sum_of_powers(&c, 1), 1, rounding);
        for (int power = 3; power < order; power += 2) assert_near(sum_of_powers(&c, power), 0, rounding);
        assert_true(fabs(sum_of_powers(&c, order + 1)) > 1e-4); /* its order is not higher than claimed */
        for (int i = 0; i < c.stages; i++) assert_true(c.g[i] == c.g[c.stages - 1 - i]);
    }
}

static void there_are_no_other_orders(void **unused)
{
    (void)unused;
    static const double none[] = {0, 1, 3, 5, 10, -2, 4.5, NAN, INFINITY};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) assert_int_equal(trm_composition_of(none[i]).stages, 0);
}

static void check_refused(trm_model *model, double order, const char *said)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_simulation_def options = *trm_model_simulation(model);
    trm_sim *sim = NULL;
    options.order = order;
    options.scheme = "composition";
    assert_int_equal(trm_sim_create(model, &options, NULL, messages, &sim), TRM_BAD_INPUT);
    assert_null(sim);
    assert_int_equal(trm_error_count(messages), 1);
    if (!strstr(trm_message_at(messages, 0)->text, said)) print_messages(messages);
    assert_non_null(strstr(trm_message_at(messages, 0)->text, said));
    trm_messages_destroy(messages);
}

#define SPRUNG(spring)                                                                                               \
    "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"p\", \"point\": true, \"mass\": 1, \"position\": [1, 0, 0] }],"    \
    "  \"forces\": [{ \"name\": \"shock absorber\", \"type\": \"spring\", \"bodies\": [\"ground\", \"p\"],"          \
    "    \"anchors\": [[0, 0, 0], [0, 0, 0]], \"rest\": 0.5, \"stiffness\": 20" spring " }] }"

static void composition_is_refused_with_a_damper_and_names_it(void **unused)
{
    (void)unused;
    trm_model *damped = model_of_text(SPRUNG(", \"damping\": 0.3"));
    for (int order = 4; order <= 8; order += 2) check_refused(damped, order, "force 'shock absorber'");
    running r = run_order(damped, 2, 0.01, TIGHT);
    stop(&r);
    running free = run_order(model_of_text(SPRUNG("")), 8, 0.01, TIGHT);
    stop(&free);
}

static void an_unknown_order_is_refused(void **unused)
{
    (void)unused;
    trm_model *model = example("pendulum");
    check_refused(model, 3, "there is no order 3");
    check_refused(model, 10, "there is no order 10");
    check_refused(model, NAN, "there is no order nan");
    trm_model_destroy(model);
}

/* ---- Order -------------------------------------------------------------------------------- */

typedef struct ordered {
    trm_model *(*make)(void);
    double order;
    const places *fine;
} ordered;

static double error_after_1_s(double step, const void *context)
{
    const ordered *o = context;
    const places found = places_at(o->make(), o->order, step, 1);
    return farthest(&found, o->fine);
}

/* The steps are long enough for errors above rounding, and short enough for the next terms of the series to be
 * small. */
static void check_orders(trm_model *(*make)(void), double fine_step, const double steps[4])
{
    static const double slack[] = {0.2, 0.3, 0.6, 1.0}; /* of orders 2, 4, 6, 8 */
    const places fine = places_at(make(), 8, fine_step, 1);
    for (int i = 0; i < 4; i++) {
        const ordered o = {make, 2 * i + 2, &fine};
        assert_near(order_between(error_after_1_s, &o, steps[i]), o.order, slack[i]);
    }
}

static trm_model *double_pendulum(void)
{
    return example("double-pendulum");
}

static trm_model *eight_loop(void)
{
    return example("eight-loop");
}

static void the_double_pendulum_moves_with_the_order_asked_for(void **unused)
{
    (void)unused;
    const double steps[] = {1.0 / 80, 1.0 / 80, 1.0 / 40, 1.0 / 40};
    check_orders(double_pendulum, 1.0 / 320, steps);
}

static void the_8_loop_moves_with_the_order_asked_for(void **unused)
{
    (void)unused;
    const double steps[] = {1.0 / 640, 1.0 / 640, 1.0 / 640, 1.0 / 400};
    check_orders(eight_loop, 1.0 / 1600, steps);
}

/* A double pendulum whose upper rod is driven. */
static trm_model *led(void)
{
    return model_of_text(
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
        "  { \"name\": \"upper\", \"rod\": { \"from\": [0, 0, 0], \"to\": [0, -0.6, 0], \"mass\": 2, \"radius\": "
        "0.01 "
        "} },"
        "  { \"name\": \"lower\", \"rod\": { \"from\": [0, -0.6, 0], \"to\": [0.6, -0.6, 0], \"mass\": 1 } }],"
        "  \"joints\": ["
        "  { \"name\": \"pin\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"upper\"], \"anchor\": [0, 0, 0],"
        "    \"axis\": [0, 0, 1] },"
        "  { \"name\": \"elbow\", \"type\": \"hinge\", \"bodies\": [\"upper\", \"lower\"], \"anchor\": [0, -0.6, 0],"
        "    \"axis\": [0, 0, 1] }], \"forces\": ["
        "  { \"name\": \"motor\", \"type\": \"drive\", \"joint\": \"pin\", \"motion\": \"0.8*sin(3*t)^2\" }] }");
}

/* A rod on a table that moves. */
static trm_model *shaken(void)
{
    return model_of_text(
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
        "  { \"name\": \"table\", \"moving\": { \"position\": [\"0.1*(1 - cos(5*t))\", \"0.05*sin(3*t)^2\", 0] } },"
        "  { \"name\": \"rod\", \"rod\": { \"from\": [0, 0, 0], \"to\": [0.5, 0, 0], \"mass\": 1 } }],"
        "  \"joints\": [{ \"name\": \"pin\", \"type\": \"hinge\", \"bodies\": [\"table\", \"rod\"],"
        "    \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }] }");
}

/* A pendulum in gusts. */
static trm_model *blown(void)
{
    return model_of_text(
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
        "  { \"name\": \"bob\", \"point\": true, \"mass\": 1, \"position\": [1, 0, 0] }],"
        "  \"joints\": [{ \"name\": \"bar\", \"type\": \"distance\", \"bodies\": [\"ground\", \"bob\"],"
        "    \"anchors\": [[0, 0, 0], [0, 0, 0]], \"length\": 1 }],"
        "  \"forces\": [{ \"name\": \"gust\", \"type\": \"force\", \"body\": \"bob\","
        "    \"value\": [\"3*sin(4*t)\", \"cos(7*t)\", \"2*t\"] }] }");
}

static void what_is_led_from_outside_moves_with_the_order_asked_for(void **unused)
{
    (void)unused;
    const double steps[] = {1.0 / 80, 1.0 / 80, 1.0 / 40, 1.0 / 20};
    check_orders(led, 1.0 / 200, steps);
    check_orders(shaken, 1.0 / 200, steps);
}

static void what_a_given_force_drives_moves_with_the_order_asked_for(void **unused)
{
    (void)unused;
    const double steps[] = {1.0 / 80, 1.0 / 80, 1.0 / 40, 1.0 / 20};
    check_orders(blown, 1.0 / 200, steps);
}

/* |E - E0 - W| */
static double balance_error(double step, const void *context)
{
    const ordered *o = context;
    running r = run_order(o->make(), o->order, step, TIGHTEST);
    go(&r, 1.2);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    assert_true(fabs(a.work) > 1e-5); /* there was work to balance */
    stop(&r);
    return a.energy_error_max;
}

static void the_work_of_the_outside_is_found_with_the_order_of_the_motion(void **unused)
{
    (void)unused;
    trm_model *(*const makers[])(void) = {led, shaken, blown};
    for (int i = 0; i < 3; i++)
        for (int order = 4; order <= 6; order += 2) {
            const ordered o = {makers[i], order, NULL};
            assert_near(order_between(balance_error, &o, 0.02), order, order == 4 ? 0.3 : 0.6);
        }
}

/* ---- Energy of the 8-Loop ----------------------------------------------------------------- */

/* Mean |E - E0| over 10 s of a first program for these steps. */
static void the_8_loop_keeps_its_energy_as_well_as_it_should(void **unused)
{
    (void)unused;
    const double factor = 3;   /* chaotic: the error depends on the time at which the loop snaps */
    const double open = 1e-11; /* m */
    static const double known[2][4] = {{6.2e-3, 1.2e-4, 1.9e-5, 8.2e-7}, {1.6e-3, 5.2e-7, 1.8e-8, 1.7e-8}};
    for (int i = 0; i < (SLOW ? 1 : 2); i++)
        for (int order = 2; order <= 8; order += 2) {
            running r = run_order(eight_loop(), order, i ? 0.00125 : 0.0025, TIGHT);
            go(&r, 10);
            const trm_accuracy a = trm_sim_accuracy(r.sim);
            assert_int_equal(a.observed, i ? 8001 : 4001);
            assert_near(a.energy_error_mean, 0, factor * known[i][order / 2 - 1]);
            assert_true(a.gap.position <= open);
            stop(&r);
        }
}

/* Slender rods: the middle ones reach a height on which orders 6 and 8 agree. */
static void the_8_loop_of_slender_rods_ends_where_it_should(void **unused)
{
    (void)unused;
    const double tolerance = 1e-5; /* known digits; the motion is chaotic */
    trm_model_def *def = read_model_file(TRM_EXAMPLES "/eight-loop.json");
    for (int i = 0; i < def->body_count; i++) def->bodies[i].rod.radius = 0;
    running r = run_order(build_model(def), 8, 0.00125, TIGHT);
    trm_model_def_destroy(def);
    go_every(&r, 10, 10);
    assert_near(place_of(&r, "rod4").y, -0.19728, tolerance);
    assert_near(place_of(&r, "rod5").y, -0.19728, tolerance);
    stop(&r);
}

/* ---- Redundant and singular machines ------------------------------------------------------ */

/* J: energy errors cannot fall below those of joints closed to D_max = 1e-12 in 2000 steps. */
static const double ENERGY_FLOOR = 3e-8;

static double energy_error_over_10_s(trm_model *model, double order)
{
    const double open = 1e-10; /* m, rad */
    running r = run_order(model, order, 0.005, TIGHT);
    go(&r, 10);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    assert_int_equal(a.observed, 2001);
    assert_true(a.gap.position <= open);
    assert_true(a.gap.angle <= open);
    stop(&r);
    return a.energy_error_max;
}

static void check_falling(trm_model *(*make)(void))
{
    double before = INFINITY;
    for (int order = 2; order <= 6; order += 2) {
        const double error = energy_error_over_10_s(make(), order);
        if (!(error < fmax(0.5 * before, ENERGY_FLOOR)))
            print_error("order %d: %g J, before %g\n", order, error, before);
        assert_true(error < fmax(0.5 * before, ENERGY_FLOOR));
        before = error;
    }
}

static trm_model *eight_loop_hinges(void)
{
    return example("eight-loop-hinges");
}

static trm_model *eight_loop_folded(void)
{
    return example("eight-loop-folded");
}

static trm_model *parallelogram(void)
{
    return example("parallelogram");
}

static trm_model *rhombus(void)
{
    return example("rhombus");
}

static trm_model *bricard(void)
{
    return example("bricard");
}

/* The door of the example with a horizontal axis, so that it swings. */
static trm_model *fallen_door(void)
{
    trm_model_def *def = read_model_file(TRM_EXAMPLES "/two-ball-hinge.json");
    def->gravity = trm_v3(0, -9.81, 0);
    trm_model *model = build_model(def);
    trm_model_def_destroy(def);
    return model;
}

static void redundant_machines_run_and_their_energy_error_falls_with_the_order(void **unused)
{
    (void)unused;
    check_falling(eight_loop_hinges);
    check_falling(fallen_door);
    check_falling(bricard);
}

static void singular_machines_run_and_their_energy_error_falls_with_the_order(void **unused)
{
    (void)unused;
    check_falling(eight_loop_folded);
    check_falling(parallelogram);
    check_falling(rhombus);
}

/* How near the rhombus came to its stretched pose, where the tip is at a depth of 2 m, and how far from it. */
typedef struct stretch {
    double deepest, highest;
} stretch;

static bool watch_stretch(void *context, const trm_state *state)
{
    stretch *s = context;
    const int body = trm_find_body(state->model, "lower left");
    const double depth = -trm_point_position(state, body, trm_v3(0.5, 0, 0)).y;
    s->deepest = fmax(s->deepest, depth);
    s->highest = fmin(s->highest, depth);
    return true;
}

static void the_rhombus_swings_through_its_stretched_pose(void **unused)
{
    (void)unused;
    const double energy = 1e-6, open = 1e-13; /* J, m */
    running r = run_order(rhombus(), 6, 0.01, 0.5 * open);
    stretch s = {0, 10};
    const trm_run_def run = {.until = 10, .every = NAN, .row = watch_stretch, .context = &s};
    assert_good(trm_sim_run(r.sim, &run));
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    assert_true(a.energy_error_max <= energy);
    assert_true(a.gap.position <= open);
    assert_true(s.deepest > 1.999);        /* it was stretched */
    assert_near(s.highest, sqrt(2), 1e-3); /* and returned to its initial height, not beyond */
    stop(&r);
}

/* The rows of a loop that is open by 1e-9 rad contradict each other by that, times their rates: velocities cannot be
 * projected onto all of them to 1e-12. */
static void velocities_are_projected_onto_redundant_rows(void **unused)
{
    (void)unused;
    trm_model *model = bricard();
    trm_simulation_def options = *trm_model_simulation(model);
    options.order = 2;
    options.step = 0.005;
    options.position_tolerance = options.velocity_tolerance = TIGHT;
    options.angle_tolerance = 1e-9;
    running r = run_model(model, &options);
    go(&r, 10);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    assert_true(a.velocity_gap.angle > options.velocity_tolerance); /* they could not */
    assert_true(a.velocity_gap.angle < 10 * options.angle_tolerance);
    assert_true(a.velocity_gap.position < 10 * options.angle_tolerance);
    stop(&r);
}

/* ---- Both solvers ------------------------------------------------------------------------- */

static running run_solver(trm_model *model, const char *solver, double tolerance)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.solver = solver;
    options.order = 2;
    options.step = 0.0025;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = tolerance;
    return run_model(model, &options);
}

/* Examples without a singular initial pose, in which the solution joint by joint does not converge. */
static void both_solvers_move_every_example_alike(void **unused)
{
    (void)unused;
    const double D_max = 1e-10;
    static const char *const names[] = {
        "double-pendulum", "eight-loop",   "eight-loop-hinges", "four-bar",       "free-body", "pendulum",
        "rhombus",         "slider-crank", "spring-mass",       "two-ball-hinge", "trammel"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        running direct = run_solver(example(names[i]), "direct", D_max);
        running iterative = run_solver(example(names[i]), "iterative", D_max);
        go_every(&direct, 0.5, 0.5);
        go_every(&iterative, 0.5, 0.5);
        const places a = places_of(&direct), b = places_of(&iterative);
        assert_near(farthest(&a, &b), 0, 10 * D_max);
        if (trm_joint_count(direct.model) > 0) assert_true(trm_sim_counters(direct.sim)->newton > 0);
        assert_int_equal(trm_sim_counters(iterative.sim)->newton, 0);
        stop(&direct);
        stop(&iterative);
    }
}

static void a_step_takes_one_factorisation(void **unused)
{
    (void)unused;
    for (int order = 2; order <= 6; order += 2) {
        running r = run_order(eight_loop(), order, 0.0025, TIGHT);
        go(&r, 0.5);
        const trm_counters *c = trm_sim_counters(r.sim);
        assert_int_equal(trm_sim_accuracy(r.sim).observed, 201); /* velocities were projected in each step */
        assert_int_equal(c->steps, 200);
        assert_int_equal(c->halvings, 0);
        assert_int_equal(c->factorisations, c->steps * trm_composition_of(order).stages + 1);
        stop(&r);
    }
}

/* The servos push two light links by tens of turns within the step, and the rounds of Newton's method, whose angles are
 * bounded, never find back: each link would spin faster in each of the 40 rounds. The step is divided instead. */
static void rounds_end_where_they_spin_a_body_up(void **unused)
{
    (void)unused;
    /* of two joints in all allowed rounds: every step that fails would take as many, besides those that succeed */
    static const long long MOST_CHECKS_PER_HALVING = 2 * 40;
    running r =
        run_text("{\"trammel\": 1, \"bodies\": ["
                 "{\"name\": \"a\", \"mass\": 0.6, \"inertia\": [6e-4, 5e-4, 4e-4]},"
                 "{\"name\": \"b\", \"mass\": 0.6, \"inertia\": [6e-4, 5e-4, 4e-4], \"position\": [0.1, 0, 0]}],"
                 "\"joints\": ["
                 "{\"name\": \"j\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0], "
                 "\"axis\": [1, 0, 0]},"
                 "{\"name\": \"k\", \"type\": \"hinge\", \"bodies\": [\"a\", \"b\"], \"anchor\": [0, 0, 0], "
                 "\"axis\": [0, 0, 1]}],"
                 "\"forces\": ["
                 "{\"type\": \"servo\", \"joint\": \"j\", \"target\": 0.5, \"kp\": 150, \"kd\": 4, \"max\": 40},"
                 "{\"type\": \"servo\", \"joint\": \"k\", \"target\": 0.5, \"kp\": 150, \"kd\": 4, \"max\": 40}]}",
                 0.02, 1e-10);
    go(&r, 0.04);
    const trm_counters *c = trm_sim_counters(r.sim);
    assert_true(c->halvings > 0 && c->checks <= MOST_CHECKS_PER_HALVING * c->halvings);
    stop(&r);
}

/* ---- Memory, repetition ------------------------------------------------------------------- */

static trm_sim *sim_from(const trm_model *model, const trm_simulation_def *options, const trm_allocator *hooks)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_sim *sim = NULL;
    const trm_status status = trm_sim_create(model, options, hooks, messages, &sim);
    print_messages(messages);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    return sim;
}

/* The rhombus is stretched for the first time after about 0.5 s: there it needs the exact matrix. */
static void nothing_is_allocated_after_the_first_step(void **unused)
{
    (void)unused;
    static const char *const names[] = {"rhombus", "parallelogram", "eight-loop-folded", "bricard"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        trm_model *model = example(names[i]);
        failing_allocator memory;
        failing_allocator_reset(&memory, 0, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_sim *sim = sim_from(model, NULL, &hooks);
        assert_good(trm_sim_step(sim, 0.01));
        const long calls = memory.calls;
        for (int step = 0; step < 200; step++) {
            assert_good(trm_sim_step(sim, 0.01));
            if (step % 7 == 0) assert_good(trm_sim_observe(sim));
        }
        assert_int_equal(memory.calls, calls);
        trm_sim_destroy(sim);
        assert_true(failing_allocator_is_clean(&memory));
        trm_model_destroy(model);
    }
}

/* Asserts that two states are bit-identical; each has its own model. */
static void check_same_state(const running *a, const running *b)
{
    trm_text *text_a = trm_text_create(NULL), *text_b = trm_text_create(NULL);
    assert_int_equal(trm_state_save(trm_sim_state(a->sim), trm_text_sink(text_a)), TRM_OK);
    assert_int_equal(trm_state_save(trm_sim_state(b->sim), trm_text_sink(text_b)), TRM_OK);
    assert_int_equal(trm_text_length(text_a), trm_text_length(text_b));
    assert_memory_equal(trm_text_get(text_a), trm_text_get(text_b), trm_text_length(text_a));
    trm_text_destroy(text_a);
    trm_text_destroy(text_b);
}

static void two_runs_give_the_same_bits(void **unused)
{
    (void)unused;
    trm_model *(*const makers[])(void) = {rhombus, bricard, eight_loop_hinges, led};
    for (int i = 0; i < 4; i++) {
        running a = run_order(makers[i](), 6, 0.01, TIGHT), b = run_order(makers[i](), 6, 0.01, TIGHT);
        go(&a, 1);
        go(&b, 1);
        check_same_state(&a, &b);
        stop(&a);
        stop(&b);
    }
}

/* Where a run was saved. */
typedef struct saver {
    trm_sim *sim;
    trm_text *text;
    int pulses, save_at;
} saver;

static bool save_once(void *context)
{
    saver *s = context;
    return ++s->pulses != s->save_at || trm_sim_save(s->sim, 0, trm_text_sink(s->text)) == TRM_OK;
}

static void check_resuming(trm_model *(*make)(void), double every)
{
    running whole = run_order(make(), 6, 0.01, TIGHT), rest = run_order(make(), 6, 0.01, TIGHT);
    saver s = {.sim = whole.sim, .text = trm_text_create(NULL), .save_at = 13};
    const trm_run_def run = {.until = 1, .every = every, .pulse = save_once, .context = &s};
    assert_good(trm_sim_run(whole.sim, &run));
    assert_true(s.pulses > s.save_at);

    trm_messages *messages = trm_messages_create(NULL);
    int64_t note;
    assert_int_equal(trm_sim_load(rest.sim, trm_text_get(s.text), trm_text_length(s.text), "saved", &note, messages),
                     TRM_OK);
    trm_messages_destroy(messages);
    assert_true(trm_state_time(trm_sim_state(rest.sim)) < 0.9);
    go_every(&rest, 1, every);
    check_same_state(&whole, &rest);
    assert_int_equal(trm_sim_counters(whole.sim)->factorisations, trm_sim_counters(rest.sim)->factorisations);
    assert_int_equal(trm_sim_counters(whole.sim)->newton, trm_sim_counters(rest.sim)->newton);
    trm_text_destroy(s.text);
    stop(&whole);
    stop(&rest);
}

static void a_composed_run_resumed_from_a_checkpoint_is_bit_identical(void **unused)
{
    (void)unused;
    trm_model *(*const makers[])(void) = {rhombus, bricard, eight_loop_hinges, led};
    static const double spacings[] = {NAN, 0.0273, 0.0007};
    for (int m = 0; m < 4; m++)
        for (int k = 0; k < 3; k++) check_resuming(makers[m], spacings[k]);
}

/* ---- Long chains -------------------------------------------------------------------------- */

typedef struct chain_names {
    char body[20], joint[20];
} chain_names;

static void add_link(trm_model_def *def, int i, int n, chain_names *names)
{
    snprintf(names[i].body, sizeof names[i].body, "r%d", i);
    snprintf(names[i].joint, sizeof names[i].joint, "j%d", i);
    trm_body_def body = trm_default_body_def();
    body.name = names[i].body;
    body.kind = TRM_BODY_ROD;
    body.rod = (trm_rod_def){.from = {0, -i, 0}, .to = {0, -i - 1, 0}, .mass = 1, .radius = 0.01};
    body.velocity = trm_v3(0.1 * (i + 0.5) / n, 0, 0);
    body.angular_velocity = trm_v3(0, 0, 0.1 / n);
    assert_int_equal(trm_add_body(def, &body), TRM_OK);
    trm_joint_def joint = trm_default_joint_def();
    joint.name = names[i].joint;
    joint.type = "ball";
    joint.bodies[0] = i ? names[i - 1].body : "ground";
    joint.bodies[1] = names[i].body;
    joint.anchor = trm_v3(0, -i, 0);
    assert_int_equal(trm_add_joint(def, &joint), TRM_OK);
}

/* Builds n rods of 1 m on balls that hang from the ground and swing about it as one. */
static trm_model *chain(int n)
{
    trm_model_def *def = trm_model_def_create(NULL);
    chain_names *names = calloc((size_t)n, sizeof *names);
    assert_non_null(names);
    def->gravity = trm_v3(0, -9.81, 0);
    for (int i = 0; i < n; i++) add_link(def, i, n, names);
    trm_model *model = build_model(def);
    trm_model_def_destroy(def);
    free(names);
    return model;
}

/* Returns the memory of a simulation per rod, bytes, after some steps. */
static double bytes_per_rod(int n)
{
    trm_model *model = chain(n);
    trm_simulation_def options = trm_default_simulation_def();
    options.step = 0.001;
    failing_allocator memory;
    failing_allocator_reset(&memory, 0, false);
    const trm_allocator hooks = failing_allocator_hooks(&memory);
    trm_sim *sim = sim_from(model, &options, &hooks);
    for (int i = 0; i < 10; i++) assert_good(trm_sim_step(sim, options.step));
    assert_good(trm_sim_observe(sim));
    const trm_accuracy a = trm_sim_accuracy(sim);
    assert_true(a.gap.position <= 2 * trm_sim_options(sim)->position_tolerance);
    assert_int_equal(trm_sim_counters(sim)->halvings, 0);
    assert_true(trm_body_pose(trm_sim_state(sim), n).p.x > 0.0005); /* it swings */
    const double bytes = (double)sim->arena.bytes_peak;
    trm_sim_destroy(sim);
    assert_true(failing_allocator_is_clean(&memory));
    trm_model_destroy(model);
    return bytes / n;
}

/* Two weights on rods that turn by half a radian in a step, so that only the exact matrix closes them; with a rope
 * that stays slack. */
static running whirl(bool rope)
{
    char text[900];
    snprintf(text, sizeof text,
             "{ \"trammel\": 1, \"gravity\": [0, 0, 0], \"bodies\": ["
             "  { \"name\": \"a\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [1, 0, 0], \"velocity\": "
             "[0, 10, 0] },"
             "  { \"name\": \"b\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [2, 0, 0], \"velocity\": "
             "[0, -5, 0] }],"
             "  \"joints\": ["
             "  { \"name\": \"j0\", \"type\": \"distance\", \"bodies\": [\"ground\", \"a\"], \"anchors\": [[0, 0, "
             "0], [0, 0, 0]] },"
             "  { \"name\": \"j1\", \"type\": \"distance\", \"bodies\": [\"a\", \"b\"], \"anchors\": [[0, 0, 0], [0, "
             "0, 0]] }%s] }",
             rope ? ", { \"name\": \"j2\", \"type\": \"distance\", \"bodies\": [\"ground\", \"b\"], \"anchors\": "
                    "[[0, 0, 2], [0, 0, 0]],"
                    " \"length\": 10, \"rope\": true }"
                  : "");
    running r = run_order(model_of_text(text), 2, 0.05, 1e-10);
    go(&r, 1);
    return r;
}

/* With a rope events are searched for, and velocities are projected at other times: the results differ by tolerances
 * that the motion magnifies. */
static void a_slack_rope_leaves_the_steps_of_a_whirling_chain_as_they_are(void **unused)
{
    (void)unused;
    const double same = 1e-7; /* m */
    running without = whirl(false), with = whirl(true);
    assert_int_equal(trm_sim_counters(with.sim)->halvings, trm_sim_counters(without.sim)->halvings);
    assert_int_equal(trm_sim_counters(with.sim)->steps, trm_sim_counters(without.sim)->steps);
    const places a = places_of(&without), b = places_of(&with);
    for (int i = 0; i < a.count; i++) assert_true(trm_v3_length(trm_v3_sub(a.p[i], b.p[i])) < same);
    stop(&without);
    stop(&with);
}

static void long_chains_run_and_take_memory_in_proportion(void **unused)
{
    (void)unused;
    const double share = 0.1, most = 4096; /* B */
    const int longer = SLOW ? 3000 : 10000;
    const double some = bytes_per_rod(1000), many = bytes_per_rod(longer);
    assert_near(many / some, 1, share);
    assert_true(many < most);
}

/* ---- Rate of convergence ------------------------------------------------------------------- */

/* Two boxes with three different moments on ball joints tumble. */
static double evaluations_per_step(const char *method, double tolerance)
{
    running r = run_chosen(
        model_of_text(
            "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
            "  { \"name\": \"a\", \"mass\": 1, \"inertia\": [0.02, 0.05, 0.06], \"position\": [0.3, 0, 0],"
            "    \"angular_velocity\": [12, 5, 8] },"
            "  { \"name\": \"b\", \"mass\": 2, \"inertia\": [0.03, 0.08, 0.06], \"position\": [0.9, 0, 0],"
            "    \"angular_velocity\": [-9, 7, 12] }],"
            "\"joints\": ["
            "  { \"name\": \"j\", \"type\": \"ball\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0] },"
            "  { \"name\": \"k\", \"type\": \"ball\", \"bodies\": [\"a\", \"b\"], \"anchor\": [0.6, 0.1, 0] }] }"),
        (way){.choice = method, .step = 0.01, .tolerance = tolerance});
    go(&r, 1);
    const trm_counters *counters = trm_sim_counters(r.sim);
    const double each = (double)counters->newton / (double)counters->steps;
    stop(&r);
    return each;
}

/* The matrix of the start has an error of O(h): each evaluation gains about the same factor. The exact derivative
 * doubles the digits, also where bodies turn in space. */
static void the_exact_matrix_doubles_the_digits_of_tumbling_bodies(void **unused)
{
    (void)unused;
    static const double tolerance[] = {1e-6, 1e-8, 1e-10, 1e-12};
    double frozen[4], exact[4];
    for (int i = 0; i < 4; i++) {
        frozen[i] = evaluations_per_step("impulse", tolerance[i]);
        exact[i] = evaluations_per_step("impulse:newton=exact", tolerance[i]);
        print_message(
            "    tolerance %g m: %.1f evaluations per step with the matrix of the start, %.1f with the exact one\n",
            tolerance[i], frozen[i], exact[i]);
    }
    assert_true(frozen[3] - frozen[0] > 3);
    assert_true(exact[3] - exact[0] < 1.1);
    assert_true(exact[3] < 4.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stages_add_up_and_cancel_odd_powers_below_the_order),
        cmocka_unit_test(there_are_no_other_orders),
        cmocka_unit_test(composition_is_refused_with_a_damper_and_names_it),
        cmocka_unit_test(an_unknown_order_is_refused),
        cmocka_unit_test(the_double_pendulum_moves_with_the_order_asked_for),
        cmocka_unit_test(the_8_loop_moves_with_the_order_asked_for),
        cmocka_unit_test(what_is_led_from_outside_moves_with_the_order_asked_for),
        cmocka_unit_test(what_a_given_force_drives_moves_with_the_order_asked_for),
        cmocka_unit_test(the_work_of_the_outside_is_found_with_the_order_of_the_motion),
        cmocka_unit_test(the_8_loop_keeps_its_energy_as_well_as_it_should),
        cmocka_unit_test(the_8_loop_of_slender_rods_ends_where_it_should),
        cmocka_unit_test(redundant_machines_run_and_their_energy_error_falls_with_the_order),
        cmocka_unit_test(singular_machines_run_and_their_energy_error_falls_with_the_order),
        cmocka_unit_test(the_rhombus_swings_through_its_stretched_pose),
        cmocka_unit_test(velocities_are_projected_onto_redundant_rows),
        cmocka_unit_test(both_solvers_move_every_example_alike),
        cmocka_unit_test(a_step_takes_one_factorisation),
        cmocka_unit_test(rounds_end_where_they_spin_a_body_up),
        cmocka_unit_test(nothing_is_allocated_after_the_first_step),
        cmocka_unit_test(two_runs_give_the_same_bits),
        cmocka_unit_test(a_composed_run_resumed_from_a_checkpoint_is_bit_identical),
        cmocka_unit_test(a_slack_rope_leaves_the_steps_of_a_whirling_chain_as_they_are),
        cmocka_unit_test(long_chains_run_and_take_memory_in_proportion),
        cmocka_unit_test(the_exact_matrix_doubles_the_digits_of_tumbling_bodies),
    };
    return RUN_TESTS(tests);
}
