/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Shapes: the list of types, the checks of their definitions, and the mass that a body gets from density. */

#include "model/shape.h"

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "math/hull.h"
#include "math/rotation.h"

/* ---- The types ---------------------------------------------------------------------------- */

static const trm_shape_type *const types[] = {
#define TRM_SHAPE_TYPE(name) &trm_shape_##name,
#include "model/shapes/list.h"
#undef TRM_SHAPE_TYPE
};

trm_mass trm_polyhedron_mass(const trm_shape *s, double density)
{
    return trm_mass_polyhedron(density, s->mesh.vertices, (const int(*)[3])s->mesh.triangles, s->mesh.triangle_count);
}

double trm_polyhedron_reach(const trm_shape *s)
{
    double reach = 0;
    for (int i = 0; i < s->mesh.vertex_count; i++) reach = fmax(reach, trm_v3_length(s->mesh.vertices[i]));
    return reach;
}

int trm_shape_type_count(void)
{
    return (int)(sizeof types / sizeof types[0]);
}

const trm_shape_type *trm_shape_type_at(int index)
{
    return index >= 0 && index < trm_shape_type_count() ? types[index] : NULL;
}

const trm_shape_type *trm_find_shape_type(const char *name)
{
    for (int i = 0; i < trm_shape_type_count(); i++)
        if (strcmp(types[i]->name, name) == 0) return types[i];
    return NULL;
}

/* A warning is given if the convex hull of a mesh is larger than the mesh by this fraction of the mesh's volume. A
 * larger one hides hollows that matter for contact, a smaller one warns of every mesh that is not exactly convex. */
static const double NOTED_HOLLOWS = 0.01;

/* ---- Checking one shape ------------------------------------------------------------------- */

/* A shape with its place and its body, for messages. */
typedef struct shape_site {
    trm_build *build;
    const trm_shape_def *def;
    const char *body;
    bool free; /* the body is free */
    /* kg/m^3; relative density if the mass of the body is distributed over its shapes; NAN: no mass */
    double density;
    bool good;
} shape_site;

#define WRONG(site, ...)                                                                                             \
    (trm_report_element((site)->build, (site)->def->place, "shape of body", (site)->body, __VA_ARGS__),              \
     (site)->good = false)

static void require_positive(shape_site *site, const char *key, double value)
{
    if (!(value > 0 && isfinite(value)))
        WRONG(site, "\"%s\" is %g; it must be a positive length in metres", key, value);
}

static void check_range(shape_site *site, const char *key, double value, double hi)
{
    if (isnan(value)) return; /* not given */
    if (isinf(value))
        WRONG(site, "\"%s\" is infinite; give a finite number", key);
    else if (!(value >= 0 && value <= hi)) {
        if (isinf(hi))
            WRONG(site, "\"%s\" is %g; it must not be negative", key, value);
        else
            WRONG(site, "\"%s\" is %g; it must lie between 0 and %g", key, value, hi);
    }
}

/* Reports an error if the lever arm of rolling or torsional friction is not a finite length, 0 or more. */
static void check_arm(shape_site *site, const char *key, double value)
{
    if (!(value >= 0 && isfinite(value)))
        WRONG(site, "\"%s\" is %g; it must be a lever arm in metres, 0 or more", key, value);
}

