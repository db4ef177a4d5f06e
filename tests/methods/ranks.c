/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Several ranks simulate a machine as one rank does, bit for bit: subsystems are reduced in the same way on every
 * rank, and the state that rank 0 writes is complete. */

#include <time.h>

#include "failing_allocator.h"
#include "ranks.h"
#include "thread_exchange.h"

static void a_long_chain_is_the_same_on_any_number_of_ranks(void **state)
{
    trm_model *model = long_chain(400);
    trm_simulation_def options = by_hierarchy(model);
    (void)state;
    options.step = 0.005;
    assert_ranks_agree(model, &options, 0.06, "chain of 400");
    options.order = 4;
    assert_ranks_agree(model, &options, 0.03, "chain of 400, order 4");
    trm_model_destroy(model);
}

/* ---- The method subsystem ------------------------------------------------------------------------- */

static void subsystems_of_a_long_chain_are_the_same_on_any_number_of_ranks(void **state)
{
    (void)state;
    trm_model *model = long_chain(400);
    static const char *const names[] = {"stabilise", "tree", "integrator"};
    static const char *const words[] = {"double", "halves", "heun"};
    trm_simulation_def options = by_subsystem(model);
    options.step = 0.002;
    assert_ranks_agree(model, &options, 0.012, "subsystem");
    for (int i = 0; i < 3; i++) {
        const trm_option option = {.method = "subsystem", .name = names[i], .text = words[i]};
        options.options = &option;
        options.option_count = 1;
        assert_ranks_agree(model, &options, 0.006, words[i]);
    }
    trm_model_destroy(model);
}

static void other_trees_are_the_same_on_any_number_of_ranks(void **state)
{
    (void)state;
    trm_model *model = long_chain(400);
    static const struct {
        const char *tree;
        double leaf;
    } trees[] = {{"ladder", 7}, {"ladder", 150}, {"halves", 1}, {"dissection", 30}};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        trm_simulation_def options = by_hierarchy(model);
        const trm_option chosen[] = {{.method = "impulse", .name = "tree", .text = trees[i].tree},
                                     {.method = "impulse", .name = "leaf", .number = trees[i].leaf}};
        options.step = 0.005;
        options.options = chosen;
        options.option_count = 2;
        assert_ranks_agree(model, &options, 0.015, trees[i].tree);
    }
    trm_model_destroy(model);
}

/* Steps with error control, and steps that must be halved: all ranks decide in the same way. */
static void steps_are_as_long_on_any_number_of_ranks(void **state)
{
    (void)state;
    trm_model *model = long_chain(400);
    trm_simulation_def options = by_hierarchy(model), subsystem = by_subsystem(model);
    options.step = subsystem.step = 0.01;
    options.error = subsystem.error = 1e-7;
    assert_ranks_agree(model, &options, 0.03, "error of impulses");
    assert_ranks_agree(model, &subsystem, 0.03, "error of subsystems");
    options = by_hierarchy(model);
    options.step = 0.3;
    team alone;
    team_run(&alone, model, &options, 1, options.step, options.step, NULL);
    assert_team_good(&alone);
    assert_true(trm_sim_counters(alone.members[0].sim)->halvings > 0);
    team_disband(&alone);
    assert_ranks_agree(model, &options, options.step, "halved steps");
    trm_model_destroy(model);
}

/* Rebuilds the machine by calls that are the same on every rank. */
static bool rebuild(void *context, trm_sim *sim)
{
    (void)context;
    const long long steps = trm_sim_counters(sim)->steps;
    if (steps == 2) trm_sim_detach(sim, 150);
    if (steps == 4) return trm_sim_attach(sim, 150).ok;
    return true;
}

static void let_rebuild(member *m)
{
    trm_sim_set_hooks(m->sim, NULL, rebuild, NULL);
}

static void rebuilding_is_the_same_on_any_number_of_ranks(void **state)
{
    (void)state;
    trm_model *model = long_chain(400);
    trm_simulation_def options[] = {by_hierarchy(model), by_subsystem(model)};
    for (int i = 0; i < 2; i++) {
        team alone, together;
        options[i].step = 0.002;
        team_run(&alone, model, &options[i], 1, 0.02, 0.01, let_rebuild);
        assert_team_good(&alone);
        for (int count = 2; count <= 4; count++) {
            team_run(&together, model, &options[i], count, 0.02, 0.01, let_rebuild);
            assert_team_good(&together);
            for (int r = 0; r < count; r++)
                assert_true(same_bits(trm_sim_state(alone.members[0].sim), trm_sim_state(together.members[r].sim)));
            team_disband(&together);
        }
        team_disband(&alone);
    }
    trm_model_destroy(model);
}

