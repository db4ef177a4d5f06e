/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Trammel's own model files, in JSON: reading, writing, schema. The keys are in src/model/fields*.c. */

#include "io/form.h"
#include "io/format.h"

/* Returns true, because this format reads all documents that no other format recognises. Errors of a broken file are
 * then those of JSON. */
static bool recognises(const char *text, size_t length)
{
    (void)text, (void)length;
    return true;
}

/* Parses into the scratch arena, then reads into the definition. */
static bool read_json(trm_import *import, const char *text, size_t length)
{
    trm_model_def *def = import->def;
    const trm_json *root = trm_json_parse(import->scratch, text, length, def->file, NULL, import->messages);
    if (!root) return !import->scratch->failed;
    trm_reader reader = {.arena = def->arena,
                         .messages = import->messages,
                         .file = def->file,
                         .directory = import->directory,
                         .options = import->options,
                         .root = &trm_form_model};
    return trm_form_read_into(&reader, &trm_form_model, root, def);
}

const trm_format trm_format_json = {"Trammel model", recognises, read_json, NULL};

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
