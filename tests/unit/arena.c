/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "base/arena.h"

#include <string.h>

#include "check.h"
#include "failing_allocator.h"

enum { ALIGNMENT = 32, SIZES = 40 };

/* Lengths from 0 to about 60 kB: within the first block, across blocks, and larger than any block so far. */
static size_t length_of(int i)
{
    return (size_t)(i * i * i);
}

static bool all_bytes_are(const unsigned char *bytes, size_t count, unsigned char value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value) return false;
    return true;
}

static void pieces_come_zeroed_and_aligned(void **state)
{
    (void)state;
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    const trm_arena_mark empty = trm_arena_get_mark(&arena);
    for (int round = 0; round < 2; round++) { /* in the second round memory holds data of the first */
        for (int i = 0; i < SIZES; i++) {
            unsigned char *piece = trm_arena_array(&arena, length_of(i), 1);
            assert_non_null(piece);
            assert_int_equal((uintptr_t)piece % ALIGNMENT, 0);
            assert_true(all_bytes_are(piece, length_of(i), 0));
            memset(piece, 0xff, length_of(i));
        }
        trm_arena_reset(&arena, empty);
    }
    trm_arena_destroy(&arena);
}

/* A large block consists of new pages, which need not be zeroed; memory that was in use before a reset must be. */
static void pieces_of_large_blocks_come_zeroed_after_a_reset(void **state)
{
    (void)state;
    enum { BYTES = 1 << 20, PART = 1 << 18 };
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    unsigned char *list = NULL;
    assert_non_null(trm_arena_room(&arena, BYTES, 1));
    const trm_arena_mark start = {0};
    for (int round = 0; round < 3; round++) {
        trm_arena_reset(&arena, start);
        unsigned char *room = trm_arena_room(&arena, PART, 1), *piece = trm_arena_array(&arena, 2 * PART, 1);
        list = trm_arena_move(&arena, list, 0, BYTES, 1);
        for (int i = 0; i < 2 * PART; i++) assert_int_equal(piece[i], 0);
        for (int i = 0; i < BYTES; i++) assert_int_equal(list[i], 0);
        memset(room, 1, PART);
        memset(piece, 2, (size_t)(round + 1) * PART / 2);
        memset(list, 3, BYTES);
    }
    trm_arena_destroy(&arena);
}

static void pieces_do_not_overlap(void **state)
{
    (void)state;
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    unsigned char *pieces[SIZES];
    for (int i = 0; i < SIZES; i++) {
        pieces[i] = trm_arena_array(&arena, length_of(i), 1);
        memset(pieces[i], i + 1, length_of(i));
    }
    for (int i = 0; i < SIZES; i++) assert_true(all_bytes_are(pieces[i], length_of(i), (unsigned char)(i + 1)));
    trm_arena_destroy(&arena);
}

static void an_empty_array_is_a_valid_pointer_of_its_own(void **state)
{
    (void)state;
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    const void *a = trm_arena_array(&arena, 0, 8), *b = trm_arena_array(&arena, 8, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
    assert_non_null(trm_arena_copy(&arena, NULL, 0, 8));
    trm_arena_destroy(&arena);
}

static void a_loop_of_mark_and_reset_allocates_in_its_first_round_only(void **state)
{
    (void)state;
    failing_allocator memory;
    failing_allocator_reset(&memory, 0, false);
    const trm_allocator hooks = failing_allocator_hooks(&memory);
    trm_arena arena;
    trm_arena_init(&arena, &hooks);
    assert_non_null(trm_arena_array(&arena, 100, 1));

    const trm_arena_mark mark = trm_arena_get_mark(&arena);
    const void *first[SIZES];
    long calls = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < SIZES; i++) {
            const void *piece = trm_arena_array(&arena, length_of(i), 1);
            if (round == 0) first[i] = piece;
            assert_ptr_equal(piece, first[i]);
        }
        if (round == 0) calls = memory.calls;
        assert_int_equal(memory.calls, calls);
        trm_arena_reset(&arena, mark);
    }
    assert_true(calls > 2); /* the loop did not fit into one block */
    trm_arena_destroy(&arena);
    assert_true(failing_allocator_is_clean(&memory));
}

