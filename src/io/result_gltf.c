/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Writes animations as glTF 2.0 in its binary form (Khronos, glTF 2.0 specification, sections 3.5 to 3.11 and 4.4):
 *
 *     12 bytes   "glTF", 2, length of the file
 *     chunk      length, "JSON": description of all objects, and the places of their numbers
 *     chunk      length, "BIN": the numbers, little-endian, in three views:
 *                vertices  positions and normals of each geometry, float x y z
 *                motion    times, and for each moving object its translations, rotations (x y z w) and scales
 *                indices   of triangles, 16 bits where that is enough, each list padded to 4 bytes
 *
 * Nodes: the root, which rotates the upward direction (against gravity) to +y; below it the things, which are bodies
 * in their frames and links; below bodies their parts. Accessors are visited twice in the same order: when they are
 * planned, before the JSON can be written, and when their numbers are written. */

#include <string.h>

#include "base/memory.h"
#include "io/json.h"
#include "io/scene.h"
#include "math/rotation.h"
#include "trammel/elementary.h"

enum {
    FLOAT = 5126,
    SHORT_INDEX = 5123,
    LONG_INDEX = 5125,
    ARRAY_BUFFER = 34962,
    ELEMENT_BUFFER = 34963,
    LINE_STRIP = 3,
    MOST_SHORT = 65535, /* vertices: the largest index is reserved */
};

typedef enum view { VERTICES, MOTION, INDICES, VIEWS } view;
typedef enum path { TRANSLATION, ROTATION, SCALE, PATHS } path;

static const char *const path_names[PATHS] = {"translation", "rotation", "scale"};
static const int path_numbers[PATHS] = {3, 4, 3};

typedef struct accessor {
    view in;
    uint64_t offset;
    int component, numbers, count; /* numbers: count of numbers in an element; count: number of elements */
    bool bounded;                  /* with min and max */
    float least[3], most[3];
} accessor;

/* Triangles with a colour. */
typedef struct painted {
    int geometry, material;
} painted;

/* A node that may move: a body, or a link. */
typedef struct thing {
    const char *name;
    int body, link;     /* one of them is -1 */
    int first_node;     /* first node of a body's parts */
    int outputs[PATHS]; /* accessors; -1: this property does not change */
} thing;

/* The numbers of a thing in all rows. */
typedef struct track {
    float *values[PATHS];
} track;

typedef struct document {
    const trm_animation *animation;
    trm_scene scene;
    trm_arena arena;
    trm_sink sink;
    trm_status status;
    thing *things;
    int thing_count;
    painted *meshes;
    int mesh_count;
    accessor *accessors;
    int accessor_count;
    int *first_accessor; /* per geometry: accessor of positions; those of normals and indices follow if it has them */
    int times;           /* accessor of times; -1: nothing moves */
    uint64_t view_bytes[VIEWS];
    int view_number[VIEWS]; /* number of each view; -1: it is empty and omitted */
    track track;            /* motion of the current thing */
    unsigned char buffer[4096];
    size_t buffered;
} document;

/* ---- Motion ------------------------------------------------------------------------------- */

static void set_row(const track *t, int row, trm_pose X, trm_vec3 scale)
{
    const double numbers[PATHS][4] = {
        {X.p.x, X.p.y, X.p.z}, {X.q.x, X.q.y, X.q.z, X.q.w}, {scale.x, scale.y, scale.z}};
    for (path p = 0; p < PATHS; p++)
        for (int i = 0; i < path_numbers[p]; i++) t->values[p][row * path_numbers[p] + i] = (float)numbers[p][i];
}

/* Computes the motion of a link, a cylinder of length 1 between two points. Its orientation follows from that of the
 * previous row by the smallest rotation, so that it does not spin. */
