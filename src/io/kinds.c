/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reads, writes and describes each kind of value of the model file. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/expression.h"
#include "base/message.h"
#include "io/form.h"
#include "math/rotation.h"

/* ---- Common checks ------------------------------------------------------------------------ */

bool trm_require_kind(trm_reader *reader, const trm_json *value, trm_json_kind kind, const char *what)
{
    if (value->kind == kind) return true;
    trm_read_error(reader, value, "expected %s, found %s", what, trm_json_kind_name(value->kind));
    return false;
}

/* Returns whether the value is an array of exactly count items. Reports an error if not. */
static bool require_items(trm_reader *reader, const trm_json *value, int count, const char *what)
{
    if (!trm_require_kind(reader, value, TRM_JSON_ARRAY, what)) return false;
    if (value->count == count) return true;
    trm_read_error(reader, value, "expected %s, found an array of %d", what, value->count);
    return false;
}

/* Reports an error in an expression. Its offset is counted from the opening quote of the string. */
void trm_report_expression(trm_reader *reader, const trm_json *value, const trm_expression_error *error)
{
    trm_read_error_at(reader, value->line, value->column + 1 + error->at, "in \"%.100s\": %s", value->text,
                      error->text);
}

bool trm_read_number(trm_reader *reader, const trm_json *value, double *number)
{
    trm_expression_error error;
    if (value->kind == TRM_JSON_STRING) {
        if (trm_evaluate_constant(value->text, reader->constants, reader->constant_count, number, &error))
            return true;
        trm_report_expression(reader, value, &error);
        return false;
    }
    if (!trm_require_kind(reader, value, TRM_JSON_NUMBER, "a number, or an expression in quotes")) return false;
    *number = value->number;
    return true;
}

bool trm_read_text(trm_reader *reader, const trm_json *value, const char **text)
{
    if (!trm_require_kind(reader, value, TRM_JSON_STRING, "a text in quotes")) return true;
    *text = trm_arena_text_n(reader->arena, value->text, value->length);
    return *text != NULL;
}

bool trm_read_numbers(trm_reader *reader, const trm_json *value, const double **numbers, int *count)
{
    if (!trm_require_kind(reader, value, TRM_JSON_ARRAY, "an array of numbers")) return true;
    double *list = TRM_NEW_ARRAY(reader->arena, double, value->count);
    if (!list) return false;
    for (int i = 0; i < value->count; i++)
        if (!trm_read_number(reader, &value->items[i], &list[i])) return true;
    *numbers = list;
    *count = value->count;
    return true;
}

void trm_schema_ref(trm_json_writer *w, const char *definition)
{
    char reference[64];
    snprintf(reference, sizeof reference, "#/$defs/%s", definition);
    trm_json_put_text(w, "$ref", reference);
}

/* ---- Number, bool, text, word ------------------------------------------------------------- */

static bool number_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    (void)field;
    trm_read_number(reader, value, slot);
    return true;
}

static void number_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    trm_json_put_number(w, field->key, *(const double *)slot);
}

const trm_kind trm_kind_number = TRM_DEFINED_KIND("a number", number, "number");

static bool flag_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    (void)field;
    if (trm_require_kind(reader, value, TRM_JSON_BOOL, "true or false")) *(bool *)slot = value->boolean;
    return true;
}

static void flag_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    trm_json_put_bool(w, field->key, *(const bool *)slot);
}

static void flag_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_json_put_text(w, "type", "boolean");
}

const trm_kind trm_kind_flag = TRM_KIND("true or false", flag);

static bool text_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    (void)field;
    return trm_read_text(reader, value, slot);
}

void trm_write_text(trm_json_writer *w, const trm_field *field, const void *slot)
{
    trm_json_put_text(w, field->key, *(const char *const *)slot);
}

static void text_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_json_put_text(w, "type", "string");
}

#define TEXT_KIND                                                                                                    \
    {                                                                                                                \
        .what = "a text", .read = text_read, .write = trm_write_text, .schema = text_schema                          \
    }

const trm_kind trm_kind_text = TEXT_KIND, trm_kind_own_name = TEXT_KIND, trm_kind_body_name = TEXT_KIND,
               trm_kind_joint_name = TEXT_KIND, trm_kind_frame_name = TEXT_KIND, trm_kind_parent_name = TEXT_KIND,
               trm_kind_formula = TEXT_KIND, trm_kind_condition = TEXT_KIND;