static void check_numbers(shape_site *site, const trm_shape_type *type)
{
    const trm_shape_def *def = site->def;
    if (type->takes & TRM_SHAPE_TAKES_RADIUS) require_positive(site, "radius", def->radius);
    if (type->takes & TRM_SHAPE_TAKES_LENGTH) require_positive(site, "length", def->length);
    const trm_vec3 s = def->scale;
    if ((type->takes & TRM_SHAPE_TAKES_FILE) && !(s.x != 0 && s.y != 0 && s.z != 0 && trm_v3_is_finite(s)))
        WRONG(site, "\"scale\" is [%g, %g, %g]; give a number or three, none of them zero", s.x, s.y, s.z);
    if ((type->takes & TRM_SHAPE_TAKES_SIZE) &&
        !(def->size.x > 0 && def->size.y > 0 && def->size.z > 0 && trm_v3_is_finite(def->size)))
        WRONG(site, "\"size\" is [%g, %g, %g]; give three positive lengths in metres", def->size.x, def->size.y,
              def->size.z);
    const double normal = trm_v3_length(def->normal);
    if ((type->takes & TRM_SHAPE_TAKES_PLANE) && !(normal > 0 && isfinite(normal)))
        WRONG(site, "the plane's \"normal\" has length zero or infinity; give a direction such as [0, 0, 1]");
    if ((type->takes & TRM_SHAPE_TAKES_PLANE) && !isfinite(def->offset))
        WRONG(site, "the plane's \"offset\" is %g; it must be a finite length in metres", def->offset);
    if (!isnan(def->density) && !(def->density > 0 && isfinite(def->density)))
        WRONG(site, "\"density\" is %g; it must be a positive number in kg/m^3", def->density);
    check_range(site, "friction", def->friction, INFINITY);
    check_range(site, "restitution", def->restitution, 1);
    check_arm(site, "rolling", def->rolling);
    check_arm(site, "torsional", def->torsional);
    if (!isfinite(def->priority)) WRONG(site, "\"priority\" is %g; it must be a finite number", def->priority);
    const double norm = trm_quat_norm(def->orientation);
    if (!(norm > 0 && isfinite(norm)))
        WRONG(site, "\"orientation\" is the zero quaternion or too long; without any rotation it is [1, 0, 0, 0]");
    if (!trm_v3_is_finite(def->position)) WRONG(site, "\"position\" must be three finite numbers in metres");
}

