/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reads an XML document from its beginning to its end, and reports tags and text (xml_scan.c). */

#ifndef TRM_IO_XML_SCAN_H
#define TRM_IO_XML_SCAN_H

#include "base/arena.h"

/* Elements inside each other, at most. */
enum { TRM_XML_DEPTH = 200 };

typedef struct trm_xml_scan trm_xml_scan;

/* A name or a value of a tag. raw: it holds references, or white space other than blanks. */
typedef struct trm_xml_piece {
    char *start;
    size_t length;
    bool raw;
} trm_xml_piece;

/* What is reported. A function that returns false ends the scan. */
typedef struct trm_xml_events {
    void *context;
    bool (*start)(void *context, const char *name,
                  const char **attributes); /* names and values by turns, then NULL */
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
    const char *token;   /* where the place is: the tag that is reported, or what is wrong */
    const char *error;   /* what is wrong; NULL: nothing, or an event ended the scan */
    const char *counted; /* up to where lines and columns were counted, and the place there */
    int line, column;
    struct {
        const char *token;
        int line, column;
    } tag;                   /* the last place that was requested */
    trm_xml_piece *pieces;   /* names and values of the tag by turns, */
    const char **attributes; /* ended by zeros, then NULL */
    int attribute_count, attribute_room;
    struct {
        const char *name;
        size_t length;
    } open[TRM_XML_DEPTH + 1];
    int depth;
};

/* The document as UTF-8, from arena or as it is: UTF-16 with a byte order mark and ISO-8859-1 are converted.
 * Returns what is wrong, or NULL; arena->failed where there is no memory. */
const char *trm_xml_decode(trm_arena *arena, char **text, size_t *length);

/* Scans UTF-8. False: scan->error, or an event ended it, or scratch->failed. A document type declaration is
 * reported and not read. Names and values of tags are ended by zeros in the text itself, which therefore changes; events
 * may keep pointers to them as long as there is the text. */
bool trm_xml_scan_run(trm_xml_scan *scan, char *text, size_t length);

/* Line and column of the token, both from 1; characters are counted, not bytes. */
void trm_xml_scan_place(trm_xml_scan *scan, int *line, int *column);

#endif
