/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The fields of bodies and their shapes. */

#include "model/fields.h"
#include "model/shape.h"

/* ---- Shapes ------------------------------------------------------------------------------- */

#define OF trm_shape_def

static const trm_field shape_fields[] = {
    MUST(type, text, 0, EVERY, "type of the shape"),
    KEY(radius, number, 0, TRM_SHAPE_TAKES_RADIUS, "[m] radius"),
    KEY(length, number, 0, TRM_SHAPE_TAKES_LENGTH, "[m] length along z, without the caps of a capsule"),
    KEY(size, vec3, 0, TRM_SHAPE_TAKES_SIZE, "[m] full lengths"),
    COUNTED(points, vec3_list, point_count, TRM_SHAPE_TAKES_POINTS, "[m] points whose convex hull is the shape"),
    COUNTED(points, mesh_points, point_count, TRM_SHAPE_TAKES_FILE, "[m] vertices of the mesh, instead of a file"),
    COUNTED(triangles, mesh_triangles, triangle_count, TRM_SHAPE_TAKES_FILE,
            "three indices of points each, from 0, counter-clockwise seen from outside"),
    KEY(normal, vec3, 0, TRM_SHAPE_TAKES_PLANE, "normal n of the plane: points x with n . x <= offset are solid"),
    KEY(offset, number, 0, TRM_SHAPE_TAKES_PLANE, "[m] distance from the origin along the normal"),
    APART(file, text, 0, TRM_SHAPE_TAKES_FILE, "mesh file, OBJ or STL, relative to the model file"),
    KEY(scale, scale, ONES, TRM_SHAPE_TAKES_FILE,
        "metres per unit of the mesh, one number or one per axis; negative ones mirror the mesh (default: 1)"),
    KEY(position, vec3, 0, TRM_SHAPE_TAKES_POSE, "[m] position in the body frame"),
    KEY(orientation, orientation, IDENTITY, TRM_SHAPE_TAKES_POSE, "orientation in the body frame"),
    KEY(density, number, NOT_GIVEN, TRM_SHAPE_TAKES_MASS, "[kg/m^3] density"),
    KEY(friction, number, NOT_GIVEN, EVERY, "Coulomb coefficient"),
    WORD(combine, TEXT("geometric"), EVERY, trm_combine_words,
         "friction of a pair: geometric mean, min or max of both; of two rules the later of these (default: "
         "geometric)"),
    KEY(priority, number, 0, EVERY,
        "the friction of a pair is that of the shape with the higher priority (default: 0)"),
    KEY(restitution, number, NOT_GIVEN, EVERY, "coefficient of restitution, 0 (no bounce) to 1 (elastic)"),
    KEY(rolling, number, 0, EVERY, "[m] lever arm of rolling friction (default: 0)"),
    KEY(torsional, number, 0, EVERY, "[m] lever arm of torsional friction (default: 0)"),
    KEY(collide, flag, YES, EVERY, "whether the shape takes part in contacts (default: true)"),
    KEY(group, number, NUMBER(1), EVERY, "integer whose bits are the groups that the shape belongs to (default: 1)"),
    KEY(mask, number, NUMBER(1), EVERY,
        "integer whose bits are the groups that the shape collides with (default: 1)"),
    APART(hidden, flag, 0, EVERY, "whether the shape is not drawn (default: false)"),
    APART(color, color, 0, EVERY, "colour, #rrggbb"),
};

static trm_variant shape_variant(int index)
{
    const trm_shape_type *type = trm_shape_type_at(index);
    return type ? (trm_variant){type->name, type->takes, NULL} : (trm_variant){NULL, 0, NULL};
}

const trm_form trm_form_shape = {ELEMENT("shape", shape_fields), .repeats = true, .variant = shape_variant};

/* ---- Bodies ------------------------------------------------------------------------------- */

enum { RIGID = 1 << 0, POINT = 1 << 1, FIXED = 1 << 2, MOVING = 1 << 3, ROD = 1 << 4 };

static trm_variant body_variant(int index)
{
    static const trm_variant variants[] = {
        [TRM_BODY_RIGID] = {"rigid body", RIGID, NULL},
        [TRM_BODY_POINT] = {"point mass", POINT, "point"},
        [TRM_BODY_FIXED] = {"fixed body", FIXED, "fixed"},
        [TRM_BODY_MOVING] = {"moving body", MOVING, "moving"},
        [TRM_BODY_ROD] = {"rod", ROD, "rod"},
    };
    return index < TRM_COUNT_OF(variants) ? variants[index] : (trm_variant){NULL, 0, NULL};
}

