/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Links of SDF: mass properties and shapes.
 *
 * A link without <inertial> has 1 kg and moments of 1 kg m^2. With <inertial auto="true"> the mass is that of the
 * collision shapes at their density, else at that of <inertial>, else at 1000 kg/m^3; a mass in <inertial> scales
 * it. */

#include <math.h>
#include <string.h>

#include "io/resources.h"
#include "io/sdf.h"
#include "math/mesh.h"

/* ---- Shapes ------------------------------------------------------------------------------- */

static bool set_mesh(trm_sdf *s, trm_xml *element, trm_shape_def *shape, bool *found)
{
    trm_vec3 scale = {1, 1, 1};
    const char *uri = trm_sdf_text(s, element, "uri"), *path;
    trm_mesh mesh;
    trm_sdf_vector(s, element, "scale", &scale);
    if (!uri || !*uri) {
        trm_add_warning(s->in->messages, element->place, "<mesh> has no <uri>; it is left out");
        *found = false;
        return true;
    }
    if (!trm_import_mesh(s->in, uri, element->place, &mesh, &path)) return false;
    *found = path != NULL;
    if (!path) return true;
    const bool plain = scale.x == scale.y && scale.y == scale.z && scale.x > 0;
    shape->type = "mesh";
    shape->file = plain ? path : NULL;
    if (plain)
        shape->scale = scale;
    else
        trm_scale_mesh(&mesh, scale);
    shape->points = mesh.vertices;
    shape->point_count = mesh.vertex_count;
    shape->triangles = (const int(*)[3])mesh.triangles;
    shape->triangle_count = mesh.triangle_count;
    return true;
}

static void set_plane(trm_sdf *s, trm_xml *element, trm_shape_def *shape)
{
    trm_vec3 normal = {0, 0, 1};
    trm_sdf_vector(s, element, "normal", &normal);
    trm_xml_child(element, "size");
    shape->type = "plane";
    shape->normal = trm_v3_length(normal) > 0 ? trm_v3_unit(normal) : trm_v3(0, 0, 1);
    shape->offset = 0;
}

static void set_round(trm_sdf *s, trm_xml *element, const char *type, trm_shape_def *shape)
{
    shape->type = type;
    shape->radius = trm_sdf_number(s, element, "radius", 0);
    if (strcmp(type, "sphere") != 0) shape->length = trm_sdf_number(s, element, "length", 0);
}

static void set_ellipsoid(trm_sdf *s, trm_xml *element, trm_shape_def *shape)
{
    trm_vec3 radii = {1, 1, 1};
    trm_sdf_vector(s, element, "radii", &radii);
    shape->type = "ellipsoid";
    shape->size = trm_v3_scale(2, radii);
}

static void set_box(trm_sdf *s, trm_xml *element, trm_shape_def *shape)
{
    shape->type = "box";
    shape->size = trm_v3(1, 1, 1);
    trm_sdf_vector(s, element, "size", &shape->size);
}

static const char *const SHAPES[] = {"sphere", "cylinder", "capsule", "box", "plane", "ellipsoid", "mesh"};
enum { SPHERE, CYLINDER, CAPSULE, BOX, PLANE, ELLIPSOID, MESH, SHAPE_COUNT };

/* Returns the number of the shape type of an element. Returns -1 if it is not a shape. */
static int kind_of(const trm_xml *element)
{
    const char *name = strncmp(element->name, "drake:", 6) == 0 ? element->name + 6 : element->name;
    for (int kind = 0; kind < SHAPE_COUNT; kind++)
        if (strcmp(name, SHAPES[kind]) == 0) return kind;
    return -1;
}

/* Returns the first shape of a geometry and marks it as used; warns that others are omitted. *kind: its type. Returns
 * NULL if there is none. */