bool trm_read_word(trm_reader *reader, const trm_json *value, const char *const *choices, const char **word)
{
    int count = 0;
    char known[200] = "";
    if (!trm_require_kind(reader, value, TRM_JSON_STRING, "a word in quotes")) return false;
    for (; choices[count]; count++) {
        if (strcmp(choices[count], value->text) == 0) {
            *word = choices[count];
            return true;
        }
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s\"%s\"", count ? ", " : "", choices[count]);
    }
    trm_read_error(reader, value, "\"%s\" is not one of the choices: %s", value->text, known);
    return false;
}

static bool word_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    trm_read_word(reader, value, field->choices, slot);
    return true;
}

void trm_schema_words(trm_json_writer *w, const char *const *words)
{
    trm_json_open_array_flat(w, "enum");
    for (int i = 0; words[i]; i++) trm_json_put_text(w, NULL, words[i]);
    trm_json_close(w);
}

static void word_schema(trm_json_writer *w, const trm_field *field)
{
    trm_schema_words(w, field->choices);
}

const trm_kind trm_kind_word = {.what = "a word", .read = word_read, .write = trm_write_text, .schema = word_schema};

/* ---- Vectors ------------------------------------------------------------------------------ */

static bool read_vec3(trm_reader *reader, const trm_json *value, trm_vec3 *v)
{
    double xyz[3];
    if (!require_items(reader, value, 3, "three numbers [x, y, z]")) return false;
    for (int i = 0; i < 3; i++)
        if (!trm_read_number(reader, &value->items[i], &xyz[i])) return false;
    *v = trm_v3(xyz[0], xyz[1], xyz[2]);
    return true;
}

static bool vec3_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    (void)field;
    read_vec3(reader, value, slot);
    return true;
}

static void vec3_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    trm_json_put_vector(w, field->key, *(const trm_vec3 *)slot);
}

const trm_kind trm_kind_vec3 = TRM_DEFINED_KIND("three numbers", vec3, "vec3");

/* Returns the place of a list's length, which is another member of the struct than its pointer. */
static int *count_of(const trm_field *field, void *slot)
{
    return (int *)((char *)slot - field->offset + field->count_offset);
}

static int count_at(const trm_field *field, const void *slot)
{
    return *(const int *)((const char *)slot - field->offset + field->count_offset);
}

/* ---- Arrays and objects of values --------------------------------------------------------- */

/* Reads an array of fixed length, whose values lie side by side. Returns false if out of memory. */
bool trm_read_array(trm_reader *reader, const trm_kind *kind, const trm_json *value, void *slot)
{
    if (!require_items(reader, value, kind->items, kind->expected)) return true;
    for (int i = 0; i < value->count; i++)
        if (!kind->item->read(reader, NULL, &value->items[i], (char *)slot + (size_t)i * kind->size)) return false;
    return true;
}

bool trm_array_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    return trm_read_array(reader, trm_kind_of(field), value, slot);
}

void trm_array_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_kind *kind = trm_kind_of(field);
    const trm_field item = {.key = NULL};
    trm_json_open_array_flat(w, field->key);
    for (int i = 0; i < kind->items; i++) kind->item->write(w, &item, (const char *)slot + (size_t)i * kind->size);
    trm_json_close(w);
}

/* Reads an object into a list of structs that begin with the name. Returns false if out of memory. */
bool trm_map_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    const trm_kind *kind = trm_kind_of(field);
    if (!trm_require_kind(reader, value, TRM_JSON_OBJECT, kind->expected)) return true;
    char *list = trm_arena_array(reader->arena, (size_t)value->count, kind->size), *item = list;
    if (!list) return false;
    for (int i = 0; i < value->count; i++, item += kind->size) {
        const char *name = trm_arena_text(reader->arena, value->members[i].key);
        memcpy(item, &name, sizeof name);
        if (!name || !kind->item->read(reader, NULL, &value->members[i].value, item + kind->at)) return false;
    }
    *(void **)slot = list;
    *count_of(field, slot) = value->count;
    return true;
}

void trm_map_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_kind *kind = trm_kind_of(field);
    const char *item = *(const char *const *)slot;
    trm_json_open_object(w, field->key);
    for (int i = 0; i < count_at(field, slot); i++, item += kind->size) {
        trm_field named = {.key = NULL};
        memcpy(&named.key, item, sizeof named.key);
        kind->item->write(w, &named, item + kind->at);
    }
    trm_json_close(w);
}

