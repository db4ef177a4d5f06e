/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Checkpoints made by hand, with correct checksums: no number is used as a count or an index before it is checked.
 * And steps and times so short that their products are zero: a run reaches its end. */

#include <limits.h>
#include <stdlib.h>

#include "hanging.h"
#include "machines.h"
#include "methods/minimal/minimal.h"
#include "resuming.h"
#include "sanitized.h"
#include "sim/sim.h"

/* s of processor time: a test that takes longer is ended. */
enum { MOST_SECONDS = 60 };

/* ---- Checkpoints ---------------------------------------------------------------------------- */

/* Corrupts a run; the run is destroyed afterwards. */
typedef void (*spoil)(trm_sim *sim);

static void too_many_contacts(trm_sim *sim)
{
    sim->state->clock->contact_count = sim->state->stored_contact_room + 1;
}
static void fewer_contacts_than_none(trm_sim *sim)
{
    sim->state->clock->contact_count = -1;
}
static void a_contact_of_no_body(trm_sim *sim)
{
    sim->state->contacts[0].body[1] = sim->state->model->body_count;
}
static void an_island_of_no_body(trm_sim *sim)
{
    sim->state->rest[1].island = sim->state->model->body_count + 1;
}
static void a_mode_that_is_none(trm_sim *sim)
{
    sim->state->mode[0] = 17;
}
static void a_truth_that_is_none(trm_sim *sim)
{
    memset(sim->state->attached, 2, 1);
}
static void more_events_than_there_are(trm_sim *sim)
{
    sim->state->clock->events = 1;
}
static void a_place_that_is_none(trm_sim *sim)
{
    sim->state->pose[1].p.y = NAN;
}
static void a_time_that_is_none(trm_sim *sim)
{
    sim->state->clock->time = INFINITY;
}
static void halved_too_often(trm_sim *sim)
{
    sim->steps.halved = 64;
}
static void halved_less_than_never(trm_sim *sim)
{
    sim->steps.halved = -1;
}
static void a_row_before_the_first(trm_sim *sim)
{
    sim->rows.progress.row = -1;
}
static void a_gap_in_no_joint(trm_sim *sim)
{
    sim->monitor.result.gap_joint = sim->state->model->joint_count;
}
static void coordinates_chosen_twice(trm_sim *sim)
{
    trm_minimal *w = sim->workspace;
    for (int b = 0; b < w->tree->branch_count; b++)
        if (w->loops[b]) w->loops[b]->independent[0] = w->loops[b]->dependent[0];
}
static void more_moments_than_are_kept(trm_sim *sim)
{
    ((trm_minimal *)sim->workspace)->ends.count = 1000;
}

static running stack_that_ran(void)
{
    running r = run_file(TRM_EXAMPLES "/stack.json", 0.01, 1e-9);
    for (int i = 0; i < 10; i++) assert_good(trm_sim_step(r.sim, 0.01));
    assert_true(trm_sim_state(r.sim)->clock->contact_count > 0);
    return r;
}

static running four_bar_that_ran(const char *method)
{
    trm_model *model = model_of_file(TRM_EXAMPLES "/four-bar.json");
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = method;
    running r = run_model(model, &options);
    for (int i = 0; i < 10; i++) assert_good(trm_sim_step(r.sim, 0.01));
    return r;
}

static running four_bar_by_impulses(void)
{
    return four_bar_that_ran("impulse");
}
static running four_bar_by_minimal(void)
{
    return four_bar_that_ran("minimal");
}

