/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Runs of the method of hierarchical subsystems: compared with Lagrange multipliers with the same integrator and step
 * on every example, with events, on moving ground, interrupted and resumed, with contradictory joints, and without
 * memory. */

#include "failing_allocator.h"
#include "lagrange_models.h"
#include "model/model.h"
#include "resuming.h"
#include "walking.h"

/* ---- Comparison with another method -------------------------------------------------------------- */

static bool accepts(const trm_model *model, const char *choice)
{
    chosen c;
    trm_simulation_def options;
    trm_sim *sim = NULL;
    options_of(model, &(way){.choice = choice, .order = 2}, &c, &options);
    trm_messages *messages = trm_messages_create(NULL);
    const bool accepted = trm_sim_create(model, &options, NULL, messages, &sim) == TRM_OK;
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    return accepted;
}

static const double CLOSE = 1e-11; /* m, rad, m/s, rad/s */

/* Returns the distance of the results of both methods, m and rad. */
static double compare(const char *what, const char *choice, const char *other, double step, double until)
{
    running r = run_chosen(model_of(what), (way){.choice = choice, .step = step, .tolerance = CLOSE, .order = 2});
    running s = run_chosen(model_of(what), (way){.choice = other, .step = step, .tolerance = CLOSE, .order = 2});
    go_every(&r, until, until / 2);
    go_every(&s, until, until / 2);
    const double distance = apart(&r, &s);
    stop(&r);
    stop(&s);
    return distance;
}

/* The integrator, the step and the accelerations are the same: only projections after steps differ, which are far
 * smaller than the error. */
static const double SAME_RULE = 1e-9; /* m, rad */

static bool is_as_lagrange(const char *name)
{
    trm_model *model = example(name);
    const double step = trm_model_simulation(model)->step / 10;
    const bool both = accepts(model, "subsystem") && accepts(model, "lagrange") && !model->collisions.may_collide;
    trm_model_destroy(model);
    if (!both || strcmp(name, "eight-loop-folded") == 0) return false; /* lagrange does not leave its initial pose */
    const double distance = compare(name, "subsystem", "lagrange", step, 100 * step);
    if (distance > 1e-11) print_message("%s: %.1e\n", name, distance);
    assert_true(distance <= SAME_RULE);
    return true;
}

static void every_example_goes_as_with_multipliers(void **state)
{
    (void)state;
    const int examples = walk_examples("", is_as_lagrange), problems = walk_examples("problems/", is_as_lagrange);
    print_message("%d examples and %d problems\n", examples, problems);
    assert_true(examples >= 20);
    assert_true(problems >= 30);
}

/* ---- Events -------------------------------------------------------------------------------------- */

#define HINGE(name, a, b, at, more)                                                                                  \
    "{ \"name\": \"" name "\", \"type\": \"hinge\", \"bodies\": [\"" a "\", \"" b "\"], \"anchor\": " at             \
    ", \"axis\": [0, 0, 1]" more " }"
#define ROD(name, from, to)                                                                                          \
    "{ \"name\": \"" name "\", \"rod\": { \"from\": " from ", \"to\": " to ", \"mass\": 1, \"radius\": 0.05 } }"

/* Three rods in a chain, and further elements. */
#define CHAIN(first, second, third, more)                                                                             \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [" ROD("a", "[0, 0, 0]", "[1, 0, 0]") ", " ROD(        \
        "b", "[1, 0, 0]",                                                                                             \
        "[2, 0.2, 0]") ", " ROD("c", "[2, 0.2, 0]",                                                                   \
                                "[2.5, 0.9, 0]") "], \"joints\": [" HINGE("j1", "ground", "a", "[0, 0, 0]",           \
                                                                          first) ", " HINGE("j2", "a", "b",           \
                                                                                            "[1, 0, 0]",              \
                                                                                            second) ", " HINGE("j3",  \
                                                                                                               "b",   \
                                                                                                               "c",   \
                                                                                                               "[2,"  \
                                                                                                               " 0."  \
                                                                                                               "2, "  \
                                                                                                               "0]",  \
                                                                                                               third) \
        more

