/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Memory runs out at the k-th call, for every k, while a model is read, built, analysed, judged and written: the call
 * reports it, nothing leaks, nothing crashes. */

#include <dirent.h>

#include "choosing.h"
#include "failing_allocator.h"
#include "scenes.h"

/* Writes, reads again and compares; the text uses the limited memory, too. */
static trm_status write_again(const trm_model_def *def, const trm_allocator *memory)
{
    trm_text *text = trm_text_create(memory);
    if (!text) return TRM_OUT_OF_MEMORY;
    const trm_status status = trm_write_model(def, trm_text_sink(text));
    trm_text_destroy(text);
    return status == TRM_IO_ERROR ? TRM_OUT_OF_MEMORY : status; /* the only reason for which a text refuses */
}

static trm_status look_at(const trm_model *model, const trm_allocator *memory, trm_messages *messages)
{
    trm_state *state = trm_state_create(model, memory);
    trm_analysis *analysis = state ? trm_analyse(state, memory) : NULL;
    trm_text *saved = trm_text_create(memory);
    trm_regularity *regularity = analysis ? trm_find_regularity(state, analysis, memory) : NULL;
    trm_status status = regularity && saved ? trm_assemble(state, memory, messages, NULL) : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK && trm_state_save(state, trm_text_sink(saved)) != TRM_OK) status = TRM_OUT_OF_MEMORY;
    if (status == TRM_OK)
        status = trm_state_load(state, trm_text_get(saved), trm_text_length(saved), "saved", messages);
    trm_text_destroy(saved);
    trm_regularity_destroy(regularity);
    trm_analysis_destroy(analysis);
    trm_state_destroy(state);
    return status;
}

/* Does everything. Returns the status of the first failure. */
static trm_status do_work(const char *path, const trm_allocator *memory)
{
    trm_messages *messages = trm_messages_create(memory);
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    if (!messages) return TRM_OUT_OF_MEMORY;
    trm_status status = trm_read_model_file(path, NULL, memory, messages, &def); /* meshes are in files next to it */
    assert_int_equal(status == TRM_OK, def != NULL);
    if (status == TRM_OK) status = write_again(def, memory);
    if (status == TRM_OK) status = trm_model_create(def, memory, messages, &model);
    if (status == TRM_OK) status = look_at(model, memory, messages);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    return status;
}

/* Refuses call 1, 2, 3, ..., once or from there on, until no call was refused. */
static void survive(const char *path, bool for_good, trm_status expected)
{
    failing_allocator memory;
    long k = 0;
    do {
        failing_allocator_reset(&memory, ++k, for_good);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        const trm_status status = do_work(path, &hooks);
        const bool right = status == (memory.refusals > 0 ? TRM_OUT_OF_MEMORY : expected);
        if (!right || !failing_allocator_is_clean(&memory))
            print_error("%s: call %ld refused: \"%s\", %zu bytes left\n", path, k, trm_status_text(status),
                        memory.bytes_live);
        assert_true(right);
        assert_true(failing_allocator_is_clean(&memory));
    } while (memory.refusals > 0);
    assert_true(k > 3);
}

static int survive_folder(const char *folder, trm_status expected)
{
    int count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries));) {
        char path[1000];
        if (!strstr(entry->d_name, ".json")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        survive(path, false, expected);
        survive(path, true, expected);
        count++;
    }
    closedir(entries);
    return count;
}

static void every_example_survives_memory_that_runs_out(void **state)
{
    (void)state;
    assert_true(survive_folder(TRM_EXAMPLES, TRM_OK) >= 10);
}

static void every_broken_model_survives_memory_that_runs_out(void **state)
{
    (void)state;
    assert_true(survive_folder(TRM_TESTS "/cli/bad", TRM_BAD_INPUT) >= 70);
}

static void a_model_with_every_key_survives_memory_that_runs_out(void **state)
{
    (void)state;
    survive(TRM_TESTS "/io/all_keys.json", false, TRM_OK);
    survive(TRM_TESTS "/io/all_keys.json", true, TRM_OK);
}

/* Creates, steps and observes a simulation. Returns the status of the first failure. */
static trm_status simulate(const trm_model *model, const trm_simulation_def *options, int steps,
                           const trm_allocator *memory)
{
    trm_messages *messages = trm_messages_create(memory);
    trm_sim *sim = NULL;
    if (!messages) return TRM_OUT_OF_MEMORY;
    trm_status status = trm_sim_create(model, options, memory, messages, &sim);
    if (status == TRM_OK) {
        trm_outcome outcome = {.ok = true};
        for (int i = 0; i < steps && outcome.ok; i++) {
            outcome = trm_sim_step(sim, options->step);
            if (outcome.ok) outcome = trm_sim_observe(sim);
        }
        if (!outcome.ok) assert_string_equal(outcome.why, "out of memory");
        if (!outcome.ok) status = TRM_OUT_OF_MEMORY;
    }
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    return status;
}

/* Returns the number of calls. */
static long survive_steps(const trm_model *model, const trm_simulation_def *options, int steps, bool for_good)
{
    failing_allocator memory;
    long k = 0;
    do {
        failing_allocator_reset(&memory, ++k, for_good);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        const trm_status status = simulate(model, options, steps, &hooks);
        if (status != (memory.refusals > 0 ? TRM_OUT_OF_MEMORY : TRM_OK))
            print_error("call %ld refused: \"%s\"\n", k, trm_status_text(status));
        assert_int_equal(status, memory.refusals > 0 ? TRM_OUT_OF_MEMORY : TRM_OK);
        assert_true(failing_allocator_is_clean(&memory));
    } while (memory.refusals > 0);
    return k - 1;
}