static void fill_link(document *d, int index)
{
    const trm_animation *a = d->animation;
    const trm_animated_link *link = &a->links[index];
    const double r = d->scene.links[index].radius;
    trm_quat q = trm_quat_identity();
    for (int row = 0; row < a->row_count; row++) {
        trm_vec3 end[2];
        for (int k = 0; k < 2; k++)
            end[k] = trm_pose_point(trm_animated_pose(a, row, link->body[k]), link->anchor[k]);
        const trm_vec3 way = trm_v3_sub(end[1], end[0]);
        const double length = trm_v3_length(way);
        const bool there = trm_animated_joint_is_there(a, row, link->joint);
        if (length > 0)
            q = trm_quat_unit(trm_quat_mul(trm_quat_between(trm_rotate(q, trm_axis(2)), trm_v3_unit(way)), q));
        const trm_pose X = {q, trm_v3_scale(0.5, trm_v3_add(end[0], end[1]))};
        set_row(&d->track, row, X, there ? trm_v3(r, r, length) : trm_v3(0, 0, 0));
    }
}

static void fill_track(document *d, const thing *t)
{
    if (t->link >= 0) {
        fill_link(d, t->link);
        return;
    }
    for (int row = 0; row < d->animation->row_count; row++)
        set_row(&d->track, row, trm_animated_pose(d->animation, row, t->body), trm_v3(1, 1, 1));
}

/* Returns whether a property of the current thing changes. The length of a rigid link varies by rounding, which does
 * not count. */
static bool changes(const document *d, path p)
{
    const float *values = d->track.values[p];
    const float same = p == SCALE ? 1e-5F : 0;
    for (int i = path_numbers[p]; i < d->animation->row_count * path_numbers[p]; i++) {
        const float first = values[i % path_numbers[p]];
        if (fabsf(values[i] - first) > same * fabsf(first)) return true;
    }
    return false;
}

/* ---- Planning ----------------------------------------------------------------------------- */

/* Returns the number of a new accessor. Returns -1 if out of memory. */
static int add_accessor(document *d, view in, int component, int numbers, int count)
{
    const uint64_t bytes = (uint64_t)numbers * (uint64_t)count * (component == SHORT_INDEX ? 2 : 4);
    const accessor made = {
        .in = in, .offset = d->view_bytes[in], .component = component, .numbers = numbers, .count = count};
    d->view_bytes[in] += (bytes + 3) / 4 * 4;
    return TRM_APPEND(&d->arena, d->accessors, d->accessor_count, made) ? d->accessor_count - 1 : -1;
}

static void find_bounds(accessor *a, const float *values)
{
    a->bounded = true;
    for (int k = 0; k < a->numbers; k++) a->least[k] = a->most[k] = values[k];
    for (int i = 0; i < a->numbers * a->count; i++) {
        const int k = i % a->numbers;
        a->least[k] = fminf(a->least[k], values[i]);
        a->most[k] = fmaxf(a->most[k], values[i]);
    }
}

static bool plan_geometry(document *d, int index)
{
    const trm_geometry *g = &d->scene.geometries[index].triangles;
    const int component = g->vertex_count <= MOST_SHORT ? SHORT_INDEX : LONG_INDEX;
    const int positions = d->first_accessor[index] = add_accessor(d, VERTICES, FLOAT, 3, g->vertex_count);
    if (positions < 0) return false;
    find_bounds(&d->accessors[positions], g->positions[0]);
    if (g->normals && add_accessor(d, VERTICES, FLOAT, 3, g->vertex_count) < 0) return false;
    return g->index_count == 0 || add_accessor(d, INDICES, component, 1, g->index_count) >= 0;
}

static bool add_thing(document *d, thing made)
{
    return TRM_APPEND(&d->arena, d->things, d->thing_count, made);
}

/* Lists the things: bodies with parts, and links. Returns false if out of memory. */
static bool find_things(document *d)
{
    const trm_animation *a = d->animation;
    const trm_model *model = a->model;
    for (int i = 0; i < model->shown_body_count; i++)
        if (d->scene.first_part[i] < d->scene.first_part[i + 1] &&
            !add_thing(d, (thing){.name = model->bodies[i].name, .body = i, .link = -1}))
            return false;
    for (int i = 0; i < a->link_count; i++)
        if (!add_thing(d, (thing){.name = a->links[i].name, .body = -1, .link = i})) return false;
    int node = 1 + d->thing_count;
    for (int i = 0; i < d->thing_count; i++) {
        thing *t = &d->things[i];
        t->first_node = node;
        if (t->body >= 0) node += d->scene.first_part[t->body + 1] - d->scene.first_part[t->body];
    }
    return true;
}

