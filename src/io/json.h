/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A JSON document as a tree of values with their places in the file.
 *
 * RFC 8259 with extensions: comments (// to the end of the line, and from slash-star to star-slash), a trailing comma,
 * a UTF-8 byte-order mark at the start. Refused, although RFC 8259 does not require it: a repeated key in an object,
 * a NUL in a string (names are C strings), a number too large for a double, text that is not UTF-8. */

#ifndef TRM_IO_JSON_H
#define TRM_IO_JSON_H

#include "base/arena.h"
#include "trammel/app.h"
#include "trammel/base.h"

typedef enum trm_json_kind {
    TRM_JSON_NULL,
    TRM_JSON_BOOL,
    TRM_JSON_NUMBER,
    TRM_JSON_STRING,
    TRM_JSON_ARRAY,
    TRM_JSON_OBJECT,
} trm_json_kind;

typedef struct trm_json trm_json;
typedef struct trm_json_member trm_json_member;

struct trm_json {
    trm_json_kind kind;
    int line, column; /* place of the value's first character, from 1, in bytes */
    int count;        /* number of items or members; 0 for all other kinds */
    union {
        bool boolean;
        double number;
        size_t length; /* of a string's text */
    };
    union {
        const char *text;               /* string: unescaped UTF-8, terminated */
        const trm_json *items;          /* array */
        const trm_json_member *members; /* object, in the order of the file */
    };
};

struct trm_json_member {
    const char *key;
    int line, column; /* of the key */
    trm_json value;
};

/* Limits of a document; one that exceeds them is refused. */
typedef struct trm_json_limits {
    int depth;    /* nesting of arrays and objects; at most TRM_JSON_DEEPEST */
    size_t bytes; /* size of the text; at most INT_MAX, because lines and columns are int */
    int values;   /* number of values in the whole document, about 50 bytes of memory each */
} trm_json_limits;

enum { TRM_JSON_DEEPEST = 1000 };

/* Returns the default limits: depth 100, 1 GiB of text, and as many values as fit into that. */
trm_json_limits trm_json_default_limits(void);

/* Reads a document into the arena. limits NULL: the default ones. text needs no terminator. Returns NULL after a
 * message that says where, what is wrong and what to write instead; or, without a message, if out of memory
 * (arena->failed). In both cases the arena keeps its previous contents only. */
const trm_json *trm_json_parse(trm_arena *arena, const char *text, size_t length, const char *file,
                               const trm_json_limits *limits, trm_messages *messages);

/* Returns the value of a key, NULL if the object has no such key. */
const trm_json *trm_json_member_value(const trm_json *object, const char *key);

/* Returns "a number", "an object", ... */
const char *trm_json_kind_name(trm_json_kind kind);

/* Returns the number of bytes, 1 to 4, of the UTF-8 character at text; 0 if there is none (Unicode 15, table 3-7:
 * no overlong forms, no surrogates, nothing beyond U+10FFFF). */
int trm_utf8_length(const char *text, const char *end);

static inline void trm_json_put_vector(trm_json_writer *w, const char *key, trm_vec3 v)
{
    trm_json_put_numbers(w, key, (const double[]){v.x, v.y, v.z}, 3);
}

#endif