const trm_kind trm_kind_vec3_pair =
    TRM_ARRAY_KIND("two vectors", "vec3", trm_vec3, trm_kind_vec3, 2, "two vectors [[x, y, z], [x, y, z]]");

#define NAMES_KIND TRM_ARRAY_KIND("two names", "name", char *, trm_kind_text, 2, "two names [\"a\", \"b\"]")

const trm_kind trm_kind_body_names = NAMES_KIND, trm_kind_joint_names = NAMES_KIND, trm_kind_frame_names = NAMES_KIND;

const trm_kind trm_kind_points = TRM_MAP_KIND("named points", "vec3", trm_named_point, position, trm_kind_vec3,
                                              "an object of named points {\"P\": [x, y, z]}");

const trm_kind trm_kind_settings = TRM_MAP_KIND("settings", "function", trm_setting, value, trm_kind_function,
                                                "an object such as {\"servo1.target\": 0.4}");

const trm_kind trm_kind_values =
    TRM_MAP_KIND("numbers by name", "number", trm_constant, value, trm_kind_number, "an object of numbers by name");

const trm_kind trm_kind_input_values =
    TRM_MAP_KIND("values of inputs", "number", trm_constant, value, trm_kind_number, "an object of numbers by name");

/* ---- Lists of vectors ---------------------------------------------------------------------- */

bool trm_read_vectors(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    if (!trm_require_kind(reader, value, TRM_JSON_ARRAY, "an array of vectors [[x, y, z], ...]")) return true;
    trm_vec3 *list = TRM_NEW_ARRAY(reader->arena, trm_vec3, value->count);
    if (!list) return false;
    for (int i = 0; i < value->count; i++)
        if (!read_vec3(reader, &value->items[i], &list[i])) return true;
    *(const trm_vec3 **)slot = list;
    *count_of(field, slot) = value->count;
    return true;
}

static void vec3_list_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_vec3 *list = *(const trm_vec3 *const *)slot;
    trm_json_open_array(w, field->key);
    for (int i = 0; i < count_at(field, slot); i++) trm_json_put_vector(w, NULL, list[i]);
    trm_json_close(w);
}

const trm_kind trm_kind_vec3_list = {.what = "a list of vectors",
                                     .read = trm_read_vectors,
                                     .write = vec3_list_write,
                                     .shape = TRM_SCHEMA_ARRAY,
                                     .definition = "vec3"};

/* ---- Lists of numbers --------------------------------------------------------------------- */

static bool numbers_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    return trm_read_numbers(reader, value, slot, count_of(field, slot));
}

static void numbers_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    trm_json_put_numbers(w, field->key, *(const double *const *)slot, count_at(field, slot));
}

const trm_kind trm_kind_numbers = TRM_DEFINED_KIND("a list of numbers", numbers, "numbers");

/* ---- Ranges, coordinates, inertia --------------------------------------------------------- */

/* Reads two numbers. null leaves an end without a bound. */
static bool range_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    (void)field;
    double *range = slot;
    if (!require_items(reader, value, 2, "two numbers [lower, upper]")) return true;
    for (int i = 0; i < 2; i++)
        if (value->items[i].kind == TRM_JSON_NULL)
            range[i] = i == 0 ? -INFINITY : INFINITY;
        else
            trm_read_number(reader, &value->items[i], &range[i]);
    return true;
}

static void range_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    trm_json_put_numbers(w, field->key, slot, 2);
}

const trm_kind trm_kind_range = TRM_DEFINED_KIND("two numbers", range, "range");

static bool coordinates_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    (void)field;
    double *q = slot;
    if (value->kind != TRM_JSON_ARRAY) {
        trm_read_number(reader, value, q);
    } else if (value->count < 1 || value->count > TRM_JOINT_COORDINATES) {
        trm_read_error(reader, value, "expected a number or one to six numbers, found an array of %d", value->count);
    } else {
        for (int i = 0; i < value->count; i++) trm_read_number(reader, &value->items[i], &q[i]);
    }
    return true;
}

