/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The JSON reader and writer. jansson is the reference for everything that both must read in the same way. */

#include "io/json.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/random.h"
#include "check.h"
#include "failing_allocator.h"
#include "json_tree.h"
#include "trammel/app.h"
#include "trammel/io.h"

/* ---- Helpers ------------------------------------------------------------------------------ */

typedef struct reading {
    trm_arena arena;
    trm_messages *messages;
    const trm_json *root;
} reading;

/* Reads a copy of exact length, so that the address sanitizer detects reading beyond its end. */
static reading read_bytes(const char *text, size_t length, const trm_json_limits *limits)
{
    reading r = {.messages = trm_messages_create(NULL)};
    assert_non_null(r.messages);
    trm_arena_init(&r.arena, NULL);
    char *exact = malloc(length ? length : 1);
    assert_non_null(exact);
    memcpy(exact, text, length);
    r.root = trm_json_parse(&r.arena, exact, length, "model.json", limits, r.messages);
    free(exact);
    assert_int_equal(trm_message_count(r.messages), r.root ? 0 : 1);
    return r;
}

static reading read_text(const char *text)
{
    return read_bytes(text, strlen(text), NULL);
}

static void forget(reading *r)
{
    trm_arena_destroy(&r->arena);
    trm_messages_destroy(r->messages);
}

/* ---- Errors ------------------------------------------------------------------------------- */

static void assert_refused_bytes(const char *text, size_t length, int line, int column, const char *part)
{
    reading r = read_bytes(text, length, NULL);
    if (r.root) {
        print_error("accepted: %s\n", text);
        fail();
    }
    const trm_message *message = trm_message_at(r.messages, 0);
    const bool right = message->place.line == line && message->place.column == column && strstr(message->text, part);
    if (!right) {
        char all[512];
        trm_format_message(message, all, sizeof all);
        print_error("%s\n  said: %s\n  expected %d:%d and \"%s\"\n", text, all, line, column, part);
        fail();
    }
    assert_string_equal(message->place.file, "model.json");
    forget(&r);
}

typedef struct refusal {
    const char *text;
    int line, column;
    const char *part; /* part of the message */
} refusal;

static void assert_refused(const refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_refused_bytes(cases[i].text, strlen(cases[i].text), cases[i].line, cases[i].column, cases[i].part);
}

#define ASSERT_REFUSED(cases) assert_refused(cases, sizeof(cases) / sizeof((cases)[0]))

static void files_without_a_value_are_refused(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"", 1, 1, "the file is empty"},
        {" \n ", 2, 2, "holds no value"},
        {"// only this", 1, 13, "holds no value"},
        {"\xef\xbb\xbf", 1, 1, "holds no value"},
        {"\xff\xfe{", 1, 1, "UTF-16"},
    };
    ASSERT_REFUSED(cases);
}

static void truncated_files_name_what_is_open(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"{", 1, 2, "inside the object that was opened in line 1, column 1; its '}' is missing"},
        {"[", 1, 2, "inside the array that was opened in line 1, column 1; its ']' is missing"},
        {"{\n  \"a\": [1, 2,\n", 3, 1, "inside the array that was opened in line 2, column 8; its ']' is missing"},
        {"{\n  \"a\": [1, 2", 2, 13, "inside the array that was opened in line 2, column 8"},
        {"{\n  \"a\": [1, 2]\n", 3, 1, "inside the object that was opened in line 1, column 1"},
        {"{\"a\"", 1, 5, "inside the object that was opened in line 1"},
        {"{\"a\":", 1, 6, "inside the object that was opened in line 1"},
        {"{\"a\": // x", 1, 11, "inside the object that was opened in line 1"},
        {"{\"a\": 1,", 1, 9, "inside the object that was opened in line 1"},
    };
    ASSERT_REFUSED(cases);
}

