/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Joints and forces in the model file. Drives are joints that the file lists under "forces". */

#include <string.h>

#include "base/expression.h"
#include "io/model_forms.h"
#include "io/repeat.h"
#include "model/force.h"
#include "model/joint.h"

/* ---- Joints ------------------------------------------------------------------------------- */

static const trm_field break_fields[] = {
    KEY(trm_joint_def, "force", number, break_force, EVERY, "N"),
    KEY(trm_joint_def, "torque", number, break_torque, EVERY, "N m"),
};

static const trm_form form_break = {
    .name = "break", .fields = break_fields, .field_count = TRM_COUNT_OF(break_fields)};

static const trm_field spring_fields[] = {
    MUST(trm_joint_def, "k", number, spring_stiffness, EVERY, "N/m or N m/rad"),
    KEY(trm_joint_def, "d", number, spring_damping, EVERY, "N s/m or N m s/rad; 0"),
};

static const trm_form form_spring = {
    .name = "spring", .fields = spring_fields, .field_count = TRM_COUNT_OF(spring_fields)};

#define ORIGIN MUST(trm_round_def, "origin", vec3, origin, EVERY, "m, world at the start")
#define AXIS   MUST(trm_round_def, "axis", vec3, axis, EVERY, "world at the start")
#define RADIUS MUST(trm_round_def, "radius", number, radius, EVERY, "m")

/* A sphere has the first two of them, a circle and a cylinder the first three. */
static const trm_field round_fields[] = {
    ORIGIN,
    RADIUS,
    AXIS,
    MUST(trm_round_def, "pitch", number, pitch, EVERY, "m per turn, right-handed if positive"),
};

static const trm_field torus_fields[] = {
    ORIGIN,
    AXIS,
    MUST(trm_round_def, "major", number, major, EVERY, "m, from the axis to the core"),
    MUST(trm_round_def, "minor", number, minor, EVERY, "m, from the core to the surface"),
};

static const trm_form form_circle = {.name = "circle", .fields = round_fields, .field_count = 3};
static const trm_form form_helix = {.name = "helix", .fields = round_fields, .field_count = 4};
static const trm_form form_sphere = {.name = "sphere", .fields = round_fields, .field_count = 2};
static const trm_form form_cylinder = {.name = "cylinder", .fields = round_fields, .field_count = 3};
static const trm_form form_torus = {
    .name = "torus", .fields = torus_fields, .field_count = TRM_COUNT_OF(torus_fields)};

static const trm_field curve_fields[] = {
    COUNTED(trm_curve_def, "points", vec3_list, points, point_count, EVERY,
            "m, in the frame of the first body: a cubic spline through them"),
    KEY(trm_curve_def, "closed", bool, closed, EVERY, "the spline comes back to its first point; false"),
    OBJECT(trm_curve_def, "circle", circle, EVERY, &form_circle, "instead of points"),
    OBJECT(trm_curve_def, "helix", helix, EVERY, &form_helix, "instead of points"),
};

static const trm_form form_curve = {
    .name = "curve", .fields = curve_fields, .field_count = TRM_COUNT_OF(curve_fields)};

static const trm_field surface_fields[] = {
    OBJECT(trm_surface_def, "sphere", sphere, EVERY, &form_sphere, "one of the three"),
    OBJECT(trm_surface_def, "cylinder", cylinder, EVERY, &form_cylinder, "one of the three"),
    OBJECT(trm_surface_def, "torus", torus, EVERY, &form_torus, "one of the three"),
};

static const trm_form form_surface = {
    .name = "surface", .fields = surface_fields, .field_count = TRM_COUNT_OF(surface_fields)};

