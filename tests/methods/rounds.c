/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A fixed number of rounds over the joints in each step (SBP section 8: one round of Newton's method suffices for
 * convergence): the order of the results, and the remaining gaps of joints. */

#include "check.h"
#include "point_machines.h"
#include "resuming.h"

static running start(trm_model *model, const char *solver, int rounds, double step)
{
    trm_simulation_def options = *trm_model_simulation(model);
    const trm_option own = {.method = "impulse", .name = "rounds", .number = rounds};
    options.solver = solver;
    options.order = 2;
    options.step = step;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = 1e-13;
    options.options = &own;
    options.option_count = 1;
    return run_model(model, &options);
}

static trm_model *eight_loop(void)
{
    return model_of_file(TRM_EXAMPLES "/eight-loop.json");
}

/* ---- Order -------------------------------------------------------------------------------- */

typedef struct problem {
    const char *name;
    trm_model *(*make)(void);
    double until, coarse; /* s; coarse: the longer of the two steps from which the order is computed */
    const char *solver;
    int rounds;
    const running *fine;
} problem;

static running fine_run(const problem *p)
{
    trm_model *model = p->make();
    trm_simulation_def options = *trm_model_simulation(model);
    options.order = 8;
    options.step = p->until / 512;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = 1e-13;
    running r = run_model(model, &options);
    go_every(&r, p->until, p->until);
    return r;
}

static double error_of_rounds(double step, const void *context)
{
    const problem *p = context;
    running r = start(p->make(), p->solver, p->rounds, step);
    go_every(&r, p->until, p->until);
    const double error = runs_apart(&r, p->fine);
    stop(&r);
    return error;
}

static double order_seen(problem p)
{
    running fine = fine_run(&p);
    p.fine = &fine;
    const double seen = order_between(error_of_rounds, &p, p.coarse);
    print_message("    %-16s %-9s %d rounds: order %.2f, off by %.1e at h = %g s\n", p.name, p.solver, p.rounds, seen,
                  error_of_rounds(p.coarse / 2, &p), p.coarse / 2);
    stop(&fine);
    return seen;
}

static const problem problems[] = {
    {"double pendulum", double_pendulum_of_points, 1, 1.0 / 1024, "direct", 1, NULL},
    {"chain of 8", chain_of_points, 0.5, 1.0 / 2048, "direct", 1, NULL},
    {"8-Loop of rods", eight_loop, 1, 1.0 / 1024, "direct", 1, NULL},
};

static void one_round_of_newton_is_enough_for_order_two(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) assert_near(order_seen(problems[i]), 2, 0.3);
}

/* Returns the difference of a run from one whose joints are closed in each step. */
static double difference_of_rounds(double step, const void *context)
{
    const problem *p = context;
    running partly = start(p->make(), p->solver, p->rounds, step), closed = start(p->make(), p->solver, 0, step);
    go_every(&partly, p->until, p->until);
    go_every(&closed, p->until, p->until);
    const double difference = runs_apart(&partly, &closed);
    stop(&partly);
    stop(&closed);
    return difference;
}

/* The gap that a round leaves is of higher order than the error of the step: even the 8-Loop, where the gap is the
 * larger of the two at all practical steps, has order two in the limit. */
static void each_round_takes_an_order_off_what_is_left(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int rounds = 1; rounds <= 2; rounds++) {
            problem p = problems[i];
            p.rounds = rounds;
            const double seen = order_between(difference_of_rounds, &p, p.coarse);
            print_message("    %-16s %d rounds: %.1e off closed joints at h = %g s, order %.2f\n", p.name, rounds,
                          difference_of_rounds(p.coarse, &p), p.coarse, seen);
            assert_near(seen, 2 + rounds, 0.4);
        }
}

static void two_rounds_have_order_two_as_well(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        problem p = problems[i];
        p.rounds = 2;
        assert_near(order_seen(p), 2, 0.3);
    }
}

/* Solving joint after joint, a round leaves a part G of the gap that does not vanish with the step. Since velocities
 * include the impulses, c(t+h) = G (2 c(t) - c(t-h) + h^2 ...): this corresponds to a stiff damped spring in each
 * joint, with a gap of h^2. */
static void joint_after_joint_any_number_of_rounds_has_order_two(void **state)
{
    (void)state;
    static const int ROUNDS[] = {1, 2, 40};
    for (int i = 0; i < 3; i++) {
        problem p = problems[0];
        p.solver = "iterative";
        p.rounds = ROUNDS[i];
        assert_near(order_seen(p), 2, 0.3);
    }
}

