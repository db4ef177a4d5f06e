/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The driver: rows, hooks, failures, memory, and runs that are resumed. */

#include <string.h>

#include "check.h"
#include "failing_allocator.h"
#include "running.h"

static const double TOLERANCE = 1e-10;

/* A body in free fall: every step is exact, so that a wrong time is visible. */
static const char *const falling =
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"p\", \"point\": true, \"mass\": 1,"
    "  \"velocity\": [1, 2, 0] }] }";

static const char *const driven =
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
    "  { \"name\": \"rod\", \"rod\": { \"from\": [0, 0, 0], \"to\": [0, -0.6, 0], \"mass\": 2, \"radius\": 0.01 } },"
    "  { \"name\": \"table\", \"moving\": { \"position\": [\"2 + 0.1*sin(5*t)^2\", 0, 0] } },"
    "  { \"name\": \"arm\", \"rod\": { \"from\": [2, 0, 0], \"to\": [2, -1, 0], \"mass\": 1, \"radius\": 0.01 } }],"
    "\"joints\": ["
    "  { \"name\": \"pin\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"rod\"], \"anchor\": [0, 0, 0],"
    "    \"axis\": [0, 0, 1] },"
    "  { \"name\": \"hang\", \"type\": \"hinge\", \"bodies\": [\"table\", \"arm\"], \"anchor\": [2, 0, 0],"
    "    \"axis\": [0, 0, 1] }],"
    "\"forces\": [{ \"name\": \"motor\", \"type\": \"drive\", \"joint\": \"pin\", \"motion\": \"0.8*sin(3*t)^2\" },"
    "  { \"type\": \"spring\", \"bodies\": [\"rod\", \"arm\"], \"anchors\": [[0, 0, 0], [0, 0, 0]],"
    "    \"stiffness\": 3, \"damping\": 0.3 }] }";

/* ---- Rows --------------------------------------------------------------------------------- */

typedef struct row_list {
    double every;
    long count, wrong_times, wrong_places, limit;
    long pulses;
} row_list;

/* Asserts that row number k of the falling body is at k * every, with the position of that time. */
static bool on_row(void *context, const trm_state *state)
{
    const double tolerance = 1e-9; /* rounding of up to 2000 steps; rows between steps are exact, too */
    row_list *list = context;
    const double t = trm_state_time(state), y = 2 * t - 0.5 * 9.81 * t * t;
    if (t != (double)list->count * list->every) list->wrong_times++;
    if (!(fabs(trm_body_pose(state, 1).p.y - y) <= tolerance)) list->wrong_places++;
    list->count++;
    return list->limit == 0 || list->count < list->limit;
}

static bool on_pulse(void *context)
{
    ((row_list *)context)->pulses++;
    return true;
}

static trm_outcome run_rows(const running *r, double until, double every, row_list *list)
{
    list->every = isnan(every) ? trm_sim_options(r->sim)->step : every;
    const trm_run_def run = {.until = until, .every = every, .row = on_row, .pulse = on_pulse, .context = list};
    return trm_sim_run(r->sim, &run);
}

static void rows_are_at_exact_multiples_with_any_step(void **unused)
{
    (void)unused;
    static const double step_every_until[][3] = {
        {0.01, 0.01, 2},     {0.003, 0.01, 2},  {0.01, 0.003, 2}, {0.007, 0.1, 1.75}, {0.03, 0.01, 2},
        {0.1, 0.1 / 3, 2.1}, {0.01, 0.7, 2},    {0.3, 0.1, 0.9},  {0.013, NAN, 2},    {1e-3, 1e-3, 1.0005},
        {5, 0.5, 2.25},      {0.01, 0.01, 0.1}, {0.01, 3, 2},     {0.02, 0.03, 0},
    };
    for (size_t i = 0; i < sizeof step_every_until / sizeof *step_every_until; i++) {
        const double step = step_every_until[i][0], every = step_every_until[i][1], until = step_every_until[i][2];
        running r = run_text(falling, step, TOLERANCE);
        row_list list = {0};
        assert_good(run_rows(&r, until, every, &list));
        assert_int_equal(list.count, (long)floor(until / list.every + 1e-6) + 1);
        assert_int_equal(list.wrong_times, 0);
        assert_int_equal(list.wrong_places, 0);
        assert_near(trm_state_time(trm_sim_state(r.sim)), until, 1e-15);
        assert_true((double)trm_sim_counters(r.sim)->steps >=
                    until / step - 1e-6); /* none is longer than requested */
        stop(&r);
    }
}