static void bad_strings_are_refused(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"\"abc", 1, 1, "this string is not closed"},
        {"[\"abc\\\"", 1, 2, "this string is not closed"},
        {"[\"abc\\", 1, 2, "this string is not closed"},
        {"{\n \"ab\n\": 1}", 2, 2, "this string is not closed"},
        {"[\"C:\\dir\"]", 1, 5, "'\\d' is not an escape"},
        {"[\"a\\\xc3\xa4\"]", 1, 4, "'\\\xc3\xa4' is not an escape"},
        {"[\"a\\u12g4\"]", 1, 4, "four hexadecimal digits"},
        {"[\"a\\u12\"]", 1, 4, "four hexadecimal digits"},
        {"[\"\\ud83d\"]", 1, 3, "\\ud83d is half of a surrogate pair"},
        {"[\"\\ud83d\\u0041\"]", 1, 3, "\\udfff must follow"},
        {"[\"\\ude00\"]", 1, 3, "must go before"},
        {"[\"a\\u0000\"]", 1, 4, "\\u0000 is not accepted"},
        {"[\"a\tb\"]", 1, 4, "0x09 in a string; write it as \\u0009"},
        {"[\"ab\x1f\"]", 1, 5, "0x1f"},
        {"['abc']", 1, 2, "double quotes"},
        {"{'a': 1}", 1, 2, "double quotes"},
        {"{a: 1}", 1, 2, "keys are written in double quotes: \"a\""},
    };
    ASSERT_REFUSED(cases);
    assert_refused_bytes("[\"a\0b\"]", 7, 1, 4, "NUL byte");
    assert_refused_bytes("[1, \0]", 6, 1, 5, "0x00");
}

static void bytes_that_are_not_utf8_are_named(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"[\"L\xe4nge\"]", 1, 4, "0xe4 is not UTF-8"}, /* Latin-1 */
        {"[\"\xc0\x80\"]", 1, 3, "0xc0"},              /* overlong NUL */
        {"[\"\xe0\x9f\xbf\"]", 1, 3, "0xe0"},          /* overlong */
        {"[\"\xf0\x8f\xbf\xbf\"]", 1, 3, "0xf0"},      /* overlong */
        {"[\"\xed\xa0\x80\"]", 1, 3, "0xed"},          /* a surrogate */
        {"[\"\xf4\x90\x80\x80\"]", 1, 3, "0xf4"},      /* beyond U+10FFFF */
        {"[\"\xf5\x80\x80\x80\"]", 1, 3, "0xf5"},
        {"[\"\x80\"]", 1, 3, "0x80"},
        {"[\"\xe2\x82\"]", 1, 3, "0xe2"},
        {"[\"\xe2\x82", 1, 2, "not closed"},
        {"[1] // \xe4", 1, 8, "0xe4 is not UTF-8"},
        {"[1] /*\n \xe4*/", 2, 2, "0xe4 is not UTF-8"},
        {"[\xe4]", 1, 2, "0xe4 is not UTF-8"},
    };
    ASSERT_REFUSED(cases);
}

static void bad_numbers_come_with_a_hint(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"[01]", 1, 2, "'01' is not a number; a number has no zeros before it"},
        {"[-01]", 1, 2, "no zeros before it"},
        {"[00]", 1, 2, "no zeros before it"},
        {"[1, .5]", 1, 5, "before the point"},
        {"[-.5]", 1, 2, "before the point"},
        {"[5.]", 1, 2, "after the point"},
        {"[5.e3]", 1, 2, "after the point"},
        {"[+1]", 1, 2, "no '+'"},
        {"[-]", 1, 2, "missing after '-'"},
        {"[1e]", 1, 2, "in the exponent"},
        {"[1.5E+]", 1, 2, "in the exponent"},
        {"[NaN]", 1, 2, "numbers are finite"},
        {"[Infinity]", 1, 2, "numbers are finite"},
        {"[-Infinity]", 1, 2, "numbers are finite"},
        {"[-inf]", 1, 2, "numbers are finite"},
        {"[0x1F]", 1, 2, "'0x1F' is not a number; numbers are written in decimal"},
        {"[1e999]", 1, 2, "the number 1e999 is too large"},
        {"[-1e999]", 1, 2, "the number -1e999 is too large"},
        {"[30deg]", 1, 2, "'30deg' is not a number; text and formulas are written in double quotes"},
        {"[1.2.3]", 1, 2, "'1.2.3' is not a number"},
        {"[1-2]", 1, 2, "formulas"},
        {"[1xxxxxxxx1xxxxxxxxx2xxxxxxxxx3xxxxxxxxx\xc3\xa4y]", 1, 2,
         "'1xxxxxxxx1xxxxxxxxx2xxxxxxxxx3xxxxxxxxx...' is"},
    };
    ASSERT_REFUSED(cases);
}

