/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Copies that continue bit-identically, inputs along joint coordinates, and batches that are bit-identical with
 * single simulations. */

#include "check.h"
#include "failing_allocator.h"
#include "running.h"
#include "trammel/arrays.h"

static uint64_t hash_of(trm_sim *sim)
{
    return trm_state_hash(trm_sim_state(sim));
}

static void make_steps(trm_sim *sim, double dt, int steps)
{
    trm_outcome outcome = {.ok = true};
    if (!trm_sim_steps(sim, dt, steps, NULL, &outcome)) fail_msg("%s: %s", outcome.element, outcome.why);
}

static trm_sim *another(const running *r)
{
    trm_sim *sim = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    assert_int_equal(trm_sim_create(r->model, trm_sim_options(r->sim), NULL, messages, &sim), TRM_OK);
    trm_messages_destroy(messages);
    return sim;
}

/* ---- Copies ------------------------------------------------------------------------------- */

/* A simulation that has run elsewhere, and one that has not run, continue like the one from which they are copied. */
static void copies_continue_alike(const char *file, const char *method, double step, int before, int after)
{
    char path[500];
    snprintf(path, sizeof path, TRM_EXAMPLES "/%s.json", file);
    trm_model *model = model_of_file(path);
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = method, options.step = step;
    running r = run_model(model, &options);
    trm_sim *fresh = another(&r), *used = another(&r);
    make_steps(r.sim, step, before);
    make_steps(used, step, before / 2);
    assert_int_equal(trm_sim_copy(fresh, r.sim), TRM_OK);
    assert_int_equal(trm_sim_copy(used, r.sim), TRM_OK);
    make_steps(r.sim, step, after);
    make_steps(fresh, step, after);
    make_steps(used, step, after);
    if (hash_of(fresh) != hash_of(r.sim)) fail_msg("%s, %s: a fresh copy differs", file, method);
    if (hash_of(used) != hash_of(r.sim)) fail_msg("%s, %s: a used copy differs", file, method);
    assert_int_equal(trm_sim_counters(used)->steps, trm_sim_counters(r.sim)->steps);
    trm_sim_destroy(fresh);
    trm_sim_destroy(used);
    stop(&r);
}

static void copies_of_all_methods_continue_alike(void **unused)
{
    (void)unused;
    copies_continue_alike("eight-loop", "impulse", 0.0025, 40, 40);
    copies_continue_alike("four-bar", "lagrange", 0.005, 40, 40);
    copies_continue_alike("four-bar", "minimal", 0.005, 40, 40);
    copies_continue_alike("double-pendulum", "lcp", 0.005, 40, 40);
}

static void copies_continue_alike_at_contacts_and_events(void **unused)
{
    (void)unused;
    copies_continue_alike("bouncing-ball", "impulse", 0.01, 150, 150);
    copies_continue_alike("newtons-cradle", "impulse", 0.005, 100, 100);
    copies_continue_alike("arm", "impulse", 0.01, 60, 60);
    copies_continue_alike("gripper", "impulse", 0.005, 30, 30);
    copies_continue_alike("dominoes", "impulse", 0.005, 20, 10);
}

static void a_copy_of_the_start_is_the_start(void **unused)
{
    (void)unused;
    running r = run_file(TRM_EXAMPLES "/four-bar.json", 0.01, 1e-10);
    trm_sim *start = another(&r), *alone = another(&r);
    make_steps(r.sim, 0.01, 30);
    assert_int_equal(trm_sim_copy(r.sim, start), TRM_OK);
    make_steps(r.sim, 0.01, 30);
    make_steps(alone, 0.01, 30);
    assert_true(hash_of(r.sim) == hash_of(alone));
    assert_true(trm_sim_accuracy(r.sim).observed == trm_sim_accuracy(alone).observed);
    trm_sim_destroy(start);
    trm_sim_destroy(alone);
    stop(&r);
}

static void others_are_not_copied(void **unused)
{
    (void)unused;
    running a = run_file(TRM_EXAMPLES "/four-bar.json", 0.01, 1e-10);
    running b = run_file(TRM_EXAMPLES "/four-bar.json", 0.01, 1e-10);
    trm_sim *other = another(&a);
    assert_int_equal(trm_sim_copy(a.sim, b.sim), TRM_BAD_INPUT); /* another model, although equal */
    assert_int_equal(trm_sim_add_joint_force(other, 0, 0), TRM_OK);
    assert_int_equal(trm_sim_copy(a.sim, other), TRM_BAD_INPUT); /* other inputs */
    trm_sim_destroy(other);
    stop(&a);
    stop(&b);
}

/* ---- Inputs ------------------------------------------------------------------------------- */

