/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Exchanges memory and texts between the module and JavaScript. */

#include <stdlib.h>

#include "exports.h"

static trm_text *answer;

EXPORT(void *, take_memory, size_t bytes)
{
    return malloc(bytes > 0 ? bytes : 1);
}

EXPORT(void, give_memory, void *memory)
{
    free(memory);
}

EXPORT(const char *, answer_text, void)
{
    return answer ? trm_text_get(answer) : "";
}

EXPORT(size_t, answer_length, void)
{
    return answer ? trm_text_length(answer) : 0;
}

trm_sink begin_answer(void)
{
    trm_text_destroy(answer);
    answer = trm_text_create(NULL);
    if (!answer) abort(); /* a trap, which becomes an error in JavaScript */
    return trm_text_sink(answer);
}

void put_messages(trm_json_writer *w, const char *key, const trm_messages *messages)
{
    trm_json_open_array(w, key);
    for (int i = 0; i < trm_message_count(messages); i++) {
        const trm_message *m = trm_message_at(messages, i);
        trm_json_open_object_flat(w, NULL);
        trm_json_put_text(w, "severity", m->severity == TRM_ERROR ? "error" : "warning");
        trm_json_put_text(w, "file", m->place.file ? m->place.file : "");
        trm_json_put_integer(w, "line", m->place.line);
        trm_json_put_integer(w, "column", m->place.column);
        trm_json_put_text(w, "element", m->element);
        trm_json_put_text(w, "text", m->text);
        trm_json_close(w);
    }
    trm_json_close(w);
}

EXPORT(void, version, void)
{
    trm_put_text(begin_answer(), trm_version());
}

/* Answers with the JSON Schema of model files. */
EXPORT(void, schema, void)
{
    trm_write_model_schema(begin_answer());
}
