/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The Taylor method: its order, its drift, springs, redundant distances, and refusals. */

#include <float.h>

#include "check.h"
#include "point_machines.h"
#include "resuming.h"

/* m and m/s: sufficiently short steps of order 20 have rounding errors only, which machines enlarge to this at
 * most. */
static const double ROUNDING = 1e-12;

static running start(trm_model *model, double order, double step)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = "taylor";
    options.order = order;
    options.step = step;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = 1e-13;
    return run_model(model, &options);
}

/* ---- Order -------------------------------------------------------------------------------- */

typedef struct problem {
    const char *name;
    trm_model *(*make)(void);
    double until, coarse[5]; /* s; coarse: the longer of the two steps from which the orders 2 .. 6 are computed */
    double order;
    const running *fine;
} problem;

static double error_of_taylor(double step, const void *context)
{
    const problem *p = context;
    running r = start(p->make(), p->order, step);
    go_every(&r, p->until, p->until);
    const double error = runs_apart(&r, p->fine);
    stop(&r);
    return error;
}

/* Checks positions and velocities: both have the order that was requested. */
static void check_orders(problem p)
{
    running fine = start(p.make(), 20, p.until / 256);
    go_every(&fine, p.until, p.until);
    p.fine = &fine;
    for (int i = 0; i < 5; i++) {
        p.order = 2 + i;
        const double seen = order_between(error_of_taylor, &p, p.coarse[i]);
        print_message("    %-16s order %g: seen %.2f, off by %.1e at h = %g s\n", p.name, p.order, seen,
                      error_of_taylor(p.coarse[i] / 2, &p), p.coarse[i] / 2);
        assert_near(seen, p.order, 0.3);
    }
    stop(&fine);
}

#define NET_SPRING(a, b, more)                                                                                       \
    "{ \"type\": \"spring\", \"bodies\": [\"" a "\", \"" b "\"], \"anchors\": [[0, 0, 0], [0, 0, 0]]" more " },"
#define NET_POINT(name, mass, x, y, z)                                                                               \
    "{ \"name\": \"" name "\", \"point\": true, \"mass\": " mass ", \"position\": [" x ", " y ", " z "] },"

/* Five points in a net of springs, some of them damped, with one bar between two of them and one to a post. */
static const char *const NET =
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
    "    { \"name\": \"post\", \"fixed\": true, \"position\": [2, 0, 0.3], \"orientation\": { \"axis\": [1, 2, 3],"
    "      \"angle\": 0.7 } }," NET_POINT("a", "1", "0.5", "-0.2", "0") NET_POINT("b", "0.7", "1", "-0.3", "0.2")
        NET_POINT("c", "1.2", "1.5", "-0.2", "0") NET_POINT("d", "0.5", "0.8", "-0.7", "0.4")
            NET_POINT("e", "0.9", "1.3", "-0.8",
                      "-0.3") "  ], \"joints\": ["
                              "    { \"name\": \"bar\", \"type\": \"distance\", \"bodies\": [\"b\", \"d\"], "
                              "\"anchors\": [[0, 0, 0], [0, 0, 0]] },"
                              "    { \"name\": \"stay\", \"type\": \"distance\", \"bodies\": [\"post\", \"c\"],"
                              "      \"anchors\": [[0.1, 0.2, -0.1], [0, 0, 0]] }"
                              "  ], \"forces\": ["
                              "    { \"type\": \"spring\", \"bodies\": [\"post\", \"c\"], \"anchors\": [[0, 0.3, 0], "
                              "[0, 0, 0]],"
                              "      \"stiffness\": 60, \"damping\": 0.8 }," NET_SPRING(
                                  "ground", "a", ", \"stiffness\": 80, \"damping\": 1")
                                  NET_SPRING("a", "b", ", \"stiffness\": 50, \"rest\": 0.4")
                                      NET_SPRING("b", "c", ", \"stiffness\": 50")
                                          NET_SPRING("a", "d", ", \"stiffness\": 40, \"damping\": 0.3")
                                              NET_SPRING("c", "e", ", \"stiffness\": 70")
                                                  NET_SPRING("d", "e", ", \"stiffness\": 30, \"damping\": 0.5")
                                                      NET_SPRING("b", "e", ", \"stiffness\": 20") "  ] }";