static void a_checkpoint_with_numbers_that_no_run_has_is_refused(void **unused)
{
    (void)unused;
    const struct {
        running (*run)(void);
        spoil spoil;
    } cases[] = {
        {stack_that_ran, too_many_contacts},
        {stack_that_ran, fewer_contacts_than_none},
        {stack_that_ran, a_contact_of_no_body},
        {stack_that_ran, an_island_of_no_body},
        {four_bar_by_impulses, a_mode_that_is_none},
        {four_bar_by_impulses, a_truth_that_is_none},
        {four_bar_by_impulses, more_events_than_there_are},
        {four_bar_by_impulses, a_place_that_is_none},
        {four_bar_by_impulses, a_time_that_is_none},
        {four_bar_by_impulses, halved_too_often},
        {four_bar_by_impulses, halved_less_than_never},
        {four_bar_by_impulses, a_row_before_the_first},
        {four_bar_by_impulses, a_gap_in_no_joint},
        {four_bar_by_minimal, coordinates_chosen_twice},
        {four_bar_by_minimal, more_moments_than_are_kept},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        running spoilt = cases[i].run(), other = cases[i].run();
        trm_text *good = trm_text_create(NULL), *bad = trm_text_create(NULL);
        assert_int_equal(trm_sim_save(spoilt.sim, 1, trm_text_sink(good)), TRM_OK);
        cases[i].spoil(spoilt.sim);
        assert_int_equal(trm_sim_save(spoilt.sim, 1, trm_text_sink(bad)), TRM_OK);
        if (load_saved(&other, good) != TRM_OK) fail_msg("case %zu: what was not spoilt is refused", i);
        if (load_saved(&other, bad) != TRM_BAD_INPUT) fail_msg("case %zu was taken", i);
        assert_good(trm_sim_step(other.sim, 0.01)); /* the run is unchanged */
        trm_text_destroy(good);
        trm_text_destroy(bad);
        stop(&spoilt);
        stop(&other);
    }
}

/* ---- Every byte ------------------------------------------------------------------------------ */

/* FNV-1a, 64 bits, as checkpoints have it. */
static uint64_t sum_of(const unsigned char *bytes, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Corrects all checksums: of each state inside ("TRMSTATE", 16 bytes, size, this many bytes, sum), and of the
 * whole. */
static void repair(unsigned char *bytes, size_t count)
{
    enum { HEAD = 32, SIZE_AT = 24, SUM = 8 };
    for (size_t at = 0; at + HEAD + 2 * SUM <= count; at++) {
        uint64_t size;
        if (memcmp(bytes + at, "TRMSTATE", 8) != 0) continue;
        memcpy(&size, bytes + at + SIZE_AT, sizeof size);
        if (size > count - at - HEAD - 2 * SUM) continue;
        const uint64_t sum = sum_of(bytes + at, HEAD + size);
        memcpy(bytes + at + HEAD + size, &sum, sizeof sum);
    }
    const uint64_t sum = sum_of(bytes, count - SUM);
    memcpy(bytes + count - SUM, &sum, sizeof sum);
}

static bool has_patience(void *left)
{
    return --*(int *)left > 0;
}

/* Loads the bytes into a run that has not begun. If they are accepted, makes a step, whatever its result. */
static trm_status load_and_step(running (*begin)(void), const unsigned char *bytes, size_t count)
{
    int64_t note;
    int patience = 100;
    running r = begin();
    trm_messages *messages = trm_messages_create(NULL);
    const trm_status status = trm_sim_load(r.sim, bytes, count, "mutant", &note, messages);
    trm_sim_set_watch(r.sim, has_patience, &patience);
    if (status == TRM_OK) trm_sim_step(r.sim, 0.01);
    trm_messages_destroy(messages);
    stop(&r);
    return status;
}

static running stack_at_rest(void)
{
    return run_text(
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
        "  { \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1] }] },"
        "  { \"name\": \"box\", \"position\": [0, 0, 0.5],"
        "    \"shapes\": [{ \"type\": \"box\", \"size\": [1, 1, 1], \"density\": 1 }] }] }",
        0.01, 1e-9);
}

static running pendulum_at_start(void)
{
    return run_file(TRM_EXAMPLES "/pendulum.json", 0.01, 1e-10);
}

static running four_bar_of_minimal(void)
{
    trm_model *model = model_of_file(TRM_EXAMPLES "/four-bar.json");
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = "minimal";
    return run_model(model, &options);
}

static void every_byte_of_a_checkpoint_may_be_another(void **unused)
{
    (void)unused;
    running (*const kinds[])(void) = {stack_at_rest, pendulum_at_start, four_bar_of_minimal};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        running r = kinds[kind]();
        trm_text *text = trm_text_create(NULL);
        for (int i = 0; i < 3; i++) assert_good(trm_sim_step(r.sim, 0.01));
        assert_int_equal(trm_sim_save(r.sim, 1, trm_text_sink(text)), TRM_OK);
        stop(&r);
        const size_t count = trm_text_length(text);
        unsigned char *bytes = malloc(count);
        int taken = 0;
        end_after(20 * MOST_SECONDS);
        for (size_t i = 0; i < count; i += SANITIZED ? 7 : 1) /* sanitised runs take ten times as long */
            for (int bit = 0; bit < 8; bit += 7) {
                memcpy(bytes, trm_text_get(text), count);
                bytes[i] ^= (unsigned char)(1 << bit);
                assert_int_equal(load_and_step(kinds[kind], bytes, count), TRM_BAD_INPUT);
                repair(bytes, count);
                taken += load_and_step(kinds[kind], bytes, count) == TRM_OK;
            }
        for (size_t shorter = 0; shorter < count; shorter += SANITIZED ? 7 : 1)
            assert_int_equal(load_and_step(kinds[kind], (const unsigned char *)trm_text_get(text), shorter),
                             TRM_BAD_INPUT);
        end_after(0);
        printf("%zu bytes: %d of %zu mutants with right checksums were taken, none did harm\n", count, taken,
               2 * count);
        assert_true(taken < (int)(2 * count));
        free(bytes);
        trm_text_destroy(text);
    }
}