static void coordinates_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const double *q = slot;
    int count = TRM_JOINT_COORDINATES;
    while (count > 1 && q[count - 1] == 0) count--;
    if (count == 1)
        trm_json_put_number(w, field->key, q[0]);
    else
        trm_json_put_numbers(w, field->key, q, count);
}

const trm_kind trm_kind_coordinates = TRM_DEFINED_KIND("one to six numbers", coordinates, "coordinates");

static bool inertia_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    (void)field;
    double *inertia = slot, read[6] = {0};
    const char *what = "three moments [Ixx, Iyy, Izz], or six [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]";
    if (!trm_require_kind(reader, value, TRM_JSON_ARRAY, what)) return true;
    if (value->count != 3 && value->count != 6) {
        trm_read_error(reader, value, "expected %s, found an array of %d", what, value->count);
        return true;
    }
    for (int i = 0; i < value->count; i++)
        if (!trm_read_number(reader, &value->items[i], &read[i])) return true;
    memcpy(inertia, read, sizeof read);
    return true;
}

static void inertia_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const double *inertia = slot;
    const bool products = inertia[3] != 0 || inertia[4] != 0 || inertia[5] != 0;
    trm_json_put_numbers(w, field->key, inertia, products ? 6 : 3);
}

const trm_kind trm_kind_inertia = TRM_DEFINED_KIND("three or six numbers", inertia, "inertia");

/* ---- Orientation -------------------------------------------------------------------------- */

static bool numbers_of(trm_reader *reader, const trm_json *value, int count, const char *what, double *numbers)
{
    if (!require_items(reader, value, count, what)) return false;
    for (int i = 0; i < count; i++)
        if (!trm_read_number(reader, &value->items[i], &numbers[i])) return false;
    return true;
}

static bool axis_angle_read(trm_reader *reader, const trm_json *value, trm_quat *q)
{
    const trm_json *axis_value = trm_json_member_value(value, "axis");
    const trm_json *angle_value = trm_json_member_value(value, "angle");
    trm_vec3 axis;
    double angle;
    if (!read_vec3(reader, axis_value, &axis) || !trm_read_number(reader, angle_value, &angle)) return false;
    const double length = trm_v3_length(axis);
    if (!(length > 0 && isfinite(length))) {
        trm_read_error(reader, axis_value,
                       "the axis has length zero or infinity; give a direction such as [0, 0, 1]");
        return false;
    }
    *q = trm_quat_from_axis_angle(trm_v3_unit(axis), angle);
    return true;
}

static bool orientation_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    (void)field;
    trm_quat *q = slot;
    double v[4];
    const char *what = "[w, x, y, z], {\"axis\": [x, y, z], \"angle\": a} or {\"rpy\": [roll, pitch, yaw]}";
    if (value->kind == TRM_JSON_ARRAY) {
        if (numbers_of(reader, value, 4, what, v)) *q = (trm_quat){v[0], v[1], v[2], v[3]};
        return true;
    }
    if (!trm_require_kind(reader, value, TRM_JSON_OBJECT, what)) return true;
    const trm_json *rpy = trm_json_member_value(value, "rpy");
    if (rpy && value->count == 1) {
        if (numbers_of(reader, rpy, 3, "[roll, pitch, yaw]", v)) *q = trm_quat_from_rpy(v[0], v[1], v[2]);
    } else if (value->count == 2 && trm_json_member_value(value, "axis") && trm_json_member_value(value, "angle")) {
        axis_angle_read(reader, value, q);
    } else {
        trm_read_error(reader, value, "an orientation is %s", what);
    }
    return true;
}

static void orientation_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_quat *q = slot;
    const double v[4] = {q->w, q->x, q->y, q->z};
    trm_json_put_numbers(w, field->key, v, 4);
}

const trm_kind trm_kind_orientation = TRM_DEFINED_KIND("an orientation", orientation, "orientation");

/* ---- Frames ------------------------------------------------------------------------------- */

static bool frame_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    const char *what = "a frame {\"position\": [x, y, z], \"orientation\": ..., \"parent\": \"NAME\"}";
    trm_named_frame *frame = slot;
    frame->orientation = trm_quat_identity();
    if (!trm_require_kind(reader, value, TRM_JSON_OBJECT, what)) return true;
    const trm_json *position = trm_json_member_value(value, "position");
    const trm_json *orientation = trm_json_member_value(value, "orientation");
    const trm_json *parent = trm_json_member_value(value, "parent");
    if (!position || value->count != 1 + (orientation != NULL) + (parent != NULL)) {
        trm_read_error(reader, value, "expected %s", what);
        return true;
    }
    if (parent && !trm_read_text(reader, parent, &frame->parent)) return false;
    read_vec3(reader, position, &frame->position);
    return !orientation || orientation_read(reader, field, orientation, &frame->orientation);
}