/* ---- Few bodies ------------------------------------------------------------------------------------ */

static void more_ranks_than_bodies_do_no_harm(void **state)
{
    (void)state;
    for (int bodies = 1; bodies <= 3; bodies++) {
        trm_model *model = long_chain(bodies);
        trm_simulation_def options = by_hierarchy(model), subsystem = by_subsystem(model);
        assert_ranks_agree(model, &options, 10 * options.step, "few bodies");
        assert_ranks_agree(model, &subsystem, 10 * options.step, "few bodies");
        team eight;
        team_run(&eight, model, &options, MOST_MEMBERS, options.step, options.step, NULL);
        assert_team_good(&eight);
        team_disband(&eight);
        trm_model_destroy(model);
    }
}

/* ---- Other hierarchies ------------------------------------------------------------------------------------ */

/* Rounding differs from tree to tree. The motion of these machines enlarges it little within 1 s. */
static const double SAME_AFTER_1_S = 1e-12; /* m, rad */

static double states_apart(const trm_state *a, const trm_state *b)
{
    double most = 0;
    for (int i = 0; i < a->model->body_count; i++) {
        const trm_quat turn = trm_quat_mul(a->pose[i].q, trm_quat_conj(b->pose[i].q));
        most = fmax(most, trm_v3_length(trm_v3_sub(a->pose[i].p, b->pose[i].p)));
        most = fmax(most, 2 * trm_v3_length(trm_v3(turn.x, turn.y, turn.z)));
    }
    return most;
}

static void check_hierarchies(const trm_model *model, trm_simulation_def options, const char *name)
{
    static const struct {
        const char *tree;
        double leaf;
        int ranks;
    } others[] = {{"halves", 1, 2}, {"ladder", 1, 1}, {"dissection", 5, 1}, {"ladder", 4, 1}};
    team first;
    double worst = 0;
    team_run(&first, model, &options, 1, 1, 1, NULL);
    assert_team_good(&first);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const trm_option chosen[] = {{.method = options.method, .name = "tree", .text = others[i].tree},
                                     {.method = options.method, .name = "leaf", .number = others[i].leaf}};
        team other;
        options.options = chosen;
        options.option_count = 2;
        team_run(&other, model, &options, others[i].ranks, 1, 1, NULL);
        assert_team_good(&other);
        worst = fmax(worst, states_apart(trm_sim_state(first.members[0].sim), trm_sim_state(other.members[0].sim)));
        team_disband(&other);
    }
    print_message("%s by %s: %.1e\n", name, options.method, worst);
    assert_true(worst > 0); /* the hierarchies differ */
    assert_true(worst <= SAME_AFTER_1_S);
    team_disband(&first);
}

static trm_model *hanging_chain(void)
{
    machine m;
    machine_init(&m);
    for (int i = 1; i <= 40; i++) {
        add_ball(&m, 0.02 * i, 0.01 * (i % 4), -0.5 * i);
        add_joint_at(&m, "ball", i - 1, i, 0.02 * i, 0.01, -0.5 * i + 0.25);
    }
    m.def->gravity = trm_v3(0, 0, -9.81);
    return machine_finish(&m);
}

static trm_model *hanging_net(void)
{
    machine m;
    machine_init(&m);
    add_net(&m, 5);
    for (int i = 0; i < 5; i += 4) add_joint_at(&m, "ball", 0, 1 + 5 * i, i, 0, 0.5);
    m.def->gravity = trm_v3(0, -1, -9.81);
    return machine_finish(&m);
}

static void other_hierarchies_lead_the_same_way(void **state)
{
    (void)state;
    trm_model *models[] = {hanging_chain(), hanging_net(),
                           model_of_file(TRM_EXAMPLES "/problems/s10-unequal-loop.json")};
    static const char *const names[] = {"chain of 40", "net of 5 x 5", "loop"};
    for (int i = 0; i < 3; i++) {
        trm_simulation_def impulse = by_hierarchy(models[i]), subsystem = by_subsystem(models[i]);
        impulse.step = subsystem.step = 0.02;
        impulse.order = 2;
        impulse.position_tolerance = impulse.angle_tolerance = impulse.velocity_tolerance = 1e-13;
        check_hierarchies(models[i], impulse, names[i]);
        check_hierarchies(models[i], subsystem, names[i]);
        trm_model_destroy(models[i]);
    }
}

