/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* docs/import-named.md lists the elements that the readers of robots name instead of using: the readers' own tables.
 * The test generates the page and compares; with TRAMMEL_WRITE_DOCS set it replaces the page. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/format.h"
#include "running.h"

static const char PAGE[] = TRM_EXAMPLES "/../docs/import-named.md";

static void put(trm_text *page, const char *text)
{
    assert_true(trm_text_sink(page).write(trm_text_sink(page).context, text, strlen(text)));
}

/* Writes one row per reason. */
static void put_format(trm_text *page, const trm_format *format)
{
    put(page, "\n## ");
    put(page, format->name);
    put(page, "\n\n| element, or element@attribute | is not used because |\n|---|---|\n");
    for (const trm_xml_reason *reason = format->reasons; reason->why; reason++) {
        put(page, "| `");
        for (const char *at = reason->names; *at; at++) {
            const char letter[2] = {*at};
            put(page, *at == ' ' ? "`, `" : letter);
        }
        put(page, "` | ");
        put(page, reason->why);
        put(page, " |\n");
    }
}

static void put_page(trm_text *page)
{
    put(page, "# What the readers of robots name\n\n"
              "[Importing robots](import.md) describes what `trammel` reads. An element or attribute that a reader "
              "does not use is reported\n"
              "once per kind, with its count, its first line and the reason below. Whatever is in no table and not "
              "used is reported as unknown.\n"
              "`--strict` makes all of these errors. `a/b` is an element `b` in `a`; `a@b` an attribute of `a`, or "
              "of all that is in `a`.\n\n"
              "The test `io_import_tables` writes this page from the tables of the readers.\n");
    put_format(page, &trm_format_urdf);
    put_format(page, &trm_format_mjcf);
    put_format(page, &trm_format_sdf);
}

static void the_page_holds_the_tables_of_the_readers(void **state)
{
    (void)state;
    trm_text *page = trm_text_create(NULL);
    put_page(page);
    if (getenv("TRAMMEL_WRITE_DOCS")) {
        FILE *file = fopen(PAGE, "w");
        assert_non_null(file);
        fputs(trm_text_get(page), file);
        fclose(file);
    }
    char *text = calloc(1, trm_text_length(page) + 2);
    FILE *file = fopen(PAGE, "r");
    assert_non_null(file);
    const size_t length = fread(text, 1, trm_text_length(page) + 1, file);
    fclose(file);
    if (length != trm_text_length(page) || strcmp(text, trm_text_get(page)) != 0)
        print_error("docs/import-named.md is old: TRAMMEL_WRITE_DOCS=1 ctest --preset release -R io_import_tables\n");
    assert_string_equal(text, trm_text_get(page));
    free(text);
    trm_text_destroy(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_page_holds_the_tables_of_the_readers)};
    return RUN_TESTS(tests);
}
