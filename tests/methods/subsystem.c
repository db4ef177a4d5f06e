/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The method of hierarchical subsystems for the loops of bars of its paper (Kasper, Vlasenko, section 4), compared
 * with separate computations: the rhombus, whose joints stay closed without projection, and a loop of unequal bars,
 * whose joints do not. */

#include "choosing.h"
#include "lagrange_models.h"

/* A rhombus of four bars of 1 m and 1 kg that hangs from a corner, released from rest; angles of the bars are
 * measured from the x axis. */
#define RHOMBUS(gravity)                                                                                             \
    "{ \"trammel\": 1, \"gravity\": " gravity ", \"constants\": { \"c\": \"sqrt(1/2)\" }, \"bodies\": ["             \
    "  { \"name\": \"bar1\", \"rod\": { \"from\": [0, 0, 0], \"to\": [\"c\", \"-c\", 0], \"mass\": 1 } },"           \
    "  { \"name\": \"bar2\", \"rod\": { \"from\": [\"c\", \"-c\", 0], \"to\": [\"2*c\", 0, 0], \"mass\": 1 } },"     \
    "  { \"name\": \"bar3\", \"rod\": { \"from\": [\"2*c\", 0, 0], \"to\": [\"c\", \"c\", 0], \"mass\": 1 } },"      \
    "  { \"name\": \"bar4\", \"rod\": { \"from\": [\"c\", \"c\", 0], \"to\": [0, 0, 0], \"mass\": 1 } }],"           \
    "  \"joints\": ["                                                                                                \
    "  { \"name\": \"P0\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"bar1\"], \"anchor\": [0, 0, 0],"          \
    "    \"axis\": [0, 0, 1], \"q0\": \"-pi/4\" },"                                                                  \
    "  { \"name\": \"P1\", \"type\": \"hinge\", \"bodies\": [\"bar1\", \"bar2\"], \"anchor\": [\"c\", \"-c\", 0],"   \
    "    \"axis\": [0, 0, 1], \"q0\": \"pi/2\" },"                                                                   \
    "  { \"name\": \"P2\", \"type\": \"hinge\", \"bodies\": [\"bar2\", \"bar3\"], \"anchor\": [\"2*c\", 0, 0],"      \
    "    \"axis\": [0, 0, 1], \"q0\": \"pi/2\" },"                                                                   \
    "  { \"name\": \"P3\", \"type\": \"hinge\", \"bodies\": [\"bar3\", \"bar4\"], \"anchor\": [\"c\", \"c\", 0],"    \
    "    \"axis\": [0, 0, 1], \"q0\": \"pi/2\" },"                                                                   \
    "  { \"name\": \"P4\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"bar4\"], \"anchor\": [0, 0, 0],"          \
    "    \"axis\": [0, 0, 1], \"q0\": \"5*pi/4\" }] }"

#define HANGING  RHOMBUS("[9.81, 0, 0]")
#define SIDEWAYS RHOMBUS("[0, -9.81, 0]")

static const double PAPER_STEP = 0.01;

/* Reads the four angles in the plane. */
static void read_angles(const running *r, double *phi)
{
    static const char *const joints[] = {"P0", "P1", "P2", "P3"};
    for (int i = 0; i < 4; i++) phi[i] = (i > 0 ? phi[i - 1] : 0) + coordinate_of(r, joints[i]);
}

static void assert_angles(const running *r, const double *expected, double tolerance)
{
    double phi[4];
    read_angles(r, phi);
    for (int i = 0; i < 4; i++) assert_near(phi[i], expected[i], tolerance);
}

static double angles_apart(const running *r, const double *expected)
{
    double phi[4], most = 0;
    read_angles(r, phi);
    for (int i = 0; i < 4; i++) most = fmax(most, fabs(phi[i] - expected[i]));
    return most;
}

static running begin(const char *model, const char *choice, double step)
{
    return run_chosen(model_of(model), (way){.choice = choice, .step = step, .tolerance = 1e-13, .order = 2});
}

/* ---- The rhombus ----------------------------------------------------------------------------- */