static trm_model *net(void)
{
    return model_of_text(NET);
}

static void any_order_is_reached(void **state)
{
    (void)state;
    const problem problems[] = {
        {"double pendulum",
         double_pendulum_of_points,
         1,
         {1.0 / 512, 1.0 / 256, 1.0 / 128, 1.0 / 64, 1.0 / 64},
         0,
         NULL},
        {"chain of 8", chain_of_points, 0.5, {1.0 / 512, 1.0 / 256, 1.0 / 256, 1.0 / 128, 1.0 / 128}, 0, NULL},
        {"tetrahedron", tetrahedron, 1, {1.0 / 512, 1.0 / 256, 1.0 / 128, 1.0 / 64, 1.0 / 64}, 0, NULL},
        {"net of springs", net, 1, {1.0 / 512, 1.0 / 256, 1.0 / 128, 1.0 / 64, 1.0 / 64}, 0, NULL},
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) check_orders(problems[i]);
}

/* SBP (6.12) as printed, for a point mass on a string from the origin: P'' provides the last term of the velocity. */
static double error_of_printed(double step, const void *context)
{
    const running *fine = context;
    const trm_vec3 g = {0, -9.81, 0};
    trm_vec3 P = {1, 0, 0}, V = {0, 0, 0};
    for (int i = 0, n = (int)lround(1 / step); i < n; i++) {
        const double q = (-trm_v3_dot(V, V) - trm_v3_dot(P, g)) / trm_v3_dot(P, P); /* (6.11) for one distance */
        const trm_vec3 a = trm_v3_add_scaled(g, q, P);
        P = trm_v3_add_scaled(trm_v3_add_scaled(P, step, V), 0.5 * step * step, a);
        V = trm_v3_add_scaled(V, step, a);
    }
    return fmax(trm_v3_length(trm_v3_sub(P, place_of(fine, "p"))),
                trm_v3_length(trm_v3_sub(V, velocity_of(fine, "p"))));
}

static trm_model *point_pendulum(void)
{
    return model_of_text("{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
                         "    { \"name\": \"p\", \"point\": true, \"mass\": 2, \"position\": [1, 0, 0] }],"
                         "  \"joints\": [{ \"name\": \"d\", \"type\": \"distance\", \"bodies\": [\"ground\", \"p\"],"
                         "    \"anchors\": [[0, 0, 0], [0, 0, 0]] }] }");
}

static void the_formula_as_printed_is_of_one_order_less(void **state)
{
    (void)state;
    running fine = start(point_pendulum(), 20, 1.0 / 64);
    go_every(&fine, 1, 1);
    const problem ours = {"pendulum", point_pendulum, 1, {0}, 2, &fine};
    const double printed = order_between(error_of_printed, &fine, 1.0 / 1024);
    const double seen = order_between(error_of_taylor, &ours, 1.0 / 1024);
    print_message("    (6.12) as printed: order %.2f; with P''' in the velocity: %.2f\n", printed, seen);
    assert_near(printed, 1, 0.3);
    assert_near(seen, 2, 0.3);
    stop(&fine);
}

/* Compared with short steps, and for the double pendulum with a solution of 16 digits (R13). */
static void order_twenty_is_exact_at_long_steps(void **state)
{
    (void)state;
    trm_model *(*const machines[])(void) = {double_pendulum_of_points, tetrahedron, net};
    static const double LONG[] = {1.0 / 100, 1.0 / 40, 1.0 / 32}; /* s */
    for (int i = 0; i < 3; i++) {
        running coarse = start(machines[i](), 20, LONG[i]), fine = start(machines[i](), 20, 1.0 / 512);
        go_every(&coarse, 1, 1);
        go_every(&fine, 1, 1);
        const double off = runs_apart(&coarse, &fine);
        print_message("    order 20: h = %g s is %.1e off h = 1/512 s\n", LONG[i], off);
        assert_near(off, 0, ROUNDING);
        stop(&coarse);
        stop(&fine);
    }
    running r = start(double_pendulum_of_points(), 20, 0.01);
    go_every(&r, 1, 1);
    assert_near(place_of(&r, "tip").x, -0.74846111591139514, ROUNDING);
    assert_near(place_of(&r, "tip").y, -1.0216983147399718, ROUNDING);
    stop(&r);
}

