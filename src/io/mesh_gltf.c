/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* glTF 2.0 (Khronos 2021). A document names, by indices,
 *
 *     scene -> nodes (matrix, or translation rotation scale; children) -> mesh -> primitives
 *     primitive: POSITION and indices -> accessor -> bufferView -> buffer: base64, a file, or the second chunk of a .glb
 *
 * Every index and range is checked. Triangles, strips and fans are read; textures, skins and morph targets are not.
 * In glTF y is up and z to the front: (x, y, z) becomes (x, -z, y). */

#include "io/mesh_file.h"

#include <math.h>
#include <string.h>

#include "io/affine.h"
#include "io/files.h"
#include "io/json.h"
#include "io/mesh_weld.h"

enum { FLOATS = 5126, BYTES = 5121, SHORTS = 5123, WORDS = 5125, MOST_DEPTH = 64, MOST_NODES = 1000000 };
enum { TRIANGLES = 4, STRIP = 5, FAN = 6 };

typedef struct gltf {
    trm_arena *arena;
    const char *file;
    const trm_read_options *options; /* options for reading other files; NULL: from the disk */
    trm_messages *messages;
    const trm_json *root;
    const char *chunk; /* binary chunk of a .glb */
    size_t chunk_length;
    const char **buffers; /* decoded on demand */
    size_t *lengths;
    int buffer_count;
    trm_soup soup;
    int nodes; /* number of nodes visited, limited because instances may repeat nodes */
    bool bad;
} gltf;

static bool refuse(gltf *g, const char *why)
{
    if (!g->bad) trm_add_error(g->messages, (trm_place){g->file, 0, 0}, "%s", why);
    g->bad = true;
    return false;
}

/* ---- JSON --------------------------------------------------------------------------------- */

static const trm_json *member(const trm_json *object, const char *key)
{
    return object && object->kind == TRM_JSON_OBJECT ? trm_json_member_value(object, key) : NULL;
}

/* Returns an index of a member: `otherwise` if there is no such member, -1 if it is not an index. */
static long index_of(const trm_json *object, const char *key, long otherwise)
{
    const trm_json *value = member(object, key);
    if (!value) return otherwise;
    const bool sound = value->kind == TRM_JSON_NUMBER && value->number >= 0 && value->number < 2e9 &&
                       value->number == floor(value->number);
    return sound ? (long)value->number : -1;
}

static const trm_json *item(const gltf *g, const char *list, long index)
{
    const trm_json *items = member(g->root, list);
    if (!items || items->kind != TRM_JSON_ARRAY || index < 0 || index >= items->count) return NULL;
    return &items->items[index];
}

static bool read_array(const trm_json *object, const char *key, double *values, int count)
{
    const trm_json *list = member(object, key);
    if (!list || list->kind != TRM_JSON_ARRAY || list->count != count) return false;
    for (int i = 0; i < count; i++) {
        if (list->items[i].kind != TRM_JSON_NUMBER) return false;
        values[i] = list->items[i].number;
    }
    return true;
}

/* ---- Buffers ------------------------------------------------------------------------------ */

static int value_of(char c)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? (int)(at - letters) : -1;
}

static bool decode(gltf *g, const char *text, size_t length, const char **bytes, size_t *count)
{
    char *made = trm_arena_array(g->arena, length / 4 * 3 + 4, 1);
    uint32_t word = 0;
    int bits = 0;
    if (!made) return false;
    *count = 0;
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        const int v = value_of(text[i]);
        if (v < 0) return refuse(g, "a buffer is not valid base64");
        word = word << 6 | (uint32_t)v;
        bits += 6;
        if (bits >= 8) bits -= 8, made[(*count)++] = (char)(word >> bits & 0xff);
    }
    *bytes = made;
    return true;
}