/* Composed steps cancel errors of closed joints: with fewer rounds, the order is two plus the number of rounds. */
static double error_of_composed(double step, const void *context)
{
    const problem *p = context;
    trm_model *model = p->make();
    trm_simulation_def options = *trm_model_simulation(model);
    const trm_option own = {.method = "impulse", .name = "rounds", .number = p->rounds};
    options.order = 8;
    options.step = step;
    options.options = &own;
    options.option_count = 1;
    running r = run_model(model, &options);
    go_every(&r, p->until, p->until);
    const double error = runs_apart(&r, p->fine);
    stop(&r);
    return error;
}

static void composed_to_eight_rounds_decide_the_order(void **state)
{
    (void)state;
    running fine = fine_run(&problems[0]);
    for (int rounds = 1; rounds <= 2; rounds++) {
        problem p = problems[0];
        p.rounds = rounds;
        p.fine = &fine;
        const double seen = order_between(error_of_composed, &p, 1.0 / 512);
        print_message("    order 8 with %d rounds: seen %.2f\n", rounds, seen);
        assert_near(seen, 2 + rounds, 0.5);
    }
    stop(&fine);
}

/* ---- Gaps --------------------------------------------------------------------------------- */

/* Returns the largest gap over the steps of a run. */
static double largest_gap(const running *r, double until, double step)
{
    double largest = 0;
    const int steps = (int)lround((until - trm_state_time(trm_sim_state(r->sim))) / step);
    for (int i = 0; i < steps; i++) {
        assert_good(trm_sim_step(r->sim, step));
        largest = fmax(largest, gap_now(r));
    }
    return largest;
}

typedef struct gap_case {
    trm_model *(*make)(void);
    const char *solver;
    int rounds;
    double until; /* s */
} gap_case;

static double gap_of_step(double step, const void *context)
{
    const gap_case *c = context;
    running r = start(c->make(), c->solver, c->rounds, step);
    const double gap = largest_gap(&r, c->until, step);
    stop(&r);
    return gap;
}

/* A frozen matrix leaves a part of order h of the gap h^2 in every round; solving joint after joint, the order h^2
 * remains. */
static void the_gap_falls_by_one_order_more_with_each_round(void **state)
{
    (void)state;
    trm_model *(*const machines[])(void) = {double_pendulum_of_points, chain_of_points, eight_loop};
    for (int i = 0; i < 3; i++)
        for (int rounds = 1; rounds <= 2; rounds++) {
            const gap_case c = {machines[i], "direct", rounds, 0.5};
            const double seen = order_between(gap_of_step, &c, 1.0 / 1024);
            print_message("    %d rounds: gap %.1e m at h = 1/1024 s, order %.2f\n", rounds,
                          gap_of_step(1.0 / 1024, &c), seen);
            assert_near(seen, 2 + rounds, 0.3);
        }
    const gap_case c = {double_pendulum_of_points, "iterative", 1, 0.5};
    assert_near(order_between(gap_of_step, &c, 1.0 / 1024), 2, 0.3);
}

static trm_model *tame_pendulum(void)
{
    return model_of_text("{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
                         "    { \"name\": \"a\", \"point\": true, \"mass\": 1, \"position\": [0.5, -1, 0] },"
                         "    { \"name\": \"b\", \"point\": true, \"mass\": 1, \"position\": [1.2, -1.5, 0.3] }],"
                         "  \"joints\": [{ \"name\": \"d\", \"type\": \"distance\", \"bodies\": [\"ground\", \"a\"],"
                         "    \"anchors\": [[0, 0, 0], [0, 0, 0]] },"
                         "    { \"name\": \"e\", \"type\": \"distance\", \"bodies\": [\"a\", \"b\"],"
                         "    \"anchors\": [[0, 0, 0], [0, 0, 0]] }] }");
}

/* A joint that is open at the beginning of a step is closed by it as any other joint: gaps do not accumulate. */
static void check_no_drift(const char *solver, int rounds)
{
    running r = start(tame_pendulum(), solver, rounds, 0.005);
    const double first = largest_gap(&r, 5, 0.005), second = largest_gap(&r, 10, 0.005);
    print_message("    %-9s %d rounds: gap %.1e m in the first 5 s, %.1e m in the next\n", solver, rounds, first,
                  second);
    assert_true(first > 1e-12); /* otherwise there is no gap to compare */
    assert_true(second < 2 * first);
    stop(&r);
}

