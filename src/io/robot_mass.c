/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Computes masses that a file does not give.
 *
 * With --density a part without mass gets the mass of its colliding shapes, or of its other shapes if none collides.
 * A file without any mass can be viewed, with each part a ball of 1 kg; to run it, --density is needed. */

#include <math.h>
#include <string.h>

#include "io/robot.h"
#include "math/hull.h"
#include "math/mesh.h"
#include "model/shape.h"

/* ---- Solids ------------------------------------------------------------------------------- */

/* Computes the mass properties of a mesh at density 1, with the scale of the shape. The mesh may be inside out.
 * Returns false if out of memory. */
static bool solid_of_mesh(trm_import *in, const trm_shape_def *shape, trm_mass *mass)
{
    trm_vec3 *points = trm_arena_copy(in->scratch, shape->points, (size_t)shape->point_count, sizeof *points);
    if (!points) return false;
    for (int i = 0; i < shape->point_count; i++)
        points[i] = trm_v3(shape->scale.x * points[i].x, shape->scale.y * points[i].y, shape->scale.z * points[i].z);
    *mass = trm_mass_polyhedron(1, points, shape->triangles, shape->triangle_count);
    if (mass->mass > 0) return true;
    mass->mass = -mass->mass;
    for (int i = 0; i < 9; i++) mass->inertia.m[i / 3][i % 3] *= -1;
    return true;
}

static bool solid_of_hull(trm_import *in, const trm_shape_def *shape, trm_mass *mass)
{
    trm_mesh hull;
    const trm_status status = trm_convex_hull(in->scratch, shape->points, shape->point_count, &hull, NULL);
    if (status == TRM_OK)
        *mass = trm_mass_polyhedron(1, hull.vertices, (const int(*)[3])hull.triangles, hull.triangle_count);
    return status != TRM_OUT_OF_MEMORY;
}

bool trm_robot_solid(trm_import *in, const trm_shape_def *shape, trm_mass *mass)
{
    const trm_shape_type *type = trm_find_shape_type(shape->type);
    const trm_shape solid = {.radius = shape->radius, .length = shape->length, .size = shape->size};
    bool good = true;
    *mass = (trm_mass){0};
    if (type == &trm_shape_mesh)
        good = solid_of_mesh(in, shape, mass);
    else if (type == &trm_shape_hull)
        good = solid_of_hull(in, shape, mass);
    else if (type && type->mass)
        *mass = type->mass(&solid, 1);
    *mass = trm_mass_moved(*mass, (trm_pose){shape->orientation, shape->position});
    return good;
}

/* ---- By density --------------------------------------------------------------------------- */

/* Adds the masses of the shapes that collide, or of those that do not. Returns false if out of memory. */
static bool sum_shapes(trm_robot *a, const trm_robot_part *part, bool collide, trm_mass *sum)
{
    for (int i = 0; i < part->shape_count; i++) {
        trm_mass mass;
        if (part->shapes[i].def.collide != collide) continue;
        if (!trm_robot_solid(a->in, &part->shapes[i].def, &mass)) return false;
        trm_mass_scale(&mass, a->in->options->density);
        if (mass.mass > 0 && isfinite(mass.mass)) *sum = sum->mass > 0 ? trm_mass_sum(*sum, mass) : mass;
    }
    return true;
}

static bool fill_by_density(trm_robot *a)
{
    for (int i = 0; i < a->part_count; i++) {
        trm_robot_part *part = &a->parts[i];
        if (part->mass.mass > 0) continue;
        trm_mass sum = {0};
        if (!sum_shapes(a, part, true, &sum) || (sum.mass == 0 && !sum_shapes(a, part, false, &sum))) return false;
        part->mass = sum;
    }
    return true;
}

/* ---- Without any mass --------------------------------------------------------------------- */

static bool has_any_mass(const trm_robot *a)
{
    for (int i = 0; i < a->part_count; i++)
        if (a->parts[i].mass.mass > 0 || a->parts[i].lacks_mass) return true;
    return false;
}

static bool moves(const trm_robot *a)
{
    for (int i = 0; i < a->connection_count; i++)
        if (!a->connections[i].type || strcmp(a->connections[i].type, "fixed") != 0) return true;
    return false;
}

bool trm_robot_fill_masses(trm_robot *a)
{
    /* m: radius of the balls, about the size of a link. A larger or smaller one changes their moments of inertia,
     * which do not matter for viewing. Tests pass with a tenth and with ten times of it. */
    static const double RADIUS = 0.1;
    if (a->in->options->density > 0 && !fill_by_density(a)) return false;
    if (has_any_mass(a) || !moves(a)) return true;
    const trm_place place = a->parts[0].place;
    if (!a->in->options->without_mass) {
        trm_add_error(
            a->in->messages, place,
            "the file gives no mass at all; --density 1000 computes masses from the shapes with 1000 kg/m^3");
        return true;
    }
    trm_add_warning(
        a->in->messages, place,
        "the file gives no mass at all: each link is treated as a ball of 1 kg, for viewing only; to run it, "
        "give --density");
    for (int i = 0; i < a->part_count; i++) {
        a->parts[i].mass = trm_mass_sphere(1, RADIUS);
        trm_mass_scale(&a->parts[i].mass, 1 / a->parts[i].mass.mass);
    }
    return true;
}
