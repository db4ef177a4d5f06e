/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "base/message.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "failing_allocator.h"

static const trm_place nowhere = {0};

static void assert_formats_as(trm_message message, const char *expected)
{
    char buffer[200];
    const int length = trm_format_message(&message, buffer, sizeof buffer);
    assert_string_equal(buffer, expected);
    assert_int_equal(length, strlen(expected));
}

static void a_message_names_place_element_and_fault(void **state)
{
    (void)state;
    assert_formats_as((trm_message){.severity = TRM_ERROR,
                                    .place = {"m.json", 12, 5},
                                    .element = "joint 'j3'",
                                    .text = "the axis has length zero"},
                      "m.json:12:5: error: joint 'j3': the axis has length zero");
    assert_formats_as(
        (trm_message){.severity = TRM_WARNING, .place = {"m.json", 12, 5}, .element = "", .text = "unused"},
        "m.json:12:5: warning: unused");
}

static void unknown_parts_of_a_message_are_omitted(void **state)
{
    (void)state;
    assert_formats_as((trm_message){.severity = TRM_ERROR, .place = nowhere, .element = "joint 'j3'", .text = "bad"},
                      "error: joint 'j3': bad");
    assert_formats_as((trm_message){.severity = TRM_ERROR, .place = nowhere, .element = "", .text = "bad"},
                      "error: bad");
    assert_formats_as((trm_message){.severity = TRM_ERROR, .place = nowhere, .element = NULL, .text = "bad"},
                      "error: bad");
    assert_formats_as((trm_message){.severity = TRM_ERROR, .place = {"m.json", 0, 0}, .element = "", .text = "empty"},
                      "m.json: error: empty");
}

static void a_short_buffer_gets_the_beginning_and_the_whole_length(void **state)
{
    (void)state;
    const trm_message message = {.severity = TRM_ERROR, .element = "", .text = "bad"};
    char buffer[16];
    memset(buffer, 'x', sizeof buffer);
    assert_int_equal(trm_format_message(&message, buffer, 6), strlen("error: bad"));
    assert_string_equal(buffer, "error");
    assert_int_equal(buffer[6], 'x');
    assert_int_equal(trm_format_message(&message, NULL, 0), strlen("error: bad"));
}

static void control_characters_are_not_kept(void **state)
{
    (void)state;
    trm_messages *messages = trm_messages_create(NULL);
    trm_add_message(messages, TRM_ERROR, (trm_place){"a\033b", 1, 1}, "body '\n'", "%s is \177 and %s", "\x1b[2J",
                    "\xc2\x9b\xc3\xa9");
    const trm_message *said = trm_message_at(messages, 0);
    assert_string_equal(said->place.file, "a?b");
    assert_string_equal(said->element, "body '?'");
    assert_string_equal(said->text, "?[2J is ? and ??\xc3\xa9");
    trm_messages_destroy(messages);
}

/* Run only if a locale with a decimal comma is installed. */
static void numbers_have_a_point_in_every_locale(void **state)
{
    (void)state;
    trm_messages *messages = trm_messages_create(NULL);
    const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"};
    for (int i = 0; i < 5 && !setlocale(LC_NUMERIC, locales[i]); i++) continue;
    trm_add_message(messages, TRM_ERROR, nowhere, "", "%g", 1.5);
    assert_string_equal(trm_message_at(messages, 0)->text, "1.5");
    const char *here = localeconv()->decimal_point;
    char number[10];
    snprintf(number, sizeof number, "%.1f", 1.5);
    assert_true(strncmp(number + 1, here, strlen(here)) == 0); /* the caller's locale is unchanged */
    setlocale(LC_NUMERIC, "C");
    trm_messages_destroy(messages);
}

static void messages_keep_texts_of_their_own_in_order(void **state)
{
    (void)state;
    trm_messages *messages = trm_messages_create(NULL);
    char file[] = "m.json", element[] = "body 'b'", word[] = "mass";
    trm_add_message(messages, TRM_ERROR, (trm_place){file, 3, 4}, element, "the %s is %d", word, -1);
    trm_add_message(messages, TRM_WARNING, nowhere, "", "second");
    memset(file, 'x', sizeof file - 1);
    memset(element, 'x', sizeof element - 1);
    memset(word, 'x', sizeof word - 1);

    assert_int_equal(trm_message_count(messages), 2);
    assert_formats_as(*trm_message_at(messages, 0), "m.json:3:4: error: body 'b': the mass is -1");
    assert_formats_as(*trm_message_at(messages, 1), "warning: second");
    assert_null(trm_message_at(messages, -1));
    assert_null(trm_message_at(messages, 2));
    trm_messages_destroy(messages);
    trm_messages_destroy(NULL);
}

/* Messages before the given first one stay; messages of one place keep their order; those without a line come
 * last. */