static void bad_structure_is_refused(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"[1 2]", 1, 4, "'2' is not expected here; a ',' is missing before it"},
        {"{\"a\": 1\n \"b\": 2}", 2, 2, "a ',' is missing"},
        {"{\"a\" 1}", 1, 6, "':' is missing after the key \"a\""},
        {"{\"a\" = 1}", 1, 6, "':' is missing after the key \"a\""},
        {"{\"a\"}", 1, 5, "':' is missing after the key \"a\""},
        {"{\"a\":}", 1, 6, "a value is expected before '}'"},
        {"{\"a\": ,}", 1, 7, "a value is missing before this ','"},
        {"[\n1}", 2, 2, "'}' does not close the array that was opened in line 1, column 1; ']' is expected"},
        {"{\"a\": 1]", 1, 8, "']' does not close the object"},
        {"[}", 1, 2, "'}' does not close the array"},
        {"{]", 1, 2, "']' does not close the object"},
        {"]", 1, 1, "']' closes nothing"},
        {"[,]", 1, 2, "a value is missing before this ','"},
        {"[1,,2]", 1, 4, "a value is missing before this ','"},
        {"{,}", 1, 2, "a key in double quotes"},
        {"{1: 2}", 1, 2, "'1' is not expected here; a key"},
        {"{} {}", 1, 4, "'{' after the end of the document"},
        {"1\n]", 2, 1, "']' after the end of the document"},
        {"[1] x", 1, 5, "'x' after the end"},
        {"[True]", 1, 2, "did you mean true?"},
        {"[FALSE]", 1, 2, "did you mean false?"},
        {"[nul]", 1, 2, "did you mean null?"},
        {"[nullx]", 1, 2, "did you mean null?"},
        {"[revolute]", 1, 2, "text is written in double quotes"},
        {"[1] / 2", 1, 5, "comments begin with // or /*"},
        {"[1, /* abc\n ]", 1, 5, "this comment is not closed"},
        {"[1] /*/", 1, 5, "this comment is not closed"},
        {"[#]", 1, 2, "'#' begins no value"},
        {"[\xe2\x80\x9c]", 1, 2, "'\xe2\x80\x9c' begins no value"},
        {"[\xef\xbb\xbf]", 1, 2, "begins no value"}, /* a byte-order mark in the middle */
    };
    ASSERT_REFUSED(cases);
}

static void a_key_twice_names_the_line_of_the_first(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"{\n\"a\": 1,\n \"a\": 2}", 3, 2, "the key \"a\" occurs twice in this object, first in line 2"},
        {"{\"b\": 1, \"a\": 1, \"\\u0061\": 2, \"b\": 3}", 1, 18, "the key \"a\" occurs twice"},
        {"{\"a\": 1, \"a\": 2, \"a\": 3}", 1, 10, "the key \"a\" occurs twice"},
        {"[{\"a\": {\"x\": 1,\n\"y\": 2,\n\"x\": 3}}]", 3, 1,
         "the key \"x\" occurs twice in this object, first in line 1"},
        {"{\"\\u001b[31m\": 1, \"\\u001b[31m\": 2}", 1, 19, "the key \"?[31m\" occurs twice"},
    };
    ASSERT_REFUSED(cases);
}

/* Comparing all pairs would take 2 * 10^10 comparisons and exceed the test's time limit. */
static void a_key_twice_is_found_among_very_many(void **state)
{
    (void)state;
    enum { KEYS = 200000, BYTES_EACH = 64 };
    char *text = malloc((size_t)KEYS * BYTES_EACH);
    assert_non_null(text);
    size_t length = (size_t)sprintf(text, "{");
    for (int i = 0; i < KEYS; i++)
        length += (size_t)sprintf(text + length, "\"a rather long beginning %d\": %d,\n", i, i);
    const size_t before = length;

    length += (size_t)sprintf(text + length, "}");
    reading r = read_bytes(text, length, NULL);
    assert_non_null(r.root);
    assert_int_equal(r.root->count, KEYS);
    forget(&r);

    length = before + (size_t)sprintf(text + before, "\"a rather long beginning 12345\": 0}");
    assert_refused_bytes(text, length, KEYS + 1, 1, "first in line 12346");
    free(text);
}