/* What acts on one coordinate, of a joint with one or in the list of one with several. */
#define COORDINATE_KEYS(type, when)                                                                                  \
    KEY(type, "limits", range, limits, when, "m or rad: stops [lower, upper]"),                                      \
        KEY(type, "friction", number, friction, when, "N or N m"),                                                   \
        KEY(type, "mu", number, mu, when, "friction as a part of the force across the axis; 0"),                     \
        KEY(type, "radius", number, radius, when, "m: of the bearing, at which mu acts on a turning coordinate"),    \
        KEY(type, "static_friction", number, static_friction, when, "N or N m, at rest; as friction"),               \
        KEY(type, "stribeck_velocity", number, stribeck_velocity, when,                                              \
            "m/s or rad/s: at which 1/e of static_friction - friction is left"),                                     \
        KEY(type, "stiffness", number, stiffness, when, "N/m or N m/rad, of a spring on the coordinate; 0"),         \
        KEY(type, "spring_reference", number, spring_reference, when, "m or rad: where it has no force; 0"),         \
        KEY(type, "damping", number, damping, when, "N s/m or N m s/rad; 0"),                                        \
        KEY(type, "armature", number, armature, when, "kg or kg m^2: reflected inertia of a rotor; 0"),              \
        KEY(type, "effort", number, effort, when, "N or N m: rated force, kept for controllers"),                    \
        KEY(type, "max_velocity", number, max_velocity, when, "m/s or rad/s: rated speed, kept for controllers")

static const trm_field coordinate_fields[] = {
    COORDINATE_KEYS(trm_coordinate_def, EVERY),
    KEY(trm_coordinate_def, "limit_restitution", number, limit_restitution, EVERY, "0 no bounce .. 1 elastic"),
};

static void coordinate_default(void *item)
{
    *(trm_coordinate_def *)item = trm_default_coordinate_def();
}

static const trm_form form_coordinate = {
    .name = "coordinate",
    .size = sizeof(trm_coordinate_def),
    .set_default = coordinate_default,
    .fields = coordinate_fields,
    .field_count = TRM_COUNT_OF(coordinate_fields),
    .has_place = true,
};

static const char *const LINKS[] = {"hinge", "slider", NULL};

static const trm_field link_fields[] = {
    MUST_WORD(trm_coordinate_def, "type", type, LINKS, "what link"),
    KEY(trm_coordinate_def, "anchor", vec3, anchor, EVERY, "m, a point of a hinge's axis, world at the start"),
    MUST(trm_coordinate_def, "axis", vec3, axis, EVERY, "world at the start"),
    COORDINATE_KEYS(trm_coordinate_def, EVERY),
    KEY(trm_coordinate_def, "limit_restitution", number, limit_restitution, EVERY, "0 no bounce .. 1 elastic"),
};

static const trm_form form_link = {
    .name = "link",
    .size = sizeof(trm_coordinate_def),
    .set_default = coordinate_default,
    .fields = link_fields,
    .field_count = TRM_COUNT_OF(link_fields),
    .has_place = true,
};

/* A list of numbers, counted. */
static bool numbers_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    int *count = (int *)((char *)slot - field->offset + field->count_offset);
    return trm_read_numbers(reader, value, slot, count);
}

static void numbers_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const int count = *(const int *)((const char *)slot - field->offset + field->count_offset);
    trm_json_put_numbers(w, field->key, *(const double *const *)slot, count);
}

static void numbers_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_schema_ref(w, "numbers");
}

static const trm_kind trm_kind_numbers = {"a list of numbers", 0, numbers_read, numbers_write, numbers_schema};

static const trm_field term_fields[] = {
    MUST(trm_term_def, "joint", text, joint, EVERY, "whose coordinate it is"),
    KEY(trm_term_def, "coordinate", number, coordinate, EVERY, "which one, from 1, of a joint with several"),
    KEY(trm_term_def, "factor", number, factor, EVERY, "of the coordinate; 1"),
    COUNTED(trm_term_def, "polynomial", numbers, polynomial, polynomial_count, EVERY,
            "factors of q, q^2, ..., instead of factor"),
};

static void term_default(void *item)
{
    *(trm_term_def *)item = trm_default_term_def();
}