static const char *const WHEEL =
    "{\"trammel\": 1, \"bodies\": [{\"name\": \"hub\", \"mass\": 3, \"inertia\": [1, 1, 2]}, {\"name\": \"wheel\","
    "\"mass\": 1, \"inertia\": [0.3, 0.3, 0.5]}], \"joints\": ["
    "{\"name\": \"bearing\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"hub\"], \"anchor\": [0, 0, 0],"
    "\"axis\": [0, 0, 1]}, {\"name\": \"axle\", \"type\": \"hinge\", \"bodies\": [\"hub\", \"wheel\"],"
    "\"anchor\": [0, 0, 0], \"axis\": [0, 0, 1]}]}";

/* A torque tau between two discs of moments I and J about one axis gives the accelerations -tau/I and tau/J. */
static void torque_on_a_joint_turns_both_bodies(void **unused)
{
    (void)unused;
    /* rounding of 100 steps */
    const double rounding = 1e-12;
    running r = run_text(WHEEL, 0.01, 1e-12);
    double q[2], qd[2];
    assert_int_equal(trm_sim_add_joint_force(r.sim, trm_find_joint(r.model, "axle"), 0), TRM_OK);
    assert_int_equal(trm_sim_joint_force_count(r.sim), 1);
    trm_sim_joint_forces(r.sim)[0] = 0.5;
    assert_true(trm_sim_steps(r.sim, 0.01, 100, &(trm_arrays){.q = q, .qd = qd}, &(trm_outcome){0}));
    assert_near(qd[0], -0.5 / 2, rounding);
    assert_near(qd[1], 0.5 / 0.5 + 0.5 / 2, rounding);
    assert_near(q[1], 0.5 * (1 + 0.25), rounding);
    assert_near(trm_sim_accuracy(r.sim).works.input, 0.5 * q[1], 1e-9); /* work: tau q */
    stop(&r);
}

static void input_that_is_not_finite_is_reported(void **unused)
{
    (void)unused;
    running r = run_text(WHEEL, 0.01, 1e-12);
    trm_outcome outcome;
    assert_int_equal(trm_sim_add_joint_force(r.sim, 1, 0), TRM_OK);
    trm_sim_joint_forces(r.sim)[0] = NAN;
    assert_false(trm_sim_steps(r.sim, 0.01, 1, NULL, &outcome));
    assert_non_null(strstr(outcome.element, "axle"));
    stop(&r);
}

/* ---- Batches ------------------------------------------------------------------------------ */

enum { COUNT = 12 };

typedef struct many {
    running r;
    trm_batch *batch;
} many;

static many begin(int threads)
{
    many m = {.r = run_file(TRM_EXAMPLES "/arm.json", 0.005, 1e-10)};
    trm_messages *messages = trm_messages_create(NULL);
    assert_int_equal(trm_batch_create(m.r.model, trm_sim_options(m.r.sim), COUNT, threads, NULL, messages, &m.batch),
                     TRM_OK);
    assert_int_equal(trm_batch_add_joint_force(m.batch, 0, 0), TRM_OK);
    trm_messages_destroy(messages);
    return m;
}

static void end(many *m)
{
    trm_batch_destroy(m->batch);
    stop(&m->r);
}

static void a_batch_has_the_bits_of_single_simulations(void **unused)
{
    (void)unused;
    many m = begin(3);
    const int n = trm_coordinate_count(m.r.model);
    double forces[COUNT], q[COUNT * 8];
    bool failed[COUNT];
    const trm_batch_arrays arrays = {.forces = forces, .out.q = q, .failed = failed};
    assert_true(n <= 8);
    for (int i = 0; i < COUNT; i++) forces[i] = 0.1 * i;
    assert_int_equal(trm_batch_step(m.batch, 0.005, 50, &arrays), 0);
    for (int i = 0; i < COUNT; i++) {
        trm_sim *alone = another(&m.r);
        double one[8];
        assert_int_equal(trm_sim_add_joint_force(alone, 0, 0), TRM_OK);
        trm_sim_joint_forces(alone)[0] = forces[i];
        assert_true(trm_sim_steps(alone, 0.005, 50, &(trm_arrays){.q = one}, &(trm_outcome){0}));
        assert_true(hash_of(alone) == hash_of(trm_batch_sim(m.batch, i)));
        for (int k = 0; k < n; k++) assert_true(q[i * n + k] == one[k]);
        assert_false(failed[i]);
        trm_sim_destroy(alone);
    }
    end(&m);
}

