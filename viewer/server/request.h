/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What a page asks for (viewer/DATA.md, "From the page"): a word, then what belongs to it. */

#ifndef TRM_VIEWER_REQUEST_H
#define TRM_VIEWER_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum {
    MOST_REQUEST_BYTES = 4 << 20, /* a model's file among them */
    LONGEST_NAME = 400,           /* bytes of the path of a file, or of the name of a setting, with the terminator */
    MOST_PAGES = 32,              /* that look at once */
    SENTENCE = 1200,              /* bytes of one that says why something cannot be done */
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
    REQUEST_GONE, /* of a page that has been closed: no message, but what the server makes of it */
} request_kind;

typedef struct request {
    request_kind kind;
    unsigned page;           /* whose it is; set by the server */
    double numbers[7];       /* as many as the word takes, all finite */
    char name[LONGEST_NAME]; /* of a setting, or of a file */
    char value[400];         /* of a setting */
    const char *text;        /* of a model's file, or a piece of a file: inside the message, */
    size_t length;           /* so long */
    struct parcel *files;    /* that a page sent, to load a model from; set by the server */
    struct request *next;
} request;

/* Reads a message; false: why it is none. It need not be terminated. */
bool read_request(const char *message, size_t length, request *r, char *why, size_t size);

#endif
