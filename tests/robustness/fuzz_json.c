/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Fuzz target: any bytes are either refused with exactly one message, or read; the result, once written, reads back
 * the same. */

#include <stdlib.h>

#include "base/message.h"
#include "json_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static const trm_json *parse(trm_arena *arena, const char *text, size_t length, trm_messages *messages)
{
    const trm_json *root = trm_json_parse(arena, text, length, "fuzz", NULL, messages);
    require(trm_message_count(messages) == (root ? 0 : 1));
    return root;
}

static void write_and_read_again(const trm_json *root, trm_arena *arena, trm_messages *messages)
{
    trm_text *text = trm_text_create(NULL);
    require(text != NULL);
    trm_json_writer w = trm_json_begin(trm_text_sink(text));
    write_json(&w, NULL, root);
    require(trm_json_end(&w));
    const trm_json *again = parse(arena, trm_text_get(text), trm_text_length(text), messages);
    require(again && same_json(root, again));
    trm_text_destroy(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    require(messages != NULL);
    const trm_json *root = parse(&arena, (const char *)data, size, messages);
    if (root) write_and_read_again(root, &arena, messages);
    trm_messages_destroy(messages);
    trm_arena_destroy(&arena);
    return 0;
}