static void messages_are_sorted_by_their_place(void **state)
{
    (void)state;
    static const trm_place places[] = {{"f", 9, 9}, {"f", 0, 0}, {"f", 3, 7}, {"f", 3, 2}, {"f", 3, 2}, {"f", 1, 8}};
    static const char sorted[] = "053421";
    trm_messages *messages = trm_messages_create(NULL);
    for (int i = 0; i < 6; i++) trm_add_message(messages, TRM_ERROR, places[i], "", "%d", i);
    trm_messages_sort(messages, 1);
    for (int i = 0; i < 6; i++) assert_int_equal(trm_message_at(messages, i)->text[0], sorted[i]);
    trm_messages_destroy(messages);
}

static void only_errors_make_the_input_bad(void **state)
{
    (void)state;
    trm_messages *messages = trm_messages_create(NULL);
    assert_int_equal(trm_messages_status(messages), TRM_OK);
    trm_add_message(messages, TRM_WARNING, nowhere, "", "odd");
    assert_int_equal(trm_messages_status(messages), TRM_OK);
    assert_int_equal(trm_error_count(messages), 0);
    trm_add_message(messages, TRM_ERROR, nowhere, "", "wrong");
    assert_int_equal(trm_messages_status(messages), TRM_BAD_INPUT);
    assert_int_equal(trm_error_count(messages), 1);
    trm_messages_destroy(messages);
}

static void beyond_the_kept_ones_errors_are_still_counted(void **state)
{
    (void)state;
    enum { SAID = TRM_MESSAGES_KEPT + 50 };
    trm_messages *messages = trm_messages_create(NULL);
    for (int i = 0; i < SAID; i++) trm_add_message(messages, TRM_ERROR, nowhere, "", "number %d", i);
    trm_add_message(messages, TRM_WARNING, nowhere, "", "a warning is no error");
    assert_int_equal(trm_message_count(messages), TRM_MESSAGES_KEPT);
    assert_int_equal(trm_error_count(messages), SAID);
    assert_string_equal(trm_message_at(messages, TRM_MESSAGES_KEPT - 1)->text, "number 99");
    trm_messages_destroy(messages);
}

static void an_error_beyond_the_kept_warnings_still_makes_the_input_bad(void **state)
{
    (void)state;
    trm_messages *messages = trm_messages_create(NULL);
    for (int i = 0; i < TRM_MESSAGES_KEPT; i++) trm_add_message(messages, TRM_WARNING, nowhere, "", "odd");
    trm_add_message(messages, TRM_ERROR, nowhere, "", "wrong");
    assert_int_equal(trm_messages_status(messages), TRM_BAD_INPUT);
    trm_messages_destroy(messages);
}

static void a_code_belongs_to_the_message_that_was_added_last(void **state)
{
    (void)state;
    trm_messages *messages = trm_messages_create(NULL);
    char subject[] = "order";
    trm_add_message(messages, TRM_WARNING, nowhere, "", "first");
    trm_add_message(messages, TRM_WARNING, nowhere, "", "second");
    trm_mark_message(messages, TRM_MESSAGE_NO_EFFECT, subject);
    subject[0] = 'x'; /* the message has a copy */
    assert_int_equal(trm_message_at(messages, 0)->code, TRM_MESSAGE_OTHER);
    assert_string_equal(trm_message_at(messages, 0)->subject, "");
    assert_int_equal(trm_message_at(messages, 1)->code, TRM_MESSAGE_NO_EFFECT);
    assert_string_equal(trm_message_at(messages, 1)->subject, "order");
    for (int i = 2; i <= TRM_MESSAGES_KEPT; i++) trm_add_message(messages, TRM_WARNING, nowhere, "", "many");
    trm_mark_message(messages, TRM_MESSAGE_REFUSED, "one that is not kept");
    assert_int_equal(trm_message_at(messages, TRM_MESSAGES_KEPT - 1)->code, TRM_MESSAGE_OTHER);
    trm_messages_destroy(messages);
}

static void a_cleared_list_begins_anew(void **state)
{
    (void)state;
    trm_messages *messages = trm_messages_create(NULL);
    for (int i = 0; i < 5; i++) trm_add_message(messages, TRM_ERROR, nowhere, "", "wrong");
    trm_messages_clear(messages);
    assert_int_equal(trm_message_count(messages), 0);
    assert_int_equal(trm_error_count(messages), 0);
    assert_int_equal(trm_messages_status(messages), TRM_OK);
    trm_add_message(messages, TRM_ERROR, nowhere, "", "again");
    assert_string_equal(trm_message_at(messages, 0)->text, "again");
    trm_messages_destroy(messages);
}

/* Adds long messages until several blocks are in use; returns true if none was lost. File, element and text are of
 * similar length, so that each of them needs a new block at some time. */
