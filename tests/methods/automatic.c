/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The method auto: its choice for each model, that the choice reaches the requested error, and that it is the same in
 * every run. */

#include "failing_allocator.h"
#include "resuming.h"

/* Allocations of a simulation in minimal coordinates made by auto, over those of one made by name: it notes its
 * choice, copies messages and finds the machine's size. Two simulations take more than twice as many. */
static const double MOST_ALLOCATIONS = 1.5;
/* Steps of order 2 in the trial of a short run: one step of error control. */
enum { SHORT_TRIAL = 3 };
/* Steps over 10 s of a motion whose error is rounding, from a first step of 1 ms: 0.001 * 5^6 > 10, two halves
 * each. */
enum { FEW_STEPS = 16 };
/* Factor of the requested error. Local errors add up differently in every machine: the promise is a factor of 10. */
static const double WITHIN = 10;

#define PENDULUM_JOINTS(more)                                                                                        \
    "{ \"trammel\": 1, \"name\": \"pendulum\", \"gravity\": [0, 0, -9.81],"                                          \
    "\"bodies\": [ { \"name\": \"rod\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [0.5, 0, 0] } ],"   \
    "\"joints\": [ { \"name\": \"j\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"rod\"], \"anchor\": [0, 0, "   \
    "0],"                                                                                                            \
    "\"axis\": [0, 1, 0]" more " } ], \"simulation\": { \"method\": \"auto\", \"time\": 2 } }"

static const char PENDULUM[] = PENDULUM_JOINTS("");
static const char WITH_STOPS[] = PENDULUM_JOINTS(", \"limits\": [-3, 3]");
static const char BALL[] =
    "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
    "{ \"name\": \"floor\", \"fixed\": true, \"shapes\": [ { \"type\": \"plane\", \"normal\": [0, 0, 1] } ] },"
    "{ \"name\": \"ball\", \"position\": [0, 0, 0.3], \"shapes\": [ { \"type\": \"sphere\", \"radius\": 0.1,"
    "\"density\": 1000 } ] } ], \"simulation\": { \"method\": \"auto\", \"time\": 1 } }";

static trm_simulation_def automatic(const trm_model *model, double error)
{
    trm_simulation_def o = *trm_model_simulation(model);
    o.method = "auto";
    o.order = 2;
    o.scheme = "auto";
    o.error = error;
    return o;
}

static trm_status create(const trm_model *model, const trm_simulation_def *o, const trm_allocator *allocator,
                         trm_sim **sim)
{
    trm_messages *messages = trm_messages_create(NULL);
    const trm_status status = trm_sim_create(model, o, allocator, messages, sim);
    trm_messages_destroy(messages);
    return status;
}

static running run_automatic(trm_model *model, double error)
{
    const trm_simulation_def o = automatic(model, error);
    return run_model(model, &o);
}

static void assert_chosen(running r, const char *method, const char *reason)
{
    trm_automatic_choice choice;
    assert_true(trm_sim_automatic_choice(r.sim, &choice));
    assert_string_equal(trm_sim_options(r.sim)->method, method);
    if (!strstr(choice.text, reason)) print_error("%s\n", choice.text);
    assert_non_null(strstr(choice.text, reason));
    stop(&r);
}

/* ---- What is chosen ----------------------------------------------------------------------- */

static void a_named_method_is_no_choice(void **unused)
{
    (void)unused;
    running r = run_text(PENDULUM, 0.01, NAN);
    trm_simulation_def o = *trm_model_simulation(r.model);
    trm_automatic_choice choice;
    assert_true(trm_sim_automatic_choice(r.sim, &choice));
    trm_sim_destroy(r.sim);
    o.method = "impulse";
    assert_int_equal(create(r.model, &o, NULL, &r.sim), TRM_OK);
    assert_false(trm_sim_automatic_choice(r.sim, &choice));
    stop(&r);
}

static void smooth_machines_get_joint_coordinates(void **unused)
{
    (void)unused;
    assert_chosen(run_automatic(model_of_text(PENDULUM), NAN), "minimal", "joint coordinates");
    assert_chosen(run_automatic(model_of_file(TRM_EXAMPLES "/four-bar.json"), NAN), "minimal", "joint coordinates");
    assert_chosen(run_automatic(model_of_file(TRM_EXAMPLES "/walker.json"), NAN), "minimal", "joint coordinates");
}

