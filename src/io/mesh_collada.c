/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* COLLADA 1.4 and 1.5 (Khronos). Elements name each other by "#id":
 *
 *     instance_visual_scene -> node (matrix, translate, rotate, scale; nodes) -> instance_geometry -> geometry/mesh
 *     triangles, polylist, polygons, tristrips, trifans: p holds indices, of which only those of the input VERTEX are used;
 *     VERTEX -> vertices -> POSITION -> source -> float_array
 *
 * Polygons are divided into fans. unit is the length unit in metres. The axis of up_axis becomes z. */

#include "io/mesh_file.h"

#include <math.h>
#include <string.h>

#include "io/affine.h"
#include "io/mesh_weld.h"
#include "io/xml.h"
#include "trammel/elementary.h"

enum { MOST_DEPTH = 64, MOST_NODES = 1000000 };

typedef struct collada {
    trm_arena *arena;
    const char *file;
    trm_messages *messages;
    trm_xml *root;
    double unit;
    char up; /* 'X', 'Y', 'Z' */
    trm_soup soup;
    int nodes;
    bool bad;
} collada;

static bool refuse(collada *c, const trm_xml *element, const char *why)
{
    if (!c->bad) trm_add_error(c->messages, element ? element->place : (trm_place){c->file, 0, 0}, "%s", why);
    c->bad = true;
    return false;
}

/* ---- Finding ------------------------------------------------------------------------------ */

static trm_xml *find_id(trm_xml *element, const char *id)
{
    for (trm_xml *e = element->first_child; e; e = e->next) {
        const char *own = trm_xml_value(e, "id");
        if (own && strcmp(own, id) == 0) return e;
        trm_xml *inside = find_id(e, id);
        if (inside) return inside;
    }
    return NULL;
}

/* Returns the element that "#id" of an attribute names. Returns NULL if there is none. */
static trm_xml *follow(collada *c, trm_xml *element, const char *attribute)
{
    const char *url = element ? trm_xml_value(element, attribute) : NULL;
    return url && url[0] == '#' ? find_id(c->root, url + 1) : NULL;
}

typedef struct list {
    double *values;
    int count;
} list;

/* Reads all numbers of a text. Returns false if out of memory or after reporting an error. */
static bool read_list(collada *c, const trm_xml *element, list *numbers)
{
    int room = 0;
    for (const char *t = element->text; *t; t++)
        room += (t == element->text || t[-1] == ' ' || t[-1] == '\n' || t[-1] == '\t' || t[-1] == '\r');
    numbers->values = TRM_NEW_ROOM(c->arena, double, room + 1);
    if (!numbers->values) return false;
    numbers->count = trm_xml_list(element, "its text", element->text, numbers->values, room, c->messages);
    c->bad = c->bad || numbers->count < 0;
    return numbers->count >= 0;
}

/* ---- Geometry ----------------------------------------------------------------------------- */

typedef struct positions {
    list numbers;
    int first, stride, count;
} positions;

static int integer_of(trm_xml *element, const char *attribute, int otherwise)
{
    const char *text = element ? trm_xml_value(element, attribute) : NULL;
    int value = 0;
    if (!text || !*text) return otherwise;
    for (; *text >= '0' && *text <= '9' && value < 100000000; text++) value = 10 * value + (*text - '0');
    return value;
}

static trm_xml *input_of(trm_xml *element, const char *semantic)
{
    for (trm_xml *e = trm_xml_child(element, "input"); e; e = trm_xml_again(e)) {
        const char *own = trm_xml_value(e, "semantic");
        if (own && strcmp(own, semantic) == 0) return e;
    }
    return NULL;
}

static bool read_positions(collada *c, trm_xml *mesh, positions *p)
{
    trm_xml *vertices = trm_xml_child(mesh, "vertices");
    trm_xml *source = follow(c, vertices ? input_of(vertices, "POSITION") : NULL, "source");
    trm_xml *array = source ? trm_xml_child(source, "float_array") : NULL;
    trm_xml *accessor = source ? trm_xml_child(trm_xml_child(source, "technique_common"), "accessor") : NULL;
    if (!array) return refuse(c, mesh, "a mesh has no POSITION that can be read");
    if (!read_list(c, array, &p->numbers)) return false;
    p->first = integer_of(accessor, "offset", 0);
    p->stride = integer_of(accessor, "stride", 3);
    if (p->stride < 3) return refuse(c, array, "positions must have three numbers each");
    p->count = p->numbers.count >= p->first + 3 ? (p->numbers.count - p->first - 3) / p->stride + 1 : 0;
    return true;
}

