/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The links of URDF: mass properties and shapes, each in a frame of its own within the link's. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/resources.h"
#include "io/urdf.h"

/* ---- Mass --------------------------------------------------------------------------------- */

/* Moments about the centre, in the axes of the inertial frame. */
static trm_mat3 read_moments(const trm_urdf *u, trm_xml *inertial)
{
    static const char *const NAMES[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    double m[6] = {0};
    trm_xml *inertia = trm_xml_child(inertial, "inertia");
    for (int i = 0; inertia && i < 6; i++) {
        trm_xml_numbers(inertia, NAMES[i], &m[i], 1, u->in->messages);
        if (i < 3 && !trm_xml_value(inertia, NAMES[i])) /* products are often left out where they are 0 */
            trm_add_message(u->in->messages, TRM_WARNING, inertia->place, "",
                            "<inertia> has no attribute \"%s\"; it is taken as 0", NAMES[i]);
    }
    return (trm_mat3){{{m[0], m[3], m[4]}, {m[3], m[1], m[5]}, {m[4], m[5], m[2]}}};
}

static void read_mass(trm_urdf *u, trm_xml *element, trm_urdf_link *link)
{
    trm_xml *inertial = trm_xml_child(element, "inertial");
    double mass = 0;
    if (!inertial) return;
    trm_xml_numbers(trm_xml_child(inertial, "mass"), "value", &mass, 1, u->in->messages);
    const trm_pose origin = trm_urdf_origin(u, inertial);
    const trm_mat3 moments = read_moments(u, inertial);
    if (mass < 0)
        trm_add_message(u->in->messages, TRM_ERROR, inertial->place, "", "link '%s': its mass is %g kg", link->name,
                        mass);
    else if (mass > 0)
        link->mass = trm_mass_moved((trm_mass){mass, {0, 0, 0}, moments}, origin);
}

/* ---- Colours ------------------------------------------------------------------------------ */

static int byte_of(double share)
{
    return (int)lround(255 * fmin(fmax(share, 0), 1));
}

bool trm_urdf_read_material(trm_urdf *u, trm_xml *element, const char **color)
{
    double rgba[4] = {0, 0, 0, 1};
    trm_xml *given = trm_xml_child(element, "color");
    const char *name = given ? NULL : trm_xml_value(element, "name");
    *color = NULL;
    for (int i = 0; name && i < u->material_count; i++)
        if (strcmp(u->materials[i].name, name) == 0) *color = u->materials[i].color;
    const char *text = given ? trm_xml_value(given, "rgba") : NULL;
    if (!text || trm_xml_list(given, "rgba", text, rgba, 4, u->in->messages) < 3) return true;
    trm_xml_value(element, "name");
    *color =
        trm_arena_format(u->in->def->arena, "#%02x%02x%02x", byte_of(rgba[0]), byte_of(rgba[1]), byte_of(rgba[2]));
    return *color != NULL;
}

/* ---- Shapes ------------------------------------------------------------------------------- */

static void read_box(const trm_urdf *u, trm_xml *box, trm_shape_def *shape)
{
    double size[3] = {0, 0, 0};
    shape->type = "box";
    trm_xml_numbers(box, "size", size, 3, u->in->messages);
    shape->size = trm_v3(size[0], size[1], size[2]);
}

/* The type outlives the document, whose names do not. */
static void read_round(const trm_urdf *u, trm_xml *element, const char *type, trm_shape_def *shape)
{
    shape->type = type;
    trm_xml_numbers(element, "radius", &shape->radius, 1, u->in->messages);
    if (strcmp(type, "sphere") != 0) trm_xml_numbers(element, "length", &shape->length, 1, u->in->messages);
}

/* False: out of memory. A mesh that cannot be had is named, and there is no shape. */
static bool read_mesh(const trm_urdf *u, trm_xml *element, trm_shape_def *shape, bool *found)
{
    double scale[3] = {1, 1, 1};
    const char *uri = trm_xml_value(element, "filename");
    const char *path;
    trm_mesh mesh;
    trm_xml_numbers(element, "scale", scale, 3, u->in->messages);
    if (!trm_import_mesh(u->in, uri ? uri : "", element->place, &mesh, &path)) return false;
    *found = path != NULL;
    if (!*found) return true;
    shape->type = "mesh";
    shape->file = path;
    shape->scale = trm_v3(scale[0], scale[1], scale[2]);
    shape->points = mesh.vertices;
    shape->point_count = mesh.vertex_count;
    shape->triangles = (const int(*)[3])mesh.triangles;
    shape->triangle_count = mesh.triangle_count;
    return true;
}

/* False: out of memory. */
static bool read_geometry(const trm_urdf *u, trm_xml *owner, trm_shape_def *shape, bool *found)
{
    trm_xml *geometry = trm_xml_child(owner, "geometry");
    trm_xml *box = trm_xml_child(geometry, "box"), *mesh = trm_xml_child(geometry, "mesh"), *round = NULL;
    static const char *const ROUND[] = {"sphere", "cylinder", "capsule"};
    int kind = 0;
    while (kind < 3 && !(round = trm_xml_child(geometry, ROUND[kind]))) kind++;
    *found = box || round || mesh;
    if (box) read_box(u, box, shape);
    if (round) read_round(u, round, ROUND[kind], shape);
    if (mesh) return read_mesh(u, mesh, shape, found);
    if (!*found)
        trm_add_message(u->in->messages, TRM_WARNING, owner->place, "",
                        "<%s> has no geometry that can be read; it is one of box, sphere, cylinder, capsule, mesh",
                        owner->name);
    return true;
}

/* Visual shapes are drawn, collision shapes collide; each is drawn where there is nothing else to draw. */
static bool read_shapes(trm_urdf *u, trm_xml *element, const char *kind, bool collide, bool hidden,
                        trm_urdf_link *link)
{
    for (trm_xml *e = trm_xml_child(element, kind); e; e = trm_xml_again(e)) {
        trm_shape_def shape = trm_default_shape_def();
        bool found;
        shape.place = e->place;
        shape.collide = collide;
        shape.hidden = hidden;
        const trm_pose origin = trm_urdf_origin(u, e);
        shape.position = origin.p;
        shape.orientation = origin.q;
        trm_xml *material = collide ? NULL : trm_xml_child(e, "material");
        if (material && !trm_urdf_read_material(u, material, &shape.color)) return false;
        if (!read_geometry(u, e, &shape, &found)) return false;
        if (!found) continue;
        trm_shape_def *grown =
            trm_arena_grow(u->in->def->arena, link->shapes, link->shape_count, sizeof *link->shapes);
        if (!grown) return false;
        link->shapes = grown;
        link->shapes[link->shape_count++] = shape;
    }
    return true;
}

bool trm_urdf_read_link(trm_urdf *u, trm_xml *element, trm_urdf_link *link)
{
    read_mass(u, element, link);
    if (!read_shapes(u, element, "visual", false, false, link)) return false;
    return read_shapes(u, element, "collision", true, link->shape_count > 0, link);
}
