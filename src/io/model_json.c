/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Model files: reading, writing, schema. The keys are in model_forms*.c. */

#include <errno.h>
#include <string.h>

#include "base/message.h"
#include "io/files.h"
#include "io/model_forms.h"

/* The folder that a path is in: "." for a bare name. */
static char *directory_of(trm_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? trm_arena_text_n(arena, path, slash == path ? 1 : (size_t)(slash - path))
                 : trm_arena_text(arena, ".");
}

/* Parses into an arena of its own, then reads into the definition. */
static trm_status read_text(trm_model_def *def, const char *text, size_t length, const char *directory,
                            const trm_read_options *options, trm_messages *messages)
{
    trm_arena scratch;
    trm_arena_init(&scratch, &def->arena->allocator);
    const trm_json *root = trm_json_parse(&scratch, text, length, def->file, NULL, messages);
    trm_status status = TRM_OUT_OF_MEMORY;
    if (root) {
        trm_reader reader = {
            .arena = def->arena, .messages = messages, .file = def->file, .directory = directory, .options = options};
        const int first = trm_message_count(messages);
        if (trm_form_read(&reader, &trm_form_model, root, def)) status = trm_messages_status(messages);
        trm_messages_sort(messages, first);
    } else if (!scratch.failed) {
        status = trm_messages_status(messages);
    }
    trm_arena_destroy(&scratch);
    return status;
}

trm_status trm_read_model_text(const char *text, size_t length, const char *name, const trm_read_options *options,
                               const trm_allocator *allocator, trm_messages *messages, trm_model_def **def)
{
    *def = NULL;
    trm_model_def *made = trm_model_def_create(allocator);
    if (!made) return TRM_OUT_OF_MEMORY;
    made->file = trm_arena_text(made->arena, name);
    const trm_status status = made->file ? read_text(made, text, length, NULL, options, messages) : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK)
        *def = made;
    else
        trm_model_def_destroy(made);
    return status;
}

/* Reads the file into the definition's own arena; its text stays there as long as the definition. */
static trm_status read_file(trm_model_def *def, const char *path, const trm_read_options *options,
                            trm_messages *messages)
{
    char *text = NULL;
    size_t length = 0;
    def->file = trm_arena_text(def->arena, path);
    const char *directory = directory_of(def->arena, path);
    if (!def->file || !directory) return TRM_OUT_OF_MEMORY;
    trm_arena scratch;
    trm_arena_init(&scratch, &def->arena->allocator);
    errno = 0;
    trm_status status = TRM_OUT_OF_MEMORY;
    if (trm_read_whole_file(&scratch, options ? options->ranks : NULL, path, &text, &length)) {
        status = read_text(def, text, length, directory, options, messages);
    } else if (!scratch.failed) {
        trm_say(messages, TRM_ERROR, (trm_place){path, 0, 0}, "", "cannot read the model file: %s",
                errno ? strerror(errno) : "is it a folder?");
        status = TRM_IO_ERROR;
    }
    trm_arena_destroy(&scratch);
    return status;
}

trm_status trm_read_model_file(const char *path, const trm_read_options *options, const trm_allocator *allocator,
                               trm_messages *messages, trm_model_def **def)
{
    *def = NULL;
    trm_model_def *made = trm_model_def_create(allocator);
    if (!made) return TRM_OUT_OF_MEMORY;
    const trm_status status = read_file(made, path, options, messages);
    if (status == TRM_OK)
        *def = made;
    else
        trm_model_def_destroy(made);
    return status;
}

trm_status trm_write_model(const trm_model_def *def, trm_sink sink)
{
    trm_json_writer w = trm_json_begin(sink);
    trm_json_open_object(&w, NULL);
    trm_form_write(&w, &trm_form_model, def);
    trm_json_close(&w);
    return trm_json_end(&w) ? TRM_OK : TRM_IO_ERROR;
}

trm_status trm_write_model_schema(trm_sink sink)
{
    trm_json_writer w = trm_json_begin(sink);
    trm_json_open_object(&w, NULL);
    trm_json_put_text(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    trm_json_put_text(&w, "title", "Trammel model");
    trm_form_schema(&w, &trm_form_model);
    trm_write_schema_definitions(&w);
    trm_json_close(&w);
    return trm_json_end(&w) ? TRM_OK : TRM_IO_ERROR;
}
