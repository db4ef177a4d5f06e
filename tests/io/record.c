/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Runs whose rows are stored in memory: the rows of trm_sim_run, also of a run that is ended or runs out of
 * memory. */

#include "failing_allocator.h"
#include "running.h"

typedef struct recorded {
    running r;
    trm_results *columns;
    trm_table *table;
} recorded;

static recorded begin(const trm_allocator *allocator)
{
    recorded c = {.r = run_file(TRM_EXAMPLES "/pendulum.json", 0.01, 1e-10)};
    trm_messages *messages = trm_messages_create(NULL);
    assert_int_equal(trm_results_create(c.r.model, "t,E_kin", NULL, messages, &c.columns), TRM_OK);
    trm_messages_destroy(messages);
    c.table = trm_table_create(c.columns, allocator);
    return c;
}

/* In this order: a table may be destroyed without its columns. */
static void end(recorded *c)
{
    trm_results_destroy(c->columns);
    trm_table_destroy(c->table);
    stop(&c->r);
}

static void rows_are_those_of_the_run(void **unused)
{
    (void)unused;
    recorded c = begin(NULL);
    const trm_outcome outcome =
        trm_sim_record(c.r.sim, &(trm_record_def){.until = 2, .every = NAN, .table = c.table});
    const double *numbers = trm_table_numbers(c.table);
    assert_true(outcome.ok);
    assert_int_equal(trm_table_rows(c.table), 201);
    assert_true(numbers[0] == 0 && numbers[1] == 0);
    assert_true(numbers[2 * 200] == 2);
    assert_true(numbers[2 * 200 + 1] == trm_state_energy(trm_sim_state(c.r.sim)).kinetic);
    end(&c);
}

static bool three_times(void *context)
{
    return --*(int *)context > 0;
}

static void a_run_that_is_ended_keeps_its_rows(void **unused)
{
    (void)unused;
    recorded c = begin(NULL);
    int left = 3;
    const trm_record_def def = {
        .until = 2, .every = NAN, .table = c.table, .may_continue = three_times, .context = &left};
    assert_false(trm_sim_record(c.r.sim, &def).ok);
    assert_int_equal(trm_table_rows(c.table), 3); /* the run ends after the third step, before its row */
    const trm_record_def rest = {.until = 2, .every = NAN, .table = c.table};
    assert_true(trm_sim_record(c.r.sim, &rest).ok);
    assert_int_equal(trm_table_rows(c.table), 200);
    assert_near(trm_table_numbers(c.table)[2 * 3], 0.04, 1e-12);
    assert_near(trm_table_numbers(c.table)[2 * 199], 2, 1e-12);
    end(&c);
}

static void rows_that_find_no_memory_end_the_run(void **unused)
{
    (void)unused;
    failing_allocator memory;
    failing_allocator_reset(&memory, 3, true); /* the table, its first memory for rows, and no more */
    const trm_allocator hooks = failing_allocator_hooks(&memory);
    recorded c = begin(&hooks);
    const trm_outcome outcome =
        trm_sim_record(c.r.sim, &(trm_record_def){.until = 2, .every = NAN, .table = c.table});
    assert_false(outcome.ok);
    assert_non_null(strstr(outcome.why, "out of memory"));
    assert_int_equal(trm_table_rows(c.table), 64);
    end(&c);
    assert_true(failing_allocator_is_clean(&memory));
}

/* Columns that are adjacent may be computed together: the same bits as one by one. */
static void whole_rows_have_the_bits_of_single_columns(void **unused)
{
    (void)unused;
    running r = run_file(TRM_EXAMPLES "/four-bar.json", 0.01, 1e-10);
    trm_messages *messages = trm_messages_create(NULL);
    trm_results *columns = NULL;
    assert_int_equal(trm_results_create(r.model, "*", NULL, messages, &columns), TRM_OK);
    trm_table *table = trm_table_create(columns, NULL);
    trm_sim_enable_reactions(r.sim, true);
    go(&r, 0.3);
    assert_true(trm_sim_observe(r.sim).ok && trm_table_add(table, trm_sim_state(r.sim)));
    for (int i = 0; i < trm_result_count(columns); i++) {
        const double value = trm_result_value(columns, i, trm_sim_state(r.sim));
        assert_memory_equal(&trm_table_numbers(table)[i], &value, sizeof value);
    }
    trm_table_destroy(table);
    trm_results_destroy(columns);
    trm_messages_destroy(messages);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_run),
        cmocka_unit_test(a_run_that_is_ended_keeps_its_rows),
        cmocka_unit_test(rows_that_find_no_memory_end_the_run),
        cmocka_unit_test(whole_rows_have_the_bits_of_single_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
