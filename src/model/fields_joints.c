/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The fields of joints. */

#include "model/fields.h"
#include "model/joint.h"

static const trm_field break_fields[] = {
    KEY(trm_joint_def, "force", number, break_force, NUMBER(INFINITY), EVERY, "[N] force"),
    KEY(trm_joint_def, "torque", number, break_torque, NUMBER(INFINITY), EVERY, "[N m] torque"),
};

static const trm_form form_break = {.name = "break", FIELDS(break_fields)};

static const trm_field spring_fields[] = {
    MUST(trm_joint_def, "k", number, spring_stiffness, NOT_GIVEN, EVERY, "[N/m or N m/rad] stiffness"),
    KEY(trm_joint_def, "d", number, spring_damping, NOT_GIVEN, EVERY, "[N s/m or N m s/rad] damping (default: 0)"),
};

static const trm_form form_spring = {.name = "spring", FIELDS(spring_fields)};

#define ORIGIN     MUST(trm_round_def, "origin", vec3, origin, NOT_GIVEN, EVERY, "[m] centre, in the world at the start")
#define AXIS       MUST(trm_round_def, "axis", vec3, axis, NOT_GIVEN, EVERY, "direction in the world at the start")
#define RADIUS     MUST(trm_round_def, "radius", number, radius, NOT_GIVEN, EVERY, "[m] radius")
#define NO_AXIS    HIDDEN(trm_round_def, vec3, axis, NOT_GIVEN)
#define NO(member) HIDDEN(trm_round_def, number, member, NOT_GIVEN)

static const trm_field sphere_fields[] = {ORIGIN, RADIUS, NO_AXIS, NO(pitch), NO(major), NO(minor)};
static const trm_field circle_fields[] = {ORIGIN, RADIUS, AXIS, NO(pitch), NO(major), NO(minor)};

static const trm_field helix_fields[] = {
    ORIGIN,
    RADIUS,
    AXIS,
    MUST(trm_round_def, "pitch", number, pitch, NOT_GIVEN, EVERY, "[m] advance per turn, right-handed if positive"),
    NO(major),
    NO(minor),
};

static const trm_field torus_fields[] = {
    ORIGIN,
    AXIS,
    MUST(trm_round_def, "major", number, major, NOT_GIVEN, EVERY, "[m] distance from the axis to the core"),
    MUST(trm_round_def, "minor", number, minor, NOT_GIVEN, EVERY, "[m] distance from the core to the surface"),
    NO(radius),
    NO(pitch),
};

static const trm_form form_circle = {.name = "circle", FIELDS(circle_fields)};
static const trm_form form_helix = {.name = "helix", FIELDS(helix_fields)};
static const trm_form form_sphere = {.name = "sphere", FIELDS(sphere_fields)};
static const trm_form form_cylinder = {.name = "cylinder", FIELDS(circle_fields)};
static const trm_form form_torus = {.name = "torus", FIELDS(torus_fields)};

static const trm_field curve_fields[] = {
    COUNTED(trm_curve_def, "points", vec3_list, points, point_count, EVERY,
            "[m] points of a cubic spline, in the frame of the first body"),
    KEY(trm_curve_def, "closed", flag, closed, 0, EVERY,
        "whether the spline returns to its first point (default: false)"),
    OBJECT(trm_curve_def, "circle", circle, EVERY, &form_circle, "instead of points"),
    OBJECT(trm_curve_def, "helix", helix, EVERY, &form_helix, "instead of points"),
};

static const trm_form form_curve = {.name = "curve", FIELDS(curve_fields)};

static const trm_field surface_fields[] = {
    OBJECT(trm_surface_def, "sphere", sphere, EVERY, &form_sphere, "exactly one of the three is given"),
    OBJECT(trm_surface_def, "cylinder", cylinder, EVERY, &form_cylinder, "exactly one of the three is given"),
    OBJECT(trm_surface_def, "torus", torus, EVERY, &form_torus, "exactly one of the three is given"),
};

static const trm_form form_surface = {.name = "surface", FIELDS(surface_fields)};

