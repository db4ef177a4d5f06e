/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The contract of shapes, one file per type in model/shapes.
 *
 * A type defines the keys that it accepts, its mass properties and its reach. Contacts, bounds and pictures support a
 * few geometries. Any other type defines the corners of a convex polyhedron, which contacts, bounds and pictures use
 * for it. */

#ifndef TRM_MODEL_SHAPE_H
#define TRM_MODEL_SHAPE_H

#include "math/inertia.h"
#include "model/model.h"

typedef enum trm_shape_takes {
    TRM_SHAPE_TAKES_RADIUS = 1 << 0,
    TRM_SHAPE_TAKES_LENGTH = 1 << 1,
    TRM_SHAPE_TAKES_SIZE = 1 << 2,
    TRM_SHAPE_TAKES_POINTS = 1 << 3,
    TRM_SHAPE_TAKES_PLANE = 1 << 4, /* "normal", "offset" */
    TRM_SHAPE_TAKES_FILE = 1 << 5,  /* "file", or "points" and "triangles"; "scale" */
    TRM_SHAPE_TAKES_POSE = 1 << 6,  /* "position", "orientation" */
    TRM_SHAPE_TAKES_MASS = 1 << 7,  /* "density" */

    TRM_SHAPE_TAKES_SOLID = TRM_SHAPE_TAKES_POSE | TRM_SHAPE_TAKES_MASS,
} trm_shape_takes;

/* The geometry of a shape in contacts, bounds and pictures. */
typedef enum trm_shape_geometry {
    TRM_GEOMETRY_HULL, /* the convex polyhedron in its mesh: of given points, or of the corners of its type */
    TRM_GEOMETRY_SPHERE,
    TRM_GEOMETRY_BOX,
    TRM_GEOMETRY_CAPSULE,
    TRM_GEOMETRY_CYLINDER,
    TRM_GEOMETRY_ELLIPSOID, /* drawn as the polyhedron of its corners */
    TRM_GEOMETRY_PLANE,
    TRM_GEOMETRY_MESH,
    TRM_GEOMETRIES
} trm_shape_geometry;

struct trm_shape_type {
    const char *name;
    unsigned takes; /* trm_shape_takes */
    trm_shape_geometry geometry;
    trm_mass (*mass)(const trm_shape *shape, double density); /* in the shape's own frame; NULL: no volume */
    double (*reach)(const trm_shape *shape);                  /* m: farthest distance from the shape's origin */
    /* Computes the corners of the hull that replaces the shape and returns their number. points may be NULL. NULL: the
     * geometry needs none. */
    int (*corners)(const trm_shape *shape, trm_vec3 *points);
};

#define TRM_SHAPE_TYPE(name) extern const trm_shape_type trm_shape_##name;
#include "model/shapes/list.h"
#undef TRM_SHAPE_TYPE

/* Return the mass properties and the reach of the polyhedron in the mesh of a shape. */
trm_mass trm_polyhedron_mass(const trm_shape *shape, double density);
double trm_polyhedron_reach(const trm_shape *shape);

int trm_shape_type_count(void);
const trm_shape_type *trm_shape_type_at(int index);
const trm_shape_type *trm_find_shape_type(const char *name);

#endif
