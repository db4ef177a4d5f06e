/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The solver `hierarchy` of the impulse method against `direct`: the same impulses, found by subsystems. */

#include "failing_allocator.h"
#include "lagrange_models.h"
#include "model/model.h"
#include "resuming.h"
#include "sanitized.h"
#include "walking.h"

/* m, rad: differences by rounding and by the tolerance of joints, with both solvers. */
static const double SAME = 1e-9;

static running run_with(trm_model *model, const char *solver, double order, double step)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = "impulse";
    options.solver = solver;
    if (order > 0) options.order = order;
    if (step > 0) options.step = step;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = 1e-12;
    return run_model(model, &options);
}

/* Returns the distance between the results of both solvers after the given number of steps. */
static double compare(trm_model *one, trm_model *other, double order, double step, int steps)
{
    running direct = run_with(one, "direct", order, step), hierarchy = run_with(other, "hierarchy", order, step);
    const double until = steps * trm_sim_options(direct.sim)->step;
    go_every(&direct, until, until);
    go_every(&hierarchy, until, until);
    const double distance = apart(&direct, &hierarchy);
    stop(&direct);
    stop(&hierarchy);
    return distance;
}

/* ---- Examples ----------------------------------------------------------------------------------- */

/* Returns whether impulses with the direct solver and tight joints can run an example, so that there is a result to
 * compare with. */
static bool direct_runs(const char *name, double order, int steps)
{
    trm_model *model = example(name);
    trm_simulation_def options = *trm_model_simulation(model);
    trm_sim *sim = NULL;
    options.method = "impulse";
    options.solver = "direct";
    options.order = order;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = 1e-12;
    trm_messages *messages = trm_messages_create(NULL);
    const double until = steps * options.step;
    const bool runs = trm_sim_create(model, &options, NULL, messages, &sim) == TRM_OK &&
                      trm_sim_run(sim, &(trm_run_def){.until = until, .every = until}).ok;
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
    return runs;
}

static bool is_as_direct_of_order(const char *name, double order, int steps)
{
    if (!direct_runs(name, order, steps)) return false;
    const double distance = compare(example(name), example(name), order, 0, steps);
    if (distance > SAME / 1000) print_message("%s: %.1e\n", name, distance);
    assert_true(distance <= SAME);
    return true;
}

static bool is_as_direct(const char *name)
{
    return is_as_direct_of_order(name, 2, SANITIZED ? 4 : 20);
}

/* One example starts in a singular pose, where rounding decides which impulses result: it agrees to 2e-5 only. */
static bool is_as_direct_by_order_8(const char *name)
{
    return strcmp(name, "eight-loop-folded") != 0 && is_as_direct_of_order(name, 8, 3);
}

static void every_example_is_the_same(void **state)
{
    (void)state;
    const int examples = walk_examples("", is_as_direct), problems = walk_examples("problems/", is_as_direct);
    print_message("%d examples and %d problems\n", examples, problems);
    assert_true(examples >= 35 && problems >= 50);
}

static void every_example_is_the_same_by_order_8(void **state)
{
    (void)state;
    const int examples = walk_examples("", is_as_direct_by_order_8);
    print_message("%d examples\n", examples);
    assert_true(examples >= 20);
}

/* ---- Machines ----------------------------------------------------------------------------------- */

/* A ball in the middle with a hundred others joined to it: its joints are divided into slices, which are elements of
 * the tree. */
static trm_model *large_hub(void)
{
    enum { AROUND = 100 };
    machine m;
    machine_init(&m);
    const int middle = add_ball(&m, 0, 0, 0);
    for (int i = 0; i < AROUND; i++) {
        const double angle = 0.7 * i, x = cos(angle), y = sin(angle), z = 0.1 * i - 5;
        const int ball = add_ball(&m, 2 * x, 2 * y, z);
        add_joint_at(&m, i % 3 == 0 ? "hinge" : "ball", middle, ball, x, y, 0.5 * z)->axis = trm_v3(y, -x, 0);
        if (i % 10 == 0) add_joint_at(&m, "ball", 0, ball, 3 * x, 3 * y, z);
    }
    m.def->gravity = trm_v3(0, -9.81, 0);
    return machine_finish(&m);
}

/* Four bars with hinges in space, with one corner hinged twice: rows that repeat others. */
static trm_model *redundant_loops(void)
{
    machine m;
    machine_init(&m);
    for (int i = 0; i < 9; i++) add_ball(&m, i % 3, i / 3, 0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int here = 1 + 3 * i + j;
            if (j < 2) add_hinge(&m, here, here + 1, j + 0.5, i, 0);
            if (i < 2) add_hinge(&m, here, here + 3, j, i + 0.5, 0);
        }
    add_hinge(&m, 0, 1, 0, 0, 0);
    add_hinge(&m, 1, 2, 0.5, 0, 0);
    m.def->gravity = trm_v3(1, -9.81, 0);
    return machine_finish(&m);
}