/* Each step can be reversed with an error of its order. */
static void backwards_it_finds_its_start(void **state)
{
    (void)state;
    running r = start(tetrahedron(), 20, 0.02), first = start(tetrahedron(), 20, 0.02);
    assert_good(trm_sim_observe(first.sim));
    for (int i = 0; i < 40; i++) assert_good(trm_sim_step(r.sim, i < 20 ? 0.02 : -0.02));
    assert_near(apart(trm_sim_state(r.sim), trm_sim_state(first.sim), trm_body_count(r.model)), 0, ROUNDING);
    stop(&r);
    stop(&first);
}

static void an_error_that_is_asked_for_is_kept(void **state)
{
    (void)state;
    running fine = start(double_pendulum_of_points(), 20, 1.0 / 256);
    go_every(&fine, 1, 1);
    for (double error = 1e-5; error > 5e-10; error *= 1e-2) {
        trm_model *model = double_pendulum_of_points();
        trm_simulation_def options = *trm_model_simulation(model);
        options.method = "taylor";
        options.order = 5;
        options.error = error;
        running r = run_model(model, &options);
        go_every(&r, 1, 1);
        const double off = trm_v3_length(trm_v3_sub(place_of(&r, "tip"), place_of(&fine, "tip")));
        print_message("    requested %.0e, off by %.1e\n", error, off);
        assert_true(
            off <
            20 * error); /* errors of velocities count only with the factor h, and the machine enlarges all errors */
        stop(&r);
    }
    stop(&fine);
}

/* ---- Drift -------------------------------------------------------------------------------- */

static const double D_MAX = 1e-10;
static const double WHEN[] = {1, 2, 4, 8};

static void tabulate(const char *method, double order, double gaps[4], double velocity_gaps[4])
{
    trm_model *model = double_pendulum_of_points();
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = method;
    options.order = order;
    options.step = 0.005;
    options.position_tolerance = options.velocity_tolerance = D_MAX;
    running r = run_model(model, &options);
    for (int i = 0; i < 4; i++) {
        go_every(&r, WHEN[i], WHEN[i]);
        gaps[i] = gap_now(&r);
        velocity_gaps[i] = velocity_gap_now(&r);
        print_message("    %-8s %5g %4g %10.1e %10.1e\n", method, order, WHEN[i], gaps[i], velocity_gaps[i]);
    }
    stop(&r);
}

static void joints_drift_apart_and_those_of_impulse_do_not(void **state)
{
    (void)state;
    double gaps[4], velocity_gaps[4];
    print_message("    method   order  t/s      gap/m  gap/(m/s)\n");
    for (int order = 2; order <= 4; order += 2) {
        tabulate("taylor", order, gaps, velocity_gaps);
        for (int i = 1; i < 4; i++) assert_true(gaps[i] > gaps[i - 1]);
        assert_true(gaps[0] > 10 * D_MAX);
        assert_true(velocity_gaps[3] > velocity_gaps[0]);
        tabulate("impulse", order, gaps, velocity_gaps);
        for (int i = 0; i < 4; i++) assert_true(gaps[i] <= D_MAX && velocity_gaps[i] <= D_MAX);
    }
}

/* ---- Springs ------------------------------------------------------------------------------ */

/* A mass of 2 kg hangs on a damped spring, 0.3 m below its equilibrium. */
#define OSCILLATOR(damping)                                                                                          \
    "{ \"trammel\": 1, \"gravity\": [0, -10, 0], \"bodies\": [{ \"name\": \"p\", \"point\": true, \"mass\": 2,"      \
    "    \"position\": [0, -1.8, 0] }], \"forces\": [{ \"type\": \"spring\", \"bodies\": [\"ground\", \"p\"],"       \
    "    \"anchors\": [[0, 0, 0], [0, 0, 0]], \"stiffness\": 40, \"rest\": 1, \"damping\": " damping " }] }"

/* x'' + 2 delta x' + omega0^2 x = 0 from x(0) = 0.3 at rest; x is measured downwards from the equilibrium 1.5 m below
 * the origin. */
