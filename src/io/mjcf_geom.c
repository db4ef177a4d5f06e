/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Geoms of MJCF: shapes, and the mass of a body that has no <inertial>.
 *
 * size has half lengths: sphere r; capsule and cylinder r, h; box and ellipsoid x, y, z. fromto places the z axis of a geom
 * between two points and gives its half length; box and ellipsoid are then as wide in y as in x. The mass of a geom
 * is given, or its volume times its density, 1000 kg/m^3 unless given. */

#include <math.h>
#include <string.h>

#include "io/mjcf.h"
#include "math/rotation.h"

typedef struct geom {
    trm_mjcf_at at;
    const char *type;
    double size[3];
    trm_pose pose;       /* in the part's frame */
    trm_mjcf_mesh *mesh; /* NULL: no mesh, or it could not be read */
    bool needs_mesh;
} geom;

static bool is_type(const geom *g, const char *type)
{
    return strcmp(g->type, type) == 0;
}

/* ---- Pose and size ------------------------------------------------------------------------ */

static void place_between(geom *g, const double *v)
{
    const trm_vec3 from = trm_v3(v[0], v[1], v[2]), to = trm_v3(v[3], v[4], v[5]), d = trm_v3_sub(from, to);
    const double length = trm_v3_length(d);
    g->pose.p = trm_v3_scale(0.5, trm_v3_add(from, to));
    if (length > 0) g->pose.q = trm_quat_between(trm_axis(2), trm_v3_scale(1 / length, d));
    g->size[1] = 0.5 * length;
    if (is_type(g, "box") || is_type(g, "ellipsoid")) {
        g->size[2] = g->size[1];
        g->size[1] = g->size[0];
    }
}

static void place(geom *g, trm_pose X)
{
    double v[6];
    trm_mjcf_numbers(&g->at, "size", g->size, 3);
    g->pose = trm_mjcf_pose(&g->at);
    if (trm_mjcf_numbers(&g->at, "fromto", v, 6) == 6) place_between(g, v);
    if (g->mesh && !is_type(g, "mesh")) {
        const double scale = trm_mjcf_number(&g->at, "fitscale", 1);
        const trm_pose fitted = trm_mjcf_options(g->at.m, g->at.element)->fit_bounds
                                    ? trm_mjcf_fit_bounds(g->mesh, g->type, scale, g->size)
                                    : trm_mjcf_fit(&g->mesh->mass, g->type, scale, g->size);
        g->pose = trm_pose_mul(g->pose, fitted);
    }
    g->pose = trm_pose_mul(X, g->pose);
}

/* ---- Mass --------------------------------------------------------------------------------- */

/* Returns the mass properties at density 1, in the frame of the geom. */
static trm_mass unit_mass(const geom *g)
{
    const bool is_shell = trm_mjcf_is(&g->at, "shellinertia", false);
    if (g->mesh && is_type(g, "mesh")) return g->mesh->mass;
    return is_shell ? trm_mjcf_shell(g->type, g->size) : trm_mjcf_solid(g->type, g->size);
}

/* Adds the mass of a geom to the sum. If its mesh is missing, this is only noted: it is an error only if the part
 * moves, which is not known yet. */
static void add_mass(trm_mjcf *m, const geom *g, int owner, trm_mass *sum)
{
    const double group = trm_mjcf_number(&g->at, "group", 0);
    double mass = NAN;
    const bool given = trm_mjcf_numbers(&g->at, "mass", &mass, 1) == 1;
    const double density = trm_mjcf_number(&g->at, "density", 1000);
    const double *groups = trm_mjcf_options(m, g->at.element)->groups;
    if (!sum || group < groups[0] || group > groups[1] || (given ? mass : density) == 0) return;
    if (g->needs_mesh && !g->mesh) {
        trm_robot_part *part = &m->robot.parts[owner];
        if (!part->lacks_mass) part->mass_place = g->at.element->place;
        part->lacks_mass = true;
        return;
    }
    trm_mass part = unit_mass(g);
    if (!(part.mass > 0)) return;
    const double factor = given ? mass / part.mass : density;
    part.mass *= factor;
    for (int i = 0; i < 9; i++) part.inertia.m[i / 3][i % 3] *= factor;
    part = trm_mass_moved(part, g->pose);
    *sum = sum->mass > 0 ? trm_mass_sum(*sum, part) : part;
}

/* ---- Shapes ------------------------------------------------------------------------------- */

static void set_mesh(const trm_mjcf_mesh *mesh, trm_shape_def *shape)
{
    shape->type = "mesh";
    shape->file = mesh->plain ? mesh->path : NULL;
    shape->points = mesh->mesh.vertices;
    shape->point_count = mesh->mesh.vertex_count;
    shape->triangles = (const int(*)[3])mesh->mesh.triangles;
    shape->triangle_count = mesh->mesh.triangle_count;
}

