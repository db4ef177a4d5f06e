/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The model file, key by key. A new key is one line here; docs/model-format.md is its prose.
 *
 * KEY(form's struct, key, kind, member, when it is taken, help) is one field. */

#include "io/model_forms.h"

#include <stdio.h>
#include <string.h>

#include "base/expression.h"
#include "base/message.h"
#include "io/files.h"
#include "io/mesh_obj.h"
#include "methods/method.h"
#include "model/force.h"
#include "model/joint.h"
#include "model/shape.h"

#define KEY(type, name, value_kind, member, bits, text)                                                              \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_##value_kind, .offset = offsetof(type, member), .when = (bits),               \
        .help = (text)                                                                                               \
    }
#define MUST(type, name, value_kind, member, bits, text)                                                             \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_##value_kind, .offset = offsetof(type, member), .when = (bits),               \
        .required = true, .help = (text)                                                                             \
    }
#define WORD(type, name, member, list, text)                                                                         \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_word, .offset = offsetof(type, member), .choices = (list), .help = (text)     \
    }
#define MUST_WORD(type, name, member, list, text)                                                                    \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_word, .offset = offsetof(type, member), .required = true, .choices = (list),  \
        .help = (text)                                                                                               \
    }
#define COUNTED(type, name, value_kind, member, counter, bits, text)                                                 \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_##value_kind, .offset = offsetof(type, member),                               \
        .count_offset = offsetof(type, counter), .when = (bits), .help = (text)                                      \
    }
#define LIST(type, name, member, counter, bits, of, text)                                                            \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_list, .offset = offsetof(type, member),                                       \
        .count_offset = offsetof(type, counter), .when = (bits), .form = (of), .help = (text)                        \
    }
#define OBJECT(type, name, member, bits, of, text)                                                                   \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_object, .offset = offsetof(type, member), .when = (bits), .form = (of),       \
        .help = (text)                                                                                               \
    }
/* An object whose members lie side by side in the struct itself. */
#define GROUP(name, bits, of, text)                                                                                  \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_object, .offset = 0, .when = (bits), .form = (of), .help = (text)             \
    }

enum { EVERY = 0 };

/* ---- Shapes ------------------------------------------------------------------------------- */

static bool is_color(const char *text)
{
    return text[0] == '#' && strlen(text) == 7 && strspn(text + 1, "0123456789abcdefABCDEF") == 6;
}

static bool color_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    if (value->kind == TRM_JSON_STRING && !is_color(value->text)) {
        trm_read_error(reader, value, "\"%s\" is no colour; write \"#rrggbb\", such as \"#ff8000\"", value->text);
        return true;
    }
    return trm_kind_text.read(reader, field, value, slot);
}

static void color_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    trm_kind_text.write(w, field, slot);
}

static void color_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_json_put_text(w, "type", "string");
    trm_json_put_text(w, "pattern", "^#[0-9a-fA-F]{6}$");
}

static const trm_kind trm_kind_color = {"a colour", sizeof(char *), color_read, color_write, color_schema};