static void limits_are_kept(void **state)
{
    (void)state;
    enum { MILLION = 1000000 };
    char *deep = malloc(MILLION);
    assert_non_null(deep);
    memset(deep, '[', MILLION);
    assert_refused_bytes(deep, MILLION, 1, 101, "deeper than the limit of 100");
    const trm_json_limits boundless = {.depth = 1 << 30, .bytes = SIZE_MAX, .values = 1 << 30};
    reading r = read_bytes(deep, MILLION, &boundless);
    assert_non_null(strstr(trm_message_at(r.messages, 0)->text, "deeper than the limit of 1000"));
    forget(&r);
    free(deep);

    const trm_json_limits tight = {.depth = 2, .bytes = 16, .values = 4};
    r = read_bytes("[[1, 2]]", 8, &tight);
    assert_non_null(r.root);
    forget(&r);
    r = read_bytes("[[1, 2, 3]]", 11, &tight);
    assert_non_null(strstr(trm_message_at(r.messages, 0)->text, "more values than the limit of 4"));
    assert_int_equal(trm_message_at(r.messages, 0)->place.column, 9);
    forget(&r);
    r = read_bytes("[1,            2]", 17, &tight);
    assert_non_null(strstr(trm_message_at(r.messages, 0)->text, "17 bytes; the limit is 16"));
    forget(&r);
}

static void a_refused_document_leaves_the_arena_as_it_was(void **state)
{
    (void)state;
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    assert_non_null(trm_arena_text(&arena, "before"));
    const size_t before = arena.bytes_used;
    const char text[] = "[\"a\", {\"b\": [1, 2, 3]}, x]";
    assert_null(trm_json_parse(&arena, text, strlen(text), "f", NULL, messages));
    assert_int_equal(arena.bytes_used, before);
    assert_false(arena.failed);
    trm_messages_destroy(messages);
    trm_arena_destroy(&arena);
}

/* ---- What is accepted --------------------------------------------------------------------- */

static void values_know_where_they_stand(void **state)
{
    (void)state;
    reading r = read_text("\xef\xbb\xbf// a pendulum\r\n"
                          "{\n"
                          "  \"mass\": -1.5e1, /* kg,\n"
                          " estimated */ \"name\" : \"p\\u00e9n\\ud83d\\ude00\\n\",\n"
                          "\t\"list\": [true, false, null, [], {},],\n"
                          "}\n");
    assert_non_null(r.root);
    const trm_json *root = r.root;
    assert_int_equal(root->kind, TRM_JSON_OBJECT);
    assert_int_equal(root->count, 3);
    assert_int_equal(root->line, 2);
    assert_int_equal(root->column, 1);

    const trm_json *mass = trm_json_member_value(root, "mass");
    assert_true(mass && mass->kind == TRM_JSON_NUMBER && mass->number == -15);
    assert_int_equal(mass->line, 3);
    assert_int_equal(mass->column, 11);

    const trm_json *name = trm_json_member_value(root, "name");
    assert_true(name && name->kind == TRM_JSON_STRING);
    assert_string_equal(name->text, "p\xc3\xa9n\xf0\x9f\x98\x80\n");
    assert_int_equal(name->length, strlen(name->text));
    assert_int_equal(root->members[1].line, 4);
    assert_int_equal(root->members[1].column, 15);
    assert_int_equal(name->column, 24);

    const trm_json *list = trm_json_member_value(root, "list");
    static const trm_json_kind kinds[] = {TRM_JSON_BOOL, TRM_JSON_BOOL, TRM_JSON_NULL, TRM_JSON_ARRAY,
                                          TRM_JSON_OBJECT};
    assert_true(list && list->count == 5);
    for (int i = 0; i < 5; i++) assert_int_equal(list->items[i].kind, kinds[i]);
    assert_true(list->items[0].boolean && !list->items[1].boolean);
    assert_int_equal(list->items[3].line, 5);
    assert_int_equal(list->items[3].column, 30);

    assert_null(trm_json_member_value(root, "mas"));
    assert_null(trm_json_member_value(list, "mass"));
    forget(&r);
}

static void kinds_have_names_for_sentences(void **state)
{
    (void)state;
    static const char *const names[] = {"null", "true or false", "a number", "a string", "an array", "an object"};
    for (int kind = TRM_JSON_NULL; kind <= TRM_JSON_OBJECT; kind++)
        assert_string_equal(trm_json_kind_name((trm_json_kind)kind), names[kind]);
}

/* ---- Comparison with jansson -------------------------------------------------------------- */

enum { ORACLE_FLAGS = JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES };

static bool agrees(const trm_json *ours, const json_t *theirs)
{
    switch (ours->kind) {
    case TRM_JSON_NULL: return json_is_null(theirs);
    case TRM_JSON_BOOL: return json_is_boolean(theirs) && ours->boolean == json_is_true(theirs);
    case TRM_JSON_NUMBER: return json_is_real(theirs) && ours->number == json_real_value(theirs);
    case TRM_JSON_STRING:
        return json_is_string(theirs) && ours->length == json_string_length(theirs) &&
               memcmp(ours->text, json_string_value(theirs), ours->length) == 0;
    case TRM_JSON_ARRAY:
        if (!json_is_array(theirs) || (size_t)ours->count != json_array_size(theirs)) return false;
        for (int i = 0; i < ours->count; i++)
            if (!agrees(&ours->items[i], json_array_get(theirs, (size_t)i))) return false;
        return true;
    case TRM_JSON_OBJECT:
        if (!json_is_object(theirs) || (size_t)ours->count != json_object_size(theirs)) return false;
        for (int i = 0; i < ours->count; i++) {
            const json_t *member = json_object_get(theirs, ours->members[i].key);
            if (!member || !agrees(&ours->members[i].value, member)) return false;
        }
        return true;
    }
    return false;
}

/* Returns whether both accept the text with the same contents, or both refuse it. */
static bool same_verdict(const char *text, size_t length)
{
    reading r = read_bytes(text, length, NULL);
    json_error_t error;
    json_t *theirs = json_loadb(text, length, ORACLE_FLAGS, &error);
    const bool same = r.root && theirs ? agrees(r.root, theirs) : !r.root && !theirs;
    if (!same) {
        print_error("%.*s\n  ours: %s\n  jansson: %s\n", (int)length, text,
                    r.root ? "accepted" : trm_message_at(r.messages, 0)->text, theirs ? "accepted" : error.text);
    }
    json_decref(theirs);
    forget(&r);
    return same;
}

/* A text in a buffer of constant size; a document that would not fit is shortened by ending its arrays early. */
typedef struct generator {
    trm_random random;
    char text[1 << 16];
    size_t length;
    bool no_slashes; /* in strings, where damage could turn them into comments */
} generator;

static int pick(generator *g, int count)
{
    return (int)(trm_random_bits(&g->random) % (uint64_t)count);
}

static void add(generator *g, const char *text)
{
    const size_t length = strlen(text);
    assert_true(g->length + length < sizeof g->text);
    memcpy(g->text + g->length, text, length);
    g->length += length;
}

static void add_space(generator *g)
{
    static const char *const spaces[] = {"", "", "", " ", "  ", "\n", "\t", "\r\n"};
    add(g, spaces[pick(g, 8)]);
}

static void add_number(generator *g)
{
    /* one draw each, because the order in which arguments are evaluated is unspecified */
    const int kind = pick(g, 5), small = pick(g, 2000), exponent = pick(g, 600) - 300;
    const double unit = trm_random_uniform(&g->random, -1, 1);
    char text[64];
    switch (kind) {
    case 0: snprintf(text, sizeof text, "%d", small - 1000); break;
    case 1: snprintf(text, sizeof text, "%.17g", unit); break;
    case 2: snprintf(text, sizeof text, "%d.%04dE%+d", small, small, exponent); break;
    case 3: snprintf(text, sizeof text, "-%d%d%d%de%d", 1 + small, 1 << 30, 1 << 29, 1 << 28, exponent - 30); break;
    default: snprintf(text, sizeof text, "%s", small % 2 ? "-0" : "0.0000e0"); break;
    }
    add(g, text);
}

/* Adds a string; unique > 0 is appended, so that keys of one object differ. */
static void add_string(generator *g, int unique)
{
    static const char *const pieces[] = {
        "a",
        "Z",
        " ",
        "'",
        "\\\\",
        "\\\"",
        "\\n",
        "\\t",
        "\\b",
        "\\f",
        "\\r",
        "\\u0001",
        "\\u00e9",
        "\\uFFFF",
        "\xc3\xa4",
        "\xe2\x82\xac",
        "\xf0\x9f\x98\x80",
        "\\ud83d\\ude00",
        "\\uDBFF\\uDFFF",
        "\x7f",
        "\\/",
        "/",
        "//",
        "/*",
    };
    const int count = (int)(sizeof pieces / sizeof pieces[0]) - (g->no_slashes ? 4 : 0);
    add(g, "\"");
    for (int n = pick(g, 8); n > 0; n--) add(g, pieces[pick(g, count)]);
    char tail[16] = "";
    if (unique) snprintf(tail, sizeof tail, "%d", unique);
    add(g, tail);
    add(g, "\"");
}