#define PAPER(rule) "subsystem:coordinates=generalised:stabilise=double:integrator=" rule

typedef struct rhombus_run {
    const char *model, *choice;
    double energy;       /* J: its largest error */
    double energy_digit; /* J: tolerance of it, half of the last known digit */
    double phi1[4];      /* rad: at 1, 2, 5, 10 s */
    double within;       /* rad: tolerance, half of the last known digit */
} rhombus_run;

static const double PRINTED_DRIFT = 5e-15; /* m, in the paper */

static void check_rhombus(const rhombus_run *run)
{
    static const double times[] = {1, 2, 5, 10};
    running r = begin(run->model, run->choice, PAPER_STEP);
    for (int i = 0; i < 4; i++) {
        double phi[4];
        go(&r, times[i]);
        read_angles(&r, phi);
        if (!isnan(run->phi1[i])) assert_near(phi[0], run->phi1[i], run->within);
        assert_near(phi[2] - phi[0], TRM_PI, PRINTED_DRIFT * 10);
        assert_near(phi[3] - phi[1], TRM_PI, PRINTED_DRIFT * 10);
    }
    const trm_accuracy accuracy = trm_sim_accuracy(r.sim);
    print_message("%s: drift %.1e m, energy %.4e J\n", run->choice, accuracy.gap.position, accuracy.energy_error_max);
    assert_true(accuracy.gap.position <= PRINTED_DRIFT);
    assert_near(accuracy.energy_error_max, run->energy, run->energy_digit);
    stop(&r);
}

static void the_hanging_rhombus_swings_as_computed(void **state)
{
    (void)state;
    const rhombus_run heun = {HANGING, PAPER("heun"), 1.315e-2, 5e-6, {0.607962, 0.021509, -0.588839, 0.102891},
                              6e-7};
    const rhombus_run midpoint = {
        HANGING, PAPER("midpoint"), 2.670e-2, 5e-6, {0.607912, 0.021950, -0.588455, 0.104499}, 6e-7};
    check_rhombus(&heun);
    check_rhombus(&midpoint);
}

/* Its motion is irregular: angles are known for the exact motion only, and energy errors with fewer digits. */
static void the_rhombus_that_falls_sideways_stays_closed(void **state)
{
    (void)state;
    const rhombus_run heun = {SIDEWAYS, PAPER("heun"), 6.33e-2, 5e-5, {NAN, NAN, NAN, NAN}, 0};
    const rhombus_run midpoint = {SIDEWAYS, PAPER("midpoint"), 7.11e-2, 5e-5, {NAN, NAN, NAN, NAN}, 0};
    check_rhombus(&heun);
    check_rhombus(&midpoint);
}

/* The same bars with small steps, compared with a solution of 40 digits: phi1, phi2 of the hanging rhombus and of the
 * one that falls sideways. */
static void a_rhombus_with_small_steps_goes_the_exact_way(void **state)
{
    (void)state;
    const double hanging[][2] = {{0.6079454164207, -0.6079454164207}, {0.0213025633736, -0.0213025633736}},
                 sideways[][2] = {{-2.141791890402, -2.937037681261}, {-1.821692597347, -0.878134046781}};
    static const char *const choices[] = {"subsystem", "subsystem:coordinates=generalised"};
    for (int c = 0; c < 2; c++) {
        running a = begin(HANGING, choices[c], 0.0025), b = begin(SIDEWAYS, choices[c], 0.0025);
        for (int i = 0; i < 2; i++) {
            double p[4], q[4];
            go_every(&a, i + 1, 0.5);
            go_every(&b, i + 1, 0.5);
            read_angles(&a, p);
            read_angles(&b, q);
            print_message("%s, %d s: %.1e, %.1e\n", choices[c], i + 1, p[0] - hanging[i][0], q[0] - sideways[i][0]);
            for (int k = 0; k < 2; k++) {
                assert_near(p[k], hanging[i][k], 2e-8);
                assert_near(q[k], sideways[i][k], 2e-7);
            }
        }
        stop(&a);
        stop(&b);
    }
}

/* ---- Unequal bars ----------------------------------------------------------------------------- */

