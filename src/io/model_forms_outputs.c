/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* "outputs": an object of named expressions, "camber": "atan2(hub.up.y, hub.up.z)"; or of objects with a unit, or with the two
 * frames whose relative pose it is. What the expressions name is known when the model is built. */

#include <stdio.h>

#include "io/model_forms.h"

static const trm_field output_fields[] = {
    KEY(trm_output_def, "value", text, value, EVERY, "an expression of quantities"),
    KEY(trm_output_def, "unit", text, unit, EVERY, "of the value, for people"),
    KEY(trm_output_def, "of", text, of, EVERY, "BODY or BODY.POINT: the frame whose pose is given"),
    KEY(trm_output_def, "in", text, in, EVERY, "BODY or BODY.POINT: the frame in which it is given"),
};

static void output_default(void *item)
{
    *(trm_output_def *)item = trm_default_output_def();
}

static const trm_form form_output = {
    .name = "output",
    .size = sizeof(trm_output_def),
    .set_default = output_default,
    .fields = output_fields,
    .field_count = TRM_COUNT_OF(output_fields),
    .has_place = true,
};

static bool output_read(trm_reader *reader, const trm_json *value, trm_output_def *output)
{
    if (value->kind == TRM_JSON_STRING) {
        *output = trm_default_output_def();
        output->place = (trm_place){reader->file, value->line, value->column};
        return trm_read_text(reader, value, &output->value);
    }
    if (!trm_form_read(reader, &form_output, value, output)) return false;
    const trm_json *text = value->kind == TRM_JSON_OBJECT ? trm_json_member_value(value, "value") : NULL;
    if (text) output->place = (trm_place){reader->file, text->line, text->column};
    return true;
}

static bool outputs_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    trm_model_def *def = (trm_model_def *)((char *)slot - field->offset);
    if (!trm_require_kind(reader, value, TRM_JSON_OBJECT, "an object of named expressions")) return true;
    for (int i = 0; i < value->count; i++) {
        trm_output_def output;
        const char *name = trm_arena_text(reader->arena, value->members[i].key);
        if (!name) return false;
        snprintf(reader->element, sizeof reader->element, "output '%s'", name);
        reader->key = NULL;
        if (!output_read(reader, &value->members[i].value, &output)) return false;
        output.name = name;
        if (trm_add_output(def, &output) != TRM_OK) return false;
    }
    reader->element[0] = 0;
    return true;
}

static void outputs_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_model_def *def = (const trm_model_def *)((const char *)slot - field->offset);
    trm_json_open_object(w, field->key);
    for (int i = 0; i < def->output_count; i++) {
        const trm_output_def *output = &def->outputs[i];
        if (output->value && !output->unit) {
            trm_json_put_text(w, output->name, output->value);
            continue;
        }
        trm_json_open_object(w, output->name);
        trm_form_write(w, &form_output, output);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void outputs_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_json_put_text(w, "type", "object");
    trm_json_open_object(w, "additionalProperties");
    trm_json_open_array(w, "anyOf");
    trm_json_open_object_flat(w, NULL);
    trm_json_put_text(w, "type", "string");
    trm_json_close(w);
    trm_json_open_object(w, NULL);
    trm_form_schema(w, &form_output);
    trm_json_close(w);
    trm_json_close(w);
    trm_json_close(w);
}

const trm_kind trm_kind_outputs = {"named expressions", 0, outputs_read, outputs_write, outputs_schema};