/* A body that turns about z, or about x. */
static trm_model *turning(const char *axis)
{
    char text[400];
    snprintf(text, sizeof text,
             "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"m\", \"moving\": { \"angle\": \"t\", \"axis\": %s } },"
             "  { \"name\": \"p\", \"point\": true, \"mass\": 1 }] }",
             axis);
    return model_of_text(text);
}

static void a_checkpoint_does_not_fit_a_model_whose_body_turns_about_another_axis(void **unused)
{
    (void)unused;
    running z = run_model(turning("[0, 0, 1]"), NULL), x = run_model(turning("[1, 0, 0]"), NULL);
    trm_text *text = trm_text_create(NULL);
    assert_good(trm_sim_step(z.sim, 0.01));
    assert_int_equal(trm_sim_save(z.sim, 1, trm_text_sink(text)), TRM_OK);
    assert_int_equal(load_saved(&z, text), TRM_OK);
    assert_int_equal(load_saved(&x, text), TRM_BAD_INPUT);
    trm_text_destroy(text);
    stop(&z);
    stop(&x);
}

/* ---- Ends ------------------------------------------------------------------------------------ */

/* The rows of a run, and the row at which the caller ends it. */
typedef struct row_list {
    double place[400];
    int count, end;
} row_list;

static bool keep_row(void *context, const trm_state *state)
{
    row_list *list = context;
    assert_true(list->count < 400);
    list->place[list->count++] = trm_body_pose(state, 1).p.y;
    return list->count != list->end;
}

static void a_run_that_is_ended_between_two_steps_resumes_with_the_next_row(void **unused)
{
    (void)unused;
    running whole = run_file(TRM_EXAMPLES "/pendulum.json", 0.01, 1e-10);
    row_list all = {.end = -1};
    const trm_run_def run = {.until = 0.1, .every = 0.0007, .row = keep_row, .context = &all};
    assert_good(trm_sim_run(whole.sim, &run));
    for (int end = 1; end < all.count; end += 7) {
        running first = run_file(TRM_EXAMPLES "/pendulum.json", 0.01, 1e-10);
        running second = run_file(TRM_EXAMPLES "/pendulum.json", 0.01, 1e-10);
        row_list list = {.end = end};
        trm_run_def part = run;
        trm_text *text = trm_text_create(NULL);
        part.context = &list;
        assert_false(trm_sim_run(first.sim, &part).ok);
        assert_int_equal(trm_sim_save(first.sim, 1, trm_text_sink(text)), TRM_OK);
        assert_int_equal(load_saved(&second, text), TRM_OK);
        assert_good(trm_sim_run(second.sim, &part));
        assert_int_equal(list.count, all.count);
        assert_memory_equal(list.place, all.place, (size_t)all.count * sizeof *all.place);
        trm_text_destroy(text);
        stop(&first);
        stop(&second);
    }
    stop(&whole);
}

typedef struct patience {
    long asked, most;
} patience;

static bool may_continue(void *context)
{
    patience *p = context;
    return ++p->asked < p->most;
}

static void rows_between_two_steps_call_the_hook_that_may_end_the_run(void **unused)
{
    (void)unused;
    running r = run_file(TRM_EXAMPLES "/pendulum.json", 0.01, 1e-10);
    patience p = {.most = 1000};
    const trm_run_def run = {.until = 1, .every = 1e-11, .may_continue = may_continue, .context = &p};
    end_after(MOST_SECONDS);
    assert_false(trm_sim_run(r.sim, &run).ok);
    end_after(0);
    assert_int_equal(p.asked, p.most);
    stop(&r);
}