static void reset_keeps_what_was_before_the_mark(void **state)
{
    (void)state;
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    unsigned char *before = trm_arena_array(&arena, 3000, 1);
    memset(before, 7, 3000);
    const trm_arena_mark mark = trm_arena_get_mark(&arena);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i <= round; i++) memset(trm_arena_array(&arena, 2000, 1), 9, 2000);
        trm_arena_reset(&arena, mark);
    }
    assert_true(all_bytes_are(before, 3000, 7));
    trm_arena_destroy(&arena);
}

/* The first block is kept but too small: the new one is inserted before it, and neither is leaked. */
static void a_larger_piece_after_a_full_reset_loses_no_block(void **state)
{
    (void)state;
    failing_allocator memory;
    failing_allocator_reset(&memory, 0, false);
    const trm_allocator hooks = failing_allocator_hooks(&memory);
    trm_arena arena;
    trm_arena_init(&arena, &hooks);
    const trm_arena_mark empty = trm_arena_get_mark(&arena);
    assert_non_null(trm_arena_array(&arena, 100, 1));
    trm_arena_reset(&arena, empty);
    assert_non_null(trm_arena_array(&arena, 100000, 1));
    assert_non_null(trm_arena_array(&arena, 100, 1));
    assert_int_equal(memory.calls, 2);
    trm_arena_destroy(&arena);
    assert_true(failing_allocator_is_clean(&memory));
}

static void peak_is_the_most_ever_given_out_at_once(void **state)
{
    (void)state;
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    const trm_arena_mark empty = trm_arena_get_mark(&arena);
    trm_arena_array(&arena, 64, 1);
    trm_arena_array(&arena, 33, 1); /* takes 64 with its padding */
    assert_int_equal(arena.bytes_used, 128);
    trm_arena_reset(&arena, empty);
    trm_arena_array(&arena, 96, 1);
    assert_int_equal(arena.bytes_used, 96);
    assert_int_equal(arena.bytes_peak, 128);
    trm_arena_array(&arena, 64, 1);
    assert_int_equal(arena.bytes_peak, 160);
    trm_arena_destroy(&arena);
}

static void a_destroyed_arena_may_be_used_again(void **state)
{
    (void)state;
    failing_allocator memory;
    failing_allocator_reset(&memory, 1, false);
    const trm_allocator hooks = failing_allocator_hooks(&memory);
    trm_arena arena;
    trm_arena_init(&arena, &hooks);
    assert_null(trm_arena_array(&arena, 1, 1));
    assert_true(arena.failed);
    trm_arena_destroy(&arena);
    assert_false(arena.failed);
    assert_non_null(trm_arena_array(&arena, 1, 1));
    assert_int_equal(memory.calls, 2); /* from the same allocator */
    trm_arena_destroy(&arena);
    assert_true(failing_allocator_is_clean(&memory));
}

static void a_product_that_overflows_is_refused_without_asking_the_allocator(void **state)
{
    (void)state;
    static const size_t products[][2] = {
        {SIZE_MAX, SIZE_MAX}, {SIZE_MAX / 8 + 1, 8}, {8, SIZE_MAX / 8 + 1}, {SIZE_MAX / 2 + 1, 2}, {SIZE_MAX, 1}};
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        failing_allocator memory;
        failing_allocator_reset(&memory, 0, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_arena arena;
        trm_arena_init(&arena, &hooks);
        assert_null(trm_arena_array(&arena, products[i][0], products[i][1]));
        assert_true(arena.failed);
        assert_int_equal(memory.calls, 0);
        trm_arena_destroy(&arena);
    }
}

static void copies_and_texts_are_equal_and_their_own(void **state)
{
    (void)state;
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    double numbers[3] = {1, 2, 3};
    char word[] = "crank";
    const double *copy = trm_arena_copy(&arena, numbers, 3, sizeof *numbers);
    const char *text = trm_arena_text(&arena, word);
    const char *start = trm_arena_text_n(&arena, word, 2);
    memset(numbers, 0, sizeof numbers);
    memset(word, 0, sizeof word);
    assert_true(copy[0] == 1 && copy[1] == 2 && copy[2] == 3);
    assert_string_equal(text, "crank");
    assert_string_equal(start, "cr");
    assert_string_equal(trm_arena_text_n(&arena, NULL, 0), "");
    assert_null(trm_arena_text(&arena, NULL));
    assert_string_equal(trm_arena_format(&arena, "joint '%s' has %d rows", "j3", 5), "joint 'j3' has 5 rows");
    trm_arena_destroy(&arena);
}

