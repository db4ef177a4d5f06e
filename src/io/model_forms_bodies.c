/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Bodies and their shapes in the model file. */

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "io/files.h"
#include "io/mesh_file.h"
#include "io/model_forms.h"
#include "model/shape.h"

/* ---- Shapes ------------------------------------------------------------------------------- */

static bool is_color(const char *text)
{
    return text[0] == '#' && strlen(text) == 7 && strspn(text + 1, "0123456789abcdefABCDEF") == 6;
}

static bool color_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    if (value->kind == TRM_JSON_STRING && !is_color(value->text)) {
        trm_read_error(reader, value, "\"%s\" is not a colour; write \"#rrggbb\", such as \"#ff8000\"", value->text);
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

/* One number for all axes, or three. */
static bool scale_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    double all;
    if (value->kind == TRM_JSON_ARRAY) return trm_kind_vec3.read(reader, field, value, slot);
    if (trm_read_number(reader, value, &all)) *(trm_vec3 *)slot = trm_v3(all, all, all);
    return true;
}

static void scale_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_vec3 *scale = slot;
    if (scale->x == scale->y && scale->y == scale->z)
        trm_json_put_number(w, field->key, scale->x);
    else
        trm_kind_vec3.write(w, field, slot);
}

static void scale_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_schema_ref(w, "scale");
}

static const trm_kind trm_kind_scale = {"one or three numbers", sizeof(trm_vec3), scale_read, scale_write,
                                        scale_schema};

/* Corners and triangles of a mesh: one that came from a file is written by the file's name. */
static const trm_shape_def *shape_of(const trm_field *field, const void *slot)
{
    return (const trm_shape_def *)((const char *)slot - field->offset);
}

static bool mesh_points_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    return trm_kind_vec3_list.read(reader, field, value, slot);
}

static void mesh_points_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    if (!shape_of(field, slot)->file) trm_kind_vec3_list.write(w, field, slot);
}

static void mesh_points_schema(trm_json_writer *w, const trm_field *field)
{
    trm_kind_vec3_list.schema(w, field);
}

static const trm_kind trm_kind_mesh_points = {"a list of vectors", 0, mesh_points_read, mesh_points_write,
                                              mesh_points_schema};

static bool read_corner(trm_reader *reader, const trm_json *value, int *corner)
{
    double number = 0;
    if (!trm_read_number(reader, value, &number)) return false;
    *corner = (int)fmin(fmax(number, -1), INT_MAX); /* the model reports indices beyond the points */
    if (number == floor(number) && isfinite(number)) return true;
    trm_read_error(reader, value, "%g is not a point; give whole numbers, counted from 0", number);
    return false;
}

static bool read_triangle(trm_reader *reader, const trm_json *value, int *triangle)
{
    if (value->kind != TRM_JSON_ARRAY || value->count != 3) {
        trm_read_error(reader, value, "expected three numbers of points [a, b, c], found %s",
                       trm_json_kind_name(value->kind));
        return false;
    }
    for (int k = 0; k < 3; k++)
        if (!read_corner(reader, &value->items[k], &triangle[k])) return false;
    return true;
}

static bool mesh_triangles_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    trm_shape_def *shape = (trm_shape_def *)((char *)slot - field->offset);
    if (!trm_require_kind(reader, value, TRM_JSON_ARRAY, "an array of triangles [[a, b, c], ...]")) return true;
    int(*list)[3] = trm_arena_room(reader->arena, (size_t)value->count, sizeof *list);
    if (!list) return false;
    for (int i = 0; i < value->count; i++)
        if (!read_triangle(reader, &value->items[i], list[i])) return true;
    shape->triangles = (const int(*)[3])list;
    shape->triangle_count = value->count;
    return true;
}

static void mesh_triangles_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    const trm_shape_def *shape = shape_of(field, slot);
    if (shape->file) return;
    trm_json_open_array(w, field->key);
    for (int i = 0; i < shape->triangle_count; i++) {
        const int *t = shape->triangles[i];
        trm_json_put_numbers(w, NULL, (const double[]){t[0], t[1], t[2]}, 3);
    }
    trm_json_close(w);
}

static void mesh_triangles_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_json_put_text(w, "type", "array");
    trm_json_open_object_flat(w, "items");
    trm_schema_ref(w, "three");
    trm_json_close(w);
}

