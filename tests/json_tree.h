/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Writes whole documents with the writer and compares them. For the tests and the fuzz targets. */

#ifndef TRM_TESTS_JSON_TREE_H
#define TRM_TESTS_JSON_TREE_H

#include <string.h>

#include "io/json.h"
#include "trammel/app.h"
#include "trammel/io.h"

static inline void write_json(trm_json_writer *w, const char *key, const trm_json *value);

static inline void write_json_array(trm_json_writer *w, const char *key, const trm_json *value)
{
    if (value->count % 2)
        trm_json_open_array_flat(w, key);
    else
        trm_json_open_array(w, key);
    for (int i = 0; i < value->count; i++) write_json(w, NULL, &value->items[i]);
    trm_json_close(w);
}

static inline void write_json_object(trm_json_writer *w, const char *key, const trm_json *value)
{
    if (value->count % 2)
        trm_json_open_object_flat(w, key);
    else
        trm_json_open_object(w, key);
    for (int i = 0; i < value->count; i++) write_json(w, value->members[i].key, &value->members[i].value);
    trm_json_close(w);
}

/* Arrays and objects with an odd count are written flat. */
static inline void write_json(trm_json_writer *w, const char *key, const trm_json *value)
{
    switch (value->kind) {
    case TRM_JSON_NULL: trm_json_put_null(w, key); break;
    case TRM_JSON_BOOL: trm_json_put_bool(w, key, value->boolean); break;
    case TRM_JSON_NUMBER: trm_json_put_number(w, key, value->number); break;
    case TRM_JSON_STRING: trm_json_put_text(w, key, value->text); break;
    case TRM_JSON_ARRAY: write_json_array(w, key, value); break;
    case TRM_JSON_OBJECT: write_json_object(w, key, value); break;
    }
}

/* Returns whether two values have the same kinds, bit-identical contents and order; positions in the file are
 * ignored. */
static inline bool same_json(const trm_json *a, const trm_json *b)
{
    if (a->kind != b->kind || a->count != b->count) return false;
    if (a->kind == TRM_JSON_BOOL && a->boolean != b->boolean) return false;
    if (a->kind == TRM_JSON_NUMBER && memcmp(&a->number, &b->number, sizeof a->number) != 0) return false;
    if (a->kind == TRM_JSON_STRING && (a->length != b->length || memcmp(a->text, b->text, a->length + 1) != 0))
        return false;
    for (int i = 0; i < a->count; i++) {
        if (a->kind == TRM_JSON_ARRAY && !same_json(&a->items[i], &b->items[i])) return false;
        if (a->kind != TRM_JSON_OBJECT) continue;
        const trm_json_member *ma = &a->members[i], *mb = &b->members[i];
        if (strcmp(ma->key, mb->key) != 0 || !same_json(&ma->value, &mb->value)) return false;
    }
    return true;
}

#endif