static void survive_simulation(const char *example, way how, bool for_good)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, example);
    trm_model *model = model_of_file(path);
    chosen c;
    trm_simulation_def options;
    options_of(model, &how, &c, &options);
    assert_true(survive_steps(model, &options, 1, for_good) > 4);
    trm_model_destroy(model);
}

static void every_method_survives_memory_that_runs_out(void **state)
{
    (void)state;
    static const struct {
        const char *example;
        way how;
    } cases[] = {
        {"four-bar", {.choice = "impulse"}},
        {"four-bar", {.choice = "lagrange"}},
        {"four-bar", {.choice = "lagrange:integrator=fehlberg8:stabilise=penalty:alpha=1e5"}},
        {"eight-loop", {.choice = "lagrange:stabilise=penalty", .error = 1e-6}},
        {"cuboid", {.choice = "lagrange:stabilise=penalty"}},
        {"trammel", {.choice = "lagrange:stabilise=cfm:cfm=1e-6"}},
        {"cuboid", {.choice = "taylor", .order = 6}},
        {"pendulum", {.choice = "taylor", .order = 3, .error = 1e-6}},
        {"four-bar", {.choice = "lcp"}},
        {"four-bar", {.choice = "lcp:solver=pgs:cfm=1e-6"}},
        {"crane", {.choice = "lcp:solver=lemke"}},
        {"four-bar", {.choice = "minimal"}},
        {"problems/s02-rotating-pendulum", {.choice = "minimal:history=differences", .error = 1e-6, .order = 12}},
        {"problems/s08-bricard", {.choice = "minimal", .error = 1e-6, .order = 12}},
        {"problems/s03-triple-rocker", {.choice = "minimal:angles=absolute:cut=A", .error = 1e-6, .order = 12}},
        {"double-pendulum", {.choice = "minimal:integrator=rk4"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        survive_simulation(cases[i].example, cases[i].how, false);
        survive_simulation(cases[i].example, cases[i].how, true);
    }
}

/* Builds a box that slides, one on it, and a ball that lands on both within the first steps. */
static trm_model *box_and_ball(double rolling)
{
    scene s;
    trm_contact_def contact = trm_default_contact_def();
    contact.bodies[0] = "b1", contact.bodies[1] = "b2";
    contact.rolling = rolling;
    scene_init(&s, 0.3, 0.5);
    add_floor(&s);
    add_solid(&s, box_of(1, 1, 0.5), 2, trm_v3(0, 0, 0.25))->velocity = trm_v3(1, 0, 0);
    add_solid(&s, box_of(0.5, 0.5, 0.5), 1, trm_v3(0, 0, 0.75));
    add_solid(&s, sphere_of(0.2), 1, trm_v3(0.1, 0, 1.22))->velocity = trm_v3(0, 0, -1);
    s.m.def->contacts = &contact, s.m.def->contact_count = 1;
    return machine_finish(&s.m);
}

static void contacts_survive_memory_that_runs_out(void **state)
{
    (void)state;
    static const char *const impacts[] = {"event", "window"};
    enum { STEPS = 2 }; /* the ball lands in the second */
    for (int i = 0; i < 5; i++) {
        trm_model *model = box_and_ball(i < 4 ? 0.01 : 0); /* rolling friction is of order 2 */
        trm_simulation_def options = *trm_model_simulation(model);
        options.step = 0.01;
        options.order = i < 4 ? 2 : 4;
        options.impact = impacts[i % 2];
        options.simultaneous = i >= 2;
        const long calls = survive_steps(model, &options, 0, true);
        assert_true(survive_steps(model, &options, STEPS, false) > calls); /* steps took memory too */
        assert_true(survive_steps(model, &options, STEPS, true) > calls);
        trm_model_destroy(model);
    }
}

static void contacts_of_lcp_survive_memory_that_runs_out(void **state)
{
    (void)state;
    static const char *const choices[] = {"lcp", "lcp:solver=lemke", "lcp:solver=pgs",
                                          "lcp:solver=lemke:friction=pyramid", "lcp:solver=pgs:friction=pyramid"};
    enum { STEPS = 2 };
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        trm_model *model = box_and_ball(0);
        chosen c;
        trm_simulation_def options;
        const way how = {.choice = choices[i], .step = 0.01};
        options_of(model, &how, &c, &options);
        const long calls = survive_steps(model, &options, 0, true);
        assert_true(survive_steps(model, &options, STEPS, false) > calls); /* steps took memory too */
        assert_true(survive_steps(model, &options, STEPS, true) > calls);
        trm_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_survives_memory_that_runs_out),
        cmocka_unit_test(every_broken_model_survives_memory_that_runs_out),
        cmocka_unit_test(a_model_with_every_key_survives_memory_that_runs_out),
        cmocka_unit_test(every_method_survives_memory_that_runs_out),
        cmocka_unit_test(contacts_survive_memory_that_runs_out),
        cmocka_unit_test(contacts_of_lcp_survive_memory_that_runs_out),
    };
    return RUN_TESTS(tests);
}