static trm_vec3 oscillator(double damping, double t, trm_vec3 *V)
{
    const double delta = damping / (2 * 2), omega = sqrt(40.0 / 2 - delta * delta), e = 0.3 * exp(-delta * t);
    *V = trm_v3(0, e * (delta * delta / omega + omega) * sin(omega * t), 0);
    return trm_v3(0, -1.5 - e * (cos(omega * t) + delta / omega * sin(omega * t)), 0);
}

static void check_oscillator(const char *text, double damping)
{
    running r = start(model_of_text(text), 20, 0.0625);
    for (int i = 1; i <= 4; i++) {
        trm_vec3 V;
        const trm_vec3 P = oscillator(damping, i, &V);
        go_every(&r, i, 0.0625);
        assert_near(trm_v3_length(trm_v3_sub(place_of(&r, "p"), P)), 0, ROUNDING);
        assert_near(trm_v3_length(trm_v3_sub(velocity_of(&r, "p"), V)), 0, ROUNDING);
    }
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    assert_near(a.energy_error_max, 0, 10 * ROUNDING); /* J, of 20 J */
    assert_true(damping > 0 ? a.work < -1 : a.work == 0);
    stop(&r);
}

static void a_damped_oscillator_is_its_closed_form(void **state)
{
    (void)state;
    check_oscillator(OSCILLATOR("0"), 0);
    check_oscillator(OSCILLATOR("3"), 3);
}

static double balance_error(double step, const void *context)
{
    const double *order = context;
    running r = start(net(), *order, step);
    go_every(&r, 1, 1.0 / 8);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    assert_true(a.work < -0.1);
    stop(&r);
    return a.energy_error_max;
}

/* The work of dampers has the order of the steps. */
static void the_energy_balance_has_the_order_too(void **state)
{
    (void)state;
    for (double order = 2; order <= 5; order++) {
        const double seen = order_between(balance_error, &order, 1.0 / 128);
        print_message("    E - E0 - W at order %g: seen %.2f\n", order, seen);
        assert_true(seen > order - 0.3 &&
                    seen < order + 1.5); /* in the sum over all points, terms of some orders cancel */
    }
    double highest = 20;
    assert_near(balance_error(1.0 / 32, &highest), 0, 20 * ROUNDING);
}

/* Difference from impulse extrapolated to order four: 16 times smaller when the step is halved, so that impulse
 * converges to this solution. */
static double impulse_off(double step, const void *context)
{
    trm_model *model = net();
    trm_simulation_def options = *trm_model_simulation(model);
    options.scheme = "extrapolation";
    options.step = step;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = 1e-13;
    running r = run_model(model, &options);
    go_every(&r, 1, 1);
    const double off = runs_apart(&r, context);
    stop(&r);
    return off;
}

static void a_net_of_springs_moves_as_with_impulses(void **state)
{
    (void)state;
    running r = start(net(), 12, 1.0 / 64);
    go_every(&r, 1, 1);
    const double off = impulse_off(1.0 / 1024, &r), seen = order_between(impulse_off, &r, 1.0 / 256);
    print_message("    impulse at h = 1/1024 s is off by %.1e, order %.2f\n", off, seen);
    assert_true(off < 2e-9); /* m, m/s: 1/1024^4 is 1e-12, enlarged by velocities of 10 m/s and springs */
    assert_near(seen, 4, 0.3);
    stop(&r);
}

/* ---- Redundant distances ------------------------------------------------------------------ */

/* Finds which of the 28 pairs are redundant according to the analysis. The first joint is the bar to the ground. */
static void find_redundant(bool redundant[CUBOID_PAIRS])
{
    trm_model *model = cuboid(NULL);
    trm_state *start_state = start_of(model);
    trm_analysis *a = trm_analyse(start_state, NULL);
    assert_non_null(a);
    assert_int_equal(a->whole.rank, 18 + 1);
    assert_int_equal(a->redundant_count, CUBOID_PAIRS - 18);
    for (int i = 0; i < CUBOID_PAIRS; i++) redundant[i] = false;
    for (int i = 0; i < a->redundant_count; i++) redundant[a->redundant[i].joint - 1] = true;
    trm_analysis_destroy(a);
    trm_state_destroy(start_state);
    trm_model_destroy(model);
}