/* Successive runs, each from the end of the last one, with other spacings and steps. */
static void a_run_resumes_where_the_last_one_ended(void **unused)
{
    (void)unused;
    running r = run_text(falling, 0.01, TOLERANCE);
    row_list list = {0};
    assert_good(run_rows(&r, 0.25, 0.1, &list)); /* rows 0, 0.1, 0.2; stands at 0.25 */
    assert_int_equal(list.count, 3);
    assert_good(run_rows(&r, 0.5, 0.1, &list)); /* 0.3, 0.4, 0.5 */
    assert_int_equal(list.count, 6);
    list.count = 51; /* 0.5 has been passed; the next multiple of 0.01 is number 51 */
    assert_good(run_rows(&r, 0.6, NAN, &list));
    assert_int_equal(list.count, 61);
    assert_good(trm_sim_step(r.sim, 0.005));
    list.count = 303; /* 0.605: the next multiple of 0.002 */
    assert_good(run_rows(&r, 0.7005, 0.002, &list));
    assert_int_equal(list.count, 351);
    assert_near(trm_state_time(trm_sim_state(r.sim)), 0.7005, 0);
    assert_good(run_rows(&r, 0.8, 0.002, &list));
    assert_int_equal(list.count, 401);
    assert_int_equal(list.wrong_times, 0);
    assert_int_equal(list.wrong_places, 0);
    assert_good(run_rows(&r, 0.4, 0.002, &list)); /* nothing to do */
    assert_int_equal(list.count, 401);
    stop(&r);
}

static void the_caller_can_end_a_run_at_a_row(void **unused)
{
    (void)unused;
    for (int between = 0; between < 2; between++) {
        running r = run_text(falling, 0.01, TOLERANCE);
        row_list list = {.limit = 5};
        const trm_outcome outcome = run_rows(&r, 1, between ? 0.003 : 0.01, &list);
        assert_false(outcome.ok);
        assert_string_equal(outcome.why, "the caller ended the run");
        assert_int_equal(list.count, 5);
        stop(&r);
    }
}

static void a_pulse_follows_each_step_that_gave_rows(void **unused)
{
    (void)unused;
    running r = run_text(falling, 0.01, TOLERANCE);
    row_list list = {0};
    assert_good(run_rows(&r, 1, 0.05, &list));
    assert_int_equal(list.pulses, 20);
    stop(&r);
}

/* ---- Hooks -------------------------------------------------------------------------------- */

typedef struct hooked {
    long before, after, end_before, end_after; /* numbers of calls; numbers at which the run is ended */
    double largest_gap, last_time;
} hooked;

static void look(hooked *h, trm_sim *sim)
{
    const trm_state *state = trm_sim_state(sim);
    h->largest_gap = fmax(h->largest_gap, trm_velocity_gap(state, 0).position);
    h->last_time = trm_state_time(state);
}

static bool before_step(void *context, trm_sim *sim)
{
    hooked *h = context;
    look(h, sim);
    assert_int_equal(h->before, h->after);
    return ++h->before != h->end_before;
}

static bool after_step(void *context, trm_sim *sim)
{
    hooked *h = context;
    look(h, sim);
    assert_int_equal(h->before, h->after + 1);
    return ++h->after != h->end_after;
}

/* Runs from a start whose velocities violate the joints. */
static running hooked_pendulum(hooked *h)
{
    running r = run_file(TRM_EXAMPLES "/pendulum.json", 0.01, TOLERANCE);
    trm_set_body_velocity(trm_sim_state(r.sim), 1, (trm_spatial){{0, 0, 0}, {1, 1, 0}});
    trm_sim_set_hooks(r.sim, before_step, after_step, h);
    return r;
}

static void hooks_are_called_once_a_step_with_velocities_that_fit(void **unused)
{
    (void)unused;
    hooked h = {0};
    running r = hooked_pendulum(&h);
    for (int i = 0; i < 10; i++) assert_good(trm_sim_step(r.sim, 0.01));
    go_every(&r, 2, 0.5); /* most steps have no rows and would skip the projection */
    assert_int_equal(h.before, 200);
    assert_int_equal(h.after, 200);
    assert_near(h.largest_gap, 0, TOLERANCE);
    assert_near(h.last_time, 2, 0);
    stop(&r);
}