/* Reads a file next to the document. Refuses paths that lead to other folders. */
static bool read_other(gltf *g, const char *uri, const char **bytes, size_t *count)
{
    const char *slash = strrchr(g->file, '/');
    char *text;
    if (uri[0] == '/' || strstr(uri, "..") || strstr(uri, "://"))
        return refuse(g, "a buffer is in a file outside the folder of the mesh, which is not read");
    const char *path = trm_arena_format(g->arena, "%.*s%s", slash ? (int)(slash - g->file + 1) : 0, g->file, uri);
    if (!path) return false;
    if (!trm_read_regular_file(g->arena, g->options, path, &text, count))
        return g->arena->failed ? false : refuse(g, "the file of a buffer cannot be read");
    *bytes = text;
    return true;
}

static bool load_buffer(gltf *g, long index)
{
    const trm_json *buffer = item(g, "buffers", index);
    const trm_json *uri = member(buffer, "uri");
    if (!buffer) return refuse(g, "a bufferView names a buffer that does not exist");
    if (g->buffers[index]) return true;
    if (!uri) {
        if (index != 0 || !g->chunk) return refuse(g, "a buffer has neither a uri nor the binary chunk of a .glb");
        g->buffers[0] = g->chunk;
        g->lengths[0] = g->chunk_length;
        return true;
    }
    if (uri->kind != TRM_JSON_STRING) return refuse(g, "the uri of a buffer is not a text");
    const char *comma = strncmp(uri->text, "data:", 5) == 0 ? strchr(uri->text, ',') : NULL;
    if (comma) return decode(g, comma + 1, strlen(comma + 1), &g->buffers[index], &g->lengths[index]);
    return read_other(g, uri->text, &g->buffers[index], &g->lengths[index]);
}

/* ---- Accessors ---------------------------------------------------------------------------- */

typedef struct numbers {
    const char *first;
    size_t stride;
    long count;
    int type; /* of components */
} numbers;

static size_t size_of(int type)
{
    return type == BYTES ? 1 : type == SHORTS ? 2 : type == WORDS || type == FLOATS ? 4 : 0;
}

static bool find_numbers(gltf *g, long index, int components, numbers *found)
{
    const trm_json *accessor = item(g, "accessors", index);
    const long view_index = index_of(accessor, "bufferView", -1);
    const trm_json *view = item(g, "bufferViews", view_index);
    const long buffer = index_of(view, "buffer", -1), offset = index_of(view, "byteOffset", 0);
    const long length = index_of(view, "byteLength", -1), within = index_of(accessor, "byteOffset", 0);
    *found =
        (numbers){.count = index_of(accessor, "count", -1), .type = (int)index_of(accessor, "componentType", -1)};
    const size_t item_size = size_of(found->type) * (size_t)components;
    const long stride = index_of(view, "byteStride", (long)item_size);
    if (!accessor || !view || offset < 0 || length < 0 || within < 0 || stride < (long)item_size || item_size == 0)
        return refuse(g, "an accessor is invalid");
    if (member(accessor, "sparse")) return refuse(g, "sparse accessors are not read");
    if (!load_buffer(g, buffer)) return false;
    const size_t needed = found->count > 0 ? (size_t)(found->count - 1) * (size_t)stride + item_size : 0;
    if (found->count < 0 || (size_t)within + needed > (size_t)length ||
        (size_t)offset + (size_t)length > g->lengths[buffer])
        return refuse(g, "an accessor reaches beyond its buffer");
    found->first = g->buffers[buffer] + offset + within;
    found->stride = (size_t)stride;
    return true;
}

static uint32_t word_at(const char *at, size_t size)
{
    uint32_t word = 0;
    for (size_t i = 0; i < size; i++) word |= (uint32_t)(unsigned char)at[i] << (8 * i);
    return word;
}