static void frame_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_named_frame *frame = slot;
    const trm_field orientation = {.key = "orientation"};
    trm_json_open_object_flat(w, field->key);
    trm_json_put_vector(w, "position", frame->position);
    orientation_write(w, &orientation, &frame->orientation);
    if (frame->parent) trm_json_put_text(w, "parent", frame->parent);
    trm_json_close(w);
}

static const trm_kind one_frame = {.what = "a frame", .read = frame_read, .write = frame_write};

#define FRAMES_KIND(text)                                                                                            \
    TRM_MAP_KIND(text, "frame", trm_named_frame, name, one_frame,                                                    \
                 "an object of named frames {\"F\": {\"position\": ...}}")

const trm_kind trm_kind_frames = FRAMES_KIND("named frames"),
               trm_kind_body_frames = FRAMES_KIND("frames of bodies in the world");

/* ---- Objects and lists by their form ------------------------------------------------------ */

static bool object_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    return trm_form_read_into(reader, field->form, value, slot);
}

static void object_schema(trm_json_writer *w, const trm_field *field)
{
    trm_form_schema(w, field->form);
}

const trm_kind trm_kind_object = {.what = "an object", .read = object_read, .schema = object_schema};

bool trm_read_list(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    const trm_form *form = field->form;
    char outer[sizeof reader->element];
    if (!trm_require_kind(reader, value, TRM_JSON_ARRAY, "an array [ ... ]")) return true;
    if (form->repeats && !(value = trm_repeat_items(reader, form->name, value))) return false;
    char *items = trm_arena_list(reader->arena, value->count, form->size);
    if (!items) return false;
    memcpy(outer, reader->element, sizeof outer);
    for (int i = 0; i < value->count; i++) {
        if (!outer[0]) trm_name_element(reader, form->name, &value->items[i], i);
        if (!trm_form_read(reader, form, &value->items[i], items + (size_t)i * form->size)) return false;
    }
    memcpy(reader->element, outer, sizeof outer);
    *(void **)slot = items;
    *count_of(field, slot) = value->count;
    return true;
}

static void list_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const char *items = *(const char *const *)slot;
    trm_json_open_array(w, field->key);
    for (int i = 0; i < count_at(field, slot); i++) {
        trm_json_open_object(w, NULL);
        trm_form_write(w, field->form, items + (size_t)i * field->form->size);
        trm_json_close(w);
    }
    trm_json_close(w);
}

void trm_schema_list(trm_json_writer *w, const trm_field *field)
{
    trm_json_put_text(w, "type", "array");
    trm_json_open_object(w, "items");
    trm_form_schema(w, field->form);
    trm_json_close(w);
}

const trm_kind trm_kind_list = {
    .what = "a list", .read = trm_read_list, .write = list_write, .schema = trm_schema_list};

/* ---- Definitions that the schema refers to ------------------------------------------------- */

/* Writes "type": "array" with the bounds of the number of items, each of which refers to a definition. */
static void array_schema(trm_json_writer *w, const char *definition, int least, int most)
{
    trm_json_put_text(w, "type", "array");
    trm_json_open_object_flat(w, "items");
    trm_schema_ref(w, definition);
    trm_json_close(w);
    trm_json_put_integer(w, "minItems", least);
    if (most > 0) trm_json_put_integer(w, "maxItems", most);
}

void trm_kind_schema(trm_json_writer *w, const trm_kind *kind, const trm_field *field)
{
    if (kind->shape == TRM_SCHEMA_ARRAY) {
        array_schema(w, kind->definition, kind->items, kind->items);
    } else if (kind->shape == TRM_SCHEMA_MAP) {
        trm_json_put_text(w, "type", "object");
        trm_json_open_object_flat(w, "additionalProperties");
        trm_schema_ref(w, kind->definition);
        trm_json_close(w);
    } else if (kind->definition) {
        trm_schema_ref(w, kind->definition);
    } else {
        kind->schema(w, field);
    }
}