static const trm_field shape_fields[] = {
    MUST(trm_shape_def, "type", text, type, EVERY, "what shape"),
    KEY(trm_shape_def, "radius", number, radius, TRM_SHAPE_TAKES_RADIUS, "m"),
    KEY(trm_shape_def, "length", number, length, TRM_SHAPE_TAKES_LENGTH, "m, along z, without a capsule's caps"),
    KEY(trm_shape_def, "size", vec3, size, TRM_SHAPE_TAKES_SIZE, "m, full lengths"),
    COUNTED(trm_shape_def, "points", vec3_list, points, point_count, TRM_SHAPE_TAKES_POINTS,
            "m, corners of the hull"),
    KEY(trm_shape_def, "normal", vec3, normal, TRM_SHAPE_TAKES_PLANE, "the plane's normal n: n.x <= offset is solid"),
    KEY(trm_shape_def, "offset", number, offset, TRM_SHAPE_TAKES_PLANE, "m"),
    KEY(trm_shape_def, "file", text, file, TRM_SHAPE_TAKES_FILE, "Wavefront OBJ, relative to the model file"),
    KEY(trm_shape_def, "scale", number, scale, TRM_SHAPE_TAKES_FILE, "metres per unit of the mesh, 1"),
    KEY(trm_shape_def, "position", vec3, position, TRM_SHAPE_TAKES_POSE, "m, in the body frame"),
    KEY(trm_shape_def, "orientation", orientation, orientation, TRM_SHAPE_TAKES_POSE, "in the body frame"),
    KEY(trm_shape_def, "density", number, density, TRM_SHAPE_TAKES_MASS, "kg/m^3"),
    KEY(trm_shape_def, "friction", number, friction, EVERY, "Coulomb coefficient"),
    KEY(trm_shape_def, "restitution", number, restitution, EVERY, "0 no bounce .. 1 elastic"),
    KEY(trm_shape_def, "collide", bool, collide, EVERY, "true"),
    KEY(trm_shape_def, "color", color, color, EVERY, "#rrggbb"),
};

static trm_variant shape_variant(int index)
{
    const trm_shape_type *type = trm_shape_type_at(index);
    return type ? (trm_variant){type->name, type->takes, NULL} : (trm_variant){NULL, 0, NULL};
}

/* Loads the file of a mesh, so that the definition holds its triangles. */
static bool shape_finish(trm_reader *reader, const trm_json *object, void *item)
{
    trm_shape_def *shape = item;
    if (!shape->type || strcmp(shape->type, "mesh") != 0) return true;
    if (!shape->file) {
        trm_read_error(reader, object, "a mesh needs \"file\": the name of a Wavefront OBJ file");
        return true;
    }
    const trm_json *at = trm_json_member_value(object, "file");
    char *text,
        *path = trm_arena_format(reader->arena, "%s/%s", reader->directory ? reader->directory : "", shape->file);
    size_t length;
    if (!path) return false;
    if (!reader->directory ||
        !trm_read_whole_file(reader->arena, shape->file[0] == '/' ? shape->file : path, &text, &length)) {
        if (reader->arena->failed) return false;
        trm_read_error(reader, at, "the mesh file \"%s\" cannot be read; it is looked for beside the model file",
                       shape->file);
        return true;
    }
    trm_mesh mesh;
    const trm_status status = trm_read_obj(reader->arena, text, length, shape->file, &mesh, reader->messages);
    if (status == TRM_OK) {
        shape->points = mesh.vertices;
        shape->point_count = mesh.vertex_count;
        shape->triangles = (const int(*)[3])mesh.triangles;
        shape->triangle_count = mesh.triangle_count;
    }
    return status != TRM_OUT_OF_MEMORY;
}

static void shape_default(void *item)
{
    *(trm_shape_def *)item = trm_default_shape_def();
}

static const trm_form form_shape = {
    .name = "shape",
    .size = sizeof(trm_shape_def),
    .set_default = shape_default,
    .fields = shape_fields,
    .field_count = TRM_COUNT_OF(shape_fields),
    .has_place = true,
    .variant = shape_variant,
    .finish = shape_finish,
};

/* ---- Bodies ------------------------------------------------------------------------------- */

enum { RIGID = 1 << 0, POINT = 1 << 1, FIXED = 1 << 2, MOVING = 1 << 3, ROD = 1 << 4 };

static const trm_variant body_variants[] = {
    /* by trm_body_kind */
    {"rigid body", RIGID, NULL},
    {"point mass", POINT, "point"},
    {"fixed body", FIXED, "fixed"},
    {"moving body", MOVING, "moving"},
    {"rod", ROD, "rod"},
};

static trm_variant body_variant(int index)
{
    return index < TRM_COUNT_OF(body_variants) ? body_variants[index] : (trm_variant){NULL, 0, NULL};
}