static double float_at(const char *at)
{
    const uint32_t word = word_at(at, 4);
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

static trm_vec3 apply(const trm_affine *X, trm_vec3 v)
{
    double r[3];
    trm_affine_apply(X, (double[]){v.x, v.y, v.z}, r);
    return trm_v3(r[0], -r[2], r[1]);
}

static trm_vec3 position(const numbers *p, long index, const trm_affine *X)
{
    const char *at = p->first + (size_t)index * p->stride;
    return apply(X, trm_v3(float_at(at), float_at(at + 4), float_at(at + 8)));
}

/* ---- Primitives --------------------------------------------------------------------------- */

static long corner_of(const numbers *indices, long k)
{
    if (!indices->first) return k;
    return (long)word_at(indices->first + (size_t)k * indices->stride, size_of(indices->type));
}

static bool add_triangle(gltf *g, const numbers *p, const long at[3], const trm_affine *X)
{
    trm_vec3 c[3];
    for (int k = 0; k < 3; k++) {
        if (at[k] >= p->count) return refuse(g, "an index names a vertex that does not exist");
        c[k] = position(p, at[k], X);
        if (!trm_v3_is_finite(c[k])) return refuse(g, "a vertex is not finite");
    }
    return trm_affine_determinant(X) < 0 ? trm_soup_add(&g->soup, c[0], c[2], c[1])
                                         : trm_soup_add(&g->soup, c[0], c[1], c[2]);
}

static bool add_primitive(gltf *g, const trm_json *primitive, const trm_affine *X)
{
    const long mode = index_of(primitive, "mode", TRIANGLES), given = index_of(primitive, "indices", -2);
    numbers p, indices = {0};
    if (mode < TRIANGLES || mode > FAN) return true; /* points and lines have no triangles */
    if (!find_numbers(g, index_of(member(primitive, "attributes"), "POSITION", -1), 3, &p)) return false;
    if (p.type != FLOATS) return refuse(g, "positions must be floats");
    if (given != -2 && (!find_numbers(g, given, 1, &indices) || indices.type == FLOATS))
        return refuse(g, "indices must be integers");
    const long count = given == -2 ? p.count : indices.count, step = mode == TRIANGLES ? 3 : 1;
    for (long k = 0; k + 2 < count; k += step) {
        const long first = mode == FAN ? 0 : k, swap = mode == STRIP && (k & 1);
        const long at[3] = {corner_of(&indices, first), corner_of(&indices, swap ? k + 2 : k + 1),
                            corner_of(&indices, swap ? k + 1 : k + 2)};
        if (!add_triangle(g, &p, at, X)) return false;
    }
    return true;
}

/* ---- Nodes -------------------------------------------------------------------------------- */

static trm_affine transform_of(const trm_json *node)
{
    double m[16], t[3] = {0, 0, 0}, r[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    trm_affine X;
    if (read_array(node, "matrix", m, 16)) {
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 4; k++) X.m[i][k] = m[4 * k + i];
        return X;
    }
    read_array(node, "translation", t, 3);
    read_array(node, "rotation", r, 4);
    read_array(node, "scale", s, 3);
    const trm_quat q = {r[3], r[0], r[1], r[2]};
    const trm_mat3 R = trm_quat_matrix(trm_quat_norm(q) > 0 ? trm_quat_unit(q) : trm_quat_identity());
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) X.m[i][k] = R.m[i][k] * s[k];
        X.m[i][3] = t[i];
    }
    return X;
}

static bool add_node(gltf *g, const trm_json *value, const trm_affine *outer, int depth)
{
    const trm_json *node =
        value->kind == TRM_JSON_NUMBER ? item(g, "nodes", (long)fmin(fmax(value->number, -1), 2e9)) : NULL;
    if (!node || depth > MOST_DEPTH || g->nodes++ > MOST_NODES)
        return refuse(g, "the nodes are invalid: one is missing, or they contain each other in a cycle");
    const trm_affine own = transform_of(node), X = trm_affine_product(outer, &own);
    const trm_json *mesh = item(g, "meshes", index_of(node, "mesh", -1)), *primitives = member(mesh, "primitives");
    const trm_json *children = member(node, "children");
    for (int i = 0; primitives && primitives->kind == TRM_JSON_ARRAY && i < primitives->count; i++)
        if (!add_primitive(g, &primitives->items[i], &X)) return false;
    for (int i = 0; children && children->kind == TRM_JSON_ARRAY && i < children->count; i++)
        if (!add_node(g, &children->items[i], &X, depth + 1)) return false;
    return true;
}