/* A mass with a force that is an input: x = u t^2 / (2 m). */
static void inputs_of_the_model_are_rows(void **unused)
{
    (void)unused;
    /* rounding of ten steps */
    const double rounding = 1e-12;
    running r = run_text(
        "{\"trammel\": 1, \"inputs\": {\"u\": {\"range\": [-2, 2]}}, \"bodies\": [{\"name\": \"a\", \"mass\": 2,"
        "\"inertia\": [1, 1, 1]}], \"forces\": [{\"type\": \"force\", \"body\": \"a\", \"value\": [\"u\", 0, 0]}]}",
        0.1, 1e-12);
    const double inputs[3] = {1, -1, 7};
    double positions[3 * 2 * 3];
    trm_batch *batch = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    assert_int_equal(trm_batch_create(r.model, NULL, 3, 2, NULL, messages, &batch), TRM_OK);
    assert_int_equal(
        trm_batch_step(batch, 0.1, 10, &(trm_batch_arrays){.inputs = inputs, .out.positions = positions}), 0);
    assert_near(positions[3], 0.25, rounding);
    assert_near(positions[6 + 3], -0.25, rounding);
    assert_near(positions[12 + 3], 0.5, rounding); /* clipped */
    trm_batch_destroy(batch);
    trm_messages_destroy(messages);
    stop(&r);
}

static void masked_ones_stay_and_are_reset(void **unused)
{
    (void)unused;
    many m = begin(2);
    bool mask[COUNT];
    for (int i = 0; i < COUNT; i++) mask[i] = i % 3 == 0;
    trm_batch_step(m.batch, 0.005, 10, &(trm_batch_arrays){0});
    trm_batch_step(m.batch, 0.005, 10, &(trm_batch_arrays){.mask = mask});
    for (int i = 0; i < COUNT; i++)
        assert_near(trm_state_time(trm_sim_state(trm_batch_sim(m.batch, i))), mask[i] ? 0.1 : 0.05, 1e-12);
    assert_int_equal(trm_batch_reset(m.batch, mask, NULL), TRM_OK);
    trm_batch_step(m.batch, 0.005, 10, &(trm_batch_arrays){.mask = mask});
    for (int i = 1; i < COUNT; i++) /* all have made ten steps from the start */
        assert_true(hash_of(trm_batch_sim(m.batch, i)) == hash_of(trm_batch_sim(m.batch, 0)));
    end(&m);
}

static void one_that_fails_does_not_stop_the_others(void **unused)
{
    (void)unused;
    many m = begin(2);
    double forces[COUNT] = {0};
    bool failed[COUNT];
    forces[5] = NAN;
    assert_int_equal(trm_batch_step(m.batch, 0.005, 4, &(trm_batch_arrays){.forces = forces, .failed = failed}), 1);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(failed[i], i == 5);
        assert_int_equal(trm_batch_outcome(m.batch, i)->ok, i != 5);
        assert_near(trm_state_time(trm_sim_state(trm_batch_sim(m.batch, i))), i == 5 ? 0 : 0.02, 1e-12);
    }
    end(&m);
}

static void a_batch_survives_every_refused_allocation(void **unused)
{
    (void)unused;
    trm_model *model = model_of_file(TRM_EXAMPLES "/four-bar.json");
    trm_messages *messages = trm_messages_create(NULL);
    failing_allocator memory;
    trm_status status = TRM_OUT_OF_MEMORY;
    for (int k = 1; status == TRM_OUT_OF_MEMORY; k++) {
        trm_batch *batch = NULL;
        failing_allocator_reset(&memory, k, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_messages_clear(messages);
        status = trm_batch_create(model, NULL, 2, 1, &hooks, messages, &batch);
        if (status == TRM_OK) status = trm_batch_add_joint_force(batch, 0, 0);
        if (status == TRM_OK) trm_batch_step(batch, 0.01, 1, &(trm_batch_arrays){0});
        if (status == TRM_OK) status = trm_batch_reset(batch, NULL, NULL);
        trm_batch_destroy(batch);
        assert_true(failing_allocator_is_clean(&memory));
    }
    assert_int_equal(status, TRM_OK);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_all_methods_continue_alike),
        cmocka_unit_test(copies_continue_alike_at_contacts_and_events),
        cmocka_unit_test(a_copy_of_the_start_is_the_start),
        cmocka_unit_test(others_are_not_copied),
        cmocka_unit_test(torque_on_a_joint_turns_both_bodies),
        cmocka_unit_test(input_that_is_not_finite_is_reported),
        cmocka_unit_test(a_batch_has_the_bits_of_single_simulations),
        cmocka_unit_test(inputs_of_the_model_are_rows),
        cmocka_unit_test(masked_ones_stay_and_are_reset),
        cmocka_unit_test(one_that_fails_does_not_stop_the_others),
        cmocka_unit_test(a_batch_survives_every_refused_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
