/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Messages between ranks that are threads, and collective operations based on them, each with 1 to 7 ranks. Only the
 * first thread may use assertions, so that the other ranks count errors. */

#include <pthread.h>

#include "check.h"
#include "exchanging.h"
#include "thread_exchange.h"

typedef struct rank_job {
    exchange_group *group;
    trm_exchange *exchange;
    int (*work)(trm_exchange *exchange); /* returns the number of errors */
    int leaver;                          /* this rank leaves at once instead; -1: none */
    int wrong;
} rank_job;

static void *rank_thread(void *context)
{
    rank_job *job = context;
    if (job->exchange->rank == job->leaver)
        exchange_group_leave(job->group, job->leaver);
    else
        job->wrong = job->work(job->exchange);
    return NULL;
}

/* Does the work on all ranks at once; returns the total number of errors. */
static int wrong_with(int count, int leaver, int (*work)(trm_exchange *exchange))
{
    pthread_t threads[MOST_RANKS];
    rank_job jobs[MOST_RANKS];
    int wrong = 0;
    exchange_group *group = exchange_group_create(count);
    assert_non_null(group);
    for (int r = 0; r < count; r++) {
        jobs[r] = (rank_job){group, exchange_group_rank(group, r), work, leaver, 0};
        assert_int_equal(pthread_create(&threads[r], NULL, rank_thread, &jobs[r]), 0);
    }
    for (int r = 0; r < count; r++) {
        pthread_join(threads[r], NULL);
        wrong += jobs[r].wrong;
    }
    exchange_group_destroy(group);
    return wrong;
}

static void nothing_is_wrong_with_any_count(int (*work)(trm_exchange *exchange))
{
    for (int count = 1; count <= MOST_RANKS; count++) assert_int_equal(wrong_with(count, -1, work), 0);
}

/* ---- Messages ------------------------------------------------------------------------------ */

static void messages_keep_their_order(void **state)
{
    (void)state;
    nothing_is_wrong_with_any_count(numbered_messages);
}

static void big_messages_arrive_whole(void **state)
{
    (void)state;
    nothing_is_wrong_with_any_count(big_messages);
}

static void random_traffic_ends(void **state)
{
    (void)state;
    nothing_is_wrong_with_any_count(random_traffic);
}

/* ---- Collective operations ----------------------------------------------------------------- */

static void a_value_spread_by_rank_0_reaches_all_ranks(void **state)
{
    (void)state;
    nothing_is_wrong_with_any_count(spread);
}

static void the_largest_value_is_known_to_all(void **state)
{
    (void)state;
    nothing_is_wrong_with_any_count(largest_of_one);
    nothing_is_wrong_with_any_count(largest_of_equals);
}

static void nan_is_larger_than_all(void **state)
{
    (void)state;
    nothing_is_wrong_with_any_count(largest_with_nan);
}

static void pieces_of_all_are_collected_by_rank(void **state)
{
    (void)state;
    nothing_is_wrong_with_any_count(collect);
}

static void one_rank_alone_sends_nothing(void **state)
{
    (void)state;
    exchange_group *group = exchange_group_create(1);
    assert_non_null(group);
    trm_exchange *const cases[] = {NULL, exchange_group_rank(group, 0)};
    for (int i = 0; i < 2; i++) {
        double value = 5, all = 0;
        int tag = 6;
        assert_true(trm_exchange_spread(cases[i], &value, sizeof value));
        assert_true(trm_exchange_largest(cases[i], &value, &tag));
        assert_true(trm_exchange_collect(cases[i], &value, (size_t[]){sizeof value}, &all));
        assert_true(value == 5 && tag == 6 && all == 5);
    }
    assert_int_equal(cases[1]->messages, 0);
    exchange_group_destroy(group);
}

/* ---- Losing a rank -------------------------------------------------------------------------- */

/* Spreads values until a rank is lost. Each of these three functions must notice the loss in its operation. */
static int spread_until_lost(trm_exchange *exchange)
{
    double value = exchange->rank;
    while (trm_exchange_spread(exchange, &value, sizeof value)) {
    }
    return exchange->receive(exchange, 0, &value, sizeof value); /* and receiving fails, too */
}

static int compare_until_lost(trm_exchange *exchange)
{
    double value = exchange->rank;
    int tag = 0;
    while (trm_exchange_largest(exchange, &value, &tag)) {
    }
    return exchange->send(exchange, 0, &value, sizeof value);
}

/* A rank that sends nothing and waits for another that does not leave notices the loss, too. */
static int wait_until_lost(trm_exchange *exchange)
{
    double value;
    bool there = true;
    for (int from = 0; from < exchange->count; from++)
        there = exchange->receive(exchange, from, &value, sizeof value);
    return there;
}

static void a_lost_rank_is_noticed_by_all(void **state)
{
    (void)state;
    for (int count = 2; count <= MOST_RANKS; count++)
        for (int leaver = 0; leaver < count; leaver++) {
            assert_int_equal(wrong_with(count, leaver, spread_until_lost), 0);
            assert_int_equal(wrong_with(count, leaver, compare_until_lost), 0);
            assert_int_equal(wrong_with(count, leaver, wait_until_lost), 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_keep_their_order),
        cmocka_unit_test(big_messages_arrive_whole),
        cmocka_unit_test(random_traffic_ends),
        cmocka_unit_test(a_value_spread_by_rank_0_reaches_all_ranks),
        cmocka_unit_test(the_largest_value_is_known_to_all),
        cmocka_unit_test(nan_is_larger_than_all),
        cmocka_unit_test(pieces_of_all_are_collected_by_rank),
        cmocka_unit_test(one_rank_alone_sends_nothing),
        cmocka_unit_test(a_lost_rank_is_noticed_by_all),
    };
    return RUN_TESTS(tests);
}
