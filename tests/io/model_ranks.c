/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A model read by several ranks: rank 0 reads the files, and all ranks get the same definition and the same
 * messages. */

#include <pthread.h>

#include "check.h"
#include "thread_exchange.h"
#include "trammel/trammel.h"

enum { RANKS = 3 };

typedef struct reading {
    trm_exchange *exchange;
    const char *path;
    trm_status status;
    trm_messages *messages;
    trm_text *text; /* the definition, written again */
} reading;

static void *read_it(void *context)
{
    reading *r = context;
    trm_model_def *def = NULL;
    const trm_read_options options = {.ranks = r->exchange};
    r->status = trm_read_model_file(r->path, &options, NULL, r->messages, &def);
    if (def) trm_write_model(def, trm_text_sink(r->text));
    trm_model_def_destroy(def);
    return NULL;
}

/* Rank 0 reads the path, the others a path that does not exist: a rank that opened it would fail. */
static void read_by_all(const char *path, reading *readings)
{
    pthread_t threads[RANKS];
    exchange_group *group = exchange_group_create(RANKS);
    assert_non_null(group);
    for (int r = 0; r < RANKS; r++) {
        readings[r] = (reading){.exchange = exchange_group_rank(group, r),
                                .path = r == 0 ? path : "nowhere/none.json",
                                .messages = trm_messages_create(NULL),
                                .text = trm_text_create(NULL)};
        assert_int_equal(pthread_create(&threads[r], NULL, read_it, &readings[r]), 0);
    }
    for (int r = 0; r < RANKS; r++) pthread_join(threads[r], NULL);
    exchange_group_destroy(group);
}

static void forget(reading *readings)
{
    for (int r = 0; r < RANKS; r++) {
        trm_messages_destroy(readings[r].messages);
        trm_text_destroy(readings[r].text);
    }
}

static void rank_0_alone_reads_model_and_mesh(void **state)
{
    (void)state;
    reading readings[RANKS];
    read_by_all(TRM_EXAMPLES "/ball-in-bowl.json", readings);
    for (int r = 0; r < RANKS; r++) {
        assert_int_equal(readings[r].status, TRM_OK);
        assert_true(trm_text_length(readings[r].text) > 0);
        assert_string_equal(trm_text_get(readings[r].text), trm_text_get(readings[0].text));
    }
    forget(readings);
}

static void all_ranks_refuse_with_the_same_messages(void **state)
{
    (void)state;
    const char *const paths[] = {TRM_TESTS_CLI "/bad/mesh_missing.json", TRM_TESTS_CLI "/bad/mesh_wrong.json",
                                 TRM_EXAMPLES "/there-is-no-such-file.json"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        reading readings[RANKS];
        read_by_all(paths[i], readings);
        assert_true(readings[0].status == TRM_BAD_INPUT || readings[0].status == TRM_IO_ERROR);
        for (int r = 0; r < RANKS; r++) {
            assert_int_equal(readings[r].status, readings[0].status);
            assert_true(trm_message_count(readings[r].messages) > 0);
            assert_int_equal(trm_message_count(readings[r].messages), trm_message_count(readings[0].messages));
            for (int m = 0; m < trm_message_count(readings[r].messages); m++)
                assert_string_equal(trm_message_at(readings[r].messages, m)->text,
                                    trm_message_at(readings[0].messages, m)->text);
        }
        forget(readings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_0_alone_reads_model_and_mesh),
        cmocka_unit_test(all_ranks_refuse_with_the_same_messages),
    };
    return RUN_TESTS(tests);
}
