/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The model file as a whole: contacts, events, sensors, simulation, and the model that contains them. */

#include "io/form.h"

#include <stdio.h>
#include <string.h>

#include "base/expression.h"
#include "base/message.h"
#include "methods/method.h"

/* ---- Contacts, events, sensors ------------------------------------------------------------ */

/* "friction": a number, or {"speed": [...], "mu": [...]}; the slot is the number. */
static bool friction_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    trm_contact_def *contact = (trm_contact_def *)((char *)slot - field->offset);
    if (value->kind != TRM_JSON_OBJECT) return trm_kind_number.read(reader, field, value, slot);
    const trm_json *speed = trm_json_member_value(value, "speed"), *mu = trm_json_member_value(value, "mu");
    int speeds = 0, mus = 0;
    const int errors = trm_error_count(reader->messages);
    if (!speed || !mu || value->count != 2) {
        trm_read_error(reader, value, "friction by speed is {\"speed\": [m/s ...], \"mu\": [...]}");
        return true;
    }
    if (!trm_read_numbers(reader, speed, &contact->speeds, &speeds)) return false;
    if (!trm_read_numbers(reader, mu, &contact->mus, &mus)) return false;
    if (trm_error_count(reader->messages) > errors) return true;
    if (speeds != mus || speeds == 0)
        trm_read_error(reader, value, "\"speed\" and \"mu\" must be lists of the same length, found %d and %d",
                       speeds, mus);
    else
        contact->speed_count = speeds;
    return true;
}

static void friction_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_contact_def *contact = (const trm_contact_def *)((const char *)slot - field->offset);
    if (contact->speed_count == 0) {
        if (!isnan(contact->friction)) trm_json_put_number(w, field->key, contact->friction);
        return;
    }
    trm_json_open_object(w, field->key);
    trm_json_put_numbers(w, "speed", contact->speeds, contact->speed_count);
    trm_json_put_numbers(w, "mu", contact->mus, contact->speed_count);
    trm_json_close(w);
}

const trm_kind trm_kind_friction = {.what = "a number or a table",
                                    .read = friction_read,
                                    .write = friction_write,
                                    .definition = "friction",
                                    .decides = true};

static bool event_finish(trm_reader *reader, const trm_json *object, void *item)
{
    trm_event_def *event = item;
    const trm_json *when = object->kind == TRM_JSON_OBJECT ? trm_json_member_value(object, "when") : NULL;
    if (when) event->when_place = (trm_place){reader->file, when->line, when->column};
    return true;
}

const trm_form_hooks trm_hooks_event = {.form = &trm_form_event, .finish = event_finish};

/* ---- Simulation --------------------------------------------------------------------------- */

/* Options of one method, under its name: an object of numbers, words and truth values. */
static bool options_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    trm_simulation_def *simulation = (trm_simulation_def *)((char *)slot - field->offset);
    if (!trm_require_kind(reader, value, TRM_JSON_OBJECT, "an object of the method's options")) return true;
    for (int i = 0; i < value->count; i++) {
        const trm_json *v = &value->members[i].value;
        trm_option option = {.method = field->key, .name = trm_arena_text(reader->arena, value->members[i].key)};
        if (!option.name) return false;
        if (v->kind == TRM_JSON_STRING) {
            if (!trm_read_text(reader, v, &option.text)) return false;
        } else if (v->kind == TRM_JSON_BOOL) {
            option.number = v->boolean;
        } else if (trm_require_kind(reader, v, TRM_JSON_NUMBER, "a number, a word or true or false")) {
            option.number = v->number;
        }
        trm_option *made = TRM_ADD(reader->arena, simulation->options, simulation->option_count);
        if (!made) return false;
        *made = option;
    }
    return true;
}

static void options_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_simulation_def *simulation = (const trm_simulation_def *)((const char *)slot - field->offset);
    bool open = false;
    for (int i = 0; i < simulation->option_count; i++) {
        const trm_option *option = &simulation->options[i];
        if (strcmp(option->method, field->key) != 0) continue;
        if (!open) trm_json_open_object(w, field->key);
        open = true;
        if (option->text)
            trm_json_put_text(w, option->name, option->text);
        else
            trm_json_put_number(w, option->name, option->number);
    }
    if (open) trm_json_close(w);
}

static void options_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_json_put_text(w, "type", "object");
    trm_json_open_object_flat(w, "additionalProperties");
    trm_json_put_texts(w, "type", (const char *const[]){"number", "string", "boolean"}, 3);
    trm_json_close(w);
}

