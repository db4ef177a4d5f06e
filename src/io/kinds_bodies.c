/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Bodies and their shapes in the model file. */

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "io/files.h"
#include "io/form.h"
#include "io/mesh_file.h"
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

static void color_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_json_put_text(w, "type", "string");
    trm_json_put_text(w, "pattern", "^#[0-9a-fA-F]{6}$");
}

const trm_kind trm_kind_color = {
    .what = "a colour", .read = color_read, .write = trm_write_text, .schema = color_schema};

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

const trm_kind trm_kind_scale = TRM_DEFINED_KIND("one or three numbers", scale, "scale");

/* Corners and triangles of a mesh: one that came from a file is written by the file's name. */
static const trm_shape_def *shape_of(const trm_field *field, const void *slot)
{
    return (const trm_shape_def *)((const char *)slot - field->offset);
}

static void mesh_points_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    if (!shape_of(field, slot)->file) trm_kind_vec3_list.write(w, field, slot);
}

const trm_kind trm_kind_mesh_points = {.what = "a list of vectors",
                                       .read = trm_read_vectors,
                                       .write = mesh_points_write,
                                       .shape = TRM_SCHEMA_ARRAY,
                                       .definition = "vec3"};

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

const trm_kind trm_kind_mesh_triangles = TRM_KIND("a list of triangles", mesh_triangles);

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

const trm_form_hooks trm_hooks_shape = {.form = &trm_form_shape, .finish = shape_finish};

/* ---- Bodies ------------------------------------------------------------------------------- */

/* Returns the key that makes a body one of a kind; NULL: none. */
static const char *mark_of(int kind)
{
    return trm_form_body.variant(kind).mark;
}

/* The key that makes it no ordinary rigid body; "point": false makes nothing. */
static bool body_which(trm_reader *reader, const trm_json *object, void *item, trm_variant *variant)
{
    trm_body_def *body = item;
    for (int kind = TRM_BODY_POINT; kind <= TRM_BODY_ROD; kind++) {
        const trm_json *mark = trm_json_member_value(object, mark_of((int)kind));
        if (!mark || (mark->kind == TRM_JSON_BOOL && !mark->boolean)) continue;
        if (body->kind != TRM_BODY_RIGID) {
            trm_read_error(reader, mark, "a body cannot be both \"%s\" and \"%s\"; remove one of them",
                           mark_of((int)body->kind), mark_of((int)kind));
            return false;
        }
        body->kind = (trm_body_kind)kind;
    }
    *variant = trm_form_body.variant((int)body->kind);
    return true;
}

static void body_mark(trm_json_writer *w, const trm_variant *variant)
{
    for (int kind = TRM_BODY_POINT; kind <= TRM_BODY_FIXED; kind++) {
        trm_json_open_object_flat(w, mark_of((int)kind));
        trm_json_put_bool(w, "const", trm_form_body.variant(kind).takes == variant->takes);
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
    const char *mark = mark_of((int)kind);
    if (mark && strcmp(field->key, mark) == 0) trm_json_put_bool(w, field->key, true);
}

const trm_kind trm_kind_mark = {.what = "true or false", .read = mark_read, .write = mark_write};

const trm_form_hooks trm_hooks_body = {.form = &trm_form_body, .which = body_which, .mark = body_mark};