static bool add_scene(gltf *g)
{
    const trm_json *scene = item(g, "scenes", index_of(g->root, "scene", 0)), *nodes = member(scene, "nodes");
    const trm_json *meshes = member(g->root, "meshes");
    if (nodes && nodes->kind == TRM_JSON_ARRAY) {
        for (int i = 0; i < nodes->count; i++)
            if (!add_node(g, &nodes->items[i], &TRM_AFFINE_IDENTITY, 0)) return false;
        return true;
    }
    for (int i = 0; meshes && meshes->kind == TRM_JSON_ARRAY && i < meshes->count; i++) {
        const trm_json *primitives = member(&meshes->items[i], "primitives");
        for (int k = 0; primitives && primitives->kind == TRM_JSON_ARRAY && k < primitives->count; k++)
            if (!add_primitive(g, &primitives->items[k], &TRM_AFFINE_IDENTITY)) return false;
    }
    return true;
}

/* ---- The document ------------------------------------------------------------------------- */

/* Finds the chunks of a .glb: JSON, then bytes. Returns false after reporting an error. */
static bool open_binary(gltf *g, const char *bytes, size_t length, const char **text, size_t *text_length)
{
    const size_t json = length >= 20 ? word_at(bytes + 12, 4) : 0;
    if (length < 20 || word_at(bytes + 16, 4) != 0x4e4f534a || json > length - 20)
        return refuse(g, "the binary glTF is cut off, or its first chunk is not JSON");
    *text = bytes + 20;
    *text_length = json;
    const size_t at = 20 + json;
    if (length - at >= 8 && word_at(bytes + at + 4, 4) == 0x004e4942 && word_at(bytes + at, 4) <= length - at - 8) {
        g->chunk = bytes + at + 8;
        g->chunk_length = word_at(bytes + at, 4);
    }
    return true;
}

static bool read_document(gltf *g, const char *bytes, size_t length)
{
    const char *text = bytes;
    size_t text_length = length;
    if (length >= 4 && memcmp(bytes, "glTF", 4) == 0 && !open_binary(g, bytes, length, &text, &text_length))
        return false;
    g->root = trm_json_parse(g->arena, text, text_length, g->file, NULL, g->messages);
    if (!g->root) {
        g->bad = !g->arena->failed;
        return false;
    }
    const trm_json *buffers = member(g->root, "buffers");
    g->buffer_count = buffers && buffers->kind == TRM_JSON_ARRAY ? buffers->count : 0;
    g->buffers = TRM_NEW_ARRAY(g->arena, const char *, g->buffer_count + 1);
    g->lengths = TRM_NEW_ARRAY(g->arena, size_t, g->buffer_count + 1);
    if (!g->buffers || !g->lengths || !add_scene(g)) return false;
    return g->soup.count > 0 || refuse(g, "it contains no triangles");
}

trm_status trm_read_gltf(trm_arena *arena, const char *bytes, size_t length, const char *file,
                         const trm_read_options *options, trm_mesh *mesh, trm_messages *messages)
{
    trm_arena scratch;
    *mesh = (trm_mesh){0};
    trm_arena_init(&scratch, &arena->allocator);
    gltf g = {.arena = &scratch, .file = file, .options = options, .messages = messages, .soup = {.arena = &scratch}};
    const bool good = read_document(&g, bytes, length) && trm_soup_weld(&g.soup, arena, mesh);
    trm_arena_destroy(&scratch);
    if (good) return TRM_OK;
    *mesh = (trm_mesh){0};
    if (!g.bad) arena->failed = true;
    return g.bad ? TRM_BAD_INPUT : TRM_OUT_OF_MEMORY;
}