static const struct {
    const char *name, *model;
    bool impacts; /* whether impacts must occur */
} EVENTS[] = {
    {"detach and attach",
     CHAIN("", "", "",
           "], \"events\": [{ \"at\": 0.213, \"detach\": \"j3\" }, { \"at\": 0.25, \"attach\": \"j3\" }] }"),
     false},
    {"stop", CHAIN(", \"limits\": [-0.8, 1]", ", \"limits\": [-0.5, 0.5], \"limit_restitution\": 0.6", "", "] }"),
     true},
    {"rope",
     CHAIN("", "", "",
           ", { \"name\": \"rope\", \"type\": \"distance\", \"bodies\": [\"ground\", \"c\"],"
           "  \"anchors\": [[2.2, 1.2, 0], [0.3, 0, 0]], \"length\": 1, \"rope\": true }] }"),
     true},
    {"friction", CHAIN(", \"friction\": 2", ", \"friction\": 0.5", ", \"friction\": 0.05", "] }"), false},
    {"breaking", CHAIN("", ", \"break\": { \"force\": 20 }", "", "] }"), false},
    {"drive",
     CHAIN("", "", "",
           "], \"forces\": [{ \"name\": \"d\", \"type\": \"drive\", \"joint\": \"j1\","
           "  \"motion\": \"0.5*(1 - cos(4*t))\" }] }"),
     false},
    {"motor",
     CHAIN("", "", "",
           "], \"forces\": [{ \"name\": \"m\", \"type\": \"motor\", \"joint\": \"j2\", \"velocity\": 5,"
           "  \"max\": 4 }] }"),
     false},
};

static void events_come_as_with_multipliers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof EVENTS / sizeof *EVENTS; i++) {
        running r =
            run_chosen(model_of(EVENTS[i].model), (way){.choice = "subsystem", .step = 0.002, .tolerance = CLOSE});
        running s =
            run_chosen(model_of(EVENTS[i].model), (way){.choice = "lagrange", .step = 0.002, .tolerance = CLOSE});
        go_every(&r, 0.6, 0.1);
        go_every(&s, 0.6, 0.1);
        print_message("%s: %.1e, %lld impacts\n", EVENTS[i].name, apart(&r, &s), trm_sim_counters(r.sim)->impacts);
        assert_true(apart(&r, &s) <= SAME_RULE);
        assert_int_equal(trm_sim_counters(r.sim)->impacts, trm_sim_counters(s.sim)->impacts);
        assert_int_equal(EVENTS[i].impacts, trm_sim_counters(r.sim)->impacts > 0);
        assert_true(trm_sim_accuracy(r.sim).energy_error_max <= 1e-6);
        for (int j = 0; j < trm_joint_count(r.model); j++)
            assert_int_equal(trm_joint_attached(trm_sim_state(r.sim), j),
                             trm_joint_attached(trm_sim_state(s.sim), j));
        stop(&r);
        stop(&s);
    }
}

/* Asserts that the joint broke; without that the comparison would be meaningless. */
static void a_joint_breaks(void **state)
{
    (void)state;
    running r = run_chosen(model_of(EVENTS[4].model), (way){.choice = "subsystem", .step = 0.002});
    go_every(&r, 0.6, 0.1);
    assert_false(trm_joint_attached(trm_sim_state(r.sim), trm_find_joint(r.model, "j2")));
    stop(&r);
}

/* Step 3 of the paper: accelerations of the ground enter the right sides. */
static void moving_ground_moves_the_machine_as_with_multipliers(void **state)
{
    (void)state;
    static const char *const rules[][2] = {{"subsystem", "lagrange"},
                                           {"subsystem:integrator=heun", "lagrange:integrator=heun"},
                                           {"subsystem:stabilise=double", "lagrange"}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const double table = compare(MOVED, rules[i][0], rules[i][1], 0.002, 1),
                     driven = compare(DRIVEN, rules[i][0], rules[i][1], 0.002, 1),
                     damped = compare(DAMPED, rules[i][0], rules[i][1], 0.002, 1);
        print_message("%s: table %.1e, drive %.1e, spring %.1e\n", rules[i][0], table, driven, damped);
        assert_true(table <= 1e-7 && driven <= 1e-7 &&
                    damped <= 1e-7); /* with second order, projections are larger */
    }
}