static bool plan_thing(document *d, thing *t)
{
    fill_track(d, t);
    for (path p = 0; p < PATHS; p++) {
        t->outputs[p] = -1;
        if (!changes(d, p)) continue;
        const int rows = d->animation->row_count;
        if (d->times < 0) d->times = add_accessor(d, MOTION, FLOAT, 1, rows);
        t->outputs[p] = add_accessor(d, MOTION, FLOAT, path_numbers[p], rows);
        if (d->times < 0 || t->outputs[p] < 0) return false;
    }
    return true;
}

static float time_of_row(const document *d, int row)
{
    return (float)(d->animation->times[row] - d->animation->times[0]);
}

static bool plan_motion(document *d)
{
    const int rows = d->animation->row_count;
    d->times = -1;
    for (path p = 0; p < PATHS; p++) {
        d->track.values[p] = TRM_NEW_ROOM(&d->arena, float, rows *path_numbers[p]);
        if (!d->track.values[p]) return false;
    }
    for (int i = 0; i < d->thing_count; i++)
        if (!plan_thing(d, &d->things[i])) return false;
    if (d->times < 0) return true;
    accessor *times = &d->accessors[d->times];
    times->bounded = true;
    times->least[0] = time_of_row(d, 0);
    times->most[0] = time_of_row(d, rows - 1);
    return true;
}

/* Returns the number of the mesh with these triangles and this colour, from 0, which is added if necessary. */
static int mesh_of(const document *d, int geometry, int material)
{
    int i = 0;
    while (i < d->mesh_count && (d->meshes[i].geometry != geometry || d->meshes[i].material != material)) i++;
    return i;
}

static bool require_mesh(document *d, int geometry, int material)
{
    return mesh_of(d, geometry, material) < d->mesh_count ||
           TRM_APPEND(&d->arena, d->meshes, d->mesh_count, (painted){geometry, material});
}

static bool plan_meshes(document *d)
{
    for (int i = 0; i < d->scene.part_count; i++)
        if (!require_mesh(d, d->scene.parts[i].geometry, d->scene.parts[i].material)) return false;
    for (int i = 0; i < d->animation->link_count; i++)
        if (!require_mesh(d, d->scene.links[i].geometry, d->scene.links[i].material)) return false;
    return true;
}

static bool plan(document *d)
{
    if (!trm_scene_make(d->animation, &d->arena, &d->scene)) return false;
    d->first_accessor = TRM_NEW_ARRAY(&d->arena, int, d->scene.geometry_count);
    if (!d->first_accessor) return false;
    for (int i = 0; i < d->scene.geometry_count; i++)
        if (!plan_geometry(d, i)) return false;
    if (!find_things(d) || !plan_motion(d) || !plan_meshes(d)) return false;
    int number = 0;
    for (view v = 0; v < VIEWS; v++) d->view_number[v] = d->view_bytes[v] > 0 ? number++ : -1;
    return true;
}

/* ---- The description as JSON -------------------------------------------------------------- */

static void put_rotation(trm_json_writer *w, trm_quat q)
{
    if (q.x != 0 || q.y != 0 || q.z != 0) trm_json_put_numbers(w, "rotation", (double[]){q.x, q.y, q.z, q.w}, 4);
}

/* Writes those of translation, rotation and scale that differ from the defaults. */
static void put_place(trm_json_writer *w, trm_pose X, trm_vec3 scale)
{
    if (trm_v3_length(X.p) > 0) trm_json_put_vector(w, "translation", X.p);
    put_rotation(w, X.q);
    if (scale.x != 1 || scale.y != 1 || scale.z != 1) trm_json_put_vector(w, "scale", scale);
}

static void put_root(const document *d, trm_json_writer *w)
{
    const trm_model *model = d->animation->model;
    const double g = trm_v3_length(model->gravity);
    const trm_vec3 up = g > 0 ? trm_v3_scale(-1 / g, model->gravity) : trm_axis(2);
    trm_json_open_object(w, NULL);
    trm_json_put_text(w, "name", model->name && model->name[0] ? model->name : "machine");
    put_rotation(w, trm_quat_between(up, trm_axis(1)));
    if (d->thing_count > 0) trm_json_open_array_flat(w, "children");
    for (int i = 0; i < d->thing_count; i++) trm_json_put_integer(w, NULL, 1 + i);
    if (d->thing_count > 0) trm_json_close(w);
    trm_json_close(w);
}