static void a_hook_that_comes_late_sees_velocities_that_fit(void **unused)
{
    (void)unused;
    hooked h = {0};
    running r = run_file(TRM_EXAMPLES "/eight-loop.json", 0.0025, TOLERANCE);
    for (int i = 0; i < 10; i++) assert_good(trm_sim_step(r.sim, 0.0025)); /* lazy */
    assert_true(trm_velocity_gap(trm_sim_state(r.sim), 0).position > 1e-6);
    trm_sim_set_hooks(r.sim, before_step, after_step, &h);
    assert_good(trm_sim_step(r.sim, 0.0025));
    assert_near(h.largest_gap, 0, TOLERANCE);
    stop(&r);
}

static void a_hook_that_returns_false_ends_the_run(void **unused)
{
    (void)unused;
    const trm_run_def run = {.until = 1, .every = NAN};
    hooked h = {.end_before = 5};
    running r = hooked_pendulum(&h);
    trm_outcome outcome = trm_sim_run(r.sim, &run);
    assert_false(outcome.ok);
    assert_string_equal(outcome.why, "the hook before the step ended the run");
    assert_near(outcome.time, 0.04, 1e-15);
    stop(&r);

    h = (hooked){.end_after = 5};
    r = hooked_pendulum(&h);
    outcome = trm_sim_run(r.sim, &run);
    assert_false(outcome.ok);
    assert_string_equal(outcome.why, "the hook after the step ended the run");
    assert_near(outcome.time, 0.05, 1e-15);
    stop(&r);
}

static bool stop_at_fifth(void *context, trm_sim *sim)
{
    (void)sim;
    return ++*(int *)context != 5;
}

/* Rows in the step that the hook after it ended are lost; all others are correct. */
static void a_run_that_a_hook_ended_can_be_resumed(void **unused)
{
    (void)unused;
    for (int after = 0; after < 2; after++)
        for (int between = 0; between < 2; between++) {
            running r = run_text(falling, 0.01, TOLERANCE);
            const double every = between ? 0.0025 : 0.01;
            int calls = 0;
            row_list list = {0};
            trm_sim_set_hooks(r.sim, after ? NULL : stop_at_fifth, after ? stop_at_fifth : NULL, &calls);
            assert_false(run_rows(&r, 1, every, &list).ok);
            assert_int_equal(list.count, between ? 17 : 5); /* 0 to 0.04 */
            if (after) list.count = between ? 21 : 6;
            assert_good(run_rows(&r, 1, every, &list));
            assert_int_equal(list.count, between ? 401 : 101);
            assert_int_equal(list.wrong_times, 0);
            assert_int_equal(list.wrong_places, 0);
            stop(&r);
        }
}

/* ---- Trouble ------------------------------------------------------------------------------ */

static trm_spatial failing_force(void *context, const trm_state *state)
{
    (void)context;
    return trm_sp(trm_v3(0, 0, 0), trm_v3(trm_state_time(state) > 0.495 ? NAN : 1, 0, 0));
}

/* Asserts that the outcome names the element and that the state is that of the last good step. */
static void check_stopped(const running *r, const char *element, double earliest, double latest)
{
    const trm_run_def run = {.until = 1, .every = NAN};
    const trm_outcome outcome = trm_sim_run(r->sim, &run);
    assert_false(outcome.ok);
    assert_string_equal(outcome.element, element);
    assert_true(outcome.time >= earliest && outcome.time <= latest);
    assert_true(trm_state_time(trm_sim_state(r->sim)) == outcome.time);
    for (int i = 0; i < trm_body_count(r->model); i++)
        assert_true(trm_v3_is_finite(trm_body_pose(trm_sim_state(r->sim), i).p) &&
                    trm_v3_is_finite(trm_body_velocity(trm_sim_state(r->sim), i).lin));
    assert_true(isfinite(trm_sim_accuracy(r->sim).energy_error_max));
}

static void a_force_of_the_caller_that_is_not_finite_is_named(void **unused)
{
    (void)unused;
    running r = run_text(falling, 0.01, TOLERANCE);
    assert_int_equal(trm_sim_add_force(r.sim, "wind", 1, failing_force, NULL), TRM_OK);
    check_stopped(&r, "force 'wind'", 0.49, 0.491); /* the step to 0.50 evaluates the force there */
    stop(&r);
}