static void add_value(generator *g, int depth);

static void add_container(generator *g, int depth, bool is_object)
{
    const int count = g->length > sizeof g->text / 2 ? 0 : pick(g, 7);
    add(g, is_object ? "{" : "[");
    for (int i = 0; i < count; i++) {
        if (i) add(g, ",");
        add_space(g);
        if (is_object) {
            add_string(g, i + 1);
            add_space(g);
            add(g, ":");
        }
        add_value(g, depth + 1);
    }
    add_space(g);
    add(g, is_object ? "}" : "]");
}

static void add_value(generator *g, int depth)
{
    static const char *const words[] = {"true", "false", "null"};
    add_space(g);
    const int kind = pick(g, depth > 8 ? 3 : depth == 0 ? 8 : 6);
    if (kind == 0)
        add_number(g);
    else if (kind == 1)
        add_string(g, 0);
    else if (kind == 2)
        add(g, words[pick(g, 3)]);
    else
        add_container(g, depth, kind % 2);
    add_space(g);
}

static void generate(generator *g)
{
    g->length = 0;
    add_value(g, 0);
}

static void random_documents_read_as_jansson_reads_them(void **state)
{
    (void)state;
    static generator g;
    g.random = trm_random_seed(11);
    size_t longest = 0;
    for (int i = 0; i < 2000; i++) {
        generate(&g);
        if (g.length > longest) longest = g.length;
        json_t *theirs = json_loadb(g.text, g.length, ORACLE_FLAGS, NULL);
        assert_non_null(theirs); /* the generator makes valid documents */
        json_decref(theirs);
        assert_true(same_verdict(g.text, g.length));
    }
    assert_true(longest > 1000);
}

/* Replaces one byte, but not by one that could start an extension of JSON that only this reader accepts, nor by NUL,
 * which ends a file for jansson. */
static void damaged_documents_are_judged_as_jansson_judges_them(void **state)
{
    (void)state;
    static const char bytes[] = "{}[]:\"\\0e-.+xtn_a\x01\x1f\x80\xc3\xed\xf4\xff";
    static generator g;
    g.random = trm_random_seed(12);
    g.no_slashes = true;
    for (int i = 0; i < 2000; i++) {
        do generate(&g);
        while (g.length < 2 || g.length > 500);
        for (int k = 0; k < 10; k++) {
            char *at = &g.text[pick(&g, (int)g.length)];
            const char kept = *at;
            *at = bytes[pick(&g, (int)sizeof bytes - 1)];
            const bool same = same_verdict(g.text, g.length);
            *at = kept;
            assert_true(same);
        }
    }
}

/* ---- Writing ------------------------------------------------------------------------------ */

static void documents_are_indented_by_two(void **state)
{
    (void)state;
    trm_text *text = trm_text_create(NULL);
    assert_non_null(text);
    assert_string_equal(trm_text_get(text), "");
    trm_json_writer w = trm_json_begin(trm_text_sink(text));
    trm_json_open_object(&w, NULL);
    trm_json_put_text(&w, "name", "a \"b\" \\ \n\x01 \xc3\xa4 \xff /");
    trm_json_put_number(&w, "mass", 10);
    trm_json_put_integer(&w, "steps", -9007199254740993);
    trm_json_put_number(&w, "gap", NAN);
    trm_json_put_numbers(&w, "axis", (double[]){0, 0.5, -INFINITY}, 3);
    trm_json_put_texts(&w, "names", (const char *const[]){"a", "b"}, 2);
    trm_json_open_array(&w, "list");
    trm_json_put_bool(&w, NULL, true);
    trm_json_put_null(&w, NULL);
    trm_json_put_text(&w, NULL, NULL);
    trm_json_open_object_flat(&w, NULL);
    trm_json_put_bool(&w, "x", false);
    trm_json_open_array(&w, "inside");
    trm_json_put_integer(&w, NULL, 1);
    trm_json_put_integer(&w, NULL, 2);
    trm_json_close(&w);
    trm_json_close(&w);
    trm_json_close(&w);
    trm_json_open_object(&w, "empty");
    trm_json_close(&w);
    trm_json_put_numbers(&w, "none", NULL, 0);
    trm_json_close(&w);
    assert_true(trm_json_end(&w));
    static const char expected[] = "{\n"
                                   "  \"name\": \"a \\\"b\\\" \\\\ \\n\\u0001 \xc3\xa4 \\ufffd /\",\n"
                                   "  \"mass\": 10,\n"
                                   "  \"steps\": -9007199254740993,\n"
                                   "  \"gap\": null,\n"
                                   "  \"axis\": [0, 0.5, null],\n"
                                   "  \"names\": [\"a\", \"b\"],\n"
                                   "  \"list\": [\n"
                                   "    true,\n"
                                   "    null,\n"
                                   "    null,\n"
                                   "    {\"x\": false, \"inside\": [1, 2]}\n"
                                   "  ],\n"
                                   "  \"empty\": {},\n"
                                   "  \"none\": []\n"
                                   "}\n";
    assert_string_equal(trm_text_get(text), expected);
    assert_int_equal(trm_text_length(text), strlen(expected));
    trm_text_destroy(text);
}

