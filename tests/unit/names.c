/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "base/names.h"

#include <stdio.h>

#include "check.h"
#include "failing_allocator.h"

enum { MANY = 10000 };

static void ten_thousand_names_are_found_and_others_are_not(void **state)
{
    (void)state;
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_names names;
    assert_true(trm_names_init(&names, &arena, MANY));
    for (int i = 0; i < MANY; i++)
        assert_int_equal(trm_names_add(&names, trm_arena_format(&arena, "body%d", i), 3 * i), 3 * i);
    char text[32];
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "body%d", i);
        assert_int_equal(trm_names_find(&names, text), 3 * i);
        snprintf(text, sizeof text, "Body%d", i);
        assert_int_equal(trm_names_find(&names, text), -1);
    }
    assert_int_equal(trm_names_find(&names, ""), -1);
    assert_int_equal(trm_names_find(&names, "body"), -1);
    trm_arena_destroy(&arena);
}

static void a_name_added_again_keeps_its_first_value(void **state)
{
    (void)state;
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_names names;
    assert_true(trm_names_init(&names, &arena, 4));
    char again[] = "rod"; /* equal, not the same pointer */
    assert_int_equal(trm_names_add(&names, "rod", 1), 1);
    assert_int_equal(trm_names_add(&names, again, 2), 1);
    assert_int_equal(trm_names_add(&names, "", 0), 0);
    assert_int_equal(trm_names_add(&names, "", 5), 0);
    assert_int_equal(trm_names_find(&names, "rod"), 1);
    trm_arena_destroy(&arena);
}

static void a_table_for_no_names_finds_none(void **state)
{
    (void)state;
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_names names;
    assert_true(trm_names_init(&names, &arena, 0));
    assert_int_equal(trm_names_find(&names, "rod"), -1);
    trm_arena_destroy(&arena);
}

static void init_without_memory_fails_cleanly(void **state)
{
    (void)state;
    failing_allocator memory;
    bool done = false;
    for (long k = 1; !done; k++) {
        failing_allocator_reset(&memory, k, true);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_arena arena;
        trm_arena_init(&arena, &hooks);
        trm_names names;
        done = trm_names_init(&names, &arena, MANY);
        assert_int_equal(done, memory.refusals == 0);
        trm_arena_destroy(&arena);
        assert_true(failing_allocator_is_clean(&memory));
    }
}

static void a_word_is_found_only_as_a_whole(void **state)
{
    (void)state;
    assert_true(trm_has_word("ball fixed screw", "ball"));
    assert_true(trm_has_word("ball fixed screw", "screw"));
    assert_true(trm_has_word("fixedly fixed", "fixed"));
    assert_false(trm_has_word("ball fixed screw", "fix"));
    assert_false(trm_has_word("ball fixed screw", "ixed"));
    assert_false(trm_has_word("ball fixed screw", "ball fixed"));
    assert_false(trm_has_word("ball fixed screw", ""));
    assert_false(trm_has_word("", "ball"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_names_are_found_and_others_are_not),
        cmocka_unit_test(a_name_added_again_keeps_its_first_value),
        cmocka_unit_test(a_table_for_no_names_finds_none),
        cmocka_unit_test(init_without_memory_fails_cleanly),
        cmocka_unit_test(a_word_is_found_only_as_a_whole),
    };
    return RUN_TESTS(tests);
}
