/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The fields of bodies and their shapes. */

#include "model/fields.h"
#include "model/shape.h"

/* ---- Shapes ------------------------------------------------------------------------------- */

static const trm_field shape_fields[] = {
    MUST(trm_shape_def, "type", text, type, 0, EVERY, "type of the shape"),
    KEY(trm_shape_def, "radius", number, radius, 0, TRM_SHAPE_TAKES_RADIUS, "[m] radius"),
    KEY(trm_shape_def, "length", number, length, 0, TRM_SHAPE_TAKES_LENGTH,
        "[m] length along z, without the caps of a capsule"),
    KEY(trm_shape_def, "size", vec3, size, 0, TRM_SHAPE_TAKES_SIZE, "[m] full lengths"),
    COUNTED(trm_shape_def, "points", vec3_list, points, point_count, TRM_SHAPE_TAKES_POINTS,
            "[m] points whose convex hull is the shape"),
    COUNTED(trm_shape_def, "points", mesh_points, points, point_count, TRM_SHAPE_TAKES_FILE,
            "[m] vertices of the mesh, instead of a file"),
    COUNTED(trm_shape_def, "triangles", mesh_triangles, triangles, triangle_count, TRM_SHAPE_TAKES_FILE,
            "three indices of points each, from 0, counter-clockwise seen from outside"),
    KEY(trm_shape_def, "normal", vec3, normal, 0, TRM_SHAPE_TAKES_PLANE,
        "normal n of the plane: points x with n . x <= offset are solid"),
    KEY(trm_shape_def, "offset", number, offset, 0, TRM_SHAPE_TAKES_PLANE,
        "[m] distance from the origin along the normal"),
    APART(trm_shape_def, "file", text, file, 0, TRM_SHAPE_TAKES_FILE,
          "mesh file, OBJ or STL, relative to the model file"),
    KEY(trm_shape_def, "scale", scale, scale, ONES, TRM_SHAPE_TAKES_FILE,
        "metres per unit of the mesh, one number or one per axis; negative ones mirror the mesh (default: 1)"),
    KEY(trm_shape_def, "position", vec3, position, 0, TRM_SHAPE_TAKES_POSE, "[m] position in the body frame"),
    KEY(trm_shape_def, "orientation", orientation, orientation, IDENTITY, TRM_SHAPE_TAKES_POSE,
        "orientation in the body frame"),
    KEY(trm_shape_def, "density", number, density, NOT_GIVEN, TRM_SHAPE_TAKES_MASS, "[kg/m^3] density"),
    KEY(trm_shape_def, "friction", number, friction, NOT_GIVEN, EVERY, "Coulomb coefficient"),
    WORD(trm_shape_def, "combine", combine, TEXT("geometric"), EVERY, trm_combine_words,
         "friction of a pair: geometric mean, min or max of both; of two rules the later of these (default: "
         "geometric)"),
    KEY(trm_shape_def, "priority", number, priority, 0, EVERY,
        "the friction of a pair is that of the shape with the higher priority (default: 0)"),
    KEY(trm_shape_def, "restitution", number, restitution, NOT_GIVEN, EVERY,
        "coefficient of restitution, 0 (no bounce) to 1 (elastic)"),
    KEY(trm_shape_def, "rolling", number, rolling, 0, EVERY, "[m] lever arm of rolling friction (default: 0)"),
    KEY(trm_shape_def, "torsional", number, torsional, 0, EVERY, "[m] lever arm of torsional friction (default: 0)"),
    KEY(trm_shape_def, "collide", flag, collide, YES, EVERY,
        "whether the shape takes part in contacts (default: true)"),
    KEY(trm_shape_def, "group", number, group, NUMBER(1), EVERY,
        "integer whose bits are the groups that the shape belongs to (default: 1)"),
    KEY(trm_shape_def, "mask", number, mask, NUMBER(1), EVERY,
        "integer whose bits are the groups that the shape collides with (default: 1)"),
    APART(trm_shape_def, "hidden", flag, hidden, 0, EVERY, "whether the shape is not drawn (default: false)"),
    APART(trm_shape_def, "color", color, color, 0, EVERY, "colour, #rrggbb"),
};

static trm_variant shape_variant(int index)
{
    const trm_shape_type *type = trm_shape_type_at(index);
    return type ? (trm_variant){type->name, type->takes, NULL} : (trm_variant){NULL, 0, NULL};
}

const trm_form trm_form_shape = {
    .name = "shape",
    .size = sizeof(trm_shape_def),
    FIELDS(shape_fields),
    .has_place = true,
    .repeats = true,
    .variant = shape_variant,
};

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

static const trm_field rod_fields[] = {
    MUST(trm_rod_def, "from", vec3, from, NOT_GIVEN, EVERY, "[m] end point in the world at the start"),
    MUST(trm_rod_def, "to", vec3, to, NOT_GIVEN, EVERY, "[m] end point in the world at the start"),
    MUST(trm_rod_def, "mass", number, mass, 0, EVERY, "[kg] mass"),
    KEY(trm_rod_def, "radius", number, radius, 0, EVERY, "[m] radius (default: 0, a slender rod)"),
};