static void hubs_and_redundant_loops_are_the_same_by_every_order(void **state)
{
    (void)state;
    for (int order = 2; order <= 8; order += 2) {
        const double wheel = compare(hub(), hub(), order, 0.005, 20),
                     large = compare(large_hub(), large_hub(), order, 0.005, 10),
                     loops = compare(redundant_loops(), redundant_loops(), order, 0.005, 20);
        print_message("order %d: hub %.1e, large hub %.1e, loops %.1e\n", order, wheel, large, loops);
        assert_true(wheel <= SAME && large <= SAME && loops <= SAME);
    }
}

/* Dropped are the 2 rows of the doubled hinge within the plane and its 3 rows out of the plane, and 3 rows out of the
 * plane for each loop. */
static void redundant_rows_are_counted(void **state)
{
    (void)state;
    running r = run_with(redundant_loops(), "hierarchy", 2, 0.005);
    go_every(&r, 0.05, 0.05);
    trm_analysis *analysis = trm_analyse(trm_sim_state(r.sim), NULL);
    assert_non_null(analysis);
    assert_int_equal(trm_sim_dropped_rows(r.sim, NULL, 0), analysis->redundant_count);
    print_message("%d rows dropped\n", analysis->redundant_count);
    assert_true(analysis->redundant_count >= 5 + 3 * 4);
    trm_analysis_destroy(analysis);
    stop(&r);
}

static void the_shape_of_the_tree_does_not_matter(void **state)
{
    (void)state;
    static const double TIME = SANITIZED ? 0.01 : 0.05; /* s */
    static const char *const trees[] = {"impulse:tree=halves:leaf=1", "impulse:tree=ladder:leaf=1", "impulse:leaf=7",
                                        "impulse:tree=ladder:leaf=4"};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        for (int k = 0; k < 2; k++) {
            chosen c;
            trm_simulation_def options;
            trm_model *model = k == 0 ? large_hub() : redundant_loops();
            options_of(model, &(way){.choice = trees[i], .step = 0.005, .tolerance = 1e-12}, &c, &options);
            options.solver = "hierarchy";
            running other = run_model(model, &options);
            running direct = run_with(k == 0 ? large_hub() : redundant_loops(), "direct", 2, 0.005);
            go_every(&other, TIME, TIME);
            go_every(&direct, TIME, TIME);
            assert_true(apart(&other, &direct) <= SAME);
            stop(&other);
            stop(&direct);
        }
}

static void a_resumed_run_is_bit_identical(void **state)
{
    (void)state;
    static const char *const names[] = {"rhombus", "crane", "stack", "eight-loop"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_resumes_bit_identically(run_with(example(names[i]), "hierarchy", 2, 0.01),
                                       run_with(example(names[i]), "hierarchy", 2, 0.01));
}

/* Lets one allocation after the other fail. */
static void memory_that_runs_out_ends_the_run(void **state)
{
    (void)state;
    trm_model *model = hub();
    trm_simulation_def options = *trm_model_simulation(model);
    options.solver = "hierarchy";
    options.step = 0.01;
    failing_allocator memory;
    long k = 0;
    do {
        k++;
        failing_allocator_reset(&memory, k, k % 2);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_messages *messages = trm_messages_create(NULL);
        trm_sim *sim = NULL;
        const bool ran = trm_sim_create(model, &options, &hooks, messages, &sim) == TRM_OK &&
                         trm_sim_run(sim, &(trm_run_def){.until = 0.02, .every = 0.01}).ok;
        trm_sim_destroy(sim);
        trm_messages_destroy(messages);
        assert_true(failing_allocator_is_clean(&memory));
        assert_true(memory.refusals > 0 || ran);
    } while (memory.refusals > 0);
    assert_true(k > 10);
    trm_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_is_the_same),
        cmocka_unit_test(every_example_is_the_same_by_order_8),
        cmocka_unit_test(hubs_and_redundant_loops_are_the_same_by_every_order),
        cmocka_unit_test(redundant_rows_are_counted),
        cmocka_unit_test(the_shape_of_the_tree_does_not_matter),
        cmocka_unit_test(a_resumed_run_is_bit_identical),
        cmocka_unit_test(memory_that_runs_out_ends_the_run),
    };
    return RUN_TESTS(tests);
}