static const trm_form form_term = {
    .name = "term",
    .size = sizeof(trm_term_def),
    .set_default = term_default,
    .fields = term_fields,
    .field_count = TRM_COUNT_OF(term_fields),
    .has_place = true,
};
static const char *const TREATMENTS[] = {"explicit", "implicit", "integral", NULL};
static const char *const ALIGNMENTS[] = {"start", "now", NULL};

static const trm_field joint_fields[] = {
    KEY(trm_joint_def, "name", text, name, EVERY, "unique among joints"),
    MUST(trm_joint_def, "type", text, type, EVERY, "what joint"),
    MUST(trm_joint_def, "bodies", names, bodies, TRM_TAKES_BODIES, "the two bodies"),
    KEY(trm_joint_def, "parent", text, parent, TRM_TAKES_ANCHOR | TRM_TAKES_CHAIN,
        "BODY, BODY.POINT or JOINT: points and axes are in its frame, not in the world"),
    KEY(trm_joint_def, "anchor", vec3, anchor, TRM_TAKES_ANCHOR, "m, world at the start"),
    KEY(trm_joint_def, "axis", vec3, axis, TRM_TAKES_AXIS, "world at the start"),
    KEY(trm_joint_def, "x_axis", vec3, x_axis, TRM_TAKES_X_AXIS,
        "x axis of the joint's frame, world at the start, not parallel to axis"),
    KEY(trm_joint_def, "axis2", vec3, axis2, TRM_TAKES_AXIS2, "world at the start, perpendicular to axis"),
    KEY(trm_joint_def, "anchors", vec3_pair, anchors, TRM_TAKES_ANCHOR | TRM_TAKES_LENGTH | TRM_TAKES_SPAN,
        "m, in the frames of the two bodies, instead of anchor"),
    KEY(trm_joint_def, "axes", vec3_pair, axes, TRM_TAKES_AXIS, "in the frames of the two bodies, instead of axis"),
    KEY(trm_joint_def, "length", number, length, TRM_TAKES_LENGTH, "m; without it the distance at the start"),
    KEY(trm_joint_def, "rope", bool, rope, TRM_TAKES_LENGTH | TRM_TAKES_TERMS,
        "true: at most that length, of a coupling at most its offset"),
    OBJECT(trm_joint_def, "curve", curve, TRM_TAKES_CURVE, &form_curve, "that the first body carries"),
    OBJECT(trm_joint_def, "surface", surface, TRM_TAKES_SURFACE, &form_surface, "that the first body carries"),
    MUST(trm_joint_def, "pitch", number, pitch, TRM_TAKES_PITCH, "m per radian"),
    KEY(trm_joint_def, "q0", coordinates, q0, TRM_TAKES_COORDINATE,
        "m or rad: what the coordinates read at the start"),
    COORDINATE_KEYS(trm_joint_def, TRM_TAKES_LIMITS),
    KEY(trm_joint_def, "mu", number, mu, TRM_TAKES_TERMS, "friction of a rope of two spans around its pulley; 0"),
    KEY(trm_joint_def, "wrap", number, wrap, TRM_TAKES_TERMS, "rad: angle of that rope around its pulley"),
    KEY(trm_joint_def, "damping", number, damping, TRM_TAKES_DAMPING,
        "N m s/rad: against the angular velocity of one body relative to the other; 0"),
    LIST(trm_joint_def, "coordinates", coordinates, coordinate_count, TRM_TAKES_EACH, &form_coordinate,
         "what acts on each coordinate, in their order"),
    MUST_LIST(trm_joint_def, "chain", coordinates, coordinate_count, TRM_TAKES_CHAIN, &form_link,
              "one to six hinges and sliders in a row, from the first body to the second"),
    KEY(trm_joint_def, "limit_restitution", number, limit_restitution,
        TRM_TAKES_LIMITS | TRM_TAKES_LENGTH | TRM_TAKES_TERMS, "0 no bounce .. 1 elastic"),
    GROUP("break", TRM_TAKES_BODIES, &form_break, "the joint opens beyond this force or torque"),
    KEY(trm_joint_def, "erp", number, erp, EVERY, "0 .. 1, share of a gap that lcp closes in a step; as lcp.erp"),
    KEY(trm_joint_def, "cfm", number, cfm, EVERY,
        "(m/s)/N or (rad/s)/(N m), by which lcp lets it give way; as lcp.cfm"),
    GROUP("spring", EVERY, &form_spring, "each of its rows is a spring with a damper, instead of erp and cfm"),
    KEY(trm_joint_def, "attached", bool, attached, TRM_TAKES_BODIES | TRM_TAKES_JOINTS | TRM_TAKES_TERMS,
        "at the start; true"),
    {.key = "align",
     .kind = &trm_kind_word,
     .offset = offsetof(trm_joint_def, align),
     .when = TRM_TAKES_BODIES,
     .choices = ALIGNMENTS,
     .help = "of a fixed joint: the relative pose that it keeps"},
    KEY(trm_joint_def, "collide", bool, collide, TRM_TAKES_BODIES, "the two bodies collide with each other; false"),
    MUST(trm_joint_def, "joint", text, joint, TRM_TAKES_JOINT, "the joint whose coordinate it acts on"),
    KEY(trm_joint_def, "coordinate", number, coordinate, TRM_TAKES_JOINT,
        "which one, from 1, of a joint with several"),
    MUST(trm_joint_def, "motion", function, motion, TRM_TAKES_MOTION, "m or rad"),
    MUST(trm_joint_def, "velocity", function, velocity, TRM_TAKES_VELOCITY, "m/s or rad/s, function of time"),
    KEY(trm_joint_def, "max", number, max_force, TRM_TAKES_VELOCITY, "N or N m, at most; without it no limit"),
    MUST(trm_joint_def, "joints", names, joints, TRM_TAKES_JOINTS, "the two joints whose coordinates go together"),
    KEY(trm_joint_def, "coordinates", range, geared, TRM_TAKES_JOINTS, "which ones, from 1, of joints with several"),
    MUST(trm_joint_def, "ratio", number, ratio, TRM_TAKES_JOINTS, "q1 = ratio q2 + offset"),
    MUST_LIST(trm_joint_def, "terms", terms, term_count, TRM_TAKES_TERMS, &form_term, "coordinates that it adds up"),
    KEY(trm_joint_def, "offset", number, offset, TRM_TAKES_JOINTS | TRM_TAKES_TERMS,
        "m or rad: what q1 - ratio q2, or the terms, add up to; without it what the start has"),
};