/* The key that makes it no ordinary rigid body; "point": false makes nothing. */
static bool body_which(trm_reader *reader, const trm_json *object, void *item, trm_variant *variant)
{
    trm_body_def *body = item;
    for (int kind = TRM_BODY_POINT; kind <= TRM_BODY_ROD; kind++) {
        const trm_json *mark = trm_json_member_value(object, body_variants[kind].mark);
        if (!mark || (mark->kind == TRM_JSON_BOOL && !mark->boolean)) continue;
        if (body->kind != TRM_BODY_RIGID) {
            trm_read_error(reader, mark, "a body cannot be both \"%s\" and \"%s\"; remove one of them",
                           body_variants[body->kind].mark, body_variants[kind].mark);
            return false;
        }
        body->kind = (trm_body_kind)kind;
    }
    *variant = body_variants[body->kind];
    return true;
}

static trm_variant body_variant_of(const void *body)
{
    return body_variants[((const trm_body_def *)body)->kind];
}

static void body_mark(trm_json_writer *w, const trm_variant *variant)
{
    for (int kind = TRM_BODY_POINT; kind <= TRM_BODY_FIXED; kind++) {
        trm_json_open_object_flat(w, body_variants[kind].mark);
        trm_json_put_bool(w, "const", body_variants[kind].takes == variant->takes);
        trm_json_close(w);
    }
}

/* "point" and "fixed": body_which has seen what they mean. */
static bool mark_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    (void)field;
    (void)slot;
    trm_want_kind(reader, value, TRM_JSON_BOOL, "true or false");
    return true;
}

static void mark_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_body_kind kind = *(const trm_body_kind *)slot;
    const char *mark = body_variants[kind].mark;
    if (mark && strcmp(field->key, mark) == 0) trm_json_put_bool(w, field->key, true);
}

static const trm_kind trm_kind_mark = {"true or false", sizeof(trm_body_kind), mark_read, mark_write, NULL};

static const trm_field rod_fields[] = {
    MUST(trm_rod_def, "from", vec3, from, EVERY, "m, world at the start"),
    MUST(trm_rod_def, "to", vec3, to, EVERY, "m, world at the start"),
    MUST(trm_rod_def, "mass", number, mass, EVERY, "kg"),
    KEY(trm_rod_def, "radius", number, radius, EVERY, "m; 0: slender"),
};

static const trm_form form_rod = {.name = "rod", .fields = rod_fields, .field_count = TRM_COUNT_OF(rod_fields)};

static const trm_field moving_fields[] = {
    KEY(trm_motion_def, "position", functions, position, EVERY, "m, of the body frame, functions of time"),
    KEY(trm_motion_def, "angle", function, angle, EVERY, "rad about the axis, function of time"),
    KEY(trm_motion_def, "axis", vec3, axis, EVERY, "world; [0, 0, 1]"),
};

static const trm_form form_moving = {
    .name = "moving", .fields = moving_fields, .field_count = TRM_COUNT_OF(moving_fields)};

static const trm_field body_fields[] = {
    MUST(trm_body_def, "name", text, name, EVERY, "unique among bodies; \"ground\" always exists"),
    KEY(trm_body_def, "point", mark, kind, EVERY, "true: a point mass with three degrees of freedom"),
    KEY(trm_body_def, "fixed", mark, kind, EVERY, "true: does not move"),
    KEY(trm_body_def, "mass", number, mass, RIGID | POINT, "kg; without it mass, com and inertia come from shapes"),
    KEY(trm_body_def, "inertia", inertia, inertia, RIGID, "kg m^2 about the centre of mass, body axes"),
    KEY(trm_body_def, "com", vec3, com, RIGID, "m, centre of mass in the body frame"),
    KEY(trm_body_def, "position", vec3, position, RIGID | POINT | FIXED, "m, of the body frame, world"),
    KEY(trm_body_def, "orientation", orientation, orientation, RIGID | FIXED, "of the body frame, world"),
    KEY(trm_body_def, "velocity", vec3, velocity, RIGID | POINT | ROD, "m/s, of the frame's origin, world"),
    KEY(trm_body_def, "angular_velocity", vec3, angular_velocity, RIGID | ROD, "rad/s, world"),
    OBJECT(trm_body_def, "rod", rod, ROD, &form_rod, "a uniform solid rod: frame at its middle, x axis from -> to"),
    OBJECT(trm_body_def, "moving", moving, MOVING, &form_moving, "prescribed motion, infinite mass"),
    COUNTED(trm_body_def, "points", points, points, point_count, RIGID | FIXED | MOVING | ROD,
            "m, named reference points in the body frame"),
    LIST(trm_body_def, "shapes", shapes, shape_count, RIGID | FIXED | MOVING | ROD, &form_shape,
         "for mass and contact"),
    KEY(trm_body_def, "subsystem", text, subsystem, EVERY, "for the method subsystem"),
};

