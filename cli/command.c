/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions that commands share: reading options and --set, printing messages. */

#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool has_option(const command_line *line, const char *name)
{
    for (int i = 0; i < line->option_count; i++)
        if (strcmp(line->options[i]->name, name) == 0) return true;
    return false;
}

const char *option_value(const command_line *line, const char *name)
{
    const char *value = NULL;
    for (int i = 0; i < line->option_count; i++)
        if (strcmp(line->options[i]->name, name) == 0) value = line->values[i];
    return value;
}

/* Splits NAME=VALUE in place; the value is a numeric expression such as 0.2 or 30*deg. */
static bool read_setting(const char *key, const char *text, trm_constant *setting)
{
    const char *equals = strchr(text, '=');
    char *name = equals ? strndup(text, (size_t)(equals - text)) : NULL;
    char why[200];
    if (!name || !name[0]) {
        fprintf(stderr, "trammel: %s takes NAME=VALUE, not \"%s\"\n", key, text);
        free(name);
        return false;
    }
    *setting = (trm_constant){name, 0};
    if (trm_evaluate(equals + 1, &setting->value, why, sizeof why)) return true;
    fprintf(stderr, "trammel: %s %s: %s\n", key, text, why);
    return false;
}

bool set_options(const command_line *line, const char *key, trm_constant **set, int *count)
{
    *count = 0;
    *set = calloc((size_t)line->option_count + 1, sizeof **set);
    if (!*set) return false;
    for (int i = 0; i < line->option_count; i++)
        if (strcmp(line->options[i]->name, key) == 0 && !read_setting(key, line->values[i], &(*set)[(*count)++]))
            return false;
    return true;
}

void free_settings(trm_constant *set, int count)
{
    for (int i = 0; set && i < count; i++) free((void *)(uintptr_t)set[i].name);
    free(set);
}

void print_messages(const trm_messages *messages)
{
    for (int i = 0; i < trm_message_count(messages); i++) {
        char text[1200];
        trm_format_message(trm_message_at(messages, i), text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
    int shown = 0;
    for (int i = 0; i < trm_message_count(messages); i++) shown += trm_message_at(messages, i)->severity == TRM_ERROR;
    if (trm_error_count(messages) > shown)
        fprintf(stderr, "... and %d more errors\n", trm_error_count(messages) - shown);
}

/* ---- Texts for files that are made --------------------------------------------------------- */

static bool put_option(trm_sink sink, const char *name, const char *value)
{
    const char *quote = value && strpbrk(value, " *'\"$") ? "\"" : "";
    if (!trm_put_text(sink, " ") || !trm_put_text(sink, name)) return false;
    return !value || (trm_put_text(sink, " ") && trm_put_text(sink, quote) && trm_put_text(sink, value) &&
                      trm_put_text(sink, quote));
}

char *text_of_command(const char *name, const command_line *line)
{
    trm_text *text = trm_text_create(NULL);
    const trm_sink sink = text ? trm_text_sink(text) : (trm_sink){0};
    bool good = text && trm_put_text(sink, "trammel ") && trm_put_text(sink, name);
    for (int i = 0; good && i < line->word_count; i++)
        good = trm_put_text(sink, " ") && trm_put_text(sink, line->words[i]);
    for (int i = 0; good && i < line->option_count; i++)
        good = put_option(sink, line->options[i]->name, line->values[i]);
    char *said = good ? strdup(trm_text_get(text)) : NULL;
    trm_text_destroy(text);
    return said;
}

char *bytes_of_file(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    if (size >= 0) bytes = malloc((size_t)size + 1);
    if (bytes) {
        rewind(file);
        *count = fread(bytes, 1, (size_t)size, file);
        bytes[*count] = 0;
    }
    if (file) fclose(file);
    return bytes;
}

char *text_of_file(const char *path)
{
    size_t length;
    return bytes_of_file(path, &length);
}