static void redundant_distances_change_nothing(void **state)
{
    (void)state;
    bool redundant[CUBOID_PAIRS];
    find_redundant(redundant);
    running whole = start(cuboid(NULL), 12, 0.01), reduced = start(cuboid(redundant), 12, 0.01);
    go_every(&whole, 1, 0.1);
    go_every(&reduced, 1, 0.1);
    const double off = runs_apart(&whole, &reduced);
    print_message("    28 distances are %.1e off 18; gap %.1e m\n", off, gap_now(&whole));
    assert_near(off, 0, 10 * ROUNDING);
    assert_near(gap_now(&whole), 0, ROUNDING);
    assert_int_equal(trm_sim_dropped_rows(whole.sim, NULL, 0), 10);
    assert_int_equal(trm_sim_dropped_rows(reduced.sim, NULL, 0), 0);
    stop(&whole);
    stop(&reduced);
}

/* ---- Small models ------------------------------------------------------------------------- */

static void free_points_fall_exactly(void **state)
{
    (void)state;
    running r =
        start(model_of_text("{ \"trammel\": 1, \"gravity\": [1, -10, 2], \"bodies\": ["
                            "  { \"name\": \"a\", \"point\": true, \"mass\": 3, \"velocity\": [1, 2, 3] },"
                            "  { \"name\": \"b\", \"point\": true, \"mass\": 1, \"position\": [5, 0, 0] }] }"),
              2, 0.25);
    go_every(&r, 2, 1);
    assert_near(trm_v3_length(trm_v3_sub(place_of(&r, "a"), trm_v3(4, -16, 10))), 0, 4 * DBL_EPSILON * 20);
    assert_near(trm_v3_length(trm_v3_sub(velocity_of(&r, "a"), trm_v3(3, -18, 7))), 0, 4 * DBL_EPSILON * 20);
    assert_near(trm_v3_length(trm_v3_sub(place_of(&r, "b"), trm_v3(7, -20, 4))), 0, 4 * DBL_EPSILON * 20);
    stop(&r);
}

/* Fixed bodies do not enter the sums: bars that end at a rotated post and at the ground. */
static void a_point_between_fixed_ends_swings(void **state)
{
    (void)state;
    running r = start(model_of_text("{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
                                    "  { \"name\": \"post\", \"fixed\": true, \"position\": [2, 0, 0],"
                                    "    \"orientation\": { \"axis\": [0, 0, 1], \"angle\": 1 } },"
                                    "  { \"name\": \"p\", \"point\": true, \"mass\": 1, \"position\": [1, 0, 1] }],"
                                    "  \"joints\": ["
                                    "    { \"name\": \"l\", \"type\": \"distance\", \"bodies\": [\"ground\", \"p\"],"
                                    "      \"anchors\": [[0, 0, 0], [0, 0, 0]] },"
                                    "    { \"name\": \"r\", \"type\": \"distance\", \"bodies\": [\"p\", \"post\"],"
                                    "      \"anchors\": [[0, 0, 0], [0, 0, 0]] }] }"),
                      20, 0.05);
    running pendulum = start(point_pendulum(), 20, 0.05); /* the same circular motion about another axis */
    go_every(&r, 1, 1);
    go_every(&pendulum, 1, 1);
    assert_near(place_of(&r, "p").x, 1, ROUNDING);
    assert_near(place_of(&r, "p").z, place_of(&pendulum, "p").x, ROUNDING);
    assert_near(place_of(&r, "p").y, place_of(&pendulum, "p").y, ROUNDING);
    assert_near(trm_v3_length(place_of(&r, "post")), 2, 0);
    stop(&r);
    stop(&pendulum);
}

static void reactions_are_those_of_impulse(void **state)
{
    (void)state;
    running r = start(tetrahedron(), 12, 1.0 / 128);
    trm_model *same = tetrahedron();
    trm_simulation_def options = *trm_model_simulation(same);
    options.order = 8;
    options.step = 1.0 / 128;
    options.position_tolerance = options.velocity_tolerance = 1e-13;
    running impulse = run_model(same, &options);
    trm_sim_enable_reactions(r.sim, true);
    trm_sim_enable_reactions(impulse.sim, true);
    go_every(&r, 0.5, 0.5);
    go_every(&impulse, 0.5, 0.5);
    for (int j = 0; j < trm_joint_count(r.model); j++) {
        const trm_vec3 a = trm_joint_reaction(trm_sim_state(r.sim), j).lin,
                       b = trm_joint_reaction(trm_sim_state(impulse.sim), j).lin;
        assert_near(trm_v3_length(trm_v3_sub(a, b)), 0,
                    1e-8 * trm_v3_length(b)); /* error of impulse with order 8 at this step */
    }
    stop(&r);
    stop(&impulse);
}