#define FORCED(extra)                                                                                                \
    "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1] }], " extra " }"

static void a_force_of_the_model_that_is_not_finite_is_named(void **unused)
{
    (void)unused;
    running r = run_text(FORCED("\"forces\": [{ \"name\": \"push\", \"type\": \"force\", \"body\": \"b\","
                                "  \"value\": [\"1/(0.5 - t)^0.5\", 0, 0] }]"),
                         0.01, TOLERANCE);
    check_stopped(&r, "force 'push'", 0.48, 0.5);
    stop(&r);
    r = run_text(FORCED("\"forces\": [{ \"name\": \"twist\", \"type\": \"torque\", \"body\": \"b\","
                        "  \"value\": [0, \"log(0.305 - t)\", 0] }]"),
                 0.01, TOLERANCE);
    check_stopped(&r, "force 'twist'", 0.3, 0.301);
    stop(&r);
}

static void a_motion_that_is_not_finite_is_named(void **unused)
{
    (void)unused;
    running r = run_text("{ \"trammel\": 1, \"bodies\": [{ \"name\": \"table\","
                         "  \"moving\": { \"position\": [\"sqrt(0.305 - t)\", 0, 0] } }] }",
                         0.01, TOLERANCE);
    check_stopped(&r, "body 'table'", 0.3, 0.305);
    stop(&r);
    r = run_text(FORCED("\"joints\": [{ \"name\": \"h\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"b\"],"
                        "  \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }], \"forces\": [{ \"name\": \"lead\","
                        "  \"type\": \"drive\", \"joint\": \"h\", \"motion\": \"sqrt(0.305) - sqrt(0.305 - t)\" }]"),
                 0.01, TOLERANCE);
    check_stopped(&r, "joint 'lead'", 0.3, 0.305);
    stop(&r);
}

/* Two links of 1 m from the ground to a slide that a drive pulls away: they are straight after 1 s and cannot
 * follow. */
static const char *const torn =
    "{ \"trammel\": 1, \"bodies\": ["
    "  { \"name\": \"knee\", \"point\": true, \"mass\": 1, \"position\": [\"0.5\", \"sqrt(0.75)\", 0],"
    "    \"velocity\": [0.5, \"-0.5/sqrt(3)\", 0] },"
    "  { \"name\": \"slide\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [1, 0, 0], \"velocity\": [1, 0, 0] "
    "}],"
    "\"joints\": ["
    "  { \"name\": \"rail\", \"type\": \"slider\", \"bodies\": [\"ground\", \"slide\"], \"anchor\": [0, 0, 0],"
    "    \"axis\": [1, 0, 0], \"q0\": 1 },"
    "  { \"name\": \"upper\", \"type\": \"distance\", \"bodies\": [\"ground\", \"knee\"],"
    "    \"anchors\": [[0, 0, 0], [0, 0, 0]], \"length\": 1 },"
    "  { \"name\": \"lower\", \"type\": \"distance\", \"bodies\": [\"knee\", \"slide\"],"
    "    \"anchors\": [[0, 0, 0], [0, 0, 0]], \"length\": 1 }],"
    "\"forces\": [{ \"name\": \"pull\", \"type\": \"drive\", \"joint\": \"rail\", \"motion\": \"1 + t\" }] }";

static void a_loop_that_is_pulled_apart_stops_where_it_is_stretched(void **unused)
{
    (void)unused;
    const trm_run_def run = {.until = 2, .every = NAN};
    running r = run_text(torn, 0.05, 1e-4);
    const trm_outcome outcome = trm_sim_run(r.sim, &run);
    assert_false(outcome.ok);
    assert_true(outcome.time > 0.95 && outcome.time < 1.01);
    assert_true(outcome.residual > 1);
    assert_int_equal(strncmp(outcome.element, "joint '", 7), 0);
    assert_non_null(strstr(outcome.why, "times its tolerance is left"));
    assert_true(trm_sim_counters(r.sim)->halvings > 0);
    assert_true(trm_position_gap(trm_sim_state(r.sim), 1).position <= 1e-4); /* the last good step */
    stop(&r);
}

/* ---- Refusals ----------------------------------------------------------------------------- */

