/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reads models in tests, from text and from files, and prints the messages. */

#ifndef TRM_TESTS_READING_H
#define TRM_TESTS_READING_H

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "trammel/trammel.h"

static inline void print_messages(const trm_messages *messages)
{
    for (int i = 0; i < trm_message_count(messages); i++) {
        char text[1000];
        trm_format_message(trm_message_at(messages, i), text, sizeof text);
        print_error("%s\n", text);
    }
}

/* Returns the definition in a text without errors. */
static inline trm_model_def *read_with(const char *text, const trm_read_options *options)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = NULL;
    const trm_status status = trm_read_model_text(text, strlen(text), "text", options, NULL, messages, &def);
    print_messages(messages);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    assert_non_null(def);
    return def;
}

static inline trm_model_def *read_model(const char *text)
{
    return read_with(text, NULL);
}

static inline trm_model_def *read_model_file(const char *path)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = NULL;
    const trm_status status = trm_read_model_file(path, NULL, NULL, messages, &def);
    print_messages(messages);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    assert_non_null(def);
    return def;
}

/* Returns the model of a definition without errors; it does not need the definition any more. */
static inline trm_model *build_model(const trm_model_def *def)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model *model = NULL;
    const trm_status status = trm_model_create(def, NULL, messages, &model);
    if (status != TRM_OK) print_messages(messages);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    assert_non_null(model);
    return model;
}

static inline trm_model *model_of_text(const char *text)
{
    trm_model_def *def = read_model(text);
    trm_model *model = build_model(def);
    trm_model_def_destroy(def);
    return model;
}

/* Does the same for a text with ' in place of ". */
static inline trm_model *quoted(const char *text)
{
    char json[8000];
    assert_true(strlen(text) < sizeof json);
    strcpy(json, text);
    for (char *at = json; *at; at++)
        if (*at == '\'') *at = '"';
    return model_of_text(json);
}

static inline trm_model *model_of_file(const char *path)
{
    trm_model_def *def = read_model_file(path);
    trm_model *model = build_model(def);
    trm_model_def_destroy(def);
    return model;
}

static inline trm_state *start_of(const trm_model *model)
{
    trm_state *state = trm_state_create(model, NULL);
    assert_non_null(state);
    return state;
}

/* The text that a definition is written as; freed by the caller. */
static inline char *text_of(const trm_model_def *def)
{
    trm_text *text = trm_text_create(NULL);
    assert_int_equal(trm_write_model(def, trm_text_sink(text)), TRM_OK);
    char *copy = strdup(trm_text_get(text));
    trm_text_destroy(text);
    return copy;
}

/* The hash of the state in which a model starts. */
static inline uint64_t hash_of_start(const trm_model_def *def)
{
    trm_model *model = build_model(def);
    trm_state *start = start_of(model);
    const uint64_t hash = trm_state_hash(start);
    trm_state_destroy(start);
    trm_model_destroy(model);
    return hash;
}

#endif