/* What acts on one coordinate, of a joint with one or in the list of one with several. */
#define COORDINATE_KEYS(type, when)                                                                                  \
    KEY(type, "limits", range, limits, UNBOUNDED, when, "[m or rad] stops, lower and upper"),                        \
        KEY(type, "friction", number, friction, 0, when, "[N or N m] Coulomb friction"),                             \
        KEY(type, "mu", number, mu, 0, when,                                                                         \
            "friction as a fraction of the joint force perpendicular to the axis (default: 0)"),                     \
        KEY(type, "radius", number, radius, NOT_GIVEN, when,                                                         \
            "[m] radius of the bearing, at which mu acts on an angular coordinate"),                                 \
        KEY(type, "static_friction", number, static_friction, NOT_GIVEN, when,                                       \
            "[N or N m] friction at rest (default: friction)"),                                                      \
        KEY(type, "stribeck_velocity", number, stribeck_velocity, NOT_GIVEN, when,                                   \
            "[m/s or rad/s] speed at which static_friction - friction has fallen to 1/e"),                           \
        KEY(type, "stiffness", number, stiffness, 0, when,                                                           \
            "[N/m or N m/rad] stiffness of a spring on the coordinate (default: 0)"),                                \
        KEY(type, "spring_reference", number, spring_reference, 0, when,                                             \
            "[m or rad] coordinate at which the spring has no force (default: 0)"),                                  \
        KEY(type, "damping", number, damping, 0, when, "[N s/m or N m s/rad] damping (default: 0)"),                 \
        KEY(type, "armature", number, armature, 0, when,                                                             \
            "[kg or kg m^2] reflected inertia of a rotor (default: 0)"),                                             \
        KEY(type, "effort", number, effort, NUMBER(INFINITY), when, "[N or N m] rated force, for controllers"),      \
        KEY(type, "max_velocity", number, max_velocity, NUMBER(INFINITY), when,                                      \
            "[m/s or rad/s] rated speed, for controllers")

#define ALL_COORDINATE_KEYS(type)                                                                                    \
    COORDINATE_KEYS(type, EVERY), KEY(type, "limit_restitution", number, limit_restitution, 0, EVERY,                \
                                      "coefficient of restitution, 0 (no bounce) to 1 (elastic)")

static const trm_field law_fields[] = {ALL_COORDINATE_KEYS(trm_coordinate_law)};

const trm_form trm_form_law = {.name = "law", .size = sizeof(trm_coordinate_law), FIELDS(law_fields)};

static const trm_field coordinate_fields[] = {
    ALL_COORDINATE_KEYS(trm_coordinate_def),
    HIDDEN(trm_coordinate_def, text, type, 0), /* keys of a link */
    HIDDEN(trm_coordinate_def, vec3, anchor, NOT_GIVEN),
    HIDDEN(trm_coordinate_def, vec3, axis, NOT_GIVEN),
};

const trm_form trm_form_coordinate = {
    .name = "coordinate",
    .size = sizeof(trm_coordinate_def),
    FIELDS(coordinate_fields),
    .has_place = true,
};

static const trm_field link_fields[] = {
    MUST_WORD(trm_coordinate_def, "type", type, 0, EVERY, ONE_OF("hinge", "slider"), "type of the link"),
    KEY(trm_coordinate_def, "anchor", vec3, anchor, NOT_GIVEN, EVERY,
        "[m] point of the axis of a hinge, in the world at the start"),
    MUST(trm_coordinate_def, "axis", vec3, axis, NOT_GIVEN, EVERY, "direction in the world at the start"),
    ALL_COORDINATE_KEYS(trm_coordinate_def),
};

static const trm_form form_link = {
    .name = "link",
    .size = sizeof(trm_coordinate_def),
    FIELDS(link_fields),
    .has_place = true,
};

static const trm_field term_fields[] = {
    MUST(trm_term_def, "joint", joint_name, joint, 0, EVERY, "name of the joint"),
    KEY(trm_term_def, "coordinate", number, coordinate, NOT_GIVEN, EVERY,
        "number of the coordinate, from 1, of a joint with several"),
    KEY(trm_term_def, "factor", number, factor, NUMBER(1), EVERY, "factor of the coordinate (default: 1)"),
    COUNTED(trm_term_def, "polynomial", numbers, polynomial, polynomial_count, EVERY,
            "coefficients of q, q^2, ..., instead of factor"),
};

const trm_form trm_form_term = {
    .name = "term",
    .size = sizeof(trm_term_def),
    FIELDS(term_fields),
    .has_place = true,
};