static void joint_default(void *item)
{
    *(trm_joint_def *)item = trm_default_joint_def();
}

/* Types listed under "joints", or those listed under "forces". */
static trm_variant joint_variant_of(bool among_forces, int index)
{
    for (int i = 0; trm_joint_type_at(i); i++) {
        const trm_joint_type *type = trm_joint_type_at(i);
        if (type->among_forces == among_forces && index-- == 0) return (trm_variant){type->name, type->takes, NULL};
    }
    return (trm_variant){NULL, 0, NULL};
}

static trm_variant joint_variant(int index)
{
    return joint_variant_of(false, index);
}

static trm_variant hosted_variant(int index)
{
    return joint_variant_of(true, index);
}

const trm_form trm_form_joint = {
    .name = "joint",
    .size = sizeof(trm_joint_def),
    .set_default = joint_default,
    .fields = joint_fields,
    .field_count = TRM_COUNT_OF(joint_fields),
    .has_place = true,
    .repeats = true,
    .variant = joint_variant,
};

static const trm_form form_hosted = {
    .name = "drive",
    .size = sizeof(trm_joint_def),
    .set_default = joint_default,
    .fields = joint_fields,
    .field_count = TRM_COUNT_OF(joint_fields),
    .has_place = true,
    .repeats = true,
    .variant = hosted_variant,
};

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