static void files_take_what_is_written(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    trm_json_writer w = trm_json_begin(trm_file_sink(file));
    trm_json_put_number(&w, NULL, 0.1);
    assert_true(trm_json_end(&w));
    rewind(file);
    char line[16];
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "0.1\n");
    fclose(file);
}

static bool take_ten_bytes(void *context, const char *text, size_t length)
{
    (void)text;
    size_t *left = context;
    if (length > *left) return false;
    *left -= length;
    return true;
}

static void a_full_sink_is_reported_at_the_end(void **state)
{
    (void)state;
    size_t left = 10;
    trm_json_writer w = trm_json_begin((trm_sink){take_ten_bytes, &left});
    trm_json_open_object(&w, NULL);
    trm_json_put_text(&w, "key", "a text that does not fit");
    trm_json_put_numbers(&w, "numbers", (double[]){1, 2}, 2);
    trm_json_close(&w);
    assert_false(trm_json_end(&w));
}

static int mistakes;

static void count_mistake(const char *condition, const char *file, int line)
{
    (void)condition, (void)file, (void)line;
    mistakes++;
}

static bool take_anything(void *context, const char *text, size_t length)
{
    (void)context, (void)text, (void)length;
    return true;
}

static void mistakes_of_the_caller_are_asserted_and_harmless(void **state)
{
    (void)state;
    trm_set_assert_handler(count_mistake);
    const trm_sink sink = {take_anything, NULL};

    mistakes = 0;
    trm_json_writer w = trm_json_begin(sink);
    for (int i = 0; i < 2 * TRM_JSON_WRITER_DEPTH; i++) trm_json_open_array(&w, NULL);
    assert_true(mistakes > 0);
    assert_false(trm_json_end(&w));

    mistakes = 0;
    w = trm_json_begin(sink);
    trm_json_open_object(&w, NULL);
    trm_json_put_bool(&w, NULL, true); /* no key */
    assert_int_equal(mistakes, 1);
    assert_false(trm_json_end(&w));

    mistakes = 0;
    w = trm_json_begin(sink);
    trm_json_put_bool(&w, NULL, true);
    trm_json_put_bool(&w, NULL, true); /* a second document */
    assert_int_equal(mistakes, 1);

    mistakes = 0;
    w = trm_json_begin(sink);
    trm_json_close(&w); /* nothing open */
    assert_int_equal(mistakes, 1);

    mistakes = 0;
    w = trm_json_begin(sink);
    trm_json_open_array(&w, NULL);
    assert_false(trm_json_end(&w)); /* still open */
    assert_int_equal(mistakes, 1);
    trm_set_assert_handler(NULL);
}

static void written_values_are_read_back_unchanged(void **state)
{
    (void)state;
    static generator g;
    g.random = trm_random_seed(13);
    for (int i = 0; i < 1000; i++) {
        generate(&g);
        reading first = read_bytes(g.text, g.length, NULL);
        assert_non_null(first.root);
        trm_text *text = trm_text_create(NULL);
        trm_json_writer w = trm_json_begin(trm_text_sink(text));
        write_json(&w, NULL, first.root);
        assert_true(trm_json_end(&w));
        assert_true(same_verdict(trm_text_get(text), trm_text_length(text)));

        reading second = read_bytes(trm_text_get(text), trm_text_length(text), NULL);
        assert_non_null(second.root);
        assert_true(same_json(first.root, second.root));
        trm_text_destroy(text);
        forget(&first);
        forget(&second);
    }
}