static trm_xml *find_shape(trm_sdf *s, trm_xml *geometry, int *kind)
{
    trm_xml *first = NULL;
    for (trm_xml *e = geometry ? geometry->first_child : NULL; e; e = e->next) {
        const int found = kind_of(e);
        if (found < 0) continue;
        e->used = true;
        if (first) {
            trm_xml_use_all(e);
            trm_add_warning(s->in->messages, e->place,
                            "<%s> is left out: a <geometry> has one shape, and the first is read", e->name);
            continue;
        }
        first = e;
        *kind = found;
    }
    return first;
}

/* Sets the shape of an element. *found: there is such a shape. Returns false if out of memory. */
static bool set_shape(trm_sdf *s, trm_xml *owner, trm_shape_def *shape, bool *found)
{
    int kind = 0;
    trm_xml *geometry = trm_xml_child(owner, "geometry"), *given = find_shape(s, geometry, &kind);
    *found = given != NULL;
    if (!given && (!geometry || !geometry->first_child))
        trm_add_warning(s->in->messages, owner->place, "<%s> has no geometry; it is left out", owner->name);
    if (!given) return true; /* other elements are reported as unused */
    if (kind == MESH) return set_mesh(s, given, shape, found);
    if (kind == BOX)
        set_box(s, given, shape);
    else if (kind == PLANE)
        set_plane(s, given, shape);
    else if (kind == ELLIPSOID)
        set_ellipsoid(s, given, shape);
    else
        set_round(s, given, SHAPES[kind], shape);
    return true;
}

static bool set_color(trm_sdf *s, trm_xml *visual, trm_shape_def *shape)
{
    double rgba[4] = {0, 0, 0, 1};
    trm_xml *material = trm_xml_child(visual, "material");
    trm_xml *diffuse = trm_xml_child(material, "diffuse"), *ambient = trm_xml_child(material, "ambient");
    trm_xml *given = diffuse ? diffuse : ambient;
    if (!given || trm_xml_list(given, "its text", given->text, rgba, 4, s->in->messages) < 3) return true;
    shape->color = trm_import_color(s->in, rgba);
    return shape->color != NULL;
}

/* Returns a bit mask, decimal or with 0x. */
static unsigned read_mask(trm_sdf *s, trm_xml *contact, const char *name, unsigned otherwise)
{
    const char *text = trm_sdf_text(s, contact, name);
    unsigned value = 0;
    if (!text || !*text) return otherwise;
    if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X'))
        return (unsigned)trm_sdf_number(s, contact, name, otherwise);
    for (const char *c = text + 2; *c; c++) {
        const char *digit = strchr("0123456789abcdef", *c | 0x20);
        if (!digit) return otherwise;
        value = value * 16 + (unsigned)(digit - "0123456789abcdef");
    }
    return value;
}

/* Returns the lever arm of torsional friction, m; 0 if the radius depends on the depth of the contact. */
static double torsional_arm(trm_sdf *s, trm_xml *torsional)
{
    if (!torsional || !trm_sdf_is(s, torsional, "use_patch_radius", true)) return 0;
    return trm_robot_torsional_arm(trm_sdf_number(s, torsional, "coefficient", 1),
                                   trm_sdf_number(s, torsional, "patch_radius", 0));
}

static void set_surface(trm_sdf *s, trm_xml *collision, trm_part_shape *shape)
{
    trm_xml *surface = trm_xml_child(collision, "surface"), *friction = trm_xml_child(surface, "friction");
    trm_xml *bounce = trm_xml_child(surface, "bounce"), *contact = trm_xml_child(surface, "contact");
    trm_xml *ode = trm_xml_child(friction, "ode");
    shape->def.friction = fmin(trm_sdf_number(s, ode, "mu", NAN), 1e6);
    if (isnan(trm_sdf_number(s, ode, "mu", NAN))) shape->def.friction = 1;
    shape->def.combine = "min"; /* as in Gazebo */
    shape->def.torsional = torsional_arm(s, trm_xml_child(friction, "torsional"));
    if (bounce) shape->def.restitution = trm_sdf_number(s, bounce, "restitution_coefficient", 0);
    shape->type = read_mask(s, contact, "collide_bitmask", 0xffff);
    shape->affinity = read_mask(s, contact, "category_bitmask", shape->type);
    if (trm_sdf_is(s, contact, "collide_without_contact", false) || shape->type == 0) shape->def.collide = false;
}

