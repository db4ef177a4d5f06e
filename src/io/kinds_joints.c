/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Joints and forces in the model file. Drives are joints that the file lists under "forces". */

#include <string.h>

#include "base/expression.h"
#include "io/form.h"
#include "model/joint.h"

/* ---- Joints ------------------------------------------------------------------------------- */

static bool is_among_forces(const trm_joint_def *joint)
{
    const trm_joint_type *type = joint->type ? trm_find_joint_type(joint->type) : NULL;
    return type && type->among_forces;
}

static void write_item(trm_json_writer *w, const trm_form *form, const void *item)
{
    trm_json_open_object(w, NULL);
    trm_form_write(w, form, item);
    trm_json_close(w);
}

static void joints_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_model_def *def = (const trm_model_def *)((const char *)slot - field->offset);
    trm_json_open_array(w, field->key);
    for (int i = 0; i < def->joint_count; i++)
        if (!is_among_forces(&def->joints[i])) write_item(w, &trm_form_joint, &def->joints[i]);
    trm_json_close(w);
}

/* ---- Forces ------------------------------------------------------------------------------- */

static const char *const FRAMES[] = {"world", "body", NULL};

static bool frame_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    (void)field;
    const char *word = NULL;
    if (trm_read_word(reader, value, FRAMES, &word)) *(bool *)slot = word == FRAMES[1];
    return true;
}

static void frame_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    trm_json_put_text(w, field->key, FRAMES[*(const bool *)slot]);
}

static void frame_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_json_put_texts(w, "enum", FRAMES, 2);
}

const trm_kind trm_kind_frame = TRM_KIND("world or body", frame);

/* "velocity" of a servo: a function of time, and that it is given. */
static bool aimed_rate_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    ((trm_force_def *)((char *)slot - field->offset))->has_velocity = true;
    return trm_kind_function.read(reader, field, value, slot);
}

static void aimed_rate_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    if (((const trm_force_def *)((const char *)slot - field->offset))->has_velocity)
        trm_kind_function.write(w, field, slot);
}

const trm_kind trm_kind_aimed_rate = {.what = "a function of time",
                                      .read = aimed_rate_read,
                                      .write = aimed_rate_write,
                                      .definition = "function",
                                      .decides = true};

/* "max" and "brake" of a servo: a number, or a function of time that is stored next to it. */
static trm_function_def *law_of_number(const trm_field *field, void *slot)
{
    trm_force_def *def = (trm_force_def *)((char *)slot - field->offset);
    return field->offset == offsetof(trm_force_def, max) ? &def->max_law : &def->brake_law;
}

static bool number_or_function_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    trm_expression_error error;
    const bool text = value->kind == TRM_JSON_STRING;
    if (value->kind == TRM_JSON_NUMBER) *(double *)slot = value->number;
    if (text && trm_evaluate_constant(value->text, reader->constants, reader->constant_count, slot, &error))
        return true;
    return value->kind == TRM_JSON_NUMBER || trm_read_function(reader, value, law_of_number(field, slot));
}

static void number_or_function_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_force_def *def = (const trm_force_def *)((const char *)slot - field->offset);
    const bool max = field->offset == offsetof(trm_force_def, max);
    const trm_function_def *law = max ? &def->max_law : &def->brake_law;
    const double number = *(const double *)slot;
    if (law->kind != TRM_FUNCTION_CONSTANT)
        trm_write_function(w, field->key, law);
    else if (number != (max ? INFINITY : 0))
        trm_json_put_number(w, field->key, number);
}

const trm_kind trm_kind_number_or_function = {.what = "a number or a function of time",
                                              .read = number_or_function_read,
                                              .write = number_or_function_write,
                                              .definition = "function",
                                              .decides = true};

static bool names_hosted_type(const trm_json *object)
{
    const trm_json *type = object->kind == TRM_JSON_OBJECT ? trm_json_member_value(object, "type") : NULL;
    for (int i = 0; type && type->kind == TRM_JSON_STRING && trm_form_drive.variant(i).name; i++)
        if (strcmp(trm_form_drive.variant(i).name, type->text) == 0) return true;
    return false;
}

/* Drives are joints on the coordinate of a joint: they go to the definition's joints. */
static bool forces_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    trm_model_def *def = (trm_model_def *)((char *)slot - field->offset);
    if (!trm_require_kind(reader, value, TRM_JSON_ARRAY, "an array [ ... ]")) return true;
    if (!(value = trm_repeat_items(reader, "force", value))) return false;
    for (int i = 0; i < value->count; i++) {
        trm_joint_def joint;
        trm_force_def force;
        const trm_json *object = &value->items[i];
        const bool hosted = names_hosted_type(object);
        trm_name_element(reader, hosted ? "drive" : "force", object, i);
        if (!(hosted ? trm_form_read(reader, &trm_form_drive, object, &joint)
                     : trm_form_read(reader, &trm_form_force, object, &force)))
            return false;
        if ((hosted ? trm_add_joint(def, &joint) : trm_add_force(def, &force)) != TRM_OK) return false;
    }
    reader->element[0] = 0;
    return true;
}

static void forces_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_model_def *def = (const trm_model_def *)((const char *)slot - field->offset);
    int hosted = 0;
    for (int i = 0; i < def->joint_count; i++) hosted += is_among_forces(&def->joints[i]);
    if (def->force_count + hosted == 0) return;
    trm_json_open_array(w, field->key);
    for (int i = 0; i < def->force_count; i++) write_item(w, &trm_form_force, &def->forces[i]);
    for (int i = 0; i < def->joint_count; i++)
        if (is_among_forces(&def->joints[i])) write_item(w, &trm_form_drive, &def->joints[i]);
    trm_json_close(w);
}

/* Without the drives, which follow. */
static trm_variant force_variant(int index)
{
    const trm_variant variant = trm_form_force.variant(index);
    return variant.name && trm_find_joint_type(variant.name) ? (trm_variant){NULL, 0, NULL} : variant;
}

static void forces_schema(trm_json_writer *w, const trm_field *field)
{
    trm_form only_forces = trm_form_force;
    only_forces.variant = force_variant;
    (void)field;
    trm_json_put_text(w, "type", "array");
    trm_json_open_object(w, "items");
    trm_json_open_array(w, "anyOf");
    trm_json_open_object(w, NULL);
    trm_form_schema(w, &only_forces);
    trm_json_close(w);
    trm_json_open_object(w, NULL);
    trm_form_schema(w, &trm_form_drive);
    trm_json_close(w);
    trm_json_close(w);
    trm_json_close(w);
}

const trm_kind trm_kind_forces = {
    .what = "a list", .read = forces_read, .write = forces_write, .schema = forces_schema, .decides = true};

/* ---- The lists ---------------------------------------------------------------------------- */

const trm_kind trm_kind_joints = {
    .what = "a list", .read = trm_read_list, .write = joints_write, .schema = trm_schema_list};