#define UNEQUAL "problems/s10-unequal-loop"

static const double FACTOR = 3; /* by which drifts may differ from the computed ones */

static bool within_factor(double actual, double expected)
{
    return actual <= FACTOR * expected && actual >= expected / FACTOR;
}

typedef struct drift_run {
    const char *choice;
    double drift, velocity; /* m, m/s: largest errors; NAN: unknown */
} drift_run;

static void drift_is_as_computed(void **state)
{
    (void)state;
    static const drift_run runs[] = {
        {"subsystem:coordinates=generalised:stabilise=none:integrator=heun", 0.28965, NAN},
        {"subsystem:coordinates=generalised:stabilise=none:integrator=midpoint", 0.15968, NAN},
        {PAPER("heun:passes=1"), 2.5e-6, 1.5e-2},
        {PAPER("midpoint:passes=1"), 4.3e-6, 1.5e-2},
        {PAPER("heun"), 1.2e-11, 2.6e-5},
        {PAPER("midpoint"), 1.1e-11, 2.9e-5},
        {"subsystem:coordinates=generalised:integrator=heun", 1.1e-11, NAN},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        running r = begin(UNEQUAL, runs[i].choice, PAPER_STEP);
        go(&r, 10);
        const trm_accuracy found = trm_sim_accuracy(r.sim);
        print_message("%s: drift %.3e m, %.1e m/s, energy %.3g J\n", runs[i].choice, found.gap.position,
                      found.velocity_gap.position, found.energy_error_max);
        assert_true(within_factor(found.gap.position, runs[i].drift));
        if (!isnan(runs[i].velocity)) assert_true(within_factor(found.velocity_gap.position, runs[i].velocity));
        stop(&r);
    }
}

/* With projections in turn, velocities satisfy the joints to rounding; in the order of the paper they do not: 3.6e-15
 * was computed. */
static void velocities_that_are_projected_in_turn_fit(void **state)
{
    (void)state;
    static const char *const choices[] = {"subsystem:coordinates=generalised:integrator=heun",
                                          "subsystem:integrator=heun", "subsystem"};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        running r = begin(UNEQUAL, choices[i], PAPER_STEP);
        go(&r, 10);
        const trm_accuracy found = trm_sim_accuracy(r.sim);
        print_message("%s: %.1e m, %.1e m/s, energy %.3g J\n", choices[i], found.gap.position,
                      found.velocity_gap.position, found.energy_error_max);
        assert_true(found.velocity_gap.position <= FACTOR * 3.6e-15);
        stop(&r);
    }
}

static void drift_without_projection_is_as_computed(void **state)
{
    (void)state;
    static const struct {
        const char *choice;
        double to_1_s;
        double phi[4];
    } runs[] = {
        {"subsystem:coordinates=generalised:stabilise=none:integrator=heun",
         3.317490e-3,
         {-3.051425042, -2.223172791, -.119428542, 1.359296102}},
        {"subsystem:coordinates=generalised:stabilise=none:integrator=midpoint",
         4.804958e-3,
         {-3.051939403, -2.223135998, -.119340874, 1.358726998}},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        running r = begin(UNEQUAL, runs[i].choice, PAPER_STEP);
        go(&r, PAPER_STEP);
        assert_near(trm_sim_accuracy(r.sim).gap.position, 2.369074e-11,
                    5e-15); /* rounding of positions at a distance of some metres */
        go(&r, 1);
        assert_near(trm_sim_accuracy(r.sim).gap.position, runs[i].to_1_s, 5e-10);
        assert_angles(&r, runs[i].phi, 6e-10);
        stop(&r);
    }
    running twice = begin(UNEQUAL, PAPER("heun"), PAPER_STEP);
    go(&twice, 1);
    assert_angles(&twice, (const double[]){-3.05163228, -2.22110577, -.11819417, 1.35879823}, 6e-9);
    stop(&twice);
}