static void an_event_at_a_time_that_is_nearly_zero_happens(void **unused)
{
    (void)unused;
    running r = run_text("{ \"trammel\": 1, \"gravity\": [0, 0, -9.81],"
                         "  \"bodies\": [{ \"name\": \"b\", \"point\": true, \"mass\": 1, \"position\": [1, 0, 0] }],"
                         "  \"joints\": [{ \"name\": \"j\", \"type\": \"distance\", \"bodies\": [\"ground\", \"b\"],"
                         "    \"anchors\": [[0, 0, 0], [0, 0, 0]] }],"
                         "  \"events\": [{ \"at\": 1e-200, \"detach\": \"j\" }] }",
                         0.01, 1e-10);
    const trm_run_def run = {.until = 0.1, .every = 0.01};
    end_after(MOST_SECONDS);
    assert_good(trm_sim_run(r.sim, &run));
    end_after(0);
    assert_false(trm_joint_attached(trm_sim_state(r.sim), 0));
    stop(&r);
}

static void steps_of_any_length_move_the_time(void **unused)
{
    (void)unused;
    const double steps[] = {1e-12, 1e-100, 1e-170, 1e-300, 5e-324};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        running r = run_file(TRM_EXAMPLES "/pendulum.json", 0.01, 1e-10);
        end_after(MOST_SECONDS);
        assert_good(trm_sim_step(r.sim, steps[i]));
        end_after(0);
        assert_true(trm_state_time(trm_sim_state(r.sim)) == steps[i]);
        stop(&r);
    }
}

/* Builds this many points, each linked with all others: a dense matrix with mostly redundant rows. */
static trm_model *net(int points)
{
    machine m;
    machine_init(&m);
    for (int i = 1; i <= points; i++) add_point(&m, sin(i), cos(7 * i), sin(3 * i + 1));
    for (int i = 2; i <= points; i++)
        for (int k = 1; k < i; k++) add_bar(&m, k, i);
    return machine_finish(&m);
}

static void a_step_that_is_ended_in_a_long_computation_has_not_happened(void **unused)
{
    (void)unused;
    enum { POINTS = 18 };
    running whole = run_model(net(POINTS), NULL);
    assert_good(trm_sim_step(whole.sim, 0.01));
    for (long most = 1; most < 20; most += 6) {
        running r = run_model(net(POINTS), NULL);
        patience p = {.most = most};
        trm_sim_set_watch(r.sim, may_continue, &p);
        const uint64_t before = trm_state_hash(trm_sim_state(r.sim));
        const trm_outcome outcome = trm_sim_step(r.sim, 0.01);
        assert_false(outcome.ok);
        assert_string_equal(outcome.why, "the caller ended the run");
        assert_int_equal(p.asked, most); /* it ended there, without another call */
        assert_true(trm_state_hash(trm_sim_state(r.sim)) == before);
        trm_sim_set_watch(r.sim, NULL, NULL);
        assert_good(trm_sim_step(r.sim, 0.01));
        assert_true(trm_state_hash(trm_sim_state(r.sim)) == trm_state_hash(trm_sim_state(whole.sim)));
        stop(&r);
    }
    stop(&whole);
}

static void good_steps_are_not_counted_beyond_what_is_of_use(void **unused)
{
    (void)unused;
    running r = run_file(TRM_EXAMPLES "/pendulum.json", 0.01, 1e-10);
    r.sim->steps.good = INT_MAX;
    assert_good(trm_sim_step(r.sim, 0.01));
    assert_true(r.sim->steps.good > 0);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_checkpoint_with_numbers_that_no_run_has_is_refused),
        cmocka_unit_test(a_checkpoint_does_not_fit_a_model_whose_body_turns_about_another_axis),
        cmocka_unit_test(a_run_that_is_ended_between_two_steps_resumes_with_the_next_row),
        cmocka_unit_test(rows_between_two_steps_call_the_hook_that_may_end_the_run),
        cmocka_unit_test(an_event_at_a_time_that_is_nearly_zero_happens),
        cmocka_unit_test(steps_of_any_length_move_the_time),
        cmocka_unit_test(a_step_that_is_ended_in_a_long_computation_has_not_happened),
        cmocka_unit_test(every_byte_of_a_checkpoint_may_be_another),
        cmocka_unit_test(good_steps_are_not_counted_beyond_what_is_of_use),
    };
    return RUN_TESTS(tests);
}