static const trm_kind trm_kind_frame = {"world or body", sizeof(bool), frame_read, frame_write, frame_schema};

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

static void aimed_rate_schema(trm_json_writer *w, const trm_field *field)
{
    trm_kind_function.schema(w, field);
}

static const trm_kind trm_kind_aimed_rate = {"a function of time", 0, aimed_rate_read, aimed_rate_write,
                                             aimed_rate_schema};

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

static void number_or_function_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_schema_ref(w, "function");
}

static const trm_kind trm_kind_number_or_function = {"a number or a function of time", 0, number_or_function_read,
                                                     number_or_function_write, number_or_function_schema};

static const trm_field force_fields[] = {
    KEY(trm_force_def, "name", text, name, EVERY, "may be left out"),
    MUST(trm_force_def, "type", text, type, EVERY, "what force"),
    MUST(trm_force_def, "bodies", names, bodies, TRM_FORCE_TAKES_BODIES | TRM_FORCE_TAKES_SWIVEL, "the two bodies"),
    KEY(trm_force_def, "anchors", vec3_pair, anchors, TRM_FORCE_TAKES_BODIES, "m, in the frames of the two bodies"),
    MUST(trm_force_def, "joint", text, joint, TRM_FORCE_TAKES_JOINT, "the joint on whose coordinate it acts"),
    KEY(trm_force_def, "coordinate", number, coordinate, TRM_FORCE_TAKES_JOINT,
        "which one, from 1, of a joint with several"),
    KEY(trm_force_def, "rest", number, rest, TRM_FORCE_TAKES_SPRING,
        "m; without it the length at the start; of a coordinate m or rad, 0"),
    MUST(trm_force_def, "stiffness", number, stiffness, TRM_FORCE_TAKES_SPRING, "N/m or N m"),
    KEY(trm_force_def, "damping", number, damping, TRM_FORCE_TAKES_SPRING | TRM_FORCE_TAKES_SWIVEL, "N s/m or N m s"),
    KEY(trm_force_def, "implicit", bool, implicit, TRM_FORCE_TAKES_SPRING, "true: treatment implicit; false"),
    {.key = "treatment",
     .kind = &trm_kind_word,
     .offset = offsetof(trm_force_def, treatment),
     .when = TRM_FORCE_TAKES_SPRING,
     .choices = TREATMENTS,
     .help = "how the impulse method applies it; explicit"},
    MUST(trm_force_def, "body", text, body, TRM_FORCE_TAKES_BODY, "on which body"),
    KEY(trm_force_def, "at", vec3, at, TRM_FORCE_TAKES_POINT, "m, in the body frame"),
    MUST(trm_force_def, "value", functions, value, TRM_FORCE_TAKES_VECTOR, "N or N m"),
    MUST(trm_force_def, "value", function, value, TRM_FORCE_TAKES_PULL,
         "N or N m; of an actuator positive pushes apart"),
    KEY(trm_force_def, "value", function, value, TRM_FORCE_TAKES_TARGET, "N or N m, added to what the servo does; 0"),
    KEY(trm_force_def, "gear", number, gear, TRM_FORCE_TAKES_GEAR, "ratio: it sees gear q and acts gear-fold; 1"),
    KEY(trm_force_def, "range", range, range, TRM_FORCE_TAKES_RANGE, "N or N m: value is clipped to it"),
    KEY(trm_force_def, "frame", frame, in_body_frame, TRM_FORCE_TAKES_VECTOR, "axes of value"),
    KEY(trm_force_def, "target", function, target, TRM_FORCE_TAKES_TARGET, "m or rad; 0"),
    KEY(trm_force_def, "velocity", aimed_rate, velocity, TRM_FORCE_TAKES_TARGET,
        "m/s or rad/s: rate that it aims at; without it that of target"),
    KEY(trm_force_def, "kp", number, kp, TRM_FORCE_TAKES_TARGET, "N/m or N m; 0"),
    KEY(trm_force_def, "kd", number, kd, TRM_FORCE_TAKES_TARGET, "N s/m or N m s"),
    KEY(trm_force_def, "ki", number, ki, TRM_FORCE_TAKES_TARGET, "N/(m s) or N m/s: of the integral of the error; 0"),
    KEY(trm_force_def, "lag", number, lag, TRM_FORCE_TAKES_TARGET, "s: time constant of the force; 0"),
    KEY(trm_force_def, "max", number_or_function, max, TRM_FORCE_TAKES_TARGET,
        "N or N m, at most, function of time; without it no limit"),
    KEY(trm_force_def, "brake", number_or_function, brake, TRM_FORCE_TAKES_TARGET,
        "N s/m or N m s, function of time; 0"),
    KEY(trm_force_def, "linear", number, linear, TRM_FORCE_TAKES_DRAG, "N s/m"),
    KEY(trm_force_def, "angular", number, angular, TRM_FORCE_TAKES_DRAG, "N m s"),
};