/* ---- Out of memory ------------------------------------------------------------------------ */

/* Reads and writes a document; returns false if an allocation failed, which must be reported. */
static bool read_and_write(const char *document, size_t length, const trm_allocator *hooks)
{
    bool done = false;
    trm_arena arena;
    trm_arena_init(&arena, hooks);
    trm_messages *messages = trm_messages_create(hooks);
    trm_text *text = trm_text_create(hooks);
    if (messages && text) {
        const trm_json *root = trm_json_parse(&arena, document, length, "f", NULL, messages);
        assert_true(root || arena.failed);
        assert_int_equal(trm_message_count(messages), 0);
        trm_json_writer w = trm_json_begin(trm_text_sink(text));
        if (root) write_json(&w, NULL, root);
        done = root && trm_json_end(&w);
    }
    trm_text_destroy(text);
    trm_messages_destroy(messages);
    trm_arena_destroy(&arena);
    return done;
}

static void assert_survives_refusals(const char *document, size_t length, bool for_good)
{
    bool done = false;
    long k = 0;
    while (!done) {
        failing_allocator memory;
        failing_allocator_reset(&memory, ++k, for_good);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        done = read_and_write(document, length, &hooks);
        assert_true(failing_allocator_is_clean(&memory));
        assert_int_equal(done, memory.refusals == 0);
    }
    assert_true(k > 10); /* several allocations did fail */
}

static void no_refused_allocation_leaks_or_crashes(void **state)
{
    (void)state;
    static generator g;
    g.random = trm_random_seed(14);
    do generate(&g);
    while (g.length < 5000);
    assert_survives_refusals(g.text, g.length, false);
    assert_survives_refusals(g.text, g.length, true);
}

/* A refused document while allocations fail: its message may be lost, but it must be refused. */
static void no_refused_allocation_hides_an_error(void **state)
{
    (void)state;
    static const char document[] = "{\"a\": [1, 2, 3], \"b\": {\"c\": tru}}";
    bool said = false;
    for (long k = 1; !said; k++) {
        failing_allocator memory;
        failing_allocator_reset(&memory, k, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_arena arena;
        trm_arena_init(&arena, &hooks);
        trm_messages *messages = trm_messages_create(&hooks);
        if (messages) {
            assert_null(trm_json_parse(&arena, document, strlen(document), "f", NULL, messages));
            assert_true(arena.failed || trm_messages_status(messages) != TRM_OK);
            said = trm_message_count(messages) == 1;
        }
        trm_messages_destroy(messages);
        trm_arena_destroy(&arena);
        assert_true(failing_allocator_is_clean(&memory));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_without_a_value_are_refused),
        cmocka_unit_test(truncated_files_name_what_is_open),
        cmocka_unit_test(bad_strings_are_refused),
        cmocka_unit_test(bytes_that_are_not_utf8_are_named),
        cmocka_unit_test(bad_numbers_come_with_a_hint),
        cmocka_unit_test(bad_structure_is_refused),
        cmocka_unit_test(a_key_twice_names_the_line_of_the_first),
        cmocka_unit_test(a_key_twice_is_found_among_very_many),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(a_refused_document_leaves_the_arena_as_it_was),
        cmocka_unit_test(values_know_where_they_stand),
        cmocka_unit_test(kinds_have_names_for_sentences),
        cmocka_unit_test(random_documents_read_as_jansson_reads_them),
        cmocka_unit_test(damaged_documents_are_judged_as_jansson_judges_them),
        cmocka_unit_test(documents_are_indented_by_two),
        cmocka_unit_test(files_take_what_is_written),
        cmocka_unit_test(a_full_sink_is_reported_at_the_end),
        cmocka_unit_test(mistakes_of_the_caller_are_asserted_and_harmless),
        cmocka_unit_test(written_values_are_read_back_unchanged),
        cmocka_unit_test(no_refused_allocation_leaks_or_crashes),
        cmocka_unit_test(no_refused_allocation_hides_an_error),
    };
    return RUN_TESTS(tests);
}