static void a_list_grows_item_by_item_and_moves_at_powers_of_two(void **state)
{
    (void)state;
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    int *list = NULL, moves = 0;
    for (int count = 0; count < 1000; count++) {
        int *grown = trm_arena_grow(&arena, list, count, sizeof *list);
        assert_non_null(grown);
        moves += grown != list;
        list = grown;
        list[count] = count;
    }
    for (int i = 0; i < 1000; i++) assert_int_equal(list[i], i);
    assert_int_equal(moves, 11); /* at 0 and at 1, 2, 4, ..., 512 */
    trm_arena_destroy(&arena);
}

static void an_appended_item_is_counted_unless_memory_ran_out(void **state)
{
    (void)state;
    enum { FULL = 4096 }; /* the next power of two needs another block, which is refused */
    failing_allocator memory;
    failing_allocator_reset(&memory, 0, true);
    const trm_allocator hooks = failing_allocator_hooks(&memory);
    trm_arena arena;
    trm_arena_init(&arena, &hooks);
    double *list = NULL;
    int count = 0;
    for (int i = 0; i < FULL - 1; i++) assert_true(TRM_APPEND(&arena, list, count, i));
    double *made = TRM_ADD(&arena, list, count);
    assert_int_equal(count, FULL);
    for (int i = 0; i < FULL - 1; i++) assert_true(list[i] == i);
    assert_ptr_equal(made, &list[FULL - 1]);
    assert_true(*made == 0);
    const double *before = list;
    memory.fail_at = memory.calls + 1;
    assert_false(TRM_APPEND(&arena, list, count, 1));
    assert_null(TRM_ADD(&arena, list, count));
    assert_int_equal(count, FULL);
    assert_ptr_equal(list, before);
    trm_arena_destroy(&arena);
    assert_true(failing_allocator_is_clean(&memory));
}

/* Each new item is zeroed, even if the memory held another list before; a reset to a mark discards the reserve. */
static void a_list_with_room_in_reserve_moves_only_beyond_it(void **state)
{
    (void)state;
    enum { RESERVED = 100, ROOM = 128 }; /* the next power of two */
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    const trm_arena_mark mark = trm_arena_get_mark(&arena);
    memset(trm_arena_array(&arena, 1000, sizeof(int)), 5, 1000 * sizeof(int));
    trm_arena_reset(&arena, mark);
    int *const first = trm_arena_reserve_list(&arena, RESERVED, sizeof *first), *list = first;
    for (int count = 0; count < 2 * ROOM; count++) {
        int *grown = trm_arena_grow(&arena, list, count, sizeof *list);
        assert_non_null(grown);
        assert_int_equal(grown == first, count < ROOM);
        assert_int_equal(grown[count], 0);
        list = grown;
        list[count] = count;
    }
    for (int i = 0; i < 2 * ROOM; i++) assert_int_equal(list[i], i);
    trm_arena_reset(&arena, mark);
    list = trm_arena_array(&arena, 1, sizeof *list);
    assert_ptr_not_equal(trm_arena_grow(&arena, list, 1, sizeof *list), list);
    trm_arena_destroy(&arena);
}

static void a_list_that_cannot_grow_stays_valid(void **state)
{
    (void)state;
    enum { FULL = 4096 }; /* the next power of two needs a second block */
    failing_allocator memory;
    failing_allocator_reset(&memory, 2, true);
    const trm_allocator hooks = failing_allocator_hooks(&memory);
    trm_arena arena;
    trm_arena_init(&arena, &hooks);
    unsigned char *list = trm_arena_array(&arena, FULL, 1);
    memset(list, 5, FULL);
    assert_null(trm_arena_grow(&arena, list, FULL, 1));
    assert_true(arena.failed);
    assert_true(all_bytes_are(list, FULL, 5));
    trm_arena_destroy(&arena);
    assert_true(failing_allocator_is_clean(&memory));
}