static const trm_form form_rod = {.name = "rod", FIELDS(rod_fields)};

static const trm_field moving_fields[] = {
    KEY(trm_motion_def, "position", functions, position, 0, EVERY,
        "[m] position of the body frame, functions of time"),
    KEY(trm_motion_def, "angle", function, angle, 0, EVERY, "[rad] rotation about the axis, a function of time"),
    KEY(trm_motion_def, "axis", vec3, axis, Z_AXIS, EVERY, "axis of rotation, in the world (default: [0, 0, 1])"),
};

static const trm_form form_moving = {.name = "moving", FIELDS(moving_fields)};

static const trm_field point_mass_fields[] = {
    MUST(trm_point_mass_def, "mass", number, mass, 0, EVERY, "[kg] mass"),
    MUST(trm_point_mass_def, "position", vec3, position, NOT_GIVEN, EVERY, "[m] position in the body frame"),
};

static const trm_form form_point_mass = {
    .name = "point mass",
    .size = sizeof(trm_point_mass_def),
    FIELDS(point_mass_fields),
    .has_place = true,
    .repeats = true,
};

static const trm_field body_fields[] = {
    MUST(trm_body_def, "name", own_name, name, 0, EVERY, "unique among bodies; \"ground\" always exists"),
    KEY(trm_body_def, "point", mark, kind, 0, EVERY, "true: a point mass with three degrees of freedom"),
    KEY(trm_body_def, "fixed", mark, kind, 0, EVERY, "true: does not move"),
    KEY(trm_body_def, "mass", number, mass, 0, RIGID | POINT,
        "[kg] mass (default: mass, com and inertia from the density of the shapes)"),
    LIST(trm_body_def, "masses", masses, mass_count, RIGID, &form_point_mass,
         "point masses, rigidly connected, instead of mass, com and inertia"),
    KEY(trm_body_def, "inertia", inertia, inertia, NOT_GIVEN, RIGID,
        "[kg m^2] about the centre of mass, in body axes"),
    KEY(trm_body_def, "impossible_inertia", flag, impossible_inertia, 0, RIGID,
        "whether to accept moments of which one exceeds the sum of the other two (default: false)"),
    KEY(trm_body_def, "com", vec3, com, NOT_GIVEN, RIGID,
        "[m] centre of mass in the body frame (default: its origin)"),
    KEY(trm_body_def, "parent", parent_name, parent, 0, RIGID | POINT | FIXED | ROD,
        "BODY, BODY.POINT or JOINT in whose frame position and orientation, or the ends of a rod, are; default: the "
        "world"),
    KEY(trm_body_def, "position", vec3, position, 0, RIGID | POINT | FIXED,
        "[m] position of the body frame in the world"),
    KEY(trm_body_def, "orientation", orientation, orientation, IDENTITY, RIGID | FIXED | ROD,
        "orientation of the body frame in the world; turns a rod only about its own axis"),
    KEY(trm_body_def, "velocity", vec3, velocity, 0, RIGID | POINT | ROD,
        "[m/s] velocity of the origin of the body frame, in the world"),
    KEY(trm_body_def, "angular_velocity", vec3, angular_velocity, 0, RIGID | ROD,
        "[rad/s] angular velocity in the world"),
    KEY(trm_body_def, "gravity_factor", number, gravity_factor, NUMBER(1), RIGID | POINT | ROD,
        "factor on the model's gravity (default: 1)"),
    OBJECT(trm_body_def, "rod", rod, ROD, &form_rod,
           "uniform solid rod: its frame is at its middle, with the x axis from `from` to `to`"),
    OBJECT(trm_body_def, "moving", moving, MOVING, &form_moving, "prescribed motion, infinite mass"),
    COUNTED(trm_body_def, "frames", frames, frames, frame_count, RIGID | FIXED | MOVING | ROD,
            "named points with an orientation in the body frame"),
    COUNTED(trm_body_def, "points", points, points, point_count, RIGID | FIXED | MOVING | ROD,
            "[m] named points in the body frame"),
    COUNTED(trm_body_def, "axes", points, axes, axis_count, RIGID | FIXED | MOVING | ROD,
            "named directions in the body frame"),
    SIZED_LIST(trm_body_def, "shapes", shapes, shape_count, shape_size, RIGID | FIXED | MOVING | ROD, &trm_form_shape,
               "shapes for mass, contact and pictures"),
    KEY(trm_body_def, "subsystem", text, subsystem, 0, EVERY,
        "name of the subsystem of the body, for the method subsystem"),
};

const trm_form trm_form_body = {
    .name = "body",
    .size = sizeof(trm_body_def),
    FIELDS(body_fields),
    .has_place = true,
    .repeats = true,
    .variant = body_variant,
    .variant_of = variant_of_body,
};