/* ---- Repeated reduction ---------------------------------------------------------------------------- */

static trm_model *long_chain(int rods)
{
    machine m;
    machine_init(&m);
    int before = 0;
    for (int i = 0; i < rods; i++) {
        const int here = add_ball(&m, i + 0.5, 0.1 * (i % 3), 0);
        add_joint_at(&m, "ball", before, here, i, 0, 0);
        before = here;
    }
    m.def->gravity = trm_v3(0, 0, -9.81);
    return machine_finish(&m);
}

static long long reductions_of(const running *r)
{
    const long long before = trm_sim_counters(r->sim)->reductions;
    assert_good(trm_sim_observe(r->sim));
    return trm_sim_counters(r->sim)->reductions - before;
}

/* Two leaves lose a row, and their ancestors are reduced again: at most two paths to the root in a tree of 256
 * leaves. */
static void detaching_reduces_only_the_subtree_again(void **state)
{
    enum { RODS = 256, NODES = 2 * RODS - 1, LEVELS = 9 };
    (void)state;
    running r = run_chosen(long_chain(RODS), (way){.choice = "subsystem:tree=halves:leaf=1", .order = 2});
    trm_sim_enable_reactions(r.sim, true);
    assert_int_equal(reductions_of(&r), NODES);
    assert_int_equal(reductions_of(&r), 0);
    for (int joint = 3; joint < RODS; joint += 60) {
        trm_sim_detach(r.sim, joint);
        const long long again = reductions_of(&r);
        print_message("joint %d of %d: %lld reductions of %d\n", joint, RODS, again, NODES);
        assert_in_range(again, LEVELS, 2 * LEVELS - 1);
        const trm_spatial a = trm_body_acceleration(trm_sim_state(r.sim), RODS);
        assert_near(a.lin.z, -9.81, 1e-9); /* the detached end falls freely */
    }
    stop(&r);
}

/* ---- Contradictions --------------------------------------------------------------------------------- */

static void assert_contradiction_is_named(const char *what, const char *choice, const char *const *names)
{
    trm_model *model = model_of(what);
    chosen c;
    trm_simulation_def options;
    trm_sim *sim = NULL;
    options_of(model, &(way){.choice = choice, .step = 0.01}, &c, &options);
    trm_messages *messages = trm_messages_create(NULL);
    const trm_status status = trm_sim_create(model, &options, NULL, messages, &sim);
    char said[600] = "";
    if (status == TRM_OK) {
        const trm_outcome outcome = trm_sim_run(sim, &(trm_run_def){.until = 1, .every = 0.1});
        assert_false(outcome.ok);
        assert_true(outcome.time < 1);
        snprintf(said, sizeof said, "%s: %s", outcome.element, outcome.why);
    } else {
        snprintf(said, sizeof said, "%s %s", trm_message_at(messages, 0)->element, trm_message_at(messages, 0)->text);
    }
    print_message("%s\n", said);
    bool named = false;
    for (int i = 0; names[i]; i++) named |= strstr(said, names[i]) != NULL;
    assert_true(named);
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
}

/* Two hinges at one place, both driven. After a while the second drive departs from the first one, slowly or
 * abruptly. */
static void drives_that_contradict_each_other_are_named(void **state)
{
    (void)state;
    static const char *const names[] = {"'d1'", "'d2'", "'j1'", "'k1'", NULL};
    static const char *const gently = CHAIN(
        "", "", "",
        ", " HINGE("k1", "ground", "a", "[0, 0, 0]", "") "], \"forces\": [{ \"name\": \"d1\", \"type\": \"drive\", "
                                                         "\"joint\": \"j1\", \"motion\": \"0.5*t^2\" },"
                                                         "  { \"name\": \"d2\", \"type\": \"drive\", \"joint\": "
                                                         "\"k1\", \"motion\": \"0.5*t^2 + 0.2*t^3\" }] }");
    static const char *const violently = CHAIN(
        "", "", "",
        ", " HINGE("k1", "ground", "a", "[0, 0, 0]",
                   "") "], \"forces\": [{ \"name\": \"d1\", \"type\": \"drive\", \"joint\": \"j1\", \"motion\": "
                       "\"0.5*t^2\" },"
                       "  { \"name\": \"d2\", \"type\": \"drive\", \"joint\": \"k1\", \"motion\": \"-0.5*t^2\" }] }");
    static const char *const choices[] = {"subsystem", "subsystem:stabilise=double", "subsystem:stabilise=none"};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        assert_contradiction_is_named(gently, choices[i], names);
        assert_contradiction_is_named(violently, choices[i], names);
    }
}