/* ---- Resuming ---------------------------------------------------------------------------------------------- */

static trm_text *saved; /* the checkpoint that a team resumes from */

static void take_up(member *m)
{
    int64_t note;
    trm_messages *messages = trm_messages_create(NULL);
    m->status = trm_sim_load(m->sim, trm_text_get(saved), trm_text_length(saved), "saved", &note, messages);
    trm_messages_destroy(messages);
}

/* Three ranks begin a run, and more or fewer ranks resume it from the checkpoint of rank 0. */
static void check_resuming(const trm_model *model, trm_simulation_def options, double until)
{
    team whole, begun, rest;
    team_run(&whole, model, &options, 1, until, until / 2, NULL);
    team_run(&begun, model, &options, 3, until / 2, until / 2, NULL);
    assert_team_good(&whole);
    assert_team_good(&begun);
    saved = trm_text_create(NULL);
    assert_int_equal(trm_sim_save(begun.members[0].sim, 1, trm_text_sink(saved)), TRM_OK);
    team_disband(&begun);
    for (int count = 1; count <= 4; count++) {
        team_run(&rest, model, &options, count, until, until / 2, take_up);
        assert_team_good(&rest);
        for (int r = 0; r < count; r++)
            assert_true(trm_state_hash(trm_sim_state(whole.members[0].sim)) ==
                        trm_state_hash(trm_sim_state(rest.members[r].sim)));
        team_disband(&rest);
    }
    team_disband(&whole);
    trm_text_destroy(saved);
}

static void a_run_is_resumed_by_any_number_of_ranks(void **state)
{
    (void)state;
    trm_model *chain = long_chain(400), *crane = model_of_file(TRM_EXAMPLES "/crane.json");
    trm_simulation_def options = by_hierarchy(chain);
    options.step = 0.005;
    check_resuming(chain, options, 0.04);
    options.order = 4;
    check_resuming(chain, options, 0.02);
    options = by_subsystem(chain);
    options.step = 0.002;
    check_resuming(chain, options, 0.016);
    options = by_hierarchy(crane);
    check_resuming(crane, options, 16 * options.step);
    trm_model_destroy(chain);
    trm_model_destroy(crane);
}

/* ---- Losing a rank ----------------------------------------------------------------------------------------- */

static bool leave_in_the_middle(void *context, trm_sim *sim)
{
    member *m = context;
    if (m->rank != 1 || trm_sim_counters(sim)->steps < 4) return true;
    exchange_group_leave(m->group, m->rank);
    return false;
}

static void let_rank_1_leave(member *m)
{
    trm_sim_set_hooks(m->sim, NULL, leave_in_the_middle, m);
}

static void assert_reports_loss(const member *m)
{
    const bool said = strcmp(m->outcome.element, "ranks") == 0 && strstr(m->outcome.why, "lost");
    if (!said) print_error("rank %d: %s: %s\n", m->rank, m->outcome.element, m->outcome.why);
    assert_true(said);
}

/* A hook that ends a rank at any moment of a step. */
typedef struct intruder {
    pthread_t thread;
    long nanoseconds;
} intruder;

static intruder outside;

static void *leave_soon(void *context)
{
    const member *m = context;
    nanosleep(&(struct timespec){0, outside.nanoseconds}, NULL);
    exchange_group_leave(m->group, m->rank);
    return NULL;
}

static void send_intruder(member *m)
{
    if (m->rank == 0 && pthread_create(&outside.thread, NULL, leave_soon, m) != 0) m->status = TRM_OUT_OF_MEMORY;
}

static void a_rank_that_is_lost_at_any_moment_ends_the_run_of_all(void **state)
{
    (void)state;
    trm_model *model = long_chain(400);
    trm_simulation_def impulse = by_hierarchy(model), subsystem = by_subsystem(model);
    impulse.step = subsystem.step = 0.001;
    for (int i = 0; i < 16; i++) {
        team t;
        outside.nanoseconds = 200000L * (i + 1) * (i + 1);
        team_run(&t, model, i % 2 ? &impulse : &subsystem, 2 + i % 3, 1000, 0.01, send_intruder);
        pthread_join(outside.thread, NULL);
        for (int r = 0; r < t.count; r++) {
            assert_int_equal(t.members[r].status, TRM_OK);
            assert_false(t.members[r].outcome.ok);
            assert_reports_loss(&t.members[r]);
        }
        team_disband(&t);
    }
    trm_model_destroy(model);
}