/* Writes a thing with its place in the first row. */
static void put_thing(document *d, const thing *t, trm_json_writer *w)
{
    fill_track(d, t);
    const float *p = d->track.values[TRANSLATION], *q = d->track.values[ROTATION], *s = d->track.values[SCALE];
    const trm_pose X = {trm_quat_unit((trm_quat){q[3], q[0], q[1], q[2]}), {p[0], p[1], p[2]}};
    trm_json_open_object_flat(w, NULL);
    if (t->name) trm_json_put_text(w, "name", t->name);
    put_place(w, X, trm_v3(s[0], s[1], s[2]));
    if (t->link >= 0) {
        const trm_scene_link *link = &d->scene.links[t->link];
        trm_json_put_integer(w, "mesh", mesh_of(d, link->geometry, link->material));
    } else {
        trm_json_open_array_flat(w, "children");
        for (int i = d->scene.first_part[t->body]; i < d->scene.first_part[t->body + 1]; i++)
            trm_json_put_integer(w, NULL, t->first_node + i - d->scene.first_part[t->body]);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void put_nodes(document *d, trm_json_writer *w)
{
    trm_json_open_array(w, "nodes");
    put_root(d, w);
    for (int i = 0; i < d->thing_count; i++) put_thing(d, &d->things[i], w);
    for (int i = 0; i < d->scene.part_count; i++) { /* in the order of bodies, like the things */
        const trm_scene_part *part = &d->scene.parts[i];
        trm_json_open_object_flat(w, NULL);
        trm_json_put_integer(w, "mesh", mesh_of(d, part->geometry, part->material));
        put_place(w, part->pose, part->scale);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void put_mesh(const document *d, const painted *mesh, trm_json_writer *w)
{
    const trm_geometry *g = &d->scene.geometries[mesh->geometry].triangles;
    int number = d->first_accessor[mesh->geometry];
    trm_json_open_object_flat(w, NULL);
    trm_json_open_array_flat(w, "primitives");
    trm_json_open_object_flat(w, NULL);
    trm_json_open_object_flat(w, "attributes");
    trm_json_put_integer(w, "POSITION", number++);
    if (g->normals) trm_json_put_integer(w, "NORMAL", number++);
    trm_json_close(w);
    if (g->index_count > 0)
        trm_json_put_integer(w, "indices", number);
    else
        trm_json_put_integer(w, "mode", LINE_STRIP);
    trm_json_put_integer(w, "material", mesh->material);
    trm_json_close(w);
    trm_json_close(w);
    trm_json_close(w);
}

/* Converts a component of sRGB, in which colours are given, to the linear factor of glTF. */
static double linear(uint32_t byte)
{
    const double c = (double)byte / 255;
    return c <= 0.04045 ? c / 12.92 : trm_pow((c + 0.055) / 1.055, 2.4);
}

static void put_material(const trm_scene_material *m, trm_json_writer *w)
{
    const uint32_t c = m->colour;
    trm_json_open_object_flat(w, NULL);
    trm_json_open_object_flat(w, "pbrMetallicRoughness");
    trm_json_put_numbers(w, "baseColorFactor",
                         (double[]){linear(c >> 16 & 255), linear(c >> 8 & 255), linear(c & 255), 1}, 4);
    trm_json_put_number(w, "metallicFactor", m->metal ? 0.5 : 0);
    trm_json_put_number(w, "roughnessFactor", m->metal ? 0.4 : 0.65);
    trm_json_close(w);
    if (m->two_sided) trm_json_put_bool(w, "doubleSided", true);
    trm_json_close(w);
}

static void put_accessor(const document *d, const accessor *a, trm_json_writer *w)
{
    static const char *const types[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    const double least[3] = {a->least[0], a->least[1], a->least[2]}, most[3] = {a->most[0], a->most[1], a->most[2]};
    trm_json_open_object_flat(w, NULL);
    trm_json_put_integer(w, "bufferView", d->view_number[a->in]);
    if (a->offset > 0) trm_json_put_integer(w, "byteOffset", (long long)a->offset);
    trm_json_put_integer(w, "componentType", a->component);
    trm_json_put_integer(w, "count", a->count);
    trm_json_put_text(w, "type", types[a->numbers]);
    if (a->bounded) trm_json_put_numbers(w, "min", least, a->numbers);
    if (a->bounded) trm_json_put_numbers(w, "max", most, a->numbers);
    trm_json_close(w);
}

static uint64_t binary_bytes(const document *d)
{
    uint64_t sum = 0;
    for (view v = 0; v < VIEWS; v++) sum += d->view_bytes[v];
    return sum;
}

static void put_views(const document *d, trm_json_writer *w)
{
    uint64_t offset = 0;
    trm_json_open_array(w, "bufferViews");
    for (view v = 0; v < VIEWS; v++) {
        if (d->view_number[v] < 0) continue;
        trm_json_open_object_flat(w, NULL);
        trm_json_put_integer(w, "buffer", 0);
        if (offset > 0) trm_json_put_integer(w, "byteOffset", (long long)offset);
        trm_json_put_integer(w, "byteLength", (long long)d->view_bytes[v]);
        if (v == VERTICES) trm_json_put_integer(w, "byteStride", 12);
        if (v != MOTION) trm_json_put_integer(w, "target", v == VERTICES ? ARRAY_BUFFER : ELEMENT_BUFFER);
        trm_json_close(w);
        offset += d->view_bytes[v];
    }
    trm_json_close(w);
    trm_json_open_array(w, "buffers");
    trm_json_open_object_flat(w, NULL);
    trm_json_put_integer(w, "byteLength", (long long)offset);
    trm_json_close(w);
    trm_json_close(w);
}

static void put_channels(const document *d, trm_json_writer *w, bool samplers)
{
    int sampler = 0;
    trm_json_open_array(w, samplers ? "samplers" : "channels");
    for (int i = 0; i < d->thing_count; i++)
        for (path p = 0; p < PATHS; p++) {
            if (d->things[i].outputs[p] < 0) continue;
            trm_json_open_object_flat(w, NULL);
            trm_json_put_integer(w, samplers ? "input" : "sampler", samplers ? d->times : sampler++);
            if (samplers) {
                trm_json_put_integer(w, "output", d->things[i].outputs[p]);
            } else {
                trm_json_open_object_flat(w, "target");
                trm_json_put_integer(w, "node", 1 + i);
                trm_json_put_text(w, "path", path_names[p]);
                trm_json_close(w);
            }
            trm_json_close(w);
        }
    trm_json_close(w);
}

static void put_animation(const document *d, trm_json_writer *w)
{
    const char *name = d->animation->model->name;
    if (d->times < 0) return;
    trm_json_open_array(w, "animations");
    trm_json_open_object(w, NULL);
    trm_json_put_text(w, "name", name && name[0] ? name : "machine");
    put_channels(d, w, false);
    put_channels(d, w, true);
    trm_json_open_object_flat(w, "extras");
    trm_json_put_number(w, "start", d->animation->times[0]); /* s: simulated time of the first row, which is 0 here */
    trm_json_close(w);
    trm_json_close(w);
    trm_json_close(w);
}

static void put_head(trm_json_writer *w)
{
    char generator[80] = "trammel ";
    strncat(generator, trm_version(), sizeof generator - sizeof "trammel ");
    trm_json_open_object_flat(w, "asset");
    trm_json_put_text(w, "version", "2.0");
    trm_json_put_text(w, "generator", generator);
    trm_json_close(w);
    trm_json_put_integer(w, "scene", 0);
    trm_json_open_array(w, "scenes");
    trm_json_open_object_flat(w, NULL);
    trm_json_put_numbers(w, "nodes", (double[]){0}, 1);
    trm_json_close(w);
    trm_json_close(w);
}

static bool put_json(document *d, trm_sink sink)
{
    trm_json_writer w = trm_json_begin(sink);
    trm_json_open_object(&w, NULL);
    put_head(&w);
    put_nodes(d, &w);
    if (d->mesh_count > 0) {
        trm_json_open_array(&w, "meshes");
        for (int i = 0; i < d->mesh_count; i++) put_mesh(d, &d->meshes[i], &w);
        trm_json_close(&w);
        trm_json_open_array(&w, "materials");
        for (int i = 0; i < d->scene.material_count; i++) put_material(&d->scene.materials[i], &w);
        trm_json_close(&w);
        trm_json_open_array(&w, "accessors");
        for (int i = 0; i < d->accessor_count; i++) put_accessor(d, &d->accessors[i], &w);
        trm_json_close(&w);
        put_views(d, &w);
    }
    put_animation(d, &w);
    trm_json_close(&w);
    return trm_json_end(&w);
}

/* ---- The numbers -------------------------------------------------------------------------- */

static void flush(document *d)
{
    if (d->status == TRM_OK && d->buffered && !d->sink.write(d->sink.context, (const char *)d->buffer, d->buffered))
        d->status = TRM_IO_ERROR;
    d->buffered = 0;
}

static void put_bytes(document *d, const char *bytes, size_t count)
{
    flush(d);
    if (d->status == TRM_OK && count && !d->sink.write(d->sink.context, bytes, count)) d->status = TRM_IO_ERROR;
}

/* Writes an integer of this many bytes, little-endian. */
static void put_whole(document *d, uint32_t value, int bytes)
{
    if (d->buffered + (size_t)bytes > sizeof d->buffer) flush(d);
    for (int i = 0; i < bytes; i++) d->buffer[d->buffered++] = (unsigned char)(value >> 8 * i & 255);
}

static void put_floats(document *d, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        put_whole(d, bits, 4);
    }
}

static void put_indices(document *d, const trm_geometry *g)
{
    const int bytes = g->vertex_count <= MOST_SHORT ? 2 : 4;
    for (int i = 0; i < g->index_count; i++) put_whole(d, g->indices[i], bytes);
    if (bytes == 2 && g->index_count % 2) put_whole(d, 0, 2);
}

static void put_binary(document *d)
{
    for (int i = 0; i < d->scene.geometry_count; i++) {
        const trm_geometry *g = &d->scene.geometries[i].triangles;
        put_floats(d, g->positions[0], 3 * (size_t)g->vertex_count);
        if (g->normals) put_floats(d, g->normals[0], 3 * (size_t)g->vertex_count);
    }
    for (int row = 0; d->times >= 0 && row < d->animation->row_count; row++)
        put_floats(d, &(float){time_of_row(d, row)}, 1);
    for (int i = 0; i < d->thing_count; i++) {
        fill_track(d, &d->things[i]);
        for (path p = 0; p < PATHS; p++)
            if (d->things[i].outputs[p] >= 0)
                put_floats(d, d->track.values[p], (size_t)path_numbers[p] * (size_t)d->animation->row_count);
    }
    for (int i = 0; i < d->scene.geometry_count; i++) put_indices(d, &d->scene.geometries[i].triangles);
}

/* ---- The file ----------------------------------------------------------------------------- */

static void put_chunk_head(document *d, uint64_t length, const char *kind)
{
    put_whole(d, (uint32_t)length, 4);
    put_bytes(d, kind, 4);
}

static trm_status write_file(document *d, const trm_text *json)
{
    static const char padding[4] = "   ";
    const uint64_t text = trm_text_length(json), rest = (4 - text % 4) % 4, numbers = binary_bytes(d);
    const uint64_t length = 12 + 8 + text + rest + (numbers ? 8 + numbers : 0);
    if (length > UINT32_MAX) return TRM_BAD_INPUT;
    put_bytes(d, "glTF", 4);
    put_whole(d, 2, 4);
    put_whole(d, (uint32_t)length, 4);
    put_chunk_head(d, text + rest, "JSON");
    put_bytes(d, trm_text_get(json), (size_t)text);
    put_bytes(d, padding, (size_t)rest);
    if (numbers) put_chunk_head(d, numbers, "BIN");
    if (numbers) put_binary(d);
    flush(d);
    return d->status;
}

trm_status trm_write_gltf(const trm_animation *animation, trm_sink sink)
{
    const trm_allocator *from = &animation->arena.allocator;
    document d = {.animation = animation, .sink = sink, .status = TRM_OK};
    trm_text *json = trm_text_create(from);
    trm_arena_init(&d.arena, from);
    trm_status status = TRM_OUT_OF_MEMORY;
    if (json && plan(&d) && put_json(&d, trm_text_sink(json))) status = write_file(&d, json);
    trm_arena_destroy(&d.arena);
    trm_text_destroy(json);
    return status;
}