/* A rod is held by two tables, one of which moves away. */
static void ground_that_moves_apart_is_named(void **state)
{
    (void)state;
    static const char *const names[] = {"'left'", "'right'", NULL};
    static const char *const model = "{ \"trammel\": 1, \"bodies\": [" ROD(
        "rod", "[0, 0, 0]",
        "[1, 0, 0]") ","
                     "  { \"name\": \"table\", \"moving\": { \"position\": [\"1 + 0.3*(1 - cos(3*t))\", 0, 0] } }], "
                     "\"joints\": [" HINGE("left", "ground", "rod", "[0, 0, 0]",
                                           "") ", " HINGE("right", "rod", "table", "[1, 0, 0]", "") "] }";
    assert_contradiction_is_named(model, "subsystem", names);
    assert_contradiction_is_named(model, "subsystem:stabilise=double", names);
}

/* ---- Refusals --------------------------------------------------------------------------------------- */

static void assert_choice_refused(const char *what, const char *choice, const char *said)
{
    trm_model *model = model_of(what);
    chosen c;
    trm_simulation_def options;
    options_of(model, &(way){.choice = choice, .order = 2}, &c, &options);
    assert_refused(model, &options, said);
}

static void elements_that_generalised_coordinates_do_not_support_are_named(void **state)
{
    (void)state;
    static const char *const planar = "subsystem:coordinates=generalised";
    assert_choice_refused(ON_A_BALL, planar, "'j'");
    assert_choice_refused("problems/s09-rssr", planar, "'");
    assert_choice_refused(DRIVEN, planar, "'");
    for (size_t i = 0; i < sizeof EVENTS / sizeof *EVENTS; i++) assert_choice_refused(EVENTS[i].model, planar, "'");
}

/* When the caller attaches or detaches a joint, the run ends. */
static void generalised_coordinates_end_with_the_machine_that_they_are_of(void **state)
{
    (void)state;
    running r = run_chosen(model_of("rhombus"), (way){.choice = "subsystem:coordinates=generalised", .order = 2});
    go_every(&r, 0.1, 0.1);
    trm_sim_detach(r.sim, trm_find_joint(r.model, "bottom"));
    const trm_outcome outcome = trm_sim_run(r.sim, &(trm_run_def){.until = 0.2, .every = 0.1});
    assert_false(outcome.ok);
    assert_non_null(strstr(outcome.element, "'bottom'"));
    stop(&r);
}

/* Points and free bodies have coordinates of their own, also in space. */
static void generalised_coordinates_of_free_bodies_and_points_lead_the_same_way(void **state)
{
    (void)state;
    static const char *const models[] = {"cuboid", "free-body", "problems/r11-free-dzhanibekov", "double-pendulum",
                                         MOVED};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const double distance = compare(models[i], "subsystem:coordinates=generalised", "subsystem", 0.001, 1);
        print_message("%.30s: %.1e\n", models[i], distance);
        assert_true(distance <= SAME_RULE);
    }
}

static void elements_that_the_method_does_not_support_are_named(void **state)
{
    (void)state;
    assert_choice_refused("bouncing-ball", "subsystem", "'");
    assert_choice_refused(UNDRIVEN, "subsystem:integrator=euler", "euler");
    assert_choice_refused(UNDRIVEN, "subsystem:tree=oak", "oak");
    assert_choice_refused(UNDRIVEN, "subsystem:leaf=0", "leaf");
    assert_choice_refused(UNDRIVEN, "subsystem:leaf=1.5", "leaf");
    assert_choice_refused(UNDRIVEN, "subsystem:passes=-1", "passes");
    assert_choice_refused(UNDRIVEN, "subsystem:coordinates=polar", "polar");
}

