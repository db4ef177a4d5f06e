/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "base/hash.h"

#include <string.h>

#include "check.h"

static uint64_t hash_of(const char *text)
{
    return trm_hash_bytes(TRM_HASH_START, text, strlen(text));
}

/* The vectors published with the algorithm (Fowler, Noll, Vo, Eastlake: The FNV Non-Cryptographic Hash). */
static void published_vectors_are_met(void **state)
{
    (void)state;
    assert_true(hash_of("") == UINT64_C(0xcbf29ce484222325));
    assert_true(hash_of("a") == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(hash_of("foobar") == UINT64_C(0x85944171f73967e8));
}

static void bytes_above_127_count_as_unsigned(void **state)
{
    (void)state;
    const unsigned char byte = 0xff;
    const uint64_t by_hand = (TRM_HASH_START ^ UINT64_C(0xff)) * UINT64_C(1099511628211);
    assert_true(trm_hash_bytes(TRM_HASH_START, &byte, 1) == by_hand);
}

static void hashing_in_pieces_equals_hashing_at_once(void **state)
{
    (void)state;
    const char text[] = "look ahead, correct, advance";
    const uint64_t whole = hash_of(text);
    for (size_t cut = 0; cut <= strlen(text); cut++) {
        const uint64_t first = trm_hash_bytes(TRM_HASH_START, text, cut);
        assert_true(trm_hash_bytes(first, text + cut, strlen(text) - cut) == whole);
    }
}

/* 256 numbers that differ in one bit have 256 different hashes. */
static void every_bit_of_numbers_counts(void **state)
{
    (void)state;
    uint64_t bits[4] = {1, 2, 3, 4}, hashes[256];
    const uint64_t before = trm_hash_numbers(TRM_HASH_START, bits, sizeof bits);
    for (int i = 0; i < 256; i++) {
        bits[i / 64] ^= UINT64_C(1) << i % 64;
        hashes[i] = trm_hash_numbers(TRM_HASH_START, bits, sizeof bits);
        bits[i / 64] ^= UINT64_C(1) << i % 64;
        assert_true(hashes[i] != before);
        for (int k = 0; k < i; k++) assert_true(hashes[k] != hashes[i]);
    }
}

static uint64_t hash_of_two(const char *a, const char *b)
{
    return trm_hash_text(trm_hash_text(TRM_HASH_START, a), b);
}

static void texts_that_end_at_different_places_have_different_hashes(void **state)
{
    (void)state;
    assert_true(trm_hash_text(TRM_HASH_START, "ab") == trm_hash_bytes(TRM_HASH_START, "ab", 3));
    assert_true(hash_of_two("ab", "c") != hash_of_two("a", "bc"));
    assert_true(hash_of_two("a", "") != hash_of_two("", "a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors_are_met),
        cmocka_unit_test(bytes_above_127_count_as_unsigned),
        cmocka_unit_test(every_bit_of_numbers_counts),
        cmocka_unit_test(hashing_in_pieces_equals_hashing_at_once),
        cmocka_unit_test(texts_that_end_at_different_places_have_different_hashes),
    };
    return RUN_TESTS(tests);
}