static void force_default(void *item)
{
    *(trm_force_def *)item = trm_default_force_def();
}

static trm_variant force_variant(int index)
{
    for (int i = 0; trm_force_type_at(i); i++) {
        const trm_force_type *type = trm_force_type_at(i);
        if (!type->built_in && index-- == 0) return (trm_variant){type->name, type->takes, NULL};
    }
    return (trm_variant){NULL, 0, NULL};
}

/* For messages: all that may stand under "forces". */
static trm_variant force_or_hosted_variant(int index)
{
    int forces = 0;
    while (force_variant(forces).name) forces++;
    return index < forces ? force_variant(index) : hosted_variant(index - forces);
}

const trm_form trm_form_force = {
    .name = "force",
    .size = sizeof(trm_force_def),
    .set_default = force_default,
    .fields = force_fields,
    .field_count = TRM_COUNT_OF(force_fields),
    .has_place = true,
    .repeats = true,
    .variant = force_or_hosted_variant,
};

static bool names_hosted_type(const trm_json *object)
{
    const trm_json *type = object->kind == TRM_JSON_OBJECT ? trm_json_member_value(object, "type") : NULL;
    for (int i = 0; type && type->kind == TRM_JSON_STRING && hosted_variant(i).name; i++)
        if (strcmp(hosted_variant(i).name, type->text) == 0) return true;
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
        if (!(hosted ? trm_form_read(reader, &form_hosted, object, &joint)
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
        if (is_among_forces(&def->joints[i])) write_item(w, &form_hosted, &def->joints[i]);
    trm_json_close(w);
}

static void forces_schema(trm_json_writer *w, const trm_field *field)
{
    const trm_form only_forces = {.name = "force",
                                  .fields = force_fields,
                                  .field_count = TRM_COUNT_OF(force_fields),
                                  .repeats = true,
                                  .variant = force_variant};
    (void)field;
    trm_json_put_text(w, "type", "array");
    trm_json_open_object(w, "items");
    trm_json_open_array(w, "anyOf");
    trm_json_open_object(w, NULL);
    trm_form_schema(w, &only_forces);
    trm_json_close(w);
    trm_json_open_object(w, NULL);
    trm_form_schema(w, &form_hosted);
    trm_json_close(w);
    trm_json_close(w);
    trm_json_close(w);
}

const trm_kind trm_kind_forces = {"a list", 0, forces_read, forces_write, forces_schema};

/* ---- The lists ---------------------------------------------------------------------------- */

static bool joints_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    return trm_kind_list.read(reader, field, value, slot);
}

static void joints_schema(trm_json_writer *w, const trm_field *field)
{
    trm_kind_list.schema(w, field);
}

const trm_kind trm_kind_joints = {"a list", 0, joints_read, joints_write, joints_schema};
