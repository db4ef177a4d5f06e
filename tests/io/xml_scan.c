/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The scanner of XML compared with expat: documents of all examples, and the same with thousands of random changes,
 * are accepted by both or refused by both, with the same elements, attributes, text and places. */

#include "io/xml_scan.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "failing_allocator.h"

enum { MOST = 1 << 20 };

/* The reported events as text: "+name@line:column key=value;", "-", and joined pieces of text. */
typedef struct witness {
    char *text;
    size_t length;
    trm_xml_scan *scan;
    XML_Parser parser;
    bool has_doctype;
} witness;

static void put(witness *w, const char *text, size_t length)
{
    if (w->length + length + 1 > MOST) return;
    memcpy(w->text + w->length, text, length);
    w->length += length;
    w->text[w->length] = 0;
}

static void put_start(witness *w, const char *name, const char **attributes, int line, int column)
{
    char place[40];
    snprintf(place, sizeof place, "@%d:%d ", line, column);
    put(w, "+", 1);
    put(w, name, strlen(name));
    put(w, place, strlen(place));
    for (int i = 0; attributes[i]; i++) {
        put(w, attributes[i], strlen(attributes[i]));
        put(w, i % 2 ? ";" : "=", 1);
    }
}

static bool our_start(void *context, const char *name, const char **attributes)
{
    witness *w = context;
    int line, column;
    trm_xml_scan_place(w->scan, &line, &column);
    put_start(w, name, attributes, line, column);
    return true;
}

static bool our_end(void *context)
{
    put(context, "-", 1);
    return true;
}

static bool our_text(void *context, const char *text, size_t length)
{
    put(context, text, length);
    return true;
}

static bool our_doctype(void *context)
{
    ((witness *)context)->has_doctype = true;
    return false;
}

static void their_start(void *context, const char *name, const char **attributes)
{
    witness *w = context;
    put_start(w, name, attributes, (int)XML_GetCurrentLineNumber(w->parser),
              (int)XML_GetCurrentColumnNumber(w->parser) + 1);
}

static void their_end(void *context, const char *name)
{
    (void)name;
    put(context, "-", 1);
}

static void their_text(void *context, const char *text, int length)
{
    put(context, text, (size_t)length);
}

static void their_doctype(void *context, const char *name, const char *system, const char *public, int internal)
{
    (void)name, (void)system, (void)public, (void)internal;
    ((witness *)context)->has_doctype = true;
    XML_StopParser(((witness *)context)->parser, XML_FALSE);
}

static bool scan_ours(const char *text, size_t length, const trm_allocator *allocator, witness *w, const char **error)
{
    trm_arena arena;
    trm_arena_init(&arena, allocator);
    trm_xml_scan scan = {.scratch = &arena, .events = {w, our_start, our_end, our_text, our_doctype}};
    w->scan = &scan;
    char *own = trm_arena_text_n(&arena, text, length);
    *error = own ? trm_xml_decode(&arena, &own, &length) : NULL;
    const bool good = !*error && !arena.failed && trm_xml_scan_run(&scan, own, length);
    if (!*error) *error = scan.error;
    trm_arena_destroy(&arena);
    return good;
}

static bool scan_theirs(const char *text, size_t length, witness *w)
{
    w->parser = XML_ParserCreate(NULL);
    XML_SetUserData(w->parser, w);
    XML_SetElementHandler(w->parser, their_start, their_end);
    XML_SetCharacterDataHandler(w->parser, their_text);
    XML_SetStartDoctypeDeclHandler(w->parser, their_doctype);
    const bool good = XML_Parse(w->parser, text, (int)length, 1) == XML_STATUS_OK;
    XML_ParserFree(w->parser);
    return good;
}

static void compare(const char *text, size_t length)
{
    static char ours[MOST], theirs[MOST];
    witness a = {.text = ours}, b = {.text = theirs};
    const char *error;
    ours[0] = theirs[0] = 0;
    const bool good = scan_ours(text, length, NULL, &a, &error), theirs_good = scan_theirs(text, length, &b);
    if (a.has_doctype || b.has_doctype) return; /* both stop reading there */
    if (good != theirs_good || (good && strcmp(ours, theirs) != 0))
        print_error("%s\nours %d (%s): %s\nexpat %d: %s\n", text, good, error ? error : "", ours, theirs_good,
                    theirs);
    assert_int_equal(good, theirs_good);
    if (good) assert_string_equal(ours, theirs);
}

/* ---- Documents ---------------------------------------------------------------------------- */

static const char *const documents[] = {
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<robot name=\"a&amp;b\"><!-- c - d --><link name='x'/>\r\n t &lt; "
    "&#65;&#x3b1; "
    "<![CDATA[<&]] >\r\n]]></robot>\n<!-- end -->\n<?pi some?>\n",
    "<a b='1' c = \"2\"\n d='\t\r\n x'><e></e  >text\rmore</a>",
    "<a>\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80<b\xC3\xA4 k='\xC3\xB6'/></a>",
    "<a:b xmlns:a='u'><a:c _d='1' e.f-g='2'/></a:b>",
};

static void sound_documents_are_read_alike(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        static char ours[MOST];
        witness w = {.text = ours};
        const char *error;
        assert_true(scan_ours(documents[i], strlen(documents[i]), NULL, &w, &error));
        compare(documents[i], strlen(documents[i]));
    }
    const char latin[] = "<?xml version='1.0' encoding='ISO-8859-1'?><a k='\xE4'>\xF6</a>";
    compare(latin, sizeof latin - 1);
}