static void body_default(void *item)
{
    *(trm_body_def *)item = trm_default_body_def();
}

static const trm_form form_body = {
    .name = "body",
    .size = sizeof(trm_body_def),
    .set_default = body_default,
    .fields = body_fields,
    .field_count = TRM_COUNT_OF(body_fields),
    .has_place = true,
    .variant = body_variant,
    .which = body_which,
    .variant_of = body_variant_of,
    .mark = body_mark,
};

/* ---- Joints ------------------------------------------------------------------------------- */

static const trm_field break_fields[] = {
    KEY(trm_joint_def, "force", number, break_force, EVERY, "N"),
    KEY(trm_joint_def, "torque", number, break_torque, EVERY, "N m"),
};

static const trm_form form_break = {
    .name = "break", .fields = break_fields, .field_count = TRM_COUNT_OF(break_fields)};

static const trm_field joint_fields[] = {
    KEY(trm_joint_def, "name", text, name, EVERY, "unique among joints"),
    MUST(trm_joint_def, "type", text, type, EVERY, "what joint"),
    MUST(trm_joint_def, "bodies", names, bodies, TRM_TAKES_BODIES, "the two bodies"),
    KEY(trm_joint_def, "anchor", vec3, anchor, TRM_TAKES_ANCHOR, "m, world at the start"),
    KEY(trm_joint_def, "axis", vec3, axis, TRM_TAKES_AXIS, "world at the start"),
    KEY(trm_joint_def, "axis2", vec3, axis2, TRM_TAKES_AXIS2, "world at the start, perpendicular to axis"),
    KEY(trm_joint_def, "anchors", vec3_pair, anchors, TRM_TAKES_ANCHOR | TRM_TAKES_LENGTH,
        "m, in the frames of the two bodies, instead of anchor"),
    KEY(trm_joint_def, "axes", vec3_pair, axes, TRM_TAKES_AXIS, "in the frames of the two bodies, instead of axis"),
    KEY(trm_joint_def, "length", number, length, TRM_TAKES_LENGTH, "m; without it the distance at the start"),
    KEY(trm_joint_def, "rope", bool, rope, TRM_TAKES_LENGTH, "true: at most that length"),
    KEY(trm_joint_def, "q0", coordinates, q0, TRM_TAKES_COORDINATE,
        "m or rad: what the coordinates read at the start"),
    KEY(trm_joint_def, "limits", range, limits, TRM_TAKES_LIMITS, "m or rad: stops [lower, upper]"),
    KEY(trm_joint_def, "limit_restitution", number, limit_restitution, TRM_TAKES_LIMITS | TRM_TAKES_LENGTH,
        "0 no bounce .. 1 elastic"),
    KEY(trm_joint_def, "friction", number, friction, TRM_TAKES_LIMITS, "N or N m"),
    GROUP("break", TRM_TAKES_BODIES, &form_break, "the joint opens beyond this force or torque"),
    KEY(trm_joint_def, "attached", bool, attached, TRM_TAKES_BODIES, "at the start; true"),
    KEY(trm_joint_def, "collide", bool, collide, TRM_TAKES_BODIES, "the two bodies collide with each other; false"),
    MUST(trm_joint_def, "joint", text, joint, TRM_TAKES_JOINT, "the joint whose coordinate it acts on"),
    MUST(trm_joint_def, "motion", function, motion, TRM_TAKES_MOTION, "m or rad"),
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

static const trm_form form_joint = {
    .name = "joint",
    .size = sizeof(trm_joint_def),
    .set_default = joint_default,
    .fields = joint_fields,
    .field_count = TRM_COUNT_OF(joint_fields),
    .has_place = true,
    .variant = joint_variant,
};

static const trm_form form_hosted = {
    .name = "drive",
    .size = sizeof(trm_joint_def),
    .set_default = joint_default,
    .fields = joint_fields,
    .field_count = TRM_COUNT_OF(joint_fields),
    .has_place = true,
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
        if (!is_among_forces(&def->joints[i])) write_item(w, &form_joint, &def->joints[i]);
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

static const trm_field force_fields[] = {
    KEY(trm_force_def, "name", text, name, EVERY, "may be left out"),
    MUST(trm_force_def, "type", text, type, EVERY, "what force"),
    MUST(trm_force_def, "bodies", names, bodies, TRM_FORCE_TAKES_BODIES, "the two bodies"),
    KEY(trm_force_def, "anchors", vec3_pair, anchors, TRM_FORCE_TAKES_BODIES, "m, in the frames of the two bodies"),
    KEY(trm_force_def, "rest", number, rest, TRM_FORCE_TAKES_SPRING, "m; without it the length at the start"),
    MUST(trm_force_def, "stiffness", number, stiffness, TRM_FORCE_TAKES_SPRING, "N/m"),
    KEY(trm_force_def, "damping", number, damping, TRM_FORCE_TAKES_SPRING, "N s/m"),
    KEY(trm_force_def, "implicit", bool, implicit, TRM_FORCE_TAKES_SPRING, "stable at any step, first order; false"),
    MUST(trm_force_def, "body", text, body, TRM_FORCE_TAKES_BODY, "on which body"),
    KEY(trm_force_def, "at", vec3, at, TRM_FORCE_TAKES_POINT, "m, in the body frame"),
    MUST(trm_force_def, "value", functions, value, TRM_FORCE_TAKES_VECTOR, "N or N m"),
    KEY(trm_force_def, "frame", frame, in_body_frame, TRM_FORCE_TAKES_VECTOR, "axes of value"),
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

static const trm_form form_force = {
    .name = "force",
    .size = sizeof(trm_force_def),
    .set_default = force_default,
    .fields = force_fields,
    .field_count = TRM_COUNT_OF(force_fields),
    .has_place = true,
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
    if (!trm_want_kind(reader, value, TRM_JSON_ARRAY, "an array [ ... ]")) return true;
    for (int i = 0; i < value->count; i++) {
        trm_joint_def joint;
        trm_force_def force;
        const trm_json *object = &value->items[i];
        const bool hosted = names_hosted_type(object);
        trm_name_element(reader, hosted ? "drive" : "force", object, i);
        if (!(hosted ? trm_form_read(reader, &form_hosted, object, &joint)
                     : trm_form_read(reader, &form_force, object, &force)))
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
    for (int i = 0; i < def->force_count; i++) write_item(w, &form_force, &def->forces[i]);
    for (int i = 0; i < def->joint_count; i++)
        if (is_among_forces(&def->joints[i])) write_item(w, &form_hosted, &def->joints[i]);
    trm_json_close(w);
}

static void forces_schema(trm_json_writer *w, const trm_field *field)
{
    const trm_form only_forces = {
        .name = "force", .fields = force_fields, .field_count = TRM_COUNT_OF(force_fields), .variant = force_variant};
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

static const trm_kind trm_kind_forces = {"a list", 0, forces_read, forces_write, forces_schema};

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

static const trm_field contact_fields[] = {
    MUST(trm_contact_def, "bodies", names, bodies, EVERY, "the two bodies"),
    KEY(trm_contact_def, "friction", contact_friction, friction, EVERY,
        "Coulomb coefficient, or by slip speed (m/s)"),
    KEY(trm_contact_def, "restitution", number, restitution, EVERY, "0 no bounce .. 1 elastic"),
    KEY(trm_contact_def, "rolling", number, rolling, EVERY, "m, rolling friction"),
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
};

static const char *const WHENS[] = {"contact", NULL};

static const trm_field event_fields[] = {
    KEY(trm_event_def, "at", number, at, EVERY, "s"),
    WORD(trm_event_def, "when", when, WHENS, "instead of at"),
    KEY(trm_event_def, "bodies", names, bodies, EVERY, "whose contact"),
    KEY(trm_event_def, "attach", text, attach, EVERY, "a joint"),
    KEY(trm_event_def, "detach", text, detach, EVERY, "a joint"),
    COUNTED(trm_event_def, "set", settings, settings, setting_count, EVERY, "new values, such as servo1.target"),
};

static void event_default(void *item)
{
    *(trm_event_def *)item = trm_default_event_def();
}

static const trm_form form_event = {
    .name = "event",
    .size = sizeof(trm_event_def),
    .set_default = event_default,
    .fields = event_fields,
    .field_count = TRM_COUNT_OF(event_fields),
    .has_place = true,
};

static const char *const SENSORS[] = {"accelerometer", "gyro", "angle", "rate", "force", "distance", "contact", NULL};

static const trm_field sensor_fields[] = {
    MUST(trm_sensor_def, "name", text, name, EVERY, "unique among sensors"),
    MUST_WORD(trm_sensor_def, "type", type, SENSORS, "accelerometer, gyro, angle, rate, force, distance or contact"),
    KEY(trm_sensor_def, "body", text, body, EVERY, "on which body"),
    KEY(trm_sensor_def, "joint", text, joint, EVERY, "on which joint"),
    KEY(trm_sensor_def, "bodies", names, bodies, EVERY, "between which bodies"),
    KEY(trm_sensor_def, "at", vec3, at, EVERY, "m, in the body frame"),
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
};

/* ---- Simulation --------------------------------------------------------------------------- */

/* Options of one method, under its name: an object of numbers, words and truth values. */
static bool options_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    trm_simulation_def *simulation = (trm_simulation_def *)((char *)slot - field->offset);
    if (!trm_want_kind(reader, value, TRM_JSON_OBJECT, "an object of the method's options")) return true;
    for (int i = 0; i < value->count; i++) {
        const trm_json *v = &value->members[i].value;
        trm_option option = {.method = field->key, .name = trm_arena_text(reader->arena, value->members[i].key)};
        if (!option.name) return false;
        if (v->kind == TRM_JSON_STRING) {
            if (!trm_read_text(reader, v, &option.text)) return false;
        } else if (v->kind == TRM_JSON_BOOL) {
            option.number = v->boolean;
        } else if (trm_want_kind(reader, v, TRM_JSON_NUMBER, "a number, a word or true or false")) {
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
    KEY(trm_simulation_def, "position", number, position_tolerance, EVERY, "m; D_max"),
    KEY(trm_simulation_def, "angle", number, angle_tolerance, EVERY, "rad"),
    KEY(trm_simulation_def, "velocity", number, velocity_tolerance, EVERY, "m/s, rad/s; V_max"),
};

static const trm_form form_tolerance = {
    .name = "tolerance", .fields = tolerance_fields, .field_count = TRM_COUNT_OF(tolerance_fields)};

static const char *const SOLVERS[] = {"direct", "iterative", "hierarchy", NULL};
static const char *const SCHEMES[] = {"composition", "extrapolation", NULL};
static const char *const IMPACTS[] = {"event", "window", NULL};

static const trm_field simulation_fields[] = {
    WORD(trm_simulation_def, "method", method, trm_method_names, "which method"),
    WORD(trm_simulation_def, "solver", solver, SOLVERS, "of the impulse method"),
    KEY(trm_simulation_def, "step", number, step, EVERY, "s"),
    KEY(trm_simulation_def, "time", number, time, EVERY, "s, to simulate"),
    KEY(trm_simulation_def, "order", number, order, EVERY, "2, 4, 6 or 8"),
    WORD(trm_simulation_def, "scheme", scheme, SCHEMES, "how orders above 2 are reached"),
    GROUP("tolerance", EVERY, &form_tolerance, "how closely joints are kept"),
    KEY(trm_simulation_def, "error", number, error, EVERY, "error per step that controls the step"),
    WORD(trm_simulation_def, "impact", impact, IMPACTS, "how collisions are found"),
    KEY(trm_simulation_def, "simultaneous", bool, simultaneous, EVERY, "several impacts at once"),
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
    if (trm_want_kind(reader, value, TRM_JSON_NUMBER, "the number of the format") && value->number != FORMAT_VERSION)
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

/* In the order of the file; each may use those before it. */
static bool constants_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    trm_model_def *def = (trm_model_def *)((char *)slot - field->offset);
    if (!trm_want_kind(reader, value, TRM_JSON_OBJECT, "an object of named numbers")) return true;
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

static bool pairs_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    trm_model_def *def = (trm_model_def *)((char *)slot - field->offset);
    if (!trm_want_kind(reader, value, TRM_JSON_ARRAY, "pairs of names [[\"a\", \"b\"], ...]")) return true;
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

static bool joints_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    return trm_kind_list.read(reader, field, value, slot);
}

static void joints_schema(trm_json_writer *w, const trm_field *field)
{
    trm_kind_list.schema(w, field);
}

static const trm_kind trm_kind_joints = {"a list", 0, joints_read, joints_write, joints_schema};

static const trm_field default_fields[] = {
    KEY(trm_model_def, "friction", number, friction, EVERY, "Coulomb coefficient of shapes; 0.5"),
    KEY(trm_model_def, "restitution", number, restitution, EVERY, "0 no bounce .. 1 elastic; 0"),
};

static const trm_form form_defaults = {
    .name = "defaults", .fields = default_fields, .field_count = TRM_COUNT_OF(default_fields)};

static const trm_field model_fields[] = {
    {.key = "trammel", .kind = &trm_kind_version, .required = true, .help = "version of the format"},
    KEY(trm_model_def, "name", text, name, EVERY, "of the model"),
    COUNTED(trm_model_def, "constants", constants, constants, constant_count, EVERY, "names for expressions"),
    KEY(trm_model_def, "gravity", vec3, gravity, EVERY, "m/s^2; [0, 0, 0]"),
    GROUP("defaults", EVERY, &form_defaults, "of shapes"),
    LIST(trm_model_def, "bodies", bodies, body_count, EVERY, &form_body, "what moves and what does not"),
    {.key = "joints",
     .kind = &trm_kind_joints,
     .offset = offsetof(trm_model_def, joints),
     .count_offset = offsetof(trm_model_def, joint_count),
     .form = &form_joint,
     .help = "what holds them together"},
    KEY(trm_model_def, "forces", forces, forces, EVERY, "what acts on them"),
    LIST(trm_model_def, "contacts", contacts, contact_count, EVERY, &form_contact, "friction and bounce of pairs"),
    LIST(trm_model_def, "events", events, event_count, EVERY, &form_event, "what changes during the run"),
    LIST(trm_model_def, "sensors", sensors, sensor_count, EVERY, &form_sensor, "what is measured"),
    COUNTED(trm_model_def, "no_collide", pairs, no_collide, no_collide_count, EVERY, "pairs that do not collide"),
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
    (void)object;
    const trm_model_def *def = item;
    for (int i = 0; reader->options && i < reader->options->set_count; i++) {
        bool known = false;
        for (int k = 0; k < def->constant_count; k++)
            known = known || strcmp(def->constants[k].name, reader->options->set[i].name) == 0;
        if (!known) unknown_setting(reader, def, reader->options->set[i].name);
    }
    return true;
}

const trm_form trm_form_model = {
    .name = "model",
    .size = sizeof(trm_model_def),
    .set_default = model_default,
    .fields = model_fields,
    .field_count = TRM_COUNT_OF(model_fields),
    .finish = model_finish,
};