static void check_loss(const trm_model *model, const trm_simulation_def *options)
{
    for (int count = 2; count <= 4; count++) {
        team t;
        team_run(&t, model, options, count, 1, 0.1, let_rank_1_leave);
        for (int r = 0; r < count; r++) {
            const member *m = &t.members[r];
            if (r == 1) continue;
            assert_int_equal(m->status, TRM_OK);
            assert_false(m->outcome.ok);
            assert_true(m->outcome.time < 1);
            assert_reports_loss(m);
        }
        team_disband(&t);
    }
}

static void a_rank_that_leaves_ends_the_run_of_all(void **state)
{
    (void)state;
    trm_model *models[] = {long_chain(5), long_chain(400), model_of_file(TRM_EXAMPLES "/crane.json")};
    for (int i = 0; i < 3; i++) {
        trm_simulation_def impulse = by_hierarchy(models[i]), subsystem = by_subsystem(models[i]);
        impulse.step = subsystem.step = 0.002;
        impulse.order = 2;
        check_loss(models[i], &impulse);
        check_loss(models[i], &subsystem);
        trm_model_destroy(models[i]);
    }
}

/* Lets one allocation of one rank after the other fail: that rank leaves, the others report it, and none waits
 * forever. */
static void check_memory(const trm_model *model, const trm_simulation_def *options, long stride)
{
    bool done = false;
    for (long k = 1; !done; k += stride) {
        failing_allocator memory;
        failing_allocator_reset(&memory, k, true);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        team t;
        team_run_with(&t, model, options, 3, 4 * options->step, options->step, NULL, &hooks);
        done = memory.refusals == 0;
        for (int r = 0; r < 3; r++) {
            const member *m = &t.members[r];
            const bool good = m->status == TRM_OK && m->outcome.ok;
            if (done) assert_true(good);
            if (r < 2 && !good) assert_reports_loss(m);
        }
        team_disband(&t);
        assert_true(failing_allocator_is_clean(&memory));
    }
}

static void a_rank_without_memory_ends_the_run_of_all(void **state)
{
    (void)state;
    trm_model *small = long_chain(6), *large = long_chain(400);
    trm_simulation_def impulse = by_hierarchy(small), subsystem = by_subsystem(large);
    check_memory(small, &impulse, 1);
    check_memory(large, &subsystem, 3);
    impulse = by_hierarchy(large);
    check_memory(large, &impulse, 3);
    trm_model_destroy(small);
    trm_model_destroy(large);
}

static void models_that_cannot_be_divided_are_refused_by_all_ranks(void **state)
{
    (void)state;
    static const struct {
        const char *method, *solver, *said;
    } refused[] = {{"impulse", "direct", "the solver \"direct\" runs on one rank"},
                   {"lagrange", "direct", "the method \"lagrange\" runs on one rank"},
                   {"minimal", "direct", "the method \"minimal\" runs on one rank"}};
    trm_model *model = long_chain(3);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        trm_simulation_def options = *trm_model_simulation(model);
        options.method = refused[i].method;
        options.solver = refused[i].solver;
        team t;
        team_run(&t, model, &options, 2, 0.1, 0.1, NULL);
        for (int r = 0; r < 2; r++) {
            assert_int_equal(t.members[r].status, TRM_BAD_INPUT);
            assert_non_null(strstr(t.members[r].said, refused[i].said));
        }
        team_disband(&t);
    }
    trm_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_chain_is_the_same_on_any_number_of_ranks),
        cmocka_unit_test(subsystems_of_a_long_chain_are_the_same_on_any_number_of_ranks),
        cmocka_unit_test(other_trees_are_the_same_on_any_number_of_ranks),
        cmocka_unit_test(steps_are_as_long_on_any_number_of_ranks),
        cmocka_unit_test(rebuilding_is_the_same_on_any_number_of_ranks),
        cmocka_unit_test(more_ranks_than_bodies_do_no_harm),
        cmocka_unit_test(other_hierarchies_lead_the_same_way),
        cmocka_unit_test(a_run_is_resumed_by_any_number_of_ranks),
        cmocka_unit_test(a_rank_that_leaves_ends_the_run_of_all),
        cmocka_unit_test(a_rank_that_is_lost_at_any_moment_ends_the_run_of_all),
        cmocka_unit_test(a_rank_without_memory_ends_the_run_of_all),
        cmocka_unit_test(models_that_cannot_be_divided_are_refused_by_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