/* ---- Resuming ----------------------------------------------------------------------------- */

static void a_resumed_run_is_bit_identical(void **state)
{
    (void)state;
    assert_resumes_bit_identically(start(net(), 7, 0.01), start(net(), 7, 0.01));
}

/* ---- Refusals ----------------------------------------------------------------------------- */

static void refuse(trm_model *model, double order, const char *said)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = "taylor";
    options.order = order;
    assert_refused(model, &options, said);
}

static void orders_that_there_are_not_are_refused(void **state)
{
    (void)state;
    refuse(point_pendulum(), 1, "taylor has no order 1; give a whole number from 2 to 20");
    refuse(point_pendulum(), 1.5, "taylor has no order 1.5");
    refuse(point_pendulum(), 2.5, "taylor has no order 2.5");
    refuse(point_pendulum(), 21, "taylor has no order 21");
    refuse(point_pendulum(), NAN, "taylor has no order nan");
    refuse(point_pendulum(), INFINITY, "taylor has no order inf");
    refuse(point_pendulum(), -2, "taylor has no order -2");
}

#define POINT "{ \"name\": \"p\", \"point\": true, \"mass\": 1, \"position\": [1, 0, 0] }"
#define WITH(bodies, joints, forces)                                                                                 \
    model_of_text("{ \"trammel\": 1, \"bodies\": [" bodies "], \"joints\": [" joints "], \"forces\": [" forces "] "  \
                  "}")
#define DISTANCE(name, more)                                                                                         \
    "{ \"name\": \"" name "\", \"type\": \"distance\", \"bodies\": [\"ground\", \"p\"],"                             \
    "  \"anchors\": [[0, 0, 0], [0, 0, 0]]" more " }"
#define ROD "{ \"name\": \"r\", \"rod\": { \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"mass\": 1 } }"

static void elements_without_a_taylor_series_are_refused_by_name(void **state)
{
    (void)state;
    refuse(WITH(ROD, "", ""), 4, "body 'r' is a rigid body");
    refuse(WITH(ROD,
                "{ \"name\": \"h\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"r\"], \"anchor\": [0, 0, 0],"
                "  \"axis\": [0, 0, 1] }",
                ""),
           4, "body 'r' is a rigid body");
    refuse(WITH(POINT,
                "{ \"name\": \"b\", \"type\": \"ball\", \"bodies\": [\"ground\", \"p\"], \"anchor\": [1, 0, 0] }",
                ""),
           4, "joint 'b' is not a distance");
    refuse(WITH(POINT ", { \"name\": \"lift\", \"moving\": { \"position\": [0, \"sin(t)\", 0] } }", "", ""), 4,
           "body 'lift' has a prescribed motion");
    refuse(WITH(POINT, "",
                "{ \"name\": \"wind\", \"type\": \"force\", \"body\": \"p\","
                "  \"value\": [\"sin(t)\", 0, 0] }"),
           4, "force 'wind' is neither gravity nor a spring");
    refuse(WITH(POINT, DISTANCE("line", ", \"rope\": true"), ""), 4, "joint 'line' is a rope");
    refuse(WITH(POINT, DISTANCE("link", ", \"break\": { \"force\": 5 }"), ""), 4, "joint 'link' breaks");
    refuse(model_of_file(TRM_EXAMPLES "/problems/r14-car-axis.json"), 4, "body 'axle' has a prescribed motion");
    refuse(model_of_file(TRM_EXAMPLES "/double-pendulum.json"), 4, "is a rigid body");
}

static void other_solvers_and_schemes_are_refused(void **state)
{
    (void)state;
    trm_model *model = point_pendulum();
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = "taylor";
    for (int i = 0; i < 2; i++) {
        trm_messages *messages = trm_messages_create(NULL);
        trm_sim *sim = NULL;
        options.solver = i == 0 ? "iterative" : "direct";
        options.scheme = i == 1 ? "extrapolation" : "composition";
        assert_int_equal(trm_sim_create(model, &options, NULL, messages, &sim), TRM_BAD_INPUT);
        assert_non_null(strstr(trm_message_at(messages, 0)->text, i == 0 ? "iterative" : "an order of its own"));
        trm_messages_destroy(messages);
    }
    trm_model_destroy(model);
}