static const trm_kind trm_kind_mesh_triangles = {"a list of triangles", 0, mesh_triangles_read, mesh_triangles_write,
                                                 mesh_triangles_schema};

static const trm_field shape_fields[] = {
    MUST(trm_shape_def, "type", text, type, EVERY, "what shape"),
    KEY(trm_shape_def, "radius", number, radius, TRM_SHAPE_TAKES_RADIUS, "m"),
    KEY(trm_shape_def, "length", number, length, TRM_SHAPE_TAKES_LENGTH, "m, along z, without a capsule's caps"),
    KEY(trm_shape_def, "size", vec3, size, TRM_SHAPE_TAKES_SIZE, "m, full lengths"),
    COUNTED(trm_shape_def, "points", vec3_list, points, point_count, TRM_SHAPE_TAKES_POINTS,
            "m, corners of the hull"),
    COUNTED(trm_shape_def, "points", mesh_points, points, point_count, TRM_SHAPE_TAKES_FILE,
            "corners of the mesh, instead of a file"),
    COUNTED(trm_shape_def, "triangles", mesh_triangles, triangles, triangle_count, TRM_SHAPE_TAKES_FILE,
            "three corners each, counted from 0, counter-clockwise seen from outside"),
    KEY(trm_shape_def, "normal", vec3, normal, TRM_SHAPE_TAKES_PLANE, "the plane's normal n: n.x <= offset is solid"),
    KEY(trm_shape_def, "offset", number, offset, TRM_SHAPE_TAKES_PLANE, "m"),
    KEY(trm_shape_def, "file", text, file, TRM_SHAPE_TAKES_FILE, "OBJ or STL, relative to the model file"),
    KEY(trm_shape_def, "scale", scale, scale, TRM_SHAPE_TAKES_FILE,
        "metres per unit of the mesh, one number or one per axis; negative ones mirror it; 1"),
    KEY(trm_shape_def, "position", vec3, position, TRM_SHAPE_TAKES_POSE, "m, in the body frame"),
    KEY(trm_shape_def, "orientation", orientation, orientation, TRM_SHAPE_TAKES_POSE, "in the body frame"),
    KEY(trm_shape_def, "density", number, density, TRM_SHAPE_TAKES_MASS, "kg/m^3"),
    KEY(trm_shape_def, "friction", number, friction, EVERY, "Coulomb coefficient"),
    KEY(trm_shape_def, "restitution", number, restitution, EVERY, "0 no bounce .. 1 elastic"),
    KEY(trm_shape_def, "rolling", number, rolling, EVERY, "m, lever arm of rolling friction; 0"),
    KEY(trm_shape_def, "torsional", number, torsional, EVERY, "m, lever arm of torsional friction; 0"),
    KEY(trm_shape_def, "collide", bool, collide, EVERY, "true"),
    KEY(trm_shape_def, "group", number, group, EVERY, "bits: groups that it belongs to; 1"),
    KEY(trm_shape_def, "mask", number, mask, EVERY, "bits: groups that it collides with; 1"),
    KEY(trm_shape_def, "hidden", bool, hidden, EVERY, "not drawn; false"),
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
    if (!shape->file) return true;
    const trm_json *at = trm_json_member_value(object, "file");
    if (shape->points || shape->triangles) {
        trm_read_error(reader, at, "a mesh has either \"file\" or \"points\" and \"triangles\"; remove one of them");
        return true;
    }
    char *text,
        *path = trm_arena_format(reader->arena, "%s/%s", reader->directory ? reader->directory : "", shape->file);
    size_t length;
    if (shape->file[0] == '/') path = trm_arena_text(reader->arena, shape->file);
    if (!path) return false;
    if (!reader->directory || !trm_read_regular_file(reader->arena, reader->options, path, &text, &length)) {
        if (reader->arena->failed) return false;
        const bool regular = !reader->directory || errno != EINVAL;
        trm_read_error(reader, at, "the mesh file \"%s\" %s", shape->file,
                       regular ? "cannot be read; Trammel looks for it in the folder of the model file"
                               : "cannot be read: it is not a regular file");
        trm_mark_message(reader->messages, TRM_MESSAGE_NO_FILE, shape->file);
        return true;
    }
    trm_mesh mesh;
    const trm_status status =
        trm_read_mesh(reader->arena, text, length, path, reader->options, &mesh, reader->messages);
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
    .repeats = true,
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
    trm_require_kind(reader, value, TRM_JSON_BOOL, "true or false");
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

static const trm_field point_mass_fields[] = {
    MUST(trm_point_mass_def, "mass", number, mass, EVERY, "kg"),
    MUST(trm_point_mass_def, "position", vec3, position, EVERY, "m, in the body frame"),
};

static void point_mass_default(void *item)
{
    *(trm_point_mass_def *)item = (trm_point_mass_def){.position = {NAN, NAN, NAN}};
}

static const trm_form form_point_mass = {
    .name = "point mass",
    .size = sizeof(trm_point_mass_def),
    .set_default = point_mass_default,
    .fields = point_mass_fields,
    .field_count = TRM_COUNT_OF(point_mass_fields),
    .has_place = true,
    .repeats = true,
};

static const trm_field body_fields[] = {
    MUST(trm_body_def, "name", text, name, EVERY, "unique among bodies; \"ground\" always exists"),
    KEY(trm_body_def, "point", mark, kind, EVERY, "true: a point mass with three degrees of freedom"),
    KEY(trm_body_def, "fixed", mark, kind, EVERY, "true: does not move"),
    KEY(trm_body_def, "mass", number, mass, RIGID | POINT, "kg; without it mass, com and inertia come from shapes"),
    LIST(trm_body_def, "masses", masses, mass_count, RIGID, &form_point_mass,
         "point masses, rigidly connected, instead of mass, com and inertia"),
    KEY(trm_body_def, "inertia", inertia, inertia, RIGID, "kg m^2 about the centre of mass, body axes"),
    KEY(trm_body_def, "impossible_inertia", bool, impossible_inertia, RIGID,
        "use moments of which one exceeds the sum of the other two; false"),
    KEY(trm_body_def, "com", vec3, com, RIGID, "m, centre of mass in the body frame"),
    KEY(trm_body_def, "parent", text, parent, RIGID | POINT | FIXED | ROD,
        "BODY, BODY.POINT or JOINT in whose frame position and orientation, or the ends of a rod, are; default: the "
        "world"),
    KEY(trm_body_def, "position", vec3, position, RIGID | POINT | FIXED, "m, of the body frame, world"),
    KEY(trm_body_def, "orientation", orientation, orientation, RIGID | FIXED | ROD,
        "of the body frame, world; turns a rod about its own axis only"),
    KEY(trm_body_def, "velocity", vec3, velocity, RIGID | POINT | ROD, "m/s, of the frame's origin, world"),
    KEY(trm_body_def, "angular_velocity", vec3, angular_velocity, RIGID | ROD, "rad/s, world"),
    KEY(trm_body_def, "gravity_factor", number, gravity_factor, RIGID | POINT | ROD, "of the model's gravity; 1"),
    OBJECT(trm_body_def, "rod", rod, ROD, &form_rod, "a uniform solid rod: frame at its middle, x axis from -> to"),
    OBJECT(trm_body_def, "moving", moving, MOVING, &form_moving, "prescribed motion, infinite mass"),
    COUNTED(trm_body_def, "frames", frames, frames, frame_count, RIGID | FIXED | MOVING | ROD,
            "named points with an orientation in the body frame"),
    COUNTED(trm_body_def, "points", points, points, point_count, RIGID | FIXED | MOVING | ROD,
            "m, named reference points in the body frame"),
    COUNTED(trm_body_def, "axes", points, axes, axis_count, RIGID | FIXED | MOVING | ROD,
            "named directions in the body frame"),
    LIST(trm_body_def, "shapes", shapes, shape_count, RIGID | FIXED | MOVING | ROD, &form_shape,
         "for mass and contact"),
    KEY(trm_body_def, "subsystem", text, subsystem, EVERY, "for the method subsystem"),
};

static void body_default(void *item)
{
    *(trm_body_def *)item = trm_default_body_def();
}

const trm_form trm_form_body = {
    .name = "body",
    .size = sizeof(trm_body_def),
    .set_default = body_default,
    .fields = body_fields,
    .field_count = TRM_COUNT_OF(body_fields),
    .has_place = true,
    .repeats = true,
    .variant = body_variant,
    .which = body_which,
    .variant_of = body_variant_of,
    .mark = body_mark,
};
