/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The method lcp on every example: its difference from the impulse method decreases with its step by order 1 or
 * more. */

#include "lcp_runs.h"
#include "sanitized.h"
#include "walking.h"

static const double LATE = 0.237; /* s: a time at which no example has an impact */
static const double LEAST_ORDER = 0.8;
static const double NOTHING = 1e-6; /* m, rad: smaller errors, of machines at rest or driven, show no order */

/* Examples that are not compared in this way, or at another time, and the reason. */
static const struct {
    const char *name, *why;
    double late; /* s: time of comparison; 0: not compared */
} SPECIAL[] = {
    {"ball-in-bowl", "slides along and across: boxes of friction are no round cone, see below", 0},
    {"walker-on-ground", "slides along and across: boxes of friction are no round cone, see below", 0},
    {"billiard", "strikes many balls at once: here all of them give back e of their speed, there one after another",
     0},
    {"problems/r22-newtons-cradle",
     "strikes many balls at once: here all of them give back e of their speed, there one after another", 0},
    {"stack", "stands, which lcp_contact.c looks at", 0},
    {"arm", "grips a part at 0.5 s and moves from 1 s on", 3},
    {"crane", "begins slowly, and its rope breaks at 4.9 s", 3},
    {"problems/r20-rod-impact", "strikes at 0.1 s, which both steps are to find at another part of them", 0.16},
    {"problems/r03-andrews-squeezer", "spins up to thousands of rad/s", 0.02},
    {"problems/r03b-andrews-squeezer-iftomm", "spins up to thousands of rad/s", 0.02},
    {"problems/s08-bricard", "turns fast: until 0.237 s order 1 shows at shorter steps only", 0.1},
    {"problems/s09-rssr", "asks for an error that methods of low order reach by the shortest of steps alone", 0},
};

static int special(const char *name)
{
    for (int i = 0; i < (int)(sizeof SPECIAL / sizeof *SPECIAL); i++)
        if (strcmp(SPECIAL[i].name, name) == 0) return i;
    return -1;
}

/* Runs an example with the method lcp, also if its model asks for options of impulse. */
static running run_example(const char *name, const char *choice, double step)
{
    trm_model *model = example(name);
    chosen c;
    trm_simulation_def options;
    const way how = {.choice = choice, .step = step};
    options_of(model, &how, &c, &options);
    if (strcmp(options.method, "impulse") != 0) options.scheme = "composition";
    return run_model(model, &options);
}

static running run_until(const char *name, const char *choice, double step, double late)
{
    running r = run_example(name, choice, step);
    go_every(&r, late, late);
    return r;
}

static double error_at(const char *name, const char *choice, double step, double late, const running *reference)
{
    running r = run_until(name, choice, step, late);
    const double error = apart(&r, reference);
    stop(&r);
    return error;
}

/* Under the sanitisers the first tenth of the steps, which is too short for an order. */
static void check_example(const char *name, int steps)
{
    const int part = SANITIZED ? 10 : 1;
    const int s = special(name);
    trm_model *model = example(name);
    const double late = fmin(s < 0 ? LATE : SPECIAL[s].late, 0.9 * trm_model_simulation(model)->time) / part;
    steps /= part;
    trm_model_destroy(model);
    running reference = run_until(name, "impulse", late / (2 * steps), late);
    const double coarse = error_at(name, "lcp:solver=lemke", late / steps, late, &reference);
    const double fine = error_at(name, "lcp:solver=lemke", late / (2 * steps), late, &reference);
    stop(&reference);
    print_message("%s: %.1e, with half the step %.1e, order %.2f\n", name, coarse, fine, log2(coarse / fine));
    assert_true(SANITIZED || fine <= NOTHING || log2(coarse / fine) >= LEAST_ORDER);
}

static bool check_unless_left_out(const char *name, int steps)
{
    const int s = special(name);
    if (s >= 0)
        print_message("%s: %s, it %s\n", name, SPECIAL[s].late > 0 ? "another time" : "left out", SPECIAL[s].why);
    if (s >= 0 && SPECIAL[s].late == 0) return false;
    check_example(name, steps);
    return true;
}

/* Compares runs with the given number of steps and with twice as many. */
static bool check_an_example(const char *name)
{
    return check_unless_left_out(name, 125);
}

static bool check_a_problem(const char *name)
{
    return check_unless_left_out(name, 250);
}

static void every_example_converges(void **state)
{
    (void)state;
    assert_true(walk_examples("", check_an_example) >= 30);
}

static void every_problem_converges(void **state)
{
    (void)state;
    assert_true(walk_examples("problems/", check_a_problem) >= 40);
}

/* A pyramid with many directions approximates the cone: its error is a tenth of that of boxes. */
static void what_slides_in_all_directions_needs_a_cone_that_is_round(void **state)
{
    (void)state;
    static const char *const names[] = {"ball-in-bowl", "walker-on-ground"};
    const double step = LATE / 150;
    for (int i = 0; i < 2; i++) {
        running reference = run_until(names[i], "impulse", step, LATE);
        const double boxes = error_at(names[i], "lcp:solver=pgs:iterations=200", step, LATE, &reference);
        const double sides = error_at(names[i], "lcp:solver=pgs:iterations=200:friction=pyramid:directions=32", step,
                                      LATE, &reference);
        print_message("%s: boxes %.1e, pyramids of 32 sides %.1e\n", names[i], boxes, sides);
        assert_true(sides < 0.2 * boxes);
        stop(&reference);
    }
}

/* Runs with the step of the example. */
static void examples_with_contacts_run_with_each_solver(void **state)
{
    (void)state;
    static const char *const names[] = {"stack",   "dominoes",         "billiard", "newtons-cradle", "figure-11-1",
                                        "gripper", "walker-on-ground", "incline",  "ball-in-bowl"};
    static const char *const choices[] = {"lcp", "lcp:solver=lemke", "lcp:solver=pgs",
                                          "lcp:solver=lemke:friction=pyramid", "lcp:solver=pgs:friction=pyramid"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
            running r = run_until(names[i], choices[k], NAN, SANITIZED ? 0.01 : 0.02);
            if (trm_sim_counters(r.sim)->halvings > 0)
                print_message("%s, %s: %lld halvings\n", names[i], choices[k], trm_sim_counters(r.sim)->halvings);
            assert_int_equal(trm_sim_counters(r.sim)->halvings, 0);
            stop(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_converges),
        cmocka_unit_test(every_problem_converges),
        cmocka_unit_test(what_slides_in_all_directions_needs_a_cone_that_is_round),
        cmocka_unit_test(examples_with_contacts_run_with_each_solver),
    };
    return RUN_TESTS(tests);
}