static void define_array(trm_json_writer *w, const char *key, const char *of, int least, int most)
{
    trm_json_open_object(w, key);
    array_schema(w, of, least, most);
    trm_json_close(w);
}

static void define_types(trm_json_writer *w, const char *key, const char *description, const char *first,
                         const char *second)
{
    trm_json_open_object(w, key);
    trm_json_put_text(w, "description", description);
    trm_json_put_texts(w, "type", (const char *const[]){first, second}, second ? 2 : 1);
    trm_json_close(w);
}

static void choice_of(trm_json_writer *w, const char *definition)
{
    trm_json_open_object_flat(w, NULL);
    trm_schema_ref(w, definition);
    trm_json_close(w);
}

/* Writes the definition of an object, the first `required` of whose keys must be given. */
static void define_object(trm_json_writer *w, const char *key, int required, const char *const *keys,
                          const char *const *of, int count)
{
    trm_json_open_object(w, key);
    trm_json_put_text(w, "type", "object");
    trm_json_open_object(w, "properties");
    for (int i = 0; i < count; i++) {
        trm_json_open_object_flat(w, keys[i]);
        trm_schema_ref(w, of[i]);
        trm_json_close(w);
    }
    trm_json_close(w);
    trm_json_put_texts(w, "required", keys, required);
    trm_json_put_bool(w, "additionalProperties", false);
    trm_json_close(w);
}

static void define_any(trm_json_writer *w, const char *key, const char *const *of, int count)
{
    trm_json_open_object(w, key);
    trm_json_open_array(w, "anyOf");
    for (int i = 0; i < count; i++) choice_of(w, of[i]);
    trm_json_close(w);
    trm_json_close(w);
}

void trm_write_schema_definitions(trm_json_writer *w)
{
    trm_json_open_object(w, "$defs");
    define_types(w, "number", "a number, or an arithmetic expression of numbers and constants", "number", "string");
    define_types(w, "name", "the name of an element", "string", NULL);
    define_types(w, "formula", "a number, or an expression in t and the constants", "number", "string");
    define_types(w, "nothing", "no bound", "null", NULL);
    define_any(w, "bound", (const char *const[]){"number", "nothing"}, 2);
    define_array(w, "range", "bound", 2, 2);
    define_array(w, "vec3", "number", 3, 3);
    define_array(w, "numbers", "number", 0, 0);
    define_array(w, "three", "number", 3, 3);
    define_array(w, "four", "number", 4, 4);
    define_array(w, "six", "number", 6, 6);
    define_array(w, "one_to_six", "number", 1, TRM_JOINT_COORDINATES);
    define_types(w, "column", "of a table file: its name in the first row, or its number from 1", "number", "string");
    trm_json_open_object_flat(w, "interpolation");
    trm_json_put_texts(w, "enum", trm_interpolations, 2);
    trm_json_close(w);
    define_object(w, "table", 2, (const char *const[]){"t", "y", "interpolate"},
                  (const char *const[]){"numbers", "numbers", "interpolation"}, 3);
    define_object(w, "table_file", 1, (const char *const[]){"file", "t", "y", "interpolate"},
                  (const char *const[]){"name", "column", "column", "interpolation"}, 4);
    define_object(w, "axis_angle", 2, (const char *const[]){"axis", "angle"}, (const char *const[]){"vec3", "number"},
                  2);
    define_object(w, "rpy", 1, (const char *const[]){"rpy"}, (const char *const[]){"three"}, 1);
    define_object(w, "by_speed", 2, (const char *const[]){"speed", "mu"}, (const char *const[]){"numbers", "numbers"},
                  2);
    define_any(w, "friction", (const char *const[]){"number", "by_speed"}, 2);
    define_any(w, "inertia", (const char *const[]){"three", "six"}, 2);
    define_any(w, "coordinates", (const char *const[]){"number", "one_to_six"}, 2);
    define_object(w, "frame", 1, (const char *const[]){"position", "orientation", "parent"},
                  (const char *const[]){"vec3", "orientation", "name"}, 3);
    define_any(w, "scale", (const char *const[]){"number", "vec3"}, 2);
    define_any(w, "orientation", (const char *const[]){"four", "axis_angle", "rpy"}, 3);
    define_any(w, "function", (const char *const[]){"formula", "table", "table_file"}, 3);
    trm_json_close(w);
}