static const trm_field joint_fields[] = {
    KEY(trm_joint_def, "name", own_name, name, 0, EVERY, "unique among joints"),
    MUST(trm_joint_def, "type", text, type, 0, EVERY, "type of the joint"),
    MUST(trm_joint_def, "bodies", body_names, bodies, 0, TRM_TAKES_BODIES, "the two bodies"),
    KEY(trm_joint_def, "parent", parent_name, parent, 0, TRM_TAKES_ANCHOR | TRM_TAKES_CHAIN,
        "BODY, BODY.POINT or JOINT in whose frame points and axes are given (default: the world)"),
    KEY(trm_joint_def, "anchor", vec3, anchor, NOT_GIVEN, TRM_TAKES_ANCHOR, "[m] position in the world at the start"),
    KEY(trm_joint_def, "axis", vec3, axis, NOT_GIVEN, TRM_TAKES_AXIS, "direction in the world at the start"),
    KEY(trm_joint_def, "x_axis", vec3, x_axis, NOT_GIVEN, TRM_TAKES_X_AXIS,
        "x axis of the joint's frame, a direction in the world at the start, not parallel to axis"),
    KEY(trm_joint_def, "axis2", vec3, axis2, NOT_GIVEN, TRM_TAKES_AXIS2,
        "direction in the world at the start, perpendicular to axis"),
    KEY(trm_joint_def, "anchors", vec3_pair, anchors, NOT_GIVEN, TRM_TAKES_ANCHOR | TRM_TAKES_LENGTH | TRM_TAKES_SPAN,
        "[m] points in the frames of the two bodies, instead of anchor"),
    KEY(trm_joint_def, "axes", vec3_pair, axes, NOT_GIVEN, TRM_TAKES_AXIS,
        "directions in the frames of the two bodies, instead of axis"),
    KEY(trm_joint_def, "length", number, length, NOT_GIVEN, TRM_TAKES_LENGTH,
        "[m] length (default: the initial distance)"),
    KEY(trm_joint_def, "rope", flag, rope, 0, TRM_TAKES_LENGTH | TRM_TAKES_TERMS,
        "whether the length, or the offset of a coupling, is an upper limit (default: false)"),
    OBJECT(trm_joint_def, "curve", curve, TRM_TAKES_CURVE, &form_curve, "carried by the first body"),
    OBJECT(trm_joint_def, "surface", surface, TRM_TAKES_SURFACE, &form_surface, "carried by the first body"),
    MUST(trm_joint_def, "pitch", number, pitch, NOT_GIVEN, TRM_TAKES_PITCH, "[m/rad] advance"),
    KEY(trm_joint_def, "q0", coordinates, q0, 0, TRM_TAKES_COORDINATE,
        "[m or rad] values of the coordinates at the start"),
    COORDINATE_KEYS(trm_joint_def, TRM_TAKES_LIMITS),
    KEY(trm_joint_def, "mu", number, mu, 0, TRM_TAKES_TERMS,
        "coefficient of friction of a rope of two spans around its pulley (default: 0)"),
    KEY(trm_joint_def, "wrap", number, wrap, NOT_GIVEN, TRM_TAKES_TERMS, "[rad] angle of the rope around its pulley"),
    KEY(trm_joint_def, "damping", number, damping, 0, TRM_TAKES_DAMPING,
        "[N m s/rad] damping of the relative angular velocity of the two bodies (default: 0)"),
    SIZED_LIST(trm_joint_def, "coordinates", coordinates, coordinate_count, coordinate_size, TRM_TAKES_EACH,
               &trm_form_coordinate, "limits, friction, springs and dampers of each coordinate, in order"),
    MUST_SIZED_LIST(trm_joint_def, "chain", coordinates, coordinate_count, coordinate_size, TRM_TAKES_CHAIN,
                    &form_link, "one to six hinges and sliders in a row, from the first body to the second"),
    KEY(trm_joint_def, "limit_restitution", number, limit_restitution, 0,
        TRM_TAKES_LIMITS | TRM_TAKES_LENGTH | TRM_TAKES_TERMS,
        "coefficient of restitution, 0 (no bounce) to 1 (elastic)"),
    GROUP("break", TRM_TAKES_BODIES, &form_break, "force and torque above which the joint breaks"),
    KEY(trm_joint_def, "erp", number, erp, NOT_GIVEN, EVERY,
        "0 .. 1: fraction of the constraint error that lcp removes per step (default: lcp.erp)"),
    KEY(trm_joint_def, "cfm", number, cfm, NOT_GIVEN, EVERY,
        "[(m/s)/N or (rad/s)/(N m)] compliance in the method lcp (default: lcp.cfm)"),
    GROUP("spring", EVERY, &form_spring,
          "makes each row of the joint a spring with a damper, instead of erp and cfm"),
    KEY(trm_joint_def, "attached", flag, attached, YES,
        TRM_TAKES_BODIES | TRM_TAKES_JOINTS | TRM_TAKES_TERMS | TRM_TAKES_SUM,
        "whether the joint is attached at the start (default: true)"),
    WORD(trm_joint_def, "align", align, TEXT("start"), TRM_TAKES_BODIES, ONE_OF("start", "now"),
         "for a fixed joint: the relative pose that it keeps, that of the start or that of its attachment"),
    KEY(trm_joint_def, "collide", flag, collide, 0, TRM_TAKES_BODIES,
        "whether the two bodies collide with each other (default: false)"),
    MUST(trm_joint_def, "joint", joint_name, joint, 0, TRM_TAKES_JOINT,
         "name of the joint on whose coordinate it acts"),
    KEY(trm_joint_def, "coordinate", number, coordinate, NOT_GIVEN, TRM_TAKES_JOINT,
        "number of the coordinate, from 1, of a joint with several"),
    MUST(trm_joint_def, "motion", function, motion, 0, TRM_TAKES_MOTION,
         "[m or rad] coordinate as a function of time"),
    MUST(trm_joint_def, "velocity", function, velocity, 0, TRM_TAKES_VELOCITY,
         "[m/s or rad/s] requested rate, a function of time"),
    KEY(trm_joint_def, "max", number, max_force, NUMBER(INFINITY), TRM_TAKES_VELOCITY,
        "[N or N m] limit of the force (default: no limit)"),
    MUST(trm_joint_def, "joints", joint_names, joints, 0, TRM_TAKES_JOINTS,
         "the two joints whose coordinates are coupled"),
    KEY(trm_joint_def, "coordinates", range, geared, NOT_GIVEN, TRM_TAKES_JOINTS,
        "numbers of the coordinates, from 1, of joints with several"),
    MUST(trm_joint_def, "ratio", number, ratio, NOT_GIVEN, TRM_TAKES_JOINTS, "ratio in q1 = ratio q2 + offset"),
    MUST_SIZED_LIST(trm_joint_def, "terms", terms, term_count, term_size, TRM_TAKES_TERMS | TRM_TAKES_SUM,
                    &trm_form_term, "coordinates whose functions are added"),
    KEY(trm_joint_def, "offset", number, offset, NOT_GIVEN, TRM_TAKES_JOINTS | TRM_TAKES_TERMS,
        "[m or rad] value of q1 - ratio q2, or of the sum of the terms (default: the initial value)"),
};

