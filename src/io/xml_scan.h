/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reads an XML document from its beginning to its end, and reports tags and text (xml_scan.c). */

#ifndef TRM_IO_XML_SCAN_H
#define TRM_IO_XML_SCAN_H

#include <string.h>

#include "base/arena.h"

/* Largest depth of nested elements. */
enum { TRM_XML_DEPTH = 200 };

typedef struct trm_xml_scan trm_xml_scan;

/* A name or a value of a tag. raw: it contains references, or white space other than blanks. */
typedef struct trm_xml_piece {
    char *start;
    size_t length;
    bool raw;
} trm_xml_piece;

/* Functions that receive the events of a scan. One that returns false ends the scan. */
typedef struct trm_xml_events {
    void *context;
    bool (*start)(void *context, const char *name,
                  const char **attributes); /* names and values alternately, then NULL */
    bool (*end)(void *context);
    bool (*text)(void *context, const char *text,
                 size_t length); /* in pieces; references replaced, lines end with \n */
    bool (*doctype)(void *context);
} trm_xml_events;

struct trm_xml_scan {
    trm_arena *scratch; /* for lists of attributes */
    trm_xml_events events;
    const char *text, *end;
    char *at;
    const char *token;   /* the tag that is reported, or the place of the error */
    const char *error;   /* error message; NULL: no error, or an event ended the scan */
    const char *counted; /* end of the text whose lines and columns were counted; the counts follow */
    int line, column;
    int lines_before; /* lines of the file before the text */
    struct {
        const char *token;
        int line, column;
    } tag;                   /* line and column of the last place that was requested */
    trm_xml_piece *pieces;   /* names and values of the tag alternately */
    const char **attributes; /* the same, terminated by zeros, then NULL */
    int attribute_count, attribute_room;
    struct {
        const char *name;
        size_t length;
    } open[TRM_XML_DEPTH + 1];
    int depth;
};

/* Converts UTF-16 with a byte order mark and ISO-8859-1 to UTF-8, in the arena; UTF-8 is unchanged. Returns NULL on
 * success, else an error message; arena->failed is set if out of memory. */
const char *trm_xml_decode(trm_arena *arena, char **text, size_t *length);

/* Converts ISO-8859-1. If out of memory, the text stays. */
void trm_xml_decode_latin(trm_arena *arena, char **text, size_t *length);

/* Scans UTF-8. Returns false after an error (scan->error), if an event ended it, or if out of memory
 * (scratch->failed). A document type declaration is reported and not read. Names and values of tags are terminated by
 * zeros in the text itself, which is changed; pointers to them are valid as long as the text exists. */
bool trm_xml_scan_run(trm_xml_scan *scan, char *text, size_t length);

/* Computes line and column of the token, both from 1; columns are counted in characters, not bytes. */
void trm_xml_scan_place(trm_xml_scan *scan, int *line, int *column);

/* Returns whether a text begins with a byte order mark of UTF-16. */
static inline bool trm_xml_is_utf16(const char *text, size_t length)
{
    return length >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0);
}

static inline bool trm_xml_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

#endif