/* Asserts that creating a simulation with these options fails with this message. */
static void check_refused(trm_model *model, const trm_simulation_def *options, const char *said)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_sim *sim = NULL;
    assert_int_equal(trm_sim_create(model, options, NULL, messages, &sim), TRM_BAD_INPUT);
    assert_null(sim);
    assert_int_equal(trm_error_count(messages), 1);
    if (!strstr(trm_message_at(messages, 0)->text, said)) print_messages(messages);
    assert_non_null(strstr(trm_message_at(messages, 0)->text, said));
    trm_messages_destroy(messages);
}

static void what_this_version_cannot_do_is_refused(void **unused)
{
    (void)unused;
    trm_model *model = model_of_text(falling);
    trm_simulation_def options = trm_default_simulation_def();
    options.method = "magic";
    check_refused(model, &options,
                  "there is no method \"magic\"; there are auto, impulse, lagrange, taylor, lcp, minimal, subsystem");
    options = trm_default_simulation_def();
    options.solver = "magic";
    check_refused(model, &options, "the method \"impulse\" has no solver \"magic\"; it has direct, iterative");
    options = trm_default_simulation_def();
    options.order = 3;
    check_refused(model, &options, "order 3");
    options = trm_default_simulation_def();
    options.error = 0;
    check_refused(model, &options, "the error is 0 m and rad per second; it must be positive");
    static const double steps[] = {0, -0.01, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        options = trm_default_simulation_def();
        options.step = steps[i];
        check_refused(model, &options, "it must be positive");
    }
    trm_model_destroy(model);
}

static void a_model_that_the_method_cannot_run_is_refused_by_name(void **unused)
{
    (void)unused;
    trm_model *model = model_of_text(FORCED("\"joints\": [{ \"name\": \"stop\", \"type\": \"hinge\","
                                            "  \"bodies\": [\"ground\", \"b\"], \"anchor\": [0, 0, 0],"
                                            "  \"axis\": [0, 0, 1] }], \"simulation\": { \"method\": \"taylor\" }"));
    check_refused(model, NULL, "body 'b' is a rigid body, not a point mass");
    trm_model_destroy(model);
}

/* ---- Memory ------------------------------------------------------------------------------- */