/* Sets the shape of a geom. Returns false if there is no such shape, or no mesh to which it could be fitted. */
static bool set_shape(const geom *g, trm_shape_def *shape)
{
    if (g->needs_mesh && !g->mesh) return false;
    shape->position = g->pose.p;
    shape->orientation = g->pose.q;
    if (g->mesh && is_type(g, "mesh")) {
        set_mesh(g->mesh, shape);
    } else if (is_type(g, "sphere") || is_type(g, "capsule") || is_type(g, "cylinder")) {
        shape->type = g->type;
        shape->radius = g->size[0];
        if (!is_type(g, "sphere")) shape->length = 2 * g->size[1];
    } else if (is_type(g, "box") || is_type(g, "ellipsoid")) {
        shape->type = g->type;
        shape->size = trm_v3(2 * g->size[0], 2 * g->size[1], 2 * g->size[2]);
    } else if (is_type(g, "plane")) {
        shape->type = "plane";
        shape->normal = trm_v3(0, 0, 1);
        shape->offset = 0;
    } else {
        return false;
    }
    return true;
}

/* Returns a mask of 32 bits; a negative number is read in two's complement. */
static unsigned bits_of(const trm_mjcf_at *at, const char *attribute)
{
    const double value = trm_mjcf_number(at, attribute, 1);
    return (unsigned)(long long)fmin(fmax(value, -2147483648.0), 4294967295.0);
}

static bool add_shape(trm_mjcf *m, const geom *g, int part)
{
    trm_shape_def def = trm_default_shape_def();
    double rgba[4] = {0.5, 0.5, 0.5, 1}, friction[3] = {1, 0.005, 0.0001};
    const bool colored = trm_mjcf_numbers(&g->at, "rgba", rgba, 4) > 0;
    const double condim = trm_mjcf_number(&g->at, "condim", 3);
    const unsigned type = bits_of(&g->at, "contype");
    const unsigned affinity = bits_of(&g->at, "conaffinity");
    const char *material = trm_mjcf_value(&g->at, "material");
    trm_mjcf_numbers(&g->at, "friction", friction, 3);
    def.place = g->at.element->place;
    def.color = trm_mjcf_color(m, material, rgba, colored);
    def.friction = condim > 1 ? friction[0] : 0; /* 1: without friction, unless the other shape has some */
    def.combine = "max";
    def.priority = trm_mjcf_number(&g->at, "priority", 0);
    def.torsional = condim >= 4 ? friction[1] : 0;
    def.rolling = condim >= 6 ? friction[2] : 0;
    def.collide = type != 0 || affinity != 0;
    def.hidden = colored && rgba[3] == 0;
    if (!set_shape(g, &def)) return true;
    trm_part_shape *shape = trm_part_add_shape(&m->robot, &m->robot.parts[part]);
    if (!shape) return false;
    *shape = (trm_part_shape){.def = def, .type = type, .affinity = affinity};
    return true;
}

/* Stores the name of a geom, for <pair>, with the shape that was added last, or none. Returns false if out of
 * memory. */
static bool keep_name(trm_mjcf *m, const geom *g, const char *suffix, int part, int shapes_before)
{
    const char *name = trm_mjcf_name(&g->at, "name", suffix);
    const int count = m->robot.parts[part].shape_count;
    if (!name) return !m->in->scratch->failed;
    return TRM_APPEND(m->in->scratch, m->geoms, m->geom_count,
                      (trm_mjcf_geom){name, part, count > shapes_before ? count - 1 : -1, g->at.element->place});
}

bool trm_mjcf_read_geom(trm_mjcf *m, trm_xml *element, int part, int class, trm_pose X, const char *suffix,
                        trm_mass *mass)
{
    static const char *const TYPES[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                        "cylinder", "box",    "mesh",   "sdf"};
    geom g = {.at = trm_mjcf_resolve(m, element, "geom", class), .type = NULL};
    const char *mesh = trm_mjcf_value(&g.at, "mesh"), *type = trm_mjcf_value(&g.at, "type");
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (strcmp(type ? type : "sphere", TYPES[i]) == 0) g.type = TYPES[i];
    const int before = m->robot.parts[part].shape_count;
    if (!g.type) {
        trm_add_error(m->in->messages, element->place, "<geom> has the type \"%s\", which MJCF does not have", type);
        trm_xml_use_all(element);
        return true;
    }
    g.needs_mesh = mesh != NULL;
    if (mesh && !trm_mjcf_find_mesh(m, mesh, element->place, &g.mesh)) return false;
    if (mesh && (is_type(&g, "plane") || is_type(&g, "hfield"))) g.mesh = NULL;
    if (is_type(&g, "hfield") || is_type(&g, "sdf"))
        trm_add_warning(m->in->messages, element->place, "<geom> of type %s is not used: there is no such shape",
                        g.type);
    place(&g, X);
    add_mass(m, &g, part, mass);
    return add_shape(m, &g, part) && keep_name(m, &g, suffix, part, before);
}