static void bounds_and_contacts_get_impulses_and_are_named(void **unused)
{
    (void)unused;
    assert_chosen(run_automatic(model_of_text(WITH_STOPS), NAN), "impulse", "joint 'j' has limits");
    assert_chosen(run_automatic(model_of_text(BALL), NAN), "impulse", "body 'ball' has shapes that may collide");
}

static void expensive_loops_get_impulses(void **unused)
{
    (void)unused;
    assert_chosen(run_automatic(model_of_file(TRM_EXAMPLES "/truss-bridge.json"), NAN), "impulse", "expensive");
}

static void a_solver_of_impulse_keeps_impulse(void **unused)
{
    (void)unused;
    trm_model *model = model_of_text(PENDULUM);
    trm_simulation_def o = automatic(model, NAN);
    o.solver = "iterative";
    running r = run_model(model, &o);
    assert_string_equal(trm_sim_options(r.sim)->solver, "iterative");
    assert_chosen(r, "impulse", "the solver iterative");
}

/* The user must not believe that an error is controlled that is not. */
static void time_stepping_warns_that_the_error_is_not_controlled(void **unused)
{
    (void)unused;
    trm_model *model = model_of_text(BALL);
    trm_simulation_def o = automatic(model, NAN);
    o.impact = "window";
    running r = run_model(model, &o);
    assert_true(isnan(trm_sim_options(r.sim)->error));
    assert_chosen(r, "impulse", "the requested error is not controlled");
}

static void an_order_is_named_as_unused(void **unused)
{
    (void)unused;
    trm_model *model = model_of_text(PENDULUM);
    trm_simulation_def o = automatic(model, NAN);
    trm_messages *messages = trm_messages_create(NULL);
    trm_sim *sim = NULL;
    o.order = 8;
    o.scheme = "extrapolation";
    assert_int_equal(trm_sim_create(model, &o, NULL, messages, &sim), TRM_OK);
    assert_int_equal(trm_message_count(messages), 2);
    assert_non_null(strstr(trm_message_at(messages, 0)->text, "order 8 has no effect"));
    assert_non_null(strstr(trm_message_at(messages, 1)->text, "the scheme extrapolation has no effect"));
    assert_string_equal(trm_message_at(messages, 1)->subject, "scheme");
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
}

static void a_model_that_nothing_can_run_is_refused(void **unused)
{
    (void)unused;
    trm_model *model = model_of_text(PENDULUM);
    trm_simulation_def o = automatic(model, NAN);
    o.step = -1;
    assert_refused(model, &o, "the step is -1 s");
}

/* ---- Errors ------------------------------------------------------------------------------- */

static double distance(trm_sim *a, trm_sim *b, const trm_model *model)
{
    double largest = 0;
    for (int i = 1; i < trm_body_count(model); i++) {
        const trm_pose p = trm_body_pose(trm_sim_state(a), i), q = trm_body_pose(trm_sim_state(b), i);
        largest = fmax(largest, trm_v3_length(trm_v3_sub(p.p, q.p)));
    }
    return largest;
}

static void assert_reached(const char *path, double error, const char *reference)
{
    const trm_run_def second = {.until = 1, .every = 1};
    running r = run_automatic(model_of_file(path), error);
    trm_simulation_def fine = automatic(r.model, 1e-12);
    running exact = {r.model, NULL};
    trm_automatic_choice choice;
    assert_true(trm_sim_automatic_choice(r.sim, &choice));
    fine.method = reference;
    if (strcmp(reference, "impulse") == 0) fine.error = NAN, fine.order = 8, fine.step = 0.001;
    assert_int_equal(create(r.model, &fine, NULL, &exact.sim), TRM_OK);
    assert_good(trm_sim_run(r.sim, &second));
    assert_good(trm_sim_run(exact.sim, &second));
    const double reached = distance(r.sim, exact.sim, r.model);
    printf("%s: %.2g of the requested %.2g m\n", path, reached / choice.error, choice.error);
    assert_true(reached <= WITHIN * choice.error);
    trm_sim_destroy(exact.sim);
    stop(&r);
}

static void the_requested_error_is_reached(void **unused)
{
    (void)unused;
    for (double error = 1e-3; error > 1e-9; error *= 1e-2) {
        assert_reached(TRM_EXAMPLES "/double-pendulum.json", error, "minimal");
        assert_reached(TRM_EXAMPLES "/eight-loop.json", error, "minimal");
        assert_reached(TRM_EXAMPLES "/slider-crank.json", error, "minimal");
    }
    assert_reached(TRM_EXAMPLES "/crane.json", 1e-3, "impulse");
    assert_reached(TRM_EXAMPLES "/truss-bridge.json", 1e-4, "minimal");
}