static bool say_many(const trm_allocator *hooks)
{
    enum { SAID = 60, LENGTH = 400 };
    char name[LENGTH + 1];
    memset(name, 'n', LENGTH);
    name[LENGTH] = '\0';

    trm_messages *messages = trm_messages_create(hooks);
    if (!messages) return false;
    for (int i = 0; i < SAID; i++)
        trm_add_message(messages, TRM_ERROR, (trm_place){name, 1, 1}, name, "%0*d", LENGTH, i);
    assert_int_equal(trm_error_count(messages), SAID); /* counted even where not kept */
    for (int i = 0; i < trm_message_count(messages); i++) {
        const trm_message *message = trm_message_at(messages, i);
        assert_string_equal(message->place.file, name);
        assert_string_equal(message->element, name);
        assert_int_equal(strlen(message->text), LENGTH);
    }
    const bool all_kept = trm_message_count(messages) == SAID;
    assert_int_equal(trm_messages_status(messages), all_kept ? TRM_BAD_INPUT : TRM_OUT_OF_MEMORY);
    trm_messages_destroy(messages);
    return all_kept;
}

static void every_refused_allocation_is_reported_and_survived(void **state)
{
    (void)state;
    for (int for_good = 0; for_good < 2; for_good++) {
        bool done = false;
        long k = 0;
        while (!done) {
            failing_allocator memory;
            failing_allocator_reset(&memory, ++k, for_good);
            const trm_allocator hooks = failing_allocator_hooks(&memory);
            done = say_many(&hooks);
            assert_int_equal(done, memory.refusals == 0);
            assert_true(failing_allocator_is_clean(&memory));
        }
        assert_true(k > 3); /* the list, its first block and more were refused in turn */
    }
}

static const char *nearest_joint(const char *word)
{
    static const char *const joints[] = {"hinge", "slider", "ball", "universal", "gear"};
    return trm_nearest_word(word, joints, 5);
}

static void a_mistyped_word_finds_its_neighbour(void **state)
{
    (void)state;
    assert_string_equal(nearest_joint("hinge"), "hinge");
    assert_string_equal(nearest_joint("hige"), "hinge");     /* one left out */
    assert_string_equal(nearest_joint("sliider"), "slider"); /* one too many */
    assert_string_equal(nearest_joint("boll"), "ball");      /* one exchanged */
    assert_string_equal(nearest_joint("unvresal"), "universal");
}

static void a_word_like_none_finds_none(void **state)
{
    (void)state;
    assert_null(nearest_joint("spring"));
    assert_null(nearest_joint("x"));
    assert_null(nearest_joint(""));
    assert_null(trm_nearest_word("hinge", NULL, 0));
}

static void the_first_of_equally_near_words_is_found(void **state)
{
    (void)state;
    static const char *const words[] = {"cat", "bat"};
    assert_string_equal(trm_nearest_word("rat", words, 2), "cat");
}

static void words_of_any_length_are_compared(void **state)
{
    (void)state;
    char longest[1000], other[1000];
    memset(longest, 'a', sizeof longest);
    memset(other, 'b', sizeof other);
    longest[sizeof longest - 1] = other[sizeof other - 1] = '\0';
    const char *const words[] = {other, longest, "a"};
    assert_ptr_equal(trm_nearest_word(longest, words, 3), longest);
    assert_ptr_equal(trm_nearest_word("b", words, 2), NULL);
}

static void each_status_has_a_text_of_its_own(void **state)
{
    (void)state;
    for (int a = TRM_OK; a <= TRM_IO_ERROR + 1; a++)
        for (int b = TRM_OK; b < a; b++)
            assert_string_not_equal(trm_status_text((trm_status)a), trm_status_text((trm_status)b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_names_place_element_and_fault),
        cmocka_unit_test(unknown_parts_of_a_message_are_omitted),
        cmocka_unit_test(a_short_buffer_gets_the_beginning_and_the_whole_length),
        cmocka_unit_test(control_characters_are_not_kept),
        cmocka_unit_test(numbers_have_a_point_in_every_locale),
        cmocka_unit_test(messages_keep_texts_of_their_own_in_order),
        cmocka_unit_test(messages_are_sorted_by_their_place),
        cmocka_unit_test(only_errors_make_the_input_bad),
        cmocka_unit_test(beyond_the_kept_ones_errors_are_still_counted),
        cmocka_unit_test(an_error_beyond_the_kept_warnings_still_makes_the_input_bad),
        cmocka_unit_test(a_code_belongs_to_the_message_that_was_added_last),
        cmocka_unit_test(a_cleared_list_begins_anew),
        cmocka_unit_test(every_refused_allocation_is_reported_and_survived),
        cmocka_unit_test(a_mistyped_word_finds_its_neighbour),
        cmocka_unit_test(a_word_like_none_finds_none),
        cmocka_unit_test(the_first_of_equally_near_words_is_found),
        cmocka_unit_test(words_of_any_length_are_compared),
        cmocka_unit_test(each_status_has_a_text_of_its_own),
    };
    return RUN_TESTS(tests);
}