const trm_kind trm_kind_options = TRM_KIND("options", options);

/* The names of methods and solvers are known to the layer of methods. */
static bool method_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    (void)field;
    trm_read_word(reader, value, trm_method_names, slot);
    return true;
}

static void method_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_schema_words(w, trm_method_names);
}

const trm_kind trm_kind_method = {
    .what = "a word", .read = method_read, .write = trm_write_text, .schema = method_schema};

static bool solver_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    (void)field;
    trm_read_word(reader, value, trm_shared_solvers, slot);
    return true;
}

static void solver_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_schema_words(w, trm_shared_solvers);
}

const trm_kind trm_kind_solver = {
    .what = "a word", .read = solver_read, .write = trm_write_text, .schema = solver_schema};

/* With the options of each method, under its name. */
#define OF trm_simulation_def

static const trm_field simulation_fields[] = {
#include "model/fields_simulation.h"
#define TRM_METHOD(name) COUNTED_AS(#name, options, options, option_count, EVERY, "options of the method " #name),
#include "methods/list.h"
#undef TRM_METHOD
};

static const trm_form form_simulation = {.name = "simulation", FIELDS(simulation_fields), .has_place = true};

static bool simulation_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    (void)field;
    return trm_form_read_into(reader, &form_simulation, value, slot);
}

static void simulation_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    trm_json_open_object(w, field->key);
    trm_form_write(w, &form_simulation, slot);
    trm_json_close(w);
}

static void simulation_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_form_schema(w, &form_simulation);
}

const trm_kind trm_kind_simulation = TRM_KIND("an object", simulation);

/* ---- The model ---------------------------------------------------------------------------- */

enum { FORMAT_VERSION = 1 };

static bool version_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    (void)field;
    (void)slot;
    if (trm_require_kind(reader, value, TRM_JSON_NUMBER, "the number of the format") &&
        value->number != FORMAT_VERSION)
        trm_read_error(reader, value, "the file is of format %g; this version reads format %d", value->number,
                       FORMAT_VERSION);
    return true;
}

static void version_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    (void)slot;
    trm_json_put_integer(w, field->key, FORMAT_VERSION);
}

static void version_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_json_put_integer(w, "const", FORMAT_VERSION);
}

const trm_kind trm_kind_version = {
    .what = "1", .read = version_read, .write = version_write, .schema = version_schema, .decides = true};

static const trm_constant *replaced(const trm_reader *reader, const char *name)
{
    for (int i = 0; reader->options && i < reader->options->set_count; i++)
        if (strcmp(reader->options->set[i].name, name) == 0) return &reader->options->set[i];
    return NULL;
}

/* Each name of an expression is searched among all constants: up to this number the search is fast. */
enum { MOST_CONSTANTS = 10000 };

/* In the order of the file; each may use those before it. */
static bool constants_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    trm_model_def *def = (trm_model_def *)((char *)slot - field->offset);
    if (!trm_require_kind(reader, value, TRM_JSON_OBJECT, "an object of named numbers")) return true;
    if (value->count > MOST_CONSTANTS) {
        trm_read_error(reader, value, "there are %d constants; a model has at most %d", value->count, MOST_CONSTANTS);
        return true;
    }
    for (int i = 0; i < value->count; i++) {
        const trm_json_member *member = &value->members[i];
        const trm_constant *set = replaced(reader, member->key);
        const char *name = trm_arena_text(reader->arena, member->key);
        double number = 0;
        if (!name) return false;
        snprintf(reader->element, sizeof reader->element, "constant '%s'", name);
        reader->key = NULL;
        if (trm_is_reserved_name(name))
            trm_read_error_at(reader, member->line, member->column,
                              "this name has a meaning in expressions; choose another one");
        else if (set)
            number = set->value;
        else
            trm_read_number(reader, &member->value, &number);
        if (trm_add_constant(def, name, number) != TRM_OK) return false;
        reader->constants = def->constants;
        reader->constant_count = def->constant_count;
    }
    reader->element[0] = 0;
    return true;
}

const trm_kind trm_kind_constants = {.what = "named numbers",
                                     .read = constants_read,
                                     .write = trm_map_write,
                                     .shape = TRM_SCHEMA_MAP,
                                     .definition = "number",
                                     .item = &trm_kind_number,
                                     .size = sizeof(trm_constant),
                                     .at = offsetof(trm_constant, value)};

