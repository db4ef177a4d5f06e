/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The fields of bodies and their shapes. */

#include "model/fields.h"
#include "model/shape.h"

/* ---- Shapes ------------------------------------------------------------------------------- */

static const trm_field shape_fields[] = {
    MUST(trm_shape_def, "type", text, type, 0, EVERY, "what shape"),
    KEY(trm_shape_def, "radius", number, radius, 0, TRM_SHAPE_TAKES_RADIUS, "m"),
    KEY(trm_shape_def, "length", number, length, 0, TRM_SHAPE_TAKES_LENGTH, "m, along z, without a capsule's caps"),
    KEY(trm_shape_def, "size", vec3, size, 0, TRM_SHAPE_TAKES_SIZE, "m, full lengths"),
    COUNTED(trm_shape_def, "points", vec3_list, points, point_count, TRM_SHAPE_TAKES_POINTS,
            "m, corners of the hull"),
    COUNTED(trm_shape_def, "points", mesh_points, points, point_count, TRM_SHAPE_TAKES_FILE,
            "corners of the mesh, instead of a file"),
    COUNTED(trm_shape_def, "triangles", mesh_triangles, triangles, triangle_count, TRM_SHAPE_TAKES_FILE,
            "three corners each, counted from 0, counter-clockwise seen from outside"),
    KEY(trm_shape_def, "normal", vec3, normal, 0, TRM_SHAPE_TAKES_PLANE,
        "the plane's normal n: n.x <= offset is solid"),
    KEY(trm_shape_def, "offset", number, offset, 0, TRM_SHAPE_TAKES_PLANE, "m"),
    APART(trm_shape_def, "file", text, file, 0, TRM_SHAPE_TAKES_FILE, "OBJ or STL, relative to the model file"),
    KEY(trm_shape_def, "scale", scale, scale, ONES, TRM_SHAPE_TAKES_FILE,
        "metres per unit of the mesh, one number or one per axis; negative ones mirror it; 1"),
    KEY(trm_shape_def, "position", vec3, position, 0, TRM_SHAPE_TAKES_POSE, "m, in the body frame"),
    KEY(trm_shape_def, "orientation", orientation, orientation, IDENTITY, TRM_SHAPE_TAKES_POSE, "in the body frame"),
    KEY(trm_shape_def, "density", number, density, NOT_GIVEN, TRM_SHAPE_TAKES_MASS, "kg/m^3"),
    KEY(trm_shape_def, "friction", number, friction, NOT_GIVEN, EVERY, "Coulomb coefficient"),
    KEY(trm_shape_def, "restitution", number, restitution, NOT_GIVEN, EVERY, "0 no bounce .. 1 elastic"),
    KEY(trm_shape_def, "rolling", number, rolling, 0, EVERY, "m, lever arm of rolling friction; 0"),
    KEY(trm_shape_def, "torsional", number, torsional, 0, EVERY, "m, lever arm of torsional friction; 0"),
    KEY(trm_shape_def, "collide", flag, collide, YES, EVERY, "true"),
    KEY(trm_shape_def, "group", number, group, NUMBER(1), EVERY, "bits: groups that it belongs to; 1"),
    KEY(trm_shape_def, "mask", number, mask, NUMBER(1), EVERY, "bits: groups that it collides with; 1"),
    APART(trm_shape_def, "hidden", flag, hidden, 0, EVERY, "not drawn; false"),
    APART(trm_shape_def, "color", color, color, 0, EVERY, "#rrggbb"),
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
    MUST(trm_rod_def, "from", vec3, from, NOT_GIVEN, EVERY, "m, world at the start"),
    MUST(trm_rod_def, "to", vec3, to, NOT_GIVEN, EVERY, "m, world at the start"),
    MUST(trm_rod_def, "mass", number, mass, 0, EVERY, "kg"),
    KEY(trm_rod_def, "radius", number, radius, 0, EVERY, "m; 0: slender"),
};

static const trm_form form_rod = {.name = "rod", FIELDS(rod_fields)};

static const trm_field moving_fields[] = {
    KEY(trm_motion_def, "position", functions, position, 0, EVERY, "m, of the body frame, functions of time"),
    KEY(trm_motion_def, "angle", function, angle, 0, EVERY, "rad about the axis, function of time"),
    KEY(trm_motion_def, "axis", vec3, axis, Z_AXIS, EVERY, "world; [0, 0, 1]"),
};

static const trm_form form_moving = {.name = "moving", FIELDS(moving_fields)};

static const trm_field point_mass_fields[] = {
    MUST(trm_point_mass_def, "mass", number, mass, 0, EVERY, "kg"),
    MUST(trm_point_mass_def, "position", vec3, position, NOT_GIVEN, EVERY, "m, in the body frame"),
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
        "kg; without it mass, com and inertia come from shapes"),
    LIST(trm_body_def, "masses", masses, mass_count, RIGID, &form_point_mass,
         "point masses, rigidly connected, instead of mass, com and inertia"),
    KEY(trm_body_def, "inertia", inertia, inertia, NOT_GIVEN, RIGID, "kg m^2 about the centre of mass, body axes"),
    KEY(trm_body_def, "impossible_inertia", flag, impossible_inertia, 0, RIGID,
        "use moments of which one exceeds the sum of the other two; false"),
    KEY(trm_body_def, "com", vec3, com, NOT_GIVEN, RIGID, "m, centre of mass in the body frame"),
    KEY(trm_body_def, "parent", parent_name, parent, 0, RIGID | POINT | FIXED | ROD,
        "BODY, BODY.POINT or JOINT in whose frame position and orientation, or the ends of a rod, are; default: the "
        "world"),
    KEY(trm_body_def, "position", vec3, position, 0, RIGID | POINT | FIXED, "m, of the body frame, world"),
    KEY(trm_body_def, "orientation", orientation, orientation, IDENTITY, RIGID | FIXED | ROD,
        "of the body frame, world; turns a rod about its own axis only"),
    KEY(trm_body_def, "velocity", vec3, velocity, 0, RIGID | POINT | ROD, "m/s, of the frame's origin, world"),
    KEY(trm_body_def, "angular_velocity", vec3, angular_velocity, 0, RIGID | ROD, "rad/s, world"),
    KEY(trm_body_def, "gravity_factor", number, gravity_factor, NUMBER(1), RIGID | POINT | ROD,
        "of the model's gravity; 1"),
    OBJECT(trm_body_def, "rod", rod, ROD, &form_rod, "a uniform solid rod: frame at its middle, x axis from -> to"),
    OBJECT(trm_body_def, "moving", moving, MOVING, &form_moving, "prescribed motion, infinite mass"),
    COUNTED(trm_body_def, "frames", frames, frames, frame_count, RIGID | FIXED | MOVING | ROD,
            "named points with an orientation in the body frame"),
    COUNTED(trm_body_def, "points", points, points, point_count, RIGID | FIXED | MOVING | ROD,
            "m, named reference points in the body frame"),
    COUNTED(trm_body_def, "axes", points, axes, axis_count, RIGID | FIXED | MOVING | ROD,
            "named directions in the body frame"),
    SIZED_LIST(trm_body_def, "shapes", shapes, shape_count, shape_size, RIGID | FIXED | MOVING | ROD, &trm_form_shape,
               "for mass and contact"),
    KEY(trm_body_def, "subsystem", text, subsystem, 0, EVERY, "for the method subsystem"),
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
