/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "origin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool put_bytes(trm_text *to, const char *text, size_t length)
{
    const trm_sink sink = trm_text_sink(to);
    return sink.write(sink.context, text, length);
}

bool put(trm_text *to, const char *text)
{
    return put_bytes(to, text, strlen(text));
}

bool put_in_line(trm_text *to, const char *text)
{
    for (; *text; text++) {
        const char letter = (unsigned char)*text < ' ' ? ' ' : *text;
        if (!put_bytes(to, &letter, 1)) return false;
    }
    return true;
}

/* FNV-1a, 64 bits */
static uint64_t hash_of(const char *bytes, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++) hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static bool is_among(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0) return true;
    return false;
}

static bool put_options(trm_text *to, const command *c, const command_line *line, const char *const *ignored)
{
    bool good = true;
    for (const option *o = c->options; o < c->options + c->option_count; o++)
        for (int i = 0; good && !is_among(o->name, ignored) && i < line->option_count; i++)
            if (line->options[i] == o)
                good = put(to, "# ") && put(to, o->name) && put(to, " ") &&
                       (!line->values[i] || put_in_line(to, line->values[i])) && put(to, "\n");
    return good;
}

bool put_origin(trm_text *to, const command *c, const command_line *line, const char *const *ignored,
                const char *model, size_t model_length)
{
    char text[200];
    snprintf(text, sizeof text, "# trammel %s\n# %s of a model whose file has the hash %016" PRIx64 "\n",
             trm_version(), c->name, hash_of(model, model_length));
    return put(to, text) && put_options(to, c, line, ignored);
}