static bool add_triangle(collada *c, const trm_xml *element, const positions *p, const trm_affine *X,
                         const double at[3])
{
    trm_vec3 corner[3];
    for (int k = 0; k < 3; k++) {
        if (!(at[k] >= 0 && at[k] < p->count))
            return refuse(c, element, "an index names a vertex that does not exist");
        const double *v = p->numbers.values + p->first + p->stride * (int)at[k];
        double r[3];
        trm_affine_apply(X, v, r);
        for (int i = 0; i < 3; i++) r[i] *= c->unit;
        corner[k] = c->up == 'Z'   ? trm_v3(r[0], r[1], r[2])
                    : c->up == 'Y' ? trm_v3(r[0], -r[2], r[1])
                                   : trm_v3(-r[1], -r[2], r[0]);
        if (!trm_v3_is_finite(corner[k])) return refuse(c, element, "a vertex is not finite");
    }
    return trm_soup_add(&c->soup, corner[0], corner[1], corner[2]);
}

/* Corners of one polygon (fan) or strip. inputs: indices per corner. */
typedef struct corners {
    const double *first; /* index of the input VERTEX of the first corner */
    int inputs, count;
    bool strip, mirrored;
} corners;

static bool add_corners(collada *c, const trm_xml *element, const positions *p, const trm_affine *X, corners r)
{
    for (int k = 0; k + 2 < r.count; k++) {
        const bool swap = (r.strip && (k & 1)) != r.mirrored;
        const int a = r.strip ? k : 0, b = swap ? k + 2 : k + 1, d = swap ? k + 1 : k + 2;
        const double at[3] = {r.first[a * r.inputs], r.first[b * r.inputs], r.first[d * r.inputs]};
        if (!add_triangle(c, element, p, X, at)) return false;
    }
    return true;
}

/* Adds the triangles of one <p>: for triangles three corners each, for polylist as many as <vcount> gives, for others
 * all. */
static bool add_indices(collada *c, trm_xml *element, trm_xml *text, const positions *p, const trm_affine *X,
                        const list *counts)
{
    trm_xml *vertex = input_of(element, "VERTEX");
    const int offset = integer_of(vertex, "offset", 0);
    int inputs = 1, at = 0;
    list numbers;
    for (trm_xml *e = trm_xml_child(element, "input"); e; e = trm_xml_again(e)) {
        const int own = integer_of(e, "offset", 0) + 1;
        if (own > inputs) inputs = own;
    }
    if (!vertex) return refuse(c, element, "a primitive has no input VERTEX");
    if (!read_list(c, text, &numbers)) return false;
    const int total = numbers.count / inputs;
    const bool triangles = strcmp(element->name, "triangles") == 0;
    for (int i = 0; at < total; i++) {
        const int left = total - at,
                  given = counts && i < counts->count ? (int)fmin(fmax(counts->values[i], 0), left) : left;
        const int count = triangles ? (left < 3 ? left : 3) : counts ? given : left;
        if (count == 0 && (!counts || i >= counts->count)) break;
        const corners r = {numbers.values + (size_t)at * (size_t)inputs + offset, inputs, count,
                           strcmp(element->name, "tristrips") == 0, trm_affine_determinant(X) < 0};
        if (!add_corners(c, element, p, X, r)) return false;
        at += count;
    }
    return true;
}

static bool add_primitives(collada *c, trm_xml *mesh, const char *kind, const positions *p, const trm_affine *X)
{
    for (trm_xml *e = trm_xml_child(mesh, kind); e; e = trm_xml_again(e)) {
        trm_xml *vcount = trm_xml_child(e, "vcount");
        list counts = {0};
        if (vcount && !read_list(c, vcount, &counts)) return false;
        for (trm_xml *text = trm_xml_child(e, "p"); text; text = trm_xml_again(text))
            if (!add_indices(c, e, text, p, X, vcount ? &counts : NULL)) return false;
    }
    return true;
}

static bool add_geometry(collada *c, trm_xml *geometry, const trm_affine *X)
{
    static const char *const KINDS[] = {"triangles", "polylist", "polygons", "tristrips", "trifans"};
    trm_xml *mesh = trm_xml_child(geometry, "mesh");
    positions p;
    if (!mesh) return true;
    if (!read_positions(c, mesh, &p)) return false;
    for (int i = 0; i < 5; i++)
        if (!add_primitives(c, mesh, KINDS[i], &p, X)) return false;
    return true;
}

/* ---- Nodes -------------------------------------------------------------------------------- */