static trm_variant variant_of_body(const void *body)
{
    return body_variant((int)((const trm_body_def *)body)->kind);
}

#undef OF
#define OF trm_rod_def

static const trm_field rod_fields[] = {
    MUST(from, vec3, NOT_GIVEN, EVERY, "[m] end point in the world at the start"),
    MUST(to, vec3, NOT_GIVEN, EVERY, "[m] end point in the world at the start"),
    MUST(mass, number, 0, EVERY, "[kg] mass"),
    KEY(radius, number, 0, EVERY, "[m] radius (default: 0, a slender rod)"),
};

static const trm_form form_rod = {.name = "rod", FIELDS(rod_fields)};

#undef OF
#define OF trm_motion_def

static const trm_field moving_fields[] = {
    KEY(position, functions, 0, EVERY, "[m] position of the body frame, functions of time"),
    KEY(angle, function, 0, EVERY, "[rad] rotation about the axis, a function of time"),
    KEY(axis, vec3, Z_AXIS, EVERY, "axis of rotation, in the world (default: [0, 0, 1])"),
};

static const trm_form form_moving = {.name = "moving", FIELDS(moving_fields)};

#undef OF
#define OF trm_point_mass_def

static const trm_field point_mass_fields[] = {
    MUST(mass, number, 0, EVERY, "[kg] mass"),
    MUST(position, vec3, NOT_GIVEN, EVERY, "[m] position in the body frame"),
};

static const trm_form form_point_mass = {ELEMENT("point mass", point_mass_fields), .repeats = true};

#undef OF
#define OF trm_body_def

static const trm_field body_fields[] = {
    MUST(name, own_name, 0, EVERY, "unique among bodies; \"ground\" always exists"),
    KEY_AS("point", kind, mark, 0, EVERY, "true: a point mass with three degrees of freedom"),
    KEY_AS("fixed", kind, mark, 0, EVERY, "true: does not move"),
    KEY(mass, number, 0, RIGID | POINT, "[kg] mass (default: mass, com and inertia from the density of the shapes)"),
    LIST(masses, mass_count, RIGID, &form_point_mass,
         "point masses, rigidly connected, instead of mass, com and inertia"),
    KEY(inertia, inertia, NOT_GIVEN, RIGID, "[kg m^2] about the centre of mass, in body axes"),
    KEY(impossible_inertia, flag, 0, RIGID,
        "whether to accept moments of which one exceeds the sum of the other two (default: false)"),
    KEY(com, vec3, NOT_GIVEN, RIGID, "[m] centre of mass in the body frame (default: its origin)"),
    KEY(parent, parent_name, 0, RIGID | POINT | FIXED | ROD,
        "BODY, BODY.POINT or JOINT in whose frame position and orientation, or the ends of a rod, are; default: the "
        "world"),
    KEY(position, vec3, 0, RIGID | POINT | FIXED, "[m] position of the body frame in the world"),
    KEY(orientation, orientation, IDENTITY, RIGID | FIXED | ROD,
        "orientation of the body frame in the world; turns a rod only about its own axis"),
    KEY(velocity, vec3, 0, RIGID | POINT | ROD, "[m/s] velocity of the origin of the body frame, in the world"),
    KEY(angular_velocity, vec3, 0, RIGID | ROD, "[rad/s] angular velocity in the world"),
    KEY(gravity_factor, number, NUMBER(1), RIGID | POINT | ROD, "factor on the model's gravity (default: 1)"),
    OBJECT(rod, ROD, &form_rod, "uniform solid rod: its frame is at its middle, with the x axis from `from` to `to`"),
    OBJECT(moving, MOVING, &form_moving, "prescribed motion, infinite mass"),
    COUNTED(frames, frames, frame_count, RIGID | FIXED | MOVING | ROD,
            "named points with an orientation in the body frame"),
    COUNTED(points, points, point_count, RIGID | FIXED | MOVING | ROD, "[m] named points in the body frame"),
    COUNTED(axes, points, axis_count, RIGID | FIXED | MOVING | ROD, "named directions in the body frame"),
    SIZED_LIST(shapes, shape_count, shape_size, RIGID | FIXED | MOVING | ROD, &trm_form_shape,
               "shapes for mass, contact and pictures"),
    KEY(subsystem, text, 0, EVERY, "name of the subsystem of the body, for the method subsystem"),
};

const trm_form trm_form_body = {ELEMENT("body", body_fields), .repeats = true, .variant = body_variant,
                                .variant_of = variant_of_body};