static void nothing_is_allocated_after_the_first_step(void **unused)
{
    (void)unused;
    static const char *const names[] = {"/trammel.json", "/spring-mass.json", "/eight-loop.json"};
    for (int k = 0; k < 3; k++) {
        char path[300];
        snprintf(path, sizeof path, "%s%s", TRM_EXAMPLES, names[k]);
        trm_model *model = model_of_file(path);
        trm_messages *messages = trm_messages_create(NULL);
        failing_allocator memory;
        failing_allocator_reset(&memory, 0, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_sim *sim;
        trm_simulation_def options = *trm_model_simulation(model);
        options.solver = running_solver;
        assert_int_equal(trm_sim_create(model, &options, &hooks, messages, &sim), TRM_OK);
        const double h = trm_sim_options(sim)->step;
        assert_good(trm_sim_step(sim, h));
        const long calls = memory.calls;
        for (int i = 0; i < 1000; i++) {
            assert_good(trm_sim_step(sim, h));
            if (i % 7 == 0) assert_good(trm_sim_observe(sim));
        }
        assert_int_equal(memory.calls, calls);
        trm_sim_destroy(sim);
        assert_true(failing_allocator_is_clean(&memory));
        trm_messages_destroy(messages);
        trm_model_destroy(model);
    }
}

/* Makes everything that allocates memory: create, a force, interpolated rows, columns, save, load. */
static bool whole_life(const trm_model *model, const trm_allocator *hooks, trm_messages *messages)
{
    const trm_run_def run = {.until = 0.05, .every = 0.003};
    trm_sim *sim = NULL, *again = NULL;
    trm_results *columns = NULL;
    trm_text *text = trm_text_create(NULL);
    int64_t note = 0;
    trm_simulation_def options = *trm_model_simulation(model);
    options.solver = running_solver;
    bool good = trm_sim_create(model, &options, hooks, messages, &sim) == TRM_OK &&
                trm_sim_add_force(sim, "drag", 1, failing_force, NULL) == TRM_OK &&
                trm_results_create(model, NULL, hooks, messages, &columns) == TRM_OK;
    if (good) {
        const trm_outcome outcome = trm_sim_run(sim, &run);
        good = outcome.ok;
        if (!good) assert_string_equal(outcome.why, "out of memory");
    }
    good = good && trm_sim_save(sim, 7, trm_text_sink(text)) == TRM_OK &&
           trm_sim_create(model, &options, hooks, messages, &again) == TRM_OK &&
           trm_sim_load(again, trm_text_get(text), trm_text_length(text), "text", &note, messages) == TRM_OK;
    if (good) assert_int_equal(note, 7);
    trm_text_destroy(text);
    trm_results_destroy(columns);
    trm_sim_destroy(sim);
    trm_sim_destroy(again);
    return good;
}

static void every_refused_allocation_is_survived(void **unused)
{
    (void)unused;
    trm_model *model = model_of_text(driven);
    trm_messages *messages = trm_messages_create(NULL);
    failing_allocator memory;
    bool done = false;
    for (int for_good = 0; for_good < 2; for_good++)
        for (long k = 1; !done || k == 1; k++) {
            failing_allocator_reset(&memory, k, for_good);
            const trm_allocator hooks = failing_allocator_hooks(&memory);
            done = whole_life(model, &hooks, messages);
            assert_true(failing_allocator_is_clean(&memory));
            assert_int_equal(done, memory.refusals == 0);
        }
    trm_messages_destroy(messages);
    trm_model_destroy(model);
}

/* ---- Going on later ----------------------------------------------------------------------- */

/* The state saved at the requested row. */
typedef struct saver {
    trm_sim *sim;
    trm_text *text;
    int pulses, save_at;
    uint64_t hash; /* hash of all rows since then */
} saver;

static bool hash_row(void *context, const trm_state *state)
{
    saver *s = context;
    s->hash = s->hash * 31 + trm_state_hash(state);
    return true;
}

static bool save_once(void *context)
{
    saver *s = context;
    if (++s->pulses != s->save_at) return true;
    s->hash = 0;
    return trm_sim_save(s->sim, 42, trm_text_sink(s->text)) == TRM_OK;
}

static void load(const running *r, const trm_text *saved)
{
    trm_messages *messages = trm_messages_create(NULL);
    int64_t note = 0;
    const trm_status status =
        trm_sim_load(r->sim, trm_text_get(saved), trm_text_length(saved), "saved", &note, messages);
    print_messages(messages);
    assert_int_equal(status, TRM_OK);
    assert_int_equal(note, 42);
    trm_messages_destroy(messages);
}

static void check_same_bytes(const running *a, const running *b)
{
    trm_text *text_a = trm_text_create(NULL), *text_b = trm_text_create(NULL);
    assert_int_equal(trm_sim_save(a->sim, 0, trm_text_sink(text_a)), TRM_OK);
    assert_int_equal(trm_sim_save(b->sim, 0, trm_text_sink(text_b)), TRM_OK);
    assert_int_equal(trm_text_length(text_a), trm_text_length(text_b));
    assert_memory_equal(trm_text_get(text_a), trm_text_get(text_b), trm_text_length(text_a));
    trm_text_destroy(text_a);
    trm_text_destroy(text_b);
}

/* Asserts that a run until 1 s that is saved on the way, and another simulation that continues from there, agree. */
static void check_resuming(trm_model *(*make)(void), double every, int save_at)
{
    running whole = run_model(make(), NULL), rest = run_model(make(), NULL);
    saver s = {.sim = whole.sim, .text = trm_text_create(NULL), .save_at = save_at};
    const trm_run_def run = {.until = 1, .every = every, .row = hash_row, .pulse = save_once, .context = &s};
    assert_good(trm_sim_run(whole.sim, &run));
    assert_true(s.pulses > save_at);

    load(&rest, s.text);
    saver t = {.sim = rest.sim, .save_at = -1};
    const trm_run_def rest_run = {.until = 1, .every = every, .row = hash_row, .pulse = save_once, .context = &t};
    assert_good(trm_sim_run(rest.sim, &rest_run));
    assert_int_equal(t.pulses, s.pulses - save_at);
    assert_true(t.hash == s.hash);
    check_same_bytes(&whole, &rest);
    trm_text_destroy(s.text);
    stop(&whole);
    stop(&rest);
}

static trm_model *make_driven(void)
{
    return model_of_text(driven);
}

static trm_model *make_trammel(void)
{
    return model_of_file(TRM_EXAMPLES "/trammel.json");
}

static trm_model *make_loop(void)
{
    return model_of_file(TRM_EXAMPLES "/eight-loop-hinges.json");
}

static trm_model *make_spring(void)
{
    return model_of_file(TRM_EXAMPLES "/spring-mass.json");
}

static void a_run_resumed_from_a_checkpoint_is_bit_identical(void **unused)
{
    (void)unused;
    trm_model *(*const makers[])(void) = {make_driven, make_trammel, make_loop, make_spring};
    static const double spacings[] = {NAN, 0.0273, 0.0007};
    for (int m = 0; m < 4; m++)
        for (int k = 0; k < 3; k++) check_resuming(makers[m], spacings[k], k == 1 ? 11 : 1 + 17 * m);
}

static void two_runs_give_the_same_bits(void **unused)
{
    (void)unused;
    running a = run_model(make_driven(), NULL), b = run_model(make_driven(), NULL);
    go(&a, 1);
    go(&b, 1);
    assert_true(trm_state_hash(trm_sim_state(a.sim)) == trm_state_hash(trm_sim_state(b.sim)));
    check_same_bytes(&a, &b);
    stop(&a);
    stop(&b);
}

/* Asserts that loading is refused with a message, and that the simulation is unchanged. */
static void check_not_loaded(const running *r, const char *bytes, size_t count)
{
    trm_messages *messages = trm_messages_create(NULL);
    const uint64_t before = trm_state_hash(trm_sim_state(r->sim));
    int64_t note = -1;
    assert_int_equal(trm_sim_load(r->sim, bytes, count, "saved", &note, messages), TRM_BAD_INPUT);
    assert_int_equal(trm_error_count(messages), 1);
    assert_string_equal(trm_message_at(messages, 0)->place.file, "saved");
    assert_int_equal(note, -1);
    assert_true(trm_state_hash(trm_sim_state(r->sim)) == before);
    trm_messages_destroy(messages);
}

/* Changes every single byte, and cuts off every length. */
static void check_damage(const running *r, const trm_text *saved)
{
    const size_t count = trm_text_length(saved);
    char *bytes = malloc(count + 1);
    assert_non_null(bytes);
    memcpy(bytes, trm_text_get(saved), count);
    bytes[count] = 0;
    for (size_t i = 0; i < count; i++) {
        bytes[i] ^= 0x20;
        check_not_loaded(r, bytes, count);
        bytes[i] ^= 0x20;
        check_not_loaded(r, bytes, i);
    }
    check_not_loaded(r, bytes, count + 1);
    free(bytes);
}

static void damaged_checkpoints_are_refused(void **unused)
{
    (void)unused;
    for (int between = 0; between < 2; between++) {
        running r = run_model(make_spring(), NULL), fresh = run_model(make_spring(), NULL);
        running finer = run_file(TRM_EXAMPLES "/spring-mass.json", 0.005, TOLERANCE);
        running other = run_model(make_driven(), NULL);
        trm_text *saved = trm_text_create(NULL);
        go_every(&r, 0.1, between ? 0.003 : 0.01);
        assert_int_equal(trm_sim_save(r.sim, 42, trm_text_sink(saved)), TRM_OK);
        check_damage(&fresh, saved);
        check_not_loaded(&finer, trm_text_get(saved), trm_text_length(saved));
        check_not_loaded(&other, trm_text_get(saved), trm_text_length(saved));
        load(&fresh, saved); /* undamaged it is accepted */
        check_same_bytes(&r, &fresh);
        trm_text_destroy(saved);
        stop(&r);
        stop(&fresh);
        stop(&finer);
        stop(&other);
    }
}

/* ---- The report --------------------------------------------------------------------------- */

/* The simulation owns its options: texts of the caller may be freed. */
static void options_are_copied(void **unused)
{
    (void)unused;
    const char *const kept = running_solver;
    char method[] = "impulse", solver[] = "iterative";
    running_solver = NULL;
    trm_simulation_def options = trm_default_simulation_def();
    options.method = method;
    options.solver = solver;
    running r = run_model(make_spring(), &options);
    memset(method, '?', sizeof method - 1);
    memset(solver, '?', sizeof solver - 1);
    assert_string_equal(trm_sim_options(r.sim)->method, "impulse");
    assert_string_equal(trm_sim_options(r.sim)->solver, "iterative");
    stop(&r);
    running_solver = kept;
}

/* Two joints with different errors: the report names the one with the largest gap. */
static void the_report_names_the_joint_with_the_largest_gap(void **unused)
{
    (void)unused;
    running r =
        run_text("{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
                 "  { \"name\": \"a\", \"point\": true, \"mass\": 1, \"position\": [0, -1, 0] },"
                 "  { \"name\": \"b\", \"point\": true, \"mass\": 1, \"position\": [3, 0, 0] }], \"joints\": ["
                 "  { \"name\": \"still\", \"type\": \"distance\", \"bodies\": [\"ground\", \"a\"],"
                 "    \"anchors\": [[0, 0, 0], [0, 0, 0]], \"length\": 1 },"
                 "  { \"name\": \"swings\", \"type\": \"distance\", \"bodies\": [\"ground\", \"b\"],"
                 "    \"anchors\": [[2, 0, 0], [0, 0, 0]], \"length\": 1 }] }",
                 0.01, 1e-6);
    go(&r, 1);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    assert_int_equal(a.gap_joint, trm_find_joint(r.model, "swings"));
    assert_true(a.gap.position > 1e-12 && a.gap.position <= 1e-6);
    assert_int_equal(a.observed, 101);
    stop(&r);
}

/* ---- Time --------------------------------------------------------------------------------- */

static void hand_over(const running *from, const running *to)
{
    trm_text *text = trm_text_create(NULL);
    assert_int_equal(trm_state_save(trm_sim_state(from->sim), trm_text_sink(text)), TRM_OK);
    trm_messages *messages = trm_messages_create(NULL);
    assert_int_equal(
        trm_state_load(trm_sim_state(to->sim), trm_text_get(text), trm_text_length(text), "saved", messages), TRM_OK);
    trm_messages_destroy(messages);
    trm_text_destroy(text);
}

/* Rounded sums of 0.001 have an error of 6e-10 s after 200000 steps. Half-way the state moves to another
 * simulation. */
static void steps_of_a_thousandth_end_at_whole_seconds(void **unused)
{
    (void)unused;
    enum { STEPS = 200000 };
    running r = run_text(falling, 0.001, TOLERANCE), rest = run_text(falling, 0.001, TOLERANCE);
    for (int i = 1; i <= STEPS; i++) {
        const trm_outcome outcome = trm_sim_step((i <= STEPS / 2 ? r : rest).sim, 0.001);
        if (!outcome.ok) assert_good(outcome);
        if (i == STEPS / 2) hand_over(&r, &rest);
    }
    assert_near(trm_state_time(trm_sim_state(r.sim)), 100, 0);
    assert_near(trm_state_time(trm_sim_state(rest.sim)), 200, 0);
    stop(&r);
    stop(&rest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_at_exact_multiples_with_any_step),
        cmocka_unit_test(a_run_resumes_where_the_last_one_ended),
        cmocka_unit_test(the_caller_can_end_a_run_at_a_row),
        cmocka_unit_test(a_pulse_follows_each_step_that_gave_rows),
        cmocka_unit_test(hooks_are_called_once_a_step_with_velocities_that_fit),
        cmocka_unit_test(a_hook_that_comes_late_sees_velocities_that_fit),
        cmocka_unit_test(a_hook_that_returns_false_ends_the_run),
        cmocka_unit_test(a_run_that_a_hook_ended_can_be_resumed),
        cmocka_unit_test(a_force_of_the_caller_that_is_not_finite_is_named),
        cmocka_unit_test(a_force_of_the_model_that_is_not_finite_is_named),
        cmocka_unit_test(a_motion_that_is_not_finite_is_named),
        cmocka_unit_test(a_loop_that_is_pulled_apart_stops_where_it_is_stretched),
        cmocka_unit_test(what_this_version_cannot_do_is_refused),
        cmocka_unit_test(a_model_that_the_method_cannot_run_is_refused_by_name),
        cmocka_unit_test(nothing_is_allocated_after_the_first_step),
        cmocka_unit_test(every_refused_allocation_is_survived),
        cmocka_unit_test(a_run_resumed_from_a_checkpoint_is_bit_identical),
        cmocka_unit_test(two_runs_give_the_same_bits),
        cmocka_unit_test(damaged_checkpoints_are_refused),
        cmocka_unit_test(options_are_copied),
        cmocka_unit_test(the_report_names_the_joint_with_the_largest_gap),
        cmocka_unit_test(steps_of_a_thousandth_end_at_whole_seconds),
    };
    return RUN_WITH_ALL_SOLVERS(tests);
}