static void the_gap_does_not_drift(void **state)
{
    (void)state;
    check_no_drift("direct", 1);
    check_no_drift("direct", 2);
    check_no_drift("iterative", 1);
    check_no_drift("iterative", 3);
}

/* The number of rounds in the option is the number of rounds done, unless all joints are closed before. */
static void so_many_rounds_are_done_in_each_step(void **state)
{
    (void)state;
    for (int rounds = 1; rounds <= 2; rounds++) {
        running direct = start(chain_of_points(), "direct", rounds, 0.001);
        running iterative = start(chain_of_points(), "iterative", rounds, 0.001);
        for (int i = 0; i < 50; i++) {
            assert_good(trm_sim_step(direct.sim, 0.001));
            assert_good(trm_sim_step(iterative.sim, 0.001));
        }
        assert_in_range(trm_sim_counters(direct.sim)->newton, 45 * rounds,
                        50 * rounds); /* at rest all joints are closed */
        assert_int_equal(trm_sim_counters(iterative.sim)->rounds, 50 * rounds);
        assert_int_equal(trm_sim_counters(iterative.sim)->corrections, 50 * rounds * 8);
        stop(&direct);
        stop(&iterative);
    }
}

static void rounds_end_when_all_joints_are_closed(void **state)
{
    (void)state;
    running few = start(chain_of_points(), "direct", 0, 0.001),
            many = start(chain_of_points(), "direct", 1000, 0.001);
    go(&few, 0.05);
    go(&many, 0.05);
    assert_true(trm_sim_counters(many.sim)->newton <=
                3 * trm_sim_counters(few.sim)->newton); /* which begin with forces, not with impulses */
    stop(&few);
    stop(&many);
}

/* With such a long step the frozen matrix does not converge: the step is halved. */
static void rounds_that_make_it_worse_are_not_taken(void **state)
{
    (void)state;
    running r = start(chain_of_points(), "direct", 5, 0.05);
    go(&r, 1);
    assert_true(trm_sim_counters(r.sim)->halvings > 0);
    assert_true(trm_sim_accuracy(r.sim).gap.position < 1);
    stop(&r);
}

/* Without the option, rounds are repeated until all joints are closed. */
static void no_rounds_given_closes_all_joints(void **state)
{
    (void)state;
    running r = start(chain_of_points(), "direct", 0, 0.005);
    assert_true(largest_gap(&r, 0.5, 0.005) <= 1e-13);
    stop(&r);
}

static void refuse(trm_option own, const char *said)
{
    trm_model *model = tame_pendulum();
    trm_simulation_def options = *trm_model_simulation(model);
    options.options = &own;
    options.option_count = 1;
    assert_refused(model, &options, said);
}

static void rounds_that_cannot_be_are_refused(void **state)
{
    (void)state;
    refuse((trm_option){"impulse", "rounds", NULL, -1}, "impulse.rounds is -1; it must be no less than 0");
    refuse((trm_option){"impulse", "rounds", NULL, NAN}, "impulse.rounds is nan");
    refuse((trm_option){"impulse", "rounds", "two", 0}, "impulse.rounds is \"two\"; it must be a finite number");
    refuse((trm_option){"impulse", "rounds", NULL, 0.5}, "impulse.rounds is 0.5; it must be a whole number");
    refuse((trm_option){"impulse", "round", NULL, 1},
           "the method \"impulse\" has no option \"round\"; it has rounds");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_round_of_newton_is_enough_for_order_two),
        cmocka_unit_test(two_rounds_have_order_two_as_well),
        cmocka_unit_test(each_round_takes_an_order_off_what_is_left),
        cmocka_unit_test(joint_after_joint_any_number_of_rounds_has_order_two),
        cmocka_unit_test(composed_to_eight_rounds_decide_the_order),
        cmocka_unit_test(the_gap_falls_by_one_order_more_with_each_round),
        cmocka_unit_test(the_gap_does_not_drift),
        cmocka_unit_test(so_many_rounds_are_done_in_each_step),
        cmocka_unit_test(rounds_end_when_all_joints_are_closed),
        cmocka_unit_test(rounds_that_make_it_worse_are_not_taken),
        cmocka_unit_test(no_rounds_given_closes_all_joints),
        cmocka_unit_test(rounds_that_cannot_be_are_refused),
    };
    return RUN_TESTS(tests);
}
