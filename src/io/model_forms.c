/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The model file as a whole: contacts, events, sensors, simulation, and the model that contains them. */

#include "io/model_forms.h"

#include <stdio.h>
#include <string.h>

#include "base/expression.h"
#include "base/message.h"
#include "io/include.h"
#include "methods/method.h"

/* ---- Contacts, events, sensors ------------------------------------------------------------ */

/* "friction": a number, or {"speed": [...], "mu": [...]}; the slot is the number. */
static bool contact_friction_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
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

static void contact_friction_write(trm_json_writer *w, const trm_field *field, const void *slot)
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

static void contact_friction_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_schema_ref(w, "friction");
}

static const trm_kind trm_kind_contact_friction = {"a number or a table", 0, contact_friction_read,
                                                   contact_friction_write, contact_friction_schema};

static const char *const LAWS[] = {"poisson", "stronge", NULL};

static const trm_field contact_fields[] = {
    MUST(trm_contact_def, "bodies", names, bodies, EVERY, "the two bodies"),
    KEY(trm_contact_def, "friction", contact_friction, friction, EVERY,
        "Coulomb coefficient, or by slip speed (m/s)"),
    KEY(trm_contact_def, "restitution", number, restitution, EVERY, "0 no bounce .. 1 elastic"),
    KEY(trm_contact_def, "rolling", number, rolling, EVERY, "m, lever arm of rolling friction"),
    KEY(trm_contact_def, "torsional", number, torsional, EVERY, "m, lever arm of torsional friction"),
    WORD(trm_contact_def, "law", law, LAWS, "of restitution"),
};

static void contact_default(void *item)
{
    *(trm_contact_def *)item = trm_default_contact_def();
}

static const trm_form form_contact = {
    .name = "contact",
    .size = sizeof(trm_contact_def),
    .set_default = contact_default,
    .fields = contact_fields,
    .field_count = TRM_COUNT_OF(contact_fields),
    .has_place = true,
    .repeats = true,
};

static const trm_field event_fields[] = {
    KEY(trm_event_def, "at", number, at, EVERY, "s"),
    KEY(trm_event_def, "when", text, when, EVERY, "instead of at: \"contact\", or a condition that becomes true"),
    KEY(trm_event_def, "bodies", names, bodies, EVERY, "whose contact"),
    KEY(trm_event_def, "delay", number, delay, EVERY, "s, from then until it acts; 0"),
    KEY(trm_event_def, "stop", bool, stop, EVERY, "it ends the run; false"),
    KEY(trm_event_def, "attach", text, attach, EVERY, "a joint"),
    KEY(trm_event_def, "detach", text, detach, EVERY, "a joint"),
    COUNTED(trm_event_def, "set", settings, settings, setting_count, EVERY, "new values, such as servo1.target"),
};

static void event_default(void *item)
{
    *(trm_event_def *)item = trm_default_event_def();
}

static bool event_finish(trm_reader *reader, const trm_json *object, void *item)
{
    trm_event_def *event = item;
    const trm_json *when = object->kind == TRM_JSON_OBJECT ? trm_json_member_value(object, "when") : NULL;
    if (when) event->when_place = (trm_place){reader->file, when->line, when->column};
    return true;
}

static const trm_form form_event = {
    .name = "event",
    .size = sizeof(trm_event_def),
    .set_default = event_default,
    .fields = event_fields,
    .field_count = TRM_COUNT_OF(event_fields),
    .finish = event_finish,
    .has_place = true,
    .repeats = true,
};

static const char *const SENSORS[] = {"accelerometer", "gyro", "angle", "rate", "force", "distance", "contact", NULL};

static const trm_field sensor_fields[] = {
    MUST(trm_sensor_def, "name", text, name, EVERY, "unique among sensors"),
    MUST_WORD(trm_sensor_def, "type", type, SENSORS, "accelerometer, gyro, angle, rate, force, distance or contact"),
    KEY(trm_sensor_def, "body", text, body, EVERY, "on which body, or on which of its points or frames: BODY.POINT"),
    KEY(trm_sensor_def, "joint", text, joint, EVERY, "on which joint"),
    KEY(trm_sensor_def, "coordinate", number, coordinate, EVERY, "which one, from 1, of a joint with several"),
    KEY(trm_sensor_def, "bodies", names, bodies, EVERY, "between which bodies; a distance also between BODY.POINT"),
    KEY(trm_sensor_def, "at", vec3, at, EVERY, "m, in the frame of the body or point"),
    KEY(trm_sensor_def, "orientation", orientation, orientation, EVERY, "its axes in that frame"),
    KEY(trm_sensor_def, "anchors", vec3_pair, anchors, EVERY, "m, of a distance: points in the body frames"),
    KEY(trm_sensor_def, "rate", number, rate, EVERY, "Hz; 0: every step"),
    KEY(trm_sensor_def, "noise", number, noise, EVERY, "standard deviation, in the sensor's unit"),
};

static void sensor_default(void *item)
{
    *(trm_sensor_def *)item = trm_default_sensor_def();
}