/* With zero passes of projection the result is that without projection. */
static void no_passes_are_no_projection(void **state)
{
    (void)state;
    running none = begin(UNEQUAL, "subsystem:coordinates=generalised:stabilise=none:integrator=heun", PAPER_STEP);
    running zero = begin(UNEQUAL, PAPER("heun:passes=0"), PAPER_STEP);
    go(&none, 1);
    go(&zero, 1);
    assert_true(apart(&none, &zero) == 0);
    stop(&none);
    stop(&zero);
}

static const double AT_1[] = {-3.05285241311, -2.21984970462, -0.118765157762, 1.35948412174};
static const double AT_2[] = {-2.05435273478, -1.89941374009, 0.658734291634, 1.91638950880};

static void small_steps_meet_the_reference(void **state)
{
    (void)state;
    static const char *const choices[] = {"subsystem", "subsystem:coordinates=generalised",
                                          "subsystem:stabilise=double", "subsystem:tree=ladder:leaf=1"};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        running r = begin(UNEQUAL, choices[i], 0.001);
        go_every(&r, 1, 0.5);
        const double first = angles_apart(&r, AT_1);
        go_every(&r, 2, 0.5);
        const double second = angles_apart(&r, AT_2);
        print_message("%s: %.1e at 1 s, %.1e at 2 s; drift %.1e m\n", choices[i], first, second,
                      trm_sim_accuracy(r.sim).gap.position);
        assert_true(first <= 3e-9 && second <= 2e-8); /* error of the integrator with this step */
        assert_true(trm_sim_accuracy(r.sim).gap.position <= 1e-14);
        stop(&r);
    }
}

static double error_at_1(double step, const void *context)
{
    running r = begin(UNEQUAL, context, step);
    go_every(&r, 1, 0.5);
    const double error = angles_apart(&r, AT_1);
    stop(&r);
    return error;
}

static void errors_fall_by_the_order_of_the_rule(void **state)
{
    (void)state;
    static const struct {
        const char *choice;
        double order, step;
    } rules[] = {
        {"subsystem:integrator=heun", 2, 0.002},
        {"subsystem:integrator=midpoint", 2, 0.002},
        {"subsystem:integrator=rk4", 4, 0.005},
        {"subsystem:integrator=rk4:stabilise=double", 4, 0.005},
        {"subsystem:coordinates=generalised:integrator=heun", 2, 0.002},
        {"subsystem:coordinates=generalised:integrator=rk4", 4,
         0.00125}, /* with larger steps its error changes sign */
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const double order = order_between(error_at_1, rules[i].choice, rules[i].step);
        print_message("%s: order %.2f\n", rules[i].choice, order);
        assert_near(order, rules[i].order, 0.35); /* the order follows from two steps only */
    }
}

/* ---- In space --------------------------------------------------------------------------------- */

/* Its universal joint prevents the slender rod from spinning, which two balls would permit: the motion is the
 * same. */
static void a_loop_in_space_goes_the_known_way(void **state)
{
    (void)state;
    running r = begin("problems/s09-rssr", "subsystem", 0.001);
    go_every(&r, 1, 0.1);
    print_message("RSSR: %.3e, drift %.1e\n", coordinate_of(&r, "A") - 9.421850551081,
                  trm_sim_accuracy(r.sim).gap.position);
    assert_near(coordinate_of(&r, "A"), 9.421850551081, 1e-7); /* a separate computation has an error of 5.1e-8 */
    assert_true(trm_sim_accuracy(r.sim).gap.position <= 1e-14);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hanging_rhombus_swings_as_computed),
        cmocka_unit_test(the_rhombus_that_falls_sideways_stays_closed),
        cmocka_unit_test(a_rhombus_with_small_steps_goes_the_exact_way),
        cmocka_unit_test(drift_is_as_computed),
        cmocka_unit_test(velocities_that_are_projected_in_turn_fit),
        cmocka_unit_test(drift_without_projection_is_as_computed),
        cmocka_unit_test(no_passes_are_no_projection),
        cmocka_unit_test(small_steps_meet_the_reference),
        cmocka_unit_test(errors_fall_by_the_order_of_the_rule),
        cmocka_unit_test(a_loop_in_space_goes_the_known_way),
    };
    return RUN_TESTS(tests);
}
