/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Requests of pages are read as viewer/DATA.md defines them; everything else is refused with a reason. */

#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static bool reads(const char *message, request *r)
{
    char why[120] = "";
    const bool read = read_request(message, strlen(message), r, why, sizeof why);
    assert_true(read || why[0] != 0);
    return read;
}

static void constants_and_moments_are_read(void **state)
{
    request r;
    (void)state;
    assert_true(reads("constant arm.L 2 * 0.4", &r));
    assert_int_equal(r.kind, REQUEST_CONSTANT);
    assert_string_equal(r.name, "arm.L");
    assert_string_equal(r.value, "2 * 0.4");
    assert_true(reads("rewind 1.5", &r));
    assert_int_equal(r.kind, REQUEST_REWIND);
    assert_near(r.numbers[0], 1.5, 0);
    assert_false(reads("constant L", &r));
    assert_false(reads("constant", &r));
    assert_false(reads("rewind", &r));
    assert_false(reads("rewind nan", &r));
}

static void words_are_read(void **state)
{
    static const struct {
        const char *message;
        request_kind kind;
    } words[] = {{"play", REQUEST_PLAY},   {"pause", REQUEST_PAUSE},   {"step", REQUEST_STEP},
                 {"reset", REQUEST_RESET}, {"reload", REQUEST_RELOAD}, {"release", REQUEST_RELEASE}};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        request r;
        assert_true(reads(words[i].message, &r));
        assert_int_equal(r.kind, words[i].kind);
    }
}

static void numbers_are_read(void **state)
{
    request r;
    (void)state;
    assert_true(reads("grab 3 0.5 -1e-3 2", &r));
    assert_int_equal(r.kind, REQUEST_GRAB);
    assert_true(r.numbers[0] == 3 && r.numbers[1] == 0.5 && r.numbers[2] == -1e-3 && r.numbers[3] == 2);
    assert_true(reads("pull 1 2 3", &r) && r.kind == REQUEST_PULL && r.numbers[2] == 3);
    assert_true(reads("jog 2 -0.5", &r) && r.kind == REQUEST_JOG && r.numbers[1] == -0.5);
    assert_true(reads("place 1 2 3 4 5 6 7", &r) && r.kind == REQUEST_PLACE && r.numbers[6] == 7);
    assert_true(reads("want reactions 1", &r) && r.kind == REQUEST_WANT && r.numbers[0] == 1);
    assert_true(reads("seen 4294967295", &r) && r.kind == REQUEST_SEEN && r.numbers[0] == 4294967295.0);
}

static void settings_are_read(void **state)
{
    request r;
    (void)state;
    assert_true(reads("set method lagrange:stabilise=none", &r));
    assert_int_equal(r.kind, REQUEST_SET);
    assert_string_equal(r.name, "method");
    assert_string_equal(r.value, "lagrange:stabilise=none");
}

static void models_are_read(void **state)
{
    static const char message[] = "model a b.json\n{\n \"x\": 1 }";
    request r;
    (void)state;
    assert_true(reads(message, &r));
    assert_int_equal(r.kind, REQUEST_MODEL);
    assert_string_equal(r.name, "a b.json");
    assert_int_equal(r.length, strlen("{\n \"x\": 1 }"));
    assert_memory_equal(r.text, "{\n \"x\": 1 }", r.length);
    assert_true(reads("model empty.json\n", &r) && r.length == 0);
}

static void files_are_read(void **state)
{
    static const char piece[] = "file robot/a b.stl\n\0\n\xff";
    char why[120] = "";
    request r;
    (void)state;
    assert_true(reads("drop", &r) && r.kind == REQUEST_DROP);
    assert_true(read_request(piece, sizeof piece, &r, why, sizeof why));
    assert_int_equal(r.kind, REQUEST_FILE);
    assert_string_equal(r.name, "robot/a b.stl");
    assert_int_equal(r.length, 4);
    assert_memory_equal(r.text, "\0\n\xff", 4);
    assert_true(reads("load robot/urdf/r.urdf", &r) && r.kind == REQUEST_LOAD);
    assert_string_equal(r.name, "robot/urdf/r.urdf");
    assert_null(r.files);
}

static void all_else_is_refused(void **state)
{
    static const char *const messages[] = {"",
                                           " ",
                                           "fly",
                                           "play 1",
                                           "play ",
                                           "speed",
                                           "speed x",
                                           "speed 1 2",
                                           "speed nan",
                                           "speed inf",
                                           "speed  1",
                                           "speed 1 ",
                                           "pull 1 2",
                                           "pull 1 2 3 4",
                                           "grab 1 2 3",
                                           "want 1",
                                           "set",
                                           "set step",
                                           "set  1",
                                           "set step ",
                                           "model",
                                           "model x.json",
                                           "model\n{}",
                                           "file a.stl",
                                           "file\nx",
                                           "file \nx",
                                           "load",
                                           "load ",
                                           "load a\nb",
                                           "drop 1",
                                           "drop\nx",
                                           "play\npause",
                                           "PLAY",
                                           "seen",
                                           "speed 1e999",
                                           "play\tpause",
                                           "want reactions"};
    (void)state;
    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        request r;
        if (reads(messages[i], &r)) fail_msg("\"%s\" was taken", messages[i]);
    }
}

static void long_ones_are_refused(void **state)
{
    static const char *const starts[] = {"set step ", "set ", "model ", "file ", "load ", "speed 1", ""};
    char *message = malloc(2001);
    (void)state;
    assert_non_null(message);
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        for (int length = 300; length <= 2000; length += 100) {
            request r;
            memset(message, '1', (size_t)length);
            memcpy(message, starts[i], strlen(starts[i]));
            message[length] = 0;
            if (length > 500) assert_false(reads(message, &r));
        }
    free(message);
}

/* The reader gets the length and reads nothing after the end, which the sanitiser checks. */
static void nothing_beyond_the_end_is_read(void **state)
{
    static const char message[] = "grab 1 2 3 4";
    char why[120];
    (void)state;
    for (size_t length = 0; length <= strlen(message); length++) {
        char *exact = malloc(length + (length == 0));
        request r;
        assert_non_null(exact);
        memcpy(exact, message, length);
        assert_int_equal(read_request(exact, length, &r, why, sizeof why), length == strlen(message));
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_read),
        cmocka_unit_test(constants_and_moments_are_read),
        cmocka_unit_test(numbers_are_read),
        cmocka_unit_test(settings_are_read),
        cmocka_unit_test(models_are_read),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(all_else_is_refused),
        cmocka_unit_test(long_ones_are_refused),
        cmocka_unit_test(nothing_beyond_the_end_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
