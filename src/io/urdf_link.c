/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reads links of URDF: mass properties and shapes, each in a frame of its own relative to the link. */

#include <math.h>
#include <string.h>

#include "io/resources.h"
#include "io/urdf.h"

/* ---- Mass --------------------------------------------------------------------------------- */

/* Returns the moments about the centre of mass, in the axes of the inertial frame. */
static trm_mat3 read_moments(const trm_urdf *u, trm_xml *inertial)
{
    static const char *const NAMES[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    double m[6] = {0};
    trm_xml *inertia = trm_xml_child(inertial, "inertia");
    for (int i = 0; inertia && i < 6; i++) {
        trm_xml_numbers(inertia, NAMES[i], &m[i], 1, u->in->messages);
        if (i < 3 && !trm_xml_value(inertia, NAMES[i])) /* products are often left out where they are 0 */
            trm_add_warning(u->in->messages, inertia->place, "<inertia> has no attribute \"%s\"; it is taken as 0",
                            NAMES[i]);
    }
    return (trm_mat3){{{m[0], m[3], m[4]}, {m[3], m[1], m[5]}, {m[4], m[5], m[2]}}};
}

static void read_mass(trm_urdf *u, trm_xml *element, trm_urdf_link *link)
{
    trm_xml *inertial = trm_xml_child(element, "inertial");
    double mass = 0;
    if (!inertial) return;
    trm_xml *given = trm_xml_child(inertial, "mass");
    trm_xml_numbers(given, "value", &mass, 1, u->in->messages);
    if (!given || !trm_xml_value(given, "value"))
        trm_add_warning(u->in->messages, given ? given->place : inertial->place,
                        "link '%s': %s, so the link has no mass", link->name,
                        given ? "<mass> has no attribute \"value\"" : "<inertial> has no <mass>");
    const trm_pose origin = trm_urdf_origin(u, inertial);
    const trm_mat3 moments = read_moments(u, inertial);
    if (mass < 0)
        trm_add_error(u->in->messages, inertial->place, "link '%s': its mass is %g kg; it must not be negative",
                      link->name, mass);
    else if (mass > 0)
        link->mass = trm_mass_moved((trm_mass){mass, {0, 0, 0}, moments}, origin);
}

/* ---- Colours ------------------------------------------------------------------------------ */

/* Returns the colour of a material by its name. A name without a colour stays unused and is reported as such. */
static const char *find_color(const trm_urdf *u, trm_xml *element)
{
    for (int k = 0; k < element->attribute_count; k++)
        for (int i = 0; strcmp(element->attributes[k].name, "name") == 0 && i < u->material_count; i++)
            if (strcmp(u->materials[i].name, element->attributes[k].value) == 0) {
                element->attributes[k].used = true;
                return u->materials[i].color;
            }
    return NULL;
}

bool trm_urdf_read_material(trm_urdf *u, trm_xml *element, const char **color)
{
    double rgba[4] = {0, 0, 0, 1};
    trm_xml *given = trm_xml_child(element, "color");
    *color = NULL;
    if (!given) *color = find_color(u, element);
    const char *text = given ? trm_xml_value(given, "rgba") : NULL;
    if (!text || trm_xml_list(given, "rgba", text, rgba, 4, u->in->messages) < 3) return true;
    trm_xml_value(element, "name");
    *color = trm_import_color(u->in, rgba);
    return *color != NULL;
}

/* ---- Shapes ------------------------------------------------------------------------------- */

static const char *const SHAPES[] = {"box", "sphere", "cylinder", "capsule", "mesh"};

static void read_box(const trm_urdf *u, trm_xml *box, trm_shape_def *shape)
{
    double size[3] = {0, 0, 0};
    shape->type = "box";
    trm_xml_numbers(box, "size", size, 3, u->in->messages);
    shape->size = trm_v3(size[0], size[1], size[2]);
}

/* Reads a sphere, cylinder or capsule. type is a constant, because names of the document do not live long enough. */
static void read_round(const trm_urdf *u, trm_xml *element, const char *type, trm_shape_def *shape)
{
    shape->type = type;
    trm_xml_numbers(element, "radius", &shape->radius, 1, u->in->messages);
    if (strcmp(type, "sphere") != 0) trm_xml_numbers(element, "length", &shape->length, 1, u->in->messages);
}

/* m: larger meshes are reported as being in millimetres, because parts of robots are smaller. A value smaller by half
 * would report the wings of aircraft, one ten times larger would miss small parts in millimetres. */
static const double LARGEST = 20;

/* Counts a mesh whose size looks like millimetres. */
static void count_large_mesh(trm_urdf *u, const trm_shape_def *shape, trm_place place)
{
    trm_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < shape->point_count; i++) {
        const trm_vec3 p = shape->points[i];
        low = trm_v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = trm_v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    const double x = fabs(shape->scale.x) * (high.x - low.x), y = fabs(shape->scale.y) * (high.y - low.y),
                 z = fabs(shape->scale.z) * (high.z - low.z), size = fmax(x, fmax(y, z));
    if (!(size > LARGEST)) return;
    if (u->large_count++ == 0) u->large_place = place, u->large_size = size;
}

void trm_urdf_report_large_meshes(const trm_urdf *u)
{
    if (u->large_count == 0) return;
    trm_add_warning(u->in->messages, u->large_place,
                    "the mesh is %.3g m large, which looks like millimetres%s; write scale=\"0.001 0.001 0.001\"",
                    u->large_size, u->large_count > 1 ? ", and others like it" : "");
}

/* Reads a mesh. *found: it could be read; otherwise a warning names it. Returns false if out of memory. */
static bool read_mesh(trm_urdf *u, trm_xml *element, trm_shape_def *shape, bool *found)
{
    double scale[3] = {1, 1, 1};
    const char *uri = trm_xml_value(element, "filename");
    const char *path;
    trm_mesh mesh;
    trm_xml_numbers(element, "scale", scale, 3, u->in->messages);
    *found = false;
    if (!uri || !*uri) {
        trm_add_warning(u->in->messages, element->place, "<mesh> has no attribute \"filename\"; it is left out");
        return true;
    }
    if (!trm_import_mesh(u->in, uri, element->place, &mesh, &path)) return false;
    *found = path != NULL;
    if (!*found) return true;
    shape->type = "mesh";
    shape->file = path;
    shape->scale = trm_v3(scale[0], scale[1], scale[2]);
    shape->points = mesh.vertices;
    shape->point_count = mesh.vertex_count;
    shape->triangles = (const int(*)[3])mesh.triangles;
    shape->triangle_count = mesh.triangle_count;
    count_large_mesh(u, shape, element->place);
    return true;
}

/* Returns the first shape of a geometry and marks it as used; others are reported as unused. *kind: its type. Returns
 * NULL if there is none. */
static trm_xml *find_shape(trm_xml *geometry, int *kind)
{
    for (trm_xml *e = geometry ? geometry->first_child : NULL; e; e = e->next)
        for (*kind = 0; *kind < (int)(sizeof SHAPES / sizeof *SHAPES); ++*kind)
            if (strcmp(e->name, SHAPES[*kind]) == 0) {
                e->used = true;
                return e;
            }
    return NULL;
}

/* Reads the shape of a visual or collision element. *found: it has one that can be read. Returns false if out of
 * memory. */
static bool read_geometry(trm_urdf *u, trm_xml *owner, trm_shape_def *shape, bool *found)
{
    int kind;
    trm_xml *given = find_shape(trm_xml_child(owner, "geometry"), &kind);
    *found = given != NULL;
    if (!given)
        trm_add_warning(u->in->messages, owner->place,
                        "<%s> has no geometry that can be read; it is one of box, sphere, cylinder, capsule, mesh",
                        owner->name);
    if (!given) return true;
    if (strcmp(SHAPES[kind], "mesh") == 0) return read_mesh(u, given, shape, found);
    if (strcmp(SHAPES[kind], "box") == 0)
        read_box(u, given, shape);
    else
        read_round(u, given, SHAPES[kind], shape);
    return true;
}

/* Reads the visual or the collision shapes of a link. Visual shapes are drawn; collision shapes collide, and are
 * drawn if there are no visual ones. Returns false if out of memory. */
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
        if (!TRM_APPEND(u->in->def->arena, link->shapes, link->shape_count, shape)) return false;
    }
    return true;
}

bool trm_urdf_read_link(trm_urdf *u, trm_xml *element, trm_urdf_link *link)
{
    read_mass(u, element, link);
    if (!read_shapes(u, element, "visual", false, false, link)) return false;
    return read_shapes(u, element, "collision", true, link->shape_count > 0, link);
}