/* The list may move although there are marks; its former memory is released. */
static void a_list_that_moves_keeps_its_items_and_leaves_no_copy(void **state)
{
    (void)state;
    enum { LAST = 1 << 16 };
    failing_allocator memory;
    failing_allocator_reset(&memory, 0, false);
    const trm_allocator hooks = failing_allocator_hooks(&memory);
    trm_arena arena;
    trm_arena_init(&arena, &hooks);
    const trm_arena_mark mark = trm_arena_get_mark(&arena);
    unsigned char *list = NULL, *other = trm_arena_move(&arena, NULL, 0, 100, 1);
    for (size_t room = 1; room <= LAST; room *= 2) {
        list = trm_arena_move(&arena, list, room / 2, room, 1);
        assert_non_null(list);
        assert_true(all_bytes_are(list, room / 2, 5) && all_bytes_are(list + room / 2, room - room / 2, 0));
        memset(list, 5, room);
    }
    assert_true(arena.bytes_listed < 2 * LAST);
    trm_arena_reset(&arena, mark);
    assert_true(all_bytes_are(list, LAST, 5) && all_bytes_are(other, 100, 0));
    list = trm_arena_move(&arena, list, 0, 7, 1); /* no item is kept */
    assert_true(all_bytes_are(list, 7, 0));
    assert_null(trm_arena_move(&arena, list, 7, SIZE_MAX / 2, 4));
    assert_true(arena.failed && all_bytes_are(list, 7, 0));
    trm_arena_destroy(&arena);
    assert_true(failing_allocator_is_clean(&memory));
}

/* Requests memory by every function, across several blocks. */
static bool ask_for_everything(trm_arena *arena)
{
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    const char *text = trm_arena_text(arena, "crank");
    const char *sentence = trm_arena_format(arena, "%5000d", 1);
    const void *copy = trm_arena_copy(arena, "0123456789", 10, 1);
    const void *large = trm_arena_array(arena, 1000, 100);
    int *list = trm_arena_reserve_list(arena, 100, sizeof *list);
    bool grew = list != NULL;
    for (int count = 0; grew && count < 100000; count++) {
        int *grown = trm_arena_grow(arena, list, count, sizeof *list);
        grew = grown != NULL;
        if (grew) list = grown, list[count] = count;
    }
    int *moved = trm_arena_move(arena, NULL, 0, 10, sizeof *moved);
    int *again = moved ? trm_arena_move(arena, moved, 10, 1000, sizeof *moved) : NULL;
    const bool done = text && sentence && copy && large && grew && again;
    assert_int_equal(done, !arena->failed);
    trm_arena_reset(arena, mark);
    return done;
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    for (int for_good = 0; for_good < 2; for_good++) {
        bool done = false;
        long k = 0;
        while (!done) {
            failing_allocator memory;
            failing_allocator_reset(&memory, ++k, for_good);
            const trm_allocator hooks = failing_allocator_hooks(&memory);
            trm_arena arena;
            trm_arena_init(&arena, &hooks);
            done = ask_for_everything(&arena);
            assert_int_equal(done, memory.refusals == 0);
            trm_arena_destroy(&arena);
            assert_true(failing_allocator_is_clean(&memory));
        }
        assert_true(k > 4); /* the work did allocate several times */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_come_zeroed_and_aligned),
        cmocka_unit_test(pieces_of_large_blocks_come_zeroed_after_a_reset),
        cmocka_unit_test(pieces_do_not_overlap),
        cmocka_unit_test(an_empty_array_is_a_valid_pointer_of_its_own),
        cmocka_unit_test(a_loop_of_mark_and_reset_allocates_in_its_first_round_only),
        cmocka_unit_test(reset_keeps_what_was_before_the_mark),
        cmocka_unit_test(a_larger_piece_after_a_full_reset_loses_no_block),
        cmocka_unit_test(peak_is_the_most_ever_given_out_at_once),
        cmocka_unit_test(a_destroyed_arena_may_be_used_again),
        cmocka_unit_test(a_product_that_overflows_is_refused_without_asking_the_allocator),
        cmocka_unit_test(copies_and_texts_are_equal_and_their_own),
        cmocka_unit_test(a_list_grows_item_by_item_and_moves_at_powers_of_two),
        cmocka_unit_test(an_appended_item_is_counted_unless_memory_ran_out),
        cmocka_unit_test(a_list_with_room_in_reserve_moves_only_beyond_it),
        cmocka_unit_test(a_list_that_cannot_grow_stays_valid),
        cmocka_unit_test(a_list_that_moves_keeps_its_items_and_leaves_no_copy),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return RUN_TESTS(tests);
}