static bool read_shape(trm_sdf *s, const trm_sdf_entity *entity, trm_xml *element, bool collide, bool hidden)
{
    const char *relative_to = NULL;
    bool found = false;
    trm_part_shape shape = {.def = trm_default_shape_def(), .type = 1, .affinity = 1};
    trm_xml_value(element, "name");
    shape.def.place = element->place;
    shape.def.collide = collide;
    shape.def.hidden = hidden;
    trm_pose X = trm_sdf_read_pose(s, element, &relative_to);
    if (relative_to && strcmp(relative_to, entity->name) != 0) {
        trm_pose frame;
        if (!trm_sdf_frame(s, entity->scope, relative_to, element->place, &frame)) return true;
        X = trm_pose_mul(trm_pose_mul(trm_pose_inverse(s->robot.parts[entity->part].world), frame), X);
    }
    shape.def.position = X.p;
    shape.def.orientation = X.q;
    if (collide) set_surface(s, element, &shape);
    if (!collide && !set_color(s, element, &shape.def)) return false;
    if (!set_shape(s, element, &shape.def, &found)) return false;
    if (!found) return true;
    trm_part_shape *made = trm_part_add_shape(&s->robot, &s->robot.parts[entity->part]);
    if (made) *made = shape;
    return made != NULL;
}

/* ---- Mass --------------------------------------------------------------------------------- */