/* ---- Inputs ------------------------------------------------------------------------------- */

static bool inputs_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    trm_model_def *def = (trm_model_def *)((char *)slot - field->offset);
    if (!trm_require_kind(reader, value, TRM_JSON_OBJECT, "an object of named inputs")) return true;
    trm_constant *known = trm_arena_list(reader->arena, value->count, sizeof *known);
    if (!known) return false;
    for (int i = 0; i < value->count; i++) {
        trm_input_def input;
        const char *name = trm_arena_text(reader->arena, value->members[i].key);
        if (!name) return false;
        snprintf(reader->element, sizeof reader->element, "input '%s'", name);
        if (!trm_form_read(reader, &trm_form_input, &value->members[i].value, &input)) return false;
        input.name = name;
        if (trm_add_input(def, &input) != TRM_OK) return false;
        known[i] = (trm_constant){name, input.start};
    }
    reader->inputs = known;
    reader->input_count = value->count;
    reader->element[0] = 0;
    return true;
}

static void inputs_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_model_def *def = (const trm_model_def *)((const char *)slot - field->offset);
    trm_json_open_object(w, field->key);
    for (int i = 0; i < def->input_count; i++) {
        trm_json_open_object(w, def->inputs[i].name);
        trm_form_write(w, &trm_form_input, &def->inputs[i]);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void inputs_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_json_put_text(w, "type", "object");
    trm_json_open_object(w, "additionalProperties");
    trm_form_schema(w, &trm_form_input);
    trm_json_close(w);
}

const trm_kind trm_kind_inputs = TRM_KIND("named inputs", inputs);

/* ---- Poses -------------------------------------------------------------------------------- */

/* Every key but "bodies" and "inputs" is a joint. */
static bool pose_read(trm_reader *reader, const trm_field *field, const trm_json *object, trm_pose_def *pose)
{
    trm_joint_value *values = trm_arena_list(reader->arena, object->count, sizeof *values);
    if (!values) return false;
    pose->values = values;
    for (int i = 0; i < object->count; i++) {
        const trm_json *value = &object->members[i].value;
        const char *key = object->members[i].key;
        const trm_field *own = trm_form_field(&trm_form_pose, key);
        if (own && !trm_kind_of(own)->read(reader, own, value, (char *)pose + own->offset)) return false;
        if (own) continue;
        trm_joint_value *joint = &values[pose->value_count++];
        for (int k = 0; k < TRM_JOINT_COORDINATES; k++) joint->q[k] = NAN;
        joint->joint = trm_arena_text(reader->arena, key);
        if (!joint->joint || !trm_kind_coordinates.read(reader, field, value, joint->q)) return false;
    }
    return true;
}

static bool poses_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    trm_model_def *def = (trm_model_def *)((char *)slot - field->offset);
    if (!trm_require_kind(reader, value, TRM_JSON_OBJECT, "an object of named poses")) return true;
    for (int i = 0; i < value->count; i++) {
        const trm_json_member *member = &value->members[i];
        trm_pose_def pose = {.place = {reader->file, member->line, member->column},
                             .name = trm_arena_text(reader->arena, member->key)};
        if (!pose.name) return false;
        snprintf(reader->element, sizeof reader->element, "pose '%s'", pose.name);
        if (!trm_require_kind(reader, &member->value, TRM_JSON_OBJECT, "an object of joints and their coordinates"))
            continue;
        if (!pose_read(reader, field, &member->value, &pose) || trm_add_pose(def, &pose) != TRM_OK) return false;
    }
    reader->element[0] = 0;
    return true;
}

static void poses_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_model_def *def = (const trm_model_def *)((const char *)slot - field->offset);
    trm_json_open_object(w, field->key);
    for (int i = 0; i < def->pose_count; i++) {
        const trm_pose_def *pose = &def->poses[i];
        trm_json_open_object(w, pose->name);
        for (int k = 0; k < pose->value_count; k++) {
            int count = 0;
            while (count < TRM_JOINT_COORDINATES && !isnan(pose->values[k].q[count])) count++;
            trm_json_put_numbers(w, pose->values[k].joint, pose->values[k].q, count);
        }
        trm_form_write(w, &trm_form_pose, pose);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void poses_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_json_put_text(w, "type", "object");
    trm_json_open_object(w, "additionalProperties");
    trm_json_put_text(w, "type", "object");
    trm_json_open_object(w, "properties");
    for (int i = 0; i < trm_form_pose.field_count; i++) {
        const trm_field *own = &trm_form_pose.fields[i];
        if (!own->key[0]) continue; /* the joints are additional properties */
        trm_json_open_object(w, own->key);
        trm_kind_schema(w, trm_kind_of(own), own);
        trm_json_put_text(w, "description", own->help);
        trm_json_close(w);
    }
    trm_json_close(w);
    trm_json_open_object(w, "additionalProperties");
    trm_schema_ref(w, "coordinates");
    trm_json_close(w);
    trm_json_close(w);
}