/* Types listed under "joints", or those listed under "forces". */
static trm_variant variant_among(bool among_forces, int index)
{
    for (int i = 0; trm_joint_type_at(i); i++) {
        const trm_joint_type *type = trm_joint_type_at(i);
        if (type->among_forces == among_forces && index-- == 0) return (trm_variant){type->name, type->takes, NULL};
    }
    return (trm_variant){NULL, 0, NULL};
}

static trm_variant joint_variant(int index)
{
    return variant_among(false, index);
}

static trm_variant drive_variant(int index)
{
    return variant_among(true, index);
}

/* The model has joints and drives in one list. */
static trm_variant variant_of_joint(const void *joint)
{
    const char *name = ((const trm_joint_def *)joint)->type;
    const trm_joint_type *type = name ? trm_find_joint_type(name) : NULL;
    return type ? (trm_variant){type->name, type->takes, NULL} : (trm_variant){NULL, ~0u, NULL};
}

const trm_form trm_form_joint = {
    .name = "joint",
    .size = sizeof(trm_joint_def),
    FIELDS(joint_fields),
    .has_place = true,
    .repeats = true,
    .variant = joint_variant,
    .variant_of = variant_of_joint,
};

const trm_form trm_form_drive = {
    .name = "drive",
    .size = sizeof(trm_joint_def),
    FIELDS(joint_fields),
    .has_place = true,
    .repeats = true,
    .variant = drive_variant,
    .variant_of = variant_of_joint,
};