static trm_mat3 read_moments(trm_sdf *s, trm_xml *inertia)
{
    const double xx = trm_sdf_number(s, inertia, "ixx", 1), yy = trm_sdf_number(s, inertia, "iyy", 1);
    const double zz = trm_sdf_number(s, inertia, "izz", 1), xy = trm_sdf_number(s, inertia, "ixy", 0);
    const double xz = trm_sdf_number(s, inertia, "ixz", 0), yz = trm_sdf_number(s, inertia, "iyz", 0);
    return (trm_mat3){{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
}

/* Returns the density of a collision shape, kg/m^3; NAN for a visual shape. */
static double density_of(trm_sdf *s, trm_xml *link, const trm_shape_def *shape, double otherwise)
{
    for (trm_xml *e = trm_xml_child(link, "collision"); e; e = trm_xml_again(e))
        if (e->place.line == shape->place.line && e->place.column == shape->place.column)
            return trm_sdf_number(s, e, "density", otherwise);
    return NAN;
}

/* Warns about values of <inertial> that are ignored because they are computed. */
static void ignore_given(trm_sdf *s, trm_xml *inertial, const char *link)
{
    static const char *const GIVEN[] = {"pose", "inertia"};
    for (int i = 0; i < 2; i++) {
        trm_xml *e = trm_xml_child(inertial, GIVEN[i]);
        if (!e) continue;
        trm_xml_use_all(e);
        trm_add_warning(s->in->messages, e->place,
                        "link '%s': <%s> is ignored: auto=\"true\" computes it from the collision shapes", link,
                        GIVEN[i]);
    }
}

/* Adds the masses of the collision shapes, at their density or else at that of <inertial>. A mass in <inertial>
 * scales the sum. Returns false if out of memory. */
static bool sum_masses(trm_sdf *s, trm_xml *link, trm_xml *inertial, const trm_robot_part *part, trm_mass *sum)
{
    const double usual = trm_sdf_number(s, inertial, "density", 1000),
                 whole = trm_sdf_number(s, inertial, "mass", NAN);
    for (int i = 0; i < part->shape_count; i++) {
        const trm_shape_def *shape = &part->shapes[i].def;
        const double density = density_of(s, link, shape, usual);
        trm_mass mass;
        if (isnan(density)) continue;
        if (!trm_robot_solid(s->in, shape, &mass)) return false;
        if (!(mass.mass > 0)) continue;
        trm_mass_scale(&mass, density);
        *sum = sum->mass > 0 ? trm_mass_sum(*sum, mass) : mass;
    }
    if (whole > 0 && sum->mass > 0) trm_mass_scale(sum, whole / sum->mass);
    return true;
}

static bool read_mass(trm_sdf *s, trm_xml *element, trm_robot_part *part)
{
    trm_xml *inertial = trm_xml_child(element, "inertial");
    const char *automatic = inertial ? trm_xml_value(inertial, "auto") : NULL;
    part->mass = (trm_mass){1, {0, 0, 0}, trm_diag(trm_v3(1, 1, 1))};
    if (!inertial) return true;
    if (automatic && (strcmp(automatic, "true") == 0 || strcmp(automatic, "1") == 0)) {
        part->mass = (trm_mass){0};
        ignore_given(s, inertial, part->name);
        return sum_masses(s, element, inertial, part, &part->mass);
    }
    const char *relative_to = NULL;
    const trm_pose X = trm_sdf_read_pose(s, inertial, &relative_to);
    trm_xml *inertia = trm_xml_child(inertial, "inertia");
    const double mass = trm_sdf_number(s, inertial, "mass", 1);
    const trm_mat3 moments = inertia ? read_moments(s, inertia) : trm_diag(trm_v3(1, 1, 1));
    if (mass <= 0)
        trm_add_error(s->in->messages, inertial->place, "link '%s': its mass is %g kg; it must be positive",
                      part->name, mass);
    if (relative_to && *relative_to)
        trm_add_warning(s->in->messages, inertial->place,
                        "<inertial>: relative_to is not used; it has no meaning there");
    part->mass = trm_mass_moved((trm_mass){mass, {0, 0, 0}, moments}, X);
    return true;
}

/* ---- The link ----------------------------------------------------------------------------- */

static bool is_static(const trm_sdf *s, int entity)
{
    for (int e = entity; e >= 0; e = s->entities[e].scope)
        if (s->entities[e].is_static) return true;
    return false;
}

static int top_of(const trm_sdf *s, int entity)
{
    while (s->entities[entity].scope >= 0) entity = s->entities[entity].scope;
    return entity;
}

static bool read_shapes(trm_sdf *s, const trm_sdf_entity *entity)
{
    for (trm_xml *e = trm_xml_child(entity->element, "visual"); e; e = trm_xml_again(e))
        if (!read_shape(s, entity, e, false, false)) return false;
    const bool hidden = s->robot.parts[entity->part].shape_count > 0;
    for (trm_xml *e = trm_xml_child(entity->element, "collision"); e; e = trm_xml_again(e))
        if (!read_shape(s, entity, e, true, hidden)) return false;
    return true;
}

bool trm_sdf_read_link(trm_sdf *s, int entity)
{
    trm_sdf_entity *e = &s->entities[entity];
    trm_robot_part *part = trm_robot_add_part(&s->robot);
    const char *before = s->in->directory;
    if (!part) return false;
    e->part = s->robot.part_count - 1;
    part->name = trm_sdf_full_name(s, entity);
    part->place = e->element->place;
    part->world = trm_sdf_world(s, entity);
    part->fixed = is_static(s, entity) || trm_sdf_is(s, e->element, "kinematic", false);
    part->gravity = trm_sdf_is(s, e->element, "gravity", true) ? 1 : 0;
    part->group = top_of(s, entity);
    part->no_self_collision =
        !trm_sdf_is(s, e->element, "self_collide", e->scope >= 0 && s->entities[e->scope].self_collide);
    s->in->directory = e->directory;
    const bool good = part->name && read_shapes(s, e);
    s->in->directory = before;
    return good && read_mass(s, e->element, &s->robot.parts[e->part]);
}