/* ---- Resuming ---------------------------------------------------------------------------------------- */

static void a_resumed_run_is_bit_identical(void **state)
{
    (void)state;
    static const char *const choices[] = {"subsystem", "subsystem:integrator=heun:stabilise=double",
                                          "subsystem:coordinates=generalised:stabilise=double:integrator=midpoint",
                                          "subsystem:stabilise=none:tree=ladder:leaf=1"};
    static const char *const models[] = {UNDRIVEN, "problems/s10-unequal-loop", "rhombus"};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
            const way how = {.choice = choices[i], .step = 0.005, .order = 2};
            assert_resumes_bit_identically(run_chosen(model_of(models[k]), how),
                                           run_chosen(model_of(models[k]), how));
        }
    for (size_t k = 0; k < sizeof EVENTS / sizeof *EVENTS; k++) {
        const way how = {.choice = "subsystem", .step = 0.005};
        assert_resumes_bit_identically(run_chosen(model_of(EVENTS[k].model), how),
                                       run_chosen(model_of(EVENTS[k].model), how));
    }
}

/* ---- Memory ------------------------------------------------------------------------------------------- */

static bool runs_with(const trm_model *model, const trm_simulation_def *options, failing_allocator *memory)
{
    const trm_allocator hooks = failing_allocator_hooks(memory);
    trm_messages *messages = trm_messages_create(NULL);
    trm_sim *sim = NULL;
    bool ran = trm_sim_create(model, options, &hooks, messages, &sim) == TRM_OK;
    if (ran) {
        const trm_outcome outcome = trm_sim_run(sim, &(trm_run_def){.until = 0.02, .every = 0.01});
        ran = outcome.ok;
        if (!ran) assert_non_null(strstr(outcome.why, "memory"));
    }
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    return ran;
}

/* Lets one allocation after the other fail: the run ends or continues without that memory, and all memory is
 * released. */
static void check_memory(const char *what, const char *choice)
{
    trm_model *model = model_of(what);
    chosen c;
    trm_simulation_def options;
    failing_allocator memory;
    options_of(model, &(way){.choice = choice, .step = 0.01, .order = 2}, &c, &options);
    long k = 0;
    do {
        failing_allocator_reset(&memory, ++k, true);
        const bool ran = runs_with(model, &options, &memory);
        assert_true(failing_allocator_is_clean(&memory));
        assert_true(memory.refusals > 0 || ran);
    } while (memory.refusals > 0 && k < 5000);
    assert_true(k > 10 && k < 5000);
    trm_model_destroy(model);
}

static void memory_that_runs_out_ends_the_run(void **state)
{
    (void)state;
    check_memory("problems/s10-unequal-loop", "subsystem");
    check_memory("problems/s10-unequal-loop", "subsystem:coordinates=generalised");
    check_memory("jansen", "subsystem:tree=ladder:leaf=1");
    check_memory(EVENTS[0].model, "subsystem");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_goes_as_with_multipliers),
        cmocka_unit_test(events_come_as_with_multipliers),
        cmocka_unit_test(a_joint_breaks),
        cmocka_unit_test(moving_ground_moves_the_machine_as_with_multipliers),
        cmocka_unit_test(detaching_reduces_only_the_subtree_again),
        cmocka_unit_test(drives_that_contradict_each_other_are_named),
        cmocka_unit_test(ground_that_moves_apart_is_named),
        cmocka_unit_test(elements_that_generalised_coordinates_do_not_support_are_named),
        cmocka_unit_test(generalised_coordinates_end_with_the_machine_that_they_are_of),
        cmocka_unit_test(generalised_coordinates_of_free_bodies_and_points_lead_the_same_way),
        cmocka_unit_test(elements_that_the_method_does_not_support_are_named),
        cmocka_unit_test(a_resumed_run_is_bit_identical),
        cmocka_unit_test(memory_that_runs_out_ends_the_run),
    };
    return RUN_TESTS(tests);
}