static const trm_form form_sensor = {
    .name = "sensor",
    .size = sizeof(trm_sensor_def),
    .set_default = sensor_default,
    .fields = sensor_fields,
    .field_count = TRM_COUNT_OF(sensor_fields),
    .has_place = true,
    .repeats = true,
};

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
        trm_option *grown = trm_arena_grow(reader->arena, (void *)(uintptr_t)simulation->options,
                                           simulation->option_count, sizeof *grown);
        if (!grown) return false;
        grown[simulation->option_count++] = option;
        simulation->options = grown;
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

static const trm_kind trm_kind_options = {"options", 0, options_read, options_write, options_schema};

static const trm_field tolerance_fields[] = {
    KEY(trm_simulation_def, "position", number, position_tolerance, EVERY, "m; D_max; default: by the order"),
    KEY(trm_simulation_def, "angle", number, angle_tolerance, EVERY, "rad; default: by the order"),
    KEY(trm_simulation_def, "velocity", number, velocity_tolerance, EVERY,
        "m/s, rad/s; V_max; default: by the order"),
};

static const trm_form form_tolerance = {
    .name = "tolerance", .fields = tolerance_fields, .field_count = TRM_COUNT_OF(tolerance_fields)};

static const char *const SCHEMES[] = {"auto", "composition", "extrapolation", NULL};
static const char *const IMPACTS[] = {"event", "window", "auto", NULL};
static const char *const SLEEPS[] = {"auto", "on", "off", NULL};

static const trm_field simulation_fields[] = {
    WORD(trm_simulation_def, "method", method, trm_method_names, "which method"),
    WORD(trm_simulation_def, "solver", solver, trm_shared_solvers, "of the impulse method"),
    KEY(trm_simulation_def, "start", text, start, EVERY, "the pose that a run begins with"),
    KEY(trm_simulation_def, "step", number, step, EVERY, "s"),
    KEY(trm_simulation_def, "time", number, time, EVERY, "s, to simulate"),
    KEY(trm_simulation_def, "order", number, order, EVERY, "2, 4, 6 or 8; of taylor any whole number from 2 to 20"),
    WORD(trm_simulation_def, "scheme", scheme, SCHEMES, "how orders above 2 are reached"),
    GROUP("tolerance", EVERY, &form_tolerance, "how closely joints are kept"),
    KEY(trm_simulation_def, "error", number, error, EVERY, "error per step that controls the step"),
    WORD(trm_simulation_def, "impact", impact, IMPACTS, "how collisions are found"),
    KEY(trm_simulation_def, "simultaneous", bool, simultaneous, EVERY, "several impacts at once"),
    WORD(trm_simulation_def, "sleep", sleep, SLEEPS, "whether piles at rest sleep"),
    KEY(trm_simulation_def, "every", number, every, EVERY, "s, between result rows"),
#define TRM_METHOD(name)                                                                                             \
    COUNTED(trm_simulation_def, #name, options, options, option_count, EVERY, "options of the method " #name),
#include "methods/list.h"
#undef TRM_METHOD
};

static const trm_form form_simulation = {
    .name = "simulation",
    .fields = simulation_fields,
    .field_count = TRM_COUNT_OF(simulation_fields),
    .has_place = true,
};

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

static const trm_kind trm_kind_version = {"1", 0, version_read, version_write, version_schema};

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

static void constants_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_model_def *def = (const trm_model_def *)((const char *)slot - field->offset);
    trm_json_open_object(w, field->key);
    for (int i = 0; i < def->constant_count; i++)
        trm_json_put_number(w, def->constants[i].name, def->constants[i].value);
    trm_json_close(w);
}

static void constants_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_json_put_text(w, "type", "object");
    trm_json_open_object_flat(w, "additionalProperties");
    trm_schema_ref(w, "number");
    trm_json_close(w);
}

static const trm_kind trm_kind_constants = {"named numbers", 0, constants_read, constants_write, constants_schema};

/* ---- Inputs ------------------------------------------------------------------------------- */

static const trm_field input_fields[] = {
    KEY(trm_input_def, "range", range, range, EVERY, "values are clipped to it"),
    KEY(trm_input_def, "start", number, start, EVERY, "value until it is set; 0"),
};

static void input_default(void *item)
{
    *(trm_input_def *)item = trm_default_input_def();
}

static const trm_form form_input = {
    .name = "input",
    .size = sizeof(trm_input_def),
    .set_default = input_default,
    .fields = input_fields,
    .field_count = TRM_COUNT_OF(input_fields),
    .has_place = true,
};

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
        if (!trm_form_read(reader, &form_input, &value->members[i].value, &input)) return false;
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
        trm_form_write(w, &form_input, &def->inputs[i]);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void inputs_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_json_put_text(w, "type", "object");
    trm_json_open_object(w, "additionalProperties");
    trm_form_schema(w, &form_input);
    trm_json_close(w);
}

static const trm_kind trm_kind_inputs = {"named inputs", 0, inputs_read, inputs_write, inputs_schema};

/* ---- Poses -------------------------------------------------------------------------------- */