static void check_mesh(shape_site *site)
{
    const trm_shape_def *def = site->def;
    if (def->triangle_count == 0)
        WRONG(site, "the mesh has no triangles; give \"file\", or \"points\" and \"triangles\"");
    for (int i = 0; i < def->point_count; i++)
        if (!trm_v3_is_finite(trm_v3_scale(trm_v3_length(def->scale), def->points[i]))) {
            WRONG(site, "point %d of the mesh (counted from 0) is [%g, %g, %g]; all must be finite numbers", i,
                  def->points[i].x, def->points[i].y, def->points[i].z);
            return;
        }
    for (int i = 0; i < def->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            if (def->triangles[i][k] < 0 || def->triangles[i][k] >= def->point_count) {
                WRONG(site, "triangle %d of the mesh names the point %d; there are %d, counted from 0", i,
                      def->triangles[i][k], def->point_count);
                return;
            }
}

static double volume_of(const trm_mesh *mesh)
{
    return trm_mass_polyhedron(1, mesh->vertices, (const int(*)[3])mesh->triangles, mesh->triangle_count).mass;
}

/* Warns if the hull is larger than the mesh, because contacts use the hull. */
static void warn_of_hollows(const shape_site *site, const trm_mesh *mesh, const trm_mesh *hull, trm_arena *arena)
{
    if (!trm_mesh_is_closed(mesh, arena)) return;
    const double volume = volume_of(mesh), filled = volume_of(hull);
    if (volume > 0 && filled > (1 + NOTED_HOLLOWS) * volume)
        trm_warn(site->build, site->def->place, "shape of body", site->body,
                 "the mesh of a free body collides as its convex hull, which is %.3g times as large; divide it into "
                 "convex parts if contacts reach its hollows",
                 filled / volume);
}

/* Checks that the hull of a free body's mesh exists, because it replaces the mesh in contacts. Returns false when
 * out of memory. */
static bool check_hull_of_mesh(shape_site *site, const trm_mesh *mesh, trm_arena *arena)
{
    trm_mesh hull;
    const char *why = "";
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    const trm_status status = trm_convex_hull(arena, mesh->vertices, mesh->vertex_count, &hull, &why);
    if (status == TRM_OK) warn_of_hollows(site, mesh, &hull, arena);
    trm_arena_reset(arena, mark);
    if (status == TRM_BAD_INPUT)
        WRONG(
            site,
            "the mesh of a free body collides as its convex hull, and that has no volume: %s; give it thickness, or "
            "\"collide\": false",
            why);
    return status != TRM_OUT_OF_MEMORY;
}

/* Builds the hull of a shape. Returns false when out of memory. */
static bool build_hull(shape_site *site, trm_arena *arena, trm_mesh *hull)
{
    const char *why = "";
    const trm_status status = trm_convex_hull(arena, site->def->points, site->def->point_count, hull, &why);
    if (status == TRM_BAD_INPUT)
        WRONG(site, "the hull has no volume: %s; give at least four corners that are not in a plane", why);
    return status != TRM_OUT_OF_MEMORY;
}

/* Builds the convex polyhedron of a shape from the corners of its type. Returns false when out of memory. */
static bool build_corners(shape_site *site, trm_arena *arena, trm_shape *shape)
{
    const char *why = "";
    const int count = shape->type->corners(shape, NULL);
    trm_vec3 *points = TRM_NEW_ARRAY(arena, trm_vec3, count);
    if (!points) return false;
    shape->type->corners(shape, points);
    const trm_status status = trm_convex_hull(arena, points, count, &shape->mesh, &why);
    if (status == TRM_BAD_INPUT) WRONG(site, "it is too flat to collide: %s; make it thicker", why);
    return status != TRM_OUT_OF_MEMORY;
}

static bool build_mesh(shape_site *site, trm_arena *arena, trm_mesh *mesh)
{
    const trm_shape_def *def = site->def;
    check_mesh(site);
    if (!site->good) return true;
    mesh->vertex_count = def->point_count;
    mesh->triangle_count = def->triangle_count;
    mesh->vertices = trm_arena_copy(arena, def->points, (size_t)def->point_count, sizeof *def->points);
    mesh->triangles = trm_arena_copy(arena, def->triangles, (size_t)def->triangle_count, sizeof *def->triangles);
    if (!mesh->vertices || !mesh->triangles) return false;
    trm_scale_mesh(mesh, def->scale);
    if (!isnan(site->density) && !trm_mesh_is_closed(mesh, arena))
        WRONG(site,
              "the mesh is not closed, so it has no volume for \"density\"; give the body \"mass\" and \"inertia\"");
    return !(site->free && def->collide) || check_hull_of_mesh(site, mesh, arena);
}

/* Returns the value as an integer of 32 bits. Returns 0 after reporting an error if it is not one. */
static uint32_t bits_of(shape_site *site, const char *key, double value)
{
    const bool whole = value >= 0 && value < 4294967296.0 && value == floor(value);
    if (!whole)
        WRONG(site, "\"%s\" is %g; it must be a whole number from 0 to 4294967295, a bit per group", key, value);
    return whole ? (uint32_t)value : 0;
}

static trm_combine combine_of(shape_site *site)
{
    const char *word = site->def->combine;
    int rule = 0;
    while (trm_combine_words[rule] && !(word && strcmp(trm_combine_words[rule], word) == 0)) rule++;
    if (trm_combine_words[rule]) return (trm_combine)rule;
    WRONG(site, "\"combine\" is \"%s\"; give geometric, min or max", word ? word : "");
    return TRM_COMBINE_GEOMETRIC;
}

static bool build_shape(shape_site *site, trm_shape *shape)
{
    trm_model *model = site->build->model;
    const trm_model_def *defaults = site->build->def;
    const trm_shape_def *def = site->def;
    *shape = (trm_shape){
        .type = trm_find_shape_type(def->type),
        .radius = def->radius,
        .length = def->length,
        .offset = def->offset,
        .size = def->size,
        .friction = isnan(def->friction) ? defaults->friction : def->friction,
        .restitution = isnan(def->restitution) ? defaults->restitution : def->restitution,
        .rolling = def->rolling,
        .torsional = def->torsional,
        .combine = combine_of(site),
        .priority = def->priority,
        .collide = def->collide,
        .group = bits_of(site, "group", def->group),
        .mask = bits_of(site, "mask", def->mask),
        .hidden = def->hidden,
        .color = trm_arena_text(&model->arena, def->color),
    };
    check_numbers(site, shape->type);
    if (!site->good) return true;
    shape->pose = (trm_pose){trm_quat_unit(def->orientation), def->position};
    if (shape->type->takes & TRM_SHAPE_TAKES_PLANE) {
        shape->normal = trm_v3_unit(def->normal);
        shape->offset /= trm_v3_length(def->normal);
    }
    if (shape->type->corners) return build_corners(site, &model->arena, shape);
    if (shape->type->takes & TRM_SHAPE_TAKES_POINTS) return build_hull(site, &model->arena, &shape->mesh);
    return !(shape->type->takes & TRM_SHAPE_TAKES_FILE) || build_mesh(site, &model->arena, &shape->mesh);
}

static const trm_shape_type *type_of(shape_site *site)
{
    const char *names[sizeof types / sizeof types[0]];
    char known[400] = "the types are ";
    for (int i = 0; i < trm_shape_type_count(); i++) {
        names[i] = types[i]->name;
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const trm_shape_type *type = site->def->type ? trm_find_shape_type(site->def->type) : NULL;
    if (!type) {
        const char *near = site->def->type ? trm_nearest_word(site->def->type, names, trm_shape_type_count()) : NULL;
        WRONG(site, "no shape type \"%s\"; %s%s%s", site->def->type ? site->def->type : "",
              near ? "did you mean \"" : known, near ? near : "", near ? "\"?" : "");
    }
    return type;
}

/* Returns the density of a shape. If the body has a mass without an inertia, and no shape has a density, all
 * shapes are equally dense. */
static double density_in(const trm_body_def *def, const trm_shape_def *shape)
{
    const bool spread = def->kind == TRM_BODY_RIGID && def->mass > 0 && isnan(def->inertia[0]);
    bool some = false;
    for (int i = 0; i < def->shape_count; i++) some = some || !isnan(def->shapes[i].density);
    return spread && !some ? 1 : shape->density;
}

bool trm_build_shapes(trm_build *build, const trm_body_def *def, trm_body *body, trm_mass *mass)
{
    *mass = (trm_mass){0};
    body->shape_count = def->shape_count;
    body->shapes = TRM_NEW_ARRAY(&build->model->arena, trm_shape, def->shape_count);
    if (!body->shapes) return false;
    for (int i = 0; i < def->shape_count; i++) {
        const bool free = def->kind != TRM_BODY_FIXED && def->kind != TRM_BODY_MOVING;
        shape_site site = {build, &def->shapes[i], body->name, free, density_in(def, &def->shapes[i]), true};
        trm_shape *shape = &body->shapes[i];
        if (!type_of(&site)) continue;
        if (!build_shape(&site, shape)) return false;
        if (!site.good || isnan(site.density) || !shape->type->mass) continue;
        const trm_mass part = shape->type->mass(shape, site.density);
        if (!(part.mass > 0)) {
            WRONG(&site, "its volume is %g m^3; are the triangles inside out?", part.mass / site.density);
            continue;
        }
        const trm_mass moved = trm_mass_moved(part, shape->pose);
        *mass = mass->mass > 0 ? trm_mass_sum(*mass, moved) : moved;
    }
    return true;
}

bool trm_body_has_colliding_shapes(const trm_body *body)
{
    for (int i = 0; i < body->shape_count; i++)
        if (body->shapes[i].collide) return true;
    return false;
}

double trm_body_reach(const trm_body *body)
{
    double most = 0;
    for (int k = 0; k < body->shape_count; k++)
        if (body->shapes[k].collide)
            most = fmax(most, trm_v3_length(body->shapes[k].pose.p) + body->shapes[k].type->reach(&body->shapes[k]));
    return most;
}