/* Part of a pose, which is read and written as a whole. */
const trm_kind trm_kind_joint_values = {.what = "joints and their coordinates"};

const trm_kind trm_kind_poses = TRM_KIND("named poses", poses);

/* ---- Outputs ------------------------------------------------------------------------------ */

/* An object of named expressions, "camber": "atan2(hub.up.y, hub.up.z)"; or of objects with a unit, or with the two
 * frames whose relative pose it is. What the expressions name is known when the model is built. */
static bool output_read(trm_reader *reader, const trm_json *value, trm_output_def *output)
{
    if (value->kind == TRM_JSON_STRING) {
        *output = trm_default_output_def();
        output->place = (trm_place){reader->file, value->line, value->column};
        return trm_read_text(reader, value, &output->value);
    }
    if (!trm_form_read(reader, &trm_form_output, value, output)) return false;
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
        trm_form_write(w, &trm_form_output, output);
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
    trm_form_schema(w, &trm_form_output);
    trm_json_close(w);
    trm_json_close(w);
    trm_json_close(w);
}

const trm_kind trm_kind_outputs = TRM_KIND("named expressions", outputs);

/* ---- Pairs -------------------------------------------------------------------------------- */

static bool pairs_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    trm_model_def *def = (trm_model_def *)((char *)slot - field->offset);
    if (!trm_require_kind(reader, value, TRM_JSON_ARRAY, "pairs of names [[\"a\", \"b\"], ...]")) return true;
    trm_body_pair *pairs = trm_arena_list(reader->arena, value->count, sizeof *pairs);
    if (!pairs) return false;
    for (int i = 0; i < value->count; i++) {
        const trm_json *pair = &value->items[i];
        pairs[i].place = (trm_place){reader->file, pair->line, pair->column};
        if (!trm_read_array(reader, &trm_kind_body_names, pair, pairs[i].bodies)) return false;
    }
    def->no_collide = pairs;
    def->no_collide_count = value->count;
    return true;
}

static void pairs_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_model_def *def = (const trm_model_def *)((const char *)slot - field->offset);
    trm_json_open_array(w, field->key);
    for (int i = 0; i < def->no_collide_count; i++) trm_json_put_texts(w, NULL, def->no_collide[i].bodies, 2);
    trm_json_close(w);
}

static void pairs_schema(trm_json_writer *w, const trm_field *field)
{
    trm_json_put_text(w, "type", "array");
    trm_json_open_object(w, "items");
    trm_kind_schema(w, &trm_kind_body_names, field);
    trm_json_close(w);
}

const trm_kind trm_kind_pairs = TRM_KIND("pairs of names", pairs);

/* A constant to set that the model does not have. */
static void unknown_setting(trm_reader *reader, const trm_model_def *def, const char *name)
{
    enum { LOOKED_AT = 200 }; /* it is for people */
    const char *names[LOOKED_AT];
    int count = 0;
    for (; count < def->constant_count && count < LOOKED_AT; count++) names[count] = def->constants[count].name;
    const char *near = trm_nearest_word(name, names, count);
    trm_read_error_at(reader, 0, 0, "the model has no constant \"%s\" to set; %s%s%s", name,
                      near ? "did you mean \"" : "it must be listed under \"constants\"", near ? near : "",
                      near ? "\"?" : "");
}

static bool model_finish(trm_reader *reader, const trm_json *object, void *item)
{
    const trm_model_def *def = item;
    for (int i = 0; reader->options && i < reader->options->set_count; i++) {
        bool known = false;
        for (int k = 0; k < def->constant_count; k++)
            known = known || strcmp(def->constants[k].name, reader->options->set[i].name) == 0;
        if (!known) unknown_setting(reader, def, reader->options->set[i].name);
    }
    return trm_read_includes(reader, object, item);
}

const trm_form_hooks trm_hooks_model = {.form = &trm_form_model, .finish = model_finish};