/* Returns one element of a transformation. *good becomes false after an error was reported. */
static trm_affine step_of(collada *c, const trm_xml *e, bool *good)
{
    trm_affine X = TRM_AFFINE_IDENTITY;
    double v[16];
    const bool matrix = strcmp(e->name, "matrix") == 0, scale = strcmp(e->name, "scale") == 0;
    const bool translate = strcmp(e->name, "translate") == 0, rotate = strcmp(e->name, "rotate") == 0;
    const int needed = matrix ? 16 : rotate ? 4 : scale || translate ? 3 : 0;
    if (needed == 0) return X;
    *good = trm_xml_list(e, "its text", e->text, v, needed, c->messages) == needed ||
            refuse(c, e, "a transformation has too few numbers");
    if (!*good) return X;
    const trm_vec3 axis = trm_v3(v[0], v[1], v[2]);
    if (matrix) memcpy(X.m, v, sizeof X.m);
    for (int i = 0; translate && i < 3; i++) X.m[i][3] = v[i];
    for (int i = 0; scale && i < 3; i++) X.m[i][i] = v[i];
    if (rotate && trm_v3_length(axis) > 0) {
        const double half = v[3] * TRM_PI / 360, s = trm_sin(half) / trm_v3_length(axis);
        const trm_mat3 R = trm_quat_matrix((trm_quat){trm_cos(half), s * axis.x, s * axis.y, s * axis.z});
        for (int i = 0; i < 9; i++) X.m[i / 3][i % 3] = R.m[i / 3][i % 3];
    }
    return X;
}

/* Returns the geometry of an instance; for a skin its geometry at rest. */
static trm_xml *geometry_of(collada *c, trm_xml *instance)
{
    trm_xml *target = follow(c, instance, "url");
    if (target && strcmp(target->name, "controller") == 0)
        target = follow(c, trm_xml_child(target, "skin"), "source");
    return target && strcmp(target->name, "geometry") == 0 ? target : NULL;
}

static bool add_node(collada *c, trm_xml *node, const trm_affine *outer, int depth)
{
    trm_affine X = *outer;
    bool good = true;
    if (depth > MOST_DEPTH || c->nodes++ > MOST_NODES) return refuse(c, node, "nodes contain each other in a cycle");
    for (trm_xml *e = node->first_child; good && e; e = e->next) {
        const trm_affine step = step_of(c, e, &good);
        X = trm_affine_product(&X, &step);
    }
    for (trm_xml *e = node->first_child; good && e; e = e->next) {
        const bool geometry =
            strcmp(e->name, "instance_geometry") == 0 || strcmp(e->name, "instance_controller") == 0;
        trm_xml *target = geometry                                ? geometry_of(c, e)
                          : strcmp(e->name, "instance_node") == 0 ? follow(c, e, "url")
                                                                  : NULL;
        if (geometry && target) good = add_geometry(c, target, &X);
        if (!geometry && target) good = add_node(c, target, &X, depth + 1);
        if (strcmp(e->name, "node") == 0) good = add_node(c, e, &X, depth + 1);
    }
    return good;
}

static bool add_scene(collada *c)
{
    trm_xml *instance = trm_xml_child(trm_xml_child(c->root, "scene"), "instance_visual_scene");
    trm_xml *scene = follow(c, instance, "url");
    if (!scene) scene = trm_xml_child(trm_xml_child(c->root, "library_visual_scenes"), "visual_scene");
    for (trm_xml *e = scene ? trm_xml_child(scene, "node") : NULL; e; e = trm_xml_again(e))
        if (!add_node(c, e, &TRM_AFFINE_IDENTITY, 0)) return false;
    trm_xml *library = scene ? NULL : trm_xml_child(c->root, "library_geometries");
    for (trm_xml *e = library ? trm_xml_child(library, "geometry") : NULL; e; e = trm_xml_again(e))
        if (!add_geometry(c, e, &TRM_AFFINE_IDENTITY)) return false;
    return c->soup.count > 0 || refuse(c, c->root, "it contains no triangles");
}

/* ---- The document ------------------------------------------------------------------------- */

static void read_asset(collada *c)
{
    trm_xml *asset = trm_xml_child(c->root, "asset"), *unit = trm_xml_child(asset, "unit");
    trm_xml *up = trm_xml_child(asset, "up_axis");
    c->unit = 1;
    c->up = 'Y';
    if (unit) c->bad = !trm_xml_numbers(unit, "meter", &c->unit, 1, c->messages);
    if (up) {
        const char letter = up->text[strspn(up->text, " \t\r\n")];
        if (letter >= 'X' && letter <= 'Z') c->up = letter;
    }
    if (!(c->unit > 0)) refuse(c, unit, "the unit must be positive");
}

trm_status trm_read_collada(trm_arena *arena, const char *bytes, size_t length, const char *file, trm_mesh *mesh,
                            trm_messages *messages)
{
    trm_arena scratch;
    *mesh = (trm_mesh){0};
    trm_arena_init(&scratch, &arena->allocator);
    collada c = {.arena = &scratch, .file = file, .messages = messages, .soup = {.arena = &scratch}};
    c.root = trm_xml_parse(&scratch, bytes, length, file, messages);
    c.bad = !c.root && !scratch.failed;
    if (c.root) read_asset(&c);
    const bool good = c.root && !c.bad && add_scene(&c) && trm_soup_weld(&c.soup, arena, mesh);
    trm_arena_destroy(&scratch);
    if (good) return TRM_OK;
    *mesh = (trm_mesh){0};
    if (!c.bad) arena->failed = true;
    return c.bad ? TRM_BAD_INPUT : TRM_OUT_OF_MEMORY;
}