/* A torque that jumps: steps become as short as the jump requires, and long again after it. */
static void jumps_of_forces_are_passed(void **unused)
{
    (void)unused;
    static const char text[] =
        "{ \"trammel\": 1, \"bodies\": [ { \"name\": \"rod\", \"mass\": 1, \"inertia\": [1, 1, 1] } ],"
        "\"joints\": [ { \"name\": \"j\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"rod\"],"
        "\"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] } ],"
        "\"forces\": [ { \"type\": \"torque\", \"body\": \"rod\", \"value\": [0, 0, \"step(t, 0.337)\"] } ] }";
    running r = run_automatic(model_of_text(text), 1e-6);
    assert_string_equal(trm_sim_options(r.sim)->method, "minimal");
    assert_good(trm_sim_run(r.sim, &(const trm_run_def){.until = 1, .every = 1}));
    const trm_quat q = trm_body_pose(trm_sim_state(r.sim), 1).q;
    const double angle = 2 * atan2(fabs(q.z), fabs(q.w));
    assert_near(angle, 0.5 * (1 - 0.337) * (1 - 0.337), WITHIN * 1e-6);
    stop(&r);
}

/* Without a request the error is 1e-4 of the machine's size. */
static void the_error_follows_the_size(void **unused)
{
    (void)unused;
    running r = run_automatic(model_of_text(PENDULUM), NAN);
    trm_automatic_choice choice;
    assert_true(trm_sim_automatic_choice(r.sim, &choice));
    assert_near(choice.error, 0.5e-4, 1e-15);
    stop(&r);
}

/* The default error is the fraction 1e-4 of the size; the energy balance counts as the same fraction. */
static void the_energy_balance_is_as_accurate_as_requested(void **unused)
{
    (void)unused;
    static const char *const paths[] = {TRM_EXAMPLES "/tensegrity.json", TRM_EXAMPLES "/truss-bridge.json"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        running r = run_automatic(model_of_file(paths[i]), NAN);
        assert_string_equal(trm_sim_options(r.sim)->method, "impulse");
        assert_good(trm_sim_run(r.sim, &(const trm_run_def){.until = 1, .every = 1}));
        const trm_accuracy a = trm_sim_accuracy(r.sim);
        printf("%s: %.2g of the exchanged energy\n", paths[i], a.energy_error_max / a.energy_scale);
        assert_true(a.energy_error_max <= WITHIN * 1e-4 * a.energy_scale);
        stop(&r);
    }
}

/* A mass on a spring is at rest at both rows, a period apart: the verdict judges errors by the energy between them. */
static void the_energy_exchanged_between_rows_is_seen(void **unused)
{
    (void)unused;
    static const char text[] =
        "{ \"trammel\": 1, \"constants\": { \"k\": \"4*pi^2\" }, \"bodies\": [ { \"name\": \"mass\","
        "\"position\": [1.1, 0, 0], \"mass\": 1, \"inertia\": [1, 1, 1] } ], \"joints\": [ { \"name\": \"rail\","
        "\"type\": \"slider\", \"bodies\": [\"ground\", \"mass\"], \"anchor\": [1.1, 0, 0], \"axis\": [1, 0, 0] } ],"
        "\"forces\": [ { \"type\": \"spring\", \"bodies\": [\"ground\", \"mass\"], \"anchors\": [[0, 0, 0], [0, 0, "
        "0]],"
        "\"rest\": 1, \"stiffness\": \"k\" } ], \"simulation\": { \"time\": 1, \"every\": 1 } }";
    const double exchanged = 0.5 * (4 * TRM_PI * TRM_PI) * 0.1 * 0.1; /* J */
    running r = run_automatic(model_of_text(text), NAN);
    assert_string_equal(trm_sim_options(r.sim)->method, "minimal");
    assert_good(trm_sim_run(r.sim, &(const trm_run_def){.until = 1, .every = 1}));
    const double scale = trm_sim_accuracy(r.sim).energy_scale;
    assert_true(scale > 0.5 * exchanged && scale < 1.01 * exchanged);
    stop(&r);
}

/* ---- Cost --------------------------------------------------------------------------------- */