static trm_spatial blow(void *context, const trm_state *state)
{
    (void)context, (void)state;
    return trm_sp(trm_v3(0, 0, 0), trm_v3(1, 0, 0));
}

static void a_force_of_the_caller_ends_the_first_step_by_name(void **state)
{
    (void)state;
    running r = start(point_pendulum(), 4, 0.01);
    assert_int_equal(trm_sim_add_force(r.sim, "fan", 1, blow, NULL), TRM_OK);
    const trm_outcome outcome = trm_sim_step(r.sim, 0.01);
    assert_false(outcome.ok);
    assert_string_equal(outcome.element, "force 'fan'");
    assert_non_null(strstr(outcome.why, "derivatives"));
    assert_near(trm_state_time(trm_sim_state(r.sim)), 0, 0);
    assert_near(trm_v3_length(trm_v3_sub(place_of(&r, "p"), trm_v3(1, 0, 0))), 0, 0);
    assert_int_equal(trm_sim_counters(r.sim)->halvings, 0); /* shorter steps do not help */
    stop(&r);
}

#define SPRING_OF_NO_LENGTH(keys)                                                                                    \
    "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"p\", \"point\": true, \"mass\": 1, \"velocity\": [1, 0, 0] }],"    \
    "  \"forces\": [{ \"name\": \"s\", \"type\": \"spring\", \"bodies\": [\"ground\", \"p\"],"                       \
    "    \"anchors\": [[0, 0, 0], [0, 0, 0]], \"stiffness\": 4, " keys " }],"                                        \
    "  \"simulation\": { \"method\": \"taylor\", \"order\": 12 } }"

static void a_spring_without_rest_needs_no_length(void **state)
{
    (void)state;
    running r = run_text(SPRING_OF_NO_LENGTH("\"rest\": 0"), 0.02, 1e-10);
    go(&r, 2);
    assert_near(place_of(&r, "p").x, 0.5 * sin(4), 1e-12); /* x'' = -4 x */
    stop(&r);
}

static void a_spring_that_needs_a_length_is_named(void **state)
{
    (void)state;
    running r = run_text(SPRING_OF_NO_LENGTH("\"rest\": 1"), 0.02, 1e-10);
    const trm_outcome outcome = trm_sim_step(r.sim, 0.02);
    assert_false(outcome.ok);
    assert_string_equal(outcome.element, "force 's'");
    assert_int_equal(trm_sim_counters(r.sim)->halvings, 0);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spring_without_rest_needs_no_length),
        cmocka_unit_test(a_spring_that_needs_a_length_is_named),
        cmocka_unit_test(any_order_is_reached),
        cmocka_unit_test(the_formula_as_printed_is_of_one_order_less),
        cmocka_unit_test(order_twenty_is_exact_at_long_steps),
        cmocka_unit_test(backwards_it_finds_its_start),
        cmocka_unit_test(an_error_that_is_asked_for_is_kept),
        cmocka_unit_test(joints_drift_apart_and_those_of_impulse_do_not),
        cmocka_unit_test(a_damped_oscillator_is_its_closed_form),
        cmocka_unit_test(the_energy_balance_has_the_order_too),
        cmocka_unit_test(a_net_of_springs_moves_as_with_impulses),
        cmocka_unit_test(redundant_distances_change_nothing),
        cmocka_unit_test(free_points_fall_exactly),
        cmocka_unit_test(a_point_between_fixed_ends_swings),
        cmocka_unit_test(reactions_are_those_of_impulse),
        cmocka_unit_test(a_resumed_run_is_bit_identical),
        cmocka_unit_test(orders_that_there_are_not_are_refused),
        cmocka_unit_test(elements_without_a_taylor_series_are_refused_by_name),
        cmocka_unit_test(other_solvers_and_schemes_are_refused),
        cmocka_unit_test(a_force_of_the_caller_ends_the_first_step_by_name),
    };
    return RUN_TESTS(tests);
}
