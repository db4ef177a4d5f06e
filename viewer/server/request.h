/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The requests of pages (viewer/DATA.md, "From the page"): a word, followed by its arguments. */

#ifndef TRM_VIEWER_REQUEST_H
#define TRM_VIEWER_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum {
    MOST_REQUEST_BYTES = 4 << 20, /* includes the file of a model */
    LONGEST_NAME = 400,           /* bytes of the path of a file, or of the name of a setting, with the terminator */
    MOST_PAGES = 32,              /* largest number of open pages */
    SENTENCE = 1200,              /* size of the buffer for a sentence that says why a request cannot be done */
};

typedef enum request_kind {
    REQUEST_PLAY,
    REQUEST_PAUSE,
    REQUEST_STEP,
    REQUEST_RESET,
    REQUEST_SPEED,
    REQUEST_SET,
    REQUEST_GRAB,
    REQUEST_PULL,
    REQUEST_RELEASE,
    REQUEST_WANT,
    REQUEST_CONTROL,
    REQUEST_UNCONTROL,
    REQUEST_REWIND,
    REQUEST_JOG,
    REQUEST_PLACE,
    REQUEST_CONSTANT,
    REQUEST_SEEN,
    REQUEST_RELOAD,
    REQUEST_MODEL,
    REQUEST_DROP,
    REQUEST_FILE,
    REQUEST_LOAD,
    REQUEST_GONE, /* a page has been closed; posted by the server, not sent by a page */
} request_kind;

typedef struct request {
    request_kind kind;
    unsigned page;           /* page that sent it; set by the server */
    double numbers[7];       /* the numbers of the word, all finite */
    char name[LONGEST_NAME]; /* name of a setting or of a file */
    char value[400];         /* value of a setting */
    const char *text;        /* contents of a model's file, or a piece of a file; points into the message */
    size_t length;           /* bytes of text */
    struct parcel *files;    /* files sent by a page, from which a model is loaded; set by the server */
    struct request *next;
} request;

/* Reads a message, which need not be terminated. Returns false, with the reason in why, if it is not a request. */
bool read_request(const char *message, size_t length, request *r, char *why, size_t size);

#endif