static long allocations_of(const trm_model *model, const trm_simulation_def *o)
{
    trm_sim *sim = NULL;
    failing_allocator memory;
    failing_allocator_reset(&memory, 0, false);
    const trm_allocator hooks = failing_allocator_hooks(&memory);
    assert_int_equal(create(model, o, &hooks, &sim), TRM_OK);
    trm_sim_destroy(sim);
    return memory.calls;
}

static void minimal_is_chosen_without_a_second_simulation(void **unused)
{
    (void)unused;
    trm_model *model = model_of_file(TRM_EXAMPLES "/eight-loop.json");
    trm_simulation_def o = automatic(model, 1e-4);
    const long chosen = allocations_of(model, &o);
    o.method = "minimal";
    assert_true((double)chosen <= MOST_ALLOCATIONS * (double)allocations_of(model, &o));
    trm_model_destroy(model);
}

static void the_trial_of_a_short_run_is_one_step(void **unused)
{
    (void)unused;
    running r = run_automatic(model_of_text(BALL), NAN);
    trm_automatic_choice choice;
    double time, steps;
    assert_true(trm_sim_automatic_choice(r.sim, &choice));
    assert_int_equal(sscanf(strstr(choice.text, "a trial of"), "a trial of %lf s took %lf steps", &time, &steps), 2);
    assert_true(steps <= SHORT_TRIAL);
    stop(&r);
}

static void steps_grow_fast_until_one_fails(void **unused)
{
    (void)unused;
    static const char thrown[] =
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81],"
        "\"bodies\": [ { \"name\": \"ball\", \"mass\": 1, \"inertia\": [1, 1, 1], \"velocity\": [1, 0, 3] } ] }";
    trm_model *model = model_of_text(thrown);
    trm_simulation_def o = automatic(model, 1e-6);
    o.method = "impulse";
    o.step = 0.001;
    running r = run_model(model, &o);
    assert_good(trm_sim_run(r.sim, &(const trm_run_def){.until = 10, .every = 10}));
    assert_true(trm_sim_counters(r.sim)->steps <= FEW_STEPS);
    stop(&r);
}

/* ---- The same in every run ---------------------------------------------------------------- */

static void a_resumed_run_chooses_as_the_first_did(void **unused)
{
    (void)unused;
    assert_resumes_bit_identically(run_automatic(model_of_text(PENDULUM), NAN),
                                   run_automatic(model_of_text(PENDULUM), NAN));
    assert_resumes_bit_identically(run_automatic(model_of_text(BALL), NAN), run_automatic(model_of_text(BALL), NAN));
}

static void runs_out_of_memory_cleanly(void **unused)
{
    (void)unused;
    trm_model *model = model_of_text(WITH_STOPS);
    const trm_simulation_def o = automatic(model, NAN);
    failing_allocator memory;
    bool done = false;
    for (long k = 1; !done; k++) {
        trm_sim *sim = NULL;
        failing_allocator_reset(&memory, k, true);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        const trm_status status = create(model, &o, &hooks, &sim);
        done = memory.refusals == 0;
        assert_int_equal(status, done ? TRM_OK : TRM_OUT_OF_MEMORY);
        trm_sim_destroy(sim);
        assert_true(failing_allocator_is_clean(&memory));
    }
    trm_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_named_method_is_no_choice),
        cmocka_unit_test(smooth_machines_get_joint_coordinates),
        cmocka_unit_test(bounds_and_contacts_get_impulses_and_are_named),
        cmocka_unit_test(expensive_loops_get_impulses),
        cmocka_unit_test(a_solver_of_impulse_keeps_impulse),
        cmocka_unit_test(time_stepping_warns_that_the_error_is_not_controlled),
        cmocka_unit_test(an_order_is_named_as_unused),
        cmocka_unit_test(a_model_that_nothing_can_run_is_refused),
        cmocka_unit_test(the_requested_error_is_reached),
        cmocka_unit_test(jumps_of_forces_are_passed),
        cmocka_unit_test(the_error_follows_the_size),
        cmocka_unit_test(the_energy_balance_is_as_accurate_as_requested),
        cmocka_unit_test(the_energy_exchanged_between_rows_is_seen),
        cmocka_unit_test(minimal_is_chosen_without_a_second_simulation),
        cmocka_unit_test(the_trial_of_a_short_run_is_one_step),
        cmocka_unit_test(steps_grow_fast_until_one_fails),
        cmocka_unit_test(a_resumed_run_chooses_as_the_first_did),
        cmocka_unit_test(runs_out_of_memory_cleanly),
    };
    return RUN_TESTS(tests);
}