/* A byte order mark is not counted as a column of the first line; expat counts it. */
static void byte_order_marks_choose_the_encoding(void **state)
{
    static char ours[MOST];
    const char wide[] = "\xFF\xFE<\0a\0>\0\xE4\0<\0/\0a\0>\0", narrow[] = "\xEF\xBB\xBF<a>\xC3\xA4</a>";
    const char *error;
    (void)state;
    witness a = {.text = ours};
    assert_true(scan_ours(wide, sizeof wide - 1, NULL, &a, &error));
    assert_string_equal(ours, "+a@1:1 \xC3\xA4-");
    witness b = {.text = ours};
    assert_true(scan_ours(narrow, sizeof narrow - 1, NULL, &b, &error));
    assert_string_equal(ours, "+a@1:1 \xC3\xA4-");
    witness c = {.text = ours};
    assert_false(scan_ours(wide, sizeof wide - 2, NULL, &c, &error));
}

static void unsound_documents_are_refused_alike(void **state)
{
    static const char *const bad[] = {
        "",
        " ",
        "a",
        "<",
        "<a",
        "<a>",
        "<a/",
        "<a//>",
        "<a></b>",
        "<a></a",
        "<a/><b/>",
        "<a/>x",
        "<a b/>",
        "<a b=c/>",
        "<a b='1' b='2'/>",
        "<a b='1'c='2'/>",
        "<a b='<'/>",
        "<a>&x;</a>",
        "<a>&;</a>",
        "<a>&#;</a>",
        "<a>&#0;</a>",
        "<a>&#xD800;</a>",
        "<a>&#x110000;</a>",
        "<a>]]></a>",
        "<a><!-- -- --></a>",
        "<a><!--</a>",
        "<a><![CDATA[</a>",
        "<a><?xml version='1.0'?></a>",
        " <?xml version='1.0'?><a/>",
        "<a>\x01</a>",
        "<a>\xC0\x80</a>",
        "<a>\xED\xA0\x80</a>",
        "<a>\xFF</a>",
        "<1a/>",
        "<a><!b></a>",
        "<a b='&lt'/>",
        "<a>&lt</a>",
        "<a b=\"'/>",
        "<?x",
        "<a></a  b>",
        "<?xml version='1.0' encoding='klingon'?><a/>",
        "<a><?x?y</a>",
        "<a ='1'/>",
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        static char ours[MOST];
        witness w = {.text = ours};
        const char *error;
        assert_false(scan_ours(bad[i], strlen(bad[i]), NULL, &w, &error));
        assert_non_null(error);
        compare(bad[i], strlen(bad[i]));
    }
}

/* Replaces, removes or doubles bytes, or inserts pieces of markup. Declarations are not changed: expat reads them
 * word by word. */
static void change(trm_random *random, char *text, size_t *length)
{
    static const char *const pieces[] = {"<",    ">",    "/",   "&",         ";",    "'",     "\"",
                                         "<!--", "-->",  "]]>", "<![CDATA[", "&#x",  "&amp;", "\r",
                                         "\xC3", "\x80", "=",   " ",         "</a>", "<?p?>"};
    const size_t first = strncmp(text, "<?xml", 5) == 0 ? (size_t)(strchr(text, '>') - text) + 1 : 3;
    const size_t at = first + trm_random_bits(random) % (*length - first);
    const char *piece = pieces[trm_random_bits(random) % (sizeof pieces / sizeof pieces[0])];
    const size_t size = trm_random_bits(random) % 3 == 0 ? 0 : strlen(piece), gone = trm_random_bits(random) % 3;
    const size_t rest = *length - at < gone ? 0 : *length - at - gone;
    memmove(text + at + size, text + *length - rest, rest + 1);
    memcpy(text + at, piece, size);
    *length = at + size + rest;
}

static void changed_documents_are_read_or_refused_alike(void **state)
{
    static char text[MOST];
    (void)state;
    for (uint64_t seed = 1; seed <= 30000; seed++) {
        trm_random random = trm_random_seed(seed);
        const char *document = documents[seed % (sizeof documents / sizeof documents[0])];
        size_t length = strlen(document);
        memcpy(text, document, length + 1);
        for (uint64_t changes = 1 + trm_random_bits(&random) % 3; changes > 0; changes--)
            change(&random, text, &length);
        compare(text, length);
    }
}

static void examples_are_read_alike(void **state)
{
    static const char *const files[] = {"robots/arm.urdf", "robots/quadruped.urdf"};
    static char text[MOST];
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s", TRM_EXAMPLES, files[i]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        const size_t length = fread(text, 1, MOST - 1, file);
        fclose(file);
        text[length] = 0;
        compare(text, length);
    }
}

static void out_of_memory_is_reported(void **state)
{
    static char ours[MOST];
    (void)state;
    failing_allocator memory;
    long at = 0;
    bool done;
    do {
        failing_allocator_reset(&memory, ++at, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        witness w = {.text = ours};
        const char *error;
        done = scan_ours(documents[0], strlen(documents[0]), &hooks, &w, &error);
        assert_true(failing_allocator_is_clean(&memory));
    } while (!done);
    assert_true(at > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_documents_are_read_alike),
        cmocka_unit_test(byte_order_marks_choose_the_encoding),
        cmocka_unit_test(unsound_documents_are_refused_alike),
        cmocka_unit_test(changed_documents_are_read_or_refused_alike),
        cmocka_unit_test(examples_are_read_alike),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