static bool pose_read(trm_reader *reader, const trm_field *field, const trm_json *object, trm_pose_def *pose)
{
    trm_joint_value *values = trm_arena_list(reader->arena, object->count, sizeof *values);
    if (!values) return false;
    for (int i = 0; i < object->count; i++) {
        const trm_json *value = &object->members[i].value;
        for (int k = 0; k < TRM_JOINT_COORDINATES; k++) values[i].q[k] = NAN;
        values[i].joint = trm_arena_text(reader->arena, object->members[i].key);
        if (!values[i].joint || !trm_kind_coordinates.read(reader, field, value, values[i].q)) return false;
    }
    pose->values = values;
    pose->value_count = object->count;
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
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void poses_schema(trm_json_writer *w, const trm_field *field)
{
    trm_json_put_text(w, "type", "object");
    trm_json_open_object(w, "additionalProperties");
    trm_json_put_text(w, "type", "object");
    trm_json_open_object(w, "additionalProperties");
    trm_kind_coordinates.schema(w, field);
    trm_json_close(w);
    trm_json_close(w);
}

static const trm_kind trm_kind_poses = {"named poses", 0, poses_read, poses_write, poses_schema};

static bool pairs_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    trm_model_def *def = (trm_model_def *)((char *)slot - field->offset);
    if (!trm_require_kind(reader, value, TRM_JSON_ARRAY, "pairs of names [[\"a\", \"b\"], ...]")) return true;
    trm_body_pair *pairs = trm_arena_list(reader->arena, value->count, sizeof *pairs);
    if (!pairs) return false;
    for (int i = 0; i < value->count; i++) {
        const trm_json *pair = &value->items[i];
        pairs[i].place = (trm_place){reader->file, pair->line, pair->column};
        if (!trm_kind_names.read(reader, field, pair, pairs[i].bodies)) return false;
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
    trm_kind_names.schema(w, field);
    trm_json_close(w);
}

static const trm_kind trm_kind_pairs = {"pairs of names", 0, pairs_read, pairs_write, pairs_schema};

static const trm_field default_fields[] = {
    KEY(trm_model_def, "friction", number, friction, EVERY, "Coulomb coefficient of shapes; 0.5"),
    KEY(trm_model_def, "restitution", number, restitution, EVERY, "0 no bounce .. 1 elastic; 0"),
};

static const trm_form form_defaults = {
    .name = "defaults", .fields = default_fields, .field_count = TRM_COUNT_OF(default_fields)};

static const trm_field model_fields[] = {
    {.key = "trammel", .kind = &trm_kind_version, .required = true, .help = "version of the format"},
    KEY(trm_model_def, "name", text, name, EVERY, "of the model"),
    COUNTED(trm_model_def, "constants", constants, constants, constant_count, EVERY, "named numbers for expressions"),
    COUNTED(trm_model_def, "inputs", inputs, inputs, input_count, EVERY, "numbers that are set while the model runs"),
    KEY(trm_model_def, "gravity", vec3, gravity, EVERY, "m/s^2; [0, 0, 0]"),
    {.key = "include", .kind = &trm_kind_include, .help = "models that are part of this one"},
    GROUP("defaults", EVERY, &form_defaults, "of shapes"),
    LIST(trm_model_def, "bodies", bodies, body_count, EVERY, &trm_form_body,
         "rigid bodies and point masses, free, moving or fixed"),
    {.key = "joints",
     .kind = &trm_kind_joints,
     .offset = offsetof(trm_model_def, joints),
     .count_offset = offsetof(trm_model_def, joint_count),
     .form = &trm_form_joint,
     .help = "joints, drives, motors, gears and couplings"},
    {.key = "forces",
     .kind = &trm_kind_forces,
     .offset = offsetof(trm_model_def, forces),
     .form = &trm_form_force,
     .help = "forces, torques, springs, dampers, servos and actuators"},
    LIST(trm_model_def, "contacts", contacts, contact_count, EVERY, &form_contact, "friction and bounce of pairs"),
    LIST(trm_model_def, "events", events, event_count, EVERY, &form_event, "changes during the run"),
    LIST(trm_model_def, "sensors", sensors, sensor_count, EVERY, &form_sensor, "sensors"),
    COUNTED(trm_model_def, "outputs", outputs, outputs, output_count, EVERY, "quantities computed from results"),
    COUNTED(trm_model_def, "no_collide", pairs, no_collide, no_collide_count, EVERY, "pairs that do not collide"),
    COUNTED(trm_model_def, "poses", poses, poses, pose_count, EVERY, "values of joint coordinates under a name"),
    OBJECT(trm_model_def, "simulation", simulation, EVERY, &form_simulation, "defaults for trammel run"),
};

static void model_default(void *item)
{
    trm_model_def *def = item;
    def->friction = 0.5;
    def->simulation = trm_default_simulation_def();
}

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

const trm_form trm_form_model = {
    .name = "model",
    .size = sizeof(trm_model_def),
    .set_default = model_default,
    .fields = model_fields,
    .field_count = TRM_COUNT_OF(model_fields),
    .finish = model_finish,
};
